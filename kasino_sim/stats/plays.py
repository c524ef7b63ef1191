"""What the cards are played for: captures, builds of all kinds, trails."""

from __future__ import annotations

import pandas as pd

from kasino_sim.plan import Plan
from kasino_sim.stats.estimates import Estimate, estimate
from kasino_sim.stats.intervals import mean_row
from kasino_sim.tally import Tally

KINDS = ("captures", "builds", "raises", "adds", "trails")


def plays_per_block(tally: Tally) -> float:
    """Count the cards played in a block: the same in all, for every card is played."""
    return sum(tally.sums[kind] for kind in KINDS) / tally.blocks


def share_of_plays(tally: Tally, kind: str) -> Estimate:
    """Estimate which share of the cards is played for one of `KINDS`."""
    found = estimate(tally, kind)
    plays = plays_per_block(tally)
    return Estimate(found.mean / plays, found.se / plays if found.se else None, found.blocks)


def plays_by_kind(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Estimate the shares of all plays.

    Returns
    -------
    pandas.DataFrame
        A row a kind: kind, per_deal, value (share of the plays), se, low, high.
    """
    rows = [
        {
            "kind": kind,
            "per_deal": tally.sums[kind] / tally.blocks / plan.games,
            **mean_row(share_of_plays(tally, kind)),
        }
        for kind in KINDS
    ]
    return pd.DataFrame(rows)


def builds_by_taker(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Estimate the builds in a deal that their owner takes, that others take, that are left.

    Returns
    -------
    pandas.DataFrame
        A row a fate: fate, value, se, low, high.
    """
    rows = [
        {"fate": fate, **mean_row(estimate(tally, fate, plan.games))}
        for fate in ("taken_own", "taken_other", "builds_left")
    ]
    return pd.DataFrame(rows)
