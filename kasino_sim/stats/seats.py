"""What the seats are called, and points by seat."""

from __future__ import annotations

import pandas as pd

from kasino_sim.plan import Plan
from kasino_sim.rules import Ruleset
from kasino_sim.stats.estimates import estimate
from kasino_sim.stats.intervals import mean_row
from kasino_sim.tally import Tally

FIRST, DEALER = "first player", "dealer"


def seat_names(rules: Ruleset) -> list[str]:
    """Name the sides by their seats, side 0 first: it plays first, and the last one deals."""
    if rules.deal.teams == "pairs":
        return [f"{FIRST}'s pair", f"{DEALER}'s pair"]
    return [FIRST, *("second player", "third player")[: rules.sides - 2], DEALER]


def points_by_seat(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Estimate points per deal of each side.

    Returns
    -------
    pandas.DataFrame
        A row a side: seat, value, se, low, high.
    """
    rows = [
        {"seat": seat, **mean_row(estimate(tally, f"points.{side}", plan.games))}
        for side, seat in enumerate(seat_names(plan.rules))
    ]
    return pd.DataFrame(rows)
