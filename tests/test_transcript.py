"""What is shown is what was simulated, and it plays again to the same end."""

import json

import numpy as np
import pytest

from kasino_sim.cards import card_text, parse_cards
from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.engine.layout import ITEMS
from kasino_sim.errors import KasinoError
from kasino_sim.game import replay, whole_deal
from kasino_sim.notation import Build, Position, parse_move, parse_record
from kasino_sim.plan import Plan, parse_known
from kasino_sim.players import load_player
from kasino_sim.simulate import Engine
from kasino_sim.transcript import _verdict, play_out, transcript, transcript_record
from kasino_sim.words import build_groups, capture_groups, move_words, rules_words

TABLES = {
    "two": (),
    "three": ("deal.players=3",),
    "pairs": ("deal.players=4", "deal.teams=pairs", "build.partner=true"),
}


def plan_of(preset="svensk", players=("careful", "greedy"), seed=1, overrides=(), **more):
    rules = load_ruleset(preset, list(overrides))
    return Plan(rules, tuple(map(load_player, players)), seed, 1, **more)


def deals_of(preset, table):
    """Play a few deals by every kind of player, under all sorts of seeds and numbers."""
    rng = np.random.default_rng([len(preset), len(table), ord(preset[0])])
    for name in ("careful", "random", "greedy"):
        seed, deal = (int(x) for x in rng.integers(0, 2**64, 2, dtype=np.uint64))
        for plan in (plan_of(preset, (name,), seed, TABLES[table]),):
            for number in (deal, 0, 2**64 - 1):
                yield play_out(plan, number)


@pytest.fixture(scope="module", params=ruleset_names())
def played(request):
    """117 deals in all: 13 rule sets, 3 sizes of table, 3 kinds of player, 3 numbers each."""
    return [deal for table in TABLES for deal in deals_of(request.param, table)]


def test_a_record_plays_again_to_the_same_result(played):
    for deal in played:
        record = json.loads(json.dumps(transcript_record(deal)))
        again = replay(parse_record(record))
        assert again.over
        assert again.result() == deal.result == whole_deal(record).result()
        assert record["seed"] == str(deal.plan.seed) and record["deal"] == str(deal.deal)


def test_the_score_is_the_simulation_s_item_by_item(played):
    for deal in played:
        engine = Engine(Plan(deal.rules, deal.plan.players, deal.plan.seed, 1, deal.deal))
        same_as_sheet(deal, engine.sheets(0, 1)[0, 0])


def same_as_sheet(deal, sheet):
    n, sides, result = deal.rules.n_players, deal.rules.sides, deal.result
    for i, item in enumerate(ITEMS):
        assert result["points"][item] == sheet["points"][:sides, i].tolist(), item
    assert result["tied"] == [i for i in ("spades", "cards") if sheet[f"tied_{i}"]]
    assert result["sweeps"] == sheet["sweeps"][:n].tolist()
    assert [len(cards) for cards in result["captured"]] == sheet["cards"][:n].tolist()
    assert (-1 if result["last_capturer"] is None else result["last_capturer"]) == sheet["last"]
    made = {"": ["trails"], "x": ["captures"], "+": ["builds", "raises", "adds"]}
    for act, names in made.items():
        moves = [sum(p.move.act == act and p.seat == s for p in deal.plays) for s in range(n)]
        assert moves == sum(sheet[name][:n].astype(int) for name in names).tolist()


@pytest.mark.parametrize("overrides", TABLES.values(), ids=TABLES)
def test_every_seating_is_the_simulation_s(overrides):
    rules = load_ruleset("svensk", list(overrides))
    n = 2 if rules.deal.teams == "pairs" else rules.n_players
    plan = plan_of(players=("careful", "greedy", "random", "beginner")[:n], overrides=overrides)
    assert plan.games == n
    sheets = Engine(plan).sheets(3, 1)
    for game in range(plan.games):
        same_as_sheet(play_out(plan, 3, game), sheets[0, game])


def test_deals_go_by_their_own_number_and_keep_known_cards():
    known = parse_known("hand0=Td 2s; stock=Ac", load_ruleset("svensk"))
    plan = plan_of(first_deal=7, known=known)
    deal = play_out(plan, 9)
    same_as_sheet(deal, Engine(plan).sheets(2, 1)[0, 0])
    assert set(parse_cards("Td 2s")) <= set(deal.start.hands[0])
    assert deal.start.stock[0] == parse_cards("Ac")[0]


def test_another_deal_seed_or_player_is_another_account():
    """Negative control: the comparison above is not between things that never change."""
    first = play_out(plan_of()).result
    assert first != play_out(plan_of(), 1).result
    assert first != play_out(plan_of(seed=2)).result
    assert first != play_out(plan_of(players=("random",))).result


def test_every_move_adds_up(played):
    """Captures and builds are made of groups of their value, found without the engine."""
    for deal in played:
        rules, clear = deal.rules, deal.rules.capture.clear_card
        for play in deal.plays:
            if play.move.act == "x":
                by_power = card_text(play.move.card) == clear
                assert by_power or capture_groups(rules, play.before, play.move) is not None
            elif play.move.act == "+":
                groups = build_groups(rules, play.before, play.move)
                made = next(b for b in play.after.builds if play.move.card in b.cards)
                used = [b for b in play.before.builds if b.cards in play.move.builds]
                added = any(b.value == made.value for b in used)
                assert groups and made.owner == play.seat
                assert made.locked == (len(groups) + added > 1)


