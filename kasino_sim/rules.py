"""The rules of the game as data: one documented, range-checked field per key.

A rule set has seven sections. Every key belongs to one of them and is written
``section.key``, in rule files, in ``--set`` and in result tables alike.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from kasino_sim.cards import N_CARDS, SUITS, card_text, parse_card
from kasino_sim.errors import KasinoError, closest

# ---------------------------------------------------------------- kinds of field


@dataclass(frozen=True)
class _OneOf:
    """A field whose value, once read, must be one of a few."""

    read: Callable[[object], Any]
    allowed: tuple[Any, ...]
    forms: tuple[Any, ...]

    def _check(self, given: object) -> Any:
        value = self.read(given)
        if value not in self.allowed:
            raise ValueError("not one of the allowed values")
        return value

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"enum": list(self.forms)}


def _read_card(text: object) -> str:
    try:
        return card_text(parse_card(text))  # type: ignore[arg-type]
    except KasinoError as error:
        raise ValueError(error.lines[0]) from None


def _read_values(given: object) -> tuple[int, ...]:
    items: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    if not all(type(item) is int for item in items):
        raise ValueError("not whole numbers")
    return tuple(sorted(items))


def _card_of(rank: str) -> _OneOf:
    cards = tuple(rank + suit for suit in SUITS)
    return _OneOf(_read_card, cards, cards)


def _value_set(*allowed: tuple[int, ...]) -> _OneOf:
    """Take a set of card values: a list in any order, or a lone number."""
    forms: list[Any] = [list(values) for values in allowed]
    forms += [list(reversed(values)) for values in allowed if len(values) > 1]
    forms += [values[0] for values in allowed if len(values) == 1]
    return _OneOf(_read_values, allowed, tuple(forms))


def _read_clear_card(text: object) -> str:
    return "" if text == "" else _read_card(text)


def _read_tuple(given: object) -> object:
    return tuple(given) if isinstance(given, list) else given


def _points(description: str) -> Any:
    return Field(ge=0, le=100, description=description)


_Texts = Annotated[tuple[str, ...], BeforeValidator(_read_tuple)]
_ClearCard = Annotated[
    str,
    BeforeValidator(_read_clear_card),
    WithJsonSchema({"type": "string", "pattern": "^(([A2-9TJQKatjqk]|10)[cdhsCDHS])?$"}),
]
_AceHand = Annotated[tuple[int, ...], _value_set((1,), (14,), (1, 14))]
_AceTable = Annotated[tuple[int, ...], _value_set((1,), (1, 14))]
_LittleHand = Annotated[tuple[int, ...], _value_set((2,), (15,), (2, 15))]
_BigHand = Annotated[tuple[int, ...], _value_set((10,), (16,), (10, 16))]
_Two = Annotated[str, _card_of("2")]
_Ten = Annotated[str, _card_of("T")]

# ---------------------------------------------------------------- the sections


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Deal(_Part):
    """Who sits at the table and how the cards come to them."""

    players: int = Field(ge=2, le=4, description="How many play.")
    teams: Literal["solo", "pairs"] = Field(
        description="Each for themselves, or two pairs sitting opposite (4 players)."
    )
    hand: int = Field(ge=1, le=26, description="Cards in a fresh hand.")
    table: int = Field(ge=0, le=50, description="Cards turned up on the table at the start.")
    draw: Literal["batch", "single"] = Field(
        description="New hands when all are empty, or one card drawn after each play."
    )
    swap_point_cards: bool = Field(
        description="Aces, little and big casino among the first table cards are replaced."
    )


class Values(_Part):
    """What the cards are worth in hand and on the table."""

    ace_hand: _AceHand = Field(description="What an ace played from the hand can be worth.")
    ace_table: _AceTable = Field(description="What an ace on the table can be worth.")
    little: _Two = Field(description="The little casino, a two; on the table it is worth 2.")
    little_hand: _LittleHand = Field(description="What the little casino is worth from the hand.")
    big: _Ten = Field(description="The big casino, a ten; on the table it is worth 10.")
    big_hand: _BigHand = Field(description="What the big casino is worth from the hand.")
    faces: Literal["numeric", "unsummable", "pairs"] = Field(
        description="J Q K are 11 12 13; or not part of sums; or take and are taken by equals only."
    )
    per_play: Literal["one", "any"] = Field(
        description="One hand value for all groups of a capture, or each group its own."
    )


class Capture(_Part):
    """Taking cards from the table."""

    obligation: Literal["free", "forced", "must-act"] = Field(
        description="Taking is free; a card that can take may not be trailed; or no trailing "
        "while any capture or build is legal."
    )
    extent: Literal["any", "maximal"] = Field(
        description="Any choice of groups, or only one to which no further group can be added."
    )
    clear_card: _ClearCard = Field(
        description="A card that may take all that lies on the table; empty for none."
    )


class Build(_Part):
    """Piles that are put together on the table and taken later."""

    allowed: bool = Field(description="Whether there are builds at all.")
    addends: Literal["any", "one"] = Field(
        description="How many loose cards the played card may be put together with."
    )
    raise_: Literal["none", "others", "any"] = Field(
        alias="raise", description="Whose unlocked builds may be raised to a higher value."
    )
    multiple: bool = Field(description="Whether several groups of one value may be piled up.")
    point_cards: bool = Field(
        description="Whether aces, little and big casino may be the card played in a build."
    )
    card_value: Literal["table", "hand"] = Field(
        description="Whether the played card counts in a build as on the table or as from the hand."
    )
    duty: Literal["free", "act", "resolve"] = Field(
        description="What the owner of a build owes next turn: nothing; no trail; or to take, "
        "raise or add to an own build."
    )
    keep_taker: bool = Field(
        description="Whether the owner must keep a card that takes the build while it lies."
    )
    partner: bool = Field(
        description="Whether a player may add to the partner's build without holding a taker."
    )


class Sweep(_Part):
    """Clearing the table with one capture."""

    points: int = Field(ge=0, le=2, description="Points for each sweep.")
    when: Literal["any", "last-hand-card"] = Field(
        description="Any capture that clears the table, or only one with the hand's last card."
    )
    excluded: Literal["none", "final-play", "last-batch"] = Field(
        description="No sweep with the deal's very last card, or once the stock is empty."
    )
    cancel: bool = Field(description="Whether the sweeps of the sides cancel one another.")
    clear_card: bool = Field(description="Whether the clear card's power makes a sweep.")


class Score(_Part):
    """Points for what was taken in a deal."""

    cards: int = _points("Points for most cards.")
    spades: int = _points("Points for most spades.")
    aces: int = _points("Points for each ace.")
    little: int = _points("Points for the little casino.")
    big: int = _points("Points for the big casino.")
    last: int = _points("Points for the last capture.")
    each_spade: int = _points("Points for each spade beyond score.each_spade_from.")
    each_spade_from: int = Field(ge=0, le=13, description="Spades that earn nothing by the piece.")
    ties: Literal["none", "carry"] = Field(
        description="Points for tied cards or spades are lost, or wait for a later deal."
    )


class Match(_Part):
    """How long a match goes on and who wins it."""

    goal: Literal["points", "deals"] = Field(description="To a target, or a number of deals.")
    target: int = Field(ge=1, le=10_000, description="The target, in points.")
    deals: int = Field(ge=1, le=10_000, description="The number of deals.")
    end: Literal["highest", "count-out"] = Field(
        description="Totals after whole deals, or the first to reach the target item by item."
    )
    tie_break: Literal["deal", "spades"] = Field(
        description="A shared best total: another deal, or most spades in the last one."
    )
    winner: Literal["highest", "lowest"] = Field(description="Which total is the best.")


class Metadata(_Part):
    """What a rule file says about itself."""

    title: str = Field("", description="The game's name in a heading.")
    region: str = Field("", description="Where it is played.")
    also_known_as: _Texts = Field((), description="Other names of the game.")
    source: str = Field("", description="Where the rules are from.")
    assumed: _Texts = Field(
        (), description="Keys on which the source is silent or leaves a choice."
    )
    notes: str = Field("", description="Anything else a reader should know.")


SECTIONS: Mapping[str, type[_Part]] = MappingProxyType(
    {
        "deal": Deal,
        "values": Values,
        "capture": Capture,
        "build": Build,
        "sweep": Sweep,
        "score": Score,
        "match": Match,
    }
)


def section_keys(section: str) -> tuple[str, ...]:
    """List the keys of a section, without its name, in the order of the rules."""
    return _names(SECTIONS[section])


def _names(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(info.alias or name for name, info in model.model_fields.items())


KEYS: tuple[str, ...] = tuple(f"{name}.{key}" for name in SECTIONS for key in section_keys(name))
METADATA: tuple[str, ...] = _names(Metadata)

# ---------------------------------------------------------------- checks between keys


def even_hands(players: int, table: int, draw: str) -> list[int]:
    """List the hand sizes for which the stock comes out even.

    Parameters
    ----------
    players, table : int
        Players, and cards on the table at the start.
    draw : str
        ``batch`` (the cards off the table are a multiple of players x hand) or ``single``
        (what is left after the first hands is a multiple of players).
    """
    rest = N_CARDS - table
    if draw == "batch":
        return [hand for hand in range(1, rest // players + 1) if rest % (players * hand) == 0]
    return [hand for hand in range(1, rest // players + 1) if rest % players == 0]


def _pairs_need_four(teams: str, players: int) -> str:
    if teams == "pairs" and players != 4:
        return f'deal.teams = "pairs" needs deal.players = 4, not {players}'
    return ""


def _partner_needs_pairs(partner: bool, teams: str) -> str:
    if partner and teams != "pairs":
        return 'build.partner = true needs deal.teams = "pairs" (and deal.players = 4)'
    return ""


def _count_out(end: str, goal: str, winner: str) -> str:
    if end == "count-out" and (goal, winner) != ("points", "highest"):
        return (
            'match.end = "count-out" needs match.goal = "points" and match.winner = "highest", '
            f'not "{goal}" and "{winner}"'
        )
    return ""


def _comes_out_even(hand: int, table: int, players: int, draw: str) -> str:
    fitting = even_hands(players, table, draw)
    if hand in fitting:
        return ""
    sizes = ", ".join(map(str, fitting)) or "none, change deal.table"
    return (
        f"deal.hand = {hand} with {players} players and {table} table cards does not come out even "
        f'under deal.draw = "{draw}" (hands that do: {sizes})'
    )


def _swap_needs_stock(swap: bool, hand: int, table: int, players: int) -> str:
    # Six point cards exist, so a stock of six always holds enough others to replace them.
    stock = N_CARDS - table - players * hand
    if swap and table and 0 <= stock < 6:
        return f"deal.swap_point_cards = true needs a stock of 6 cards or more, not {stock}"
    return ""


_CHECKS: tuple[tuple[tuple[str, ...], Callable[..., str]], ...] = (
    (("deal.teams", "deal.players"), _pairs_need_four),
    (("deal.hand", "deal.table", "deal.players", "deal.draw"), _comes_out_even),
    (("deal.swap_point_cards", "deal.hand", "deal.table", "deal.players"), _swap_needs_stock),
    (("build.partner", "deal.teams"), _partner_needs_pairs),
    (("match.end", "match.goal", "match.winner"), _count_out),
)


def _clashes(values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the keys and the message of each clash among those keys that are known to be good."""
    for keys, check in _CHECKS:
        if all(key in values for key in keys):
            message = check(*(values[key] for key in keys))
            if message:
                yield keys, message


