"""Ranges of deals: what deals are for, told by the high word of their number.

What was tuned or chosen on some deals looks better on these than it is. A published number rests on
deals that nothing was chosen by.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kasino_sim.errors import KasinoError

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


@dataclass(frozen=True)
class Deals:
    """Which deals something was counted from: spans that are apart, in order.

    Attributes
    ----------
    spans : tuple of (seed, first, n)
        Deals `first` … `first + n - 1` of a seed; neighbours are one span.
    """

    spans: tuple[tuple[int, int, int], ...] = ()

    def __add__(self, other: Deals) -> Deals:
        """Put two lots of deals together.

        Raises
        ------
        KasinoError
            Where they have a deal in common, which would then be counted twice.
        """
        joined: list[tuple[int, int, int]] = []
        for seed, first, n in sorted((*self.spans, *other.spans)):
            before, start, length = joined[-1] if joined else (-1, 0, 0)
            if before != seed or start + length < first:
                joined.append((seed, first, n))
                continue
            if overlap(start, length, first, n):
                end = min(start + length, first + n) - 1
                raise KasinoError(
                    f"deals {first} to {end} of seed {seed} are counted already; "
                    "merge only what was counted from other deals"
                )
            joined[-1] = (seed, start, length + n)
        return Deals(tuple(joined))

    @property
    def number(self) -> int:
        """How many deals there are."""
        return sum(n for _, _, n in self.spans)


def deals_from(seed: int, first: int, n: int) -> Deals:
    """Return `n` deals of a seed, from number `first`."""
    return Deals(((seed, first, n),) if n else ())
