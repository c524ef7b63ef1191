"""Studies by name or file: a plan is read, checked as a whole, and laid out in cells."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from kasino_sim.catalog import load_ruleset, read_toml, ruleset_names, toml_files
from kasino_sim.claims import fingerprint_of, load_claims, measures
from kasino_sim.engine.layout import FEATURES
from kasino_sim.errors import KasinoError, closest
from kasino_sim.players import Player, load_player
from kasino_sim.study import Cell, Recipe, Study
from kasino_sim.study_cells import build_cells, cell_name, check_twins
from kasino_sim.study_mistakes import plan_mistakes, validated
from kasino_sim.study_plan import (
    ALL,
    CLAIMS,
    DEFAULT,
    FOLDER,
    FULL,
    KNOCK_OUTS,
    LAID_OUT,
    TIPS,
    Skill,
    StudyPlan,
    limit_of,
)
from kasino_sim.tip_cells import NAIVE, REVERSE, SHARES, tip_cells

_OF_TIPS = ("skill_points", "tip_says", "tip_changes", "tip_share")


def study_names() -> list[str]:
    """List the plans in the data folder, sorted."""
    return list(toml_files(FOLDER))


def load_study(name_or_path: str | Path, size: str = DEFAULT) -> Study:
    """Read a plan by name or file, and check it with all its cells.

    Parameters
    ----------
    name_or_path : str or Path
    size : str
        One of `SIZES`: ``full`` puts what the plan's table `full` says in the place of its fields.

    Raises
    ------
    KasinoError
        With a line for each mistake: file, field, what was given, what is allowed.
    """
    path = _find(str(name_or_path))
    return study_of(_read(path, size), str(path))


def study_again(kept: Mapping[str, Any], where: str) -> Study:
    """Lay out the plan that a study's manifest holds.

    Parameters
    ----------
    kept : dict
        As `studies.folder.manifest_of` wrote it down.
    where : str
        For messages.

    Raises
    ------
    KasinoError
        Where it is no plan that this version can lay out.
    """
    try:
        plan = StudyPlan.model_validate_json(json.dumps(kept["plan"]))
    except (KeyError, TypeError, ValidationError):
        raise KasinoError(
            f"{where}: holds a plan of another version; make the study anew"
        ) from None
    return study_of(plan, where)


def study_of(plan: StudyPlan, where: str) -> Study:
    """Check a plan and lay out its cells; see `load_study`."""
    lines = plan_mistakes(where, plan)
    if plan.kind in LAID_OUT:
        if lines:
            raise KasinoError(dict.fromkeys(lines))
        return _LAYOUTS[plan.kind](where, plan)
    cells, baseline, notes = build_cells(where, plan, lines)
    if lines:
        raise KasinoError(dict.fromkeys(lines))
    return Study(plan, where, cells, baseline, tuple(dict.fromkeys(notes)))


def _study_of_claims(where: str, plan: StudyPlan) -> Study:
    """Lay out the cells that the tests of the register need, each with what is asked of it."""
    names = ruleset_names() if plan.rulesets == (ALL,) else plan.rulesets
    register = load_claims()
    found = measures(register, names, plan.players)
    asked: dict[str, dict[str, None]] = {}
    cells, shares = {}, dict[str, float]()
    for part in (part for one in found for part in (*one.parts, *one.per)):
        cells[part.cell.key] = part.cell
        asked.setdefault(part.cell.key, {})[part.response] = None
        shares[part.cell.key] = max(shares.get(part.cell.key, 0), part.share)
    laid_out = tuple(
        Cell(
            re.sub(r"[^\w.=+-]+", "_", key),
            one.preset,
            one.rules.name[len(one.preset) :].lstrip("+"),
            one.rules,
            one.players,
            known=one.known,
            responses=tuple(asked[key]),
            share=shares[key],
            fix=one.fix,
        )
        for key, one in cells.items()
    )
    return Study(plan, where, laid_out, None, asked=fingerprint_of(register))


def _study_of_tips(where: str, plan: StudyPlan) -> Study:
    """Lay out the protocol for tips: the plan's players are its levels, the weakest first."""
    names = ruleset_names() if plan.rulesets == (ALL,) else plan.rulesets
    levels = [name for seating in plan.players for name in seating]
    rules = {name: load_ruleset(name) for name in names}
    restarts = plan.adapt.restarts if plan.adapt else 0
    found = []
    for one in tip_cells(names, levels, restarts=restarts):
        limit = limit_of(plan, one.ruleset, [one.level, one.players[1].name])
        if limit is None:
            continue
        recipe = Recipe(one.restart, one.held)
        found.append(
            Cell(
                cell_name(rules[one.ruleset], one.players),
                one.ruleset,
                "",
                rules[one.ruleset],
                one.players,
                responses=_OF_TIPS if one.stage in (NAIVE, REVERSE) else ("skill_points",),
                role=(one.stage, one.tip, f"{one.dose:g}", one.level),
                limit=limit,
                recipes=(recipe, recipe) if one.restart else (),
                share=SHARES.get(one.stage, 0.5),
            )
        )
    lines: list[str] = []
    check_twins(where, found, lines)
    if lines:
        raise KasinoError(lines)
    return Study(plan, where, tuple(found), None)


