"""What a plan's variants, such as numbers of players, come to beside one another, unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.stats.families import Answer, Question, answer
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.conclusion import Estimates
from kasino_sim.study import Cell, Study

COLUMNS = (
    "ruleset", "variant", "less", "level", "response", "words", "unit", "est", "se", "lo", "hi",
    "n_blocks", "vrf", "p_adj", "family", "verdict",
)  # fmt: skip


@dataclass(frozen=True)
class Between:
    """One variant of a rule set less another.

    Attributes
    ----------
    cell, less : Cell
    response : str
    of : Measured
    family : str
        Empty where no family of the plan asks.
    answer : Answer or None
    """

    cell: Cell
    less: Cell
    response: str
    of: Measured
    family: str = ""
    answer: Answer | None = None


def between_variants(study: Study, estimates: Estimates) -> list[Between]:
    """Compare the variants of each rule set without any house rule, each with those before it.

    The plan's families ask about these differences too, each as a family of its own.
    """
    found = list(_differences(study, estimates))
    for family in study.plan.families:
        at = [i for i, one in enumerate(found) if one.response in family.responses]
        asked = [
            Question(
                found[i].of, study.plan.rope if RESPONSES[found[i].response].in_points else 0.0
            )
            for i in at
        ]
        answers = answer(asked, family.correction, study.plan.alpha)
        for i, told in zip(at, answers, strict=True):
            found[i] = replace(found[i], family=f"{family.name}: variants", answer=told)
    return found


def variants_table(found: list[Between]) -> pd.DataFrame:
    """Write differences down as `COLUMNS`, a row each."""
    rows = [
        {
            "ruleset": one.cell.preset,
            "variant": one.cell.variant,
            "less": one.less.variant,
            "level": one.cell.level,
            "response": one.response,
            "words": RESPONSES[one.response].words,
            **_numbers(one),
            "family": one.family,
        }
        for one in found
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def variant_finding(study: Study, one: Between) -> dict[str, object]:
    """Write a row of findings."""
    less = one.less.rules.name
    return {
        "id": f"{one.cell.name}:{one.response}:variants:less:{less}",
        "family": one.family,
        "arm": one.cell.arm,
        "level": one.cell.level,
        "opponent": "",
        "ruleset": one.cell.preset,
        "estimand": f"{one.response} less {less}",
        "p": one.answer.p if one.answer else None,
        "p_holm": one.answer.p_holm if one.answer else None,
        "method": one.answer.method if one.answer else one.of.method,
        "seed_range": study.deals.range,
        "engine": engine_fingerprint(),
        **_numbers(one),
    }


def _differences(study: Study, estimates: Estimates) -> Iterator[Between]:
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in study.cells:
        if cell.unchanged is None and not cell.adapted and not cell.opponent:
            groups.setdefault((cell.preset, cell.level), []).append(cell)
    for cells in groups.values():
        for less, cell in combinations(cells, 2):
            for response, of in estimates[cell.name].items():
                if response in estimates[less.name]:
                    gap = of - estimates[less.name][response]
                    yield Between(cell, less, response, gap)


def _numbers(one: Between) -> dict[str, object]:
    own = one.of.row()
    ends = (one.answer.low, one.answer.high) if one.answer else (own["low"], own["high"])
    return {
        "unit": RESPONSES[one.response].unit,
        "est": one.of.value,
        "se": one.of.se,
        "lo": ends[0],
        "hi": ends[1],
        "n_blocks": one.of.blocks,
        "vrf": one.of.vrf,
        "p_adj": one.answer.p_adjusted if one.answer else None,
        "verdict": one.answer.verdict if one.answer else "",
    }
