"""Further features, by group: a group is looked at only for players who weigh something in it."""

from collections import namedtuple

from .bits import lowest, popcount
from .captures import groups_with, summary
from .jit import inlined, kernel
from .layout import (
    ACES,
    BIG,
    BUILD,
    BUILDS_USED,
    CAPTURE,
    CARDS,
    CLEAR,
    EXPOSURE_USED,
    HAND_USED,
    KINDS_USED,
    LAST,
    LATE_USED,
    LITTLE,
    RACE_USED,
    RAISE,
    SPADES,
    SWEEPS,
    TEAM_USED,
    TRAIL,
    F,
)
from .patterns import pattern_of
from .scoring import SPADE_BOARD, side_of
from .table import builds_board, is_sweep
from .view import chance, takers_of, worth

_DECK = (1 << 52) - 1

# What the table and the hand are after a move.
# `taken` and `pile` are the cards of a capture and of a build (0 where the move is none), `loose`
# lies loose, `kept` is kept in the hand, `left` are the builds left alone (bit i for build i),
# `takers` are all cards that take anything, `single` says that one thing lies there.
After = namedtuple("After", "taken pile loose kept left takers gone single")


@kernel
def look_after(state, rules, book, view, move):
    """Look at what a move leaves."""
    taken, pile, loose = 0, 0, state.loose & ~move.loose
    left, built, n_built = ((1 << state.n_builds) - 1) & ~move.builds, 0, 0
    if move.kind == TRAIL:
        loose |= 1 << move.card
    else:
        cards = move.loose | builds_board(state, move.builds) | 1 << move.card
        if move.kind == CAPTURE or move.kind == CLEAR:
            taken = cards
        else:
            pile, built, n_built = cards, 1 << (move.value - 1), 1
    for b in range(state.n_builds):
        if (left >> b) & 1:
            built |= 1 << (state.build_value[b] - 1)
            n_built += 1
    takers = takers_of(rules, summary(book, rules, loose) & 0xFFFF | built)
    gone = chance(book, view, popcount(takers & view.unseen))
    kept = view.hand & ~(1 << move.card)
    single = popcount(loose) + n_built == 1
    return After(taken, pile, loose, kept, left, takers, gone, single)


@kernel
def sweepers(rules, book, state, move, after):
    """Board of the cards that take all that a move leaves, none where nothing is left."""
    built = 0 if after.pile == 0 else 1 << (move.value - 1)
    for b in range(state.n_builds):
        if (after.left >> b) & 1:
            built |= 1 << (state.build_value[b] - 1)
    if built & (built - 1):
        return 0
    if after.loose == 0:
        return takers_of(rules, built)
    sweeping = (summary(book, rules, after.loose) >> 16) & 0xFFFF
    return takers_of(rules, sweeping & built if built else sweeping)


@kernel
def takers_of_card(rules, loose, card):
    """Board of the cards that take this loose card, alone or in a group."""
    rank = card >> 2
    if rank >= rules.sum_ranks:
        return takers_of(rules, 1 << rank)
    return takers_of(rules, groups_with(rules, pattern_of(loose), rank) >> 1)


@inlined
def _kinds(state, rules, book, player, view, move, after):
    """Weigh the point cards apart from each other."""
    w, score, card = player.weights, player.score, 1 << move.card
    value = 0.0
    if after.taken:
        if is_sweep(state, rules, move):
            value += w[F.sweep] * score[SWEEPS]
        if after.taken & rules.points_board:
            value += w[F.big_taken] * (score[BIG] * popcount(after.taken & rules.big))
            value += w[F.little_taken] * (score[LITTLE] * popcount(after.taken & rules.little))
            value += w[F.aces_taken] * (score[ACES] * popcount(after.taken & rules.aces))
    elif move.kind == TRAIL and card & rules.points_board:
        value += w[F.big_trailed] * (score[BIG] * popcount(card & rules.big))
        value += w[F.little_trailed] * (score[LITTLE] * popcount(card & rules.little))
        value += w[F.ace_trailed] * (score[ACES] * popcount(card & rules.aces))
    if card & rules.little:
        value += w[F.little_spent]
    special = after.loose & rules.points_board
    if special:
        value += _risk_of(rules, book, view, after, special & rules.big) * (
            w[F.big_risk] * score[BIG]
        )
        value += _risk_of(rules, book, view, after, special & rules.little) * (
            w[F.little_risk] * score[LITTLE]
        )
        value += _risk_of(rules, book, view, after, special & rules.aces) * (
            w[F.aces_risk] * score[ACES]
        )
    return value


