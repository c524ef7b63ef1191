"""What every block gives as a whole number: sums of a tally's columns, and what divides them.

The one definition of each, for single rule sets, for studies and for two rule sets side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from kasino_sim.engine.counting import WIN
from kasino_sim.engine.layout import ITEMS
from kasino_sim.plan import Plan


@dataclass(frozen=True)
class Counted:
    """A mean of blocks.

    Attributes
    ----------
    weights : dict of str to int
        Column of the tally -> how often it is added.
    per : int
        What the sum over a block's games is divided by.
    """

    weights: Mapping[str, int]
    per: int

    def values(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the whole number of each block, before it is divided, int64[blocks]."""
        found = sum(weight * columns[name] for name, weight in self.weights.items())
        return np.asarray(found, np.int64)


def aim(plan: Plan) -> int:
    """Return 1 where the highest total wins a match, -1 where the lowest does."""
    return -1 if plan.rules.match.winner == "lowest" else 1


def _columns(*names: str) -> Callable[[Plan], Counted]:
    return lambda plan: Counted(dict.fromkeys(names, 1), plan.games)


def _all_sides(name: str) -> Callable[[Plan], Counted]:
    def of(plan: Plan) -> Counted:
        return Counted({f"{name}.{side}": 1 for side in range(plan.rules.sides)}, plan.games)

    return of


def _dealer(plan: Plan) -> Counted:
    return Counted({f"points.{plan.rules.sides - 1}": 1}, plan.games)


def _advantage(plan: Plan) -> Counted:
    return Counted({"first_edge": aim(plan)}, plan.games * (plan.rules.sides - 1))


def _skill(plan: Plan) -> Counted:
    return Counted({"difference": aim(plan)}, len(plan.turns))


def _skill_deals(plan: Plan) -> Counted:
    return Counted({"player_wins.0": 1}, WIN * len(plan.turns))


COUNTED: Mapping[str, Callable[[Plan], Counted]] = MappingProxyType(
    {
        "points": _all_sides("points"),
        "points_first": _columns("points.0"),
        "points_dealer": _dealer,
        **{item: _all_sides(item) for item in ITEMS},
        "sweeps_per_deal": _columns("sweeps"),
        "first_player_advantage": _advantage,
        "builds_per_deal": _columns("builds"),
        "captures_per_deal": _columns("captures"),
        "tied_cards": _columns("tied_cards"),
        "tied_spades": _columns("tied_spades"),
        "swept_deals": _columns("swept"),
        "raises_per_deal": _columns("raises"),
        "adds_per_deal": _columns("adds"),
        "builds_left": _columns("builds_left"),
        "builds_locked": _columns("builds_locked"),
        "residue": _columns("residue"),
        "skill_points": _skill,
        "skill_deals": _skill_deals,
    }
)
"""Name -> how it is counted under a plan.

`points` and the items are of all sides together; `first_player_advantage` is the points of the side
that plays first less the mean of the others, `skill_points` those of the player named first less
the second's, both towards the aim of the match.
"""
