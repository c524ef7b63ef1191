"""Laying out a plan: its rule sets under every change, times its players."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType
from typing import Any

from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.designs import resolution_v
from kasino_sim.errors import KasinoError
from kasino_sim.plan import Plan
from kasino_sim.players import Player, load_player, unweighed
from kasino_sim.rules import KEYS, Ruleset, diff
from kasino_sim.study import Cell, Recipe
from kasino_sim.study_plan import (
    ADAPTED,
    ALL,
    MOST_CELLS,
    Adapt,
    Change,
    StudyPlan,
    changes_for,
    limit_of,
)


@dataclass(frozen=True)
class _Arm:
    """What is changed: the variant that stays, and the change that is asked about."""

    variant: tuple[str, ...]
    change: tuple[str, ...] = ()
    words: str = ""
    levels: tuple[int, ...] = ()

    @property
    def settings(self) -> tuple[str, ...]:
        return (*self.variant, *self.change)


@dataclass(frozen=True)
class _Rules:
    """A rule set under an arm."""

    preset: str
    arm: str
    words: str
    rules: Ruleset
    unchanged: Ruleset | None = None
    levels: tuple[int, ...] = ()

    def cell(self, players: tuple[Player, ...], **more: Any) -> Cell:
        """Seat players there; `more` are further fields of the cell."""
        name = cell_name(self.rules, players)
        seated = (self.rules, players, self.unchanged, self.words)
        return Cell(name, self.preset, self.arm, *seated, levels=self.levels, **more)


def build_cells(
    where: str, plan: StudyPlan, lines: list[str]
) -> tuple[tuple[Cell, ...], Ruleset | None, list[str]]:
    """Lay out all cells; every mistake on the way becomes a line, or a note if it is skipped."""
    baseline = _load(where, "baseline", plan.baseline, (), lines) if plan.baseline else None
    notes = list[str]()
    names = ruleset_names() if plan.rulesets == (ALL,) else list(plan.rulesets)
    arms = {name: _arms(plan, name) for name in names}
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        lines.append(f"{where}: rulesets: {name} is named twice")
    count = len(plan.players) * sum(map(len, arms.values()))
    if count > MOST_CELLS:
        lines.append(f"{where}: {count:,} cells; at most {MOST_CELLS:,} are allowed")
        return (), baseline, notes
    skipped = notes if plan.senseless == "skip" else lines
    rules = _all_rules(where, _with_changes(plan, arms), lines, skipped)
    if plan.baseline and baseline and not any(_same(baseline, r.rules) for r in rules) and rules:
        lines.append(
            f"{where}: baseline = {plan.baseline!r} is not among the cells; "
            f"rulesets: {', '.join(names)}"
        )
    seatings = _seatings(where, plan, lines)
    cells = []
    for one, players in product(rules, seatings):
        limit = limit_of(plan, one.preset, [player.name for player in players])
        if limit is None:
            continue
        try:
            Plan(one.rules, players, 1, 1)
        except KasinoError as error:
            lines += [f"{where}: {line.removeprefix('--')}" for line in error.lines]
            continue
        cells.append(one.cell(players, limit=limit))
    if plan.adapt and not lines:
        cells += _adapted(plan.adapt, rules, _starts(where, plan, seatings, lines))
    check_twins(where, cells, lines)
    return tuple(cells), baseline, notes


def _starts(
    where: str, plan: StudyPlan, seatings: Sequence[tuple[Player, ...]], lines: list[str]
) -> list[Player]:
    """Load the players at whom searches begin: each weighs, and has cells of its own."""
    alone = [players[0].name for players in seatings if len({p.name for p in players}) == 1]
    found = []
    for name in plan.adapt.players if plan.adapt else ():
        try:
            start = load_player(name)
        except KasinoError as error:
            lines += [f"{where}: adapt.player: {line}" for line in error.lines]
            continue
        if not start.weighs:
            lines.append(
                f"{where}: adapt.player: {name} is of kind {start.kind}, which weighs nothing; "
                "name a player that weighs, such as careful"
            )
        elif start.name not in alone:
            lines.append(
                f"{where}: adapt.player: {name} does not play as before anywhere; "
                f'add ["{name}"] to players'
            )
        found.append(start)
    return found


def _adapted(adapt: Adapt, rules: Sequence[_Rules], starts: Sequence[Player]) -> Iterator[Cell]:
    """Lay out the cells whose players are tuned first: each restart by players of its own."""
    for start, one, restart in product(starts, rules, range(1, adapt.restarts + 1)):
        if adapt.rulesets and one.preset not in adapt.rulesets:
            continue
        players = (start.model_copy(update={"name": f"{ADAPTED}-{start.name}-{restart}"}),)
        recipe = Recipe(restart, unweighed(start))
        role = (ADAPTED, start.name, str(restart))
        yield one.cell(players, role=role, recipes=(recipe,))


def _same(one: Ruleset, other: Ruleset) -> bool:
    return not diff(one, other)


def _load(
    where: str, field: str, name: str, changes: Sequence[str], lines: list[str]
) -> Ruleset | None:
    try:
        return load_ruleset(name, changes)
    except KasinoError as error:
        for line in error.lines:
            told = line.replace("--set", f"{field} {name}", 1) if changes else line
            told = told.replace("rules: ", f"{field}: ", 1) if told.startswith("rules: ") else told
            lines.append(f"{where}: {told}")
    return None


def _arms(plan: StudyPlan, ruleset: str) -> list[_Arm]:
    """List the arms of a rule set: every variant, with the changes as the design has them."""
    changes = changes_for(plan, ruleset)
    if changes and plan.design != "one-by-one":
        return [_Arm(v, levels=run) for v in plan.variants for run in _runs(plan, len(changes))]
    known = {key: levels for key, levels in plan.factors.items() if key in KEYS}
    each = [[f"{key}={_level(x)}" for x in levels] for key, levels in known.items()]
    if plan.design != "one-by-one" and each:
        return [_Arm((*v, *chosen)) for v in plan.variants for chosen in _crossed(plan, each)]
    single = [(change,) for changes in each for change in changes]
    arms = []
    for variant in plan.variants:
        arms.append(_Arm(variant))
        arms += [_Arm(variant, change) for change in single]
        arms += [_Arm(variant, c.set, c.words) for c in changes]
    return arms


def _with_changes(plan: StudyPlan, arms: Mapping[str, list[_Arm]]) -> dict[str, list[_Arm]]:
    """Spell out in each run of a crossed design the changes that are made in it."""
    return {
        name: [
            replace(arm, variant=(*arm.variant, *_made(changes_for(plan, name), arm.levels)))
            for arm in arms[name]
        ]
        for name in arms
    }


def _made(changes: Sequence[Change], levels: Sequence[int]) -> Iterator[str]:
    for change, made in zip(changes, levels, strict=False):
        if made:
            yield from change.set


def _runs(plan: StudyPlan, factors: int) -> list[tuple[int, ...]]:
    if plan.design == "factorial":
        return list(product((0, 1), repeat=factors))
    return resolution_v(factors)


def _crossed(plan: StudyPlan, each: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    if plan.design == "factorial" or any(len(levels) != 2 for levels in each):
        return list(product(*each))
    return [
        tuple(levels[at] for levels, at in zip(each, run, strict=True))
        for run in resolution_v(len(each))
    ]


def _level(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _all_rules(
    where: str, arms: Mapping[str, Sequence[_Arm]], lines: list[str], skipped: list[str]
) -> list[_Rules]:
    """Load every rule set under its arms; the same rules once."""
    found: list[_Rules] = []
    for name in arms:
        seen: list[Ruleset] = []
        for arm in arms[name]:
            one = _rules_of(where, name, arm, lines, skipped)
            if one is None:
                continue
            if not any(_same(one.rules, other) for other in seen):
                seen.append(one.rules)
                found.append(one)
            elif arm.change and skipped is not lines:
                skipped.append(f"{name}: {_told(arm)} is its rule already")
    return found


def _rules_of(
    where: str, name: str, arm: _Arm, lines: list[str], skipped: list[str]
) -> _Rules | None:
    """Load a rule set under an arm; None where that is a mistake, or is skipped."""
    unchanged = _load(where, "rulesets", name, arm.variant, lines) if arm.change else None
    problems: list[str] = []
    rules = _load(where, "rulesets", name, arm.settings, problems)
    if rules is not None:
        problems += [f"{where}: {line}" for line in _meaningless(rules, arm.settings)]
    if problems and skipped is not lines and (arm.change or arm.levels):
        reason = problems[0].removeprefix(f"{where}: ").partition("; leave")[0]
        skipped.append(f"{name}: {_told(arm)} is left out: {reason}")
        return None
    lines += problems
    if rules is None:
        return None
    preset = rules.name.partition("+")[0]
    changed = rules.name[len(preset) :].lstrip("+")
    return _Rules(preset, changed, arm.words, rules, unchanged, arm.levels)


def _told(arm: _Arm) -> str:
    return arm.words or ", ".join(arm.change or arm.variant)


def _no_builds(rules: Ruleset) -> str:
    return "" if rules.build.allowed else "build.allowed = false"


def _other_goal(goal: str) -> Callable[[Ruleset], str]:
    return lambda rules: f'match.goal = "{rules.match.goal}"' if rules.match.goal != goal else ""


_IDLE: Mapping[str, Callable[[Ruleset], str]] = MappingProxyType(
    {
        **{key: _no_builds for key in KEYS if key.startswith("build.") and key != "build.allowed"},
        "match.target": _other_goal("points"),
        "match.end": _other_goal("points"),
        "match.deals": _other_goal("deals"),
        "score.each_spade_from": lambda r: "" if r.score.each_spade else "score.each_spade = 0",
        "sweep.clear_card": lambda r: "" if r.capture.clear_card else 'capture.clear_card = ""',
    }
)
"""Rules that mean nothing under some others: key to what says so, empty where it has a meaning."""


def _meaningless(rules: Ruleset, changes: Sequence[str]) -> Iterator[str]:
    """Yield a line for each change that can make no difference."""
    for change in changes:
        key = change.partition("=")[0].strip()
        reason = _IDLE[key](rules) if key in _IDLE else ""
        if reason:
            setting = reason.partition(" ")[0]
            yield (
                f"{change} means nothing in {rules.name}, where {reason}; "
                f"leave {key} out there, or change {setting} (two plans can part them)"
            )


def _seatings(where: str, plan: StudyPlan, lines: list[str]) -> list[tuple[Player, ...]]:
    seatings = []
    for names in plan.players:
        if not names:
            lines.append(f"{where}: players: an empty list; name one player or one for each seat")
            continue
        try:
            seatings.append(tuple(load_player(name) for name in names))
        except KasinoError as error:
            lines += [f"{where}: players: {line}" for line in error.lines]
    return seatings


def cell_name(rules: Ruleset, players: Sequence[Player]) -> str:
    """Name a cell by its rules and players, fit for a folder."""
    names = list(dict.fromkeys(p.name for p in players))
    who = "-".join(p.name for p in players) if len(names) > 1 else names[0]
    return re.sub(r"[^\w.=+-]+", "_", f"{rules.name}--{who}")


def check_twins(where: str, cells: Sequence[Cell], lines: list[str]) -> None:
    """Add a line for every name that two cells have."""
    names = [cell.name for cell in cells]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        lines.append(f"{where}: two cells are named {name}; rule files need names of their own")
