"""Words and tables that the sections about studies share."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.plots.style import PLAYERS
from kasino_sim.report import words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Cell
from kasino_sim.stats.families import SAME
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL
from kasino_sim.studies.tip_verdicts import NOTHING

DIFFERENCES = ["label", "value", "low", "high", "mark", "kind", "hollow", "rope", "unit"]
"""Columns of what `plots.equivalence` draws."""
HOLLOW = "Hollow marks: nobody would notice; filled: more, less or undecided."
LINE = 22  # letters of a line beside a figure
_LINE_HEIGHT = 0.185  # inches

PLACES = {
    "deal.players=3": "with three players",
    "deal.players=4": "with four players",
    "deal.players=4+deal.teams=pairs": "in pairs",
}

STAGES = {
    "naive": "on against off",
    "hard": "followed without thinking, against off",
    "tie-break": "followed only among moves nearly as good as the best, against off",
    "reverse": "the opposite, against off",
    "denied": "on against off, for a player who lacks all like it",
    "compensated": "the same, both tuned anew to make up for it",
    "dose": "another strength, against off",
    "pool": "against another player, more than without",
    "rules": "in another rule set, on against off",
}
"""What a stage of a tip's protocol sets against what."""

TELLS = {
    ABOVE: "more",
    BELOW: "less",
    SMALL: "a little more",
    INSIDE: "no difference to notice",
    SAME: "the same",
    "undecided": "undecided",
    "undetermined": "undetermined",
}


def about(study: KeptStudy) -> dict[str, Any]:
    """Say what a study played, and what makes it anew."""
    return {
        "title": study.plan["title"],
        "question": study.plan["question"],
        "blocks": words.count(study.blocks),
        "cells": words.count(len(study.manifest["cells"])),
        "seed": study.manifest["seed"],
        "engine": study.manifest["engine"]["fingerprint"],
        "same_engine": study.of_this_engine,
        "this_engine": engine_fingerprint(),
        "shipped": study.shipped,
        "confirmed": study.confirmed,
        "full": study.plan.get("size") == "full",
        "command": study.command,
        "rope": f"{study.plan['rope']:g}",
    }


def place(ruleset: str, variant: str) -> str:
    """Name a rule set with what is other about it."""
    return f"{ruleset} {PLACES.get(variant, f'with {variant}')}" if variant else ruleset


def row(found: Any) -> words.Row:
    """Return an estimate as a row that `words` can write."""
    return {
        "value": float(found["est"]),
        "se": float(found["se"]) if pd.notna(found["se"]) else float("nan"),
        "low": float(found["lo"]) if pd.notna(found["lo"]) else float("nan"),
        "high": float(found["hi"]) if pd.notna(found["hi"]) else float("nan"),
    }


def number(found: Any, sign: bool = True) -> Cell:
    """Write an estimate with its interval under it; shares as percentages."""
    share = str(found.get("unit", "")).startswith("share")
    one = row(found)
    if pd.isna(one["value"]):
        return Cell(words.UNDETERMINED)
    scale = 100.0 if share else 1.0
    text = words.value(one, scale, sign=sign)
    exact = one["low"] == one["value"] == one["high"]
    ends = "in every deal" if exact else words.interval(one, scale, sign=sign)
    return Cell(f"{text}{words.GAP}%" if share else text, ends, repr(one["value"]))


def beside(text: object) -> str:
    """Break a name that stands beside a figure into short lines; none of it is cut."""
    lines = textwrap.wrap(str(text), LINE)
    if len(lines) < 2:
        return str(text)
    while len(again := textwrap.wrap(str(text), max(map(len, lines)) - 1)) == len(lines):
        lines = again  # of like lengths
    return "\n".join(lines)


def height(names: Iterable[str], least: float, rest: float) -> float:
    """Return a figure's height in inches: a row a name, `least` or as its lines need, and the rest.

    Two rows are the fewest.
    """
    names = list(dict.fromkeys(names))
    lines = max((beside(name).count("\n") + 1 for name in names), default=1)
    return round(rest + max(least, lines * _LINE_HEIGHT) * max(len(names), 2), 2)


def mark(study: KeptStudy, level: object) -> int:
    """Return the place of a player's mark and colour, the same in all pictures of studies.

    Players that the program does not know come after those that it knows.
    """
    names = [*PLAYERS, *sorted(set(study.players) - set(PLAYERS))]
    return names.index(str(level)) if level in names else len(names)


def difference(study: KeptStudy, found: Any, label: object, kind: str = "") -> dict[str, Any]:
    """Return a row of DIFFERENCES, but for the unit, of an estimate that a player came to."""
    return {
        "label": beside(label), "value": found["est"], "low": found["lo"], "high": found["hi"],
        "mark": mark(study, found["level"]), "kind": kind, "hollow": found["verdict"] in NOTHING,
        "rope": study.plan["rope"],
    }  # fmt: skip


def not_drawn(levels: Iterable[object], drawn: Iterable[object]) -> str:
    """Say which players are in the table alone."""
    drawn = set(drawn)
    others = [str(level) for level in dict.fromkeys(levels) if level not in drawn]
    return f" Not drawn, but in the numbers: {words.listed(others)}." if others else ""


def with_minus(number: float) -> str:
    """Write a number that is no estimate, such as a strength."""
    return f"{number:g}".replace("-", words.MINUS)


def verdict(text: object) -> Cell:
    """Write a verdict of a difference in plain words."""
    return Cell(TELLS.get(str(text), str(text).replace("above", "more").replace("below", "less")))
