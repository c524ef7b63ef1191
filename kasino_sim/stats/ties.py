"""How often cards or spades are tied, so that nobody scores them."""

from __future__ import annotations

from kasino_sim.plan import Plan
from kasino_sim.stats.estimates import estimate
from kasino_sim.stats.intervals import share_row
from kasino_sim.tally import Tally


def tied_deals(plan: Plan, tally: Tally, item: str) -> dict[str, float]:
    """Estimate the share of deals in which an item is tied.

    Parameters
    ----------
    plan : Plan
    tally : Tally
    item : str
        ``cards`` or ``spades``.

    Returns
    -------
    dict of str to float
        Value, se, low, high.
    """
    column = f"tied_{item}"
    return share_row(estimate(tally, column, plan.games), tally.sums[column], plan.games)
