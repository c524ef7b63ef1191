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
MOST_TOGETHER, FEWEST_SHEAVES = 10, 4


def chunk_blocks(blocks: int) -> int:
    """Return the blocks in a chunk; the same for every cell of a study."""
    return chunk_size(blocks, least=LEAST_CHUNK)


def sheaves_of(chunks: list[Chunk]) -> list[list[Chunk]]:
    """Put together the chunks that are played and kept as one: a file of each takes longer."""
    size = min(MOST_TOGETHER, -(-len(chunks) // FEWEST_SHEAVES))
    return [chunks[at : at + size] for at in range(0, len(chunks), size)]


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
        """Play all chunks that are not kept yet, some of them at a time.

        Parameters
        ----------
        folder : path or None
            Where to keep the chunks.
        resume : bool
            Whether chunks that are there already are used.
        threads : int, optional
            Changes nothing in the result.
        told : callable
            Gets the games of the chunks that were just done.
        """
        kept = None
        if folder is not None:
            there = resume and (folder / "manifest.json").exists()
            kept = RunFolder(folder, self.plan, self.size, there, sync=False)

        def work(chunks: list[Chunk]) -> list[Tally]:
            found = kept.load(chunks) if kept else None
            if found is None:
                found = [self.engine.tally(chunk) for chunk in chunks]
                if kept:
                    kept.save(chunks, found)
            return found

        tallies: list[Tally] = []
        sheaves = sheaves_of(list(chunks_of(self.plan.blocks, self.size)))
        for chunks, found in run_chunks(work, sheaves, threads or default_threads()):
            tallies += found
            told(sum(chunk.n for chunk in chunks) * self.plan.games)
        return CellCounts(self.plan, tuple(tallies), self.scoring)
