"""Tips as switches: what card players tell each other, followed or not, besides what is weighed.

A tip prefers some of the legal moves; it *applies* where it tells moves apart. It is followed in
one of three forms: HARD: only the moves that it prefers most are looked at further; SOFT: its
preference times a strength, in points, is added to what a move is worth; TIE_BREAK: it decides
among the moves that are worth at most `tip_margin` points less than the best. A strength below 0 is
the opposite of the tip. Where few points win every tip is turned round, as the weights are. Players
who think ahead follow tips in what they weigh only.

What each tip of `layout.TIPS` prefers, 1 or the number named here, against 0:

- count_spades: spades taken, -1 for a spade trailed
- count_spades_in_race: the same while it is open which side gets most spades
- save_big: -1 for the big casino trailed, built with, or capturing fewer than two table cards
- keep_aces: -1 for an ace trailed
- take_ace_with_ace: an ace that captures an ace
- lay_ace_of_two: an ace trailed where another is kept that takes it, alone or in a sum
- build_when_last: a build made by the dealer, who is last in every round
- plan_for_last: in the last batch, a move after which a card kept takes something, or, with no card
  kept, a capture
- trail_to_deny_sweep: -1 for a capture that leaves what an unseen card sweeps, where some trail
  leaves nothing such
- leave_no_sweep: minus the chance that the next player sweeps what is left
- spade_before_plain: a capture with a spade in it, where a capture is to be made anyway
- no_early_builds: -1 for a build made while half of a whole hand or more is kept

For those who study tips `scratch.tip_counts[player.number, tip, seat, cards in the hand]` counts
decisions where the tip applied, and those where another move was made than without any tips by the
same draw; after a decision `scratch.chosen` and `scratch.without` are the two moves' numbers, to be
read with `moves.nth_move` (equal where nothing changed).
"""

from .bits import popcount
from .finer import look_after, still_needed, sweepers, takers_of_card
from .jit import kernel
from .layout import (
    GREEDY,
    HARD,
    MAX_MOVES,
    SOFT,
    TIE_BREAK,
    TIP_HANDS,
    TIPS,
    TRAIL,
)
from .moves import list_moves
from .scoring import SPADE_BOARD
from .view import chance, look

(
    _COUNT_SPADES,
    _IN_RACE,
    _SAVE_BIG,
    _KEEP_ACES,
    _ACE_WITH_ACE,
    _LAY_ACE,
    _BUILD_LAST,
    _FOR_LAST,
    _DENY_SWEEP,
    _NO_SWEEP,
    _SPADE_FIRST,
    _NO_EARLY_BUILDS,
) = range(len(TIPS))

_POINT = 10_000.0  # what a point is worth to the greedy player's ranking
_ALIKE = 1e-9


@kernel
def preference(tip, state, rules, book, view, move, captures):
    """Return what a tip thinks of a legal move; see this file's head.

    `captures` : 1 where the player would capture without the tip. What trail_to_deny_sweep thinks
    counts where `lays_safely`.
    """
    after, card = look_after(state, rules, book, view, move), 1 << move.card
    trail, ace = move.kind == TRAIL, card & rules.aces
    if tip == _COUNT_SPADES or tip == _IN_RACE:
        if tip == _IN_RACE and still_needed(state, rules, view.mover, SPADE_BOARD) == 0:
            return 0.0
        laid = card & SPADE_BOARD if trail else 0
        return float(popcount(after.taken & SPADE_BOARD) - popcount(laid))
    if tip == _SAVE_BIG:
        return -1.0 if card & rules.big and popcount(after.taken) < 3 else 0.0
    if tip == _KEEP_ACES:
        return -1.0 if trail and ace else 0.0
    if tip == _ACE_WITH_ACE:
        return 1.0 if ace and popcount(after.taken & rules.aces) > 1 else 0.0
    if tip == _LAY_ACE:
        if not trail or ace == 0:
            return 0.0
        takers = takers_of_card(rules, after.loose, move.card)
        return 1.0 if takers & after.kept & rules.aces else 0.0
    if tip == _BUILD_LAST:
        return 1.0 if after.pile and view.mover == state.dealer else 0.0
    if tip == _FOR_LAST:
        able = after.takers & after.kept != 0 if after.kept else after.taken != 0
        return 1.0 if view.last_batch and able else 0.0
    if tip == _SPADE_FIRST:
        return 1.0 if captures and after.taken & SPADE_BOARD else 0.0
    if tip == _NO_EARLY_BUILDS:
        return -1.0 if after.pile and 2 * popcount(after.kept) >= rules.hand else 0.0
    threats = sweepers(rules, book, state, move, after) & view.unseen
    if tip == _NO_SWEEP:
        return -chance(book, view, popcount(threats))
    return -1.0 if after.taken and threats else 0.0


