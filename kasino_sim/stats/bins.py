"""Histograms as shares with intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kasino_sim.stats.intervals import CONFIDENCE, UNDETERMINED, rate_row


def shares_of_bins(
    counts: np.ndarray, place: str, counted: str, independent: bool, first: int = 0
) -> pd.DataFrame:
    """Turn the counts of a histogram into shares.

    Parameters
    ----------
    counts : numpy.ndarray
        int64[bins].
    place, counted : str
        What the columns of bins and of counts are called.
    independent : bool
        Whether each count stands alone. Deals that share a deck do not: no intervals then.
    first : int
        What the first bin stands for.

    Returns
    -------
    pandas.DataFrame
        A row a bin: place, counted, share, low, high; all undetermined where nothing was counted.
    """
    total = int(counts.sum())
    rows = []
    for at, count in enumerate(counts, start=first):
        found = rate_row(int(count), total)
        bounds = (found["low"], found["high"]) if independent else (UNDETERMINED, UNDETERMINED)
        rows.append((at, int(count), found["value"], *bounds))
    frame = pd.DataFrame(rows, columns=[place, counted, "share", "low", "high"])
    return frame.astype({"share": float, "low": float, "high": float})


def with_band(
    frame: pd.DataFrame, counts: np.ndarray, independent: bool, names: tuple[str, str]
) -> pd.DataFrame:
    """Add the band that holds for all bins of a histogram together.

    Clopper and Pearson's interval for each bin, after Bonferroni: at least 95 % for the whole.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a bin.
    counts : numpy.ndarray
        int64[bins].
    independent : bool
        Whether each count stands alone; no band otherwise.
    names : tuple of str
        What the columns of its ends are called.
    """
    from scipy.stats import beta

    total, tail = int(counts.sum()), (1 - CONFIDENCE) / 2 / max(len(counts), 1)
    if total == 0 or not independent:
        return frame.assign(**dict.fromkeys(names, UNDETERMINED))
    low = beta.ppf(tail, np.maximum(counts, 1), total - counts + 1)
    high = beta.ppf(1 - tail, counts + 1, np.maximum(total - counts, 1))
    ends = (np.where(counts > 0, low, 0.0), np.where(counts < total, high, 1.0))
    return frame.assign(**dict(zip(names, ends, strict=True)))
