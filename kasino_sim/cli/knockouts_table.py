"""What skills are worth, as text of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import pandas as pd

from kasino_sim.cli.sheets import WIDTH, columns, cut, each
from kasino_sim.cli.simulate_table import digits
from kasino_sim.cli.study_table import played_words
from kasino_sim.studies.folder import Outcome
from kasino_sim.studies.knockouts import CONTAINS, INTERACTION, SINGLE

MOST = 8  # interactions that are printed
LONGEST = 48  # letters of their names on a line


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
            "skill is withheld; intervals hold for all skills together. Of a skill that is added "
            "it is what a player who has it gains on the same.",
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
        rows.append((cut(row.words, LONGEST), *_number(row)))
    yield from columns(rows, "")


def _together(skills: pd.DataFrame) -> Iterator[str]:
    both = skills[(skills["kind"] == INTERACTION) & (skills["note"] != CONTAINS)]
    if both.empty:
        return
    yield from textwrap.wrap(
        "What two cost when both are lost, beyond what each costs alone (explored, the largest): "
        "above 0 each makes up for the other; below 0 one is worth less without the other, or "
        "little was left to lose.",
        WIDTH,
    )
    order = both["est"].abs().sort_values(ascending=False, kind="stable").index[:MOST]
    rows = list[tuple[str, ...]]()
    for row in each(both.loc[order]):
        if pd.isna(row.lo):
            continue
        *before, last = textwrap.wrap(row.words, LONGEST)
        rows += [(line, "", "") for line in before]
        worth, ends = _number(row)
        rows.append((f"  {last}" if before else last, worth, f"({ends})"))
    yield from columns(rows) if rows else ()


def _number(row: Any) -> tuple[str, str]:
    """Write what is lost, rounded by its standard error, and its interval."""
    if pd.isna(row.lo):
        return (f"{row.est:+.2f}" if row.est else "0"), "?"
    if row.lo == row.est == row.hi:
        return (f"{row.est:+g}" if row.est else "0"), "in every deal"
    places = min(digits(row.se), 3)
    return (
        f"{row.est + 0.0:+.{places}f}",
        f"{row.lo + 0.0:+.{places}f} to {row.hi + 0.0:+.{places}f}",
    )
