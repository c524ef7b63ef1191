"""Running a study: every cell, then the findings of all of them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from kasino_sim.simulate import Spaces
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.cells import CellRunner
from kasino_sim.studies.conclusions import CONCLUSIONS
from kasino_sim.studies.findings import Estimates, findings, with_more
from kasino_sim.studies.folder import Outcome, StudyFolder
from kasino_sim.studies.kinds import KINDS, asks, kind_of, responses_of
from kasino_sim.studies.recipes import Tunings
from kasino_sim.study import Cell, Study


@dataclass(frozen=True)
class CellResult:
    """What is kept of a cell once it was read: its ledgers and histograms are large, and let go.

    Attributes
    ----------
    cell : Cell
    estimates : dict of str to Measured
        By response.
    tables : dict of str to pandas.DataFrame
    tally : pandas.DataFrame
        cell, blocks, games (of a block), column, sum, square: what `tally.Tally` adds up.
    """

    cell: Cell
    estimates: dict[str, Measured]
    tables: dict[str, pd.DataFrame]
    tally: pd.DataFrame


def run_study(
    study: Study,
    folder: StudyFolder | None = None,
    resume: bool = False,
    threads: int | None = None,
    told: Callable[[Cell, int], Any] = lambda cell, games: None,
    searches: Callable[[str, str], Any] = lambda rules, player: None,
) -> Outcome:
    """Play and read all cells.

    Parameters
    ----------
    study : Study
    folder : StudyFolder, optional
        Where every chunk is kept as soon as it is played.
    resume : bool
        Whether chunks that are there already are used.
    threads : int, optional
        All processors unless given. Changes nothing in the result.
    told : callable
        Gets the cell and the games of each chunk when it is done.
    searches : callable
        Gets the names of rules and player when one is to be tuned.

    Raises
    ------
    KasinoError
        Where the plan's kind, responses or families do not agree.
    """
    kind_of(study)
    tunings = Tunings(study, folder.tuned if folder else None, threads, searches)
    results: list[CellResult] = []
    spaces, reading = Spaces(), None
    with ThreadPoolExecutor(1) as reader:  # a cell is read while the next one is played
        for cell in study.cells:
            place: Path | None = folder.of_cell(cell) if folder else None
            ready = tunings.settle(cell)
            runner = CellRunner(study.cell_plan(ready), study.scoring(ready), spaces)
            counts = runner.play(place, resume, threads, partial(told, cell))
            results += [reading.result()] if reading else []
            reading = reader.submit(read_cell, study, cell, counts)
    results += [reading.result()] if reading else []
    outcome, searched = put_together(study, results), tunings.table()
    tables = {"searches": searched} if len(searched) else {}
    return replace(outcome, tables=outcome.tables | tables)


def read_cell(study: Study, cell: Cell, counts: CellCounts) -> CellResult:
    """Estimate what the study tells of a cell, and make its tables."""
    found = {}
    for name in responses_of(study):
        measured = RESPONSES[name].estimate(counts) if asks(study, cell, name) else None
        if measured is not None:
            found[name] = measured
    return CellResult(cell, found, KINDS[study.plan.kind].tables(counts), _tally(cell, counts))


def _tally(cell: Cell, counts: CellCounts) -> pd.DataFrame:
    """List what was counted in a cell: a row for each column of the tally that is not empty."""
    tally = counts.tally
    rows = [
        (cell.name, tally.blocks, counts.plan.games, name, total, tally.squares[name])
        for name, total in tally.sums.items()
        if tally.squares[name]
    ]
    return pd.DataFrame(rows, columns=["cell", "blocks", "games", "column", "sum", "square"])


def put_together(study: Study, results: list[CellResult]) -> Outcome:
    """Compare the cells and collect their tables."""
    estimates: Estimates = {result.cell.name: result.estimates for result in results}
    names = list(dict.fromkeys(name for result in results for name in result.tables))
    tables = {
        name: pd.concat([_named(r, name) for r in results if name in r.tables], ignore_index=True)
        for name in names
    }
    tables["tallies"] = pd.concat([result.tally for result in results], ignore_index=True)
    conclude = CONCLUSIONS.get(study.plan.kind)
    told = findings(study, estimates)
    if conclude is None:
        return Outcome(study, told, tables)
    more = conclude(study, estimates, told)
    return Outcome(study, with_more(told, more.findings), tables | more.tables)


def _named(result: CellResult, table: str) -> pd.DataFrame:
    """Say in a table's first columns which cell it is of."""
    frame, cell = result.tables[table], result.cell
    who = {"ruleset": cell.preset, "arm": cell.arm, "level": cell.level, "opponent": cell.opponent}
    first = pd.DataFrame({name: [value] * len(frame) for name, value in who.items()})
    return pd.concat([first, frame.reset_index(drop=True)], axis=1)