@kernel
def _risk_of(rules, book, view, after, cards):
    """Loose cards of one rank, times the chance that the next player can take one."""
    if cards == 0:
        return 0.0
    takers = takers_of_card(rules, after.loose, lowest(cards))
    return popcount(cards) * chance(book, view, popcount(takers & view.unseen))


@kernel
def still_needed(state, rules, player, among):
    """How many more of these cards the player's side needs for certainly most, 0 once decided.

    With two sides that is 27 cards or 7 spades. Decided is what is won or cannot be won any more.
    """
    own, best, out, mine = 0, 0, 0, side_of(rules, player)
    for side in range(rules.sides):
        n = 0
        for q in range(side, rules.players, rules.sides):
            n += popcount(state.captured[q] & among)
        out += n
        if side == mine:
            own = n
        else:
            best = max(best, n)
    rest = popcount(among) - out
    if own + rest <= best or own > best + rest:
        return 0
    return (best + rest - own) // 2 + 1


@inlined
def _race(state, rules, player, view, move, after):
    """Weigh spades and cards while most of them is open."""
    w, score, value = player.weights, player.score, 0.0
    needed = still_needed(state, rules, view.mover, SPADE_BOARD)
    if needed:
        n, worth_it = popcount(after.taken & SPADE_BOARD), float(score[SPADES])
        value += w[F.spades_open] * (worth_it * n)
        value += w[F.spades_needed] * (worth_it * min(n, needed) / needed)
        if move.kind == TRAIL and (1 << move.card) & SPADE_BOARD:
            value += w[F.spade_trailed_open] * worth_it
        left = popcount(after.loose & SPADE_BOARD)
        value += w[F.spades_left_open] * (worth_it * left * after.gone)
    needed = still_needed(state, rules, view.mover, _DECK)
    if needed:
        n, worth_it = popcount(after.taken), float(score[CARDS])
        value += w[F.cards_open] * (worth_it * n)
        value += w[F.cards_needed] * (worth_it * min(n, needed) / needed)
        value += w[F.cards_left_open] * (worth_it * popcount(after.loose) * after.gone)
    return value


@inlined
def _exposure(state, rules, book, player, view, move, after):
    """Weigh what the next player may find, and what may be there at the next turn."""
    w = player.weights
    unseen = max(1, popcount(view.unseen))
    value = w[F.capture_risk] * after.gone
    value += w[F.takers_left] * (popcount(after.takers & view.unseen) / unseen)
    if after.single:
        value += w[F.single_left]
    if move.kind == TRAIL:
        takers = takers_of_card(rules, after.loose, move.card)
        value += w[F.trail_risk] * chance(book, view, popcount(takers & view.unseen))
        alone = 1 << (move.card >> 2)
        if alone == 1 and rules.ace14:
            alone |= 1 << 13
        if takers_of(rules, alone) & view.unseen == 0:
            value += w[F.trail_safe]
    if player.score[SWEEPS] and sweepers(rules, book, state, move, after) & after.kept:
        value += w[F.hold_sweep] * (player.score[SWEEPS] * (1.0 - after.gone))
    return value


@kernel
def _of_ranks_of(board):
    """Board of all four cards of each rank that is there."""
    one = board | board >> 1 | board >> 2 | board >> 3
    return (one & 0x1111111111111) * 15


@inlined
def _holding(player, move, after):
    """Weigh the cards that stay in the hand beside each other."""
    w, left, mates = player.weights, after.kept, 0
    while left:
        rank = 15 << (lowest(left) & ~3)
        n = popcount(after.kept & rank)
        mates += n if n > 1 else 0
        left &= ~rank
    value = w[F.hold_mates] * mates
    value += w[F.hold_direct] * popcount(after.kept & _of_ranks_of(after.loose))
    if after.taken:
        value += w[F.capture_rank] * (((move.card >> 2) + 1) * (1.0 / 13.0))
        rank = 15 << (move.card & ~3)
        if after.kept & rank:
            value += w[F.mate_spent]
        if move.loose & rank:
            value += w[F.pair_taken]
        if move.loose & ~rank:
            value += w[F.sum_taken]
    return value


