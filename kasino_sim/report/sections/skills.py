"""What each skill is worth."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.plots import equivalence
from kasino_sim.report import words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Cell, Material, Picture, Section, Table
from kasino_sim.report.pictures import picture
from kasino_sim.report.study_words import about, number, row

SINGLE, INTERACTION = "skills", "interactions of skills"
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
    rows = singles.to_dict("records")
    frame = pd.DataFrame(
        [
            {
                "label": r["skill"], "value": r["est"], "low": r["lo"], "high": r["hi"], "mark": 0,
                "kind": "", "rope": study.plan["rope"], "unit": "points a deal lost without it",
            }
            for r in rows
        ]
    )  # fmt: skip
    told = words.listed(f"{r['words']} {words.value(row(r), sign=True)}" for r in rows)
    cells = tuple((Cell(r["words"]), number(r)) for r in rows)
    return picture(
        equivalence.draw,
        frame,
        round(0.9 + 0.27 * max(len(frame), 2), 2),
        f"What a skill is worth, {ruleset}",
        "The player against itself without the skill, on the same decks. Intervals hold for all "
        "skills together.",
        f"Points a deal lost without each skill in {ruleset}: {told}.",
        Table("What a skill is worth", ("skill", "points a deal"), cells),
    )


def _together(skills: pd.DataFrame) -> Table:
    both = skills[skills["kind"] == INTERACTION]
    order = both["est"].abs().sort_values(ascending=False, kind="stable").index[:MOST]
    rows = tuple((Cell(r["words"]), number(r)) for r in both.loc[order].to_dict("records"))
    return Table(
        "Two skills lost together: points a deal beyond what each costs alone, the largest",
        ("skills", "points a deal"),
        rows,
    )


SECTION = Section(35, "skills", "What skills are worth", "skills.html", context, study="knock-outs")