def without(player: Player, skills: Sequence[Skill]) -> Player:
    """Return a player from whom skills are withheld."""
    weights = dict(player.weights)
    for skill in skills:
        weights |= skill.weights
    return player.model_copy(
        update={
            "name": "-".join([player.name, *(skill.name for skill in skills)]),
            "weights": weights,  # a 0 too: it overrules what a tuned player would weigh
            "memory": player.memory and all(skill.memory for skill in skills),
        }
    )


def _study_of_skills(where: str, plan: StudyPlan) -> Study:
    """Lay out knock-outs: the plan's player against itself without skills, one or two."""
    lines = [
        f"{where}: skills {skill.name}: weights.{name} is not a feature{closest(name, FEATURES)}"
        for skill in plan.skills
        for name in skill.weights
        if name not in FEATURES
    ]
    if len(plan.skills) < 2 or len(plan.players) > 1 or len(plan.players[0]) > 1:
        lines.append(f"{where}: knock-outs need one player, and two skills or more")
    if lines:
        raise KasinoError(lines)
    whole = load_player(plan.players[0][0])
    lacking = [skill for skill in plan.skills if not skill.has]
    sets = [*((skill,) for skill in lacking), *combinations(lacking, 2)]
    seatings = [(tuple(s.name for s in some), (whole, without(whole, some))) for some in sets]
    for added in (skill for skill in plan.skills if skill.has):
        owner = load_player(added.has)
        seatings.append(((added.name,), (owner, whole)))
        seatings += [((s.name, added.name), (owner, without(whole, [s]))) for s in lacking]
    names = ruleset_names() if plan.rulesets == (ALL,) else plan.rulesets
    cells = [
        Cell(
            cell_name(rules, players),
            rules.name,
            "",
            rules,
            players,
            responses=("skill_points",),
            role=role,
        )
        for rules in map(load_ruleset, names)
        for role, players in seatings
    ]
    return Study(plan, where, tuple(cells), None)


_LAYOUTS: Mapping[str, Callable[[str, StudyPlan], Study]] = MappingProxyType(
    {CLAIMS: _study_of_claims, TIPS: _study_of_tips, KNOCK_OUTS: _study_of_skills}
)


def _find(name: str) -> Path:
    files = toml_files(FOLDER)
    if name in files:
        return files[name]
    if name.endswith(".toml") or "/" in name or "\\" in name:
        return Path(name)
    raise KasinoError(
        f"there is no plan {name!r}{closest(name, files)} (plans: {', '.join(files)}; "
        "or the path of a .toml file)"
    )


def _read(path: Path, size: str) -> StudyPlan:
    data = {**read_toml(path), "name": path.stem}
    full = data.pop(FULL, {})
    if not isinstance(full, dict):
        raise KasinoError(f"{path}: {FULL} is a table of fields that the full size changes")
    # Both sizes are read, so that a mistake in either is told at once.
    plans = {DEFAULT: validated(path, data), FULL: validated(path, {**data, **full})}
    return plans[size].model_copy(update={"size": size})
