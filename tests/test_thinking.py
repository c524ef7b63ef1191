"""Players that think ahead: worlds, what they may know, exact ends, and values of moves."""

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chisquare
from test_players import permute_unseen, random_table

from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.engine.endgame import margin_of
from kasino_sim.engine.layout import SHEET, STATE, new_record
from kasino_sim.engine.play import fill_sheet
from kasino_sim.engine.worlds import copy_state, deal_world, unseen_by
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table, board_of, cards_of
from kasino_sim.notation import parse_position
from kasino_sim.pack import item_weights
from kasino_sim.plan import Plan
from kasino_sim.players import Player, load_player, pack_players
from kasino_sim.simulate import Engine, simulate
from kasino_sim.thinking import value_moves
from kasino_sim.transcript import play_out

CAREFUL = load_player("careful")
SEATS = {
    "two": ["deal.players=2"],
    "three": ["deal.players=3"],
    "four": ["deal.players=4"],
    "pairs": ["deal.players=4", "deal.teams=pairs"],
}


def thinker(kind, **fields):
    about = {"name": kind, "idea": "-", "source": "-", "kind": kind, "weights": CAREFUL.weights}
    return Player(**about, **{"playouts": 40, "candidates": 4, "splits": 2, **fields})


def choose(table, player, deal=0):
    return str(table.choose(pack_players([player], table.rules)[0], 1, deal))


# ---------------------------------------------------------------- worlds


def worlds_of(table, numbers, seed=1):
    """Deal worlds for the player to move; yields their states."""
    mind, world = table.work_space[2], new_record(STATE)
    for number in numbers:
        chance = np.uint64(seed), np.uint64(0)
        deal_world(table.state, table.record, number, *chance, mind, world)
        yield world


def stock_of(state):
    return tuple(int(c) for c in state.deck[state.next_card : state.n_cards])


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("preset", ["svensk", "norsk", "royal", "dragkasino", "smygkasino"])
def test_a_world_deals_the_unseen_cards_and_nothing_else(preset, seats):
    rng = random.Random(f"{preset} {seats}")
    rules = load_ruleset(preset, SEATS[seats])
    for plays in range(0, 48, 5):
        table = random_table(rng, rules, plays)
        state, me = table.state, int(table.state.to_move)
        unseen = int(unseen_by(state, table.record, me))
        for world in worlds_of(table, range(4)):
            assert world.hands[me] == state.hands[me] and world.loose == state.loose
            assert (world.captured == state.captured).all()
            hidden = list(stock_of(world))
            for p in set(range(rules.n_players)) - {me}:
                assert int(world.hands[p]).bit_count() == int(state.hands[p]).bit_count()
                hidden += cards_of(world.hands[p])
            assert sorted(hidden) == list(cards_of(unseen))
            assert len(stock_of(world)) == len(stock_of(state))


BUILD = {
    "rules": "svensk",
    "players": 2,
    "dealer": 1,
    "to_move": 0,
    "hands": [["2c", "Kd"], ["9c", "3d"]],
    "table": ["Jd"],
    "builds": [{"cards": ["4d", "5c"], "value": 9, "owner": 1, "locked": False}],
    "stock": [],
    "captured": [[], []],
}


def late_table(owner):
    """A table with a build of 9, two cards in each hand and a stock of four nines, kings and 3s."""
    hidden = ["9c", "3d", "9h", "3c", "Kh", "Kc"]
    position = parse_position(
        {
            **BUILD,
            "rules": {"preset": "svensk", "deal": {"draw": "single"}},
            "hands": [["2c", "Kd"], hidden[:2]],
            "stock": hidden[2:],
            "builds": [{**BUILD["builds"][0], "owner": owner}],
        }
    )
    seen = {*position.hands[0], *position.table, *position.builds[0].cards}
    rest = [c for c in range(52) if c not in seen | {*position.hands[1], *position.stock}]
    return Table.of_position(replace(position, captured=(tuple(rest), ())))


