import json
import random

import pytest

from kasino_sim.cards import N_CARDS, card_text, parse_card
from kasino_sim.catalog import load_ruleset
from kasino_sim.errors import KasinoError
from kasino_sim.notation import (
    Build,
    impossible_build,
    make_move,
    parse_move,
    parse_position,
    parse_record,
    position_json,
)

DECK = [card_text(card) for card in range(N_CARDS)]


def cards(text):
    return [parse_card(card) for card in text.split()]


def bad(read, data, where="p.jsonl, line 2"):
    with pytest.raises(KasinoError) as caught:
        read(data, where)
    return caught.value.lines


# ---------------------------------------------------------------- moves


@pytest.mark.parametrize(
    "text",
    [
        "8h",
        "8h x 3c 5d 8s",
        "9c x 4d 5h [3h 6s]",
        "9c x [3h 6s]",
        "9c x [2c 7d] [3h 6s]",
        "5h + 4d = 9",
        "5h + 4d 9s = 9",
        "9h + [4d 5c] = 9",
        "4h + [4d 5c] = 13",
        "4h + 5d [4d 5c] = 9",
    ],
)
def test_move_round_trip(text):
    assert str(parse_move(text)) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("10H", "Th"),
        ("8h x 8s 5D 3c", "8h x 3c 5d 8s"),
        ("  9c  x [6s 3h]  5h 4d ", "9c x 4d 5h [3h 6s]"),
        ("9c x [3h 6s][2c 7d]", "9c x [2c 7d] [3h 6s]"),
        ("5h+4d=9", "5h + 4d = 9"),
    ],
)
def test_moves_are_written_in_one_way(text, written):
    assert str(parse_move(text)) == written


def test_move_parts():
    move = parse_move("9c x 4d 5h [3h 6s]")
    assert move == make_move(parse_card("9c"), "x", cards("5h 4d"), [cards("6s 3h")])
    assert (move.act, move.value, move.loose) == ("x", 0, tuple(cards("4d 5h")))


@pytest.mark.parametrize(
    "text", ["", " ", "take it all", "8h x", "8h 3c", "5h + 4d", "8h x 3c = 11", "5h + = 9",
             "5h + 4d = 99999", "8h y 3c", None, 8]
)  # fmt: skip
def test_nonsense(text):
    with pytest.raises(KasinoError, match="is not understood: a move looks like '8h'"):
        parse_move(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1h", "'1h': '1h' is not a card"),
        ("8h x 3c 5z", "'8h x 3c 5z': '5z' is not a card"),
        ("9c x [3h 6s", "'[3h' is not a card"),
        ("8h x 3c 3c", "'8h x 3c 3c' names 3c more than once"),
        ("8h x 8h", "names 8h more than once"),
        ("9h x 3c [3c 6s]", "names 3c more than once"),
    ],
)
def test_bad_card_in_a_move(text, said):
    with pytest.raises(KasinoError) as caught:
        parse_move(text)
    assert said in caught.value.lines[0]


# ---------------------------------------------------------------- positions

FULL = {
    "rules": "svensk",
    "players": 2,
    "dealer": 1,
    "to_move": 0,
    "hands": [["2s", "7h"], ["Kc"]],
    "table": ["5d"],
    "builds": [{"cards": ["4d", "5c"], "value": 9, "owner": 0, "locked": False}],
    "stock": ["3c", "Ts"],
    "captured": [["Ac"], []],
    "sweeps": [1, 0],
    "last_capturer": 0,
}
BARE = {"rules": "svensk", "to_move": 0, "hands": [["2s"], None]}


def test_position_round_trip():
    assert position_json(parse_position(FULL), "svensk") == FULL


def test_only_the_movers_hand_is_needed():
    position = parse_position(BARE)
    assert position.hands == ((parse_card("2s"),), None)
    assert (position.table, position.builds, position.stock) == ((), (), None)
    assert (position.captured, position.sweeps, position.last_capturer) == (((), ()), (0, 0), None)


def test_unknown_cards_of_the_stock():
    assert parse_position({**BARE, "stock": [None, "3c"]}).stock is None


