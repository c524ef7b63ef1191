"""The register of claims, each with its verdict and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from kasino_sim.report import words
from kasino_sim.report.parts import Cell, Material, Section, Table
from kasino_sim.report.study_words import about, number, place
from kasino_sim.studies.claims import criterion, guides

CANNOT = "cannot be tested"
GROUPS = {
    "confirmed": "True",
    "refuted": "Not true",
    "depends": "It depends",
    "answered": "Questions, answered",
    "undecided": "Not decided: too few deals to tell",
    CANNOT: "Cannot be tested here",
}
"""Verdicts, in the order of the report, with what stands above their claims."""


def context(material: Material) -> dict[str, Any]:
    """Collect the claims."""
    (study, *_) = material.of_kind("claims")
    claims, tests = study.table("claims"), study.table("claim_tests")
    return {
        "about": about(study),
        "all": words.plural(len(claims), "claim and question", "claims and questions"),
        "counts": _counts(claims),
        "groups": list(_groups(claims, tests)),
    }


def _groups(claims: pd.DataFrame, tests: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Put claims of like verdicts together."""
    kinds = claims["verdict"].str.partition(" on ")[0]
    order = [*GROUPS, *(kind for kind in kinds.unique() if kind not in GROUPS)]
    for kind in order:
        same = claims[kinds == kind]
        if len(same):
            told = [_claim(found, tests) for found in same.to_dict("records")]
            yield {"title": GROUPS.get(kind, kind), "claims": told}


def _claim(found: Any, tests: pd.DataFrame) -> dict[str, Any]:
    return {
        "text": found["text"],
        "source": guides(found["source"]),
        "verdict": str(found["verdict"]),
        "not_tested": _not_tested(found),
        "measured": found["measured"],
        "refuted_if": found["refuted_if"],
        "table": _tests(tests[tests["claim"] == found["claim"]]),
    }


def _counts(claims: pd.DataFrame) -> str:
    kinds = claims["verdict"].str.replace(r"^depends on .*", "that depend", regex=True)
    return words.listed(f"{n} {kind}" for kind, n in kinds.value_counts().items())


def _not_tested(found: Any) -> str:
    """Say what of a claim was not tested."""
    if not found["not_tested"]:
        return ""
    start = "Cannot be tested because" if found["verdict"] == CANNOT else "Not tested in part:"
    return f"{start} {found['not_tested']}"


def _tests(tests: pd.DataFrame) -> Table | None:
    told = tests[tests["est"].notna() | (tests["unit"] == "by the rules")]
    if told.empty:
        return None
    rows = tuple(
        (
            Cell(r["words"]),
            Cell(place(str(r["ruleset"]), str(r["variant"])), r["level"]),
            number(r, sign=False) if pd.notna(r["est"]) else Cell(r.get("found", ""), r["method"]),
            Cell(criterion(r, words.GAP).replace("-", words.MINUS)),
            Cell(str(r["holds"])),
        )
        for r in told.to_dict("records")
    )
    head = ("number", "where, and who plays", "found", "true if", "holds")
    return Table("The numbers", head, rows)


SECTION = Section(36, "claims", "What rule guides claim", "claims.html", context, study="claims")
