"""What a study plays and asks, as a file: rule sets, players, deals, and its families of questions.

A plan is checked as a whole before anything is played. Its cells are all its rule sets (with their
variants and factors) times all its seatings; every cell plays the same decks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from kasino_sim.attempts import fingerprint
from kasino_sim.cards import N_CARDS
from kasino_sim.catalog import load_ruleset, read_toml, ruleset_names, toml_files
from kasino_sim.claims import fingerprint_of, load_claims, measures
from kasino_sim.designs import resolution_v
from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.engine.layout import FEATURES
from kasino_sim.errors import KasinoError, closest
from kasino_sim.pack import RULES_VERSION
from kasino_sim.plan import MAX_SEED, Plan
from kasino_sim.players import Player, load_player
from kasino_sim.ranges import BLOCKS_PER_RANGE, first_deal, overlap
from kasino_sim.rules import KEYS, Ruleset, diff, show_value
from kasino_sim.tip_cells import NAIVE, SHARES, tip_cells

FOLDER = "plans"
DETAILS = frozenset(("legal_moves", "choices"))  # responses that need a plan's detail
DEFAULT, FULL = "default", "full"
SIZES = (DEFAULT, FULL)
CLAIMS = "claims"
ALL = "all"
ADAPTED = "adapted"  # role of cells whose players were tuned for a house rule
MOST_CELLS = 3_000
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


class Change(_Part):
    """A house rule: what it changes, and where it is looked at."""

    words: str = Field(min_length=1, description="What the house rule says.")
    set: Annotated[tuple[str, ...], BeforeValidator(_as_tuple), Field(min_length=1)] = Field(
        description="The changes that make it, such as sweep.points=2."
    )
    rulesets: Texts = Field((), description="The rule sets it is for; every one of the plan's.")


class Skill(_Part):
    """Something that a player can do, and how it is withheld."""

    name: str = Field(pattern="^[a-z-]+$", description="A short name.")
    words: str = Field(min_length=1, description="The skill in words.")
    weights: dict[str, Number] = Field(
        {}, description="What features weigh for a player who lacks it, the others as before."
    )
    memory: bool = Field(True, description="Whether who lacks it remembers what was captured.")
    has: str = Field("", description="A player who has it, where the plan's player lacks it.")


class Limit(_Part):
    """What a player who takes time is for: fewer decks, or only some rule sets."""

    blocks: int = Field(
        0, ge=0, le=BLOCKS_PER_RANGE, description="Blocks of a cell with the player; 0: as all."
    )
    rulesets: Texts = Field((), description="Rule sets in which the player plays; all.")


class Adapt(_Part):
    """Players tuned anew for what they are to play, all with the same budget."""

    player: str = Field(description="The player whose weights the search begins at.")
    rulesets: Texts = Field((), description="Rule sets in which players are tuned anew; all.")
    restarts: int = Field(
        ge=2, le=20, description="Searches apart from one another, whose spread is in the errors."
    )
    pool: Annotated[tuple[str, ...], BeforeValidator(_as_tuple), Field(min_length=1)] = Field(
        ("careful", "greedy"), description="The opponents, besides what the search itself finds."
    )
    population: int = Field(12, ge=4, le=200, description="Candidates a generation.")
    generations: int = Field(ge=1, le=1_000, description="Generations of a search.")
    blocks: int = Field(ge=1, le=1_000_000, description="Blocks a candidate and generation.")
    select: int = Field(
        ge=1,
        le=1_000_000,
        description="Blocks by which a search is found better than its start, or not.",
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
    design: Literal["one-by-one", "factorial", "resolution-v"] = Field(
        "one-by-one",
        description="Whether one factor is changed at a time, or all are crossed: fully, or in a "
        "fraction that keeps main effects and interactions of two apart.",
    )
    changes: Annotated[tuple[Change, ...], BeforeValidator(_as_tuple)] = Field(
        (),
        description="House rules, tried one by one in every rule set, or each with and without all "
        "others as the design has it.",
    )
    skills: Annotated[tuple[Skill, ...], BeforeValidator(_as_tuple)] = Field(
        (), description="Skills that are withheld from the plan's player, singly and in pairs."
    )
    senseless: Literal["error", "skip"] = Field(
        "error",
        description="What becomes of a change that is not allowed or means nothing in a rule set: "
        "an error, or a note.",
    )
    against: Literal["baseline", "unchanged"] = Field(
        "baseline",
        description="What cells are compared with: the baseline, or their own rule set without "
        "the change.",
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
    limits: dict[str, Limit] = Field(
        {},
        description="Players, or seatings with commas, that play fewer decks or in some rule sets "
        "only.",
    )
    adapt: Adapt | None = Field(
        None, description="How players are tuned anew for each cell, where they are."
    )
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
    size: Literal["default", "full"] = Field("default", description="Which size it is.")
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

        def less(blocks: int) -> int:
            return max(round(scale * blocks), min(blocks, LEAST_BLOCKS))

        deals = tuple(_with_blocks(part, less) for part in self.deals)
        lines = _deal_mistakes("--scale", deals)
        if lines:
            raise KasinoError(lines)
        limits = {name: _with_blocks(limit, less) for name, limit in self.limits.items()}
        adapt = self.adapt and _with_blocks(self.adapt, less)
        if adapt:
            adapt = adapt.model_copy(update={"select": less(adapt.select)})
        return self.model_copy(update={"deals": deals, "limits": limits, "adapt": adapt})


_Counted = TypeVar("_Counted", Deals, Limit, Adapt)


def _with_blocks(part: _Counted, less: Callable[[int], int]) -> _Counted:
    return part.model_copy(update={"blocks": less(part.blocks)})


@dataclass(frozen=True)
class Recipe:
    """How a player of a cell is tuned for its rules before the cell is played.

    Attributes
    ----------
    restart : int
        Which of the searches apart from one another, from 1; those of one number share decks and
        noise.
    held : tuple of str
        Features that weigh nothing throughout.
    """

    restart: int
    held: tuple[str, ...] = ()


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
    unchanged : Ruleset or None
        The rules without the change, where there is one to compare with.
    words : str
        The change as people say it, where the plan says so.
    known : tuple of int
        For each place of the deck the card known to lie there, or -1; empty for none.
    responses : tuple of str
        What is asked of this cell; empty for all that the plan asks.
    role : tuple of str
        What a kind of study that lays out its own cells wants this one for.
    levels : tuple of int
        In a crossed design, which of the changes for its rule set are made, 1, and which not, 0.
    limit : str
        The entry of the plan's limits that holds for this cell; empty for none.
    recipes : tuple of (Recipe or None)
        For each of the players how it is tuned first; empty where nobody is. Until then `players`
        holds what the search begins at, by the name that it keeps.
    share : float
        Share of the blocks that it plays, where fewer will do.
    """

    name: str
    preset: str
    arm: str
    rules: Ruleset
    players: tuple[Player, ...]
    unchanged: Ruleset | None = None
    words: str = ""
    known: tuple[int, ...] = ()
    responses: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    role: tuple[str, ...] = ()
    limit: str = ""
    recipes: tuple[Recipe | None, ...] = ()
    share: float = 1.0

    @property
    def variant(self) -> str:
        """What is the same with and without the change, empty for nothing."""
        if self.unchanged is None:
            return self.arm
        return self.unchanged.name.partition("+")[2]

    @property
    def adapted(self) -> bool:
        """Whether it is one of several that are told together: with players tuned for it."""
        return self.role[:1] == (ADAPTED,)

    @property
    def level(self) -> str:
        """The player named first."""
        return self.players[0].name

    @property
    def opponent(self) -> str:
        """The other player, where there is one."""
        return next((p.name for p in self.players if p.name != self.level), "")


