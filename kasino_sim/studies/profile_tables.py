"""The tables of a deal profile: tidy frames out of a cell's counts."""

from __future__ import annotations

import pandas as pd

from kasino_sim.stats import (
    decisions,
    item_leads,
    items,
    joint_points,
    plays,
    points,
    seats,
    sweeps,
)
from kasino_sim.stats.cell_counts import CellCounts


def profile_tables(counts: CellCounts) -> dict[str, pd.DataFrame]:
    """Return the frames of one cell by name.

    Returns
    -------
    dict of str to pandas.DataFrame
        ``seats``, ``points``, ``joint_points``, ``items``, ``item_leads``, ``sweeps``, ``plays``,
        ``builds``, ``captures``, ``trails``, ``dry_hands``, and with detail ``moves`` and
        ``tables``, by the number of the play.
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
        "captures": plays.captures_by_size(plan, tally),
        "trails": plays.trails_by_card(plan, tally),
        "dry_hands": plays.dry_hands_by_side(plan, tally),
        "moves": decisions.moves_by_play(plan, tally),
        "tables": decisions.tables_by_play(plan, tally),
    }
