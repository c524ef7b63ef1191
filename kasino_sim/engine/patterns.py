"""How many cards of each rank lie there: the pattern of a board, one nibble a rank.

What can be taken depends on the pattern alone, and each pattern of taken cards stands for the
product of binomials of card sets.
"""

import numpy as np

from .jit import kernel

_TOP_BITS = 0x8888888888888
_PAIRS, _FOURS = 0x5555555555555, 0x3333333333333

_BINOMIAL = np.array(
    [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]]
)
# _CHOICE[n, k, j]: the j-th way to take k of n cards, as a mask.
_CHOICE = np.zeros((5, 5, 6), np.int64)
for _n in range(5):
    for _k in range(5):
        _masks = [m for m in range(1 << _n) if m.bit_count() == _k]
        _CHOICE[_n, _k, : len(_masks)] = _masks


@kernel
def pattern_of(board):
    """Count the cards of each rank: nibble r is the number of cards of rank r."""
    pairs = board - ((board >> 1) & _PAIRS)
    return (pairs & _FOURS) + ((pairs >> 2) & _FOURS)


@kernel
def up_to(value):
    """Board of all cards whose rank counts at most `value`."""
    return (1 << (4 * min(value, 13))) - 1


@kernel
def ways(available, pattern):
    """Count the card sets that a pattern stands for."""
    product = 1
    while pattern:
        product *= _BINOMIAL[available & 15, pattern & 15]
        available >>= 4
        pattern >>= 4
    return product


@kernel
def nth_mask(available, pattern, index):
    """Return card set `index` of a pattern, as a mask over the available cards in card order."""
    mask, offset = 0, 0
    while pattern:
        n, k = available & 15, pattern & 15
        size = _BINOMIAL[n, k]
        mask |= _CHOICE[n, k, index % size] << offset
        index //= size
        offset += n
        available >>= 4
        pattern >>= 4
    return mask


@kernel
def count_cards(pattern):
    """Count the cards in a pattern."""
    n = 0
    while pattern:
        n += pattern & 15
        pattern >>= 4
    return n


@kernel
def fits(available, one, two):
    """Whether two patterns together are no more than what is available."""
    return ((available | _TOP_BITS) - (one + two)) & _TOP_BITS == _TOP_BITS


@kernel
def has_group(available, value, sums, ace14):
    """Whether some of the available cards are one group of `value`."""
    if 1 <= value <= 13 and (available >> (4 * (value - 1))) & 15:
        return True
    reach = 1
    for x in range(2, min(sums, value) + 1):
        for _ in range((available >> (4 * (x - 1))) & 15):
            reach |= reach << x
    with_ace14 = 0
    if sums >= 1:
        for _ in range(available & 15):
            if ace14:
                with_ace14 = (with_ace14 | with_ace14 << 1) | reach << 14
            reach |= reach << 1
    return ((reach | with_ace14) >> value) & 1 == 1


@kernel
def reachable(rules, pattern):
    """Two bit masks over values: what some group can be worth, and what some sum can be.

    They differ in the face cards where these are in no sums.
    """
    sums, reach, groups = rules.sum_ranks, 1, 0
    aces, x = pattern & 15, 2
    pattern >>= 4
    while pattern:
        for _ in range(pattern & 15):
            if x <= sums:
                reach |= reach << x
            groups |= 1 << x
        pattern >>= 4
        x += 1
    with_ace14 = 0
    for _ in range(aces):
        groups |= 2
        if rules.ace14:
            with_ace14 = (with_ace14 | with_ace14 << 1) | reach << 14
        reach |= reach << 1
    reach = (reach | with_ace14) & 0x1FFFE
    if rules.face_sums:
        return groups | reach, reach
    return groups | reach & ~0x3800, reach


@kernel
def total_of(rules, pattern):
    """Return the most that the cards of a pattern can sum to."""
    total, x = (pattern & 15) * (13 if rules.ace14 else 0), 1
    while pattern:
        total += x * (pattern & 15)
        pattern >>= 4
        x += 1
    return total