def test_rules_of_a_position():
    position = parse_position({**BARE, "rules": {"preset": "norsk", "sweep": {"points": 2}}})
    assert position.rules == load_ruleset("norsk", ["sweep.points=2"])
    three = parse_position({**BARE, "players": 3, "hands": [["2s"], None, None]})
    assert three.rules.n_players == 3
    assert parse_position({**BARE, "rules": {"deal": {"players": 3}}, "players": 2}).hands


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"table": ["1d"]}, "table: '1d' is not a card"),
        ({"table": ["Kd", "Xx"]}, "table: 'Xx' is not a card"),
        ({"table": "5d"}, "table = '5d', must be a list of cards"),
        ({"table": ["2s"]}, "2s stands in hands[0] and in table"),
        ({"table": ["3s", "3s"]}, "3s stands twice in table"),
        ({"captured": [["9s"], ["9s"]]}, "9s stands in captured[0] and in captured[1]"),
        ({"to_move": 2}, "to_move = 2, must be a whole number from 0 to 1"),
        ({"to_move": None}, "to_move is missing"),
        ({"to_move": True}, "to_move = True, must be a whole number"),
        ({"dealer": -1}, "dealer = -1, must be a whole number from 0 to 1"),
        ({"last_capturer": 7}, "last_capturer = 7, must be a whole number from 0 to 1"),
        ({"players": 5}, "players = 5, must be 2, 3 or 4"),
        ({"players": "2"}, "players = '2', must be 2, 3 or 4"),
        ({"players": 3}, "hands must be a list of 3, one for each player"),
        ({"hands": [["2s"]]}, "hands must be a list of 2, one for each player"),
        ({"hands": {}}, "hands must be a list of 2"),
        ({"sweeps": [0, -1]}, "sweeps = [0, -1], must be counts of 0 to 52"),
        ({"sweeps": [0, 10**30]}, "must be counts of 0 to 52"),
        ({"builds": {"cards": []}}, "builds must be a list of builds"),
        ({"builds": ["9"]}, "builds[0] must be an object with cards, value, owner and locked"),
        ({"tabel": ["5d"]}, "tabel is not a field - did you mean 'table'?"),
        ({"rules": "svenks"}, "is not a rule set - did you mean 'svensk'?"),
        ({"rules": 3}, "is neither a rule set's name nor an object of sections"),
    ],
)
def test_bad_position(change, said):
    (line,) = bad(parse_position, {**BARE, **change})
    assert line.startswith("p.jsonl, line 2: ")
    assert said in line


def test_pairs_of_three():
    rules = {"deal": {"players": 4, "teams": "pairs"}}
    (line,) = bad(parse_position, {**BARE, "rules": rules, "players": 3})
    assert line == ('p.jsonl, line 2: deal.teams = "pairs" needs deal.players = 4, not 3')


def test_every_mistake_is_told():
    assert len(bad(parse_position, {**BARE, "to_move": 9, "dealer": 9, "table": ["1d", "5x"]})) == 4


def test_no_rules():
    (line,) = bad(parse_position, {"to_move": 0})
    assert line.startswith("p.jsonl, line 2: rules is missing")


# ---------------------------------------------------------------- builds


def built(rules, text, value, locked=False):
    return impossible_build(rules, Build(tuple(sorted(cards(text))), value, 0, locked))


@pytest.mark.parametrize(
    ("text", "value", "locked"),
    [
        ("4d 5c", 9, False),
        ("4d 5c 4h", 13, False),
        ("Ac Kd", 14, False),
        ("4d 5c 9s", 9, True),
        ("9d 9s", 9, True),
        ("Ac Ad", 14, True),
        ("Ac Kd As", 14, True),
        ("2c 7d 3c 6d 4c 5d Ac 8d 9d", 9, True),
    ],
)
def test_possible_build(text, value, locked):
    assert built(load_ruleset("svensk"), text, value, locked) == ""


