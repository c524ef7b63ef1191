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
            f"{played_words(study).partition(' Players:')[0]} Players who take time, and all "
            "stages but the first, play fewer. A number is what following the tip gains, in points "
            "a deal, with its interval for all tips and levels together. True: more than "
            f"{study.plan.rope:g} at three levels of play or more, the strongest among "
            "them, and also between players tuned anew without the idea; absorbed: not between "
            "these; true so far: these were not played. Players at random weigh nothing, and "
            "a tip makes another player of them: they are told, but verdicts go by the others.",
            WIDTH,
        ),
        "",
        *_overview(tips),
    ]
    for tip in each(tips):
        lines += ["", *_tip(outcome, tip, worth[worth["tip"] == tip.tip])]
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _overview(tips: pd.DataFrame) -> list[str]:
    rows = [("tip", "verdict", "worth", "interval", "opposite", "uses")]
    for tip in each(tips):
        ends = "?" if pd.isna(tip.lo) else f"{tip.lo:+.3f} to {tip.hi:+.3f}"
        uses = "agree" if str(tip.uses_say).startswith("agrees") else "differ"
        rows.append((tip.tip, tip.verdict, f"{tip.est:+.3f}", ends, f"{tip.reverse:+.3f}", uses))
    head, *told = columns(rows, "")
    lines = [head]
    for tip, line in zip(each(tips), told, strict=True):
        lines += [line, *([f"  {tip.levels}"] if tip.levels else [])]
    return lines


def _tip(outcome: Outcome, tip: Any, worth: pd.DataFrame) -> Iterator[str]:
    yield from textwrap.wrap(f"{tip.tip}: {tip.says} ({tip.source})", WIDTH)
    why = tip.levels or tip.because
    because = f" ({why})" if why else ""
    yield from textwrap.wrap(
        f"-> {tip.verdict}{because}. By player: {tip.by_level}. It changes "
        f"{tip.changes_per_deal:.2f} decisions of a deal for {tip.home}. Doing the opposite "
        f"({tip.reverse:+.3f}) {tip.reverse_says}.",
        WIDTH,
        subsequent_indent="   ",
    )
    if tip.watch:
        yield from textwrap.wrap(tip.watch, WIDTH, initial_indent="   ", subsequent_indent="   ")
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
    ("tie-break", "followed among moves nearly as good"),
    ("denied", "where the player lacks all like it"),
    ("compensated", "the same, both tuned anew"),
    ("dose", "by strength (1 is above)"),
    ("pool", "against others, more than without"),
    ("rules", "in other rule sets"),
)


def _place(stage: str, row: Any) -> str:
    if stage == "dose":
        return f"x {row.dose:g}"
    if stage == "rules":
        return f"{row.ruleset} ({row.level})"
    return row.opponent if stage == "pool" else row.level


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
    yield from textwrap.wrap(
        f"uses times worth {tip.uses_say}, with what the tip gains in all",
        WIDTH,
        initial_indent="     ",
        subsequent_indent="       ",
    )
