"""Deals played again to see what a score sheet does not keep: fates of builds, idle turns."""

import numpy as np

from .bits import lowest
from .jit import kernel
from .layout import BUILD, CAPTURE, CLEAR
from .play import make_deck
from .policies import choose_move
from .table import begin_game, play_move
from .view import takers_of

BATCHES, HELD = 13, 4

# What becomes of a build, as its owner sees it.
FATES = ("taken by its owner", "taken by another", "taken over", "grown by its owner", "left over")
OWN, STOLEN, TAKEN_OVER, GROWN, LEFT = range(5)

TRACE = np.dtype(
    [
        # By hand of the deal, cards still held when it was made, lock, fate.
        ("fates", np.int64, (BATCHES, HELD, 2, len(FATES))),
        ("build_cards", np.int64, 2),  # cards in the builds that their owners took, by lock
        ("turns", np.int64),
        ("idle", np.int64),  # turns on which no card of the hand takes anything
    ],
    align=True,
)

# Where and when the build with some lowest card was made.
MARK = np.dtype([("batch", np.int64), ("held", np.int64)], align=True)


@kernel
def decide(state, rules, player, book, scratch, seed, deal, move):
    """Write the move that the player to move makes; `choose_move` compiled by itself."""
    choose_move(state, rules, player, book, scratch, seed, deal, move)


@kernel
def _held(board):
    """Cards on a board, counted up to the last place of a count."""
    n = 0
    while board and n < HELD - 1:
        board &= board - 1
        n += 1
    return n


@kernel
def _can_take(state, rules):
    """Whether some card of the hand takes something; after a look for legal moves."""
    hand = state.hands[state.to_move]
    if hand & takers_of(rules, state.groups >> 1):
        return True
    for b in range(state.n_builds):
        if hand & rules.value_board[state.build_value[b]]:
            return True
    return False


@kernel
def _end_builds(state, move, marks, trace):
    """Count what becomes of the builds that a move uses, and of those it takes."""
    p = state.to_move
    takes = move.kind == CAPTURE or move.kind == CLEAR
    for b in range(state.n_builds):
        if (move.builds >> b) & 1:
            own = state.build_owner[b] == p
            if takes:
                fate = OWN if own else STOLEN
            else:
                fate = GROWN if own else TAKEN_OVER
            _count_fate(state, b, fate, marks, trace)


@kernel
def _count_fate(state, b, fate, marks, trace):
    """Count what becomes of one build."""
    mark, lock = marks[lowest(state.build_cards[b])], state.build_locked[b]
    trace.fates[mark.batch, mark.held, lock, fate] += 1
    if fate == OWN:
        board = state.build_cards[b]
        while board:
            board &= board - 1
            trace.build_cards[lock] += 1


@kernel
def _play(state, rules, move, marks, trace):
    """Play a move and count it."""
    p = state.to_move
    number = state.plays[p]
    trace.turns += 1
    if not _can_take(state, rules):
        trace.idle += 1
    _end_builds(state, move, marks, trace)
    hand = state.hands[p] & ~(1 << move.card)
    play_move(state, rules, move)
    if move.kind >= BUILD:
        mark = marks[lowest(state.build_cards[state.n_builds - 1])]
        mark.batch, mark.held = min(number // rules.hand, BATCHES - 1), _held(hand)


@kernel
def trace_block(rules, players, seatings, fixed, seed, first_deal, book, scratch, marks, out):
    """Play blocks of deals as `play_block` does: out[i] is what deal i's games came to together.

    `marks` : MARK[52] is work space, `out` : TRACE[deals].
    """
    state, deck = scratch.state, scratch.deck
    for i in range(out.shape[0]):
        deal = first_deal + np.uint64(i)
        make_deck(rules, fixed, seed, deal, scratch)
        for g in range(seatings.shape[0]):
            begin_game(state, rules, deck)
            for _ in range(52 - rules.table):
                player = players[seatings[g, state.to_move]]
                decide(state, rules, player, book, scratch, seed, deal, scratch.move)
                _play(state, rules, scratch.move, marks, out[i])
            for b in range(state.n_builds):
                _count_fate(state, b, LEFT, marks, out[i])
