"""What can be wrong with a plan before its rule sets and players are looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ValidationError

from kasino_sim.catalog import ruleset_names
from kasino_sim.errors import KasinoError, closest
from kasino_sim.rules import KEYS, show_value
from kasino_sim.study_plan import (
    ALL,
    LAID_OUT,
    Adapt,
    Change,
    Deals,
    Family,
    Limit,
    Skill,
    StudyPlan,
    deal_mistakes,
)


def validated(path: Path, data: Mapping[str, Any]) -> StudyPlan:
    """Read a plan's fields, each by itself.

    Raises
    ------
    KasinoError
        With a line for each field that is wrong: what was given, what is allowed.
    """
    try:
        return StudyPlan.model_validate(data)
    except ValidationError as error:
        raise KasinoError(
            _message(path, item) for item in error.errors(include_url=False)
        ) from None


_TABLES: Mapping[str, type[BaseModel]] = MappingProxyType(
    {
        "deals": Deals,
        "families": Family,
        "changes": Change,
        "skills": Skill,
        "limits": Limit,
        "adapt": Adapt,
    }  # fmt: skip
)


def _message(path: Path, problem: Any) -> str:
    """Say what is wrong with a field, and what is allowed there."""
    place = problem["loc"]
    model = _TABLES.get(str(place[0]), StudyPlan) if len(place) > 1 else StudyPlan
    field = _place_text(place)
    fields = [
        name
        for name in model.model_fields
        if name not in ("name", "size") or model is not StudyPlan
    ]
    key = str(place[-1])
    if problem["type"] == "missing":
        info = model.model_fields[key]
        return f"{path}: {field} is missing ({info.description})"
    if problem["type"] == "extra_forbidden":
        return f"{path}: {field} is not a field{closest(key, fields)} (fields: {', '.join(fields)})"
    rule = str(problem["msg"]).replace("Input should be", "must be").removeprefix("Value error, ")
    return f"{path}: {field} = {show_value(problem['input'])}: {rule}"


def _place_text(place: Sequence[object]) -> str:
    """Write a place in the file, tables of a list counted from 1."""
    text = str(place[0])
    for part in place[1:]:
        text += f" {part + 1}" if isinstance(part, int) else f".{part}"
    return text


def plan_mistakes(where: str, plan: StudyPlan) -> list[str]:
    """List what is wrong between the fields of a plan."""
    lines = deal_mistakes(where, plan.deals)
    last = plan.deals[-1]
    if last.range == "confirm" and plan.seed is not None:
        lines.append(
            f"{where}: seed = {plan.seed}: the seed of confirm is computed from plan, players and "
            'engine; leave seed out, or play range = "tune" or "select"'
        )
    if plan.beliefs == "baseline" and not plan.baseline and plan.against == "baseline":
        lines.append(f'{where}: beliefs = "baseline" needs baseline, the name of a rule set')
    if plan.against == "unchanged" and plan.baseline:
        lines.append(
            f'{where}: against = "unchanged" compares each rule set with itself; leave baseline out'
        )
    lines += _design_mistakes(where, plan)
    if plan.adapt and plan.against == "baseline" and plan.kind not in LAID_OUT:
        lines.append(
            f'{where}: adapt needs against = "unchanged": what players adapt to is a change'
        )
    if plan.adapt and not plan.adapt.players:
        lines.append(f'{where}: adapt.player = "{plan.adapt.player}": names nobody; name a player')
    if plan.adapt and len(plan.adapt.players) > 1 and plan.kind in LAID_OUT:
        lines.append(f"{where}: adapt.player = {plan.adapt.player!r}: {plan.kind} take one player")
    lines += _limit_mistakes(where, plan)
    for key, levels in plan.factors.items():
        if key not in KEYS:
            lines.append(
                f"{where}: factors.{key} is not a rule{closest(key, KEYS)} (allowed: section.key, "
                "such as sweep.points; kasino rulesets show svensk lists them all)"
            )
        elif len({json.dumps(level) for level in levels}) < len(levels):
            lines.append(
                f"{where}: factors.{key} = {show_value(list(levels))}: a level comes twice"
            )
    return lines + _family_mistakes(where, plan.families)


def _limit_mistakes(where: str, plan: StudyPlan) -> Iterator[str]:
    seated = {name for seating in plan.players for name in (*seating, ",".join(seating))}
    for name in plan.limits:
        if name not in seated:
            yield (
                f"{where}: limits.{name} is none of the players{closest(name, seated)} "
                f"(players: {', '.join(sorted(seated))})"
            )
    named = {f"limits.{name}": limit.rulesets for name, limit in plan.limits.items()}
    if plan.adapt:
        named["adapt"] = plan.adapt.rulesets
    known = ruleset_names() if plan.rulesets == (ALL,) else plan.rulesets
    for place, rulesets in named.items():
        for name in rulesets:
            if name not in known:
                yield (
                    f"{where}: {place}.rulesets: {name} is none of the plan's rule sets"
                    f"{closest(name, known)}"
                )


def _design_mistakes(where: str, plan: StudyPlan) -> Iterator[str]:
    if plan.design == "resolution-v":
        for key, levels in plan.factors.items():
            if len(levels) != 2:
                yield (
                    f"{where}: factors.{key} = {show_value(list(levels))}: a fraction takes two "
                    "levels of each factor"
                )
    if plan.changes and plan.factors:
        yield f"{where}: changes and factors in one plan; two plans can part them"
    known = ruleset_names()
    for number, change in enumerate(plan.changes, 1):
        for name in change.rulesets:
            if name not in known and name not in plan.rulesets:
                yield (
                    f"{where}: changes {number}: rulesets: {name} is not a rule set"
                    f"{closest(name, known)} (known: {', '.join(known)})"
                )


def _family_mistakes(where: str, families: Sequence[Family]) -> list[str]:
    lines: list[str] = []
    asked: dict[str, str] = {}
    names = [family.name for family in families]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        lines.append(f"{where}: families: two are named {name!r}; each needs its own name")
    for family in families:
        for response in family.responses:
            if response in asked:
                lines.append(
                    f"{where}: families: {response} is asked in {asked[response]!r} and again in "
                    f"{family.name!r}; a response belongs to one family"
                )
            asked[response] = family.name
    return lines
