"""The register of claims: what rule guides say of the game, and how each is put to the test.

A claim is tested by numbers that cells of a study have: a response, or a sum of responses, for
which the claim says where it must lie. A claim about the rules alone is tested by positions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from kasino_sim.catalog import data_dir, load_ruleset, read_toml
from kasino_sim.errors import KasinoError, closest
from kasino_sim.plan import Plan, parse_known
from kasino_sim.players import Player, load_player
from kasino_sim.rules import Ruleset, show_value
from kasino_sim.tip_cells import with_tip

FILE = "claims.toml"
FORGETS = " forgets"  # after a player's name: without memory of what was captured


def _as_tuple(given: object) -> object:
    return tuple(map(_as_tuple, given)) if isinstance(given, list) else given


def _as_float(given: object) -> object:
    return float(given) if type(given) is int else given


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
Lists = Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_as_tuple)]
Number = Annotated[float, BeforeValidator(_as_float)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Term(_Part):
    """A number to be taken off or divided by; what it does not say is as in its test."""

    ruleset: str | None = Field(None, description="Another rule set.")
    set: Texts | None = Field(None, description="Other changes.")
    players: Texts | None = Field(None, description="Another seating.")
    fix: str | None = Field(None, description="Other known cards, such as hand0=As.")
    response: str | None = Field(None, description="Another response.")
    times: Number = Field(1.0, description="How many times it counts.")
    share: Number = Field(
        1.0, gt=0, le=1, description="Share of the blocks, where deals take long to play."
    )


class Check(_Part):
    """A number, and where it lies if the claim is true."""

    words: str = Field("", description="What is measured, in words.")
    rulesets: Texts = Field((), description="Rule sets; those of the plan unless given.")
    variants: Lists = Field(((),), description="Changes such as deal.players=3, tried in turn.")
    set: Texts = Field((), description="Changes that stand in all of them.")
    players: Lists = Field((), description="Seatings; those of the plan unless given.")
    fix: str = Field("", description="Known cards, such as hand0=As.")
    response: str = Field(min_length=1, description="The response.")
    times: Number = Field(1.0, description="How many times it counts.")
    plus: Number = Field(0.0, description="Added to the number, before it is divided.")
    less: Annotated[tuple[Term, ...], BeforeValidator(_as_tuple)] = Field(
        (), description="What is taken off."
    )
    per: Annotated[tuple[Term, ...], BeforeValidator(_as_tuple)] = Field(
        (), description="The sum of these divides it."
    )
    least: Number | None = Field(None, description="The smallest number that confirms the claim.")
    most: Number | None = Field(None, description="The largest.")
    unit: str = Field("", description="Of the number, where it is not that of the response.")
    awaits: Texts = Field((), description="Players that need not be there yet.")


class RuleCheck(_Part):
    """A position, and whether a move is legal in it if the claim is true."""

    words: str = Field(min_length=1, description="What is looked at, in words.")
    rulesets: Texts = Field((), description="Rule sets; those of the plan unless given.")
    hand: str = Field(description="The mover's cards, such as Ac 5h.")
    table: str = Field(description="What lies there.")
    move: str = Field(description="The move, such as Ac x Ad.")
    legal: bool = Field(description="Whether it is legal if the claim is true.")


class Claim(_Part):
    """A claim as the register has it."""

    id: str = Field(pattern="^[a-z0-9-]+$", description="A short name: letters, digits, hyphens.")
    text: str = Field(min_length=1, description="What is claimed, in own words.")
    source: str = Field(min_length=1, description="Who claims it.")
    measured: str = Field(min_length=1, description="How it is measured, in words.")
    refuted_if: str = Field("", description="What would refute it.")
    question: bool = Field(False, description="Whether it asks how much, and claims nothing.")
    tests: Annotated[tuple[Check, ...], BeforeValidator(_as_tuple)] = Field(
        (), description="What is measured."
    )
    positions: Annotated[tuple[RuleCheck, ...], BeforeValidator(_as_tuple)] = Field(
        (), description="What the rules allow."
    )
    cannot: str = Field("", description="Why it cannot be tested, or not yet.")


PARTS: Mapping[str, type[BaseModel]] = MappingProxyType(
    {"tests": Check, "positions": RuleCheck, "less": Term, "per": Term}
)


@dataclass(frozen=True)
class Cell:
    """What is played for a claim: rules, players, known cards.

    Attributes
    ----------
    key : str
        Different for every cell.
    known : tuple of int
        For each place of the deck the card known to lie there, or -1; empty for none.
    fix : str
        The same as the register has it.
    """

    key: str
    preset: str
    rules: Ruleset
    players: tuple[Player, ...]
    known: tuple[int, ...] = ()
    fix: str = ""


@dataclass(frozen=True)
class Part:
    """A response of a cell, how many times it counts, and the share of blocks it is asked of."""

    cell: Cell
    response: str
    times: float
    share: float = 1.0


@dataclass(frozen=True)
class Measure:
    """A test in one rule set with one seating.

    Attributes
    ----------
    claim : Claim
    check : Check
    parts, per : tuple of Part
        The number is the sum of the parts plus `check.plus`, over the sum of `per` if there is any.
    missing : str
        Why it is not played; then it has no parts.
    """

    claim: Claim
    check: Check
    ruleset: str
    variant: tuple[str, ...]
    players: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    per: tuple[Part, ...] = field(default=())
    missing: str = ""

    @property
    def id(self) -> str:
        """A name that no other measure has."""
        at = self.claim.tests.index(self.check) + 1
        return ":".join(
            [
                self.claim.id,
                str(at),
                "+".join([self.ruleset, *self.variant]),
                "-".join(self.players),
            ]
        )


def load_claims(path: Path | None = None) -> tuple[Claim, ...]:
    """Read the register.

    Raises
    ------
    KasinoError
        With a line for each mistake: file, claim, field, what was given, what is allowed.
    """
    place = path or data_dir() / FILE
    data = read_toml(place)
    lines = [
        f"{place}: {key} is not a table of the register; it holds claims"
        for key in data
        if key != "claims"
    ]
    given = data.get("claims", [])
    if not isinstance(given, list) or not given:
        raise KasinoError([*lines, f"{place}: no claims; each is a table [[claims]]"])
    claims = [_read(place, number, one, lines) for number, one in enumerate(given, 1)]
    found = [claim for claim in claims if claim is not None]
    ids = [claim.id for claim in found]
    lines += [f"{place}: two claims have the id {i}" for i in sorted(set(ids)) if ids.count(i) > 1]
    lines += [f"{place}: {line}" for claim in found for line in _mistakes(claim)]
    if lines:
        raise KasinoError(lines)
    return tuple(found)


def _read(place: Path, number: int, given: Any, lines: list[str]) -> Claim | None:
    name = given.get("id", number) if isinstance(given, dict) else number
    try:
        return Claim.model_validate(given)
    except ValidationError as error:
        lines += [
            _message(f"{place}: claim {name}", problem)
            for problem in error.errors(include_url=False)
        ]
        return None


def _message(where: str, problem: Any) -> str:
    """Say what is wrong with a field, and what is allowed there."""
    loc = problem["loc"]
    names = [part for part in loc[:-1] if part in PARTS]
    model = PARTS[names[-1]] if names else Claim
    place = ".".join(str(part + 1) if isinstance(part, int) else str(part) for part in loc)
    key = str(loc[-1])
    if problem["type"] == "missing":
        return f"{where}: {place} is missing ({model.model_fields[key].description})"
    if problem["type"] == "extra_forbidden":
        known = ", ".join(model.model_fields)
        return (
            f"{where}: {place} is not a field{closest(key, model.model_fields)} (fields: {known})"
        )
    rule = str(problem["msg"]).replace("Input should be", "must be")
    return f"{where}: {place} = {show_value(problem['input'])}: {rule}"


def _mistakes(claim: Claim) -> Iterator[str]:
    where = f"claim {claim.id}"
    if not (claim.tests or claim.positions or claim.cannot):
        yield f"{where}: has neither tests nor positions; say in cannot why it cannot be tested"
    if not claim.question and not claim.refuted_if:
        yield f"{where}: refuted_if is missing: say what would refute it"
    for number, check in enumerate(claim.tests, 1):
        bound = check.least is not None or check.most is not None
        if bound == claim.question:
            yield (
                f"{where}: tests {number}: "
                + (
                    "a question has neither least nor most"
                    if bound
                    else "needs least, most or both: where the number lies if the claim is true"
                )
            )
        if check.least is not None and check.most is not None and check.least >= check.most:
            yield f"{where}: tests {number}: least = {check.least:g} is not below most"


# ---------------------------------------------------------------- what is to be played


def measures(
    claims: Sequence[Claim], rulesets: Sequence[str], seatings: Sequence[Sequence[str]]
) -> list[Measure]:
    """Work out every test in every rule set with every seating.

    Parameters
    ----------
    claims : sequence of Claim
    rulesets, seatings : sequences
        What tests take that name none.

    Raises
    ------
    KasinoError
        With a line for each rule set, player or card that does not exist.
    """
    found, lines = [], list[str]()
    for claim in claims:
        for check in claim.tests:
            every = product(check.rulesets or rulesets, check.variants, check.players or seatings)
            for ruleset, variant, players in every:
                where = f"claim {claim.id}: tests {claim.tests.index(check) + 1}"
                bare = Measure(claim, check, ruleset, variant, tuple(players))
                try:
                    found.append(_resolved(bare))
                except KasinoError as error:
                    lines += [f"{where}: {line}" for line in error.lines]
    if lines:
        raise KasinoError(dict.fromkeys(lines))
    return found


def _resolved(bare: Measure) -> Measure:
    check = bare.check
    own = Term.model_validate({"times": check.times})
    taken_off = [t.model_copy(update={"times": -t.times}) for t in check.less]
    terms = [own, *taken_off, *check.per]
    missing = _missing(bare, terms)
    if missing:
        return replace(bare, missing=missing)
    parts = tuple(_part(bare, term) for term in [own, *taken_off])
    return replace(bare, parts=parts, per=tuple(_part(bare, term) for term in check.per))


def _missing(bare: Measure, terms: Sequence[Term]) -> str:
    """Say which awaited players are not there."""
    named = {name for term in terms for name in term.players or bare.players}
    absent = [name for name in sorted(named & set(bare.check.awaits)) if not _exists(name)]
    return f"there is no player {' or '.join(absent)} yet" if absent else ""


def _player(name: str) -> Player:
    """Load a player, `careful`, also with a tip, `careful+save_big`, or as `careful forgets`."""
    if name.endswith(FORGETS):
        whole = load_player(name.removesuffix(FORGETS))
        return whole.model_copy(update={"name": name.replace(" ", "-"), "memory": False})
    base, plus, tip = name.partition("+")
    return with_tip(load_player(base), tip) if plus else load_player(name)


def _exists(player: str) -> bool:
    try:
        _player(player)
    except KasinoError:
        return False
    return True


def _part(bare: Measure, term: Term) -> Part:
    check = bare.check
    changes = check.set if term.set is None else term.set
    rules = load_ruleset(term.ruleset or bare.ruleset, [*bare.variant, *changes])
    players = tuple(_player(name) for name in term.players or bare.players)
    fix = check.fix if term.fix is None else term.fix
    Plan(rules, players, 1, 1)  # tells a seating that does not fit
    known = parse_known(fix, rules) if fix else ()
    key = "--".join([rules.name, "-".join(p.name for p in players), *([fix] if fix else [])])
    preset = rules.name.partition("+")[0]
    cell = Cell(key, preset, rules, players, known, fix)
    return Part(cell, term.response or check.response, term.times, term.share)


def fingerprint_of(claims: Sequence[Claim]) -> list[Any]:
    """Return what decides a verdict, as JSON: all but the words."""
    words = {"text", "source", "measured", "refuted_if", "cannot"}
    return [json.loads(claim.model_dump_json(exclude=words)) for claim in claims]
