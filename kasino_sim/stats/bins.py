"""Histograms as shares with intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kasino_sim.stats.intervals import UNDETERMINED, rate_row


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
