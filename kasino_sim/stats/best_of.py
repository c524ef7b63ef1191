"""Which of several is best, said honestly: what was chosen for its mean looks better than it is.

All intervals hold together, so that the chosen one's holds too, whichever it is, and so that its
distance to any other does (max-T over the means, and over all pairs of them).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kasino_sim.stats.intervals import CONFIDENCE

LEAST = 20  # rows, below which no interval is given
MOST_DRAWN = 150  # columns; for more, bounds that hold whatever the correlation
_DRAWS, _AT_MOST = 8_000, 40_000_000  # sets of means; numbers drawn for pairs


@dataclass(frozen=True, eq=False)
class Means:
    """Means of columns over common rows, such as moves over worlds.

    Attributes
    ----------
    outcomes : numpy.ndarray
        float64[rows, columns].
    confidence : float
    """

    outcomes: np.ndarray
    confidence: float = CONFIDENCE

    @cached_property
    def values(self) -> np.ndarray:
        """Means, float64[columns]."""
        return self.outcomes.mean(axis=0)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.outcomes)

    @cached_property
    def _covariance(self) -> np.ndarray:
        """Of the means, float64[columns, columns]."""
        return np.atleast_2d(np.cov(self.outcomes, rowvar=False)) / self.rows

    @property
    def ses(self) -> np.ndarray:
        """Standard errors, float64[columns]; NaN with one row."""
        if self.rows < 2:
            return np.full(self.outcomes.shape[1], np.nan)
        return np.sqrt(np.diag(self._covariance))

    def halves(self) -> np.ndarray:
        """Return how far the intervals of the means reach, NaN where undetermined.

        All of them hold together.
        """
        ses = self.ses
        varies = ses > 0
        if self.rows < LEAST or not varies.any():
            return np.full(len(ses), np.nan)
        drawn = self._drawn
        largest = None if drawn is None else np.abs(drawn[:, varies] / ses[varies]).max(axis=1)
        return np.where(varies, self._reach(largest, int(varies.sum())) * ses, np.nan)

    def gaps(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much a column is above each, and how far these intervals reach.

        The intervals of all pairs of columns hold together, so `column` may be the one with the
        largest mean. A gap without variance, as of two moves that come to the same in every row,
        reaches 0.
        """
        gaps = self.values[column] - self.values
        if self.rows < LEAST:
            return gaps, np.full(len(gaps), np.nan)
        return gaps, self._pair_reach * self._pair_ses[column]

    @cached_property
    def _pair_ses(self) -> np.ndarray:
        """Standard errors of all differences, float64[columns, columns]."""
        own = np.diag(self._covariance)
        square = own[:, None] + own[None, :] - 2 * self._covariance
        scale = max(float(own.max()), 1e-300)
        return np.sqrt(np.where(square > 1e-10 * scale, square, 0.0))

    @cached_property
    def _pair_reach(self) -> float:
        """Return standard errors to the end of the intervals of all differences."""
        ses, drawn = self._pair_ses, self._drawn
        varies = ses > 0
        if not varies.any():
            return 0.0
        largest = None if drawn is None else _largest_gap(drawn, ses, varies)
        return self._reach(largest, int(varies.sum()) // 2)

    @cached_property
    def _drawn(self) -> np.ndarray | None:
        """Draw means around 0 with the covariance seen, float64[draws, columns]."""
        k = len(self.values)
        if k > MOST_DRAWN:
            return None
        values, vectors = np.linalg.eigh(self._covariance)
        mix = (vectors * np.sqrt(np.maximum(values, 0))).T
        random = np.random.Generator(np.random.Philox(3))
        return random.standard_normal((min(_DRAWS, _AT_MOST // k**2), k)) @ mix

    def _reach(self, largest: np.ndarray | None, questions: int) -> float:
        """Return standard errors that the largest of several t values stays within."""
        bound = self._single(1 - (1 - self.confidence) / questions)
        if largest is None:
            return bound
        # As for a t value: a little further with few rows.
        further = self._single(self.confidence) / _normal(self.confidence)
        return min(float(np.quantile(largest, self.confidence)) * further, bound)

    def _single(self, confidence: float) -> float:
        from scipy.special import stdtrit  # a third of the time to load of scipy.stats

        return float(stdtrit(self.rows - 1, 0.5 + confidence / 2))


def _largest_gap(drawn: np.ndarray, ses: np.ndarray, varies: np.ndarray) -> np.ndarray:
    """Return the largest t value of all pairs in each draw, float64[draws]."""
    largest = np.zeros(len(drawn))
    for i, some in enumerate(varies):
        if some.any():
            off = np.abs(drawn[:, [i]] - drawn[:, some]) / ses[i, some]
            largest = np.maximum(largest, off.max(axis=1))
    return largest


def _normal(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 + confidence / 2))
