"""Where the first player's lead comes from: points less the dealer's, item by item."""

from __future__ import annotations

import math

import pandas as pd

from kasino_sim.engine.layout import ITEMS
from kasino_sim.plan import Plan
from kasino_sim.stats.estimates import Estimate
from kasino_sim.stats.intervals import mean_row
from kasino_sim.stats.items import item_weight, product_sum
from kasino_sim.tally import Tally

COLUMNS = ["item", "value", "se", "low", "high"]


def item_leads(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Estimate the points per deal that the first player has more than the dealer, by item.

    Returns
    -------
    pandas.DataFrame
        A row an item of the rules: item, value, se, low, high. They add up to the difference of
        the seats' points. Empty with more than two sides.
    """
    if plan.rules.sides != 2:
        return pd.DataFrame(columns=COLUMNS)
    items = [item for item in ITEMS if item_weight(plan.rules, item)]
    rows = [{"item": item, **mean_row(_lead(plan, tally, item))} for item in items]
    return pd.DataFrame(rows, columns=COLUMNS)


def _lead(plan: Plan, tally: Tally, item: str) -> Estimate:
    n = tally.blocks
    total = tally.sums[f"{item}.0"] - tally.sums[f"{item}.1"]
    both = product_sum(plan, tally, item)
    mean = total / n / plan.games
    if both is None or n < 2:
        return Estimate(mean, None, n)
    square = tally.squares[f"{item}.0"] + tally.squares[f"{item}.1"] - 2 * both
    variance = (n * square - total * total) / (n * (n - 1))
    return Estimate(mean, math.sqrt(variance / n) / plan.games, n)
