"""Who gets which points: the items of one deal, per side."""

from .bits import popcount
from .jit import inlined, kernel
from .layout import ACES, BIG, CARDS, EACH_SPADE, LAST, LITTLE, SPADES, SWEEPS

SPADE_BOARD = 0x8888888888888


@kernel
def side_of(rules, player):
    """Return the player's side: opposite seats are one side in pairs."""
    return player % 2 if rules.pairs else player


@inlined
def pile_of(state, rules, side):
    """Board of what a side has captured."""
    board = 0
    for p in range(side, rules.players, rules.sides):
        board |= state.captured[p]
    return board


@kernel
def _sweeps(state, rules, side):
    """Sweeps made by a side."""
    n = 0
    for p in range(side, rules.players, rules.sides):
        n += state.sweeps[p]
    return n


@kernel
def side_with_most(state, rules, among):
    """Return the side with strictly most of these cards, -1 where the most are shared."""
    best, winner = -1, -1
    for side in range(rules.sides):
        n = popcount(pile_of(state, rules, side) & among)
        if n > best:
            best, winner = n, side
        elif n == best:
            winner = -1
    return winner


@inlined
def score(state, rules, points):
    """Write points[side, item] of a finished deal; returns (side with most spades, most cards)."""
    spades = side_with_most(state, rules, SPADE_BOARD)
    cards = side_with_most(state, rules, -1)
    least = 52
    for side in range(rules.sides):
        least = min(least, _sweeps(state, rules, side))
    for side in range(rules.sides):
        pile = pile_of(state, rules, side)
        points[side, BIG] = rules.score[BIG] * popcount(pile & rules.big)
        points[side, LITTLE] = rules.score[LITTLE] * popcount(pile & rules.little)
        points[side, ACES] = rules.score[ACES] * popcount(pile & rules.aces)
        points[side, SPADES] = rules.score[SPADES] if spades == side else 0
        points[side, CARDS] = rules.score[CARDS] if cards == side else 0
        last = state.last >= 0 and side_of(rules, state.last) == side
        points[side, LAST] = rules.score[LAST] if last else 0
        sweeps = _sweeps(state, rules, side) - (least if rules.sweep_cancel else 0)
        points[side, SWEEPS] = rules.score[SWEEPS] * sweeps
        beyond = max(0, popcount(pile & SPADE_BOARD) - rules.spades_from)
        points[side, EACH_SPADE] = rules.score[EACH_SPADE] * beyond
    return spades, cards
