"""The numbers by which rule sets are set side by side, one row a measure."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.counted import COUNTED
from kasino_sim.plan import Plan
from kasino_sim.stats.estimates import Estimate, estimate
from kasino_sim.stats.intervals import COLUMNS, mean_row
from kasino_sim.stats.matches import MatchTally, mean_length, win_share
from kasino_sim.stats.plays import share_of_plays
from kasino_sim.stats.seats import points_by_seat
from kasino_sim.stats.sweeps import sweeps_per_deal, swept_deals
from kasino_sim.stats.ties import tied_deals
from kasino_sim.tally import Tally


def counted(name: str, plan: Plan, tally: Tally) -> dict[str, float]:
    """Estimate the mean of what every block gives as a whole number, of one column of the tally.

    Parameters
    ----------
    name : str
        As in `counted.COUNTED`.
    plan : Plan
    tally : Tally
    """
    what = COUNTED[name](plan)
    ((column, weight),) = what.weights.items()
    return mean_row(estimate(tally, column, what.per), weight)


def measures(plan: Plan, tally: Tally, matches: MatchTally) -> pd.DataFrame:
    """Put all measures of a rule set into rows.

    Returns
    -------
    pandas.DataFrame
        A row a measure: rules, measure, value, se, low, high.
    """
    seats = points_by_seat(plan, tally)[list(COLUMNS)]
    found: dict[str, Any] = {
        "first_advantage": counted("first_player_advantage", plan, tally),
        "points_first": seats.iloc[0].to_dict(),
        "points_dealer": seats.iloc[-1].to_dict(),
        "sweeps": sweeps_per_deal(plan, tally),
        "swept": swept_deals(plan, tally),
        "tied_cards": tied_deals(plan, tally, "cards"),
        "tied_spades": tied_deals(plan, tally, "spades"),
        "last_dealer": _last_capture(plan, tally),
        "captures": mean_row(share_of_plays(tally, "captures")),
        "trails": mean_row(share_of_plays(tally, "trails")),
        "match_length": mean_length(matches),
        "opener_wins": win_share(matches, "opener"),
    }
    if not plan.alike:
        found["player_advantage"] = counted("skill_points", plan, tally)
        found["player_wins"] = counted("skill_deals", plan, tally)
        found["match_wins"] = win_share(matches, "player")
    rows = [{"rules": plan.rules.name, "measure": name, **row} for name, row in found.items()]
    return pd.DataFrame(rows)


def _last_capture(plan: Plan, tally: Tally) -> dict[str, float]:
    """Estimate the share of deals whose last capture is the dealer's side's, if it is worth any."""
    weight = plan.rules.score.last
    if weight == 0:
        return mean_row(Estimate(float("nan"), None, tally.blocks))
    column = f"last.{plan.rules.sides - 1}"
    return mean_row(estimate(tally, column, weight * plan.games))


def one_measure(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Pick the rows of one measure that have a value, in the order of the rule sets."""
    found = frame[(frame["measure"] == measure) & frame["value"].notna()]
    return found.drop(columns="measure").reset_index(drop=True)
