"""Findings: one row for everything that a study found, with its interval and its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.stats.families import Answer, Question, answer
from kasino_sim.stats.intervals import FEW, rate_row
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.responses import RESPONSES, SHARE
from kasino_sim.studies.conclusion import Estimates
from kasino_sim.studies.kinds import partner, rope_of
from kasino_sim.study import Cell, Study
from kasino_sim.study_plan import Family

COLUMNS = (
    "id", "family", "arm", "level", "opponent", "ruleset", "estimand", "unit", "est", "se", "lo",
    "hi", "n_blocks", "vrf", "p", "p_adj", "p_holm", "verdict", "method", "seed_range", "engine",
)  # fmt: skip
NUMBERS = ("est", "se", "lo", "hi", "vrf", "p", "p_adj", "p_holm")
UNDETERMINED, CONSTANT = "undetermined", "the same in every deal"


@dataclass(frozen=True)
class _Row:
    cell: Cell
    response: str
    baseline: str  # empty: of the cell itself
    of: Measured
    family: str = ""
    answer: Answer | None = None

    @property
    def estimand(self) -> str:
        return f"{self.response} less {self.baseline}" if self.baseline else self.response


def findings(study: Study, estimates: Estimates) -> pd.DataFrame:
    """Put all estimates, and their differences from the baseline, into rows.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS`; numbers are missing where they are undetermined.
    """
    rows = [*_levels(study, estimates), *_differences(study, estimates)]
    for family in study.plan.families:
        rows = _answer_family(study, family, rows)
    frame = pd.DataFrame([_written(study, row) for row in rows], columns=list(COLUMNS))
    return _typed(frame)


def with_more(frame: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    """Put further findings, of the same columns, behind others."""
    if more.empty:
        return frame
    more = _typed(more.reindex(columns=list(COLUMNS)))
    return more if frame.empty else pd.concat([frame, more], ignore_index=True)


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame.astype({name: float for name in NUMBERS} | {"n_blocks": "int64"})
    return frame.reset_index(drop=True)


def _levels(study: Study, estimates: Estimates) -> Iterator[_Row]:
    for cell in study.cells:
        if cell.adapted:
            continue
        for name, found in estimates[cell.name].items():
            yield _Row(cell, name, "", found)


def _differences(study: Study, estimates: Estimates) -> Iterator[_Row]:
    for cell in study.cells:
        base = partner(study, cell)
        if base is None or cell.adapted:
            continue
        theirs = estimates[base.name]
        for name, found in estimates[cell.name].items():
            if name in theirs:
                gap = found - theirs[name]
                yield _Row(cell, name, base.rules.name, gap)


def _answer_family(study: Study, family: Family, rows: Sequence[_Row]) -> list[_Row]:
    """Answer a family's questions: differences where there is a baseline, else levels."""
    asked = [
        i
        for i, row in enumerate(rows)
        if row.response in family.responses and bool(row.baseline) == study.compares
    ]
    questions = []
    for i in asked:
        response, of = rows[i].response, rows[i].of
        null = 0.0 if study.compares else float(RESPONSES[response].null or 0)
        shifted = replace(of, value=of.value - null)
        questions.append(Question(shifted, rope_of(study, response)))
    answered = list(rows)
    for i, asking, found in zip(
        asked, questions, answer(questions, family.correction, study.plan.alpha), strict=True
    ):
        null = rows[i].of.value - asking.of.value
        moved = replace(found, low=found.low + null, high=found.high + null)
        answered[i] = replace(rows[i], family=family.name, answer=moved)
    return answered


def _written(study: Study, row: _Row) -> dict[str, Any]:
    cell, response, of = row.cell, RESPONSES[row.response], row.of
    against = f":less:{row.baseline}" if row.baseline else ""
    return {
        "id": f"{cell.name}:{row.response}{against}",
        "family": row.family,
        "arm": cell.arm_and_fix,
        "level": cell.level,
        "opponent": cell.opponent,
        "ruleset": cell.preset,
        "estimand": row.estimand,
        "unit": response.unit,
        "est": of.value,
        "n_blocks": of.blocks,
        "vrf": row.of.vrf,
        "seed_range": study.deals.range,
        "engine": engine_fingerprint(),
        **_spread(study, row),
    }


def _spread(study: Study, row: _Row) -> dict[str, Any]:
    """Return standard error, interval, p-values, verdict and method of a row."""
    of, found = row.of, row.answer
    paired = " of paired decks" if row.baseline else ""
    if found is not None:
        return {
            "se": of.se, "lo": found.low, "hi": found.high, "p": found.p,
            "p_adj": found.p_adjusted, "p_holm": found.p_holm, "verdict": found.verdict,
            "method": found.method.replace("chunks", f"chunks{paired}"),
        }  # fmt: skip
    own = of.row()
    nothing: dict[str, Any] = {"p": None, "p_adj": None, "p_holm": None, "verdict": ""}
    rare = _rare(study, row)
    if rare:
        return {**nothing, **rare}
    if of.se is None:
        constant = of.blocks > 1 and of.value == of.value and not (of.parts**2).sum() > 1e-20
        verdict = CONSTANT if constant else UNDETERMINED
        return {**nothing, "se": None, "lo": None, "hi": None, "verdict": verdict, "method": ""}
    return {
        **nothing, "se": own["se"], "lo": own["low"], "hi": own["high"],
        "method": f"{of.method}{paired}{_design_effect(study, row)}",
    }  # fmt: skip


def _design_effect(study: Study, row: _Row) -> str:
    """Tell how many times the variance of a share is that of as many games on decks of their own.

    Only of a share of events where a block has several games, which resemble one another.
    """
    games, response = study.cell_plan(row.cell).games, RESPONSES[row.response]
    share, se = row.of.value, row.of.se
    if row.baseline or response.unit != SHARE or response.players or games == 1 or se is None:
        return ""
    alone = share * (1 - share) / (row.of.blocks * games)
    return f", design effect {se * se / alone:.2f}" if alone > 0 else ""


def _rare(study: Study, row: _Row) -> dict[str, Any] | None:
    """Return the interval of a share of independent deals that is close to nothing or to all."""
    if row.baseline or RESPONSES[row.response].unit != SHARE:
        return None
    n, value = row.of.blocks, row.of.value
    events = round(value * n)
    if study.cell_plan(row.cell).games > 1 or abs(events - value * n) > 1e-6:
        return None
    if min(events, n - events) >= FEW:
        return None
    found = rate_row(events, n)
    return {
        "se": found["se"] or None, "lo": found["low"], "hi": found["high"],
        "method": "Clopper-Pearson",
    }  # fmt: skip
