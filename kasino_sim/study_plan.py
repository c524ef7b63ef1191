"""What a study plays and asks, as a file: rule sets, players, deals, and its families of questions.

A plan is checked as a whole before anything is played. Its cells are all its rule sets (with their
variants and factors) times all its seatings; every cell plays the same decks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from kasino_sim.attempts import fingerprint
from kasino_sim.catalog import load_ruleset, read_toml, ruleset_names, toml_files
from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.errors import KasinoError, closest
from kasino_sim.pack import RULES_VERSION
from kasino_sim.plan import MAX_SEED, Plan
from kasino_sim.players import Player, load_player
from kasino_sim.ranges import BLOCKS_PER_RANGE, first_deal, overlap
from kasino_sim.rules import KEYS, Ruleset, diff, show_value

FOLDER = "plans"
ALL = "all"
MOST_CELLS = 1_000
LEAST_BLOCKS = 50  # what a scaled plan keeps in each cell, so that there is something to estimate


def _as_tuple(given: object) -> object:
    return tuple(given) if isinstance(given, list) else given


def _as_float(given: object) -> object:
    return float(given) if type(given) is int else given


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
Levels = Annotated[tuple[Any, ...], BeforeValidator(_as_tuple), Field(min_length=1)]
Number = Annotated[float, BeforeValidator(_as_float)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Deals(_Part):
    """Which deals are played, and what for."""

    range: Literal["tune", "select", "confirm"] = Field(
        description="What the deals are for; only what was found on confirm is published."
    )
    blocks: int = Field(ge=1, le=BLOCKS_PER_RANGE, description="Blocks of each cell.")
    first: int = Field(0, ge=0, lt=BLOCKS_PER_RANGE, description="First block within the range.")


class Family(_Part):
    """Questions that are answered together, with one allowance for their number."""

    name: str = Field(min_length=1, description="What the questions are about.")
    correction: Literal["max-t", "holm", "bh", "none"] = Field(
        description="The allowance: max-t (with simultaneous intervals) or holm; bh where one "
        "explores; none for a single question."
    )
    responses: Annotated[tuple[str, ...], BeforeValidator(_as_tuple), Field(min_length=1)] = Field(
        description="The responses that are asked about, in every cell."
    )


class StudyPlan(_Part):
    """A plan as its file has it; `load_study_plan` reads one."""

    name: str = Field(description="The file's name.")
    title: str = Field(min_length=1, description="A heading.")
    question: str = Field(min_length=1, description="What is asked, in words.")
    kind: str = Field(description="Which study reads what was played.")
    rulesets: Annotated[tuple[str, ...], BeforeValidator(_as_tuple), Field(min_length=1)] = Field(
        description="Rule sets by name or file; all for every one."
    )
    variants: Annotated[
        tuple[Texts, ...],
        BeforeValidator(lambda v: tuple(map(_as_tuple, v)) if isinstance(v, list) else v),
        Field(min_length=1),
    ] = Field(((),), description="Changes such as deal.players=3, one list a variant.")
    factors: dict[str, Levels] = Field({}, description="Rules to vary: key to its levels.")
    design: Literal["one-by-one", "factorial"] = Field(
        "one-by-one", description="Whether one factor is changed at a time, or all are crossed."
    )
    baseline: str = Field("", description="The rule set that the others are compared with.")
    beliefs: Literal["own", "baseline"] = Field(
        "own",
        description="What players believe the items to be worth: as the rules of each cell have "
        "it, or as the baseline's.",
    )
    players: Annotated[
        tuple[Texts, ...],
        BeforeValidator(lambda v: tuple(map(_as_tuple, v)) if isinstance(v, list) else v),
        Field(min_length=1),
    ] = Field(description="Seatings: lists of players by seat, or of one for every seat.")
    deals: Annotated[tuple[Deals, ...], BeforeValidator(_as_tuple), Field(min_length=1)] = Field(
        description="Ranges of deals, with their blocks."
    )
    families: Annotated[tuple[Family, ...], BeforeValidator(_as_tuple)] = Field(
        (), description="Families of questions; every other response is described by interval only."
    )
    responses: Texts = Field((), description="What is told of each cell; else what the kind tells.")
    rope: Number = Field(0.05, gt=0, description="Points a deal that nobody would notice.")
    alpha: Number = Field(0.05, gt=0, lt=1, description="Chance of a false finding in a family.")
    power: Number = Field(0.8, gt=0, lt=1, description="Chance to find what is there.")
    seed: int | None = Field(
        None, ge=0, le=MAX_SEED, description="Seed outside confirm, where it is computed."
    )
    detail: bool = Field(False, description="Whether legal moves are counted, which takes time.")

    def scaled(self, scale: float) -> StudyPlan:
        """Return the plan with its blocks times `scale`; another plan, and so on other decks.

        Raises
        ------
        KasinoError
            Where the scale is not above 0, or asks for more blocks than a range has.
        """
        if scale == 1:
            return self
        if not 0 < scale <= 100:
            raise KasinoError(f"--scale {scale:g}: must be above 0 and at most 100")
        deals = tuple(
            part.model_copy(
                update={"blocks": max(round(scale * part.blocks), min(part.blocks, LEAST_BLOCKS))}
            )
            for part in self.deals
        )
        lines = _deal_mistakes("--scale", deals)
        if lines:
            raise KasinoError(lines)
        return self.model_copy(update={"deals": deals})


@dataclass(frozen=True)
class Cell:
    """One rule set with one seating.

    Attributes
    ----------
    name : str
        Different for every cell of a study, and fit for a folder's name.
    preset : str
        The rule set before variants and factors.
    arm : str
        What was changed in it, empty for nothing.
    rules : Ruleset
    players : tuple of Player
    """

    name: str
    preset: str
    arm: str
    rules: Ruleset
    players: tuple[Player, ...]

    @property
    def level(self) -> str:
        """The player named first."""
        return self.players[0].name

    @property
    def opponent(self) -> str:
        """The other player, where there is one."""
        return next((p.name for p in self.players if p.name != self.level), "")


@dataclass(frozen=True)
class Study:
    """A plan that was checked, with its cells and its seed.

    Attributes
    ----------
    plan : StudyPlan
    where : str
        The plan's file, for messages.
    cells : tuple of Cell
    baseline : Ruleset or None
    """

    plan: StudyPlan
    where: str
    cells: tuple[Cell, ...]
    baseline: Ruleset | None

    def scaled(self, scale: float) -> Study:
        """Return the study with its blocks times `scale`."""
        return Study(self.plan.scaled(scale), self.where, self.cells, self.baseline)

    @property
    def deals(self) -> Deals:
        """The deals that findings are from: the last range."""
        return self.plan.deals[-1]

    @cached_property
    def digest(self) -> str:
        """Hash of all that decides what is played and asked, 16 hex digits: plan, players, engine.

        Words (name, title, question) and the order of keys have no part in it.
        """
        asked = self.plan.model_dump(mode="json", exclude={"name", "title", "question", "rulesets"})
        played = [
            [cell.rules.resolved(), [p.model_dump(mode="json") for p in cell.players]]
            for cell in self.cells
        ]
        baseline = self.baseline.resolved() if self.baseline else None
        return fingerprint(asked, played, baseline, engine_fingerprint(), RULES_VERSION)

    @property
    def seed(self) -> int:
        """The seed: on confirm computed from `digest`, so that nobody can choose it."""
        if self.deals.range == "confirm":
            return int(self.digest, 16)
        return 1 if self.plan.seed is None else self.plan.seed

    def cell_plan(self, cell: Cell) -> Plan:
        """Return what a cell plays."""
        start = first_deal(self.deals.range) + self.deals.first
        one = Plan(cell.rules, cell.players, self.seed, 1, start, detail=self.plan.detail)
        return Plan(
            cell.rules,
            cell.players,
            self.seed,
            self.deals.blocks * one.games,
            start,
            detail=self.plan.detail,
        )

    def scoring(self, cell: Cell) -> Ruleset:
        """Return what the players of a cell believe the items to be worth."""
        if self.plan.beliefs == "baseline" and self.baseline is not None:
            return self.baseline
        return cell.rules


# ---------------------------------------------------------------- reading a file


def study_names() -> list[str]:
    """List the plans in the data folder, sorted."""
    return list(toml_files(FOLDER))


def load_study(name_or_path: str | Path) -> Study:
    """Read a plan by name or file, and check it with all its cells.

    Raises
    ------
    KasinoError
        With a line for each mistake: file, field, what was given, what is allowed.
    """
    path = _find(str(name_or_path))
    plan = _read(path)
    where = str(path)
    lines = _plan_mistakes(where, plan)
    cells, baseline = _build_cells(where, plan, lines)
    if lines:
        raise KasinoError(dict.fromkeys(lines))
    return Study(plan, where, cells, baseline)


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


def _read(path: Path) -> StudyPlan:
    data = read_toml(path)
    try:
        return StudyPlan.model_validate({**data, "name": path.stem})
    except ValidationError as error:
        raise KasinoError(
            _message(path, item) for item in error.errors(include_url=False)
        ) from None


_TABLES: Mapping[str, type[BaseModel]] = MappingProxyType({"deals": Deals, "families": Family})


def _message(path: Path, problem: Any) -> str:
    """Say what is wrong with a field, and what is allowed there."""
    place = problem["loc"]
    model = _TABLES.get(str(place[0]), StudyPlan) if len(place) > 1 else StudyPlan
    field = _place_text(place)
    fields = [name for name in model.model_fields if name != "name" or model is not StudyPlan]
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


def _plan_mistakes(where: str, plan: StudyPlan) -> list[str]:
    """List what is wrong between the fields of a plan."""
    lines = _deal_mistakes(where, plan.deals)
    last = plan.deals[-1]
    if last.range == "confirm" and plan.seed is not None:
        lines.append(
            f"{where}: seed = {plan.seed}: the seed of confirm is computed from plan, players and "
            'engine; leave seed out, or play range = "tune" or "select"'
        )
    if plan.beliefs == "baseline" and not plan.baseline:
        lines.append(f'{where}: beliefs = "baseline" needs baseline, the name of a rule set')
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


def _deal_mistakes(where: str, deals: Sequence[Deals]) -> list[str]:
    """List ranges that are too long, and those that share deals."""
    lines = []
    for part in deals:
        end = part.first + part.blocks
        if end > BLOCKS_PER_RANGE:
            lines.append(
                f"{where}: deals: {part.range} ends at block {end:,}, a range has "
                f"{BLOCKS_PER_RANGE:,}; fewer blocks or an earlier first are allowed"
            )
    for at, one in enumerate(deals):
        for other in deals[:at]:
            if one.range == other.range and overlap(
                one.first, one.blocks, other.first, other.blocks
            ):
                lines.append(
                    f"{where}: deals: blocks {_span(other)} and {_span(one)} of {one.range} "
                    "overlap; allowed are other ranges (tune, select, confirm), or "
                    f"first = {other.first + other.blocks} or more"
                )
    return lines


def _span(part: Deals) -> str:
    return f"{part.first}-{part.first + part.blocks - 1}"


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


# ---------------------------------------------------------------- cells


def _build_cells(
    where: str, plan: StudyPlan, lines: list[str]
) -> tuple[tuple[Cell, ...], Ruleset | None]:
    """Lay out all cells; every mistake on the way becomes a line."""
    baseline = _load(where, "baseline", plan.baseline, (), lines) if plan.baseline else None
    arms = _arms(plan)
    names = ruleset_names() if plan.rulesets == (ALL,) else list(plan.rulesets)
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        lines.append(f"{where}: rulesets: {name} is named twice")
    if len(names) * len(arms) * len(plan.players) > MOST_CELLS:
        count = len(names) * len(arms) * len(plan.players)
        lines.append(f"{where}: {count:,} cells; at most {MOST_CELLS:,} are allowed")
        return (), baseline
    rules = _all_rules(where, names, arms, lines)
    if plan.baseline and baseline and not any(_same(baseline, r) for _, _, r in rules) and rules:
        lines.append(
            f"{where}: baseline = {plan.baseline!r} is not among the cells; "
            f"rulesets: {', '.join(names)}"
        )
    seatings = _seatings(where, plan, lines)
    cells = []
    for (preset, arm, one), players in product(rules, seatings):
        try:
            Plan(one, players, 1, 1)
        except KasinoError as error:
            lines += [f"{where}: {line.removeprefix('--')}" for line in error.lines]
            continue
        cells.append(Cell(_cell_name(one, players), preset, arm, one, players))
    _check_twins(where, cells, lines)
    return tuple(cells), baseline


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


def _arms(plan: StudyPlan) -> list[tuple[str, ...]]:
    """List the changes of each arm: every variant, with the factors as the design has them."""
    settings: list[tuple[str, ...]] = []
    known = {key: levels for key, levels in plan.factors.items() if key in KEYS}
    each = [[f"{key}={_level(x)}" for x in levels] for key, levels in known.items()]
    if plan.design == "factorial":
        settings = [tuple(chosen) for chosen in product(*each)]
    else:
        settings = [(), *((change,) for changes in each for change in changes)]
    return [(*variant, *setting) for variant in plan.variants for setting in settings]


def _level(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _all_rules(
    where: str, names: Sequence[str], arms: Sequence[tuple[str, ...]], lines: list[str]
) -> list[tuple[str, str, Ruleset]]:
    """Load every rule set under every arm: preset, arm, rules; the same rules once."""
    found: list[tuple[str, str, Ruleset]] = []
    for name in names:
        seen: list[Ruleset] = []
        for changes in arms:
            rules = _load(where, "rulesets", name, changes, lines)
            if rules is None:
                continue
            lines += [f"{where}: {line}" for line in _meaningless(rules, changes)]
            if not any(_same(rules, other) for other in seen):
                seen.append(rules)
                preset = rules.name.partition("+")[0]
                found.append((preset, rules.name[len(preset) :].lstrip("+"), rules))
    return found


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


def _cell_name(rules: Ruleset, players: Sequence[Player]) -> str:
    names = list(dict.fromkeys(p.name for p in players))
    who = "-".join(p.name for p in players) if len(names) > 1 else names[0]
    return re.sub(r"[^\w.=+-]+", "_", f"{rules.name}--{who}")


def _check_twins(where: str, cells: Sequence[Cell], lines: list[str]) -> None:
    names = [cell.name for cell in cells]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        lines.append(f"{where}: two cells are named {name}; rule files need names of their own")
