"""Estimates as rows of a tidy frame: value, se, low, high; NaN where undetermined."""

from __future__ import annotations

import math

import numpy as np

from kasino_sim.stats.estimates import Estimate

CONFIDENCE = 0.95
FEW = 20  # events, or non-events, below which a rate gets an exact interval

COLUMNS = ("value", "se", "low", "high")
UNDETERMINED = math.nan


def row(value: float, se: float, low: float, high: float) -> dict[str, float]:
    """Return the four numbers by the names of `COLUMNS`."""
    return dict(zip(COLUMNS, (value, se, low, high), strict=True))


def mean_row(found: Estimate, sign: int = 1) -> dict[str, float]:
    """Put a mean and its t interval into a row.

    Parameters
    ----------
    found : Estimate
    sign : int
        -1 turns it round: the mean of the opposite.

    Returns
    -------
    dict of str to float
        Value, se, low, high. Without variance there is nothing to draw an interval from: se, low
        and high are then undetermined.
    """
    interval = found.interval(CONFIDENCE) if found.se else None
    if interval is None:
        return row(sign * found.mean, UNDETERMINED, UNDETERMINED, UNDETERMINED)
    low, high = sorted(sign * bound for bound in interval)
    return row(sign * found.mean, float(found.se or 0), low, high)


def rate_row(events: int, trials: int) -> dict[str, float]:
    """Put a share of independent trials and its interval into a row.

    Returns
    -------
    dict of str to float
        Value, se, low, high: the Wilson interval, or with fewer than `FEW` events or non-events
        that of Clopper and Pearson; with no event at all its upper end is the finding.
    """
    if trials == 0:
        return row(UNDETERMINED, UNDETERMINED, UNDETERMINED, UNDETERMINED)
    from scipy.stats import binomtest

    method = "exact" if min(events, trials - events) < FEW else "wilson"
    low, high = binomtest(events, trials).proportion_ci(CONFIDENCE, method=method)
    share = events / trials
    return row(share, math.sqrt(share * (1 - share) / trials), float(low), float(high))


def rate_rows(events: np.ndarray, trials: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the intervals of many shares, as `rate_row` has them, float64[k] low and high.

    Parameters
    ----------
    events : numpy.ndarray
        int64[k].
    trials : int
        The same for all; 0 leaves them undetermined.
    """
    if trials == 0:
        return np.full(len(events), UNDETERMINED), np.full(len(events), UNDETERMINED)
    from scipy.stats import beta, norm

    tail, others = (1 - CONFIDENCE) / 2, trials - events
    exact = np.minimum(events, others) < FEW
    z2 = float(norm.isf(tail)) ** 2
    middle = (events + z2 / 2) / (trials + z2)
    half = np.sqrt(z2 * (events * others / trials + z2 / 4)) / (trials + z2)
    low = beta.ppf(tail, np.maximum(events, 1), others + 1)
    high = beta.isf(tail, events + 1, np.maximum(others, 1))
    low, high = np.where(events == 0, 0.0, low), np.where(others == 0, 1.0, high)
    return np.where(exact, low, middle - half), np.where(exact, high, middle + half)


def share_row(found: Estimate, events: int, games: int) -> dict[str, float]:
    """Put a share of deals into a row: by the rate where a block is one deal, else by the mean.

    Parameters
    ----------
    found : Estimate
        The share as a mean over blocks, per deal.
    events : int
        Deals in which it happened.
    games : int
        Deals in a block.
    """
    return rate_row(events, found.blocks) if games == 1 else mean_row(found)
