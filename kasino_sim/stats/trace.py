"""What the plays of a cell came to beyond its score sheets: fates of builds, idle turns.

The deals are those of the cell, played once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from kasino_sim.engine.layout import new_records
from kasino_sim.engine.trace import GROWN, LEFT, MARK, OWN, STOLEN, TAKEN_OVER, TRACE, trace_block
from kasino_sim.errors import KasinoError
from kasino_sim.plan import Plan
from kasino_sim.rules import Ruleset
from kasino_sim.simulate import Chunk, Engine, default_threads, run_chunks
from kasino_sim.stats.measured import Measured, ratio_of

PIECE = 4_000  # blocks played at a time
LOST = (STOLEN, TAKEN_OVER)


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
    most : int, optional
        Blocks that are played of each chunk, the first ones; all unless given.

    Raises
    ------
    KasinoError
        Where somebody thinks ahead.
    """

    def __init__(
        self,
        plan: Plan,
        blocks: Sequence[int] | np.ndarray,
        scoring: Ruleset | None = None,
        threads: int | None = None,
        most: int | None = None,
    ) -> None:
        self.plan = plan
        self.blocks = np.array(blocks) if most is None else np.minimum(blocks, most)
        self._starts = np.cumsum([0, *blocks[:-1]])
        self._engine = Engine(plan, scoring)
        self._threads = threads or default_threads()
        if self._engine.looks_ahead:
            raise KasinoError(
                "plays are looked at one by one only where nobody thinks ahead; name players such "
                "as careful or tuned"
            )

    @cached_property
    def counts(self) -> Any:
        """TRACE[chunks]."""
        chunks = [
            Chunk(i, int(first), int(n))
            for i, (first, n) in enumerate(zip(self._starts, self.blocks, strict=True))
        ]
        found = new_records(TRACE, len(chunks))
        for chunk, counts in run_chunks(self._chunk, iter(chunks), self._threads):
            found[chunk.number] = counts
        return found

    def _chunk(self, chunk: Chunk) -> Any:
        """Play a chunk and add up its blocks."""
        total, marks = new_records(TRACE, 1), new_records(MARK, 52)
        with self._engine.space() as space:
            for done in range(0, chunk.n, PIECE):
                out = new_records(TRACE, min(PIECE, chunk.n - done))
                self._engine.run(trace_block, space, chunk.first + done, marks, out)
                for name in TRACE.names or ():
                    total[name] += out[name].sum(axis=0)
        return total[0]

    def lost(self, held: Sequence[int] | None = None) -> Measured:
        """Estimate the share of builds that others take or take over, of those that end so.

        Builds that grow and builds left over are not in it.

        Parameters
        ----------
        held : sequence of int, optional
            Only builds made with so many cards still in the hand.
        """
        return self._share(LOST, (OWN, *LOST), None, held, None)

    def stolen(self, locked: bool) -> Measured:
        """Estimate the share taken by others of the multiple, or the single, builds that are taken.

        Those that are raised are in neither: single builds alone can be.
        """
        return self._share((STOLEN,), (OWN, STOLEN), locked, None, None)

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

    def idle(self) -> Measured:
        """Estimate the share of turns on which no card of the hand takes anything."""
        return ratio_of(self.counts["idle"], self.counts["turns"], self.blocks)
