"""House rules one by one: what each changes, and whether it does so for all players.

What a rule changes for players who go on as before is its mechanical effect. Where the plan has
players tuned anew, its total effect is told beside it, and the difference, what they adapt; see
`studies.adaptation`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from kasino_sim.stats.families import SAME
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.adaptation import NOT_RUN, adaptations, with_totals
from kasino_sim.studies.conclusion import Conclusion, Estimates
from kasino_sim.studies.differences import difference_findings
from kasino_sim.studies.kinds import rope_of
from kasino_sim.studies.variants import between_variants, variants_table
from kasino_sim.study import Cell, Study

LEVELS = 3  # players that must agree, so that a finding is not about one of them
ROBUST, SIGN, DEPENDS, UNDECIDED = (
    "robust", "the sign is robust", "depends on the players", "undecided",
)  # fmt: skip
NOTHING, LITTLE = "the same in every deal", "too little to notice for all"
FEW, ONE_PAIR = "fewer than three levels", "asked of one pair of players only"
APPROXIMATIONS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("svensk", "deal.swap_point_cards=true"): "an approximation: the guide lets the dealer "
        "choose, and here the cards are always exchanged",
    }
)
"""By rule set and change: where a house rule cannot be played just as it is told."""
AGREED = (
    "ruleset",
    "variant",
    "rule",
    "response",
    "levels",
    "with_a_say",
    "least",
    "most",
    "robust",
)
MECHANICAL: Mapping[str, str] = MappingProxyType(
    {name: name for name in ("est", "se", "lo", "hi", "verdict")}
)
TOTALS: Mapping[str, str] = MappingProxyType(
    {"est": "total"} | {name: f"total_{name}" for name in ("se", "lo", "hi", "verdict")}
)
WITHIN = frozenset({INSIDE, SMALL, SAME})  # one class: nobody would notice


def conclude(study: Study, estimates: Estimates, told: pd.DataFrame) -> Conclusion:
    """Put the effects of house rules into a table, and tell which are robust.

    Returns
    -------
    Conclusion
        Findings about total effects, and about variants beside one another; tables `effects`, a row
        for each rule set, house rule, response and seating, `robustness`, a row for each rule set,
        house rule and response that a family asks about, `left_out`, `total_robustness` where
        players were tuned anew, and `variants` where the plan has more than one.
    """
    totals = adaptations(study, estimates)
    effects = with_totals(effects_of(study, told), totals)
    left_out = pd.DataFrame({"left_out": list(study.notes)}, dtype=str)
    between = between_variants(study, estimates)
    findings = difference_findings(study, [*totals, *between])
    tables = {
        "effects": effects,
        "robustness": robustness(study, effects),
        "left_out": left_out,
    }
    if totals:
        tables["total_robustness"] = robustness(study, effects, TOTALS)
    if between:
        tables["variants"] = variants_table(between)
    return Conclusion(pd.DataFrame(findings), tables)


def effects_of(study: Study, told: pd.DataFrame) -> pd.DataFrame:
    """List the differences that changes make, with the words for them."""
    cells = {cell.name: cell for cell in study.cells if cell.unchanged is not None}
    rows = told[told["estimand"].str.contains(" less ")]
    found = []
    for row in rows.to_dict("records"):
        name = str(row["id"]).partition(":")[0]
        if name not in cells:
            continue
        cell, response = cells[name], str(row["estimand"]).partition(" ")[0]
        found.append(
            {
                "ruleset": cell.preset,
                "variant": cell.variant,
                "rule": cell.words or cell.arm,
                "change": cell.arm,
                "level": cell.level,
                "opponent": cell.opponent,
                "response": response,
                "words": RESPONSES[response].words,
                "note": _note(cell),
                **{
                    key: row[key]
                    for key in ("unit", "est", "se", "lo", "hi", "n_blocks", "vrf", "p_adj")
                },
                "family": row["family"],
                "verdict": row["verdict"],
            }
        )
    columns = list(found[0]) if found else []
    return pd.DataFrame(found, columns=columns)


def _note(cell: Cell) -> str:
    """Say where a cell's house rule is not just what is told of it."""
    told = (note for (preset, change), note in APPROXIMATIONS.items()
            if preset == cell.preset and change in cell.arm.split("+"))  # fmt: skip
    return "; ".join(told)


