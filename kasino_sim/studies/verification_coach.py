"""Whether the coach's intervals hold: against a long look at the same positions."""

from __future__ import annotations

import numpy as np

from kasino_sim.coach import Advice, Budget, advise
from kasino_sim.game import Table
from kasino_sim.notation import Position
from kasino_sim.plan import Plan
from kasino_sim.players import Player
from kasino_sim.studies.verification import Check, covers

LOOKS = ("points of all moves", "cost of all moves", "chance to win of all moves")
LONG = 150  # times the worlds of a short look: the truth that it is held against


def coach_checks(plan: Plan, positions: int, runs: int, worlds: int, player: Player) -> list[Check]:
    """Check the intervals on opening positions of a plan's deals.

    Parameters
    ----------
    plan : Plan
        Whose deals are opened.
    positions : int
    runs : int
        Short looks at each position, in fresh worlds each.
    worlds : int
        Of a short look; the long look, which is taken for the truth, has `LONG` times as many.
    player : Player
        Who plays on.
    """
    held = np.zeros((positions, len(LOOKS)))
    for number in range(positions):
        position = Table.of_deal(plan, number).position()
        held[number] = held_on(position, player, runs, worlds)
    told = f"coach, {worlds} worlds, {positions} openings"
    found = zip(LOOKS, held.sum(axis=0) / (positions * runs), strict=True)
    return [covers(f"{told}: {name}", float(share), positions * runs) for name, share in found]


def held_on(position: Position, player: Player, runs: int, worlds: int) -> np.ndarray:
    """Count the short looks whose intervals all hold what a long look finds, float64[LOOKS]."""
    truth = advise(position, player, Budget(LONG * worlds, seed=0))
    looks = (advise(position, player, Budget(worlds, seed=1 + run)) for run in range(runs))
    return np.sum([_holds(look, truth) for look in looks], axis=0)


def _holds(look: Advice, truth: Advice) -> list[bool]:
    """Tell of each of `LOOKS` whether all its intervals hold the truth at once."""
    moves, best = range(len(truth.moves)), look.order[0]
    points = [truth.points(i)["value"] for i in moves]
    told = (
        [(look.points(i), points[i]) for i in moves],
        [(look.costs[i], points[best] - points[i]) for i in moves],
        [(look.wins(i), truth.wins(i)["value"]) for i in moves],
    )
    return [all(row["low"] <= true <= row["high"] for row, true in rows) for rows in told]
