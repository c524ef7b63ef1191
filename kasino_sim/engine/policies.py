"""How a player picks among the legal moves: one function a kind, dispatched by a small integer."""

from .bits import lowest, popcount
from .captures import (
    CAPTURES,
    digest,
    lookup,
    make_row,
    n_sets,
    nth_set,
    row_top,
    tidy,
)
from .features import describe, look, worth
from .jit import kernel
from .layout import (
    CAPTURE,
    CLEAR,
    FORCED,
    GREEDY,
    MAX_MOVES,
    MUST_ACT,
    N_FEATURES,
    RANDOM,
    SWEEPS,
    TRAIL,
    WEIGH,
)
from .moves import legal_classes, list_moves, nth_move
from .patterns import up_to
from .rng import SEAT, choose
from .scoring import SPADE_BOARD
from .table import builds_board, is_sweep

_KIND = 1 << 40  # outweighs anything that moves of one kind are worth
_LAST_RESORT = 1 << 42


@kernel
def _capture_value(state, rules, player, card, loose, builds, sweep):
    """Rank a capture for the greedy player."""
    taken = loose | builds | card
    points = worth(player, rules, taken) + (player.score[SWEEPS] if sweep else 0)
    value = points * 10_000 + popcount(taken) * 100 + popcount(taken & SPADE_BOARD)
    return rules.aim * (_KIND + value)


@kernel
def _trail_value(rules, player, card):
    """Rank a trail for the greedy player."""
    spade = popcount(1 << card & SPADE_BOARD)
    return -rules.aim * (worth(player, rules, 1 << card) * 10_000 + spade * 100 + card // 4)


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


@kernel
def _keep_best(scratch, ties, best, value, card, kind, loose):
    """Keep a move among the first of scratch.moves if it is as good as the best so far."""
    if ties > 0 and value < best:
        return ties, best
    if value > best or ties == 0:
        ties, best = 0, value
    move = scratch.moves[ties]
    move.card, move.kind, move.loose, move.builds, move.value = card, kind, loose, 0, 0
    return ties + 1, best


@kernel
def _greedy_without_builds(state, rules, player, book, scratch):
    """Collect the greedy player's best moves where no build lies on the table.

    Only captures and trails need be looked at then. Returns how many moves are the best, or 0 where
    the plain way must be gone: with builds, a must to act, a clear card, or a crowded table.
    """
    hand = state.hands[state.to_move]
    if state.n_builds or rules.obligation == MUST_ACT:
        return 0
    if rules.clear_card >= 0 and (hand >> rules.clear_card) & 1:
        return 0
    groups, _, _ = digest(book, rules, state.loose)
    ties, best = 0, 0
    scratch.move.kind, scratch.move.builds = CAPTURE, 0
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        takes = groups & rules.hand_values[card]
        if not takes or rules.obligation != FORCED:
            value = _trail_value(rules, player, card)
            ties, best = _keep_best(scratch, ties, best, value, card, TRAIL, 0)
        if not takes:
            continue
        row = make_row(CAPTURES, 1, rules.hand_set[card])
        board = state.loose & up_to(row_top(row))
        entry = lookup(book, rules, row, board)
        if entry < 0:
            return 0
        for i in range(n_sets(entry)):
            loose = nth_set(book, rules, row, board, entry, i)
            sweep = False
            if loose == state.loose:
                scratch.move.card, scratch.move.loose = card, loose
                sweep = is_sweep(state, rules, scratch.move)
            value = _capture_value(state, rules, player, 1 << card, loose, 0, sweep)
            ties, best = _keep_best(scratch, ties, best, value, card, CAPTURE, loose)
    return ties


@kernel
def _best_greedy(state, rules, player, moves, n, row):
    """Collect in `row` the numbers of the moves that the greedy player likes best."""
    best, ties = 0, 0
    for i in range(n):
        value = greedy_value(state, rules, player, moves[i])
        if ties == 0 or value > best:
            best, ties = value, 0
        if value == best:
            row[ties] = i
            ties += 1
    return ties


@kernel
def _weigh(player, row):
    """Return weights times features; four sums at once do not wait for one another."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for f in range(0, N_FEATURES, 4):
        a += player.weights[f] * row[f]
        b += player.weights[f + 1] * row[f + 1]
        c += player.weights[f + 2] * row[f + 2]
        d += player.weights[f + 3] * row[f + 3]
    return (a + b) + (c + d)


@kernel
def _best_weighed(state, rules, book, player, moves, n, row, ties_out):
    """Collect the numbers of the moves with the highest weighed sum of features."""
    view = look(state, rules)
    best, ties = 0.0, 0
    for i in range(n):
        describe(state, rules, book, player, view, moves[i], row)
        value = rules.aim * _weigh(player, row)
        if ties == 0 or value > best:
            best, ties = value, 0
        if value == best:
            ties_out[ties] = i
            ties += 1
    return ties


@kernel
def choose_move(state, rules, player, book, scratch, seed, deal, move):
    """Write the move that the player to move makes.

    A player that weighs moves draws one at random where more than MAX_MOVES are legal, as
    the random player does everywhere; such crowded decisions are counted.
    """
    tidy(book)
    mover = state.to_move
    purpose, index = SEAT + mover, state.plays[mover]
    state.decisions += 1
    if scratch.detail:
        _, total = legal_classes(state, rules, book, scratch)
        state.legal_moves += total
    if player.kind == GREEDY:
        ties = _greedy_without_builds(state, rules, player, book, scratch)
        if ties:
            at = choose(seed, deal, purpose, index, ties) if ties > 1 else 0
            _copy_move(scratch.moves[at], move)
            return
    n, total = legal_classes(state, rules, book, scratch)
    crowded = total > MAX_MOVES
    if player.kind == RANDOM or crowded:
        if crowded:
            state.crowded += 1
        at = choose(seed, deal, purpose, index, total)
        nth_move(rules, book, scratch, at, move)
        return
    list_moves(rules, book, scratch, n, scratch.moves[:MAX_MOVES], scratch.sets[:MAX_MOVES])
    ties = 1
    scratch.ties[0] = 0
    if total > 1 and player.kind == GREEDY:
        ties = _best_greedy(state, rules, player, scratch.moves, total, scratch.ties)
    elif total > 1 and player.kind == WEIGH:
        ties = _best_weighed(
            state, rules, book, player, scratch.moves, total, scratch.row, scratch.ties
        )
    at = choose(seed, deal, purpose, index, ties) if ties > 1 else 0
    _copy_move(scratch.moves[scratch.ties[at]], move)


@kernel
def _copy_move(source, move):
    """Copy one move to another."""
    move.card, move.kind, move.value = source.card, source.kind, source.value
    move.loose, move.builds = source.loose, source.builds
