"""Verdicts on tips as text of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import pandas as pd

from kasino_sim.cli.sheets import WIDTH, columns, cut, each
from kasino_sim.cli.study_table import played_words
from kasino_sim.studies.folder import Outcome


def table(outcome: Outcome) -> str:
    """Tell the verdict on every tip, then each tip by itself with deals that it decided."""
    study, tips = outcome.study, outcome.tables["tips"]
    worth = outcome.tables["tip_worth"]
    lines = [
        study.plan.title,
        *textwrap.wrap(study.plan.question, WIDTH),
        "",
        *textwrap.wrap(
            f"{played_words(study).partition(' Players:')[0]} A number is what following the tip "
            "gains, in points a deal, with its interval for all tips and levels together. True: "
            f"more than {study.plan.rope:g} at three levels of play or more, the strongest among "
            "them.",
            WIDTH,
        ),
        "",
        *_overview(tips),
    ]
    for tip in each(tips):
        lines += ["", *_tip(outcome, tip, worth[worth["tip"] == tip.tip])]
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _overview(tips: pd.DataFrame) -> list[str]:
    rows = [("tip", "verdict", "worth", "interval", "opposite")]
    for tip in each(tips):
        ends = "?" if pd.isna(tip.lo) else f"{tip.lo:+.3f} to {tip.hi:+.3f}"
        rows.append((tip.tip, tip.verdict, f"{tip.est:+.3f}", ends, f"{tip.reverse:+.3f}"))
    return columns(rows, "")


def _tip(outcome: Outcome, tip: Any, worth: pd.DataFrame) -> Iterator[str]:
    yield from textwrap.wrap(f"{tip.tip}: {tip.says} ({tip.source})", WIDTH)
    yield from textwrap.wrap(
        f"-> {tip.verdict}. By player: {tip.by_level}. It changes {tip.changes_per_deal:.2f} "
        f"decisions of a deal for {tip.level}. Doing the opposite {tip.reverse_says} "
        f"({tip.reverse:+.3f}).",
        WIDTH,
        subsequent_indent="   ",
    )
    for stage, words in _STAGES:
        same = worth[worth["stage"] == stage]
        told = ", ".join(f"{_place(stage, row)} {row.est:+.3f}" for row in each(same))
        if told:
            yield from textwrap.wrap(
                f"{words}: {told}", WIDTH, initial_indent="   ", subsequent_indent="     "
            )
    uses = outcome.tables["tip_uses"]
    yield from _uses(uses[uses["tip"] == tip.tip] if len(uses) else uses, tip)
    deals = outcome.tables["tip_deals"]
    for deal in each(deals[deals["tip"] == tip.tip]):
        yield ""
        yield from (cut(f"   {line}") for line in deal.text.split("\n"))


_STAGES = (
    ("hard", "followed without thinking"),
    ("denied", "where the player lacks all like it"),
    ("dose", "by strength (1 is above)"),
    ("pool", "against others, more than without"),
    ("rules", "in other rule sets"),
)


def _place(stage: str, row: Any) -> str:
    if stage == "dose":
        return f"x {row.dose:g}"
    return {"pool": f"{row.opponent}", "rules": row.ruleset}.get(stage, row.level)


def _uses(uses: pd.DataFrame, tip: Any) -> Iterator[str]:
    if uses.empty:
        return
    rows = [
        (row.context, f"{row.uses_per_deal:.2f} a deal",
         "?" if pd.isna(row.worth) else f"{row.worth:+.2f} each")
        for row in each(uses)
    ]  # fmt: skip
    yield "   worth of a use:"
    yield from (cut(line) for line in columns(rows, "     "))
    total = "add up in every deal" if tip.uses_add_up else "do not add up in every deal"
    distance = "" if pd.isna(tip.uses_z) else f"; z = {tip.uses_z:+.1f} from the worth above"
    yield f"     uses {total}{distance}"
