"""Which player plays how much like the strongest: their moves at the same positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kasino_sim.game import Table
from kasino_sim.plan import Plan
from kasino_sim.players import Player, pack_players
from kasino_sim.rules import Ruleset
from kasino_sim.stats.estimates import Estimate
from kasino_sim.stats.intervals import mean_row


def agreement(
    rules: Ruleset,
    players: Sequence[Player],
    model: int,
    plan: Plan,
    told: Callable[[int], Any] = lambda deals: None,
) -> pd.DataFrame:
    """Count how often players choose the move of one of them.

    The positions are those of deals which this one plays against each of the others in turn; only
    decisions with two legal moves or more count. The interval is over deals.

    Parameters
    ----------
    rules : Ruleset
    players : sequence of Player
    model : int
        The number of the one.
    plan : Plan
        Which deals: its seed, first deal, and number of deals.
    told : callable
        Gets the number of deals done.

    Returns
    -------
    pandas.DataFrame
        A row a player: player, decisions, value (share of them), se, low, high.
    """
    records = pack_players(list(players), rules)
    others = [number for number in range(len(players)) if number != model]
    same = np.zeros((plan.deals, len(players)), np.int64)
    decisions = np.zeros(plan.deals, np.int64)
    for deal in range(plan.deals):
        other = others[deal % len(others)]
        number = (plan.first_deal + deal) % 2**64
        table = Table.of_deal(plan, number)
        while not table.over:
            seat = int(table.state.to_move)
            # Who sits where goes on by one a round of the others.
            to_model = (seat + deal // len(others)) % 2 == 0
            wanted = table.choose(records[model], plan.seed, number)
            if table.count_moves() > 1:
                decisions[deal] += 1
                for k, record in enumerate(records):
                    same[deal, k] += k == model or (
                        table.choose(record, plan.seed, number) == wanted
                    )
            table.play(wanted if to_model else table.choose(records[other], plan.seed, number))
        told(deal + 1)
    rows = [
        {"player": player.name, "decisions": int(decisions.sum()), **_share(same[:, k], decisions)}
        for k, player in enumerate(players)
    ]
    return pd.DataFrame(rows)


def _share(same: np.ndarray, decisions: np.ndarray) -> dict[str, float]:
    """Estimate a ratio of sums over deals, by the delta method."""
    n, share = len(same), float(same.sum() / decisions.sum())
    residual = (same - share * decisions) / decisions.mean()
    se = float(np.sqrt((residual**2).sum() / (n - 1) / n)) if n > 1 else None
    found = mean_row(Estimate(share, se, n))
    return found | {name: min(max(found[name], 0.0), 1.0) for name in ("low", "high") if se}
