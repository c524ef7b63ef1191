"""Distributions: a band around the whole of one, and its quantiles."""

from __future__ import annotations

import math

import numpy as np

from kasino_sim.stats.intervals import CONFIDENCE, FEW


def band(
    counts: np.ndarray, confidence: float = CONFIDENCE, design_effect: float = 1.0
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a band that holds for all shares of a distribution together.

    Wilson's intervals at Bonferroni's level, and those of Clopper and Pearson with fewer than
    `FEW` games or non-games in a cell: a rare cell that happens to be seen would break Wilson's,
    and with it the whole band.

    Parameters
    ----------
    counts : numpy.ndarray
        int64[cells], games that ended in each.
    confidence : float
    design_effect : float
        Variance of a share over what independent games would have; above 1 where the games of a
        block resemble one another.

    Returns
    -------
    tuple of numpy.ndarray or None
        Lower and upper ends, float64[cells]; None without any game.

    References
    ----------
    Goodman (1965), On simultaneous confidence intervals for multinomial proportions.
    """
    counts = np.asarray(counts)
    games = int(counts.sum())
    if games == 0:
        return None
    if not design_effect > 0:
        raise ValueError(f"design effect is {design_effect}: above 0 is allowed")
    tail, events, n = (
        (1 - confidence) / len(counts) / 2,
        counts / design_effect,
        games / design_effect,
    )
    rare = np.minimum(events, n - events) < FEW
    ends = zip(_exact(events, n, tail), _wilson(events, n, tail), strict=True)
    low, high = (np.where(rare, exact, wilson) for exact, wilson in ends)
    return np.where(counts == 0, 0.0, low), np.where(counts == games, 1.0, high)


def _wilson(events: np.ndarray, n: float, tail: float) -> tuple[np.ndarray, np.ndarray]:
    from scipy.stats import norm

    z2, share = float(norm.isf(tail)) ** 2, events / n
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return np.maximum(middle - half, 0), np.minimum(middle + half, 1)


def _exact(events: np.ndarray, n: float, tail: float) -> tuple[np.ndarray, np.ndarray]:
    from scipy.stats import beta

    # Where there is nothing on a side, that end is 0 or 1 and what is reckoned here is not used.
    least, most = np.maximum(events, 1e-9), np.maximum(n - events, 1e-9)
    return beta.ppf(tail, least, n - events + 1), beta.ppf(1 - tail, events + 1, most)


def quantile(counts: np.ndarray, q: float) -> int | None:
    """Return the cell of the q-quantile, exact from a histogram; None without any game."""
    total = int(np.sum(counts))
    return None if total == 0 else _order(counts, max(1, math.ceil(q * total - 1e-9)))


def quantile_interval(
    counts: np.ndarray, q: float, confidence: float = CONFIDENCE
) -> tuple[int, int] | None:
    """Return an interval for a quantile, by order statistics of independent games.

    Returns
    -------
    tuple of int or None
        Cells of the two order statistics. For points that are whole numbers it holds more often
        than told, never less. None where there are too few games for one.
    """
    from scipy.stats import binom

    n = int(np.sum(counts))
    if not 0 < q < 1:
        raise ValueError(f"q is {q}: between 0 and 1 is allowed")
    if n == 0:
        return None
    tail = (1 - confidence) / 2
    # The most l with P(X < l) within the tail, and the least u with P(X >= u) within it.
    low = int(binom.ppf(tail, n, q))
    high = int(binom.ppf(1 - tail, n, q)) + 1
    if low < 1 or high > n:
        return None
    return _order(counts, low), _order(counts, high)


def _order(counts: np.ndarray, rank: int) -> int:
    return int(np.searchsorted(np.cumsum(counts), rank))
