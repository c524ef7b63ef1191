"""What a study will take and what it can find, from a short pilot of each cell.

The pilot plays deals that are never used for findings, with the same threads, in chunks of the same
size; what it costs to read a cell is measured too.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from kasino_sim.ranges import Range
from kasino_sim.simulate import Chunk, Engine, Spaces, default_threads, run_chunks
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.power import findable, power_of
from kasino_sim.studies.cells import chunk_blocks, sheaves_of
from kasino_sim.studies.kinds import partner, questions, rope_of
from kasino_sim.studies.recipes import games_searched
from kasino_sim.studies.run import CellResult, put_together, read_cell
from kasino_sim.study import Cell, Study
from kasino_sim.tally import Tally, frame_of

WARM_BLOCKS = 1_600  # by when the engine's book has filled; the spread of a block is from them
SECONDS = 0.35  # that the timed chunks of a cell take, at least


@dataclass(frozen=True)
class Forecast:
    """What a cell will take."""

    cell: Cell
    blocks: int
    games: int
    seconds: float

    @property
    def total(self) -> int:
        """Games in all."""
        return self.blocks * self.games


@dataclass(frozen=True)
class Power:
    """What a study can find of one response.

    Attributes
    ----------
    response : str
    questions : int
        Cells in which its family asks.
    se : float or None
        The standard error that is to come, the largest among the cells; None where it is unknown.
    worth : float
        The difference that is to be found: the plan's region of practical equivalence, 0 if the
        response is not in points.
    power : float or None
        Chance to find that difference.
    findable : float or None
        The smallest difference that is found with the plan's power.
    """

    response: str
    questions: int
    se: float | None
    worth: float
    power: float | None
    findable: float | None


@dataclass(frozen=True)
class Preview:
    """Everything that `kasino study --plan-only` tells."""

    study: Study
    cells: tuple[Forecast, ...]
    powers: tuple[Power, ...]
    reading: float

    @property
    def seconds(self) -> float:
        """Seconds that the study will take on this machine with as many threads."""
        return sum(cell.seconds for cell in self.cells) + self.reading


def preview(
    study: Study,
    threads: int | None = None,
    keeps: bool = False,
    told: Callable[[Cell], Any] = lambda cell: None,
) -> Preview:
    """Play a pilot of each cell; nothing is kept.

    Parameters
    ----------
    study : Study
    threads : int, optional
        All processors unless given.
    keeps : bool
        Whether the study will write its chunks into a folder.
    told : callable
        Gets each cell when its pilot is over.
    """
    pilot = _Pilot(study, threads or default_threads(), keeps)
    for looks_ahead in (False, True):  # what is loaded only once is not in the times
        like = (c for c in study.cells if pilot.engine(c).looks_ahead == looks_ahead)
        for cell in islice(like, 1):
            pilot.play(cell)
    forecasts, results = [], []
    searched = games_searched(study)
    for cell in study.cells:
        forecast, result = pilot.play(cell)
        seconds = forecast.seconds * (1 + searched.get(cell.name, 0) / forecast.total)
        forecasts.append(replace(forecast, seconds=seconds))
        results.append(result)
        told(cell)
    begun = time.perf_counter()
    put_together(study, results)
    reading = time.perf_counter() - begun
    estimates = {result.cell.name: result.estimates for result in results}
    return Preview(study, tuple(forecasts), tuple(_powers(study, estimates)), reading)


@dataclass(frozen=True)
class _Pilot:
    study: Study
    threads: int
    keeps: bool
    spaces: Spaces = field(default_factory=Spaces)

    def engine(self, cell: Cell) -> Engine:
        """Return what plays a cell's pilot."""
        pilot = replace(self.study.cell_plan(cell), first_deal=Range.TUNE.first_deal)
        return Engine(pilot, self.study.scoring(cell), self.spaces)

    def play(self, cell: Cell) -> tuple[Forecast, CellResult]:
        """Play and read as many chunks as the study has, but small; then time some whole ones."""
        plan = self.study.cell_plan(cell)
        size = chunk_blocks(plan.blocks)
        number = -(-plan.blocks // size)
        small = max(2, WARM_BLOCKS // number // plan.games)
        pilot = replace(plan, first_deal=Range.TUNE.first_deal)
        begun = time.perf_counter()
        engine = Engine(pilot, self.study.scoring(cell), self.spaces)
        tallies = self._tallies(engine, [Chunk(i, i * small, small) for i in range(number)])
        warmed = time.perf_counter()
        counts = CellCounts(pilot, tuple(tallies), self.study.scoring(cell))
        result = read_cell(self.study, cell, counts)
        read = time.perf_counter()
        each = self._seconds(engine, size, number * small)
        less = self._seconds(engine, small, number * small, SECONDS / 2)
        start = max(warmed - begun - number * less, 0)
        seconds = start + each * plan.blocks / size + read - warmed
        return Forecast(cell, plan.blocks, plan.games, seconds), result

    def _tallies(self, engine: Engine, chunks: list[Chunk]) -> list[Tally]:
        def work(chunks: list[Chunk]) -> list[Tally]:
            tallies = [engine.tally(chunk) for chunk in chunks]
            if self.keeps:
                frame_of(tallies).to_parquet(io.BytesIO(), compression="zstd")
            return tallies

        played = run_chunks(work, sheaves_of(chunks), self.threads)
        return [tally for _, tallies in played for tally in tallies]

    def _seconds(self, engine: Engine, size: int, first: int, least: float = SECONDS) -> float:
        """Return the seconds that a chunk of a size takes, once the book has filled."""
        begun, done = time.perf_counter(), 0
        while time.perf_counter() - begun < least:
            numbers = range(done, done + 4 * self.threads)
            self._tallies(engine, [Chunk(i, first + i * size, size) for i in numbers])
            done += len(numbers)
        return (time.perf_counter() - begun) / done


def _powers(study: Study, estimates: dict[str, dict[str, Measured]]) -> Iterator[Power]:
    for family in study.plan.families:
        asked = list(questions(study, family.responses))
        tests = 1 if family.correction in ("none", "bh") else len(asked)
        for name in family.responses:
            cells = [cell for cell, response in asked if response == name]
            errors = [_coming_error(study, estimates, cell, name) for cell in cells]
            known = [se for se in errors if se is not None]
            worth = rope_of(study, name)
            yield _power(study, name, len(cells), known, worth, study.plan.alpha / max(tests, 1))


def _power(
    study: Study, name: str, cells: int, errors: list[float], worth: float, alpha: float
) -> Power:
    if not errors:
        return Power(name, cells, None, worth, None, None)
    se, n = max(errors), study.deals.blocks
    sd = se * float(np.sqrt(n))  # as if all were from as many decks
    power = power_of(n, worth, sd, alpha) if worth else None
    return Power(name, cells, se, worth, power, findable(n, sd, alpha, study.plan.power))


def _coming_error(
    study: Study, estimates: dict[str, dict[str, Measured]], cell: Cell, name: str
) -> float | None:
    """Return the standard error that the whole study will have of a question."""
    found, base = estimates[cell.name].get(name), partner(study, cell)
    if found is not None and base is not None:
        theirs = estimates[base.name].get(name)
        found = found - theirs if theirs is not None else None
    if found is None or found.se is None:
        return None
    return found.se * float(np.sqrt(found.blocks / study.blocks(cell)))
