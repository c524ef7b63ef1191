"""Estimates as rows of a tidy frame: value, se, low, high; NaN where undetermined."""

from __future__ import annotations

import math

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
