"""A naive twin of the Kasino engine, written from the rule card alone.

It is the slow and obvious reading of the rules that the fast engine is compared with: plain lists,
sets and dictionaries, one short function for each paragraph of the card. It takes and gives the
same JSON as the package (positions, game records, match records) and shares no code with it.

Where the card leaves room, this twin reads it so:

* The clear card's power gives it no value, so it is a taker by its ordinary hand values only (the
  five of spades takes, and guards, builds of five like any five).
* The little and the big casino keep the number of their own rank on the table; a rule set whose
  little casino is no two, or whose big casino is no ten, is not refused but never drawn here.
* ``keep_taker`` looks at each own build by itself, so one card may guard two builds. It forbids
  every move that leaves an own build without a taker, also where the build had none before.
* ``resolve`` (build.duty) is met by a capture that takes an own build, whatever else it takes, and
  however it came to be legal (the clear card's power included).
* A partner's build that is added to without a taker may be joined by loose groups in the same move.
* ``sweep.clear_card = false`` asks whether the card's values alone could take the whole table.
* A finished deal still names the player whose turn it would be, its table is empty, and what lay on
  it is with the last capturer; it stays on the table only where nobody captured.
* Count-out in a further deal starts from the shared totals, which may lie above the target: the
  first item after which anyone has the target is then the first item of all.
* Positions are written in one canonical form: cards of hands, table, builds and captures in card
  order, builds by their text; only the stock keeps its own order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"

RANKS = "A23456789TJQK"
SUITS = "cdhs"
CARDS = [rank + suit for rank in RANKS for suit in SUITS]
PLACE = {card: place for place, card in enumerate(CARDS)}
ITEMS = ["big", "little", "aces", "spades", "cards", "last", "sweeps", "each_spade"]

Rules = dict[str, dict[str, Any]]


# Rule sets ---------------------------------------------------------------------------------------


def is_number(value: object) -> bool:
    """Whether a parameter is a number (true and false are not)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_count(value: object) -> bool:
    """Whether a parameter is a whole number of at least one."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_card(value: object) -> bool:
    """Whether a parameter is a card."""
    return isinstance(value, str) and value in PLACE


def one_of(*allowed: Any) -> Callable[[object], bool]:
    """Return a test for one of the given values; true is not 1 and false is not 0."""
    return lambda value: any(type(value) is type(a) and value == a for a in allowed)


CHECKS: dict[str, dict[str, Callable[[object], bool]]] = {
    "deal": {
        "players": one_of(2, 3, 4),
        "teams": one_of("solo", "pairs"),
        "hand": is_count,
        "table": lambda value: is_count(value) or one_of(0)(value),
        "draw": one_of("batch", "single"),
        "swap_point_cards": one_of(False, True),
    },
    "values": {
        "ace_hand": one_of([1], [14], [1, 14]),
        "ace_table": one_of([1], [1, 14]),
        "little": is_card,
        "little_hand": one_of([2], [15], [2, 15]),
        "big": is_card,
        "big_hand": one_of([10], [16], [10, 16]),
        "faces": one_of("numeric", "unsummable", "pairs"),
        "per_play": one_of("one", "any"),
    },
    "capture": {
        "obligation": one_of("free", "forced", "must-act"),
        "extent": one_of("any", "maximal"),
        "clear_card": lambda value: value == "" or is_card(value),
    },
    "build": {
        "allowed": one_of(True, False),
        "addends": one_of("any", "one"),
        "raise": one_of("none", "others", "any"),
        "multiple": one_of(True, False),
        "point_cards": one_of(True, False),
        "card_value": one_of("table", "hand"),
        "duty": one_of("free", "act", "resolve"),
        "keep_taker": one_of(False, True),
        "partner": one_of(False, True),
    },
    "sweep": {
        "points": one_of(0, 1, 2),
        "when": one_of("any", "last-hand-card"),
        "excluded": one_of("none", "final-play", "last-batch"),
        "cancel": one_of(False, True),
        "clear_card": one_of(True, False),
    },
    "score": {
        "cards": is_number,
        "spades": is_number,
        "aces": is_number,
        "little": is_number,
        "big": is_number,
        "last": is_number,
        "each_spade": is_number,
        "each_spade_from": is_number,
        "ties": one_of("none", "carry"),
    },
    "match": {
        "goal": one_of("points", "deals"),
        "target": is_number,
        "deals": is_count,
        "end": one_of("highest", "count-out"),
        "tie_break": one_of("deal", "spades"),
        "winner": one_of("highest", "lowest"),
    },
}


def resolve(R: str | dict[str, Any], presets: dict[str, Rules]) -> Rules:
    """Return every section and key of a rule set given by a preset's name or by overrides."""
    given = {"preset": R} if isinstance(R, str) else R
    name = given.get("preset", "svensk")
    if name not in presets:
        raise ValueError(f"no preset {name!r}")
    rules = deepcopy(presets[name])
    for section, overrides in given.items():
        if section == "preset":
            continue
        if not isinstance(overrides, dict):
            raise ValueError(f"{section} is no section of keys")
        for key, value in overrides.items():
            if key not in CHECKS.get(section, {}):
                raise ValueError(f"no key {section}.{key}")
            if not CHECKS[section][key](value):
                raise ValueError(f"{section}.{key} cannot be {value!r}")
            rules[section][key] = deepcopy(value)
    check_together(rules)
    return rules


