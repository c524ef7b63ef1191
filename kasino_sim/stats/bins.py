"""Histograms as shares with intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kasino_sim.stats.bands import band
from kasino_sim.stats.intervals import UNDETERMINED, rate_rows


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
    bounds = rate_rows(counts, total if independent else 0)
    columns: dict[str, np.ndarray] = {
        place: np.arange(first, first + len(counts)),
        counted: np.asarray(counts, np.int64),
        "share": counts / total if total else np.full(len(counts), UNDETERMINED),
        "low": bounds[0],
        "high": bounds[1],
    }
    return pd.DataFrame(columns)


def with_band(
    frame: pd.DataFrame, counts: np.ndarray, independent: bool, names: tuple[str, str]
) -> pd.DataFrame:
    """Add the band that holds for all bins of a histogram together.

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
    found = band(counts) if independent else None
    for at, name in enumerate(names):
        frame[name] = UNDETERMINED if found is None else found[at]
    return frame
