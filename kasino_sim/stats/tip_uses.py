"""What each use of a tip is worth, and that uses add up to what the tip gains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kasino_sim.engine.layout import MAX_PLAYERS, new_records
from kasino_sim.engine.uses import GAME, LINES, USES, uses_block
from kasino_sim.pack import pack_rules
from kasino_sim.plan import Plan
from kasino_sim.players import Player, pack_players
from kasino_sim.simulate import Chunk, Engine, chunks_of, default_threads, run_chunks
from kasino_sim.stats.measured import ratio_of

CHUNK, CHUNKS = 250, 100  # blocks at most in a chunk, and chunks at least where there are as many


@dataclass(frozen=True)
class Uses:
    """What every use of a tip was worth, in deals of two.

    Attributes
    ----------
    table : numpy.record
        USES: by hand of the deal and cards in the hand.
    games : numpy.recarray
        GAME[deals, seat of the tip's player].
    chunks : numpy.recarray
        USES[chunks]: the same as `table`, of each chunk of deals.
    blocks : numpy.ndarray
        int64[chunks], deals of each chunk.
    """

    table: Any
    games: Any
    chunks: Any
    blocks: np.ndarray

    @cached_property
    def total(self) -> np.ndarray:
        """Points that the tip gained in a block, the mean over both seats, float64[deals]."""
        return np.asarray(self.games["gain"].mean(axis=1))

    @property
    def adds_up(self) -> bool:
        """Whether in every game the uses add up to what the tip changed in it."""
        return bool((self.games["gain"] == self.games["on"] - self.games["off"]).all())

    def worth(self, mask: np.ndarray) -> tuple[int, float, float]:
        """Return uses, points a use and its standard error, of some contexts.

        Uses of one deal resemble one another: the error is that over chunks of deals.

        Parameters
        ----------
        mask : numpy.ndarray
            bool[hands of the deal, cards in the hand].
        """
        n = int(self.table["uses"][mask].sum())
        if n < 2:
            return n, float("nan"), float("nan")
        gains, uses = (self.chunks[name][:, mask].sum(axis=1) for name in ("gains", "uses"))
        found = ratio_of(gains, uses, self.blocks)
        return n, found.value, float("nan") if found.se is None else found.se


def tip_uses(
    plan: Plan, on: Player, off: Player, other: Player, threads: int | None = None
) -> Uses:
    """Play the deals of a plan with the tip, and both ways on from each of its uses.

    Parameters
    ----------
    plan : Plan
        Rules for two, seed and deals; who plays is said by the others.
    on, off, other : Player
        With the tip, the same without it, and the opponent.
    threads : int, optional
        Changes nothing in the result.
    """
    rules = pack_rules(plan.rules)
    players = pack_players([on, off, other], plan.rules)
    known = np.array(plan.known, np.int64)
    engine = Engine(plan)

    def work(chunk: Chunk) -> tuple[Any, Any]:
        total, lines = new_records(USES, 1), new_records(LINES, 1)
        points = np.zeros((MAX_PLAYERS, 8), np.int16)
        games = new_records(GAME, 2 * chunk.n).reshape(chunk.n, 2)
        start = np.uint64((plan.first_deal + chunk.first) % 2**64)
        deals = (known, np.uint64(plan.seed), start)
        with engine.space() as space, np.errstate(over="ignore"):
            place = (space.book, space.scratch, lines, points)
            uses_block(rules, players, *deals, *place, total, games)
        return total, games

    size = max(1, min(CHUNK, plan.blocks // CHUNKS))
    parts = [part for _, part in run_chunks(work, chunks_of(plan.blocks, size),
                                            threads or default_threads())]  # fmt: skip
    chunks = np.concatenate([total for total, _ in parts])
    found = new_records(USES, 1)
    for name in USES.names or ():
        found[name][0] = chunks[name].sum(axis=0)
    games = np.concatenate([some for _, some in parts])
    return Uses(found[0], games, chunks, np.array([len(some) for _, some in parts]))
