"""Who gets the points of each scoring item, by seat."""

from __future__ import annotations

import math

import pandas as pd

from kasino_sim.engine.layout import ITEMS
from kasino_sim.plan import Plan
from kasino_sim.rules import Ruleset
from kasino_sim.stats.estimates import estimate
from kasino_sim.stats.intervals import UNDETERMINED, mean_row, rate_row, row
from kasino_sim.stats.seats import seat_names
from kasino_sim.tally import Tally

ACES = 4
SUIT = 13
ONE_OWNER = ("big", "little", "spades", "cards", "last")


def item_weight(rules: Ruleset, item: str) -> int:
    """Return the points of an item: of one ace, one sweep, one spade."""
    return rules.sweep.points if item == "sweeps" else int(getattr(rules.score, item))


def points_on_offer(rules: Ruleset, item: str) -> int | None:
    """Return the points that an item has to give in a deal, None where that varies."""
    weight = item_weight(rules, item)
    if item == "aces":
        return ACES * weight
    if item == "each_spade" and rules.score.each_spade_from == 0:
        return SUIT * weight
    return weight if item in ONE_OWNER else None


def fixed_points(rules: Ruleset) -> int | None:
    """Return the points that a deal has to give besides sweeps, None where that varies."""
    offers = [points_on_offer(rules, i) for i in ITEMS if i != "sweeps" and item_weight(rules, i)]
    return None if None in offers else sum(offer or 0 for offer in offers)


def items_by_seat(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Estimate the share of each item's points by seat.

    Of an item with a fixed number of points on offer, the share of these; what is missing to a
    whole went to nobody. Of sweeps and the like, the share of what was scored.

    Returns
    -------
    pandas.DataFrame
        A row an item of the rules and side: item, weight, seat, per_deal (points), value (share),
        se, low, high.
    """
    rules = plan.rules
    rows = [
        {
            "item": item,
            "weight": item_weight(rules, item),
            "seat": seat,
            "per_deal": tally.sums[f"{item}.{side}"] / tally.blocks / plan.games,
            **_share(plan, tally, item, side),
        }
        for item in ITEMS
        if item_weight(rules, item)
        for side, seat in enumerate(seat_names(rules))
    ]
    columns = ["item", "weight", "seat", "per_deal", "value", "se", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _share(plan: Plan, tally: Tally, item: str, side: int) -> dict[str, float]:
    offer = points_on_offer(plan.rules, item)
    if offer is None:
        return _share_of_scored(plan, tally, item, side)
    if item in ONE_OWNER and plan.games == 1:
        return rate_row(tally.sums[f"{item}.{side}"] // offer, tally.blocks)
    return mean_row(estimate(tally, f"{item}.{side}", offer * plan.games))


def _share_of_scored(plan: Plan, tally: Tally, item: str, side: int) -> dict[str, float]:
    """Estimate the ratio of a side's points to all sides', by the delta method over blocks."""
    sides = range(plan.rules.sides)
    total = sum(tally.sums[f"{item}.{s}"] for s in sides)
    if total == 0:
        return row(UNDETERMINED, UNDETERMINED, UNDETERMINED, UNDETERMINED)
    share, n = tally.sums[f"{item}.{side}"] / total, tally.blocks
    both = product_sum(plan, tally, item) if plan.rules.sides == 2 else None
    if both is None or n < 2:
        return row(share, UNDETERMINED, UNDETERMINED, UNDETERMINED)
    own, other = (tally.squares[f"{item}.{s}"] for s in (side, 1 - side))
    # The residual of a block is (1 - share) * own - share * other; its mean is 0.
    square = (1 - share) ** 2 * own - 2 * share * (1 - share) * both + share**2 * other
    se = math.sqrt(max(square, 0) / (n - 1) * n) / total
    return _normal(share, se)


def product_sum(plan: Plan, tally: Tally, item: str) -> int | None:
    """Sum the product of two sides' points of an item over blocks, where the tally tells.

    It tells where both together have the same in every block, where only one side can have any,
    and for sweeps that do not cancel, which are counted together as well.
    """
    squares = tally.squares[f"{item}.0"] + tally.squares[f"{item}.1"]
    together = (points_on_offer(plan.rules, item) or 0) * plan.games
    if together and tally.sums[f"{item}.0"] + tally.sums[f"{item}.1"] == together * tally.blocks:
        return (together**2 * tally.blocks - squares) // 2
    if item == "sweeps" and not plan.rules.sweep.cancel:
        return (plan.rules.sweep.points**2 * tally.squares["sweeps"] - squares) // 2
    one_owner = item in ONE_OWNER or (item == "sweeps" and plan.rules.sweep.cancel)
    return 0 if one_owner and plan.games == 1 else None


def _normal(share: float, se: float) -> dict[str, float]:
    from scipy.stats import norm

    if se == 0:
        return row(share, UNDETERMINED, UNDETERMINED, UNDETERMINED)
    half = float(norm.ppf(0.975)) * se
    return row(share, se, max(share - half, 0), min(share + half, 1))
