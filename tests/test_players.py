"""Players know only what they may know, and play what they say."""

import random

import numpy as np
import pytest
from scipy.stats import chisquare

from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.engine.layout import FEATURES, MAX_MOVES
from kasino_sim.engine.policies import choose_move
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table, _work_space, board_of, cards_of
from kasino_sim.players import load_player, pack_players, player_names


def choose(table, player, deal=0):
    space, records = _work_space(), pack_players([player], table.rules)
    scratch = space.scratch
    choose_move(
        table.state,
        table.record,
        records[0],
        space.book_for(table.rules),
        scratch,
        np.uint64(1),
        np.uint64(deal),
        scratch.move,
    )
    return str(table.to_text(scratch.move))


def random_table(rng, rules, plays):
    deck = list(range(52))
    rng.shuffle(deck)
    table = Table.of_deck(rules, 0, deck)
    for _ in range(plays):
        table.play(rng.choice(table.legal_moves()))
    return table


def permute_unseen(rng, table):
    """Deal the cards that the player to move cannot see anew among the others and the stock."""
    state, me = table.state, int(table.state.to_move)
    others = [p for p in range(table.rules.n_players) if p != me]
    stock = [int(c) for c in state.deck[state.next_card : state.n_cards]]
    cards = stock + [c for p in others for c in cards_of(state.hands[p])]
    rng.shuffle(cards)
    for p in others:
        n = len(cards_of(state.hands[p]))
        state.hands[p], cards = board_of(cards[:n]), cards[n:]
    state.deck[state.next_card : state.n_cards] = cards


@pytest.mark.parametrize("preset", ruleset_names())
@pytest.mark.parametrize("name", player_names())
def test_unseen_cards_change_no_choice(name, preset):
    rng = random.Random(f"{name} {preset}")
    player = load_player(name)
    for n in (2, 3, 4):
        rules = load_ruleset(preset, [f"deal.players={n}"])
        for _ in range(12):
            table = random_table(rng, rules, rng.randrange(47))
            choice = choose(table, player)
            for _ in range(3):
                permute_unseen(rng, table)
                assert choose(table, player) == choice


def test_a_player_who_looks_would_be_caught():
    """Negative control: a choice that depends on the next player's hand must change."""
    rng = random.Random(1)
    table = random_table(rng, load_ruleset("svensk"), 3)
    seen = set()
    for _ in range(20):
        permute_unseen(rng, table)
        hand = cards_of(table.state.hands[1 - int(table.state.to_move)])
        seen.add(str(table.legal_moves()[sum(hand) % len(table.legal_moves())]))
    assert len(seen) > 1


@pytest.mark.parametrize("preset", ["svensk", "norsk", "dansk-svupper", "royal", "norsk-casino"])
@pytest.mark.parametrize("plays", [0, 7, 19, 33])
def test_random_draws_every_legal_move_alike(preset, plays):
    each = 150
    rng = random.Random(f"{preset} {plays}")
    rules = load_ruleset(preset, ["deal.players=3"])
    table = max((random_table(rng, rules, plays) for _ in range(6)), key=Table.count_moves)
    moves = [str(m) for m in table.legal_moves()]
    counts = dict.fromkeys(moves, 0)
    player = load_player("random")
    for deal in range(each * len(moves)):
        counts[choose(table, player, deal)] += 1
    if len(moves) > 1:
        assert chisquare(list(counts.values())).pvalue > 1e-5


def greedy_on(hand, table_cards, preset="svensk", **more):
    from kasino_sim.notation import parse_position

    position = {
        "rules": preset,
        "players": 2,
        "dealer": 1,
        "to_move": 0,
        "hands": [hand, None],
        "table": table_cards,
        **more,
    }
    return choose(Table.of_position(parse_position(position)), load_player("greedy"))


def test_greedy_takes_most_points_then_cards_then_spades():
    assert greedy_on(["8h", "Ac"], ["8c", "As", "3d"]) == "Ac x As"
    assert greedy_on(["8h", "9c"], ["8c", "4s", "5d", "Kh"]) == "9c x 4s 5d"
    assert greedy_on(["8h"], ["8c", "Kd"]) == "8h x 8c"
    assert greedy_on(["7h", "6h"], ["7s", "6c", "Kd"]) == "7h x 7s"


def test_greedy_trails_the_card_least_in_points_then_no_spade_then_lowest():
    assert greedy_on(["Ac", "2s", "5s", "9h", "Qd"], []) == "9h"
    assert greedy_on(["Ac", "2s", "5s"], []) == "5s"
    assert greedy_on(["Ac", "2s", "Td"], []) in {"Ac", "2s"}


