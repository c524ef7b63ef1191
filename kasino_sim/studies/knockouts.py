"""Knock-outs: what each skill is worth to a player, and what two are worth beyond both.

A skill that the player lacks is added to it: the level is then the player who has it, and loses it
with another skill where that is withheld from the other side. Two skills part nothing where who
lacks the one has no use for the other: the first contains the second, and no question is asked of
the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.stats.families import Answer, Question, answer
from kasino_sim.stats.measured import Measured, weighed
from kasino_sim.stats.responses import POINTS
from kasino_sim.studies.conclusion import Conclusion, Estimates
from kasino_sim.study import Cell, Study

SINGLE, PAIR, INTERACTION = "skills", "pairs of skills", "interactions of skills"
ADDED, CONTAINS, SHARE = "added", "contains the other", "share weights"
COLUMNS = (
    "ruleset", "level", "opponent", "kind", "skill", "with", "words", "est", "se", "lo", "hi",
    "p", "p_adj", "p_holm", "verdict", "n_blocks", "method", "note",
)  # fmt: skip


@dataclass(frozen=True)
class _Loss:
    cell: Cell
    kind: str
    of: Measured
    note: str = ""
    order: tuple[str, ...] = ()  # the skills, one that contains the other first


def conclude(study: Study, estimates: Estimates, told: pd.DataFrame) -> Conclusion:
    """Tell what is lost without each skill, and each pair of them.

    Returns
    -------
    Conclusion
        A finding each, and a table `skills`; its `note` says which skill is added, and of two
        whether one contains the other or they share weights. An interaction above 0: two lost
        together cost more than both alone, so that each makes up for the other; below 0 one is
        worth less without the other, or little was left to lose.
    """
    losses = list(_losses(study, estimates))
    answers: dict[int, Answer] = {}
    for kind, correction in ((SINGLE, "max-t"), (PAIR, "max-t"), (INTERACTION, "bh")):
        at = [i for i, one in enumerate(losses) if one.kind == kind and one.note != CONTAINS]
        asked = [Question(losses[i].of, study.plan.rope) for i in at]
        found = answer(asked, correction, study.plan.alpha) if asked else []
        answers |= dict(zip(at, found, strict=True))
    answers |= {i: _of_one(one.of) for i, one in enumerate(losses) if one.note == CONTAINS}
    rows = [_row(study, one, answers[i]) for i, one in enumerate(losses)]
    return Conclusion(
        pd.DataFrame([_finding(study, one, row) for one, row in zip(losses, rows, strict=True)]),
        {"skills": pd.DataFrame(rows, columns=list(COLUMNS))},
    )


def _of_one(of: Measured) -> Answer:
    """Give a pair of which one skill contains the other its own interval, and no verdict."""
    own = of.row()
    nan = float("nan")
    return Answer(own["low"], own["high"], nan, nan, CONTAINS, f"{of.method}, none")


def _losses(study: Study, estimates: Estimates) -> Iterator[_Loss]:
    found = {(c.preset, *c.role): estimates[c.name]["skill_points"] for c in study.cells}
    skills = {skill.name: skill for skill in study.plan.skills}
    for cell in study.cells:
        of = found[(cell.preset, *cell.role)]
        if len(cell.role) == 1:
            note = ADDED if skills[cell.role[0]].has else ""
            yield _Loss(cell, SINGLE, of, note, cell.role)
            continue
        alone = [found[cell.preset, name] for name in cell.role]
        note, order = _between(cell.role, of, alone)
        if not note and set.intersection(*(set(skills[name].weights) for name in cell.role)):
            note = SHARE
        yield _Loss(cell, PAIR, of, note, order)
        both = weighed([(1.0, of), *((-1.0, one) for one in alone)])
        yield _Loss(cell, INTERACTION, both, note, order)


def _between(
    role: tuple[str, ...], both: Measured, alone: Sequence[Measured]
) -> tuple[str, tuple[str, ...]]:
    """Tell whether one skill contains the other: losing both is losing the one, in every chunk."""
    one, other = alone
    if _never(both - one) and not _never(other):
        return CONTAINS, role
    if _never(both - other) and not _never(one):
        return CONTAINS, role[::-1]
    return "", role


def _never(of: Measured) -> bool:
    """Whether it is 0 in every chunk."""
    return abs(of.value) < 1e-12 and float(of.parts @ of.parts) < 1e-24


def _row(study: Study, one: _Loss, found: Answer) -> dict[str, object]:
    first, *second = one.cell.role
    return {
        "ruleset": one.cell.preset,
        "level": one.cell.players[0].name,
        "opponent": one.cell.players[1].name,
        "kind": one.kind,
        "skill": first,
        "with": second[0] if second else "",
        "words": _words(study, one),
        "est": one.of.value,
        "se": one.of.se,
        "lo": found.low,
        "hi": found.high,
        "p": found.p,
        "p_adj": found.p_adjusted,
        "p_holm": found.p_holm,
        "verdict": found.verdict,
        "n_blocks": one.of.blocks,
        "method": found.method,
        "note": one.note,
    }


def _words(study: Study, one: _Loss) -> str:
    words = {skill.name: skill.words for skill in study.plan.skills}
    if one.note == CONTAINS:
        return ", which contains ".join(words[name] for name in one.order)
    told = " and ".join(words[name] for name in one.order)
    return f"{told} ({one.note})" if one.note else told


def _finding(study: Study, one: _Loss, row: dict[str, object]) -> dict[str, object]:
    kept = ("level", "opponent", "ruleset", "est", "se", "lo", "hi", "n_blocks", "p", "p_adj",
            "p_holm", "verdict", "method")  # fmt: skip
    return {
        "id": f"{one.cell.name}:{one.kind}",
        "family": one.kind,
        "arm": "+".join(one.cell.role),
        "estimand": _estimand(one),
        "unit": POINTS,
        "vrf": one.of.vrf,
        "seed_range": study.deals.range,
        "engine": engine_fingerprint(),
        **{name: row[name] for name in kept},
    }


def _estimand(one: _Loss) -> str:
    if one.note == ADDED and one.kind == SINGLE:
        return "points gained with the skill"
    if one.kind == INTERACTION:
        return "points lost beyond both alone"
    return "points lost without the skill"
