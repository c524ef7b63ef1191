"""House rules crossed with one another: main effects and interactions of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.errors import KasinoError
from kasino_sim.stats.factorial import Fit, aliases, fit, half_normal
from kasino_sim.stats.families import Answer, Question, answer
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.conclusion import Conclusion, Estimates
from kasino_sim.studies.house_rules import robustness
from kasino_sim.studies.kinds import responses_of, rope_of
from kasino_sim.study import Cell, Study
from kasino_sim.study_plan import changes_for

ALIASES = ("ruleset", "effect", "holds_also", "share")
MAIN, INTERACTION = "main effects", "interactions"


@dataclass(frozen=True)
class _Nest:
    """The cells of one rule set with one seating, and their design."""

    study: Study
    cells: tuple[Cell, ...]

    @property
    def runs(self) -> np.ndarray:
        return np.array([cell.levels for cell in self.cells])

    @property
    def names(self) -> list[str]:
        return [change.words for change in changes_for(self.study.plan, self.cells[0].preset)]


@dataclass(frozen=True)
class _Effect:
    nest: _Nest
    response: str
    place: tuple[int, ...]
    of: Measured
    regular: bool

    @property
    def words(self) -> str:
        return " x ".join(self.nest.names[i] for i in self.place)

    @property
    def family(self) -> str:
        return MAIN if len(self.place) == 1 else INTERACTION


def conclude(study: Study, estimates: Estimates, told: pd.DataFrame) -> Conclusion:
    """Estimate effects in every nest: a rule set with a seating.

    Returns
    -------
    Conclusion
        A finding for each effect; tables `crossed_effects`, `aliases`, `fits`, and of each house
        rule by itself `crossed_robustness`, see `house_rules.robustness`.
    """
    effects, fits = [], []
    nests = list(_nests(study))
    for nest in nests:
        for name in responses_of(study):
            found = [estimates[cell.name].get(name) for cell in nest.cells]
            known = [one for one in found if one is not None]
            if len(known) < len(found):
                continue
            fitted = _fit(study, nest, known)
            fits.append(_fit_row(nest, name, fitted))
            effects += [
                _Effect(nest, name, place, of, fitted.regular)
                for place, of in zip(fitted.effects, fitted.estimates, strict=True)
            ]
    answers = _answers(study, effects)
    rows = [_row(one, found) for one, found in zip(effects, answers, strict=True)]
    table = pd.DataFrame(rows)
    if len(table):
        keys = ["ruleset", "level", "response"]
        table["noise"] = table.groupby(keys)["est"].transform(lambda v: half_normal(v.to_numpy()))
    return Conclusion(
        pd.DataFrame([_finding(study, one, row) for one, row in zip(effects, rows, strict=True)]),
        {
            "crossed_effects": table,
            "aliases": pd.DataFrame(list(_alias_rows(nests)), columns=list(ALIASES)),
            "fits": pd.DataFrame(fits),
            "crossed_robustness": _robustness(study, table),
        },
    )


def _robustness(study: Study, effects: pd.DataFrame) -> pd.DataFrame:
    """Tell for every house rule by itself whether players of all levels agree."""
    if effects.empty:
        return pd.DataFrame()
    mains = effects[effects["order"] == 1]
    asked = mains.assign(rule=mains["effect"], variant="", family=MAIN)
    return robustness(study, asked)


def _nests(study: Study) -> Iterator[_Nest]:
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in study.cells:
        groups.setdefault((cell.preset, cell.level, cell.opponent), []).append(cell)
    for cells in groups.values():
        yield _Nest(study, tuple(cells))


def _fit(study: Study, nest: _Nest, found: Sequence[Measured]) -> Fit:
    try:
        return fit(nest.runs, found)
    except ValueError as error:
        raise KasinoError(
            f"{study.where}: {nest.cells[0].preset}: {error}; leave a house rule out, or one that "
            "means nothing beside others"
        ) from None


def _answers(study: Study, effects: Sequence[_Effect]) -> list[Answer]:
    """Answer main effects together, with simultaneous intervals; interactions are explored."""
    found: dict[int, Answer] = {}
    for family, correction in ((MAIN, "max-t"), (INTERACTION, "bh")):
        at = [i for i, one in enumerate(effects) if one.family == family]
        asked = [Question(effects[i].of, rope_of(study, effects[i].response)) for i in at]
        if asked:
            answers = answer(asked, correction, study.plan.alpha)
            found |= dict(zip(at, answers, strict=True))
    return [found[i] for i in range(len(effects))]


def _row(one: _Effect, found: Answer) -> dict[str, object]:
    cell = one.nest.cells[0]
    return {
        "ruleset": cell.preset,
        "level": cell.level,
        "opponent": cell.opponent,
        "response": one.response,
        "effect": one.words,
        "order": len(one.place),
        "unit": RESPONSES[one.response].unit,
        "est": one.of.value,
        "se": one.of.se,
        "lo": found.low,
        "hi": found.high,
        "p": found.p,
        "p_adj": found.p_adjusted,
        "p_holm": found.p_holm,
        "verdict": found.verdict,
        "runs": len(one.nest.cells),
        "method": f"{found.method}, {'contrast' if one.regular else 'generalized least squares'}",
    }


def _fit_row(nest: _Nest, response: str, fitted: Fit) -> dict[str, object]:
    cell = nest.cells[0]
    return {
        "ruleset": cell.preset,
        "level": cell.level,
        "opponent": cell.opponent,
        "response": response,
        "runs": len(nest.cells),
        "factors": nest.runs.shape[1],
        "regular": fitted.regular,
        "explained_by_main_effects": fitted.explained,
    }


def _alias_rows(nests: Sequence[_Nest]) -> Iterator[dict[str, object]]:
    """List the aliases of each design once."""
    for nest in {nest.cells[0].preset: nest for nest in nests}.values():
        names = nest.names
        for effect, other, share in aliases(nest.runs):
            yield {
                "ruleset": nest.cells[0].preset,
                "effect": " x ".join(names[i] for i in effect),
                "holds_also": " x ".join(names[i] for i in other),
                "share": share,
            }


def _finding(study: Study, one: _Effect, row: dict[str, object]) -> dict[str, object]:
    kept = ("level", "opponent", "ruleset", "unit", "est", "se", "lo", "hi", "p", "p_adj",
            "p_holm", "verdict", "method")  # fmt: skip
    who = f"{row['level']}-{row['opponent']}".rstrip("-")
    return {
        "id": f"{row['ruleset']}--{who}:{one.response}:{one.words}",
        "family": one.family,
        "arm": one.words,
        "estimand": f"{one.response}: {one.family[:-1]}",
        "n_blocks": one.of.blocks,
        "vrf": one.of.vrf,
        "seed_range": study.deals.range,
        "engine": engine_fingerprint(),
        **{name: row[name] for name in kept},
    }
