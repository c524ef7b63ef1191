"""Small games: solutions against best replies, payoffs against the twin, values by counting."""

from itertools import combinations, islice

import numpy as np
import pytest
import reference
from test_endgame import CAREFUL, brute

from kasino_sim.catalog import load_ruleset
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table, board_of, cards_of
from kasino_sim.notation import position_json
from kasino_sim.players import load_player, pack_players
from kasino_sim.studies.small_games import (
    best_reply,
    build_game,
    equilibrium,
    late_tables,
    losses,
    meeting,
    plan_of,
    small_games,
)
from kasino_sim.thinking import value_moves

ONE = "deal.hand=1"


@pytest.fixture(scope="module", params=["svensk", "norsk", "smygkasino", "royal"])
def games(request):
    """A few games with hands of one: twelve deals, two last ones each."""
    tables = late_tables(load_ruleset(request.param, [ONE]), CAREFUL, 3)
    return [build_game(table) for table in islice(tables, 6)]


def test_no_reply_beats_the_solution(games):
    for game in games:
        value, first, second = equilibrium(game)
        assert best_reply(game, 0, first) == pytest.approx(value, abs=1e-9)
        assert best_reply(game, 1, second) == pytest.approx(value, abs=1e-9)
        assert meeting(game, first, second) == pytest.approx(value, abs=1e-9)


def test_players_lose_and_the_solution_does_not(games):
    lost = []
    for game in games:
        value = equilibrium(game)[0]
        for name in ("random", "careful"):
            lost += losses(game, load_player(name), 1, value)
    free = games[0].table.rules.capture.obligation == "free"  # else there is little to choose
    assert min(lost) > -1e-9 and (max(lost) > 0.05 or not free)


def worlds_of(table):
    """Every way to deal the hidden cards: hand 0, hand 1, the stock."""
    hidden = [c for p in (0, 1) for c in cards_of(table.state.hands[p])]
    hidden += [int(c) for c in table.state.deck[table.state.next_card : table.state.n_cards]]
    for a in hidden:
        for b in hidden:
            rest = [c for c in hidden if c not in (a, b)]
            for stock in (rest, rest[::-1]):
                if a != b:
                    yield a, b, stock


def set_out(table, a, b, stock):
    copy = Table.of_position(table.position())
    copy.state.hands[0], copy.state.hands[1] = 1 << a, 1 << b
    copy.state.deck[: len(stock)] = stock
    return copy


def test_what_plans_come_to_is_what_playing_every_world_does(games):
    """Two players of the engine, every world played by hand, the last hand by brute force."""
    for game in games:
        table = game.table
        preset = table.rules.name.partition("+")[0]
        players = [load_player("careful"), load_player("beginner")]
        records = pack_players(players, table.rules)
        total, n = 0, 0
        for world in worlds_of(table):
            copy = set_out(table, *world)
            for _ in range(2):
                copy.play(copy.choose(records[int(copy.state.to_move)], 1, 0))
            state = reference.read_position(
                position_json(copy.position(), {"preset": preset, "deal": {"hand": 1}})
            )
            total, n = total + brute(state, 0), n + 1
        plans = [plan_of(game, role, players[role], 1) for role in (0, 1)]
        assert n == 24
        assert meeting(game, *plans) == pytest.approx(total / n, abs=1e-9)


def test_estimated_values_are_those_of_every_world(games):
    """Values of moves in imagined worlds against all worlds, each played out many times."""
    for game in games[:2]:
        table, rules = game.table, game.table.rules
        me = int(table.state.to_move)
        own = cards_of(table.state.hands[me])[0]
        values = value_moves(rules, table.position(), CAREFUL, 4_000, 1)
        record = pack_players([CAREFUL], rules)[0]
        for i, move in enumerate(values.moves):
            counted = []
            for world in worlds_of(table):
                if world[me] == own:
                    for deal in range(8):
                        copy = set_out(table, *world)
                        copy.play(move)
                        while not copy.over:
                            copy.play(copy.choose(record, 77, deal))
                        points = copy.result()["points"].values()
                        counted.append(sum(p[me] - p[1 - me] for p in points))
            aim = 1 if rules.match.winner == "highest" else -1
            noise = np.std(counted) / 8**0.5 / 6**0.5  # of draws among moves of equal weight
            assert abs(values.margin(i).mean - aim * np.mean(counted)) < (
                4 * (values.margin(i).se ** 2 + noise**2) ** 0.5 + 1e-9
            )


def test_the_study_tells_each_position():
    rules = load_ruleset("svensk", [ONE])
    told = list(small_games(rules, [CAREFUL, load_player("random")], CAREFUL, 3, 3))
    assert len(told) == 3 and all(set(t["losses"]) == {"careful", "random"} for t in told)
    assert told == list(small_games(rules, [CAREFUL, load_player("random")], CAREFUL, 3, 3))


def test_other_games_are_refused():
    with pytest.raises(KasinoError, match="deal.hand=2"):
        next(late_tables(load_ruleset("svensk"), CAREFUL, 1))


def test_hidden_cards_are_all_dealt():
    table = next(late_tables(load_ruleset("svensk", [ONE]), CAREFUL, 3))
    game = build_game(table)
    hidden = {c for a, b, stock in worlds_of(table) for c in (a, b, *stock)}
    firsts = {hand for hand, course in game.known[0] if course == ()}
    assert firsts == {board_of(h) for h in combinations(hidden, 1)} and len(firsts) == 4