def check_together(rules: Rules) -> None:
    """Refuse the combinations that the rule card calls errors."""
    deal, match = rules["deal"], rules["match"]
    if deal["teams"] == "pairs" and deal["players"] != 4:
        raise ValueError("pairs need four players")
    if rules["build"]["partner"] and deal["teams"] != "pairs":
        raise ValueError("build.partner is for pairs only")
    counted = match["goal"] == "points" and match["winner"] == "highest"
    if match["end"] == "count-out" and not counted:
        raise ValueError("count-out is for the highest total in a match to a target")
    if not deal_fits(deal):
        raise ValueError("the stock does not come out even")


def deal_fits(deal: dict[str, Any]) -> bool:
    """Whether the stock comes out even."""
    stock = 52 - deal["table"] - deal["players"] * deal["hand"]
    step = deal["players"] * (1 if deal["draw"] == "single" else deal["hand"])
    return stock >= 0 and stock % step == 0


@cache
def load_presets() -> dict[str, Rules]:
    """Return the presets of the test data."""
    return json.loads((DATA / "presets.json").read_text(encoding="utf-8"))


def rules_of(R: str | dict[str, Any]) -> Rules:
    """Resolve a rule set over the presets of the test data."""
    return resolve(R, load_presets())


# Cards and their values --------------------------------------------------------------------------


def in_order(cards: Iterable[str]) -> list[str]:
    """Return the cards in card order."""
    return sorted(cards, key=PLACE.__getitem__)


def number(card: str) -> int:
    """Return the number of a card's rank, the ace as one."""
    return RANKS.index(card[0]) + 1


def is_face(card: str) -> bool:
    """Whether a card is a jack, queen or king."""
    return card[0] in "JQK"


def is_point_card(card: str, rules: Rules) -> bool:
    """Whether a card is an ace, the little or the big casino."""
    return card[0] == "A" or card in (rules["values"]["little"], rules["values"]["big"])


def hand_values(card: str, rules: Rules) -> list[int]:
    """Return what a card may be worth when it is played from the hand."""
    values = rules["values"]
    if card == values["little"]:
        return values["little_hand"]
    if card == values["big"]:
        return values["big_hand"]
    return values["ace_hand"] if card[0] == "A" else [number(card)]


def table_values(card: str, rules: Rules) -> list[int]:
    """Return what a card may be worth while it lies on the table."""
    special = (rules["values"]["little"], rules["values"]["big"])
    if card[0] == "A" and card not in special:
        return rules["values"]["ace_table"]
    return [number(card)]


def build_values(card: str, rules: Rules) -> list[int]:
    """Return what a played card may be worth in a build."""
    read = hand_values if rules["build"]["card_value"] == "hand" else table_values
    return read(card, rules)


def taker_values(card: str, rules: Rules) -> list[int]:
    """Return the values of the builds that a card in the hand can take."""
    if is_face(card) and rules["values"]["faces"] == "pairs":
        return []
    return hand_values(card, rules)


def may_be_summed(card: str, rules: Rules) -> bool:
    """Whether a card may be one of two or more that are added up."""
    return not is_face(card) or rules["values"]["faces"] == "numeric"


# Positions ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Build:
    """A pile with one value."""

    cards: tuple[str, ...]
    value: int
    owner: int
    locked: bool

    def text(self) -> str:
        """Return the pile as it stands in a move."""
        return "[" + " ".join(in_order(self.cards)) + "]"


@dataclass(frozen=True)
class Move:
    """A legal move; ``kind`` is trail, capture, build (single or multiple) or raise."""

    card: str
    kind: str
    loose: frozenset[str] = frozenset()
    builds: frozenset[Build] = frozenset()
    value: int | None = None
    locked: bool = False

    def text(self) -> str:
        """Return the move in the notation of records."""
        things = " ".join(in_order(self.loose) + sorted(build.text() for build in self.builds))
        if self.kind == "trail":
            return self.card
        if self.kind == "capture":
            return f"{self.card} x {things}"
        return f"{self.card} + {things} = {self.value}"


@dataclass
class State:
    """A position while it is played on."""

    R: str | dict[str, Any]
    rules: Rules
    dealer: int
    to_move: int
    hands: list[list[str] | None]
    table: list[str]
    builds: list[Build]
    stock: list[str]
    captured: list[list[str]]
    sweeps: list[int]
    last_capturer: int | None

    def hand(self) -> list[str]:
        """Return the hand of the player to move."""
        hand = self.hands[self.to_move]
        if hand is None:
            raise ValueError("the hand of the player to move is not known")
        return hand

    def is_over(self) -> bool:
        """Whether the deal is played out."""
        return not self.stock and not any(self.hands)


