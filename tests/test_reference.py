"""The naive twin against the test data: every line of it, each compared in full."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import pytest
import reference

CHUNK = 200
READERS = {
    "positions": lambda line: {"moves": reference.legal_moves(line)},
    "fine-positions": lambda line: {"moves": reference.legal_moves(line)},
    "prefixes": lambda line: {"moves": reference.legal_moves(reference.replay(line))},
    "games": reference.score,
    "matches": reference.count_match,
    "fine-matches": reference.count_match,
}
LINES = {
    "positions": 3000,
    "fine-positions": 4,
    "prefixes": 800,
    "games": 400,
    "matches": 400,
    "fine-matches": 9,
}
PRESETS = reference.load_presets()

# The table of the rule card: the svensk column, then what differs from it.
SVENSK = {
    "deal": {
        "players": 2,
        "teams": "solo",
        "hand": 4,
        "table": 4,
        "draw": "batch",
        "swap_point_cards": False,
    },
    "values": {
        "ace_hand": [1, 14],
        "ace_table": [1, 14],
        "little": "2s",
        "little_hand": [2],
        "big": "Td",
        "big_hand": [10],
        "faces": "numeric",
        "per_play": "one",
    },
    "capture": {"obligation": "free", "extent": "any", "clear_card": ""},
    "build": {
        "allowed": True,
        "addends": "one",
        "raise": "any",
        "multiple": True,
        "point_cards": True,
        "card_value": "table",
        "duty": "act",
        "keep_taker": False,
        "partner": False,
    },
    "sweep": {
        "points": 1,
        "when": "any",
        "excluded": "none",
        "cancel": False,
        "clear_card": True,
    },
    "score": {
        "cards": 1,
        "spades": 2,
        "aces": 1,
        "little": 1,
        "big": 2,
        "last": 1,
        "each_spade": 0,
        "each_spade_from": 0,
        "ties": "none",
    },
    "match": {
        "goal": "points",
        "target": 16,
        "deals": 1,
        "end": "highest",
        "tie_break": "deal",
        "winner": "highest",
    },
}
HIGH = {
    "values.ace_hand": [14],
    "values.ace_table": [1],
    "values.little_hand": [15],
    "values.big_hand": [16],
}
NORSK = HIGH | {
    "deal.swap_point_cards": True,
    "build.addends": "any",
    "build.raise": "none",
    "build.card_value": "hand",
    "build.duty": "free",
    "build.keep_taker": True,
    "score.spades": 1,
    "match.goal": "deals",
}
UNTIL_21 = {"score.cards": 3, "score.spades": 1, "score.last": 0, "match.target": 21}
DIFFERENCES: dict[str, dict[str, Any]] = {
    "svensk": {},
    "norsk": NORSK,
    "smygkasino": NORSK
    | {"capture.obligation": "forced", "match.deals": 4, "match.winner": "lowest"},
    "dansk": HIGH | {"build.allowed": False, "build.addends": "any", "score.last": 0},
    "dansk-casino": {
        "values.ace_hand": [1],
        "values.ace_table": [1],
        "values.big": "Ts",
        "values.faces": "unsummable",
        "build.addends": "any",
        "build.raise": "others",
        "build.multiple": False,
        "build.duty": "free",
        "sweep.when": "last-hand-card",
        "score.spades": 1,
        "match.target": 21,
    },
    "norsk-casino": HIGH
    | {
        "deal.swap_point_cards": True,
        "build.raise": "others",
        "build.point_cards": False,
        "build.card_value": "hand",
        "match.target": 21,
    },
    "dragkasino": {"deal.draw": "single"},
    "svensk-utan-bygg": {"build.allowed": False, "build.addends": "any"},
    "finsk": HIGH
    | {
        "build.allowed": False,
        "build.addends": "any",
        "sweep.cancel": True,
        "sweep.excluded": "last-batch",
        "score.last": 0,
    },
    "dansk-svupper": {
        "values.little_hand": [2, 15],
        "values.big_hand": [10, 16],
        "capture.clear_card": "5s",
        "build.addends": "any",
        "sweep.cancel": True,
        "sweep.clear_card": False,
        "match.target": 21,
    },
    "byggkasino": HIGH | UNTIL_21 | {"build.addends": "any"},
    "royal": UNTIL_21 | {"build.addends": "any", "build.keep_taker": True},
    "casino": UNTIL_21
    | {
        "values.ace_hand": [1],
        "values.ace_table": [1],
        "values.faces": "pairs",
        "build.addends": "any",
        "build.keep_taker": True,
    },
}


def overrides(changes: dict[str, Any]) -> dict[str, Any]:
    """Return dotted keys as an object of sections."""
    sections: dict[str, Any] = {}
    for dotted, value in changes.items():
        section, key = dotted.split(".")
        sections.setdefault(section, {})[key] = value
    return sections


@cache
def read_lines(name: str) -> list[str]:
    """Return the lines of a file of test data."""
    return (reference.DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


def chunks() -> list[tuple[str, int]]:
    """Return the files of test data, each in stretches of lines."""
    return [(name, start) for name in LINES for start in range(0, LINES[name], CHUNK)]


@pytest.mark.parametrize(("name", "start"), chunks())
def test_twin_equals_the_test_data(name: str, start: int) -> None:
    assert len(read_lines(name)) == LINES[name]
    differing = []
    for place, text in enumerate(read_lines(name)[start : start + CHUNK], start):
        line = json.loads(text)
        expected = line.pop("expect")
        got = READERS[name](line)
        if got != expected:
            differing.append((place + 1, got, expected))
    assert differing == []


def test_positions_are_written_as_they_were_read() -> None:
    for text in read_lines("positions"):
        line = json.loads(text)
        del line["expect"]
        written = reference.write_position(reference.read_position(line))
        for position in (line, written):
            position["builds"] = sorted(position["builds"], key=lambda build: build["cards"])
        assert written == line


@pytest.mark.parametrize("name", sorted(DIFFERENCES))
def test_presets_are_those_of_the_rule_card(name: str) -> None:
    assert set(PRESETS) == set(DIFFERENCES)
    expected = reference.resolve(overrides(DIFFERENCES[name]), {"svensk": SVENSK})
    assert reference.resolve(name, PRESETS) == expected
    assert reference.resolve({"preset": name}, PRESETS) == PRESETS[name]


def test_every_key_can_be_drawn() -> None:
    rng = random.Random(1)
    drawn = {
        (section, key)
        for _ in range(200)
        for section, keys in reference.random_rules(rng, PRESETS).items()
        if section != "preset"
        for key in keys
    }
    assert drawn == {(section, key) for section in SVENSK for key in SVENSK[section]}


@pytest.mark.parametrize(
    "changes",
    [
        {"build.partner": True},
        {"deal.teams": "pairs"},
        {"deal.players": 3, "deal.teams": "pairs"},
        {"deal.players": 5},
        {"deal.hand": 5},
        {"deal.table": 5},
        {"deal.players": 4, "deal.draw": "single", "deal.table": 5},
        {"match.end": "count-out", "match.goal": "deals"},
        {"match.end": "count-out", "match.winner": "lowest"},
        {"sweep.points": True},
        {"sweep.points": 3},
        {"build.allowed": 1},
        {"values.ace_hand": [2]},
        {"capture.clear_card": "1s"},
        {"score.sweeps": 1},
        {"scores.cards": 1},
    ],
)
def test_rule_sets_that_are_errors(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        reference.resolve(overrides(changes), PRESETS)


@pytest.mark.parametrize("seed", range(4))
def test_random_positions_are_whole_and_have_moves(seed: int) -> None:
    rng = random.Random(seed)
    loose, builds = set(), set()
    for _ in range(250):
        R = reference.random_rules(rng, PRESETS)
        position = reference.random_position(rng, R)
        piles = [*position["hands"], position["table"], position["stock"], *position["captured"]]
        piles += [build["cards"] for build in position["builds"]]
        assert sorted(card for pile in piles for card in pile) == sorted(reference.CARDS)
        assert reference.legal_moves(position)
        loose.add(len(position["table"]))
        builds.add(len(position["builds"]))
    assert loose >= set(range(11))
    assert builds >= set(range(4))


@pytest.mark.parametrize("seed", range(4))
def test_random_deals_end_with_every_card_in_its_place(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        R = reference.random_rules(rng, PRESETS)
        deal = reference.rules_of(R)["deal"]
        deck = reference.shuffled_deck(rng)
        record = reference.play_random(R, deck, rng.randrange(deal["players"]), rng)
        assert len(record["moves"]) == 52 - deal["table"]
        end = reference.replay(record)
        assert not any([*end["hands"], end["stock"], end["builds"]])
        cards = [card for pile in end["captured"] for card in pile] + end["table"]
        assert sorted(cards) == sorted(reference.CARDS)
        assert not end["table"] or end["last_capturer"] is None
        with pytest.raises(ValueError):
            reference.replay(record | {"moves": [*record["moves"], record["moves"][-1]]})
        with pytest.raises(ValueError):
            reference.score(record | {"moves": record["moves"][:-1]})


def test_a_crowded_table_is_read_to_the_end() -> None:
    position = {
        "rules": "dansk",
        "players": 2,
        "dealer": 1,
        "to_move": 0,
        "hands": [["Kc"], None],
        "table": [rank + suit for rank in "A234" for suit in "cdhs"],
        "builds": [],
    }
    taken = [
        move.partition(" x ")[2].split()
        for move in reference.legal_moves(position)
        if " x " in move
    ]
    assert len(taken) == 4868
    assert len({"".join(card[0] for card in cards) for cards in taken}) == 46
    assert max(len(cards) for cards in taken) == 15
