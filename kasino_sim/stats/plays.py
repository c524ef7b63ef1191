"""What the cards are played for: captures, builds of all kinds, trails."""

from __future__ import annotations

import pandas as pd

from kasino_sim.engine.layout import CAPTURE_SIZES, TRAIL_KINDS
from kasino_sim.plan import Plan
from kasino_sim.stats.estimates import Estimate, estimate
from kasino_sim.stats.intervals import FEW, mean_row
from kasino_sim.stats.seats import seat_names
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


def _count(plan: Plan, tally: Tally, column: str) -> dict[str, float]:
    """Estimate a count of a deal; from fewer than `FEW` in all no interval is drawn."""
    found = estimate(tally, column, plan.games)
    few = tally.sums[column] < FEW
    return mean_row(Estimate(found.mean, None, found.blocks) if few else found)


def captures_by_size(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Estimate the captures in a deal by how many cards they gather, the card played with them.

    Returns
    -------
    pandas.DataFrame
        A row a size, the last of that many cards or more: cards, value (a deal), se, low, high.
    """
    rows = [{"cards": size, **_count(plan, tally, f"captures_of_{size}")} for size in CAPTURE_SIZES]
    return pd.DataFrame(rows)


def trails_by_card(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Estimate the cards laid in a deal by what they are.

    Returns
    -------
    pandas.DataFrame
        A row a kind (ace, big and little casino, another spade, plain): card, value (a deal), se,
        low, high.
    """
    rows = [{"card": kind, **_count(plan, tally, f"trailed_{kind}")} for kind in TRAIL_KINDS]
    return pd.DataFrame(rows)


def dry_hands_by_side(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Estimate the hands in a deal that a side plays out without a capture.

    Returns
    -------
    pandas.DataFrame
        A row a side, from who plays first: seat, value (a deal), se, low, high.
    """
    rows = [
        {"seat": seat, **_count(plan, tally, f"dry.{side}")}
        for side, seat in enumerate(seat_names(plan.rules))
    ]
    return pd.DataFrame(rows)
