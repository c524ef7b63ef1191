"""Differences of cells that a study tells beside those of each cell from its partner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.stats.families import SAME, Answer, Question, answer
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.kinds import rope_of
from kasino_sim.study import Cell, Study
from kasino_sim.study_plan import Family

VARIANTS, TOTAL, ADAPTATION = "variants", "total", "adaptation"
NOT_FOUND = "none found"


@dataclass(frozen=True)
class Difference:
    """One cell less another.

    Attributes
    ----------
    kind : str
        `VARIANTS`: one variant of a rule set less another; `TOTAL`: a house rule once players have
        learnt it; `ADAPTATION`: what of that is learnt.
    cell : Cell
    less : str
        The name of the rules that are taken off.
    response : str
    of : Measured
    family : str
        Empty where no family of the plan asks.
    answer : Answer or None
    """

    kind: str
    cell: Cell
    less: str
    response: str
    of: Measured
    family: str = ""
    answer: Answer | None = None

    @property
    def verdict(self) -> str:
        """The family's answer; that nothing is learnt is only that no search found it."""
        told = self.answer.verdict if self.answer else ""
        return NOT_FOUND if told == SAME and self.kind == ADAPTATION else told

    @property
    def numbers(self) -> dict[str, float | None]:
        """Estimate, standard error and the ends of the interval, as the family allows for it."""
        own = self.of.row()
        ends = (self.answer.low, self.answer.high) if self.answer else (own["low"], own["high"])
        return {"est": self.of.value, "se": self.of.se, "lo": ends[0], "hi": ends[1]}


def answered(
    study: Study, found: Sequence[Difference], family: Family, kind: str, correction: str
) -> list[Difference]:
    """Answer what a family of the plan asks about differences of a kind: a family of its own."""
    at = [i for i, d in enumerate(found) if d.kind == kind and d.response in family.responses]
    asked = [Question(found[i].of, rope_of(study, found[i].response)) for i in at]
    told = list(found)
    for i, one in zip(at, answer(asked, correction, study.plan.alpha), strict=True):
        told[i] = replace(found[i], family=f"{family.name}: {kind}", answer=one)
    return told


def difference_findings(study: Study, found: Iterable[Difference]) -> list[dict[str, object]]:
    """Write rows of findings."""
    return [_finding(study, one) for one in found]


def _finding(study: Study, one: Difference) -> dict[str, object]:
    cell = one.cell
    of_kind = "" if one.kind == VARIANTS else f" ({one.kind})"
    return {
        "id": f"{cell.name}:{one.response}:{one.kind}:less:{one.less}",
        "family": one.family,
        "arm": cell.arm,
        "level": cell.level,
        "opponent": "",
        "ruleset": cell.preset,
        "estimand": f"{one.response}{of_kind} less {one.less}",
        "unit": RESPONSES[one.response].unit,
        **one.numbers,
        "n_blocks": one.of.blocks,
        "vrf": one.of.vrf if one.kind == VARIANTS else None,
        "p": one.answer.p if one.answer else None,
        "p_adj": one.answer.p_adjusted if one.answer else None,
        "p_holm": one.answer.p_holm if one.answer else None,
        "verdict": one.verdict,
        "method": one.answer.method if one.answer else one.of.method,
        "seed_range": study.deals.range,
        "engine": engine_fingerprint(),
    }
