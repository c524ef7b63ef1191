"""Findings that surprised, tried again on other decks and with other players."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.report import words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Cell, Material, Section, Table
from kasino_sim.report.study_words import STAGES, number, verdict
from kasino_sim.studies.again import TABLE
from kasino_sim.tips import TIP_WORDS


def context(material: Material) -> dict[str, Any]:
    """Collect what was tried again of every study."""
    studies = material.with_table(TABLE)
    found = pd.concat([study.table(TABLE) for study in studies], ignore_index=True)
    return {"found": _found(found), "tables": [_table(study) for study in studies]}


def _found(found: pd.DataFrame) -> str:
    """Say how many survived."""
    counts = found["survived"].value_counts()
    told = [f"{says}: {words.in_words(int(n))}" for says, n in counts.items()]
    return f"Of {words.plural(len(found), 'attempt')}, {words.listed(told)}."


def _table(study: KeptStudy) -> Table:
    rows = tuple(
        (
            Cell(_what(found), f"{found['ruleset']}: {found['id'].partition(':')[0]}"),
            _with(number(found), verdict(found["verdict"]).text),
            _with(_part(found, "again_"), found["again_says"]),
            _with(_part(found, "others_"), found["others_say"], found["players"]),
            Cell(found["survived"]),
        )
        for found in study.table(TABLE).to_dict("records")
    )
    head = ("finding", "first", "on other decks", "with other players", "what survived")
    return Table(f"{study.plan['title']}, tried again", head, rows)


def _what(found: Any) -> str:
    """Name what a finding measured: of a tip, which tip and how it was tried."""
    of_tip, _, stage = str(found["estimand"]).partition("worth of the tip: ")
    if stage and not of_tip:
        tip = str(found["arm"]).partition("*")[0]
        tip = TIP_WORDS[tip].says if tip in TIP_WORDS else tip
        parts = [f"{tip}: {STAGES.get(stage, stage)}", found["level"]]
    else:
        parts = [found["estimand"], found["arm"], found["level"]]
    told = [str(part).replace("_", " ") for part in parts if part]
    return ", ".join([*told, f"attempt {found['attempt']}"])


def _part(found: Any, prefix: str) -> Cell:
    if pd.isna(found[f"{prefix}est"]):
        return Cell("")
    one = {name: found[f"{prefix}{name}"] for name in ("est", "se", "lo", "hi")}
    return number({**one, "unit": found["unit"]})


def _with(cell: Cell, says: str, who: str = "") -> Cell:
    """Put what an estimate says beside it."""
    told = f"{says} ({who})" if who else says
    return Cell(f"{cell.text} {told}".strip(), cell.small, cell.sort)


SECTION = Section(39, "again", "Surprises, tried again", "again.html", context, table=TABLE)
