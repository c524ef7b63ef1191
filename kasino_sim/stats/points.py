"""How often each number of points is made in a deal."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kasino_sim.plan import Plan
from kasino_sim.stats.bins import shares_of_bins
from kasino_sim.stats.seats import seat_names
from kasino_sim.tally import Tally


def points_distribution(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Distribute the deals over the points of each side.

    Returns
    -------
    pandas.DataFrame
        A row a side and number of points, from 0 to the most that any side made: seat, points,
        deals, share, low, high.
    """
    counts = tally.counts["points"]
    most = int(np.flatnonzero(counts.sum(axis=0)).max(initial=0))
    frames = [
        shares_of_bins(counts[side, : most + 1], "points", "deals", plan.games == 1).assign(
            seat=seat
        )
        for side, seat in enumerate(seat_names(plan.rules))
    ]
    frame = pd.concat(frames, ignore_index=True)
    return frame[["seat", *frame.columns.drop("seat")]]
