"""How a player picks among the legal moves: one function a kind, dispatched by a small integer."""

from .bits import popcount
from .captures import tidy
from .features import describe, look, worth
from .jit import kernel
from .layout import CAPTURE, CLEAR, GREEDY, MAX_MOVES, RANDOM, SWEEPS, TRAIL, WEIGH
from .moves import legal_classes, list_moves, nth_move
from .rng import SEAT, choose
from .scoring import SPADE_BOARD
from .table import builds_board, is_sweep

_KIND = 1 << 40  # outweighs anything that moves of one kind are worth
_LAST_RESORT = 1 << 42


@kernel
def greedy_value(state, rules, player, move):
    """Rank a move for the greedy player, the best highest.

    Captures before trails before builds, and the most points at once; where few points win,
    trails before captures before builds, and the fewest.
    """
    card = 1 << move.card
    if move.kind == TRAIL:
        spade = popcount(card & SPADE_BOARD)
        return -rules.aim * (worth(player, rules, card) * 10_000 + spade * 100 + move.card // 4)
    if move.kind != CAPTURE and move.kind != CLEAR:
        return -_LAST_RESORT
    taken = move.loose | builds_board(state, move.builds) | card
    points = worth(player, rules, taken)
    if is_sweep(state, rules, move):
        points += player.score[SWEEPS]
    value = points * 10_000 + popcount(taken) * 100 + popcount(taken & SPADE_BOARD)
    return rules.aim * (_KIND + value)


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
def _best_weighed(state, rules, book, player, moves, n, row, ties_out):
    """Collect the numbers of the moves with the highest weighed sum of features."""
    view = look(state, rules)
    best, ties = 0.0, 0
    for i in range(n):
        describe(state, rules, book, player, view, moves[i], row)
        value = 0.0
        for f in range(len(row)):
            value += player.weights[f] * row[f]
        value *= rules.aim
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
    n, total = legal_classes(state, rules, book, scratch)
    mover = state.to_move
    purpose, index = SEAT + mover, state.plays[mover]
    state.decisions += 1
    state.legal_moves += total
    crowded = total > MAX_MOVES
    if crowded:
        state.crowded += 1
    if player.kind == RANDOM or crowded:
        at = choose(seed, deal, purpose, index, total)
        nth_move(rules, book, scratch, at, move)
        return
    list_moves(rules, book, scratch, n, scratch.moves, scratch.sets)
    ties = 1
    scratch.ties[0] = 0
    if total > 1 and player.kind == GREEDY:
        ties = _best_greedy(state, rules, player, scratch.moves, total, scratch.ties)
    elif total > 1 and player.kind == WEIGH:
        ties = _best_weighed(
            state, rules, book, player, scratch.moves, total, scratch.row, scratch.ties
        )
    at = choose(seed, deal, purpose, index, ties) if ties > 1 else 0
    best = scratch.moves[scratch.ties[at]]
    move.card, move.kind, move.value = best.card, best.kind, best.value
    move.loose, move.builds = best.loose, best.builds
