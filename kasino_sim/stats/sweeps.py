"""Sweeps in a deal, as they are made; whether they cancel one another is another matter."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kasino_sim.plan import Plan
from kasino_sim.stats.bins import shares_of_bins, with_band
from kasino_sim.stats.estimates import estimate
from kasino_sim.stats.intervals import mean_row, share_row
from kasino_sim.tally import Tally


def sweeps_distribution(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Distribute the deals over the sweeps that all players together made.

    Returns
    -------
    pandas.DataFrame
        A row a number of sweeps, from 0 to the most: sweeps, deals, share, low, high, and the
        band of all rows together, band_low, band_high.
    """
    counts = tally.counts["sweeps"]
    counts = counts[: int(np.flatnonzero(counts).max(initial=0)) + 1]
    alone = plan.games == 1
    shares = shares_of_bins(counts, "sweeps", "deals", alone)
    return with_band(shares, counts, alone, ("band_low", "band_high"))


def sweeps_per_deal(plan: Plan, tally: Tally) -> dict[str, float]:
    """Estimate the sweeps in a deal: value, se, low, high."""
    return mean_row(estimate(tally, "sweeps", plan.games))


def swept_deals(plan: Plan, tally: Tally) -> dict[str, float]:
    """Estimate the share of deals with a sweep or more: value, se, low, high."""
    return share_row(estimate(tally, "swept", plan.games), tally.sums["swept"], plan.games)