@pytest.mark.parametrize(
    ("text", "value", "locked", "said"),
    [
        ("4d 5c", 8, False, "its cards do not make one sum of 8"),
        ("4d 5c 9s", 9, False, "its cards do not make one sum of 9"),
        ("4d 5c", 9, True, "its cards do not make two or more groups of 9"),
        ("4d 5c 8s", 9, True, "its cards do not make two or more groups of 9"),
        ("3d 6c 7s 2h 9s 5d 5c 8h", 9, True, "its cards do not make two or more groups of 9"),
        ("9d", 9, False, "a build has two cards or more"),
    ],
)
def test_impossible_build(text, value, locked, said):
    assert built(load_ruleset("svensk"), text, value, locked) == said


def test_builds_and_the_rules():
    assert built(load_ruleset("dansk"), "4d 5c", 9) == "these rules have no builds"
    pairs = load_ruleset("svensk", ["values.faces=pairs"])
    assert "no face card is in a build" in built(pairs, "2d Jc", 13)
    alone = load_ruleset("svensk", ["values.faces=unsummable"])
    assert "do not make one sum" in built(alone, "2d Jc", 13)
    assert built(alone, "8d 3c Jc", 11, True) == ""
    assert built(alone, "Jd Jc", 11, True) == ""
    assert "two or more groups" in built(alone, "Jd", 11, True) + built(alone, "Jd 2c Ac", 11, True)
    # As from the hand the big casino is worth 16, the ace 14.
    assert built(load_ruleset("norsk"), "Td 8c 8d", 16, True) == ""
    assert "two or more groups" in built(load_ruleset("byggkasino", ["build.card_value=table"]),
                                         "Td 8c 8d", 16, True)  # fmt: skip


def test_a_huge_build_is_judged_quickly():
    low = [card for card in DECK if card[0] in "A23456789TJQ"]
    rules = load_ruleset("royal", ["values.ace_table=[1,14]", "build.card_value=hand"])
    shuffled = random.Random(5).sample(low, len(low))
    for size in range(12, 48, 5):
        built(rules, " ".join(shuffled[:size]), 13, True)
    assert built(rules, " ".join(low), 13, True) == ""


def test_a_bad_build_is_placed():
    build = {"cards": ["4d", "5c"], "value": 8, "owner": 0, "locked": False}
    assert bad(parse_position, {**BARE, "builds": [build]}) == [
        "p.jsonl, line 2: builds[0] [4d 5c] = 8: its cards do not make one sum of 8"
    ]
    assert bad(parse_position, {**BARE, "builds": [{**build, "owner": 2}]}) == [
        "p.jsonl, line 2: builds[0]: owner = 2, must be a whole number from 0 to 1"
    ]


# ---------------------------------------------------------------- game records


def record(**change):
    return {"rules": "svensk", "dealer": 0, "deck": DECK, "moves": ["8h"], **change}


def test_record():
    read = parse_record(record(dealer=1))
    assert (read.rules.name, read.dealer, read.moves) == ("svensk", 1, ("8h",))
    assert list(read.deck) == list(range(N_CARDS))
    assert parse_record(json.loads(json.dumps(record()))).dealer == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"deck": [*DECK[:51], "Zz"]}, ["deck: 'Zz' is not a card"]),
        ({"deck": DECK[:51]}, ["deck has 51 cards, must be the 52 cards once each; lacks Ks"]),
        ({"deck": [*DECK, "Ac"]}, ["the 52 cards once each; has Ac more than once"]),
        ({"deck": [*DECK[:51], "Ac"]}, ["deck has Ac more than once"]),
        ({"deck": None}, ["deck = None, must be a list of cards"]),
        ({"dealer": 2}, ["dealer = 2, must be a whole number from 0 to 1"]),
        ({"dealer": None}, ["dealer is missing"]),
        ({"moves": "8h"}, ["moves must be a list of moves as text"]),
        ({"moves": [8]}, ["moves must be a list of moves as text"]),
        ({"rules_version": 99}, ["rules_version = 99, but this program plays"]),
        ({"movse": []}, ["movse is not a field - did you mean 'moves'?"]),
    ],
)
def test_bad_record(change, said):
    lines = bad(parse_record, record(**change), "g.jsonl, line 5")
    assert len(lines) == len(said)
    for line, part in zip(lines, said, strict=True):
        assert line.startswith("g.jsonl, line 5: ")
        assert part in line
