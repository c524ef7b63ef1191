"""Which rule sets stand clearly at an end of a measure, with allowance for having looked at all."""

from __future__ import annotations

import math

import pandas as pd

from kasino_sim.stats.intervals import CONFIDENCE


def at_the_end(frame: pd.DataFrame, highest: bool = True) -> pd.DataFrame:
    """Find the best row of a measure and those that are not clearly behind it.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows with value, se, low, high; rows without an se are left out.
    highest : bool
        Whether the highest value is the best, or the lowest.

    Returns
    -------
    pandas.DataFrame
        The best first. A row is behind it where their difference is beyond a normal quantile
        after Bonferroni for all pairs of rows, both taken as independent.
    """
    known = frame[frame["se"].notna()].sort_values("value", ascending=not highest, kind="stable")
    if known.empty:
        return known
    best = known.iloc[0]
    pairs = max(1, len(known) * (len(known) - 1) // 2)
    errors = _errors(known)
    reach = _quantile(pairs) * (errors**2 + errors.iloc[0] ** 2) ** 0.5
    near = (known["value"] - best["value"]).abs() <= reach
    near.iloc[0] = True
    return known[near]


def clear_signs(frame: pd.DataFrame) -> pd.Series:
    """Tell for each row whether it is clearly above 0 (1), clearly below (-1) or neither (0).

    After Bonferroni for all rows, so that all the signs hold together.
    """
    reach = _quantile(max(1, len(frame))) * _errors(frame)
    above = (frame["value"] > reach).astype(int)
    below = (frame["value"] < -reach).astype(int)
    return above - below


def _errors(frame: pd.DataFrame) -> pd.Series:
    """Return the standard errors, widened as the intervals are where they rest on few blocks."""
    return (frame["high"] - frame["low"]) / (2 * _quantile(1))


def _quantile(questions: int) -> float:
    """Two-sided normal quantile at the confidence, for several questions at once."""
    from scipy.stats import norm

    level = (1 - CONFIDENCE) / questions
    return float(norm.ppf(1 - level / 2)) if level > 0 else math.inf
