"""The register of claims, each with its verdict and its numbers."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.report import words
from kasino_sim.report.parts import Cell, Material, Section, Table
from kasino_sim.report.study_words import about, number

CANNOT = "cannot be tested"


def context(material: Material) -> dict[str, Any]:
    """Collect the claims."""
    (study, *_) = material.of_kind("claims")
    claims, tests = study.table("claims"), study.table("claim_tests")
    return {
        "about": about(study),
        "counts": _counts(claims),
        "overview": _overview(claims),
        "claims": [
            {
                "text": found["text"],
                "source": found["source"],
                "verdict": _verdict(found),
                "measured": found["measured"],
                "refuted_if": found["refuted_if"],
                "table": _tests(tests[tests["claim"] == found["claim"]]),
            }
            for found in claims.to_dict("records")
        ],
    }


def _counts(claims: pd.DataFrame) -> str:
    kinds = claims["verdict"].str.replace(r"^depends on .*", "that depend", regex=True)
    return words.listed(f"{n} {kind}" for kind, n in kinds.value_counts().items())


def _verdict(found: Any) -> str:
    text = str(found["verdict"])
    if not found["not_tested"]:
        return text
    return f"{text} {'because' if text == CANNOT else 'in part:'} {found['not_tested']}"


def _overview(claims: pd.DataFrame) -> Table:
    rows = tuple(
        (Cell(found["text"], found["source"], found["text"]), Cell(_verdict(found)))
        for found in claims.to_dict("records")
    )
    head = ("what is claimed", "verdict")
    return Table("Claims and verdicts", head, rows, sortable=True, intervals=False)


def _tests(tests: pd.DataFrame) -> Table | None:
    told = tests[tests["est"].notna() | (tests["unit"] == "by the rules")]
    if told.empty:
        return None
    rows = tuple(
        (
            Cell(r["words"]),
            Cell(" ".join(filter(None, [r["ruleset"], str(r["variant"])])), r["level"]),
            number(r, sign=False) if pd.notna(r["est"]) else Cell("", r["method"]),
            Cell(_wanted(r)),
            Cell(str(r["holds"])),
        )
        for r in told.to_dict("records")
    )
    head = ("number", "where, and who plays", "found", "true if", "holds")
    return Table("The numbers", head, rows)


def _wanted(found: Any) -> str:
    """Say where the number lies if the claim is true."""
    scale = 100 if str(found["unit"]).startswith("share") else 1
    unit = f"{words.GAP}%" if scale == 100 else ""
    ends = [("least", "at least"), ("most", "at most")]
    return " and ".join(
        f"{text} {scale * found[key]:.4g}{unit}" for key, text in ends if pd.notna(found[key])
    ).replace("-", words.MINUS)


SECTION = Section(36, "claims", "What rule guides claim", "claims.html", context, study="claims")