def read_position(position: dict[str, Any]) -> State:
    """Return the state that a position's JSON describes."""
    rules = rules_of(position["rules"])
    players = rules["deal"]["players"]
    if position.get("players", players) != players:
        raise ValueError("the position and its rules differ in the number of players")
    return State(
        R=position["rules"],
        rules=rules,
        dealer=position["dealer"],
        to_move=position["to_move"],
        hands=[None if hand is None else list(hand) for hand in position["hands"]],
        table=list(position["table"]),
        builds=[
            Build(tuple(build["cards"]), build["value"], build["owner"], build["locked"])
            for build in position["builds"]
        ],
        stock=list(position.get("stock") or []),
        captured=[list(cards) for cards in position.get("captured") or [[]] * players],
        sweeps=list(position.get("sweeps") or [0] * players),
        last_capturer=position.get("last_capturer"),
    )


def write_position(state: State) -> dict[str, Any]:
    """Return a state as a position's JSON, in the canonical form."""
    return {
        "rules": state.R,
        "players": state.rules["deal"]["players"],
        "dealer": state.dealer,
        "to_move": state.to_move,
        "hands": [None if hand is None else in_order(hand) for hand in state.hands],
        "table": in_order(state.table),
        "builds": [
            {
                "cards": in_order(build.cards),
                "value": build.value,
                "owner": build.owner,
                "locked": build.locked,
            }
            for build in sorted(state.builds, key=Build.text)
        ],
        "stock": list(state.stock),
        "captured": [in_order(cards) for cards in state.captured],
        "sweeps": list(state.sweeps),
        "last_capturer": state.last_capturer,
    }


# Groups: sets of things on the table, as bit masks over a list of them ---------------------------


def sums(loose: list[str], total: int, rules: Rules) -> set[int]:
    """Return the sets of loose cards, one card or more, that can be worth ``total`` together.

    Only cards that may be summed are looked at. Values are positive, so a set that is worth enough
    need not be looked at with more cards.
    """
    found = set()

    def extend(start: int, mask: int, missing: int) -> None:
        if missing == 0:
            found.add(mask)
            return
        for place in range(start, len(loose)):
            if may_be_summed(loose[place], rules):
                for value in table_values(loose[place], rules):
                    if value <= missing:
                        extend(place + 1, mask | 1 << place, missing - value)

    if total > 0:
        extend(0, 0, total)
    return found


def loose_groups(loose: list[str], value: int, rules: Rules) -> set[int]:
    """Return the groups of loose cards that a card other than a paired face takes or builds on."""
    groups = sums(loose, value, rules)
    if rules["values"]["faces"] == "unsummable":
        groups |= {
            1 << i for i, card in enumerate(loose) if is_face(card) and number(card) == value
        }
    return groups


def groups_for(
    card: str, value: int, loose: list[str], builds: list[Build], rules: Rules
) -> set[int]:
    """Return what ``card`` takes as one group of ``value``; the builds follow the loose cards."""
    if is_face(card) and rules["values"]["faces"] == "pairs":
        return {1 << i for i, other in enumerate(loose) if other[0] == card[0]}
    piles = {1 << len(loose) + i for i, build in enumerate(builds) if build.value == value}
    return loose_groups(loose, value, rules) | piles


def unions(groups: Iterable[int]) -> set[int]:
    """Return every union of disjoint groups, the union of none (0) too."""
    found = {0}
    for group in groups:
        found |= {mask | group for mask in found if not mask & group}
    return found


def chosen(mask: int, things: list) -> list:
    """Return the things whose bits are set."""
    return [thing for place, thing in enumerate(things) if mask >> place & 1]


# Moves -------------------------------------------------------------------------------------------


def captures_by_value(card: str, state: State, extent: str) -> set[int]:
    """Return what a card can take by its values, as masks over the loose cards and the builds."""
    rules = state.rules
    families = [
        groups_for(card, value, state.table, state.builds, rules)
        for value in hand_values(card, rules)
    ]
    if rules["values"]["per_play"] == "any":
        families = [set().union(*families)]
    found = set()
    for groups in families:
        for mask in unions(groups) - {0}:
            if extent == "any" or all(mask & group for group in groups):
                found.add(mask)
    return found


def captures(card: str, state: State) -> set[Move]:
    """Return the captures with a card."""
    masks = captures_by_value(card, state, state.rules["capture"]["extent"])
    things = state.table + state.builds
    if card == state.rules["capture"]["clear_card"] and things:
        masks.add((1 << len(things)) - 1)
    return {
        Move(
            card,
            "capture",
            frozenset(chosen(mask, state.table)),
            frozenset(chosen(mask >> len(state.table), state.builds)),
        )
        for mask in masks
    }


def may_build_with(card: str, rules: Rules) -> bool:
    """Whether a card may be the played card of a build."""
    if not rules["build"]["allowed"]:
        return False
    if is_face(card) and rules["values"]["faces"] == "pairs":
        return False
    return rules["build"]["point_cards"] or not is_point_card(card, rules)


