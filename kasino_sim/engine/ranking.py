"""The number of a table: what lies loose, suits aside, as an index into arrays.

Tables of at most MOST cards are numbered by the combinatorial number system of multisets: the
k-th lowest card, of rank r, adds C(r + k - 1, k).
"""

from math import comb

import numpy as np

from .bits import lowest, popcount
from .jit import inlined

MOST = 8
_USUAL = 6  # that many cards or fewer lie on nearly every table
N_TABLES = comb(13 + MOST, MOST)
_FIRST = np.array([comb(12 + k, 13) for k in range(MOST + 1)])  # number of the first table of k
# _STEP[k, card], and 0 for no card, which `lowest` calls 64 (or -1, uncompiled).
_STEP = np.zeros((MOST, 65), np.int64)
_STEP[:, :52] = [[comb(card // 4 + k, k + 1) for card in range(52)] for k in range(MOST)]


@inlined
def number_of(board):
    """Return the number of a board of loose cards, -1 where there are more than MOST."""
    n = popcount(board)
    if n > MOST:
        return -1
    number = _FIRST[n]
    for k in range(_USUAL):  # always all: a loop of a known length costs less than a wrong guess
        number += _STEP[k, lowest(board)]
        board &= board - 1
    if board:
        for k in range(_USUAL, MOST):
            number += _STEP[k, lowest(board)]
            board &= board - 1
    return number
