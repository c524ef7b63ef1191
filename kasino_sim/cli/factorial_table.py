"""Main effects and interactions of house rules, as text of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import pandas as pd

from kasino_sim.cli.house_rules_table import MARKS
from kasino_sim.cli.sheets import WIDTH, columns, cut, each
from kasino_sim.cli.simulate_table import digits
from kasino_sim.cli.study_table import played_words
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.folder import Outcome

MOST = 6  # interactions that are printed of each response
SHOWN = ("points", "first_player_advantage", "skill_points", "sweeps_per_deal")


def table(outcome: Outcome) -> str:
    """Tell the main effects and the largest interactions, in every nest."""
    study, effects = outcome.study, outcome.tables["crossed_effects"]
    lines = [
        study.plan.title,
        *textwrap.wrap(study.plan.question, WIDTH),
        "",
        *textwrap.wrap(played_words(study), WIDTH),
        *textwrap.wrap(
            "A main effect is what a house rule adds on average over all settings of the others; "
            "an interaction is half of what two together add beyond their sum. ^ more, v less, "
            f"= less than {study.plan.rope:g} points a deal either way (main effects: all of them "
            "together; interactions are explored).",
            WIDTH,
        ),
    ]
    for (ruleset, response), same in effects.groupby(["ruleset", "response"], sort=False):
        if response in SHOWN:
            lines += ["", *_effects(str(ruleset), str(response), same)]
    lines += ["", *_fits(outcome.tables["fits"]), "", *_aliases(outcome.tables["aliases"])]
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _effects(ruleset: str, response: str, same: pd.DataFrame) -> Iterator[str]:
    found = RESPONSES[response]
    yield cut(f"{ruleset}: {found.words}, {found.unit}")
    levels = list(dict.fromkeys(zip(same["level"], same["opponent"], strict=True)))
    heads = [f"{level} v {other}" if other else level for level, other in levels]
    mains = list(dict.fromkeys(same.loc[same["order"] == 1, "effect"]))
    pairs = same[same["order"] == 2].groupby("effect")["est"].apply(lambda v: v.abs().max())
    largest = list(pairs.sort_values(ascending=False, kind="stable").index[:MOST])
    by = {(r.effect, r.level, r.opponent): r for r in each(same)}
    rows = [("", *heads)]
    for effect in (*mains, *largest):
        rows.append((cut(effect, 36), *(_number(by[(effect, *level)]) for level in levels)))
    yield from columns(rows)


def _number(row: Any) -> str:
    if pd.isna(row.est):
        return "?"
    places = 3 if pd.isna(row.se) else min(digits(row.se), 3)
    value = round(row.est, places) + 0.0
    mark = MARKS.get(str(row.verdict).partition(" (")[0], " ")
    return (f"{value:+.{places}f}" if value else "0") + mark


def _fits(fits: pd.DataFrame) -> Iterator[str]:
    for (ruleset, response), same in fits.groupby(["ruleset", "response"], sort=False):
        if response in SHOWN:
            shares = ", ".join(
                f"{row.explained_by_main_effects:.0%} ({row.level})"
                for row in each(same)
                if pd.notna(row.explained_by_main_effects)
            )
            if shares:
                yield from textwrap.wrap(
                    f"Main effects alone explain, of what differs between the "
                    f"{same['runs'].iloc[0]} settings of {ruleset} in "
                    f"{RESPONSES[str(response)].words}: {shares}.",
                    WIDTH,
                )


def _aliases(aliases: pd.DataFrame) -> Iterator[str]:
    for ruleset, same in aliases.groupby("ruleset", sort=False):
        yield from textwrap.wrap(
            f"Aliases in {ruleset}: no main effect and no interaction of two is mixed with another "
            f"of these; {same['effect'].nunique()} of them hold interactions of three "
            "(tables/aliases.csv lists all), such as:",
            WIDTH,
        )
        for row in same.head(3).itertuples():
            yield from textwrap.wrap(
                f"{row.effect} holds {row.share:+.2g} times {row.holds_also}",
                WIDTH, initial_indent="  ", subsequent_indent="    ",
            )  # fmt: skip