def own_groups(card: str, value: int, state: State) -> set[int]:
    """Return the loose cards that make a group of ``value`` with the played card (0: it alone)."""
    rules = state.rules
    found = set()
    for worth in build_values(card, rules):
        if worth == value:
            found.add(0)
        elif may_be_summed(card, rules):
            found |= sums(state.table, value - worth, rules)
    if rules["build"]["addends"] == "one":
        found = {mask for mask in found if mask.bit_count() <= 1}
    return found


def is_partners(build: Build, state: State) -> bool:
    """Whether a build may be added to without a taker."""
    return state.rules["build"]["partner"] and build.owner == (state.to_move + 2) % 4


def guarded_values(card: str, state: State) -> set[int]:
    """Return the values for which the mover holds a taker besides ``card``."""
    others = [other for other in state.hand() if other != card]
    return {value for other in others for value in taker_values(other, state.rules)}


def single_builds(card: str, state: State) -> set[Move]:
    """Return the builds of one group."""
    return {
        Move(card, "build", frozenset(chosen(mask, state.table)), value=value)
        for value in guarded_values(card, state)
        for mask in own_groups(card, value, state)
        if mask
    }


def multiple_builds(card: str, state: State) -> set[Move]:
    """Return the builds of two groups or more, additions to a build among them."""
    if not state.rules["build"]["multiple"]:
        return set()
    guarded = guarded_values(card, state)
    partners = {build.value for build in state.builds if is_partners(build, state)}
    moves = set()
    for value in guarded | partners:
        piles: list[Build | None] = [None]
        piles += [build for build in state.builds if build.value == value]
        further = unions(loose_groups(state.table, value, state.rules))
        for own in own_groups(card, value, state):
            for more in further:
                for pile in piles:
                    if own & more or (not more and pile is None):
                        continue
                    if value in guarded or (pile is not None and is_partners(pile, state)):
                        loose = frozenset(chosen(own | more, state.table))
                        used = frozenset() if pile is None else frozenset([pile])
                        moves.add(Move(card, "build", loose, used, value, locked=True))
    return moves


def may_raise(build: Build, state: State) -> bool:
    """Whether the mover may raise a build at all."""
    allowed = state.rules["build"]["raise"]
    if build.locked or allowed == "none":
        return False
    return allowed == "any" or build.owner != state.to_move


def raises(card: str, state: State) -> set[Move]:
    """Return the raises with a card."""
    if not may_be_summed(card, state.rules):
        return set()
    guarded = guarded_values(card, state)
    return {
        Move(card, "raise", builds=frozenset([build]), value=build.value + worth)
        for build in state.builds
        if may_raise(build, state)
        for worth in build_values(card, state.rules)
        if build.value + worth in guarded
    }


def all_moves(state: State) -> set[Move]:
    """Return the moves before the rules that look at what else could be done."""
    moves = set()
    for card in state.hand():
        moves.add(Move(card, "trail"))
        moves |= captures(card, state)
        if may_build_with(card, state.rules):
            moves |= single_builds(card, state) | multiple_builds(card, state) | raises(card, state)
    return moves


def leaves_takers(move: Move, state: State) -> bool:
    """Whether every build that the mover owned and still owns has a taker in the hand."""
    guarded = guarded_values(move.card, state)
    for build in state.builds:
        if build.owner == state.to_move:
            if build not in move.builds:
                value = build.value
            elif move.kind == "capture":
                continue
            else:
                value = move.value
            if value not in guarded:
                return False
    return True


def after_keep_taker(moves: set[Move], state: State) -> set[Move]:
    """Apply build.keep_taker."""
    if not state.rules["build"]["keep_taker"]:
        return moves
    return {move for move in moves if leaves_takers(move, state)} or moves


def after_obligation(moves: set[Move], state: State) -> set[Move]:
    """Apply capture.obligation."""
    obligation = state.rules["capture"]["obligation"]
    if obligation == "forced":
        capturing = {move.card for move in moves if move.kind == "capture"}
        return {move for move in moves if move.kind != "trail" or move.card not in capturing}
    if obligation == "must-act":
        return {move for move in moves if move.kind != "trail"} or moves
    return moves


def after_duty(moves: set[Move], state: State) -> set[Move]:
    """Apply build.duty."""
    duty = state.rules["build"]["duty"]
    own = {build for build in state.builds if build.owner == state.to_move}
    if not own or duty == "free":
        return moves
    if duty == "act":
        return {move for move in moves if move.kind != "trail"} or moves
    return {move for move in moves if move.builds & own} or moves


def moves_of(state: State) -> dict[str, Move]:
    """Return the legal moves by their text."""
    if not state.hand():
        return {}
    moves = after_keep_taker(all_moves(state), state)
    moves = after_obligation(moves, state)
    moves = after_duty(moves, state)
    by_text = {move.text(): move for move in moves}
    if len(by_text) != len(moves):
        raise AssertionError("two different moves have the same text")
    return by_text


