"""Verdicts on the register of claims, from what its cells came to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.claims import Claim, Measure, Part, RuleCheck, load_claims, measures
from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.game import table_of
from kasino_sim.stats.families import correlations
from kasino_sim.stats.measured import Measured, quotient, weighed
from kasino_sim.stats.multiplicity import Family, holm_p, max_t
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.conclusion import Conclusion, Estimates
from kasino_sim.study import Cell, Study
from kasino_sim.study_plan import ALL

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "undecided"
ANSWERED, CANNOT = "answered", "cannot be tested"
HOLDS, FAILS, OPEN = "holds", "does not hold", "undecided"
NEVER = "never happens"
BY_RULES = "by the rules"
LEGAL, NOT_LEGAL = "legal", "not legal"

Cells = Mapping[tuple[object, ...], Cell]  # the study's, by what is played


@dataclass(frozen=True)
class Found:
    """What a test came to in one rule set with one seating."""

    measure: Measure
    of: Measured | None
    low: float
    high: float
    p: float
    p_adjusted: float
    p_holm: float
    holds: str
    method: str


def study_measures(study: Study) -> list[Measure]:
    """Work out the tests of a study of claims again, as its cells were laid out."""
    names = ruleset_names() if study.plan.rulesets == (ALL,) else study.plan.rulesets
    return measures(load_claims(), names, study.plan.players)


def guides(source: str) -> str:
    """Name the guides that a claim is from, without the numbers they have in the register."""
    return re.sub(r"\bS\d, ", "", source)


def criterion(row: Any, gap: str = " ") -> str:
    """Say where a number lies if the claim is true; empty where the claim sets no bound.

    Parameters
    ----------
    row : mapping
        With `unit`, `least` and `most`.
    gap : str
        What stands before a sign for per cent.
    """
    share = str(row["unit"]).startswith("share")
    scale, unit = (100, f"{gap}%") if share else (1, "")
    ends = (("at least", row["least"]), ("at most", row["most"]))
    return " and ".join(f"{text} {scale * end:.4g}{unit}" for text, end in ends if pd.notna(end))


def conclude(study: Study, estimates: Estimates, told: pd.DataFrame) -> Conclusion:
    """Test every claim; see `conclusion.Conclude`.

    Returns
    -------
    Conclusion
        A finding for each number; tables `claims`, a verdict a row, and `claim_tests`, a number a
        row.
    """
    by_key = {_key(cell.rules.name, cell.players, cell.known): cell for cell in study.cells}
    numbers = [(one, _number(one, estimates, by_key)) for one in study_measures(study)]
    found = _intervals(numbers, 1 - study.plan.alpha)
    claims = load_claims()
    legal = {
        claim.id: [_legal(claim, check, study) for check in claim.positions] for claim in claims
    }
    verdicts = [
        _verdict(claim, [f for f in found if f.measure.claim.id == claim.id], legal[claim.id])
        for claim in claims
    ]
    return Conclusion(
        pd.DataFrame([_finding(study, one, by_key) for one in found if one.of is not None]),
        {
            "claims": pd.DataFrame(verdicts),
            "claim_tests": pd.DataFrame(
                [
                    *(_row(one) for one in found),
                    *(row for rows in legal.values() for part in rows for row in part),
                ]
            ),
        },
    )


def _key(rules: str, players: Sequence[object], known: Sequence[int]) -> tuple[object, ...]:
    return rules, tuple(getattr(p, "name", p) for p in players), tuple(known)


def _cell_of(part: Part, by_key: Cells) -> Cell:
    """Return the study's cell that plays a part."""
    return by_key[_key(part.cell.rules.name, part.cell.players, part.cell.known)]


def _number(measure: Measure, estimates: Estimates, by_key: Cells) -> Measured | None:
    """Put the number of a test together; None where a part of it is not there."""

    def of(part: Part) -> Measured | None:
        return estimates[_cell_of(part, by_key).name].get(part.response)

    above = [(part.times, of(part)) for part in measure.parts]
    below = [(part.times, of(part)) for part in measure.per]
    if not above or any(found is None for _, found in (*above, *below)):
        return None
    total = weighed([(t, m) for t, m in above if m is not None], measure.check.plus)
    if not below:
        return total
    return quotient(total, weighed([(t, m) for t, m in below if m is not None]))


