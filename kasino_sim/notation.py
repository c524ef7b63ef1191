"""Moves, positions, game records and match records: text and JSON, both ways.

Everything here is plain Python; `game` sets a position out for the engine.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any

from kasino_sim.cards import N_CARDS, card_text, parse_card, parse_cards
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


_MOVE = re.compile(r"\s*(\S+?)\s*(?:(x|\+)\s*([^=]*?)\s*(?:=\s*(\d{1,3}))?)?\s*")


def parse_move(text: str) -> Move:
    """Read a move such as `8h x 3c 5d`, `5h + 4d = 9` or `8h`; things may stand in any order.

    Raises
    ------
    KasinoError
        Where the text is no move or names a card that does not exist.
    """
    match = _MOVE.fullmatch(text) if isinstance(text, str) else None
    card, act, things, value = match.groups(default="") if match else ("", "", "", "")
    if not card or (act == "+") != bool(value) or (act and not things):
        raise KasinoError(
            f"{text!r} is not understood: a move looks like '8h', '8h x 3c 5d', "
            "'9c x 4d 5h [3h 6s]' or '5h + 4d = 9'"
        )
    try:
        played = parse_card(card)
        piles = [parse_cards(pile) for pile in re.findall(r"\[([^\[\]]*)\]", things)]
        loose = parse_cards(re.sub(r"\[[^\[\]]*\]", " ", things))
    except KasinoError as error:
        raise KasinoError(f"{text!r}: {error.lines[0]}") from None
    for number, times in Counter([played, *loose, *chain(*piles)]).items():
        if times > 1:
            raise KasinoError(f"{text!r} names {card_text(number)} more than once")
    return make_move(played, act, loose, piles, int(value or 0))


class Reader:
    """Reads the fields of one JSON object, gathering every mistake.

    Parameters
    ----------
    data : mapping
        The object.
    where : str
        What its mistakes name as their place.
    known : list of str
        Its fields. Others are passed over, but for those that look like a slip of the pen.
    """

    def __init__(self, data: Mapping[str, Any], where: str, known: list[str]) -> None:
        self.data, self.where = data, where
        self.lines: list[str] = []
        for key in data:
            if key not in known and closest(key, known):
                self.fault(key, f"is not a field{closest(key, known)}")

    def fault(self, key: str, what: str) -> None:
        """Note a mistake in a field."""
        self.lines.append(f"{self.where}: {key} {what}")

    def integer(self, key: str, default: int | None, low: int, high: int) -> int:
        """Read a whole number within bounds; `low` stands in for a bad one."""
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            given = "is missing" if value is None else f"= {value!r}"
            self.fault(key, f"{given}, must be a whole number from {low} to {high}")
            return low
        return value

    def cards(self, key: str, value: object) -> Cards:
        """Read a list of cards, in the order given."""
        if not isinstance(value, list | tuple):
            self.fault(key, f"= {value!r}, must be a list of cards such as ['Td', '2s']")
            return ()
        cards = []
        for text in value:
            try:
                cards.append(parse_card(text))
            except KasinoError as error:
                self.fault(f"{key}:", error.lines[0])
        return tuple(cards)

    def check(self) -> None:
        """Raise what was noted, if anything was."""
        if self.lines:
            raise KasinoError(self.lines)


def read_rules(data: Mapping[str, Any], where: str) -> Ruleset:
    """Return the rule set of a position, a game record or a match record.

    Its `players`, where it has the field, goes before those of its `rules`.
    """
    if "rules" not in data:
        raise KasinoError(
            f"{where}: rules is missing; give a preset's name or an object of sections"
        )
    rules, players = data["rules"], data.get("players")
    if players is not None and (isinstance(players, bool) or players not in (2, 3, 4)):
        raise KasinoError(f"{where}: players = {players!r}, must be 2, 3 or 4")
    ruleset = _rules_of(rules, where)
    if players is None or players == ruleset.n_players:
        return ruleset
    sections: dict[str, Any] = {"preset": rules} if isinstance(rules, str) else dict(rules)
    deal = {**sections.get("deal", {}), "players": int(players)}
    return _rules_of({**sections, "deal": deal}, where)


def _rules_of(rules: object, where: str) -> Ruleset:
    try:
        # The lines of a file mostly share their rules. Not sorted: the name keeps the order.
        return _rules_of_text(json.dumps(rules))
    except (KasinoError, TypeError):
        return ruleset_from_object(rules, where)


@lru_cache(maxsize=256)
def _rules_of_text(rules: str) -> Ruleset:
    return ruleset_from_object(json.loads(rules))


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
    n = rules.n_players
    read = Reader(data, where, _POSITION_KEYS)
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


def _per_player(read: Reader, key: str, n: int, default: object) -> list[Any]:
    value = read.data.get(key)
    if value is None:
        return [default] * n
    if not isinstance(value, list) or len(value) != n:
        read.fault(key, f"must be a list of {n}, one for each player")
        return [default] * n
    return value


def _hands(read: Reader, n: int) -> tuple[Cards | None, ...]:
    if "hands" not in read.data:
        read.fault("hands", f"is missing, must be a list of {n} hands (unknown ones null)")
    hands = _per_player(read, "hands", n, None)
    return tuple(None if h is None else read.cards(f"hands[{i}]", h) for i, h in enumerate(hands))


def _piles(read: Reader, n: int) -> tuple[Cards, ...]:
    piles = _per_player(read, "captured", n, [])
    return tuple(read.cards(f"captured[{i}]", p or []) for i, p in enumerate(piles))


def _sweeps(read: Reader, n: int) -> tuple[int, ...]:
    sweeps = _per_player(read, "sweeps", n, 0)
    if any(type(s) is not int or not 0 <= s <= N_CARDS for s in sweeps):
        read.fault("sweeps", f"= {sweeps!r}, must be counts of 0 to {N_CARDS}")
        return (0,) * n
    return tuple(sweeps)


def _stock(read: Reader) -> Cards | None:
    stock = read.data.get("stock")
    if stock is None or (isinstance(stock, list) and None in stock):
        return None
    return read.cards("stock", stock)


def _last(read: Reader, n: int) -> int | None:
    if read.data.get("last_capturer") is None:
        return None
    return read.integer("last_capturer", None, 0, n - 1)


def _builds(read: Reader, rules: Ruleset) -> tuple[Build, ...]:
    builds = read.data.get("builds") or []
    if not isinstance(builds, list):
        read.fault("builds", "must be a list of builds")
        return ()
    parsed = (_build(read, rules, f"builds[{i}]", b) for i, b in enumerate(builds))
    return tuple(b for b in parsed if b)


def _build(read: Reader, rules: Ruleset, key: str, data: object) -> Build | None:
    if not isinstance(data, dict):
        read.fault(key, "must be an object with cards, value, owner and locked")
        return None
    part = Reader(data, f"{read.where}: {key}", ["cards", "value", "owner", "locked"])
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
    sorts: Counter[tuple[int, ...]] = Counter()
    alone = 0
    for card in build.cards:
        values = set(table_values(rules, card))
        if rules.build.card_value == "hand":
            values |= set(hand_values(rules, card))
        if rules.values.faces != "unsummable" or card < 40:
            sorts[tuple(sorted(values))] += 1
        elif build.locked and build.value in values:
            alone += 1
        else:
            return False
    if build.locked:
        return _split(sorts, build.value, 2 - alone)
    return build.value in _sums(sorts)


def _sums(sorts: Counter[tuple[int, ...]]) -> set[int]:
    """List what all these cards together can sum to."""
    sums = {0}
    for values in sorts.elements():
        sums = {total + v for total in sums for v in values}
    return sums


def _split(sorts: Counter[tuple[int, ...]], value: int, least: int) -> bool:
    """Whether the cards, counted by their values, split into `least` or more groups of `value`.

    The highest card left is always given its group first: it has the fewest companions, and no
    order of the same groups is tried twice.
    """
    kinds = sorted(sorts, reverse=True)
    if all(total % value for total in _sums(sorts)):
        return False
    start = tuple(sorts[kind] for kind in kinds)
    seen, ahead = {start}, [start]
    while ahead:
        left = ahead.pop()
        if not any(left):
            return True
        for rest in set(_without_group(kinds, left, value)):
            too_few = left == start and not any(rest) and least > 1
            if rest not in seen and not too_few:
                seen.add(rest)
                ahead.append(rest)
    return False


def _without_group(
    kinds: list[tuple[int, ...]], left: tuple[int, ...], value: int
) -> Iterator[tuple[int, ...]]:
    """Yield what is left after each group of `value` that holds the highest card left."""
    first = next(i for i, n in enumerate(left) if n)
    ahead = [(left, first, value, True)]
    while ahead:
        rest, i, missing, fresh = ahead.pop()
        if not missing:
            yield rest
            continue
        for j in range(i, i + 1 if fresh else len(kinds)):
            if rest[j]:
                fewer = (*rest[:j], rest[j] - 1, *rest[j + 1 :])
                ahead += [(fewer, j, missing - v, False) for v in kinds[j] if v <= missing]


def _no_doubles(read: Reader, position: Position) -> None:
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
    read = Reader(data, where, _RECORD_KEYS)
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


def _whole_deck(read: Reader, deck: Cards) -> None:
    doubled = sorted({c for c in deck if deck.count(c) > 1})
    missing = [c for c in range(N_CARDS) if c not in deck]
    faults = []
    if len(deck) != N_CARDS:
        faults.append(f"has {len(deck)} cards, must be the 52 cards once each")
    if doubled:
        faults.append(f"has {' '.join(map(card_text, doubled))} more than once")
    elif missing and len(deck) >= N_CARDS - 4:
        faults.append(f"lacks {' '.join(map(card_text, missing))}")
    if faults:
        read.fault("deck", "; ".join(faults))
