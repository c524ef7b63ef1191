"""What a plan's variants, such as numbers of players, come to beside one another, unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import pandas as pd

from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.conclusion import Estimates
from kasino_sim.studies.differences import VARIANTS, Difference, answered
from kasino_sim.study import Cell, Study

COLUMNS = (
    "ruleset", "variant", "less", "level", "response", "words", "unit", "est", "se", "lo", "hi",
    "n_blocks", "vrf", "p_adj", "family", "verdict",
)  # fmt: skip


def between_variants(study: Study, estimates: Estimates) -> list[Difference]:
    """Compare the variants of each rule set without any house rule, each with those before it.

    The plan's families ask about these differences too, each as a family of its own.
    """
    found = list(_differences(study, estimates))
    for family in study.plan.families:
        found = answered(study, found, family, VARIANTS, family.correction)
    return found


def variants_table(found: Sequence[Difference]) -> pd.DataFrame:
    """Write differences down as `COLUMNS`, a row each."""
    rows = [
        {
            "ruleset": one.cell.preset,
            "variant": one.cell.variant,
            "less": one.less.partition("+")[2],
            "level": one.cell.level,
            "response": one.response,
            "words": RESPONSES[one.response].words,
            "unit": RESPONSES[one.response].unit,
            **one.numbers,
            "n_blocks": one.of.blocks,
            "vrf": one.of.vrf,
            "p_adj": one.answer.p_adjusted if one.answer else None,
            "family": one.family,
            "verdict": one.verdict,
        }
        for one in found
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _differences(study: Study, estimates: Estimates) -> Iterator[Difference]:
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in study.cells:
        if cell.unchanged is None and not cell.adapted and not cell.opponent:
            groups.setdefault((cell.preset, cell.level), []).append(cell)
    for cells in groups.values():
        for less, cell in combinations(cells, 2):
            for response, of in estimates[cell.name].items():
                if response in estimates[less.name]:
                    gap = of - estimates[less.name][response]
                    yield Difference(VARIANTS, cell, less.rules.name, response, gap)
