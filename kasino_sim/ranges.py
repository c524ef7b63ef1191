"""Ranges of deals: what deals are for, told by the high word of their number.

What was tuned or chosen on some deals looks better on these than it is. A published number rests on
deals that nothing was chosen by.
"""

from __future__ import annotations

from enum import Enum

BLOCKS_PER_RANGE = 2**32


class Range(Enum):
    """What deals are for; the value is the high word of the deal's number.

    Deals without a range, as `kasino simulate` plays them, have 0.
    """

    TUNE = 1
    SELECT = 2
    CONFIRM = 3

    @property
    def first_deal(self) -> int:
        """Number of the first deal of the range."""
        return self.value * BLOCKS_PER_RANGE


def first_deal(name: str) -> int:
    """Return the number of the first deal of a range: tune, select or confirm."""
    return Range[name.upper()].first_deal


def overlap(first: int, n: int, other: int, m: int) -> bool:
    """Tell whether `n` deals from `first` and `m` deals from `other` have one in common."""
    return first < other + m and other < first + n