def _who(cell: Cell) -> str:
    return " ".join(player.model_dump_json() for player in cell.players)


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
    notes : tuple of str
        What was left out, and why.
    asked : object
        What the plan does not hold but asks, as JSON: part of the digest.
    """

    plan: StudyPlan
    where: str
    cells: tuple[Cell, ...]
    baseline: Ruleset | None
    notes: tuple[str, ...] = ()
    asked: Any = None

    def scaled(self, scale: float) -> Study:
        """Return the study with its blocks times `scale`."""
        return replace(self, plan=self.plan.scaled(scale))

    @property
    def compares(self) -> bool:
        """Whether cells are compared with others."""
        return self.baseline is not None or self.plan.against == "unchanged"

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
            [
                cell.rules.resolved(),
                [p.model_dump(mode="json") for p in cell.players],
                cell.known,
                [recipe and asdict(recipe) for recipe in cell.recipes],
                cell.share,
            ]
            for cell in self.cells
        ]
        baseline = self.baseline.resolved() if self.baseline else None
        return fingerprint(asked, self.asked, played, baseline, engine_fingerprint(), RULES_VERSION)

    @property
    def seed(self) -> int:
        """The seed: on confirm computed from `digest`, so that nobody can choose it."""
        if self.deals.range == "confirm":
            return int(self.digest, 16)
        return 1 if self.plan.seed is None else self.plan.seed

    def cell_plan(self, cell: Cell) -> Plan:
        """Return what a cell plays."""
        start = first_deal(self.deals.range) + self.deals.first
        known = cell.known or (-1,) * N_CARDS
        # Counting legal moves takes time: a cell of which they are not asked does without.
        counts = self.plan.detail and (not cell.responses or bool(DETAILS & {*cell.responses}))
        one = Plan(cell.rules, cell.players, self.seed, 1, start, known=known, detail=counts)
        return replace(one, deals=self.blocks(cell) * one.games)

    def blocks(self, cell: Cell) -> int:
        """Return the blocks of a cell: those of the last range, unless a limit has fewer."""
        blocks = self.deals.blocks
        limit = self.plan.limits[cell.limit].blocks if cell.limit else 0
        most = min(limit or blocks, blocks)
        return max(round(cell.share * most), min(most, LEAST_BLOCKS))

    @cached_property
    def _places(self) -> dict[tuple[str, str], Cell]:
        return {(cell.rules.name, _who(cell)): cell for cell in self.cells}

    def find(self, rules: str, like: Cell) -> Cell | None:
        """Find the cell of a rule set, by its full name, with the players of another cell."""
        return self._places.get((rules, _who(like)))

    def scoring(self, cell: Cell) -> Ruleset:
        """Return what the players of a cell believe the items to be worth.

        Who was tuned for the rules knows them.
        """
        if cell.recipes:
            return cell.rules
        before = self.baseline or cell.unchanged
        return before if self.plan.beliefs == "baseline" and before else cell.rules


# ---------------------------------------------------------------- reading a file


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
    lines = _plan_mistakes(where, plan)
    if plan.kind in _LAID_OUT:
        if lines:
            raise KasinoError(dict.fromkeys(lines))
        return _LAID_OUT[plan.kind](where, plan)
    cells, baseline, notes = _build_cells(where, plan, lines)
    if lines:
        raise KasinoError(dict.fromkeys(lines))
    return Study(plan, where, cells, baseline, tuple(dict.fromkeys(notes)))


def _study_of_claims(where: str, plan: StudyPlan) -> Study:
    """Lay out the cells that the tests of the register need, each with what is asked of it."""
    names = ruleset_names() if plan.rulesets == (ALL,) else plan.rulesets
    register = load_claims()
    found = measures(register, names, plan.players)
    asked: dict[str, dict[str, None]] = {}
    cells = {}
    for part in (part for one in found for part in (*one.parts, *one.per)):
        cells[part.cell.key] = part.cell
        asked.setdefault(part.cell.key, {})[part.response] = None
    laid_out = tuple(
        Cell(
            re.sub(r"[^\w.=+-]+", "_", key),
            one.preset,
            one.rules.name[len(one.preset) :].lstrip("+"),
            one.rules,
            one.players,
            known=one.known,
            responses=tuple(asked[key]),
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
                _cell_name(rules[one.ruleset], one.players),
                one.ruleset,
                "",
                rules[one.ruleset],
                one.players,
                responses=_OF_TIPS if one.stage == NAIVE else ("skill_points",),
                role=(one.stage, one.tip, f"{one.dose:g}", one.level),
                limit=limit,
                recipes=(recipe, recipe) if one.restart else (),
                share=SHARES.get(one.stage, 0.5),
            )
        )
    lines: list[str] = []
    _check_twins(where, found, lines)
    if lines:
        raise KasinoError(lines)
    return Study(plan, where, tuple(found), None)


_OF_TIPS = ("skill_points", "tip_says", "tip_changes", "tip_share")


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
    seatings += [((s.name,), (load_player(s.has), whole)) for s in plan.skills if s.has]
    names = ruleset_names() if plan.rulesets == (ALL,) else plan.rulesets
    cells = [
        Cell(
            _cell_name(rules, players),
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


_LAID_OUT: Mapping[str, Callable[[str, StudyPlan], Study]] = MappingProxyType(
    {CLAIMS: _study_of_claims, "tips": _study_of_tips, "knock-outs": _study_of_skills}
)
"""Kinds whose cells are not rule sets times players, and what lays them out."""


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
    plans = {DEFAULT: _validated(path, data), FULL: _validated(path, {**data, **full})}
    return plans[size].model_copy(update={"size": size})


def _validated(path: Path, data: Mapping[str, Any]) -> StudyPlan:
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


def _plan_mistakes(where: str, plan: StudyPlan) -> list[str]:
    """List what is wrong between the fields of a plan."""
    lines = _deal_mistakes(where, plan.deals)
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
    if plan.adapt and plan.against == "baseline" and plan.kind not in _LAID_OUT:
        lines.append(
            f'{where}: adapt needs against = "unchanged": what players adapt to is a change'
        )
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


def _build_cells(
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
        cells.append(
            Cell(
                _cell_name(one.rules, players),
                one.preset,
                one.arm,
                one.rules,
                players,
                one.unchanged,
                one.words,
                levels=one.levels,
                limit=limit,
            )
        )
    if plan.adapt and not lines:
        cells += _adapted(where, plan.adapt, rules, lines)
    _check_twins(where, cells, lines)
    return tuple(cells), baseline, notes


def limit_of(plan: StudyPlan, ruleset: str, players: Sequence[str]) -> str | None:
    """Return which of a plan's limits holds for players in a rule set.

    Returns
    -------
    str or None
        A name of `limits`, a player's or a whole seating's, that with the fewest blocks; empty for
        none, and None where one of the players does not play in the rule set.
    """
    found = [name for name in plan.limits if name in (*players, ",".join(players))]
    limits = [plan.limits[name] for name in found]
    if any(limit.rulesets and ruleset not in limit.rulesets for limit in limits):
        return None
    return min(found, key=lambda name: plan.limits[name].blocks or BLOCKS_PER_RANGE, default="")


def _adapted(where: str, adapt: Adapt, rules: Sequence[_Rules], lines: list[str]) -> Iterator[Cell]:
    """Lay out the cells whose players are tuned first: each restart by players of its own."""
    try:
        start = load_player(adapt.player)
    except KasinoError as error:
        lines += [f"{where}: adapt.player: {line}" for line in error.lines]
        return
    for one, restart in product(rules, range(1, adapt.restarts + 1)):
        if adapt.rulesets and one.preset not in adapt.rulesets:
            continue
        players = (start.model_copy(update={"name": f"{ADAPTED}-{restart}"}),)
        yield Cell(
            _cell_name(one.rules, players),
            one.preset,
            one.arm,
            one.rules,
            players,
            one.unchanged,
            one.words,
            role=(ADAPTED, str(restart)),
            recipes=(Recipe(restart),),
        )


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


def changes_for(plan: StudyPlan, ruleset: str) -> list[Change]:
    """List the house rules of a plan that are looked at in a rule set."""
    return [c for c in plan.changes if not c.rulesets or ruleset in c.rulesets]


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


def _cell_name(rules: Ruleset, players: Sequence[Player]) -> str:
    names = list(dict.fromkeys(p.name for p in players))
    who = "-".join(p.name for p in players) if len(names) > 1 else names[0]
    return re.sub(r"[^\w.=+-]+", "_", f"{rules.name}--{who}")


def _check_twins(where: str, cells: Sequence[Cell], lines: list[str]) -> None:
    names = [cell.name for cell in cells]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        lines.append(f"{where}: two cells are named {name}; rule files need names of their own")
