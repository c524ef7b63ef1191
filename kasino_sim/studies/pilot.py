"""What a study will take and what it can find, from a short pilot of each cell.

The pilot plays deals that are never used for findings, with the same threads, in chunks of the same
size; what it costs to read a cell is measured too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kasino_sim.ranges import Range
from kasino_sim.simulate import Chunk, Engine, default_threads, run_chunks
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.power import findable, power_of
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.cells import chunk_blocks
from kasino_sim.studies.kinds import partner, questions
from kasino_sim.studies.run import CellResult, put_together, read_cell
from kasino_sim.study_plan import Cell, Study

WARM = 40  # small chunks, from which the spread of a block is estimated
WARM_BLOCKS = 1_600  # in all of them, by when the engine's book has filled
SECONDS = 0.35  # that the timed chunks of a cell take, at least


@dataclass(frozen=True)
class Forecast:
    """What a cell will take."""

    cell: Cell
    blocks: int
    games: int
    seconds: float


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
    study: Study, threads: int | None = None, told: Callable[[Cell], Any] = lambda cell: None
) -> Preview:
    """Play a pilot of each cell; nothing is kept."""
    forecasts, results = [], []
    for cell in study.cells:
        told(cell)
        forecast, result = _pilot(study, cell, threads or default_threads())
        forecasts.append(forecast)
        results.append(result)
    begun = time.perf_counter()
    put_together(study, results)
    reading = time.perf_counter() - begun
    estimates = {result.cell.name: result.estimates for result in results}
    return Preview(study, tuple(forecasts), tuple(_powers(study, estimates)), reading)


def _pilot(study: Study, cell: Cell, threads: int) -> tuple[Forecast, CellResult]:
    plan = study.cell_plan(cell)
    begun = time.perf_counter()
    pilot = replace(plan, first_deal=Range.TUNE.first_deal)
    engine = Engine(pilot, study.scoring(cell))
    small = max(2, WARM_BLOCKS // WARM // plan.games)
    chunks = (Chunk(i, i * small, small) for i in range(WARM))
    counts = CellCounts(pilot, tuple(t for _, t in run_chunks(engine.tally, chunks, threads)))
    warmed = time.perf_counter()
    result = read_cell(study, cell, counts)
    read = time.perf_counter()
    size = chunk_blocks(plan.blocks)
    rate = _rate(engine, size, WARM * small, threads)
    start = max(warmed - begun - WARM * small / rate, 0)
    seconds = start + plan.blocks / rate + (read - warmed) * _more_chunks(plan.blocks, size)
    return Forecast(cell, plan.blocks, plan.games, seconds), result


def _more_chunks(blocks: int, size: int) -> float:
    """Return how much longer it takes to read a cell than its pilot: by its chunks, in part."""
    return max(1.0, (1 + -(-blocks // size) / WARM) / 2)


def _rate(engine: Engine, size: int, first: int, threads: int) -> float:
    """Return the blocks that are played and counted in a second, once the book has filled."""
    begun = time.perf_counter()
    done, number = 0, 2 * threads
    while time.perf_counter() - begun < SECONDS:
        chunks = (Chunk(i, first + done + i * size, size) for i in range(number))
        done += sum(tally.blocks for _, tally in run_chunks(engine.tally, chunks, threads))
    return done / (time.perf_counter() - begun)


def _powers(study: Study, estimates: dict[str, dict[str, Measured]]) -> Iterator[Power]:
    for family in study.plan.families:
        asked = list(questions(study, family.responses))
        tests = 1 if family.correction in ("none", "bh") else len(asked)
        for name in family.responses:
            cells = [cell for cell, response in asked if response == name]
            errors = [_coming_error(study, estimates, cell, name) for cell in cells]
            known = [se for se in errors if se is not None]
            worth = study.plan.rope if RESPONSES[name].in_points else 0.0
            yield _power(study, name, len(cells), known, worth, study.plan.alpha / max(tests, 1))


def _power(
    study: Study, name: str, cells: int, errors: list[float], worth: float, alpha: float
) -> Power:
    if not errors:
        return Power(name, cells, None, worth, None, None)
    se, n = max(errors), study.deals.blocks
    sd = se * float(np.sqrt(n))
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
    return found.se * float(np.sqrt(found.blocks / study.deals.blocks))
