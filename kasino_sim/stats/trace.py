"""What the plays of a cell came to beyond its score sheets: fates of builds, dry hands, idle turns.

The deals are those of the cell, played once more.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from kasino_sim.engine.layout import MAX_PLAYERS, new_records
from kasino_sim.engine.play import new_book, new_scratch
from kasino_sim.engine.trace import GROWN, LEFT, MARK, OWN, STOLEN, TAKEN_OVER, TRACE, trace_block
from kasino_sim.pack import pack_rules
from kasino_sim.plan import Plan
from kasino_sim.players import pack_players
from kasino_sim.rules import Ruleset
from kasino_sim.simulate import Chunk, default_threads, run_chunks
from kasino_sim.stats.measured import Measured, ratio_of

PIECE = 4_000  # blocks played at a time
LOST = (STOLEN, TAKEN_OVER)


def _new_space() -> tuple[Any, ...]:
    """Return the work space of one thread."""
    return new_book(), new_scratch(), new_records(MARK, 52), np.zeros(MAX_PLAYERS, np.int64)


class Trace:
    """Counts of a plan's plays, chunk by chunk.

    Parameters
    ----------
    plan : Plan
    blocks : sequence of int
        Blocks of each chunk.
    scoring : Ruleset, optional
        What the players believe the items are worth; the plan's rules unless given.
    threads : int, optional
    """

    def __init__(
        self,
        plan: Plan,
        blocks: Sequence[int] | np.ndarray,
        scoring: Ruleset | None = None,
        threads: int | None = None,
    ) -> None:
        self.plan = plan
        self.blocks = np.array(blocks)
        self._rules = pack_rules(plan.rules)
        self._players = pack_players(list(plan.seats), scoring or plan.rules)
        self._known = np.array(plan.known, np.int64)
        self._threads = threads or default_threads()
        self._spaces: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()

    @cached_property
    def counts(self) -> Any:
        """TRACE[chunks]."""
        starts = np.cumsum([0, *self.blocks[:-1]])
        chunks = [
            Chunk(i, int(first), int(n))
            for i, (first, n) in enumerate(zip(starts, self.blocks, strict=True))
        ]
        found = new_records(TRACE, len(chunks))
        for chunk, counts in run_chunks(self._chunk, iter(chunks), self._threads):
            found[chunk.number] = counts
        return found

    def _chunk(self, chunk: Chunk) -> Any:
        """Play a chunk and add up its blocks."""
        total = new_records(TRACE, 1)
        try:
            space = self._spaces.get_nowait()
        except queue.Empty:
            space = _new_space()
        seed, plan = np.uint64(self.plan.seed), self.plan
        for first in range(chunk.first, chunk.first + chunk.n, PIECE):
            out = new_records(TRACE, min(PIECE, chunk.first + chunk.n - first))
            start = np.uint64((plan.first_deal + first) % 2**64)
            with np.errstate(over="ignore"):
                trace_block(
                    self._rules, self._players, plan.seatings, self._known, seed, start, *space, out
                )
            for name in TRACE.names or ():
                total[name] += out[name].sum(axis=0)
        self._spaces.put(space)
        return total[0]

    def lost(self, locked: bool | None = None, held: Sequence[int] | None = None) -> Measured:
        """Estimate the share of builds that others take or take over, of those that end so.

        Builds that grow and builds left over are not in it.

        Parameters
        ----------
        locked : bool, optional
            Only multiple builds, or only single ones.
        held : sequence of int, optional
            Only builds made with so many cards still in the hand.
        """
        return self._share(LOST, (OWN, *LOST), locked, held, None)

    def lost_by_hand(self, batches: Callable[[int], bool]) -> Measured:
        """Estimate the same for builds made in some of the hands of the deal, the first 0."""
        chosen = [b for b in range(TRACE["fates"].shape[0]) if batches(b)]
        return self._share(LOST, (OWN, *LOST), None, None, chosen)

    def left(self) -> Measured:
        """Estimate the share of builds that still lie there when the deal ends."""
        return self._share((LEFT,), (OWN, *LOST, GROWN, LEFT), None, None, None)

    def _share(
        self,
        above: Sequence[int],
        below: Sequence[int],
        locked: bool | None,
        held: Sequence[int] | None,
        batches: Sequence[int] | None,
    ) -> Measured:
        fates = self.counts["fates"]  # [chunks, batches, held, lock, fates]
        if batches is not None:
            fates = fates[:, list(batches)]
        if held is not None:
            fates = fates[:, :, list(held)]
        if locked is not None:
            fates = fates[:, :, :, [int(locked)]]
        by_fate = fates.sum(axis=(1, 2, 3))
        return ratio_of(
            by_fate[:, list(above)].sum(axis=1), by_fate[:, list(below)].sum(axis=1), self.blocks
        )

    def cards_in_builds(self, locked: bool) -> Measured:
        """Estimate the cards in a build that its owner takes."""
        own = self.counts["fates"][..., int(locked), OWN].sum(axis=(1, 2))
        return ratio_of(self.counts["build_cards"][:, int(locked)], own, self.blocks)

    def dry(self) -> Measured:
        """Estimate the share of hands, dealt or as many plays, that take nothing."""
        return ratio_of(self.counts["dry"], self.counts["hands"], self.blocks)

    def idle(self) -> Measured:
        """Estimate the share of turns on which no card of the hand takes anything."""
        return ratio_of(self.counts["idle"], self.counts["turns"], self.blocks)