def _intervals(
    numbers: Sequence[tuple[Measure, Measured | None]], confidence: float
) -> list[Found]:
    """Give every number its interval: those of claims hold together, those of questions alone."""
    tested = [
        (one, of) for one, of in numbers
        if of is not None and of.se is not None and not one.claim.question
    ]  # fmt: skip
    reach, p_values = 0.0, dict[str, tuple[float, float]]()
    if tested:
        some = [of for _, of in tested]
        gaps = np.array([_gap(one, of.value) for one, of in tested])
        ses = np.array([float(of.se or 0) for of in some])
        family = Family(gaps, ses, correlations(some), min(of.df for of in some))
        adjusted = max_t(family, confidence)
        reach = float(adjusted.reach)
        both = zip(adjusted.p, holm_p(family.p), strict=True)
        p_values = {
            one.id: (float(p), float(p_holm))
            for (one, _), (p, p_holm) in zip(tested, both, strict=True)
        }
    return [_found(one, of, reach, p_values, confidence) for one, of in numbers]


def _gap(measure: Measure, value: float) -> float:
    """Return how far a number is from the nearest end of where the claim wants it."""
    ends = [end for end in (measure.check.least, measure.check.most) if end is not None]
    return min((value - end for end in ends), key=abs)


def _found(
    one: Measure,
    of: Measured | None,
    reach: float,
    p_values: Mapping[str, tuple[float, float]],
    confidence: float,
) -> Found:
    nan = float("nan")
    none = nan, nan, nan
    if of is None or not np.isfinite(of.value):
        return Found(one, None, nan, nan, *none, "", "" if one.missing else NEVER)
    if of.se is None:
        exact = of.blocks > 1 and float(of.parts @ of.parts) < 1e-20
        holds = "" if one.claim.question else _holds(one, of.value, of.value) if exact else OPEN
        low = of.value if exact else nan
        return Found(one, of, low, low, *none, holds, "the same in every deal" if exact else "")
    if one.claim.question:
        row = of.row(confidence)
        return Found(one, of, row["low"], row["high"], *none, "", of.method)
    low, high = of.value - reach * of.se, of.value + reach * of.se
    from scipy.stats import t

    p = float(2 * t.sf(abs(_gap(one, of.value)) / of.se, of.df))
    holds = _holds(one, low, high)
    return Found(one, of, low, high, p, *p_values[one.id], holds, f"{of.method}, max-t")


def _holds(measure: Measure, low: float, high: float) -> str:
    check = measure.check
    least = -np.inf if check.least is None else check.least
    most = np.inf if check.most is None else check.most
    if low >= least and high <= most:
        return HOLDS
    return FAILS if high < least or low > most else OPEN


# ---------------------------------------------------------------- rules


def _legal(claim: Claim, check: RuleCheck, study: Study) -> list[dict[str, object]]:
    """Look whether a move is legal, in every rule set."""
    return [_looked_up(claim, check, name) for name in check.rulesets or study.plan.rulesets]


def _looked_up(claim: Claim, check: RuleCheck, name: str) -> dict[str, object]:
    legal = _is_legal(check, name)
    return {
        "claim": claim.id,
        "words": check.words,
        "ruleset": name,
        "variant": "",
        "level": "",
        "found": LEGAL if legal else NOT_LEGAL,
        "holds": HOLDS if legal == check.legal else FAILS,
        "unit": BY_RULES,
        "method": f"is {check.move} legal with {check.table} on the table",
        "n_blocks": 0,
    }


def _is_legal(check: RuleCheck, name: str) -> bool:
    rules = load_ruleset(name)
    table = table_of(
        {
            "rules": name,
            "players": rules.n_players,
            "dealer": rules.n_players - 1,
            "to_move": 0,
            "hands": [check.hand.split(), *([None] * (rules.n_players - 1))],
            "table": check.table.split(),
        },
        f"claims: {check.words}",
    )
    return check.move in map(str, table.legal_moves())


# ---------------------------------------------------------------- verdicts


