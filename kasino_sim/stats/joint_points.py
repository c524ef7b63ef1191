"""How often each combination of all sides' points comes up in a deal."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kasino_sim.stats.bins import with_band
from kasino_sim.stats.cell_counts import CellCounts


def joint_points(counts: CellCounts) -> pd.DataFrame:
    """Distribute the deals over the points of all sides together.

    Returns
    -------
    pandas.DataFrame
        A row a combination that came up: points_0 … by seat, deals, share, and the simultaneous
        band of all rows, low and high (undetermined where deals share a deck).
    """
    totals, ledger = counts.outcomes.totals, counts.ledger
    kinds, kind = np.unique(totals, axis=0, return_inverse=True)
    deals = np.bincount(kind.reshape(-1), ledger.counts.sum(axis=1), len(kinds)).astype(np.int64)
    frame = pd.DataFrame(kinds, columns=[f"points_{side}" for side in range(totals.shape[1])])
    frame = frame.assign(deals=deals, share=deals / max(int(deals.sum()), 1))
    return with_band(frame, deals, counts.plan.games == 1, ("low", "high"))