def test_every_account_is_whole(played):
    for deal in played:
        lines = transcript(deal).splitlines()
        assert max(map(len, lines)) <= 80
        assert lines == [line.rstrip() for line in lines]
        numbers = [int(line[:2]) for line in lines if line[:2].strip().isdigit()]
        assert numbers == list(range(1, 49))
        totals = map(sum, zip(*deal.result["points"].values(), strict=True))
        assert next(x for x in lines if x.startswith("  total")).split()[1:] == [*map(str, totals)]


def test_like_players_are_told_apart_and_long_names_cut():
    deal = play_out(plan_of(players=("greedy",), overrides=TABLES["pairs"]))
    assert deal.names == ("greedy-0", "greedy-1", "greedy-2", "greedy-3")
    assert "greedy-0+2  greedy-1+3" in transcript(deal)
    long = load_player("greedy").model_copy(update={"name": "a-name-that-goes-on"})
    assert play_out(Plan(load_ruleset("svensk"), (long,), 1, 1)).names[0] == "a-name-that…-0"


@pytest.mark.parametrize("deal, game, said", [(0, 2, "choose 0 to 1"), (-1, 0, "--deal -1")])
def test_there_is_no_such_deal_or_seating(deal, game, said):
    with pytest.raises(KasinoError, match=said):
        play_out(plan_of(), deal, game)


# ---------------------------------------------------------------- words


def words(move, preset="svensk", table="", builds=(), to_move=0):
    cards = tuple(sorted(parse_cards(table)))
    piles = tuple(
        Build(tuple(sorted(parse_cards(cards))), value, owner, locked)
        for cards, value, owner, locked in builds
    )
    position = Position(load_ruleset(preset), 1, to_move, (None, None), cards, piles)
    return move_words(position, parse_move(move), ("Ann", "Bo"))


NINE, LOCKED = ("4d 5c", 9, 0, False), ("4d 5c 9s", 9, 0, True)


@pytest.mark.parametrize(
    "move, told, given",
    [
        ("7c", "lays 7c", {}),
        ("8h x 3c 5d 8s", "takes 3c+5d, 8s with 8h", {"table": "3c 5d 8s Kd"}),
        ("As x Kd Ac", "takes Ac+Kd with As as 14", {"table": "Ac Kd"}),
        ("As x Ac", "takes Ac with As", {"table": "Ac"}),
        ("Td x 6c Tc", "takes 6c+Tc with Td as 16", {"preset": "dansk", "table": "6c Tc"}),
        ("9c x [4d 5c]", "takes the build of 9 [4d 5c] with 9c", {"builds": [NINE]}),
        (
            "9c x 9d [4d 5c]",
            "takes 9d and Ann's build of 9 [4d 5c] with 9c",
            {"builds": [NINE], "table": "9d", "to_move": 1},
        ),
        ("5h + 4d = 9", "builds 9: 5h on 4d", {"table": "4d"}),
        ("5h + 2d 6s = 13", "builds 13: 5h on 2d+6s", {"preset": "royal", "table": "2d 6s"}),
        ("5h + 4d 9s = 9", "makes a double build of 9: 4d+5h, 9s", {"table": "4d 9s"}),
        ("9h + [4d 5c] = 9", "doubles the build of 9 [4d 5c] with 9h", {"builds": [NINE]}),
        ("9h + [4d 5c 9s] = 9", "adds 9h to the build of 9 [4d 5c 9s]", {"builds": [LOCKED]}),
        ("4h + [4d 5c] = 13", "raises the build of 9 [4d 5c] to 13 with 4h", {"builds": [NINE]}),
        ("2s + Ac = 16", "builds 16: 2s as 15 on Ac", {"preset": "norsk", "table": "Ac"}),
        ("5s x 4d Kc", "takes 4d, Kc with 5s, which takes all", {"table": "4d Kc"}),
    ],
)
def test_moves_in_words(move, told, given):
    assert words(move, **given) == told


def test_faces_make_no_sums_where_the_rules_say_so():
    position = Position(load_ruleset("casino"), 1, 0, (None, None), tuple(parse_cards("6c 7c")))
    assert capture_groups(position.rules, position, parse_move("Kc x 6c 7c")) is None
    position = Position(load_ruleset("dansk-casino"), 1, 0, (None, None), position.table)
    assert capture_groups(position.rules, position, parse_move("Kc x 6c 7c")) is not None
    assert build_groups(position.rules, position, parse_move("Jc + 2d = 13")) is None


@pytest.mark.parametrize("name", ruleset_names())
def test_rules_are_told_in_a_few_lines(name):
    rules = load_ruleset(name)
    told = " ".join(rules_words(rules))
    assert ("There are no builds." in told) is not rules.build.allowed
    assert ("fewest points" in told) is (rules.match.winner == "lowest")
    assert len(told) < 6 * 80


def test_verdicts():
    few, many = load_ruleset("smygkasino"), load_ruleset("svensk")
    names = ("Ann", "Bo", "Cy")
    assert _verdict(many, names[:2], [3, 8]) == "Bo wins the deal, 8 to 3."
    assert _verdict(many, names, [3, 8, 5]) == "Bo wins the deal, 8 to 5 and 3."
    assert _verdict(many, names, [8, 8, 5]) == "Ann and Bo share the deal, 8 to 5."
    assert _verdict(many, names[:2], [5, 5]) == "Even: everybody has 5."
    assert (
        _verdict(few, names, [3, 8, 5])
        == "The lowest total is best: Ann wins the deal, 3 to 5 and 8."
    )
    assert _verdict(few, names[:2], [5, 5]) == "The lowest total is best: everybody has 5."