def test_greedy_builds_only_where_nothing_else_is_legal():
    rules = {"preset": "svensk", "build": {"duty": "act"}}
    own = [{"cards": ["4d", "5c"], "value": 9, "owner": 0, "locked": False}]
    assert greedy_on(["5h", "9h"], ["4c"], "svensk") in {"5h", "9h"}
    # The owner of a build may not trail: here it can only take it.
    assert greedy_on(["5h", "9h"], ["4c"], rules, builds=own) == "9h x [4d 5c]"


def test_a_crowded_decision_is_drawn_and_counted():
    cards = [f"{r}{s}" for r in "A23456" for s in "cdhs"]
    from kasino_sim.notation import parse_position

    position = {
        "rules": "svensk-utan-bygg",
        "players": 2,
        "dealer": 1,
        "to_move": 0,
        "hands": [["Kc"], None],
        "table": cards,
    }
    table = Table.of_position(parse_position(position))
    assert table.count_moves() > MAX_MOVES
    texts = {choose(table, load_player("careful"), deal) for deal in range(5)}
    assert len(texts) > 1 and table.state.crowded == 5


def test_every_weight_is_a_feature():
    for name in player_names():
        assert set(load_player(name).weights) <= set(FEATURES)


def mistakes(tmp_path, text):
    path = tmp_path / "thinker.toml"
    path.write_text('idea = "-"\nsource = "-"\n' + text, encoding="utf-8")
    try:
        return load_player(path)
    except KasinoError as error:
        return error.lines


@pytest.mark.parametrize(
    "text, words",
    [
        (
            'kind = "rollout"\nbase = "careful"\nplayouts = 0',
            "playouts = 0, must be a whole number",
        ),
        ('kind = "mcts"\nbase = "careful"\nexplore = "far"', "explore = 'far', must be a number"),
        ('kind = "ending"\nbase = "careful"\nlast_cards = true', "last_cards = True, must be"),
        ('kind = "rollout"\nbase = "careful"\nthreshold = nan', "threshold = nan, must be"),
        ('kind = "weigh"\nplayouts = 5', "playouts is for players of kind rollout, mcts, cheat"),
        ('kind = "greedy"\nbase = "careful"', "base is for players that weigh moves"),
        ('kind = "ending"\nbase = "carefull"', "base: there is no player 'carefull'"),
        ('kind = "ending"\nbase = "greedy"', "base = 'greedy' weighs nothing"),
        ('kind = "ending"\nbase = "thinker"', "is the player itself"),
        ('kind = "ending"\nbase = 3', "base = 3"),
        ('kind = "mcts"\nbase = "careful"\n[tips]\n', "tips are for players that choose at sight"),
    ],
)
def test_mistakes_about_thinking_are_told(tmp_path, text, words):
    (line,) = mistakes(tmp_path, text)
    assert line.startswith(str(tmp_path)) and words in line


def test_a_base_lends_its_weights(tmp_path):
    own = "threshold = 2\n[weights]\npoints = 3\n"
    player = mistakes(tmp_path, 'kind = "rollout"\nbase = "careful"\n' + own)
    careful = load_player("careful")
    assert player.weights == {**careful.weights, "points": 3.0} and player.threshold == 2.0
    record = pack_players([player], load_ruleset("svensk"))[0]
    assert record.weights[FEATURES.index("points")] == 3.0 and record.playouts == player.playouts


def test_a_number_of_playouts_behind_a_colon(tmp_path):
    many, few = load_player("rollout:6000"), load_player("rollout")
    assert many == few.model_copy(update={"name": "rollout:6000", "playouts": 6000})
    path = tmp_path / "mine.toml"
    path.write_text('idea = "-"\nsource = "-"\nkind = "mcts"\nbase = "careful"\n', "utf-8")
    assert load_player(f"{path}:20").playouts == 20 and load_player(f"{path}:20").name == "mine:20"


@pytest.mark.parametrize(
    "text, words",
    [
        ("expert:100", "expert is of kind ending"),
        ("rollout:", "playouts = '', must be a whole number from 1 to 1000000, as in rollout:1000"),
        ("rollout:0", "playouts = '0'"),
        ("rollout:50ms", "playouts = '50ms'"),
        ("rollout:2000000", "playouts = '2000000'"),
        ("rolout:5", "there is no player 'rolout' - did you mean"),
        ("rollout:5:7", "there is no player 'rollout:5'"),
    ],
)
def test_mistakes_about_playouts_are_told(text, words):
    with pytest.raises(KasinoError) as caught:
        load_player(text)
    assert len(caught.value.lines) == 1 and words in caught.value.lines[0]
