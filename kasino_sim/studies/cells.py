"""Playing the cells of a study: the same decks for each, in the same chunks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kasino_sim.plan import Plan
from kasino_sim.rules import Ruleset
from kasino_sim.simulate import (
    Chunk,
    Engine,
    Spaces,
    chunk_size,
    chunks_of,
    default_threads,
    run_chunks,
)
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.store import RunFolder
from kasino_sim.tally import Tally

LEAST_CHUNK = 100  # blocks, so that a short run is not all bookkeeping


def chunk_blocks(blocks: int) -> int:
    """Return the blocks in a chunk; the same for every cell of a study."""
    return chunk_size(blocks, least=LEAST_CHUNK)


class CellRunner:
    """Plays what a cell plays, chunk by chunk.

    Parameters
    ----------
    plan : Plan
    scoring : Ruleset, optional
        What the players believe the items are worth; the plan's rules unless given.
    spaces : Spaces, optional
        Shared with other cells.
    """

    def __init__(
        self, plan: Plan, scoring: Ruleset | None = None, spaces: Spaces | None = None
    ) -> None:
        self.plan, self.scoring = plan, scoring
        self.size = chunk_blocks(plan.blocks)
        self.engine = Engine(plan, scoring, spaces)

    def play(
        self,
        folder: Path | None,
        resume: bool,
        threads: int | None,
        told: Callable[[int], Any] = lambda games: None,
    ) -> CellCounts:
        """Play all chunks that are not kept yet.

        Parameters
        ----------
        folder : path or None
            Where to keep the chunks.
        resume : bool
            Whether chunks that are there already are used.
        threads : int, optional
            Changes nothing in the result.
        told : callable
            Gets the games of each chunk when it is done.
        """
        kept = None
        if folder is not None:
            there = resume and (folder / "manifest.json").exists()
            kept = RunFolder(folder, self.plan, self.size, there, sync=False)

        def work(chunk: Chunk) -> Tally:
            found = kept.load(chunk) if kept else None
            if found is None:
                found = self.engine.tally(chunk)
                if kept:
                    kept.save(chunk, found)
            return found

        tallies = []
        chunks = chunks_of(self.plan.blocks, self.size)
        for chunk, tally in run_chunks(work, chunks, threads or default_threads()):
            tallies.append(tally)
            told(chunk.n * self.plan.games)
        return CellCounts(self.plan, tuple(tallies), self.scoring)
