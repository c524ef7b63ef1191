"""Words and tables that the sections about studies share."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.report import words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Cell
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL

TELLS = {
    ABOVE: "more",
    BELOW: "less",
    SMALL: "a little more",
    INSIDE: "no difference to notice",
    "the same": "the same",
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
    exact = pd.isna(one["low"]) and one["value"] == one["value"]
    ends = "in every deal" if exact else words.interval(one, scale, sign=sign)
    return Cell(f"{text}{words.GAP}%" if share else text, ends, repr(one["value"]))


def verdict(text: object) -> Cell:
    """Write a verdict of a difference in plain words."""
    return Cell(TELLS.get(str(text), str(text).replace("above", "more").replace("below", "less")))