@inlined
def _builds(state, rules, book, player, view, move, after):
    """Weigh a build that is made, and the builds that are taken or left."""
    w, value = player.weights, 0.0
    if after.pile:
        value += _made(state, rules, player, view, move, after)
    for b in range(state.n_builds):
        own = state.build_owner[b] == view.mover
        if (after.left >> b) & 1:
            if not own:
                value += w[F.others_left]
                continue
            takers = rules.value_board[state.build_value[b]]
            if takers & after.kept == 0:
                value += w[F.own_unguarded]
            value += w[F.own_left_risk] * chance(book, view, popcount(takers & view.unseen))
        elif after.taken:
            value += w[F.own_taken] if own else w[F.others_taken]
    return value


@inlined
def _made(state, rules, player, view, move, after):
    """Weigh the build that is made."""
    w, seats = player.weights, 0
    takers = rules.value_board[move.value]
    value = w[F.build_value] * (move.value * (1.0 / 16.0))
    value += w[F.build_size] * popcount(after.pile)
    value += w[F.build_takers] * popcount(takers & view.unseen)
    value += w[F.build_held] * popcount(takers & after.kept)
    value += w[F.build_early] * (popcount(after.kept) / rules.hand)
    if move.kind == RAISE:
        value += w[F.build_raised]
    elif move.kind != BUILD:
        value += w[F.build_locked]
    for q in range(rules.players):
        if side_of(rules, q) != side_of(rules, view.mover) and state.hands[q]:
            seats += 1
    value += w[F.build_seats] * seats
    if view.mover == state.dealer:
        value += w[F.build_last]
    return value


@inlined
def _late(state, rules, player, view, move, after):
    """Weigh the same acts by where in the deal they come."""
    w, score, value = player.weights, player.score, 0.0
    rank = ((move.card >> 2) + 1) * (1.0 / 13.0)
    if view.last_batch:
        if after.takers & after.kept:
            value += w[F.late_hold] * score[LAST]
        if after.taken:
            value += w[F.late_capture]
            value += w[F.late_cards] * (score[CARDS] * popcount(after.taken))
            value += w[F.late_residue] * (popcount(after.loose) / (1.0 + view.others_left))
        elif after.pile:
            value += w[F.late_build]
        else:
            value += w[F.late_rank] * rank
        return value
    early = (state.n_cards - state.next_card) * (1.0 / 52.0)
    if after.taken:
        return w[F.early_capture] * early
    if after.pile:
        return w[F.early_making] * early
    return w[F.early_rank] * (early * rank)


@inlined
def _team(state, rules, book, player, view, move, after):
    """Weigh what is there for the partner, who plays after the next opponent."""
    w, partner, value = player.weights, (view.mover + 2) & 3, 0.0
    stays = 1.0 - after.gone
    points = worth(player, rules, after.loose)
    for b in range(state.n_builds):
        if (after.left >> b) & 1:
            points += worth(player, rules, state.build_cards[b])
        if state.build_owner[b] == partner:
            if (after.left >> b) & 1:
                value += w[F.partner_build_left]
            else:
                value += w[F.partner_build_taken] if after.taken else w[F.partner_build_used]
    value += w[F.partner_points] * (points * stays * after.gone)
    able = sweepers(rules, book, state, move, after)
    swept = chance(book, view, popcount(able & view.unseen))
    return value + w[F.partner_sweep] * (player.score[SWEEPS] * stays * swept)


@kernel
def weigh_finer(state, rules, book, player, view, move):
    """Return the player's weights times the features of the groups that it uses."""
    uses, value = player.uses, 0.0
    after = look_after(state, rules, book, view, move)
    if uses & KINDS_USED:
        value += _kinds(state, rules, book, player, view, move, after)
    if uses & RACE_USED:
        value += _race(state, rules, player, view, move, after)
    if uses & EXPOSURE_USED:
        value += _exposure(state, rules, book, player, view, move, after)
    if uses & HAND_USED:
        value += _holding(player, move, after)
    if uses & BUILDS_USED:
        value += _builds(state, rules, book, player, view, move, after)
    if uses & LATE_USED:
        value += _late(state, rules, player, view, move, after)
    if uses & TEAM_USED and rules.pairs:
        value += _team(state, rules, book, player, view, move, after)
    return value
