"""Knock-outs: what each skill is worth to a player, and what two are worth beyond both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.stats.families import Answer, Question, answer
from kasino_sim.stats.measured import Measured, weighed
from kasino_sim.stats.responses import POINTS
from kasino_sim.studies.conclusion import Conclusion, Estimates
from kasino_sim.study import Cell, Study

SINGLE, PAIR, INTERACTION = "skills", "pairs of skills", "interactions of skills"
COLUMNS = (
    "ruleset", "level", "kind", "skill", "with", "words", "est", "se", "lo", "hi", "p", "p_adj",
    "verdict", "n_blocks", "method",
)  # fmt: skip


@dataclass(frozen=True)
class _Loss:
    cell: Cell
    kind: str
    of: Measured


def conclude(study: Study, estimates: Estimates, told: pd.DataFrame) -> Conclusion:
    """Tell what is lost without each skill, and each pair of them.

    Returns
    -------
    Conclusion
        A finding each, and a table `skills`. An interaction above 0: two lost together cost more
        than both alone, so that each makes up for the other; below 0 they do the same work.
    """
    losses = list(_losses(study, estimates))
    answers: dict[int, Answer] = {}
    for kind, correction in ((SINGLE, "max-t"), (PAIR, "max-t"), (INTERACTION, "bh")):
        at = [i for i, one in enumerate(losses) if one.kind == kind]
        asked = [Question(losses[i].of, study.plan.rope) for i in at]
        found = answer(asked, correction, study.plan.alpha) if asked else []
        answers |= dict(zip(at, found, strict=True))
    rows = [_row(study, one, answers[i]) for i, one in enumerate(losses)]
    return Conclusion(
        pd.DataFrame([_finding(study, one, row) for one, row in zip(losses, rows, strict=True)]),
        {"skills": pd.DataFrame(rows, columns=list(COLUMNS))},
    )


def _losses(study: Study, estimates: Estimates) -> Iterator[_Loss]:
    found = {(c.preset, *c.role): estimates[c.name]["skill_points"] for c in study.cells}
    for cell in study.cells:
        of = found[(cell.preset, *cell.role)]
        yield _Loss(cell, SINGLE if len(cell.role) == 1 else PAIR, of)
        if len(cell.role) == 2:
            one, other = (found[cell.preset, name] for name in cell.role)
            both = weighed([(1.0, of), (-1.0, one), (-1.0, other)])
            yield _Loss(cell, INTERACTION, both)


def _row(study: Study, one: _Loss, found: Answer) -> dict[str, object]:
    words = {skill.name: skill.words for skill in study.plan.skills}
    first, *second = one.cell.role
    return {
        "ruleset": one.cell.preset,
        "level": study.plan.players[0][0],
        "kind": one.kind,
        "skill": first,
        "with": second[0] if second else "",
        "words": " and ".join(words[name] for name in one.cell.role),
        "est": one.of.value,
        "se": one.of.se,
        "lo": found.low,
        "hi": found.high,
        "p": found.p,
        "p_adj": found.p_adjusted,
        "verdict": found.verdict,
        "n_blocks": one.of.blocks,
        "method": found.method,
    }


def _finding(study: Study, one: _Loss, row: dict[str, object]) -> dict[str, object]:
    kept = ("level", "ruleset", "est", "se", "lo", "hi", "n_blocks", "p", "p_adj", "verdict",
            "method")  # fmt: skip
    return {
        "id": f"{one.cell.name}:{one.kind}",
        "family": one.kind,
        "arm": "+".join(one.cell.role),
        "opponent": one.cell.players[1].name,
        "estimand": "points lost without the skill"
        if one.kind != INTERACTION
        else "points lost beyond both alone",
        "unit": POINTS,
        "vrf": None,
        "seed_range": study.deals.range,
        "engine": engine_fingerprint(),
        **{name: row[name] for name in kept},
    }
