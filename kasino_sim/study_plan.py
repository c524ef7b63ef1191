"""What a study plays and asks, as a file: rule sets, players, deals, and its families of questions.

Its cells are all its rule sets (with their variants and factors) times all its seatings; every cell
plays the same decks. How a plan is read and laid out is in `study_file` and `study_cells`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from kasino_sim.errors import KasinoError
from kasino_sim.plan import MAX_SEED
from kasino_sim.ranges import BLOCKS_PER_RANGE, overlap

FOLDER = "plans"
DETAILS = frozenset(("legal_moves", "choices"))  # responses that need a plan's detail
DEFAULT, FULL = "default", "full"
SIZES = (DEFAULT, FULL)
CLAIMS = "claims"
TIPS, KNOCK_OUTS = "tips", "knock-outs"
LAID_OUT = (CLAIMS, TIPS, KNOCK_OUTS)  # kinds whose cells are not rule sets times players
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

    player: str = Field(
        min_length=1,
        description="The player whose weights the search begins at; several with commas, each "
        "searched for. One who is not tuned by rule set keeps to what it weighs.",
    )
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

    @property
    def players(self) -> tuple[str, ...]:
        """The players, by name."""
        return tuple(filter(None, (name.strip() for name in self.player.split(","))))


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
        lines = deal_mistakes("--scale", deals)
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


def changes_for(plan: StudyPlan, ruleset: str) -> list[Change]:
    """List the house rules of a plan that are looked at in a rule set."""
    return [c for c in plan.changes if not c.rulesets or ruleset in c.rulesets]


def deal_mistakes(where: str, deals: Sequence[Deals]) -> list[str]:
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
