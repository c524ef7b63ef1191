"""What the player to move can see, and what it makes of that alone.

Known are the own hand, the table, and every card captured so far; the rest is *unseen*: the other
hands and the stock, which nobody can tell apart.
"""

from collections import namedtuple

import numpy as np

from .bits import popcount
from .jit import inlined, kernel
from .layout import ACES, BIG, EACH_SPADE, LITTLE
from .scoring import SPADE_BOARD
from .table import all_builds, stock_empty

_ALL = (1 << 52) - 1

# What a decision's moves have in common.
# `odds` is where the chances for so many cards of the next player among the unseen begin.
View = namedtuple("View", "mover hand unseen odds others_left last_batch")


@inlined
def look(state, rules):
    """Gather what the player to move can see."""
    p = state.to_move
    out = state.loose | all_builds(state)
    left, empty_after = 0, state.hands[p] & (state.hands[p] - 1) == 0
    for q in range(rules.players):
        out |= state.captured[q]
        if q != p:
            left += popcount(state.hands[q])
            empty_after = empty_after and state.hands[q] == 0
    unseen = _ALL & ~(out | state.hands[p])
    next_hand = popcount(state.hands[(p + 1) % rules.players])
    if empty_after and not stock_empty(state):
        next_hand = rules.hand
    # Hands of more than four cards count as four.
    odds = (min(next_hand, 4) * 53 + popcount(unseen)) * 53
    return View(p, state.hands[p], unseen, odds, left, stock_empty(state))


@kernel
def without_memory(state, rules, view):
    """Return the view of a player who has not kept in mind which cards were captured."""
    unseen = view.unseen
    for p in range(rules.players):
        unseen |= state.captured[p]
    gone = popcount(unseen) - popcount(view.unseen)
    return View(
        view.mover, view.hand, unseen, view.odds + 53 * gone, view.others_left, view.last_batch
    )


@kernel
def tabulate_chances(book):
    """Fill in the hypergeometric chances of `chance` by hand, unseen cards and takers."""
    for hand in range(5):
        for unseen in range(53):
            for takers in range(53):
                miss = 1.0
                for i in range(min(hand, unseen)):
                    miss *= max(0.0, (unseen - takers - i) / (unseen - i))
                book.chances[(hand * 53 + unseen) * 53 + takers] = 1.0 - miss


@inlined
def chance(book, view, n_takers):
    """Chance that the next player holds at least one of so many unseen cards."""
    return book.chances[np.uint32(view.odds + n_takers)]  # unsigned, as `layout.STATE` says


@inlined
def worth(player, rules, board):
    """Points of the cards of a board by themselves, as the player believes."""
    if board & rules.points_board == 0 and player.score[EACH_SPADE] == 0:
        return 0
    points = player.score[ACES] * popcount(board & rules.aces)
    points += player.score[BIG] * popcount(board & rules.big)
    points += player.score[LITTLE] * popcount(board & rules.little)
    return points + player.score[EACH_SPADE] * popcount(board & SPADE_BOARD)


@inlined
def takers_of(rules, values):
    """Board of the cards with one of these hand values (bit v - 1)."""
    return rules.takers[0, values & 255] | rules.takers[1, values >> 8 & 255]