def _verdict(
    claim: Claim, found: Sequence[Found], legal: Sequence[Sequence[Mapping[str, object]]]
) -> dict[str, object]:
    """Judge a claim by its tests; missing ones say so."""
    missing = [f.measure.missing or _never(f.measure) for f in found if f.of is None]
    rows: list[Mapping[str, object]] = [
        {
            "ruleset": f.measure.ruleset,
            "variant": "+".join(f.measure.variant),
            "level": _level(f.measure),
            "test": str(claim.tests.index(f.measure.check)),
            "holds": f.holds,
        }
        for f in found
        if f.of is not None and np.isfinite(f.of.value)
    ]
    rows += [
        {"ruleset": r["ruleset"], "variant": "", "level": "", "test": f"rule {i}",
         "holds": r["holds"]}
        for i, part in enumerate(legal) for r in part
    ]  # fmt: skip
    verdict, depends = _judge(claim, rows)
    why = "; ".join(filter(None, [claim.cannot, *dict.fromkeys(missing)]))
    return {
        "claim": claim.id,
        "text": claim.text,
        "source": claim.source,
        "measured": claim.measured,
        "refuted_if": claim.refuted_if,
        "verdict": verdict,
        "depends_on": depends,
        "holds": sum(row["holds"] == HOLDS for row in rows),
        "fails": sum(row["holds"] == FAILS for row in rows),
        "undecided": sum(row["holds"] == OPEN for row in rows),
        "not_tested": why,
    }


def _judge(claim: Claim, rows: Sequence[Mapping[str, object]]) -> tuple[str, str]:
    if not rows:
        return CANNOT, ""
    if claim.question:
        return ANSWERED, ""
    holds = [row for row in rows if row["holds"] == HOLDS]
    fails = [row for row in rows if row["holds"] == FAILS]
    if holds and fails:
        return f"depends on {_separates(holds, fails)}", _separates(holds, fails)
    if len(holds) == len(rows):
        return CONFIRMED, ""
    return (REFUTED, "") if len(fails) == len(rows) else (UNDECIDED, "")


_AXES = {
    "ruleset": "the rule set",
    "variant": "the number of players",
    "level": "the players",
    "test": "what is meant",
}


def _separates(holds: Sequence[Mapping[str, object]], fails: Sequence[Mapping[str, object]]) -> str:
    """Name what tells the cases where a claim holds from those where it does not."""
    for axis, words in _AXES.items():
        if not {row[axis] for row in holds} & {row[axis] for row in fails}:
            return words
    every = [*holds, *fails]
    several = [words for axis, words in _AXES.items() if len({row[axis] for row in every}) > 1]
    return " and ".join(several)


def _never(measure: Measure) -> str:
    """Say what never happens, so that there is no number."""
    words = measure.check.words or RESPONSES[measure.check.response].words
    return f"“{words}” {NEVER} where {_level(measure)} plays"


def _level(measure: Measure) -> str:
    return " against ".join(dict.fromkeys(measure.players))


# ---------------------------------------------------------------- rows


def _row(one: Found) -> dict[str, object]:
    check, measure, of = one.measure.check, one.measure, one.of
    return {
        "claim": measure.claim.id,
        "words": check.words or RESPONSES[check.response].words,
        "ruleset": measure.ruleset,
        "variant": "+".join(measure.variant),
        "level": _level(measure),
        "est": of.value if of else None,
        "se": of.se if of else None,
        "lo": one.low,
        "hi": one.high,
        "least": check.least,
        "most": check.most,
        "unit": _unit(one),
        "n_blocks": of.blocks if of else 0,
        "found": "",
        "holds": one.holds,
        "method": one.method or measure.missing,
    }


def _unit(one: Found) -> str:
    check = one.measure.check
    return check.unit or ("ratio" if check.per else RESPONSES[check.response].unit)


def _finding(study: Study, one: Found, by_key: Cells) -> dict[str, object]:
    of, measure = one.of, one.measure
    assert of is not None
    # The test's own: what it is taken off and divided by follows.
    cell = _cell_of(measure.parts[0], by_key)
    return {
        "id": measure.id,
        "family": "" if measure.claim.question else "claims",
        "arm": cell.arm_and_fix,
        "level": cell.level,
        "opponent": cell.opponent,
        "ruleset": measure.ruleset,
        "estimand": measure.check.words or measure.check.response,
        "unit": _unit(one),
        "est": of.value,
        "se": of.se,
        "lo": one.low,
        "hi": one.high,
        "n_blocks": of.blocks,
        "vrf": of.vrf,
        "p": one.p,
        "p_adj": one.p_adjusted,
        "p_holm": one.p_holm,
        "verdict": one.holds,
        "method": one.method,
        "seed_range": study.deals.range,
        "engine": engine_fingerprint(),
    }