def legal_moves(position: dict[str, Any]) -> list[str]:
    """Return the legal moves of a position, sorted; none where the hand is empty."""
    return sorted(moves_of(read_position(position)))


# Playing -----------------------------------------------------------------------------------------


def seats(state: State) -> list[int]:
    """Return the players from the dealer's left."""
    players = state.rules["deal"]["players"]
    return [(state.dealer + 1 + place) % players for place in range(players)]


def deal_hands(state: State) -> None:
    """Give every player a whole hand from the stock."""
    for player in seats(state):
        state.hands[player] = [state.stock.pop(0) for _ in range(state.rules["deal"]["hand"])]


def start_deal(R: str | dict[str, Any], deck: list[str], dealer: int) -> State:
    """Return the position after the first deal."""
    rules = rules_of(R)
    players = rules["deal"]["players"]
    if sorted(deck) != sorted(CARDS):
        raise ValueError("a deck has each of the 52 cards once")
    state = State(
        R=R,
        rules=rules,
        dealer=dealer,
        to_move=(dealer + 1) % players,
        hands=[None] * players,
        table=[],
        builds=[],
        stock=list(deck),
        captured=[[] for _ in range(players)],
        sweeps=[0] * players,
        last_capturer=None,
    )
    deal_hands(state)
    state.table = [state.stock.pop(0) for _ in range(rules["deal"]["table"])]
    return state


def is_sweep(move: Move, state: State) -> bool:
    """Whether a capture, not played yet, is a sweep."""
    if len(move.loose) != len(state.table) or len(move.builds) != len(state.builds):
        return False
    sweep = state.rules["sweep"]
    if sweep["when"] == "last-hand-card" and len(state.hand()) > 1:
        return False
    if sweep["excluded"] == "last-batch" and not state.stock:
        return False
    cards_left = len(state.stock) + sum(len(hand or []) for hand in state.hands)
    if sweep["excluded"] == "final-play" and cards_left == 1:
        return False
    if not sweep["clear_card"] and move.card == state.rules["capture"]["clear_card"]:
        everything = (1 << len(state.table) + len(state.builds)) - 1
        return everything in captures_by_value(move.card, state, "any")
    return True


def play(state: State, move: Move) -> None:
    """Play a legal move and all that follows from it."""
    player, hand = state.to_move, state.hand()
    sweep = move.kind == "capture" and is_sweep(move, state)
    hand.remove(move.card)
    state.table = [card for card in state.table if card not in move.loose]
    state.builds = [build for build in state.builds if build not in move.builds]
    pile = [move.card, *move.loose, *(card for build in move.builds for card in build.cards)]
    if move.kind == "trail":
        state.table.append(move.card)
    elif move.kind == "capture":
        state.captured[player] += pile
        state.last_capturer = player
        state.sweeps[player] += sweep
    else:
        assert move.value is not None
        state.builds.append(Build(tuple(in_order(pile)), move.value, player, move.locked))
    if state.rules["deal"]["draw"] == "single" and state.stock:
        hand.append(state.stock.pop(0))
    state.to_move = (player + 1) % state.rules["deal"]["players"]
    if state.is_over():
        finish(state)
    elif not any(state.hands):
        deal_hands(state)


def finish(state: State) -> None:
    """Give what is left on the table to the last capturer."""
    if state.last_capturer is not None:
        left = state.table + [card for build in state.builds for card in build.cards]
        state.captured[state.last_capturer] += left
        state.table, state.builds = [], []


def replay_state(record: dict[str, Any]) -> State:
    """Return the state after the last move of a game record."""
    state = start_deal(record["rules"], record["deck"], record["dealer"])
    for text in record["moves"]:
        moves = {} if state.is_over() else moves_of(state)
        if text not in moves:
            raise ValueError(f"not a legal move: {text}")
        play(state, moves[text])
    return state


def replay(record: dict[str, Any]) -> dict[str, Any]:
    """Return the position after the last move of a game record; an illegal move is an error."""
    return write_position(replay_state(record))


# Scoring -----------------------------------------------------------------------------------------


def side_count(rules: Rules) -> int:
    """Return the number of sides."""
    return 2 if rules["deal"]["teams"] == "pairs" else rules["deal"]["players"]


def by_side(per_player: list[Any], rules: Rules, empty: Any) -> list[Any]:
    """Add up what the players of each side have; in pairs players 0 and 2 are side 0."""
    sides = side_count(rules)
    return [sum(per_player[side::sides], empty) for side in range(sides)]


def most(counts: list[int]) -> int | None:
    """Return the side that has strictly most, if there is one."""
    best = [side for side, count in enumerate(counts) if count == max(counts)]
    return best[0] if len(best) == 1 else None


