"""The tables of a deal profile: tidy frames out of a cell's counts.

What the engine counts by play number, by kind of card or by batch has its table here too, a line
each, once a tally holds it.
"""

from __future__ import annotations

import pandas as pd

from kasino_sim.stats import item_leads, items, joint_points, plays, points, seats, sweeps
from kasino_sim.stats.cell_counts import CellCounts


def profile_tables(counts: CellCounts) -> dict[str, pd.DataFrame]:
    """Return the frames of one cell by name.

    Returns
    -------
    dict of str to pandas.DataFrame
        ``seats``, ``points``, ``joint_points``, ``items``, ``item_leads``, ``sweeps``, ``plays``
        and ``builds``.
    """
    plan, tally = counts.plan, counts.tally
    return {
        "seats": seats.points_by_seat(plan, tally),
        "points": points.points_distribution(plan, tally),
        "joint_points": joint_points.joint_points(counts),
        "items": items.items_by_seat(plan, tally),
        "item_leads": item_leads.item_leads(plan, tally),
        "sweeps": sweeps.sweeps_distribution(plan, tally),
        "plays": plays.plays_by_kind(plan, tally),
        "builds": plays.builds_by_taker(plan, tally),
    }
