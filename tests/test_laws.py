"""Laws that hold whatever the rules: suits nobody reads, seats nobody prefers."""

import random

import pytest
import reference

from kasino_sim.cards import card_text
from kasino_sim.game import Table, replay
from kasino_sim.notation import make_move, parse_move, parse_position, parse_record

PRESETS = reference.load_presets()
SWAP = {"c": "h", "h": "c"}  # no rule reads clubs or hearts (a clear card is a spade)


def swapped(card):
    return card[0] + SWAP.get(card[1], card[1])


def swap_move(text):
    move = parse_move(text)

    def swap(cards):
        return [i + {0: 2, 2: -2}.get(i % 4, 0) for i in cards]

    return str(
        make_move(
            swap([move.card])[0], move.act, swap(move.loose), map(swap, move.builds), move.value
        )
    )


@pytest.mark.parametrize("seed", range(60))
def test_suits_that_no_rule_reads_may_be_permuted(seed):
    rng = random.Random(seed)
    position = reference.random_position(rng, reference.random_rules(rng, PRESETS))
    other = {
        **position,
        "hands": [[swapped(c) for c in h] for h in position["hands"]],
        "table": [swapped(c) for c in position["table"]],
        "builds": [{**b, "cards": [swapped(c) for c in b["cards"]]} for b in position["builds"]],
        "stock": [swapped(c) for c in position["stock"]],
        "captured": [[swapped(c) for c in p] for p in position["captured"]],
    }
    ours = Table.of_position(parse_position(position)).legal_moves()
    theirs = Table.of_position(parse_position(other)).legal_moves()
    assert sorted(swap_move(str(m)) for m in ours) == [str(m) for m in theirs]


@pytest.mark.parametrize("seed", range(40))
def test_moving_the_dealer_round_moves_everything_round(seed):
    rng = random.Random(seed)
    rules = reference.random_rules(rng, PRESETS, sizes=False)
    n = reference.rules_of(rules)["deal"]["players"]
    record = reference.play_random(rules, reference.shuffled_deck(rng), 0, rng)
    first = replay(parse_record(record)).result()
    table = replay(parse_record({**record, "dealer": 1}))
    second = table.result()
    for key in ("sweeps", "captured"):
        assert [first[key][(p - 1) % n] for p in range(n)] == second[key]
    sides = table.rules.sides
    for item, points in first["points"].items():
        assert [points[(s - 1) % sides] for s in range(sides)] == second["points"][item]


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_what_is_captured_and_left_is_the_deck(preset):
    rng = random.Random(preset)
    record = reference.play_random(preset, reference.shuffled_deck(rng), 1, rng)
    result = replay(parse_record(record)).result()
    if result["last_capturer"] is not None:
        assert sorted(c for pile in result["captured"] for c in pile) == sorted(
            card_text(i) for i in range(52)
        )


def position(hand, table, rules="svensk", **more):
    data = {"rules": rules, "players": 2, "dealer": 1, "to_move": 0, "hands": [hand, None]}
    return Table.of_position(parse_position({**data, "table": table, **more}))


def test_no_sweep_on_laying_a_card_on_an_empty_table():
    table = position(["8h"], [])
    table.play("8h")
    assert table.position().sweeps == (0, 0)


@pytest.mark.parametrize(
    "rules, sweeps",
    [
        ("norsk", 1),
        ("norsk-casino", 1),
        ({"preset": "norsk", "sweep": {"excluded": "final-play"}}, 0),
        ({"preset": "norsk", "sweep": {"excluded": "last-batch"}}, 0),
    ],
)
def test_the_very_last_play_takes_all(rules, sweeps):
    table = position(["8h"], ["8c"], rules)
    table.state.hands[1] = 0
    table.play("8h x 8c")
    assert table.position().sweeps[0] == sweeps
    assert table.result()["points"]["last"] == [1, 0]


@pytest.mark.parametrize("counts, said", [(True, 1), (False, 0)])
def test_the_clear_card_earns_a_sweep_where_it_may(counts, said):
    rules = {"preset": "dansk-svupper", "sweep": {"clear_card": counts, "cancel": False}}
    table = position(["5s", "Kh"], ["9c", "Qd"], rules, stock=["2c", "2d", "2h", "3c"])
    table.play("5s x 9c Qd")
    assert table.position().sweeps[0] == said


def test_the_big_casino_of_dansk_casino_is_the_ten_of_spades():
    table = position(["Ts"], ["Tc"], "dansk-casino")
    table.state.hands[1] = 0
    table.play("Ts x Tc")
    points = table.result()["points"]
    assert points["big"] == [2, 0] and points["spades"] == [1, 0]


def test_the_played_card_counts():
    table = position(["As"], ["Ac", "Kd"])
    table.state.hands[1] = 0
    table.play("As x Ac")
    assert table.result()["points"]["aces"][0] == 2


def test_a_build_left_over_goes_to_the_last_capturer():
    build = {"cards": ["4d", "5c"], "value": 9, "owner": 1, "locked": False}
    table = position(["8h"], ["8c"], builds=[build])
    table.state.hands[1] = 0
    table.play("8h x 8c")
    assert table.result()["captured"][0] == ["4d", "5c", "8c", "8h"]


def test_one_ace_does_not_lock_its_holder_up():
    """Two builds that only one card takes: some move must remain."""
    builds = [
        {"cards": ["As", "Ad"], "value": 1, "owner": 0, "locked": True},
        {"cards": ["9s", "5d"], "value": 14, "owner": 0, "locked": False},
    ]
    rules = {
        "preset": "royal",
        "values": {"ace_hand": [1, 14], "ace_table": [1, 14]},
        "build": {"duty": "resolve"},
    }
    table = position(["7h", "Ac"], ["Qc", "Kd", "2c", "3d"], rules, builds=builds)
    assert table.legal_moves()
