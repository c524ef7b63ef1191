"""How a player picks among the legal moves: one function a kind, dispatched by a small integer."""

from .bits import lowest, popcount
from .captures import (
    CAPTURES,
    all_sets,
    captures,
    make_row,
    n_sets,
    nth_set,
    tidy,
)
from .features import weigh
from .jit import inlined, kernel
from .layout import (
    ACES,
    BIG,
    CAPTURE,
    CLEAR,
    EACH_SPADE,
    FORCED,
    GREEDY,
    LITTLE,
    MAX_MOVES,
    MUST_ACT,
    RANDOM,
    SWEEPS,
    TRAIL,
)
from .moves import legal_classes, look_at_table, move_of, n_builds_of, nth_builds, nth_move
from .rng import SEAT, choose
from .scoring import SPADE_BOARD
from .table import builds_board, is_sweep
from .tips import count_tips, follow_tips
from .view import look, takers_of, without_memory, worth

_KIND = 1 << 40  # outweighs anything that moves of one kind are worth
_LAST_RESORT = 1 << 42
ALIKE = 1e-9  # weighed sums that differ by less are a tie


@inlined
def _capture_value(state, rules, player, card, loose, builds, sweep):
    """Rank a capture for the greedy player."""
    taken = loose | builds | card
    points = worth(player, rules, taken) + (player.score[SWEEPS] if sweep else 0)
    value = points * 10_000 + popcount(taken) * 100 + popcount(taken & SPADE_BOARD)
    return rules.aim * (_KIND + value)


@inlined
def _trail_value(rules, player, card):
    """Rank a trail for the greedy player."""
    spade = popcount(1 << card & SPADE_BOARD)
    return -rules.aim * (worth(player, rules, 1 << card) * 10_000 + spade * 100 + (card >> 2))


@kernel
def greedy_value(state, rules, player, move):
    """Rank a move for the greedy player, the best highest.

    Captures before trails before builds, and the most points at once; where few points win,
    trails before captures before builds, and the fewest.
    """
    if move.kind == TRAIL:
        return _trail_value(rules, player, move.card)
    if move.kind != CAPTURE and move.kind != CLEAR:
        return -_LAST_RESORT
    builds, sweep = builds_board(state, move.builds), is_sweep(state, rules, move)
    return _capture_value(state, rules, player, 1 << move.card, move.loose, builds, sweep)


@inlined
def _keep_best(scratch, ties, best, value, card, loose):
    """Keep card and loose cards in scratch.ties and .sets if as good as the best so far."""
    if ties > 0 and value < best:
        return ties, best
    if value > best or ties == 0:
        ties, best = 0, value
    scratch.ties[ties], scratch.sets[ties] = card, loose
    return ties + 1, best


@inlined
def _best_captures(state, rules, player, book, scratch, cards):
    """Collect the greedy player's best captures by these cards, 0 on a crowded table."""
    ties, best = 0, 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        row = make_row(CAPTURES, 1, rules.hand_set[card])
        board, entry = captures(book, rules, state.table, state.loose, row)
        if entry < 0:
            return 0
        if n_sets(entry) == 1 and cards == 0 and ties == 0:
            scratch.ties[0], scratch.sets[0] = card, nth_set(book, rules, row, board, entry, 0)
            return 1
        for i in range(n_sets(entry)):
            loose = nth_set(book, rules, row, board, entry, i)
            sweep = False
            if loose == state.loose:
                move = scratch.move
                move.card, move.kind, move.loose, move.builds = card, CAPTURE, loose, 0
                sweep = is_sweep(state, rules, move)
            value = _capture_value(state, rules, player, 1 << card, loose, 0, sweep)
            ties, best = _keep_best(scratch, ties, best, value, card, loose)
    return ties


@inlined
def _plain_trails(rules, player, cards):
    """Board of the greedy player's best trails where one of no worth is among them, else 0."""
    score = player.score
    if rules.aim < 0 or score[ACES] == 0 or score[LITTLE] == 0 or score[BIG] == 0:
        return 0
    plain = cards & ~rules.points_board
    if plain & ~SPADE_BOARD:
        plain &= ~SPADE_BOARD
    elif plain == 0 or score[EACH_SPADE]:
        return 0
    return plain & (15 << (lowest(plain) & ~3))


@inlined
def _best_trails(rules, player, scratch, cards):
    """Collect the greedy player's best trails of these cards."""
    ties, best = 0, 0
    plain = _plain_trails(rules, player, cards)
    if plain:
        ties = popcount(plain)
        for i in range(4):  # always all: a loop of a known length costs less than a wrong guess
            scratch.ties[i], scratch.sets[i] = lowest(plain), 0
            plain &= plain - 1
        return ties
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        value = _trail_value(rules, player, card)
        ties, best = _keep_best(scratch, ties, best, value, card, 0)
    return ties


