"""What decisions look like as a deal goes on: legal moves, and what lies on the table."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from kasino_sim.plan import Plan
from kasino_sim.stats.estimates import Estimate
from kasino_sim.stats.intervals import mean_row
from kasino_sim.tally import Tally


def moves_by_play(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Estimate the legal moves at each play of a deal; no rows unless the plan wants detail.

    Returns
    -------
    pandas.DataFrame
        A row a play, from 1: play, value (moves), se, low, high; standard errors over blocks.
    """
    rows = []
    if plan.detail:
        sums, squares = tally.counts["legal_moves"]
        for at in np.flatnonzero(sums):
            found = _mean(int(sums[at]), int(squares[at]), tally.blocks)
            row = Estimate(
                found.mean / plan.games, found.se and found.se / plan.games, found.blocks
            )
            rows.append({"play": int(at) + 1, **mean_row(row)})
    return pd.DataFrame(rows, columns=["play", "value", "se", "low", "high"])


def tables_by_play(plan: Plan, tally: Tally) -> pd.DataFrame:
    """Estimate what lies on the table at each play of a deal; no rows without detail.

    Where a block has several games, their tables may resemble one another: the standard error is
    that of one game a block, which is never too small.

    Returns
    -------
    pandas.DataFrame
        A row a play, from 1: play, value (loose cards and builds), se, low, high, most (that was
        ever seen).
    """
    rows = []
    if plan.detail:
        things = np.arange(tally.counts["tables"].shape[1])
        for at, counts in enumerate(tally.counts["tables"]):
            n = int(counts.sum())
            if n == 0:
                continue
            mean = int(counts @ things) / n
            spread = _mean(int(counts @ things), int(counts @ things**2), n).se
            se = spread and spread * math.sqrt(n / tally.blocks)
            row = Estimate(mean, se, tally.blocks)
            rows.append({"play": at + 1, **mean_row(row), "most": int(np.flatnonzero(counts)[-1])})
    return pd.DataFrame(rows, columns=["play", "value", "se", "low", "high", "most"])


def _mean(total: int, square: int, n: int, per: int = 1) -> Estimate:
    if n < 2:
        return Estimate(total / n / per, None, n)
    # Whole numbers: no digits are lost before the division.
    variance = (n * square - total * total) / (n * (n - 1))
    return Estimate(total / n / per, math.sqrt(variance / n) / per, n)