@kernel
def lays_safely(state, rules, book, view, moves, total):
    """Whether some of the legal moves is a trail that leaves nothing to sweep."""
    for m in range(total):
        if moves[m].kind == TRAIL:
            if preference(_NO_SWEEP, state, rules, book, view, moves[m], 0) == 0:
                return True
    return False


@kernel
def _hear(state, rules, book, player, scratch, view, total, tip, captures):
    """Let a tip have its say on every move; returns whether it tells moves apart."""
    form, strength = player.tip_forms[tip], rules.aim * player.tip_strengths[tip]
    low, high = 0.0, 0.0
    if tip == _DENY_SWEEP and not lays_safely(state, rules, book, view, scratch.moves, total):
        return False
    for m in range(total):
        said = preference(tip, state, rules, book, view, scratch.moves[m], captures)
        low = said if m == 0 else min(low, said)
        high = said if m == 0 else max(high, said)
        said *= strength
        if form == HARD:
            scratch.hard[m] += said
        elif form == TIE_BREAK:
            scratch.finest[m] += said
        elif form == SOFT:
            scratch.values[m] += said * (_POINT if player.kind == GREEDY else 1.0)
    return high > low


@kernel
def _collect(player, scratch, total):
    """Collect in scratch.ties the numbers of the moves that tips and weights leave."""
    margin = player.tip_margin * (_POINT if player.kind == GREEDY else 1.0)
    hardest, best = scratch.hard[0], 0.0
    for m in range(1, total):
        hardest = max(hardest, scratch.hard[m])
    n = 0
    for m in range(total):
        if scratch.hard[m] >= hardest - _ALIKE:
            best = scratch.values[m] if n == 0 else max(best, scratch.values[m])
            scratch.ties[n] = m
            n += 1
    breaks = False
    for t in range(len(TIPS)):
        breaks = breaks or (player.tips >> t & 1 and player.tip_forms[t] == TIE_BREAK)
    if breaks:
        n, best = _break_ties(scratch, n, best - margin)
    kept = 0
    for i in range(n):
        if scratch.values[scratch.ties[i]] >= best - _ALIKE:
            scratch.ties[kept] = scratch.ties[i]
            kept += 1
    return kept


@kernel
def _break_ties(scratch, n, enough):
    """Keep of scratch.ties what is worth enough and preferred most; returns how many, and best."""
    kept, finest, best = 0, 0.0, 0.0
    for i in range(n):
        m = scratch.ties[i]
        if scratch.values[m] < enough:
            continue
        said, value = scratch.finest[m], scratch.values[m]
        if kept == 0 or said > finest + _ALIKE:
            kept, finest, best = 0, said, value
        if said >= finest - _ALIKE:
            best = max(best, value)
            scratch.ties[kept] = m
            kept += 1
    return kept, best


@kernel
def follow_tips(state, rules, book, player, scratch, n, at):
    """Collect in scratch.ties the numbers of the moves that the player's tips leave.

    `n` classes are legal, scratch.values is what their moves are worth, and `at` is the move made
    without tips, as class * MAX_MOVES + number in it. Returns how many moves are left, and a bit
    mask of the tips that applied; scratch.without is the number of move `at`.
    """
    total = list_moves(rules, book, scratch, n, scratch.moves, scratch.sets)
    scratch.without = at % MAX_MOVES
    for i in range(at // MAX_MOVES):
        scratch.without += scratch.classes[i].weight
    view, applied = look(state, rules), 0
    for m in range(total):
        scratch.hard[m], scratch.finest[m] = 0.0, 0.0
    without = look_after(state, rules, book, view, scratch.moves[scratch.without])
    captures = 1 if without.taken else 0
    for t in range(len(TIPS)):
        if player.tips >> t & 1:
            if _hear(state, rules, book, player, scratch, view, total, t, captures):
                applied |= 1 << t
    return _collect(player, scratch, total), applied


@kernel
def count_tips(state, player, scratch, applied):
    """Count the tips that applied, and whether another move was chosen for them."""
    cards = min(popcount(state.hands[state.to_move]), TIP_HANDS - 1)
    for t in range(len(TIPS)):
        if applied >> t & 1:
            counts = scratch.tip_counts[player.number, t, state.to_move, cards]
            counts[0] += 1
            if scratch.chosen != scratch.without:
                counts[1] += 1