@pytest.mark.parametrize("owner", [0, 1])
def test_worlds_are_dealt_alike_among_those_that_fit(owner):
    """All pairs of unseen cards as likely; those with a nine alone, where the other owns the 9."""
    table = late_table(owner)
    cards = cards_of(table.state.hands[1]) + stock_of(table.state)
    nines = board_of(c for c in range(52) if c // 4 == 8)
    counts = {}
    for pair in combinations(sorted(cards), 2):
        if owner == 0 or board_of(pair) & nines:
            counts[pair] = 0
    each = 200
    tops = Counter()
    for world in worlds_of(table, range(each * len(counts))):
        counts[cards_of(world.hands[1])] += 1
        tops[stock_of(world)[0]] += 1
    assert chisquare(list(counts.values())).pvalue > 1e-4
    assert len(counts) == (15 if owner == 0 else 9) and len(tops) == 6


@pytest.mark.parametrize("preset", ["svensk", "norsk", "royal"])
def test_owners_of_builds_hold_a_taker(preset):
    """Where an unseen card takes it; however few they are."""
    rng, seen = random.Random(preset), 0
    rules = load_ruleset(preset, SEATS["three"])
    while seen < 40:
        table = random_table(rng, rules, rng.randrange(3, 40))
        state, me = table.state, int(table.state.to_move)
        builds = [b for b in range(int(state.n_builds)) if state.build_owner[b] != me]
        unseen = int(unseen_by(state, table.record, me))
        takers = [int(table.record.value_board[state.build_value[b]]) & unseen for b in builds]
        if len(builds) != 1 or not takers[0] or not state.hands[state.build_owner[builds[0]]]:
            continue
        seen += 1
        for world in worlds_of(table, range(5)):
            assert int(world.hands[state.build_owner[builds[0]]]) & takers[0]


# ---------------------------------------------------------------- what they may know


KINDS = ("ending", "rollout", "mcts")
FEW = ["svensk", "norsk", "dansk-svupper", "smygkasino", "dragkasino", "casino"]


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("preset", FEW)
@pytest.mark.parametrize("kind", KINDS)
def test_unseen_cards_change_no_choice(kind, preset, seats):
    rng = random.Random(f"{kind} {preset} {seats}")
    rules = load_ruleset(preset, SEATS[seats])
    for plays in [rng.randrange(46) for _ in range(5)] + [40, 43, 45]:
        table = random_table(rng, rules, plays)
        choice = choose(table, thinker(kind))
        for _ in range(3):
            permute_unseen(rng, table)
            assert choose(table, thinker(kind)) == choice


def test_a_cheat_is_caught():
    """Negative control: its choices change with what it must not know."""
    rng, changed = random.Random(5), 0
    for _ in range(20):
        table = random_table(rng, load_ruleset("svensk"), rng.randrange(8, 36))
        choice = choose(table, thinker("cheat", threshold=0.0))
        permute_unseen(rng, table)
        changed += choose(table, thinker("cheat", threshold=0.0)) != choice
    assert changed > 3


def test_the_seed_alone_draws_what_is_imagined():
    rules = load_ruleset("svensk")
    plan = Plan(rules, (thinker("rollout"), CAREFUL), 7, 12)
    whole = simulate(plan, threads=2, chunk=1)
    assert whole.frame().equals(simulate(plan, threads=1, chunk=6).frame())
    other = simulate(replace(plan, seed=8), threads=1)
    assert not whole.frame().equals(other.frame())


def test_an_engine_lends_itself_to_players_that_think_ahead():
    rules = load_ruleset("svensk")
    plain = Plan(rules, (CAREFUL,), 4, 6)
    ahead = Plan(rules, (thinker("ending"), CAREFUL), 4, 6)
    engine = Engine(plain)
    engine.sheets(0, 2)
    assert (engine.seated(ahead).sheets(0, 3) == Engine(ahead).sheets(0, 3)).all()
    assert (Engine(ahead).seated(plain).sheets(0, 6) == engine.sheets(0, 6)).all()


@pytest.mark.parametrize("kind", [*KINDS, "cheat"])
@pytest.mark.parametrize("seats", SEATS)
def test_a_block_plays_move_by_move_what_a_table_does(kind, seats):
    rules = load_ruleset("svensk", SEATS[seats])
    plan = Plan(rules, (thinker(kind), CAREFUL), 3, 4) if rules.sides == 2 else None
    plan = plan or Plan(rules, (thinker(kind),), 3, 4)
    sheets = Engine(plan).sheets(0, 2)
    for deal in range(2):
        for game in range(plan.games):
            result = play_out(plan, deal, game).result
            points = [sum(side) for side in zip(*result["points"].values(), strict=True)]
            assert points == [int(p) for p in sheets[deal, game].points.sum(axis=1)][: rules.sides]
            assert sheets[deal, game].decisions == 48


# ---------------------------------------------------------------- exact ends


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("preset", ruleset_names())
def test_margins_are_those_of_the_score(preset, seats):
    rules = load_ruleset(preset, SEATS[seats])
    engine = Plan(rules, (load_player("random"),), 2, 1)
    score = np.array(item_weights(rules))
    for deal in range(6):
        played = play_out(engine, deal)
        table = Table.of_position(played.end)
        ended, sheet = new_record(STATE), new_record(SHEET)
        copy_state(table.state, ended)
        fill_sheet(ended, table.record, sheet)
        points = sheet.points.sum(axis=1)[: rules.sides].astype(int)
        for side in range(rules.sides):
            margin = rules.sides * points[side] - points.sum()
            aim = 1 if rules.match.winner == "highest" else -1
            assert margin_of(ended, table.record, score, side) == aim * margin


def test_the_last_hand_is_played_for_the_best_margin_then_by_weight():
    rng, better = random.Random(9), 0
    for preset in FEW:
        for _ in range(6):
            table = random_table(rng, load_ruleset(preset), rng.randrange(40, 47))
            values = value_moves(table.rules, table.position(), CAREFUL, 1, 1)
            best = values.margins[0].max()
            choices = [str(m) for i, m in enumerate(values.moves) if values.margins[0, i] == best]
            assert values.exact and choose(table, thinker("ending")) in choices
            careful = choose(table, CAREFUL)
            better += careful not in choices
            if careful in choices:  # the heaviest of all is the heaviest of the best
                assert choose(table, thinker("ending")) == careful
    assert better > 3


@pytest.mark.parametrize("kind", KINDS)
def test_who_forgets_plays_at_sight(kind):
    """Without memory of the captured cards nobody can tell what is unseen."""
    forgetful = CAREFUL.model_copy(update={"memory": False})
    plans = [
        Plan(load_ruleset("svensk"), (player,), 5, 20)
        for player in (forgetful, forgetful.model_copy(update={"kind": kind, "playouts": 20}))
    ]
    at_sight, ahead = (Engine(plan).sheets(0, 20) for plan in plans)
    assert (at_sight == ahead).all()


def test_thinking_about_the_last_hand_gains():
    """About 1.3 points a deal in svensk."""
    plan = Plan(load_ruleset("svensk"), (load_player("careful-ending"), CAREFUL), 1, 600)
    points = Engine(plan).sheets(0, 300).points.sum(axis=-1).astype(int)
    gain = (points[:, 0, 0] - points[:, 0, 1] + points[:, 1, 1] - points[:, 1, 0]) / 2
    assert gain.mean() - 4 * gain.std() / len(gain) ** 0.5 > 0.5


# ---------------------------------------------------------------- values of moves


def opening(preset="svensk", seats="two", deal=0):
    rules = load_ruleset(preset, SEATS[seats])
    return Table.of_deal(Plan(rules, (CAREFUL,), 1, 1), deal)


@pytest.mark.parametrize("seats", SEATS)
def test_values_depend_on_what_is_seen_alone(seats):
    table = opening("svensk", seats)
    for _ in range(9):
        table.play(choose(table, CAREFUL))
    position, me = table.position(), int(table.state.to_move)
    first = value_moves(table.rules, position, CAREFUL, 50, 3)
    hands = tuple(h if p == me else None for p, h in enumerate(position.hands))
    unknown = replace(position, hands=hands, stock=None)
    second = value_moves(table.rules, unknown, CAREFUL, 50, 3)
    assert first.moves == second.moves and [str(m) for m in first.moves] == [
        str(m) for m in table.legal_moves()
    ]
    assert (first.margins == second.margins).all() and (first.won == second.won).all()
    assert first.margins.shape == (50, len(first.moves)) and not first.exact


def test_worlds_can_be_looked_at_in_parts():
    position = opening().position()
    whole = value_moves(position.rules, position, CAREFUL, 60, 3)
    parts = [value_moves(position.rules, position, CAREFUL, 30, 3, w) for w in (0, 30)]
    assert (whole.margins == np.vstack([p.margins for p in parts])).all()


def test_figures_hold_against_a_long_run_and_pairs_are_closer():
    """Intervals of short looks cover the long look's means, moves in common worlds vary less."""
    position = opening().position()
    long = value_moves(position.rules, position, CAREFUL, 20_000, 1)
    best, next_ = long.order[:2]
    truth = long.difference(best, next_).mean
    hits = 0
    for seed in range(100, 200):
        short = value_moves(position.rules, position, CAREFUL, 100, seed)
        figure = short.difference(best, next_)
        hits += abs(figure.mean - truth) < 1.96 * figure.se
    assert 86 <= hits <= 100
    apart = (long.margin(best).se ** 2 + long.margin(next_).se ** 2) ** 0.5
    assert long.difference(best, next_).se < 0.9 * apart
    assert 0 <= long.win(best).mean <= 1


def test_values_are_for_the_aim():
    """Where few points win, the best move has the fewest."""
    table = opening("smygkasino")
    values = value_moves(table.rules, table.position(), CAREFUL, 300, 1)
    means = values.margins.mean(axis=0)
    assert means[values.order[0]] == means.max()
    assert np.corrcoef(means, values.won.mean(axis=0))[0, 1] > 0.5


def test_a_position_that_does_not_add_up_is_told():
    table = opening()
    for _ in range(12):
        table.play(choose(table, CAREFUL))
    position = table.position()
    me = position.to_move
    hands = tuple(h if p == me else None for p, h in enumerate(position.hands))
    for changed, words in [
        (replace(position, hands=hands, stock=None, captured=((), ())), "do not add up"),
        (replace(position, hands=(None, None)), "is unknown"),
        (replace(position, stock=position.stock[:-1]), "do not add up"),
    ]:
        with pytest.raises(KasinoError, match=words):
            value_moves(table.rules, changed, CAREFUL, 5, 1)