def robustness(
    study: Study, effects: pd.DataFrame, of: Mapping[str, str] = MECHANICAL
) -> pd.DataFrame:
    """Tell for every rule and response whether players of all levels agree.

    Parameters
    ----------
    study : Study
    effects : pandas.DataFrame
        A level whose standard error is above half of what nobody would notice played too few decks,
        or was searched for too seldom, to have a say.
    of : mapping of str to str
        The columns of estimate, error, ends and verdict: `MECHANICAL`, or `TOTALS`, of which only
        levels that were tuned anew are asked.

    Returns
    -------
    pandas.DataFrame
        `AGREED`.
    """
    if effects.empty:
        return pd.DataFrame(columns=list(AGREED))
    asked = effects[effects["family"] != ""]
    asked = asked[[*AGREED[:4], "opponent", *of.values()]].rename(
        columns={column: name for name, column in of.items()}
    )
    asked = asked[asked["verdict"] != NOT_RUN]
    rows = []
    for place, same in asked.groupby(list(AGREED[:4]), sort=False):
        bound = rope_of(study, str(same["response"].iloc[0]))
        precise = [not (bound and se > bound / 2) for se in same["se"]]
        agree = robust(list(same["verdict"]), _signs(same), precise)
        one_pair = len(same) == 1 and same["opponent"].iloc[0]
        told = (
            len(same), sum(precise), same["est"].min(), same["est"].max(),
            ONE_PAIR if one_pair else agree,
        )  # fmt: skip
        rows.append((*place, *told))
    return pd.DataFrame(rows, columns=list(AGREED))


def _signs(same: pd.DataFrame) -> list[int]:
    """Tell on which side of 0 each interval lies, 0 on both or where there is none."""
    return [int(a > 0) - int(b < 0) for a, b in zip(same["lo"], same["hi"], strict=True)]


def robust(
    verdicts: Sequence[str], signs: Sequence[int], precise: Sequence[bool] | None = None
) -> str:
    """Judge whether levels agree: in class and sign, in sign alone, or not.

    The class is above, below, or too little to notice either way; the sign is that of the intervals
    that lie off 0, at three levels or more. Levels whose players have the same number in every deal
    agree with nobody: where that is so for all, it is told apart. What is more for one level and
    less for another depends on the players, whatever the others are.

    Parameters
    ----------
    verdicts : sequence of str
        One a level, as `stats.families.answer` gives them; a slight fall reads `inside`.
    signs : sequence of int
        1 where a level's interval lies above 0, -1 below, 0 where it tells no sign.
    precise : sequence of bool, optional
        Whether a level played enough decks for a verdict; one that did not has no say. All unless
        given.
    """
    told = [
        (verdict, sign)
        for verdict, sign, enough in zip(
            verdicts, signs, precise or [True] * len(verdicts), strict=True
        )
        if enough
    ]
    if {ABOVE, BELOW} <= {verdict for verdict, _ in told}:
        return DEPENDS
    if len(told) < LEVELS:
        return FEW
    if all(verdict == SAME for verdict, _ in told):
        return NOTHING
    told = [(verdict, sign) for verdict, sign in told if verdict != SAME]
    if len(told) < LEVELS:  # for the others it changes nothing, which is no agreement
        return FEW
    classes = {INSIDE if verdict in WITHIN else verdict for verdict, _ in told}
    signs = [sign for _, sign in told if sign]
    if not classes <= {ABOVE, BELOW, INSIDE}:
        return UNDECIDED
    one_sign = len(set(signs)) == 1
    if len(classes) == 1 and one_sign and len(signs) >= LEVELS:
        return ROBUST
    if classes == {INSIDE}:
        return LITTLE
    return SIGN if one_sign and len(signs) == len(told) else DEPENDS