# ---------------------------------------------------------------- the rule set


class Ruleset(Metadata):
    """A complete set of rules: seven sections, a name, and where it comes from.

    Frozen and hashable. Made by `kasino_sim.catalog.load_ruleset`, or from another one by
    `with_overrides` and `changed`; those raise `KasinoError` with every mistake at once.
    """

    name: str = Field(description="The preset's or file's name, with what was changed.")
    preset: str = Field("", description="The rule set that this one is based on.")
    deal: Deal
    values: Values
    capture: Capture
    build: Build
    sweep: Sweep
    score: Score
    match: Match

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Ruleset:
        messages = [message for _, message in _clashes(self.flat())]
        if messages:
            raise ValueError("; ".join(messages))
        return self

    @property
    def n_players(self) -> int:
        """How many play."""
        return self.deal.players

    @property
    def hands(self) -> int:
        """Hands that a player plays out in a deal: so many plays each as are dealt at a time."""
        plays = (N_CARDS - self.deal.table) // self.n_players
        return -(-plays // self.deal.hand)

    @property
    def sides(self) -> int:
        """How many sides score: two in pairs, else one a player."""
        return 2 if self.deal.teams == "pairs" else self.deal.players

    def resolved(self) -> dict[str, dict[str, Any]]:
        """Give every key's value as plain Python: ``{section: {key: value}}``."""
        return self.model_dump(mode="json", by_alias=True, include=set(SECTIONS))

    def flat(self) -> dict[str, Any]:
        """Give every key's value as plain Python: ``{"section.key": value}``."""
        sections = self.resolved()
        return {f"{name}.{key}": sections[name][key] for name in SECTIONS for key in sections[name]}

    def metadata(self) -> dict[str, Any]:
        """Give what the rule set says about itself, as plain Python."""
        return self.model_dump(mode="json", include=set(METADATA))

    def with_overrides(self, overrides: Sequence[str]) -> Ruleset:
        """Change some keys, each given as text.

        Parameters
        ----------
        overrides : sequence of str
            Such as ``sweep.points=2`` or ``values.big=Ts``.

        Raises
        ------
        KasinoError
            With a line for each mistake.
        """
        lines: list[str] = []
        changes = override_layer(overrides, lines)
        return self._with(changes, lines)

    def changed(self, **sections: Mapping[str, Any]) -> Ruleset:
        """Change some keys: ``rules.changed(sweep={"points": 2})``.

        Raises
        ------
        KasinoError
            With a line for each mistake.
        """
        return self._with(Layer("change", sections, named=True), [])

    def _with(self, changes: Layer, lines: list[str]) -> Ruleset:
        layers = [Layer(self.name, self.resolved()), changes]
        return assemble(
            layers, name=self.name, preset=self.preset, metadata=self.metadata(), problems=lines
        )


def diff(a: Ruleset, b: Ruleset) -> list[tuple[str, Any, Any]]:
    """List the keys on which two rule sets differ, in the order of the rules.

    Returns
    -------
    list of (str, value, value)
        Key, the value in `a`, the value in `b`.
    """
    left, right = a.flat(), b.flat()
    return [(key, left[key], right[key]) for key in KEYS if left[key] != right[key]]


# ---------------------------------------------------------------- putting one together


@dataclass(frozen=True)
class Layer:
    """Some keys from one place, laid over those before.

    Parameters
    ----------
    where : str
        The place, for messages: a file, ``--set``, ``line 3``.
    sections : mapping
        ``{section: {key: value}}``, possibly with mistakes in it.
    named : bool
        Whether the changes become part of the rule set's name.
    """

    where: str
    sections: Mapping[str, Any] = field(default_factory=dict)
    named: bool = False


def override_layer(overrides: Sequence[str], problems: list[str]) -> Layer:
    """Read ``section.key=value`` texts into a layer.

    Parameters
    ----------
    overrides : sequence of str
        The texts; where a key comes twice the later one counts.
    problems : list of str
        Gets a line for each text that has not this form.
    """
    sections: dict[str, dict[str, Any]] = {}
    for text in overrides:
        left, equals, right = text.partition("=")
        section, dot, key = left.strip().partition(".")
        if not equals or not dot:
            hint = _owners(left.strip()) or closest(left.strip(), KEYS)
            problems.append(f"--set {text}: expected section.key=value{hint}")
            continue
        sections.setdefault(section, {})[key] = _override_value(right.strip())
    return Layer("--set", sections, named=True)


def _override_value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        read = tomllib.loads(f"x = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return read["x"] if set(read) == {"x"} else text


def assemble(
    layers: Sequence[Layer],
    *,
    name: str,
    preset: str = "",
    metadata: Mapping[str, Any] | None = None,
    problems: Iterable[str] = (),
) -> Ruleset:
    """Lay layers over one another and check the outcome.

    Parameters
    ----------
    layers : sequence of Layer
        The first spells every key; later ones win.
    name, preset : str
        The rule set's name before changes, and what it is based on.
    metadata : mapping, optional
        What the rule set says about itself.
    problems : iterable of str
        Mistakes found before, to be told together with those found here.

    Raises
    ------
    KasinoError
        With a line for each mistake in any layer: place, key, what was given, what is allowed.
    """
    lines = list(problems)
    values, origin = _lay(layers, lines)
    parts, good = _check_sections(values, origin, layers, lines)
    for keys, message in _clashes(good):
        lines.append(f"{layers[max(origin[key] for key in keys)].where}: {message}")
    about = dict(metadata or {})
    lines += _metadata_mistakes(about, [layer.where for layer in layers if not layer.named][-1])
    if lines:
        raise KasinoError(lines)
    rules = Ruleset.model_validate({"name": name, "preset": preset, **about, **parts})
    return _named(rules, layers)


def _lay(layers: Sequence[Layer], lines: list[str]) -> tuple[dict[str, Any], dict[str, int]]:
    """Merge the layers; the second result says which layer each key's value is from."""
    values: dict[str, Any] = {}
    origin: dict[str, int] = {}
    for number, layer in enumerate(layers):
        for section, entries in layer.sections.items():
            if section not in SECTIONS:
                lines.append(f"{layer.where}: {_unknown_section(section)}")
            elif not isinstance(entries, Mapping):
                lines.append(
                    f"{layer.where}: {section} = {show_value(entries)} is not a section of keys "
                    f"(allowed: {', '.join(section_keys(section))})"
                )
            else:
                for key, value in entries.items():
                    if f"{section}.{key}" in KEYS:
                        values[f"{section}.{key}"] = value
                        origin[f"{section}.{key}"] = number
                    else:
                        lines.append(f"{layer.where}: {_unknown_key(section, key)}")
    return values, origin


def _unknown_section(name: str) -> str:
    known = (*SECTIONS, "preset", *METADATA)
    hint = _owners(name) or closest(name, known)
    return f"'{name}' is not known{hint} (sections: {', '.join(SECTIONS)})"


def _unknown_key(section: str, key: str) -> str:
    inside = section_keys(section)
    hint = _owners(key) or closest(key, inside)
    return f"{section}.{key} is not known{hint} (allowed in {section}: {', '.join(inside)})"


def _owners(name: str) -> str:
    """Guess the whole key where its section is missing or wrong."""
    owners = [f"'{key}'" for key in KEYS if key.partition(".")[2] == name]
    return f" - did you mean {' or '.join(owners)}?" if owners else ""


def _check_sections(
    values: Mapping[str, Any],
    origin: Mapping[str, int],
    layers: Sequence[Layer],
    lines: list[str],
) -> tuple[dict[str, _Part], dict[str, Any]]:
    """Check each key by itself; give the good sections and the good keys' values."""
    parts: dict[str, _Part] = {}
    good = dict(values)
    for name, model in SECTIONS.items():
        given = {key: values[f"{name}.{key}"] for key in _names(model) if f"{name}.{key}" in values}
        part, bad = _check(model, given)
        if part is not None:
            parts[name] = part
        for key, message in bad.items():
            where = layers[origin.get(f"{name}.{key}", 0)].where
            lines.append(f"{where}: {name}.{key} {message}")
            good.pop(f"{name}.{key}", None)
    return parts, good


_Model = TypeVar("_Model", bound=BaseModel)


def _check(model: type[_Model], given: dict[str, Any]) -> tuple[_Model | None, dict[str, str]]:
    """Check fields; the second result has a message for each bad one."""
    try:
        return model.model_validate(given), {}
    except ValidationError as error:
        bad = {str(item["loc"][0]): item for item in error.errors(include_url=False)}
    allowed = _allowed_texts(model)
    messages: dict[str, str] = {}
    for key, item in bad.items():
        if item["type"] == "missing":
            messages[key] = f"is missing (allowed: {allowed[key]})"
            continue
        hint = closest(given[key], _choices(model).get(key, ()))
        shown = show_value(given[key])
        messages[key] = f"= {shown} is not allowed{hint} (allowed: {allowed[key]})"
    return None, messages


def _metadata_mistakes(about: dict[str, Any], where: str) -> list[str]:
    _, bad = _check(Metadata, about)
    lines = [f"{where}: {key} {message}" for key, message in bad.items()]
    if "assumed" not in bad:
        strangers = [key for key in about.get("assumed", ()) if key not in KEYS]
        lines += [f"{where}: assumed: {key} is not a key{closest(key, KEYS)}" for key in strangers]
    return lines


def _named(rules: Ruleset, layers: Sequence[Layer]) -> Ruleset:
    """Tell in the name, title and `assumed` what the named layers change."""
    before, _ = _lay([layer for layer in layers if not layer.named], [])
    given, _ = _lay([layer for layer in layers if layer.named], [])
    now = rules.flat()
    new = [key for key in KEYS if key in given and before.get(key) != now[key]]
    changes = [f"{key}={_plain(now[key])}" for key in new]
    update: dict[str, Any] = {"assumed": tuple(key for key in rules.assumed if key not in given)}
    if changes:
        update["name"] = "+".join([rules.name, *changes])
        update["title"] = f"{rules.title or rules.name} with {', '.join(changes)}"
        update["also_known_as"] = ()
        update["preset"] = rules.name.partition("+")[0]
    return rules.model_copy(update=update)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def show_value(value: Any) -> str:
    """Write a value as a rule file would, cut to a line's length."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


# ---------------------------------------------------------------- what is allowed


def _choices(model: type[BaseModel]) -> dict[str, tuple[str, ...]]:
    fields = model.model_json_schema()["properties"]
    return {
        key: tuple(item for item in schema.get("enum", ()) if isinstance(item, str))
        for key, schema in fields.items()
    }


def _allowed_texts(model: type[BaseModel]) -> dict[str, str]:
    fields = model.model_json_schema()["properties"]
    return {key: _allowed_text(schema) for key, schema in fields.items()}


def _allowed_text(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        forms = [item for item in schema["enum"] if not isinstance(item, int)]
        return ", ".join(show_value(item) for item in forms)
    if "pattern" in schema:
        return '"" or a card such as "5s"'
    texts = {
        "boolean": "true or false",
        "string": "text",
        "array": "a list of texts",
        "integer": f"a whole number from {schema.get('minimum')} to {schema.get('maximum')}",
    }
    return texts[schema["type"]]


def allowed_values(key: str) -> str:
    """Say in words which values a key may have.

    Parameters
    ----------
    key : str
        One of `KEYS`.
    """
    section, _, name = key.partition(".")
    return _allowed_texts(SECTIONS[section])[name]


def description(key: str) -> str:
    """Say in a sentence what a key means.

    Parameters
    ----------
    key : str
        One of `KEYS`.
    """
    section, _, name = key.partition(".")
    return str(SECTIONS[section].model_json_schema()["properties"][name]["description"])


def ruleset_json_schema() -> dict[str, Any]:
    """Give the JSON Schema of a rule file, for editors.

    Every section and key is optional there: a file says only what differs from its preset.
    """
    about = Metadata.model_json_schema()["properties"]
    about["assumed"]["items"] = {"enum": list(KEYS)}
    based_on = {
        "type": "string",
        "default": "svensk",
        "description": "The rule set that this file is based on: a name, or a .toml file.",
    }
    properties: dict[str, Any] = {"preset": based_on, **about}
    for name, model in SECTIONS.items():
        schema = model.model_json_schema()
        properties[name] = {key: schema[key] for key in ("description", "type", "properties")}
        properties[name]["additionalProperties"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A rule file of Kasino",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
