"""What a house rule changes in all, once players have learnt it, and how much of it is learnt.

For every cell players are tuned anew with one budget: for the rules with the change, knowing what
the items are worth there, and just so for the rules without. The total effect is the difference of
what these play; less the mechanical effect, of players who go on as before, it is the adaptation.
Each is the mean over several searches apart from one another, and its standard error holds the
spread between these as well as the decks. Two or three searches say little of their spread, so it
is pooled over all house rules of a rule set, unless the searches of one lie further apart: then
their own counts, with its own few degrees of freedom, as it does where there are ten searches or
more. `verification_restarts` checks the intervals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.stats.families import SAME, Answer, Question, answer
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.stats.restarts import Spread, over_restarts, pooled_spread
from kasino_sim.studies.conclusion import Estimates
from kasino_sim.studies.kinds import partner
from kasino_sim.study import Cell, Study

TOTAL, ADAPTATION = "total", "adaptation"
NOT_RUN, NOT_FOUND = "not run", "none found"
NUMBERS = ("est", "se", "lo", "hi")


@dataclass(frozen=True)
class Adaptation:
    """A total effect, or what of it is adaptation.

    Attributes
    ----------
    kind : str
        ``total`` or ``adaptation``.
    cell : Cell
        The cell of the mechanical effect.
    response : str
    of : Measured
    family : str
        Empty where no family asks; an adaptation is told without a verdict of its own family.
    answer : Answer or None
    """

    kind: str
    cell: Cell
    response: str
    of: Measured
    family: str = ""
    answer: Answer | None = None


def adaptations(study: Study, estimates: Estimates) -> list[Adaptation]:
    """Estimate total effects and adaptations, and answer the plan's families about them.

    P-values and intervals allow for a family after Holm and Bonferroni, each with degrees of
    freedom of its own: the searches are too few for what correlates them to be known.
    """
    found = list(_estimated(study, estimates))
    for family in study.plan.families:
        for kind in (TOTAL, ADAPTATION):
            at = [
                i
                for i, one in enumerate(found)
                if one.kind == kind and one.response in family.responses
            ]
            asked = [
                Question(
                    found[i].of, study.plan.rope if RESPONSES[found[i].response].in_points else 0.0
                )
                for i in at
            ]
            name = f"{family.name}: {kind}"
            for i, told in zip(at, answer(asked, "holm", study.plan.alpha), strict=True):
                found[i] = replace(found[i], family=name, answer=told)
    return found


def _estimated(study: Study, estimates: Estimates) -> Iterator[Adaptation]:
    if study.plan.adapt is None:
        return
    searched: dict[str, list[Cell]] = {}
    for cell in study.cells:
        if cell.adapted:
            searched.setdefault(cell.rules.name, []).append(cell)
    spreads: dict[tuple[str, str, str], Spread] = {}
    for cell in study.cells:
        before = partner(study, cell)
        mine = searched.get(cell.rules.name, [])
        if cell.adapted or before is None or not mine or cell.opponent:
            continue
        if cell.level != study.plan.adapt.player:
            continue
        for response, own in estimates[cell.name].items():
            gaps = [_gap(study, estimates, one, response) for one in mine]
            known = [gap for gap in gaps if gap is not None]
            if len(known) < len(gaps) or response not in estimates[before.name]:
                continue
            place = (cell.preset, cell.variant, response)
            if place not in spreads:
                alike = [c for c in searched.values() if (c[0].preset, c[0].variant) == place[:2]]
                spreads[place] = _spread(estimates, alike, response)
            mechanical = own - estimates[before.name][response]
            yield Adaptation(TOTAL, cell, response, over_restarts(known, spreads[place]))
            learnt = over_restarts([gap - mechanical for gap in known], spreads[place])
            yield Adaptation(ADAPTATION, cell, response, learnt)


def _spread(estimates: Estimates, cells: Sequence[Sequence[Cell]], response: str) -> Spread:
    """Pool what searches do to a response, over those house rules under which it is known."""
    known = [
        [estimates[one.name][response] for one in some]
        for some in cells
        if all(response in estimates[one.name] for one in some)
    ]
    return pooled_spread(known)


def _gap(study: Study, estimates: Estimates, cell: Cell, response: str) -> Measured | None:
    """Return what a change does between two players of one search each, alike but for it."""
    base = partner(study, cell)
    if base is None or response not in estimates[cell.name]:
        return None
    return estimates[cell.name][response] - estimates[base.name][response]


def with_totals(effects: pd.DataFrame, found: Sequence[Adaptation]) -> pd.DataFrame:
    """Put total effects and adaptations beside the mechanical ones.

    Returns
    -------
    pandas.DataFrame
        With `total`, `total_se`, `total_lo`, `total_hi`, `total_verdict` and the same of
        `adaptation`; where nothing was run the verdicts say so.
    """
    by = {(one.cell.rules.name, one.cell.level, one.response, one.kind): one for one in found}
    added = []
    for row in effects.to_dict("records"):
        place = (f"{row['ruleset']}+{row['change']}", row["level"], row["response"])
        cells: dict[str, object] = {}
        for kind in (TOTAL, ADAPTATION):
            one = None if row["opponent"] else by.get((*place, kind))
            told = _numbers(one) if one else dict.fromkeys(NUMBERS, float("nan"))
            cells |= {f"{kind}_{name}".removesuffix("_est"): told[name] for name in NUMBERS}
            cells[f"{kind}_verdict"] = _verdict(one) if one else NOT_RUN
        added.append(cells)
    columns = [
        column
        for kind in (TOTAL, ADAPTATION)
        for column in (kind, f"{kind}_se", f"{kind}_lo", f"{kind}_hi", f"{kind}_verdict")
    ]
    more = pd.DataFrame(added, columns=columns, index=effects.index)
    return pd.concat([effects, more], axis=1)


def _numbers(one: Adaptation) -> dict[str, float]:
    nan = float("nan")
    own = one.of.row()
    ends = (one.answer.low, one.answer.high) if one.answer else (own["low"], own["high"])
    se = one.of.se
    return dict(zip(NUMBERS, (one.of.value, nan if se is None else se, *ends), strict=True))


def _verdict(one: Adaptation) -> str:
    """Return a verdict: that nothing is learnt is only that no search found it."""
    told = one.answer.verdict if one.answer else ""
    return NOT_FOUND if told == SAME and one.kind == ADAPTATION else told


def adaptation_finding(study: Study, one: Adaptation) -> dict[str, object]:
    """Write a row of findings."""
    cell = one.cell
    less = cell.unchanged.name if cell.unchanged else ""
    return {
        "id": f"{cell.name}:{one.response}:{one.kind}:less:{less}",
        "family": one.family,
        "arm": cell.arm,
        "level": cell.level,
        "opponent": "",
        "ruleset": cell.preset,
        "estimand": f"{one.response} ({one.kind}) less {less}",
        "unit": RESPONSES[one.response].unit,
        "n_blocks": one.of.blocks,
        "vrf": None,
        "p": one.answer.p if one.answer else None,
        "p_adj": one.answer.p_adjusted if one.answer else None,
        "p_holm": one.answer.p_holm if one.answer else None,
        "verdict": _verdict(one),
        "method": one.answer.method if one.answer else one.of.method,
        "seed_range": study.deals.range,
        "engine": engine_fingerprint(),
        **_numbers(one),
    }
