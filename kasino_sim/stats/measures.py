"""The numbers by which rule sets are set side by side, one row a measure."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.engine.counting import WIN
from kasino_sim.plan import Plan
from kasino_sim.stats.estimates import Estimate, estimate
from kasino_sim.stats.intervals import COLUMNS, mean_row
from kasino_sim.stats.matches import MatchTally, mean_length, win_share
from kasino_sim.stats.plays import share_of_plays
from kasino_sim.stats.seats import points_by_seat
from kasino_sim.stats.sweeps import sweeps_per_deal, swept_deals
from kasino_sim.stats.ties import tied_deals
from kasino_sim.tally import Tally


def aim(plan: Plan) -> int:
    """Return 1 where the highest total wins a match, -1 where the lowest does."""
    return -1 if plan.rules.match.winner == "lowest" else 1


def first_advantage(plan: Plan, tally: Tally) -> dict[str, float]:
    """Estimate what it is worth to play first, in points per deal towards the match's aim.

    With two sides the points of the first less those of the dealer (where the lowest total wins,
    the dealer's less the first's). With more, the first's less the mean of the others'.
    """
    others = plan.games * (plan.rules.sides - 1)
    return mean_row(estimate(tally, "first_edge", others), aim(plan))


def player_advantage(plan: Plan, tally: Tally) -> dict[str, float]:
    """Estimate the points per deal, towards the aim, of the first named player over the second."""
    return mean_row(estimate(tally, "difference", len(plan.turns)), aim(plan))


def player_wins(plan: Plan, tally: Tally) -> dict[str, float]:
    """Estimate the share of deals that the first named player wins, ties split."""
    return mean_row(estimate(tally, "player_wins.0", WIN * len(plan.turns)))


def measures(plan: Plan, tally: Tally, matches: MatchTally) -> pd.DataFrame:
    """Put all measures of a rule set into rows.

    Returns
    -------
    pandas.DataFrame
        A row a measure: rules, measure, value, se, low, high.
    """
    seats = points_by_seat(plan, tally)[list(COLUMNS)]
    found: dict[str, Any] = {
        "first_advantage": first_advantage(plan, tally),
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
        found["player_advantage"] = player_advantage(plan, tally)
        found["player_wins"] = player_wins(plan, tally)
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