@inlined
def _greedy_without_builds(state, rules, player, book, scratch):
    """Collect the greedy player's best moves where no build lies on the table; see `_keep_best`.

    Only captures and trails need be looked at then. Returns how many moves are the best, or 0 where
    the plain way must be gone: with builds, a must to act, a clear card, or a crowded table.
    """
    hand = state.hands[state.to_move]
    if state.n_builds or rules.obligation == MUST_ACT:
        return 0
    if rules.clear_card >= 0 and (hand >> rules.clear_card) & 1:
        return 0
    look_at_table(state, rules, book)
    able = hand & takers_of(rules, state.groups >> 1)
    if able and rules.aim > 0:
        return _best_captures(state, rules, player, book, scratch, able)
    idle = hand & ~able if rules.obligation == FORCED else hand
    if idle:
        return _best_trails(rules, player, scratch, idle)
    return _best_captures(state, rules, player, book, scratch, able)


@inlined
def _value_of(state, rules, player, book, view, move):
    """Rank a move for a player that is greedy or weighs, the best highest."""
    if player.kind == RANDOM:
        return 0.0
    if player.kind == GREEDY:
        return float(greedy_value(state, rules, player, move))
    return rules.aim * weigh(state, rules, book, player, view, move)


@inlined
def _best_moves(state, rules, player, book, scratch, n):
    """Collect in scratch.ties the moves that rank highest, as class * MAX_MOVES + number in it.

    scratch.values gets what each is worth, in the order of `nth_move`, for a player with tips.
    """
    view, move = look(state, rules), scratch.move
    if player.forgets:
        view = without_memory(state, rules, view)
    best, ties, at = 0.0, 0, 0
    for i in range(n):
        c, number = scratch.classes[i], i * MAX_MOVES
        move.card, move.kind, move.value = c.card, c.kind, c.value
        if c.n_loose and c.entry < 0:
            all_sets(book, rules, c.row, c.board, c.entry, scratch.sets[:MAX_MOVES])
        for j in range(n_builds_of(c)):
            move.builds = nth_builds(c, j)
            for k in range(-c.empty, c.n_loose):
                move.loose = _loose_of(book, rules, scratch, c, k)
                value = _value_of(state, rules, player, book, view, move)
                if player.tips:
                    scratch.values[at] = value
                    at += 1
                better = ties == 0 or value > best + ALIKE
                best, ties = (value, 0) if better else (best, ties)
                scratch.ties[ties] = number  # not among the ties where it is worse
                ties += 1 if value >= best - ALIKE else 0
                number += 1
    return ties


@inlined
def _loose_of(book, rules, scratch, c, k):
    """Return set k of the loose cards of a class, or the empty one for -1."""
    if k < 0:
        return c.board if c.kind == CLEAR else 0
    if c.entry < 0:
        return scratch.sets[k]
    return nth_set(book, rules, c.row, c.board, c.entry, k)


@inlined
def choose_move(state, rules, player, book, scratch, seed, deal, move):
    """Write the move that the player to move makes.

    A player that weighs moves draws one at random where more than MAX_MOVES are legal, as
    the random player does everywhere; such crowded decisions are counted.
    """
    tidy(book)
    mover = state.to_move
    purpose, index = SEAT + mover, state.plays[mover]
    state.decisions += 1
    if player.kind == GREEDY and not scratch.detail and not player.tips:
        ties = _greedy_without_builds(state, rules, player, book, scratch)
        if ties:
            at = choose(seed, deal, purpose, index, ties) if ties > 1 else 0
            move.card, move.loose = scratch.ties[at], scratch.sets[at]
            move.kind, move.builds, move.value = CAPTURE if move.loose else TRAIL, 0, 0
            return
    n, total = legal_classes(state, rules, book, scratch)
    if scratch.detail:
        state.legal_moves += total
    crowded = total > MAX_MOVES
    if crowded:
        state.crowded += 1
    if (player.kind == RANDOM and not player.tips) or crowded:
        nth_move(rules, book, scratch, choose(seed, deal, purpose, index, total), move)
        return
    at = 0
    if total > 1:
        ties = _best_moves(state, rules, player, book, scratch, n)
        at = scratch.ties[choose(seed, deal, purpose, index, ties) if ties > 1 else 0]
        if player.tips:
            ties, applied = follow_tips(state, rules, book, player, scratch, n, at)
            at = choose(seed, deal, purpose, index, ties) if ties > 1 else 0
            scratch.chosen = scratch.ties[at]
            count_tips(state, player, scratch, applied)
            nth_move(rules, book, scratch, scratch.chosen, move)
            return
    move_of(rules, book, scratch.classes[at // MAX_MOVES], at % MAX_MOVES, move)
