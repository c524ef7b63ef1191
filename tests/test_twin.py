"""The engine against the naive twin: positions and whole deals of random rule sets."""

import random

import pytest
import reference
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kasino_sim.catalog import ruleset_from_object
from kasino_sim.game import Table, replay
from kasino_sim.notation import parse_position, parse_record, position_json
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import Engine

PRESETS = reference.load_presets()
RECORD = ("rules", "dealer", "deck", "moves")
SLOW = settings(
    deadline=None, max_examples=150, suppress_health_check=list(HealthCheck), derandomize=True
)


def random_rules(rng):
    return reference.random_rules(rng, PRESETS)


@SLOW
@given(st.integers(0, 2**32))
def test_legal_moves_of_random_positions(seed):
    rng = random.Random(seed)
    rules = random_rules(rng)
    for _ in range(4):
        position = reference.random_position(rng, rules)
        ours = Table.of_position(parse_position(position)).legal_moves()
        assert [str(m) for m in ours] == reference.legal_moves(position), position


@SLOW
@given(st.integers(0, 2**32))
def test_cards_of_two_values_in_builds(seed):
    """Small tables where the played card counts two ways: rare, and the engine prunes there."""
    rng = random.Random(seed)
    two = {"ace_hand": [1, 14], "little_hand": [2, 15], "big_hand": [10, 16]}
    for _ in range(6):
        rules = {
            "preset": rng.choice(["svensk", "dansk-svupper", "norsk"]),
            "values": {**two, "ace_table": rng.choice([[1], [1, 14]])},
            "build": {
                "allowed": True,
                "card_value": "hand",
                "multiple": True,
                "addends": rng.choice(["one", "any"]),
            },
        }
        cards = rng.sample(reference.CARDS, 40)
        hand = rng.sample(["Ac", "As", "2s", "Td", "Ad"], 3)
        table = [c for c in cards if c not in hand][: rng.randrange(2, 7)]
        position = {
            "rules": rules,
            "players": 2,
            "dealer": 1,
            "to_move": 0,
            "hands": [hand, []],
            "table": table,
            "builds": [],
            "stock": [],
            "captured": [[], []],
            "sweeps": [0, 0],
            "last_capturer": None,
        }
        ours = Table.of_position(parse_position(position)).legal_moves()
        assert [str(m) for m in ours] == reference.legal_moves(position), position


def test_a_multiple_build_by_the_higher_of_two_values():
    """14 + 2 and 4 + 12: the ace counts 14, though it could count 1."""
    position = {
        "rules": "dansk-svupper",
        "players": 2,
        "dealer": 1,
        "to_move": 0,
        "hands": [["Ad", "Td"], ["Kc"]],
        "table": ["2h", "4c", "Qd"],
    }
    moves = [str(m) for m in Table.of_position(parse_position(position)).legal_moves()]
    assert "Ad + 2h 4c Qd = 16" in moves


@SLOW
@given(st.integers(0, 2**32))
def test_whole_deals(seed):
    rng = random.Random(seed)
    rules = random_rules(rng)
    sides = reference.rules_of(rules)["deal"]["players"]
    record = reference.play_random(rules, reference.shuffled_deck(rng), rng.randrange(sides), rng)
    table = replay(parse_record(record))
    assert table.over
    assert table.result() == reference.score(record)


@SLOW
@given(st.integers(0, 2**32))
@example(10286)  # the clear card takes a build and a loose card, and no sweep counts
@example(478485920)  # eight table cards: 44 plays are the whole deal
def test_positions_along_a_deal(seed):
    rng = random.Random(seed)
    rules = random_rules(rng)
    players = reference.rules_of(rules)["deal"]["players"]
    record = reference.play_random(
        rules, reference.shuffled_deck(rng), rng.randrange(players), rng, plays=rng.randrange(48)
    )
    table = replay(parse_record(record))
    if table.over:  # the twin has dealt out what lies there by now, ours when it counts
        assert table.result() == reference.score(record)
        return
    ours = position_json(table.position(), rules)
    theirs = reference.replay(record)
    for key in ("hands", "table", "stock", "captured", "sweeps", "last_capturer"):
        assert ours[key] == theirs[key], key
    assert ours["to_move"] == theirs["to_move"]

    def by_cards(builds):
        return sorted(builds, key=lambda b: b["cards"])

    assert by_cards(ours["builds"]) == by_cards(theirs["builds"])


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("player", ["random", "greedy", "careful"])
def test_what_the_players_play_is_legal_for_the_twin(preset, player):
    """Play deals move by move beside the kernel's block, and let the twin check every move."""
    from kasino_sim.transcript import play_out, transcript_record

    for players in (2, 3, 4):
        rules = ruleset_from_object({"preset": preset, "deal": {"players": players}})
        plan = Plan(rules, (load_player(player),), seed=players, deals=3)
        for deal in range(2):
            played = play_out(plan, deal)
            result = played.result
            record = {k: v for k, v in transcript_record(played).items() if k in RECORD}
            assert reference.score(record) == result
            sheet = Engine(plan).sheets(deal, 1)[0, 0]
            for i, item in enumerate(reference.ITEMS):
                assert [int(x) for x in sheet["points"][: rules.sides, i]] == result["points"][item]
