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

import pandas as pd

from kasino_sim.stats.measured import Measured
from kasino_sim.stats.restarts import Spread, over_restarts, pooled_spread
from kasino_sim.studies.conclusion import Estimates
from kasino_sim.studies.differences import ADAPTATION, TOTAL, Difference, answered
from kasino_sim.studies.kinds import partner
from kasino_sim.study import Cell, Study

NOT_RUN = "not run"
NUMBERS = ("est", "se", "lo", "hi")
ADDED = tuple(
    f"{kind}_{name}".removesuffix("_est")
    for kind in (TOTAL, ADAPTATION)
    for name in (*NUMBERS, "verdict")
)


def adaptations(study: Study, estimates: Estimates) -> list[Difference]:
    """Estimate total effects and adaptations, and answer the plan's families about them.

    P-values and intervals allow for a family after Holm and Bonferroni, each with degrees of
    freedom of its own: the searches are too few for what correlates them to be known.
    """
    found = list(_estimated(study, estimates))
    for family in study.plan.families:
        for kind in (TOTAL, ADAPTATION):
            found = answered(study, found, family, kind, "holm")
    return found


def _estimated(study: Study, estimates: Estimates) -> Iterator[Difference]:
    if study.plan.adapt is None:
        return
    searched: dict[tuple[str, str], list[Cell]] = {}
    for cell in study.cells:
        if cell.adapted:
            searched.setdefault((cell.rules.name, cell.learner), []).append(cell)
    spreads: dict[tuple[str, str, str, str], Spread] = {}
    for cell in study.cells:
        before = partner(study, cell)
        mine = searched.get((cell.rules.name, cell.level), [])
        if cell.adapted or before is None or not mine or cell.opponent:
            continue
        less = before.rules.name
        for response, own in estimates[cell.name].items():
            gaps = [_gap(study, estimates, one, response) for one in mine]
            known = [gap for gap in gaps if gap is not None]
            if len(known) < len(gaps) or response not in estimates[before.name]:
                continue
            place = (cell.preset, cell.variant, cell.level, response)
            if place not in spreads:
                alike = [
                    c
                    for c in searched.values()
                    if (c[0].preset, c[0].variant, c[0].learner) == place[:3]
                ]
                spreads[place] = _spread(estimates, alike, response)
            mechanical = own - estimates[before.name][response]
            total = over_restarts(known, spreads[place])
            learnt = over_restarts([gap - mechanical for gap in known], spreads[place])
            yield Difference(TOTAL, cell, less, response, total)
            yield Difference(ADAPTATION, cell, less, response, learnt)


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


def with_totals(effects: pd.DataFrame, found: Sequence[Difference]) -> pd.DataFrame:
    """Put total effects and adaptations beside the mechanical ones.

    Returns
    -------
    pandas.DataFrame
        With `total`, `total_se`, `total_lo`, `total_hi`, `total_verdict` and the same of
        `adaptation` (`ADDED`); where nothing was run the verdicts say so.
    """
    by = {(one.cell.rules.name, one.cell.level, one.response, one.kind): one for one in found}
    added = []
    for row in effects.to_dict("records"):
        place = (f"{row['ruleset']}+{row['change']}", row["level"], row["response"])
        told: list[object] = []
        for kind in (TOTAL, ADAPTATION):
            one = None if row["opponent"] else by.get((*place, kind))
            told += one.numbers.values() if one else (None,) * len(NUMBERS)
            told.append(one.verdict if one else NOT_RUN)
        added.append(told)
    more = pd.DataFrame(added, columns=list(ADDED), index=effects.index)
    more = more.astype({name: float for name in ADDED if not name.endswith("verdict")})
    return pd.concat([effects, more], axis=1)
