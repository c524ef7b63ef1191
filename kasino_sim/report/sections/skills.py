"""What each skill is worth."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.plots import equivalence
from kasino_sim.report import words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Cell, Material, Picture, Section, Table
from kasino_sim.report.pictures import picture
from kasino_sim.report.study_words import (
    DIFFERENCES,
    HOLLOW,
    about,
    difference,
    height,
    number,
    row,
)
from kasino_sim.studies.knockouts import CONTAINS, INTERACTION, SINGLE

MOST = 12


def context(material: Material) -> dict[str, Any]:
    """Draw what is lost without each skill."""
    (study, *_) = material.of_kind("knock-outs")
    skills = study.table("skills")
    return {
        "about": about(study),
        "player": study.plan["players"][0][0],
        "pictures": [
            _picture(study, str(ruleset), same)
            for ruleset, same in skills.groupby("ruleset", sort=False)
        ],
        "together": _together(skills),
    }


def _picture(study: KeptStudy, ruleset: str, skills: pd.DataFrame) -> Picture:
    singles = skills[skills["kind"] == SINGLE].sort_values("est", ascending=False, kind="stable")
    counts = singles["est"].abs() + singles["se"].fillna(0) > 0
    rows, idle = singles[counts].to_dict("records"), list(singles.loc[~counts, "words"])
    left_out = f" Left out, for it never matters here: {words.listed(idle)}." if idle else ""
    frame = pd.DataFrame(
        [
            difference(study, r, r["words"]) | {"unit": "points a deal lost without it"}
            for r in rows
        ],
        columns=DIFFERENCES,
    )
    told = words.listed(
        [f"{r['words']} {words.value(row(r), sign=True)}" for r in rows] or ["nothing"]
    )
    cells = tuple((Cell(r["words"]), number(r)) for r in singles.to_dict("records"))
    return picture(
        equivalence.draw,
        frame,
        height((r["words"] for r in rows), 0.27, 0.9),
        f"What a skill is worth, {ruleset}",
        "The player against itself without the skill, on the same decks. Intervals hold for all "
        f"skills and rule sets together; grey: what nobody would notice. {HOLLOW}{left_out}",
        f"Points a deal lost without each skill in {ruleset}: {told}.",
        Table("What a skill is worth", ("skill", "points a deal"), cells),
    )


def _together(skills: pd.DataFrame) -> Table:
    both = skills[(skills["kind"] == INTERACTION) & (skills["note"] != CONTAINS)]
    order = both["est"].abs().sort_values(ascending=False, kind="stable").index[:MOST]
    rows = tuple(
        (Cell(r["words"]), Cell(r["ruleset"]), number(r))
        for r in both.loc[order].to_dict("records")
    )
    return Table(
        f"Two skills lost together: the {MOST} that differ most from what each costs alone",
        ("skills", "rule set", "points a deal beyond both"),
        rows,
    )


SECTION = Section(35, "skills", "What skills are worth", "skills.html", context, study="knock-outs")