def score_state(state: State) -> dict[str, Any]:
    """Return the points of a finished deal."""
    rules, weights = state.rules, state.rules["score"]
    piles = by_side(state.captured, rules, [])
    sweeps = by_side(state.sweeps, rules, 0)
    spades = [sum(card[1] == "s" for card in pile) for pile in piles]
    sizes = [len(pile) for pile in piles]
    sides = range(len(piles))
    cancelled = min(sweeps) if rules["sweep"]["cancel"] else 0
    last = None if state.last_capturer is None else state.last_capturer % len(piles)
    points = {
        "big": [weights["big"] * (rules["values"]["big"] in pile) for pile in piles],
        "little": [weights["little"] * (rules["values"]["little"] in pile) for pile in piles],
        "aces": [weights["aces"] * sum(card[0] == "A" for card in pile) for pile in piles],
        "spades": [weights["spades"] * (side == most(spades)) for side in sides],
        "cards": [weights["cards"] * (side == most(sizes)) for side in sides],
        "last": [weights["last"] * (side == last) for side in sides],
        "sweeps": [rules["sweep"]["points"] * (count - cancelled) for count in sweeps],
        "each_spade": [
            weights["each_spade"] * max(0, count - weights["each_spade_from"]) for count in spades
        ],
    }
    counts = {"spades": spades, "cards": sizes}
    return {
        "points": points,
        "tied": [item for item in counts if most(counts[item]) is None],
        "sweeps": list(state.sweeps),
        "last_capturer": state.last_capturer,
        "captured": [in_order(cards) for cards in state.captured],
    }


def score(record: dict[str, Any]) -> dict[str, Any]:
    """Return the points of a finished game record."""
    state = replay_state(record)
    if not state.is_over():
        raise ValueError("the deal is not over")
    return score_state(state)


# Matches -----------------------------------------------------------------------------------------


def leaders(totals: list[Any], among: Iterable[int], best: Callable = max) -> list[int]:
    """Return those among the sides that have the best total."""
    among = list(among)
    mark = best(totals[side] for side in among)
    return [side for side in among if totals[side] == mark]


def with_carried(
    deal: dict[str, Any], waiting: dict[str, Any], rules: Rules
) -> dict[str, list[Any]]:
    """Return a deal's points with the carried ones in their items, and update ``waiting``."""
    points = {item: list(deal["points"][item]) for item in ITEMS}
    if rules["score"]["ties"] == "carry":
        for item in ("spades", "cards"):
            if item in deal["tied"]:
                waiting[item] += rules["score"][item]
            else:
                points[item][deal["most"][item]] += waiting[item]
                waiting[item] = 0
    return points


def count_out(before: list[Any], points: dict[str, list[Any]], target: Any) -> list[int]:
    """Return the winner (none: the match goes on) of a deal that is counted item by item."""
    totals = list(before)
    sharing: list[int] = []
    for item in ITEMS:
        totals = [total + gain for total, gain in zip(totals, points[item], strict=True)]
        if not sharing:
            sharing = [side for side, total in enumerate(totals) if total >= target]
        if sharing:
            sharing = leaders(totals, sharing)
        if len(sharing) == 1:
            return sharing
    return []


def winners_by_total(totals: list[Any], spades: list[int], rules: Rules) -> list[int]:
    """Return the winner (none: the match goes on) of a match to a target, by the whole deal."""
    match = rules["match"]
    if max(totals) < match["target"]:
        return []
    best = leaders(totals, range(len(totals)), min if match["winner"] == "lowest" else max)
    if len(best) > 1 and match["tie_break"] == "spades":
        best = leaders(spades, best)
    return best if len(best) == 1 else []


def winners_after(
    used: int,
    before: list[Any],
    totals: list[Any],
    deal: dict[str, Any],
    points: dict[str, list[Any]],
    rules: Rules,
) -> list[int]:
    """Return the winners after a deal; none while the match goes on."""
    match = rules["match"]
    if match["goal"] == "deals":
        best = min if match["winner"] == "lowest" else max
        return leaders(totals, range(len(totals)), best) if used == match["deals"] else []
    if match["end"] == "count-out":
        return count_out(before, points, match["target"])
    return winners_by_total(totals, deal["spades"], rules)


