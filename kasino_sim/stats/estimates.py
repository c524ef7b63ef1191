"""Means with their standard errors, over blocks, from a tally."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kasino_sim.tally import Tally


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error over `blocks` blocks; `se` is None where one block is all."""

    mean: float
    se: float | None
    blocks: int

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """Return the t interval, or None where it is undetermined."""
        if self.se is None:
            return None
        from scipy.stats import t

        half = float(t.ppf(0.5 + confidence / 2, self.blocks - 1)) * self.se
        return self.mean - half, self.mean + half


def estimate(tally: Tally, column: str, per: int = 1) -> Estimate:
    """Estimate the mean of a column.

    Parameters
    ----------
    tally : Tally
    column : str
    per : int
        What a block's value is divided by: the games in a block, for a mean per deal.
    """
    n, total, square = tally.blocks, tally.sums[column], tally.squares[column]
    mean = total / n / per
    if n < 2:
        return Estimate(mean, None, n)
    # n * square and total**2 are whole numbers: no digits are lost before the division.
    variance = (n * square - total * total) / (n * (n - 1))
    return Estimate(mean, math.sqrt(variance / n) / per, n)
