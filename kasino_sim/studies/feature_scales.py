"""How much each feature tells the legal moves of a decision apart: the unit to tune it in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kasino_sim.engine.rows import feature_rows
from kasino_sim.game import Table
from kasino_sim.plan import Plan
from kasino_sim.players import Player, pack_players

MOST_MOVES = 200  # decisions with more are passed over


def feature_scales(plan: Plan, names: Sequence[str], deals: int = 40) -> np.ndarray:
    """Measure the spread of features among the moves of one decision.

    Parameters
    ----------
    plan : Plan
        What is played: the decisions are those of its first deals, played by its players.
    names : sequence of str
        Features.
    deals : int
        Deals that are looked at.

    Returns
    -------
    numpy.ndarray
        float64[features]: root mean square of a feature less its mean in the decision. 0: the
        feature never makes a difference under these rules.
    """
    ones = [_only(name) for name in names]
    records, seats = pack_players(ones, plan.rules), pack_players(list(plan.seats), plan.rules)
    rows = np.zeros((MOST_MOVES, len(names)))
    square, n = np.zeros(len(names)), 0
    for deal in range(plan.first_deal, plan.first_deal + deals):
        table = Table.of_deal(plan, deal)
        while not table.over:
            book, scratch, _ = table.work_space
            total = feature_rows(table.state, table.record, book, scratch, records, rows)
            if 1 < total <= MOST_MOVES:
                found = rows[:total]
                square += ((found - found.mean(axis=0)) ** 2).sum(axis=0)
                n += total
            mover = int(table.state.to_move)
            table.play(table.choose(seats[mover], plan.seed, deal))
    return np.sqrt(square / max(n, 1))


def _only(name: str) -> Player:
    return Player(name=name, idea="one feature", source="", kind="weigh", weights={name: 1.0})