def count_match(record: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a match record; deals after the end are not looked at."""
    rules = rules_of(record["rules"])
    totals: list[Any] = [0] * side_count(rules)
    waiting = {"spades": 0, "cards": 0}
    winners: list[int] = []
    used = 0
    for deal in record["deals"]:
        points = with_carried(deal, waiting, rules)
        before = totals
        totals = [
            total + sum(points[item][side] for item in ITEMS) for side, total in enumerate(before)
        ]
        used += 1
        winners = winners_after(used, before, totals, deal, points, rules)
        if winners:
            break
    return {"totals": totals, "winners": winners, "deals": used, "carried": waiting}


# Random play, rule sets and positions ------------------------------------------------------------


def shuffled_deck(rng: random.Random) -> list[str]:
    """Return a shuffled pack."""
    return rng.sample(CARDS, 52)


def play_random(
    rules: str | dict[str, Any],
    deck: list[str],
    dealer: int,
    rng: random.Random,
    plays: int | None = None,
) -> dict[str, Any]:
    """Return the record of a deal played at random, each distinct legal move equally likely.

    ``deck`` lies as it does after any exchange of table cards. ``plays`` stops the deal early.
    """
    state = start_deal(rules, deck, dealer)
    texts: list[str] = []
    while not state.is_over() and len(texts) != plays:
        moves = moves_of(state)
        text = rng.choice(sorted(moves))
        texts.append(text)
        play(state, moves[text])
    return {"rules": rules, "dealer": dealer, "deck": list(deck), "moves": texts}


CHOICES: dict[str, dict[str, list[Any]]] = {
    "deal": {
        "players": [2, 3, 4],
        "teams": ["solo", "pairs"],
        "draw": ["batch", "single"],
        "swap_point_cards": [False, True],
    },
    "values": {
        "ace_hand": [[1], [14], [1, 14]],
        "ace_table": [[1], [1, 14]],
        "little": ["2c", "2d", "2h", "2s"],
        "little_hand": [[2], [15], [2, 15]],
        "big": ["Tc", "Td", "Th", "Ts"],
        "big_hand": [[10], [16], [10, 16]],
        "faces": ["numeric", "unsummable", "pairs"],
        "per_play": ["one", "any"],
    },
    "capture": {
        "obligation": ["free", "forced", "must-act"],
        "extent": ["any", "maximal"],
        "clear_card": ["", "5s", "Kd", "Ac", "2s", "Td"],
    },
    "build": {
        "allowed": [True, True, True, False],
        "addends": ["any", "one"],
        "raise": ["none", "others", "any"],
        "multiple": [True, False],
        "point_cards": [True, False],
        "card_value": ["table", "hand"],
        "duty": ["free", "act", "resolve"],
        "keep_taker": [False, True],
        "partner": [False, True],
    },
    "sweep": {
        "points": [0, 1, 2],
        "when": ["any", "last-hand-card"],
        "excluded": ["none", "final-play", "last-batch"],
        "cancel": [False, True],
        "clear_card": [True, False],
    },
    "score": {
        "cards": [0, 1, 2, 3],
        "spades": [0, 1, 2],
        "aces": [0, 1, 2],
        "little": [0, 1, 2],
        "big": [0, 1, 2, 3],
        "last": [0, 1, 2],
        "each_spade": [0, 1, 2],
        "each_spade_from": [0, 4, 6],
        "ties": ["none", "carry"],
    },
    "match": {
        "goal": ["points", "deals"],
        "target": [5, 11, 15, 16, 21, 25],
        "deals": [1, 2, 3, 4, 5],
        "end": ["highest", "count-out"],
        "tie_break": ["deal", "spades"],
        "winner": ["highest", "lowest"],
    },
}


def random_sizes(rng: random.Random, deal: dict[str, Any]) -> dict[str, int]:
    """Return sizes of hand and table other than four and four that fit the rest of the deal."""
    sizes = [(hand, table) for hand in range(2, 9) for table in range(2, 9)]
    fitting = [
        {"hand": hand, "table": table}
        for hand, table in sizes
        if deal_fits({**deal, "hand": hand, "table": table})
    ]
    return rng.choice(fitting)


def random_rules(
    rng: random.Random, presets: dict[str, Rules], sizes: bool = True
) -> dict[str, Any]:
    """Return a random valid rule set: overrides of any key over a random preset.

    ``sizes = False`` leaves hands and table at four cards.
    """
    name = rng.choice(sorted(presets))
    share = rng.choice([0.1, 0.3, 0.6])
    wanted: dict[str, Any] = {
        section: {
            key: deepcopy(rng.choice(values))
            for key, values in keys.items()
            if rng.random() < share
        }
        for section, keys in CHOICES.items()
    }
    # Pairs need two keys at once, which seldom come together by chance.
    if rng.random() < 0.2:
        wanted["deal"] |= {"players": 4, "teams": "pairs"}
        wanted["build"] |= rng.choice([{}, {"partner": True}])
    effective = {section: presets[name][section] | wanted[section] for section in CHOICES}
    if effective["deal"]["players"] != 4:
        effective["deal"]["teams"] = "solo"
        wanted["deal"].pop("teams", None)
    if effective["deal"]["teams"] != "pairs":
        wanted["build"].pop("partner", None)
    if effective["match"]["goal"] != "points" or effective["match"]["winner"] != "highest":
        wanted["match"].pop("end", None)
    if sizes and rng.random() < 0.1:
        wanted["deal"] |= random_sizes(rng, effective["deal"])
    return {"preset": name} | {section: keys for section, keys in wanted.items() if keys}


def random_position(rng: random.Random, R: str | dict[str, Any]) -> dict[str, Any]:
    """Return a random position with a move to make: one of a random deal, or a made-up one."""
    return reached_position(rng, R) if rng.random() < 0.4 else synthetic_position(rng, R)


def reached_position(rng: random.Random, R: str | dict[str, Any]) -> dict[str, Any]:
    """Return a position of a deal that was played at random up to a random point."""
    deal = rules_of(R)["deal"]
    plays = rng.randrange(52 - deal["table"])
    return replay(play_random(R, shuffled_deck(rng), rng.randrange(deal["players"]), rng, plays))


def synthetic_position(rng: random.Random, R: str | dict[str, Any]) -> dict[str, Any]:
    """Return a made-up position: up to ten loose cards and several builds of any owner."""
    rules = rules_of(R)
    players = rules["deal"]["players"]
    dealer = rng.randrange(players)
    played = rng.randrange(players)  # how many have had their turn in this round
    mover = (dealer + 1 + played) % players
    pool = shuffled_deck(rng)
    sizes, stock_sizes = random_sizes_left(rng, rules, played)
    builds = random_builds(rng, pool, rules, mover, sum(sizes))
    hands: list[list[str] | None] = [[] for _ in range(players)]
    for place, size in enumerate(sizes):
        player = (dealer + 1 + place) % players
        hands[player] = random_hand(
            rng, pool, size, [b for b in builds if b.owner == player], rules
        )
    crowd = rng.choice([rng.randint(0, 4), rng.randint(0, 10), rng.randint(7, 10)])
    table = [pool.pop() for _ in range(min(crowd, len(pool)))]
    stock_size = rng.choice([size for size in stock_sizes if size <= len(pool)] or [0])
    stock = [pool.pop() for _ in range(stock_size)]
    captured: list[list[str]] = [[] for _ in range(players)]
    for card in pool:
        rng.choice(captured).append(card)
    holders = [player for player in range(players) if captured[player]]
    return write_position(
        State(
            R=R,
            rules=rules,
            dealer=dealer,
            to_move=mover,
            hands=hands,
            table=table,
            builds=builds,
            stock=stock,
            captured=captured,
            sweeps=[rng.randint(0, 2) if player in holders else 0 for player in range(players)],
            last_capturer=rng.choice(holders) if holders else None,
        )
    )


def random_sizes_left(
    rng: random.Random, rules: Rules, played: int
) -> tuple[list[int], Iterable[int]]:
    """Return the hand sizes from the dealer's left and the sizes that the stock can have.

    ``played`` players have had their turn in this round: while single cards are drawn the hands are
    full and the stock has gone down by one for each of them, else their hands are a card smaller.
    """
    players, size = rules["deal"]["players"], rules["deal"]["hand"]
    single = rules["deal"]["draw"] == "single"
    if single and rng.random() < 0.6:
        return [size] * players, range(players - played, 52, players)
    left = rng.randint(1, size)
    sizes = [left - (place < played) for place in range(players)]
    return sizes, [0] if single else range(0, 52, players * size)


def random_hand(
    rng: random.Random, pool: list[str], size: int, own: list[Build], rules: Rules
) -> list[str]:
    """Draw a hand from the pool, often with takers for the player's builds."""
    hand: list[str] = []
    for build in own:
        takers = [card for card in pool if build.value in taker_values(card, rules)]
        guarded = any(build.value in taker_values(card, rules) for card in hand)
        if takers and len(hand) < size and rng.random() < (0.2 if guarded else 0.8):
            card = rng.choice(takers)
            pool.remove(card)
            hand.append(card)
    while len(hand) < size:
        hand.append(pool.pop())
    return hand


def random_builds(
    rng: random.Random, pool: list[str], rules: Rules, mover: int, reserve: int
) -> list[Build]:
    """Draw builds, many of them the mover's; ``reserve`` cards stay in the pool.

    Here and there one has a value that no card can take: no capture may come of it.
    """
    builds: list[Build] = []
    if rules["build"]["allowed"]:
        values = sorted({value for card in CARDS for value in taker_values(card, rules)})
        for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4])):
            again = [build.value for build in builds]
            value = rng.choice(again if again and rng.random() < 0.3 else values)
            value = rng.randint(2, 16) if rng.random() < 0.05 else value
            owner = mover if rng.random() < 0.4 else rng.randrange(rules["deal"]["players"])
            room = len(pool) - reserve
            build = random_build(rng, pool, value, owner, rules) if room >= MOST_IN_BUILD else None
            if build is not None:
                builds.append(build)
    return builds


def random_build(
    rng: random.Random, pool: list[str], value: int, owner: int, rules: Rules
) -> Build | None:
    """Draw one build of a value from the pool, or none where the cards at hand make none."""
    locked = rules["build"]["multiple"] and rng.random() < 0.5
    pile: list[str] = []
    for _ in range(rng.choice([2, 2, 3]) if locked else 1):
        sample = [card for card in pool if card not in pile and can_lie_in_build(card, rules)]
        sample = rng.sample(sample, min(12, len(sample)))
        masks = sorted(loose_groups(sample, value, rules))
        fit = [mask for mask in masks if mask.bit_count() <= 3 and (locked or mask.bit_count() > 1)]
        if not fit:
            return None
        pile += chosen(rng.choice(fit), sample)
    for card in pile:
        pool.remove(card)
    return Build(tuple(in_order(pile)), value, owner, locked)


MOST_IN_BUILD = 9  # three groups of three cards


def can_lie_in_build(card: str, rules: Rules) -> bool:
    """Whether a card may be part of a build."""
    return not is_face(card) or rules["values"]["faces"] != "pairs"
