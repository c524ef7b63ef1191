"""What a player's thinking costs: processor time for a move."""

from __future__ import annotations

import time

from kasino_sim.plan import Plan
from kasino_sim.players import Player
from kasino_sim.rules import Ruleset
from kasino_sim.simulate import Engine

LEAST_SECONDS = 0.2  # of this thread's own time, so that others who compute do not count
_MOST_BLOCKS = 20_000


def move_cost(rules: Ruleset, player: Player) -> float:
    """Measure a player in every seat, all that a deal needs with it.

    Returns
    -------
    float
        Milliseconds of one thread for a move.
    """
    engine = Engine(Plan(rules, (player,), seed=1, deals=1))
    engine.sheets(0, 1)  # loads or compiles what is needed, and fills the tables
    blocks, first, spent, moves = 1, 1, 0.0, 0
    while spent < LEAST_SECONDS:
        begun = time.thread_time()
        sheets = engine.sheets(first, blocks)
        spent += time.thread_time() - begun
        moves += blocks * (52 - rules.deal.table)
        first += blocks
        blocks = min(4 * blocks, _MOST_BLOCKS) if spent < LEAST_SECONDS / 8 else blocks
        del sheets
    return spent / moves * 1_000
