"""Moves, positions, game records and match records: text and JSON, both ways.

Everything here is plain Python; `game` sets a position out for the engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from kasino_sim.cards import N_CARDS, card_text, parse_card
from kasino_sim.catalog import ruleset_from_object
from kasino_sim.errors import KasinoError, closest
from kasino_sim.pack import RULES_VERSION, hand_values, table_values
from kasino_sim.rules import Ruleset

Cards = tuple[int, ...]

_POSITION_KEYS = (
    "rules players dealer to_move hands table builds stock captured sweeps last_capturer expect"
).split()
_RECORD_KEYS = "rules rules_version dealer deck moves players expect seed deal".split()


@dataclass(frozen=True)
class Move:
    """One move, as it is written.

    Attributes
    ----------
    card : int
        The card played.
    act : str
        ``""`` for a trail, ``"x"`` for a capture, ``"+"`` for anything that makes a build.
    loose : tuple of int
        Loose cards taken or used, in card order.
    builds : tuple of tuple of int
        The cards of each build taken or used, sorted by their text.
    value : int
        Value of the build made, 0 where none is.
    """

    card: int
    act: str = ""
    loose: Cards = ()
    builds: tuple[Cards, ...] = ()
    value: int = 0

    def __str__(self) -> str:
        """Return the move in the notation of the rules, `8h x 3c 5d [3h 6s]`."""
        if not self.act:
            return card_text(self.card)
        things = [card_text(c) for c in self.loose] + [_pile_text(b) for b in self.builds]
        text = f"{card_text(self.card)} {self.act} {' '.join(things)}"
        return f"{text} = {self.value}" if self.act == "+" else text


@dataclass(frozen=True)
class Build:
    """A build on the table: its cards in card order, value, owner and lock."""

    cards: Cards
    value: int
    owner: int
    locked: bool


@dataclass(frozen=True)
class Position:
    """A position; hands that nobody told are None, and so is an unknown stock.

    Players are numbered from 0; `to_move` is the player whose turn it is.
    """

    rules: Ruleset
    dealer: int
    to_move: int
    hands: tuple[Cards | None, ...]
    table: Cards
    builds: tuple[Build, ...] = ()
    stock: Cards | None = None
    captured: tuple[Cards, ...] = ()
    sweeps: tuple[int, ...] = ()
    last_capturer: int | None = None


@dataclass(frozen=True)
class GameRecord:
    """A game record: the deck in dealing order and the moves so far, as text."""

    rules: Ruleset
    dealer: int
    deck: Cards
    moves: tuple[str, ...] = field(default=())


def _pile_text(cards: Iterable[int]) -> str:
    return "[" + " ".join(card_text(c) for c in sorted(cards)) + "]"


def make_move(
    card: int,
    act: str = "",
    loose: Iterable[int] = (),
    builds: Iterable[Iterable[int]] = (),
    value: int = 0,
) -> Move:
    """Return the move with its cards and builds in the order in which they are written."""
    piles = sorted((tuple(sorted(b)) for b in builds), key=_pile_text)
    return Move(card, act, tuple(sorted(loose)), tuple(piles), value)


_MOVE = re.compile(r"\s*(\S+?)\s*(?:(x|\+)\s*([^=]*?)\s*(?:=\s*(\d+))?)?\s*")


def parse_move(text: str) -> Move:
    """Read a move such as `8h x 3c 5d`, `5h + 4d = 9` or `8h`; things may stand in any order.

    Raises
    ------
    KasinoError
        Where the text is no move or names a card that does not exist.
    """
    match = _MOVE.fullmatch(text) if isinstance(text, str) else None
    form = "a move looks like '8h', '8h x 3c 5d', '9c x 4d 5h [3h 6s]' or '5h + 4d = 9'"
    if not match:
        raise KasinoError(f"move {text!r} is not understood: {form}")
    card, act, things, value = match.groups()
    if (act == "+") != (value is not None) or (act and not things):
        raise KasinoError(f"move {text!r} is not understood: {form}")
    piles = re.findall(r"\[([^\[\]]*)\]", things or "")
    loose = re.sub(r"\[[^\[\]]*\]", " ", things or "")
    return make_move(
        parse_card(card),
        act or "",
        map(parse_card, loose.split()),
        [[parse_card(c) for c in pile.split()] for pile in piles],
        int(value or 0),
    )


class _Reader:
    """Reads the fields of one JSON object, gathering every mistake."""

    def __init__(self, data: Mapping[str, Any], where: str, known: list[str]) -> None:
        self.data, self.where = data, where
        self.lines: list[str] = []
        for key in data:
            if key not in known and closest(key, known):
                self.fault(key, f"is not a field{closest(key, known)}")

    def fault(self, key: str, what: str) -> None:
        self.lines.append(f"{self.where}: {key} {what}")

    def integer(self, key: str, default: int | None, low: int, high: int) -> int:
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            given = "is missing" if value is None else f"= {value!r}"
            self.fault(key, f"{given}, must be a whole number from {low} to {high}")
            return low
        return value

    def cards(self, key: str, value: object) -> Cards:
        if not isinstance(value, list | tuple):
            self.fault(key, f"= {value!r}, must be a list of cards such as [\"Td\", \"2s\"]")
            return ()
        cards = []
        for text in value:
            try:
                cards.append(parse_card(text))
            except KasinoError as error:
                self.fault(key, f": {error.lines[0]}")
        return tuple(cards)

    def check(self) -> None:
        if self.lines:
            raise KasinoError(self.lines)


def read_rules(data: Mapping[str, Any], where: str) -> Ruleset:
    """Return the rule set of a position, a game record or a match record."""
    if "rules" not in data:
        raise KasinoError(
            f"{where}: rules is missing; give a preset's name or an object of sections"
        )
    return ruleset_from_object(data["rules"], where)


def parse_position(data: Mapping[str, Any], where: str = "position") -> Position:
    """Read a position.

    Parameters
    ----------
    data : mapping
        The JSON object. `players` may differ from the rule set's and then goes before it; a hand,
        the stock, or what was captured may be missing or null.
    where : str
        What an error names as its place.

    Raises
    ------
    KasinoError
        With one line for every mistake: unknown or doubled cards, a build nobody can have made,
        players that do not exist.
    """
    rules = read_rules(data, where)
    if isinstance(data.get("players"), int) and data["players"] != rules.n_players:
        rules = rules.with_overrides([f"deal.players={data['players']}"])
    n = rules.n_players
    read = _Reader(data, where, _POSITION_KEYS)
    to_move = read.integer("to_move", None, 0, n - 1)
    dealer = read.integer("dealer", n - 1, 0, n - 1)
    position = Position(
        rules,
        dealer,
        to_move,
        _hands(read, n),
        read.cards("table", data.get("table", [])),
        _builds(read, rules),
        _stock(read),
        _piles(read, n),
        _sweeps(read, n),
        _last(read, n),
    )
    _no_doubles(read, position)
    read.check()
    return position


def _per_player(read: _Reader, key: str, n: int, default: object) -> list[Any]:
    value = read.data.get(key)
    if value is None:
        return [default] * n
    if not isinstance(value, list) or len(value) != n:
        read.fault(key, f"must be a list of {n}, one for each player")
        return [default] * n
    return value


def _hands(read: _Reader, n: int) -> tuple[Cards | None, ...]:
    if "hands" not in read.data:
        read.fault("hands", f"is missing, must be a list of {n} hands (unknown ones null)")
    hands = _per_player(read, "hands", n, None)
    return tuple(None if h is None else read.cards(f"hands[{i}]", h) for i, h in enumerate(hands))


def _piles(read: _Reader, n: int) -> tuple[Cards, ...]:
    piles = _per_player(read, "captured", n, [])
    return tuple(read.cards(f"captured[{i}]", p or []) for i, p in enumerate(piles))


def _sweeps(read: _Reader, n: int) -> tuple[int, ...]:
    sweeps = _per_player(read, "sweeps", n, 0)
    if any(isinstance(s, bool) or not isinstance(s, int) or s < 0 for s in sweeps):
        read.fault("sweeps", f"= {sweeps!r}, must be counts of 0 or more")
        return (0,) * n
    return tuple(sweeps)


def _stock(read: _Reader) -> Cards | None:
    stock = read.data.get("stock")
    if stock is None or (isinstance(stock, list) and None in stock):
        return None
    return read.cards("stock", stock)


def _last(read: _Reader, n: int) -> int | None:
    if read.data.get("last_capturer") is None:
        return None
    return read.integer("last_capturer", None, 0, n - 1)


def _builds(read: _Reader, rules: Ruleset) -> tuple[Build, ...]:
    builds = read.data.get("builds") or []
    if not isinstance(builds, list):
        read.fault("builds", "must be a list of builds")
        return ()
    parsed = (_build(read, rules, f"builds[{i}]", b) for i, b in enumerate(builds))
    return tuple(b for b in parsed if b)


def _build(read: _Reader, rules: Ruleset, key: str, data: object) -> Build | None:
    if not isinstance(data, dict):
        read.fault(key, "must be an object with cards, value, owner and locked")
        return None
    part = _Reader(data, f"{read.where}: {key}", ["cards", "value", "owner", "locked"])
    cards = part.cards("cards", data.get("cards"))
    value = part.integer("value", None, 1, 16)
    owner = part.integer("owner", None, 0, rules.n_players - 1)
    locked = data.get("locked", False)
    if not isinstance(locked, bool):
        part.fault("locked", f"= {locked!r}, must be true or false")
    build = Build(tuple(sorted(cards)), value, owner, bool(locked))
    if not part.lines:
        why = impossible_build(rules, build)
        if why:
            part.lines.append(f"{read.where}: {key} {_pile_text(cards)} = {value}: {why}")
    read.lines += part.lines
    return build


def impossible_build(rules: Ruleset, build: Build) -> str:
    """Say why nobody can have made a build under these rules, or return "".

    Judged from the cards alone: their values must make one sum (an open build) or two or more
    groups of the build's value (a locked one).
    """
    if not rules.build.allowed:
        return "these rules have no builds"
    if len(build.cards) < 2:
        return "a build has two cards or more"
    if rules.values.faces == "pairs" and any(c >= 40 for c in build.cards):
        return "under these rules no face card is in a build"
    if not _groups(rules, build):
        many = "two or more groups" if build.locked else "one sum"
        return f"its cards do not make {many} of {build.value}"
    return ""


def _groups(rules: Ruleset, build: Build) -> bool:
    """Whether the cards split into groups of the value: one if open, two or more if locked."""
    values = [set(table_values(rules, c)) for c in build.cards]
    if rules.build.card_value == "hand":
        values = [v | set(hand_values(rules, c)) for v, c in zip(values, build.cards, strict=True)]
    alone = rules.values.faces == "unsummable"
    # Each state: what the group under way sums to, how many groups are whole, cards used.
    states = {(0, 0, 0)}
    full = (1 << len(build.cards)) - 1
    seen = set(states)
    while states:
        grown = set()
        for total, whole, used in states:
            for i, card in enumerate(build.cards):
                if used >> i & 1:
                    continue
                for v in values[i]:
                    if alone and card >= 40 and (total or v != build.value):
                        continue
                    if total + v < build.value:
                        grown.add((total + v, whole, used | 1 << i))
                    elif total + v == build.value:
                        grown.add((0, min(whole + 1, 2), used | 1 << i))
        states = grown - seen
        seen |= states
    return (0, 2 if build.locked else 1, full) in seen


def _no_doubles(read: _Reader, position: Position) -> None:
    """Report every card that stands in two places."""
    places: dict[int, str] = {}
    held = [(f"hands[{i}]", h or ()) for i, h in enumerate(position.hands)]
    piles = [(f"captured[{i}]", c) for i, c in enumerate(position.captured)]
    built = [(f"builds[{i}]", b.cards) for i, b in enumerate(position.builds)]
    rest = [("table", position.table), ("stock", position.stock or ())]
    for place, cards in chain(held, rest, built, piles):
        for card in cards:
            if card in places:
                where = f"in {places[card]} and in {place}"
                where = f"twice in {place}" if places[card] == place else where
                read.lines.append(f"{read.where}: {card_text(card)} stands {where}")
            places[card] = place


def position_json(position: Position, rules: object) -> dict[str, Any]:
    """Return a position as a JSON object; `rules` stands in it as given."""

    def texts(cards: Iterable[int] | None) -> list[str] | None:
        return None if cards is None else [card_text(c) for c in cards]

    return {
        "rules": rules,
        "players": position.rules.n_players,
        "dealer": position.dealer,
        "to_move": position.to_move,
        "hands": [texts(h) for h in position.hands],
        "table": texts(position.table),
        "builds": [
            {"cards": texts(b.cards), "value": b.value, "owner": b.owner, "locked": b.locked}
            for b in position.builds
        ],
        "stock": texts(position.stock),
        "captured": [texts(c) for c in position.captured],
        "sweeps": list(position.sweeps),
        "last_capturer": position.last_capturer,
    }


def parse_record(data: Mapping[str, Any], where: str = "record") -> GameRecord:
    """Read a game record; its moves are kept as text.

    Raises
    ------
    KasinoError
        Where the deck is not 52 cards once each, or the record was made under another version of
        the rules.
    """
    rules = read_rules(data, where)
    read = _Reader(data, where, _RECORD_KEYS)
    version = data.get("rules_version", RULES_VERSION)
    if version != RULES_VERSION:
        read.fault("rules_version", f"= {version!r}, but this program plays {RULES_VERSION}")
    dealer = read.integer("dealer", None, 0, rules.n_players - 1)
    deck = read.cards("deck", data.get("deck"))
    if not read.lines:
        _whole_deck(read, deck)
    moves = data.get("moves", [])
    if not isinstance(moves, list) or not all(isinstance(m, str) for m in moves):
        read.fault("moves", "must be a list of moves as text")
    read.check()
    return GameRecord(rules, dealer, deck, tuple(moves))


def _whole_deck(read: _Reader, deck: Cards) -> None:
    doubled = sorted({c for c in deck if deck.count(c) > 1})
    missing = [c for c in range(N_CARDS) if c not in deck]
    if len(deck) != N_CARDS:
        read.fault("deck", f"has {len(deck)} cards, must be the 52 cards once each")
    if doubled:
        read.fault("deck", f"has {' '.join(map(card_text, doubled))} more than once")
    elif missing and len(deck) >= N_CARDS - 4:
        read.fault("deck", f"lacks {' '.join(map(card_text, missing))}")
