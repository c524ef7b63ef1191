"""What skills are worth, as text of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pandas as pd

from kasino_sim.cli.sheets import WIDTH, columns, cut, each
from kasino_sim.cli.study_table import played_words
from kasino_sim.studies.folder import Outcome
from kasino_sim.studies.knockouts import INTERACTION, SINGLE

MOST = 8  # interactions that are printed


def table(outcome: Outcome) -> str:
    """Tell what each skill is worth, the dearest first, and which go together."""
    study, skills = outcome.study, outcome.tables["skills"]
    lines = [
        study.plan.title,
        *textwrap.wrap(study.plan.question, WIDTH),
        "",
        *textwrap.wrap(
            f"{played_words(study).partition(' Players:')[0]} A number is what "
            f"{study.plan.players[0][0]} gains, in points a deal, on the same player from whom the "
            "skill is withheld; intervals hold for all skills together.",
            WIDTH,
        ),
    ]
    for ruleset, same in skills.groupby("ruleset", sort=False):
        lines += ["", *_singles(str(ruleset), same), "", *_together(same)]
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _singles(ruleset: str, skills: pd.DataFrame) -> Iterator[str]:
    rows = [(ruleset, "worth", "interval")]
    singles = skills[skills["kind"] == SINGLE]
    for row in each(singles.sort_values("est", ascending=False, kind="stable")):
        ends = "?" if pd.isna(row.lo) else f"{row.lo:+.3f} to {row.hi:+.3f}"
        rows.append((cut(row.words, 44), f"{row.est:+.3f}", ends))
    yield from columns(rows, "")


def _together(skills: pd.DataFrame) -> Iterator[str]:
    both = skills[skills["kind"] == INTERACTION]
    if both.empty:
        return
    yield from textwrap.wrap(
        "What two cost when both are lost, beyond what each costs alone (explored, the largest): "
        "above 0 each makes up for the other, below 0 they do the same work.",
        WIDTH,
    )
    order = both["est"].abs().sort_values(ascending=False, kind="stable").index[:MOST]
    rows = [
        (cut(row.words, 50), f"{row.est:+.3f}", f"({row.lo:+.2f} to {row.hi:+.2f})")
        for row in each(both.loc[order])
        if pd.notna(row.lo)
    ]
    yield from (cut(line) for line in columns(rows)) if rows else ()
