"""The coach: intervals that hold for what was chosen, exact endings, reasons, and the review."""

import csv
import io
import json
import math
import re
import shlex
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from kasino_sim.cards import card_text, parse_card, parse_cards
from kasino_sim.catalog import load_ruleset, ruleset_names, ruleset_to_object
from kasino_sim.cli import main
from kasino_sim.coach import Budget, advise, review
from kasino_sim.coach_words import outcome, point_cards, why
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table
from kasino_sim.notation import parse_move, parse_position, parse_record
from kasino_sim.plan import Plan
from kasino_sim.players import load_player, pack_players
from kasino_sim.position_text import position_from_text
from kasino_sim.stats.best_of import Means
from kasino_sim.transcript import play_out, transcript_record

GOLDEN = Path(__file__).parent / "golden" / "coach"
CAREFUL = load_player("careful")
SVENSK = load_ruleset("svensk")


def at(text, rules=SVENSK):
    data = position_from_text(text, rules) | {"rules": ruleset_to_object(rules)}
    return parse_position(data)


def game(deal=3, moves=None, rules=SVENSK, players=("careful", "random")):
    plan = Plan(rules, tuple(map(load_player, players)), 1, deals=1)
    record = transcript_record(play_out(plan, deal))
    return record | {"moves": record["moves"][:moves]}


def position_of(record):
    table = Table.of_deck(SVENSK, record["dealer"], [parse_card(c) for c in record["deck"]])
    for move in record["moves"]:
        table.play(move)
    return table.position()


OPENING = at("hand=2s 7h 9d Td; table=5d 2c 8h 3s")

# ---------------------------------------------------------------- what was chosen looks better


def covered(random, truth, mix, rows, runs=150):
    """Shares of runs in which all intervals hold: of means, of gaps to the best, and naive ones."""
    held = np.zeros(3)
    for _ in range(runs):
        rows_of = truth + random.standard_normal((rows, len(mix))) @ mix
        means = Means(rows_of)
        best = int(means.values.argmax())
        gaps, reach = means.gaps(best)
        held[0] += (np.abs(means.values - truth) <= means.halves()).all()
        held[1] += (np.abs(gaps - (truth[best] - truth)) <= reach + 1e-12).all()
        held[2] += abs(means.values[best] - truth[best]) <= 1.96 * means.ses[best]
    return held / runs


def test_intervals_hold_for_the_best_of_many():
    random = np.random.default_rng(1)
    mix = np.diag(np.linspace(0.5, 2, 10)) + 0.8
    means, gaps, _ = covered(random, np.zeros(10), mix, 200)
    assert means > 0.91 and gaps > 0.91
    assert means < 0.99 or gaps < 0.99  # no wider than they need to be


def test_the_plain_interval_of_the_best_flatters():
    """Negative control: fifteen alike, each with its own luck."""
    means, gaps, naive = covered(np.random.default_rng(2), np.zeros(15), np.eye(15), 100)
    assert naive < 0.7 and means > 0.91 and gaps > 0.91


def test_moves_that_come_to_the_same_are_no_gap():
    rows = np.repeat(np.random.default_rng(3).normal(size=(50, 1)), 3, axis=1) + [0, 0, 1.0]
    gaps, reach = Means(rows).gaps(2)
    assert gaps == pytest.approx([1, 1, 0]) and reach == pytest.approx(0)
    assert np.isnan(Means(rows[:5]).halves()).all()


def test_many_columns_use_bounds_that_are_no_shorter():
    rows = np.random.default_rng(4).normal(size=(60, 160))
    many = Means(rows)
    few = Means(rows[:, :100])
    assert many.halves()[0] > few.halves()[0]
    assert many.gaps(0)[1][1] > few.gaps(0)[1][1]


def test_intervals_hold_on_an_opening_position():
    """Against a long run; all moves and all gaps together, with fresh worlds each time."""
    long = advise(OPENING, CAREFUL, Budget(20_000, seed=99))
    truth = np.array([long.points(i)["value"] for i in range(len(long.moves))])
    wins = np.array([long.wins(i)["value"] for i in range(len(long.moves))])
    runs, held, won = 40, np.zeros(2), 0
    for seed in range(runs):
        found = advise(OPENING, CAREFUL, Budget(100, seed=seed))
        rows = [found.points(i) for i in range(len(truth))]
        held[0] += all(r["low"] <= t <= r["high"] for r, t in zip(rows, truth, strict=True))
        best = found.order[0]
        gaps = truth[best] - truth
        held[1] += all(c["low"] <= g <= c["high"] for c, g in zip(found.costs, gaps, strict=True))
        chances = [found.wins(i) for i in range(len(truth))]
        won += all(r["low"] <= t <= r["high"] for r, t in zip(chances, wins, strict=True))
    assert (held / runs > 0.85).all() and won / runs > 0.85


# ---------------------------------------------------------------- advice


def test_the_last_hand_is_exact_and_quick():
    before = position_of(game(moves=41))
    advise(before, CAREFUL, Budget())
    begun = time.thread_time()
    found = advise(before, CAREFUL, Budget())
    assert time.thread_time() - begun < 1
    assert found.exact and found.worlds == 0
    best = found.points(found.order[0])
    assert best["low"] == best["high"] == best["value"] and best["se"] == 0
    assert found.costs[found.second]["value"] > 0
    # Whoever plays on: nothing is left to chance.
    other = advise(before, load_player("beginner"), Budget())
    assert (other.values.margins == found.values.margins).all()


def test_one_card_each_by_hand():
    """Two plays are left: the last capture (1 point) and the ace lie in them."""
    rules = load_ruleset("svensk-utan-bygg")
    taken = [c for c in range(52) if c not in parse_cards("9h 9d Ac 4s")]
    text = " ".join(map(card_text, taken))
    before = at(f"hand=9h; table=9d Ac; captured0={text}; last=1; dealer=1", rules)
    found = advise(before, CAREFUL, Budget())
    by_text = {str(m): found.points(i)["value"] for i, m in enumerate(found.moves)}
    # Having taken, 9h leaves Ac alone, and 4s takes nothing: Ac goes to the last capturer too.
    # Having trailed, 4s takes nothing either, and all goes to player 1, who captured last.
    weights = rules.score
    gap = 2 * (weights.aces + weights.last)
    assert by_text["9h x 9d"] - by_text["9h"] == gap


def test_only_what_the_mover_sees_counts():
    record = game(moves=9)
    whole = position_of(record)
    mover = whole.to_move
    hidden = tuple(h if p == mover else None for p, h in enumerate(whole.hands))
    bare = replace(whole, hands=hidden, stock=None)
    one, other = (advise(p, CAREFUL, Budget(50)) for p in (whole, bare))
    assert one.moves == other.moves and (one.values.margins == other.values.margins).all()


def test_a_budget_of_time_is_kept_and_repeatable_by_its_worlds():
    advise(OPENING, CAREFUL, Budget(10))
    begun = time.monotonic()
    timed = advise(OPENING, CAREFUL, Budget(seconds=0.3))
    assert time.monotonic() - begun < 5
    again = advise(OPENING, CAREFUL, Budget(timed.worlds))
    assert (timed.values.margins == again.values.margins).all()


def test_a_chance_that_never_failed_is_not_certain():
    taken = "Td 2s Ac Ad Ah As 3s 4s 5s 6s 7s 8s 9s"
    others = "Tc Jc Qc Kc 9c 9d 9h 8c 8d 8h 7c 7d 7h 6c 6d 6h"
    before = at(f"hand=4c 4d 4h; table=Ts; captured0={taken} {others}; last=0")
    found = advise(before, CAREFUL, Budget(40))
    sure = [found.wins(i) for i in range(len(found.moves)) if found.wins(i)["value"] == 1]
    assert sure and all(0.7 < one["low"] < 1 == one["high"] for one in sure)


# ---------------------------------------------------------------- reasons


def reasons(position, first, second):
    return why(*(outcome(position, parse_move(move)) for move in (first, second)))


def test_a_capture_with_point_cards_is_told():
    assert reasons(OPENING, "Td x 2c 3s 5d", "2s x 2c") == [
        "The first takes 4 cards (Td and 1 spade), the second 2 cards (2s and 1 spade).",
        "The first leaves 8h, the second 3s 5d 8h.",
        "The first risks what lies there to 8c, 8d and 8s (25 %), the second to 17 unseen cards "
        "(87 %).",
    ]


def test_a_build_its_place_and_who_may_take_it_are_told():
    told = reasons(OPENING, "7h + 3s = 10", "9d")
    assert told[0] == "The first builds 10 for a later turn, the second takes nothing."
    assert told[1].startswith("The first leaves 2c 5d 8h and your build [3s 7h] = 10, the second")
    assert told[2].startswith("The first risks your build to Tc, Th and Ts (")


def test_a_sweep_and_a_bare_table_are_told():
    before = at("hand=5h 9d Kc Qc; table=2d 3d; captured0=8h 8d")
    told = reasons(before, "5h x 2d 3d", "Kc")
    assert told[0] == "The first takes 3 cards and sweeps, the second nothing."
    assert told[1] == "The first leaves nothing on the table, the second 2d 3d Kc."


def test_chances_of_risks_are_those_of_drawing_cards():
    before = at("hand=5h 7d 8d 8s; table=; captured0=2h 2d 3s 5c")
    found = outcome(before, parse_move("8s"))
    assert found.risks["sweep"] == tuple(sorted(parse_cards("8c 8h")))
    unseen, hand = 44, 4
    none = math.comb(unseen - 2, hand) / math.comb(unseen, hand)
    assert len(found.unseen) == unseen
    assert found.chance("sweep") == pytest.approx(1 - none)
    random = np.random.default_rng(5)
    drawn = np.array([random.choice(found.unseen, hand, replace=False) for _ in range(4_000)])
    often = np.isin(drawn, found.risks["sweep"]).any(axis=1).mean()
    assert often == pytest.approx(found.chance("sweep"), abs=0.03)


def test_risks_are_what_legal_moves_say():
    """Every unseen card, tried in the next hand with the moves of the rules."""
    before = position_of(game(deal=5, moves=6))
    for move in Table.of_position(before).legal_moves()[:4]:
        found = outcome(before, move)
        for card in found.unseen:
            hands = list(found.after.hands)
            rest = [c for c in found.unseen if c != card][: found.next_hand - 1]
            hands[found.after.to_move] = (card, *rest)
            legal = Table.of_position(replace(found.after, hands=tuple(hands))).legal_moves()
            takes = any(m.card == card and m.act == "x" for m in legal)
            assert (card in found.risks["take"]) == takes


def test_a_sweep_that_does_not_count_is_no_risk():
    rules = load_ruleset("svensk", ["sweep.points=0"])
    found = outcome(at("hand=5h 7d 8d 8s; table=; captured0=2h 2d 3s 5c", rules), parse_move("8s"))
    assert found.risks["sweep"] == () and found.risks["take"]


def test_point_cards_are_those_of_the_score():
    assert set(point_cards(SVENSK)) == set(parse_cards("Td 2s Ac Ad Ah As"))
    assert set(point_cards(load_ruleset("svensk", ["score.aces=0"]))) == set(parse_cards("Td 2s"))


def test_equal_moves_have_no_reasons():
    assert reasons(OPENING, "9d", "9d") == []


# ---------------------------------------------------------------- text of a position


def test_text_and_json_are_one_position():
    text = (
        "hand=5h 9s 4c; table=4d 9h; build1=3d 6s 9; captured0=Ac 3h; captured1=2d 2h 7c; "
        "sweeps=0 1; last=1; to_move=0; dealer=1"
    )
    data = {
        "rules": "svensk",
        "to_move": 0,
        "dealer": 1,
        "hands": [["5h", "9s", "4c"], None],
        "table": ["4d", "9h"],
        "builds": [{"cards": ["3d", "6s"], "value": 9, "owner": 1, "locked": False}],
        "captured": [["Ac", "3h"], ["2d", "2h", "7c"]],
        "sweeps": [0, 1],
        "last_capturer": 1,
    }
    assert at(text) == parse_position(data)
    assert at(text.replace("build1=3d 6s 9", "build1=[3d 6s] = 9")) == parse_position(data)
    assert at("hand=5h; build0=3d 6s 9d 9 locked; table=").builds[0].locked


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hand=2s; tabel=3d", "'tabel' is no part of a position - did you mean 'table'?"),
        ("hand=2s; hand2=3d", "'hand2' is no part"),
        ("hand=2s; table", "write table= and what it is"),
        ("hand=2s; hand=3s", "hand is given twice"),
        ("hand=2s; hand0=3s", "are the same player's"),
        ("hand=2s; build1=3d 6s", "write its cards and its value"),
        ("hand=2s; last=x", "last = 'x', must be a whole number"),
        ("hand=2s; sweeps=1 b", "sweeps = 'b'"),
    ],
)
def test_text_that_is_no_position(text, words):
    with pytest.raises(KasinoError, match=re.escape(words)):
        position_from_text(text, SVENSK)


# ---------------------------------------------------------------- kasino analyze


def run(*args, stdin=None):
    return CliRunner().invoke(main, list(map(str, args)), input=stdin)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_golden(path):
    """What was read by a person; the ends of intervals may differ in their last digit."""
    command, told = path.read_text(encoding="utf-8").split("\n\n", 1)
    done = run(*shlex.split(command)[2:])
    assert done.exit_code == 0, done.stderr

    def plain(text):
        return re.sub(r"± *[\d.]+|\([\d.]+ to [\d.]+\)", "±", text)

    again = "if this is meant: python scripts/regenerate_golden.py, and read what changed"
    assert plain(done.stdout) == plain(told), again
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("rules", ruleset_names())
def test_every_rule_set_fits_a_terminal(rules):
    ruleset = load_ruleset(rules)
    record = game(deal=2, moves=7, rules=ruleset, players=("careful",))
    done = run("analyze", "-", "--worlds", 40, stdin=json.dumps(record, indent=1))
    assert done.exit_code == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "nan" not in done.stdout and "inf" not in done.stdout


@pytest.mark.parametrize("changes", [["deal.players=3"], ["deal.players=4", "deal.teams=pairs"]])
def test_more_players(changes):
    ruleset = load_ruleset("svensk", changes)
    record = game(deal=1, moves=5, rules=ruleset, players=("careful",))
    done = run("analyze", "-", "--worlds", 30, "--format", "json", stdin=json.dumps(record))
    found = json.loads(done.stdout)
    assert found["worlds"] == 30 and found["to_move"] == 5 % ruleset.n_players
    means = [move["points"]["mean"] for move in found["moves"]]
    assert means == sorted(means, reverse=True)


def test_formats_agree():
    args = ["analyze", "hand=2s 7h 9d Td; table=5d 2c 8h 3s", "--worlds", 200]
    found = json.loads(run(*args, "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(run(*args, "--format", "csv").stdout)))
    assert [row["move"] for row in rows] == [move["move"] for move in found["moves"]]
    assert float(rows[0]["points"]) == found["moves"][0]["points"]["mean"]
    text = run(*args).stdout
    assert found["moves"][0]["words"] in text
    assert " ".join(found["why"][0].split()) in " ".join(text.split())
    assert len(found["moves"]) == 14 and "and 2 more (--all shows them)" in text
    assert "more (--all" not in run(*args, "--all").stdout


def test_rules_of_the_command_go_before_those_of_the_file():
    record = game(moves=0)
    plain, other = (
        json.loads(
            run("analyze", "-", "--worlds", 20, "--format", "json", *more,
                stdin=json.dumps(record)).stdout
        )
        for more in ([], ["--rules", "svensk-utan-bygg"])
    )  # fmt: skip
    assert other["rules"] == "svensk-utan-bygg"
    assert len(other["moves"]) < len(plain["moves"])


def test_few_worlds_are_undetermined():
    done = run("analyze", "hand=2s 7h 9d Td; table=5d 2c 8h 3s", "--worlds", 1)
    assert done.exit_code == 0 and "± ?" in done.stdout
    assert "nan" not in done.stdout


NULL_HANDS = {"rules": "svensk", "to_move": 0, "hands": [None, None], "table": ["5d"]}


@pytest.mark.parametrize(
    ("stdin", "args", "words"),
    [
        (None, ["nowhere.json"], "nowhere.json: there is no such file"),
        ("", ["-"], "standard input: is empty"),
        ("[1]", ["-"], "expected one JSON object"),
        ("{", ["-"], "not valid JSON"),
        (json.dumps(NULL_HANDS), ["-"], "hands[0] is unknown"),
        (json.dumps(game(moves=0)) + "\n" + json.dumps(game(moves=0)), ["-"], "give it one"),
        (json.dumps(game()), ["-"], "the deal is over"),
        (None, ["hand=2s 7h; table=5d 2c"], "the cards do not add up"),
        (None, ["hand=2s 2s; table=5d 2c"], "2s stands twice"),
        (None, ["hand=2s; tabel=5d"], "did you mean 'table'"),
        (None, ["hand=2s", "--budget", "3x"], "--budget 3x: must be a time"),
        (None, ["hand=2s", "--budget", "2s", "--worlds", "3"], "not together with --worlds"),
        (None, ["hand=2s", "--player", "carefull"], "did you mean 'careful'"),
        (None, ["hand=2s; table=", "--player", "cheat"], "name one of kind"),
        (None, ["hand=2s", "--rules", "swensk"], "did you mean 'svensk'"),
        (json.dumps({**NULL_HANDS, "rules": {}}), ["-", "--set", "sweep.points=2"], "--set"),
    ],
)
def test_errors_are_lines(stdin, args, words):
    done = run("analyze", *args, stdin=stdin)
    assert done.exit_code == 2 and not done.stdout
    assert words in done.stderr and done.stderr.startswith("error: ")


def test_what_is_wrong_is_told_before_anything_is_compiled(monkeypatch):
    told = []
    monkeypatch.setattr("kasino_sim.cli.progress.say_compiling", told.append)
    for args in (["hand=2s 7h; table=5d 2c"], ["hand=2s 7h 9d Td; table=", "--player", "cheat"]):
        assert run("analyze", *args).exit_code == 2 and told == []
    record = json.dumps(game())
    assert run("review", "-", "--player", "cheat", stdin=record).exit_code == 2 and told == []
    assert run("analyze", "-", stdin=json.dumps(game(moves=44))).exit_code == 0
    assert run("analyze", "hand=2s 7h 9d Td; table=5d 2c 8h 3s", "--worlds", 1).exit_code == 0
    assert told == ["value_endings", "value_worlds"]


# ---------------------------------------------------------------- kasino review


def test_a_blunder_is_marked_and_priced():
    """The best move of an opening is replaced by one that lays the big casino down."""
    record = parse_record(game(moves=0))
    deck = list(record.deck)
    wanted = [*parse_cards("2s 7h 9d Td"), *deck[4:8], *parse_cards("5d 2c 8h 3s")]
    rest = [c for c in deck if c not in wanted[:4] + wanted[8:]]
    deck = [*wanted[:4], *rest[:4], *wanted[8:], *rest[4:]]
    blunder = replace(record, deck=tuple(deck), moves=("Td",))
    found = review(blunder, CAREFUL, Budget(300))
    (one,) = found.judged
    assert one.costly and str(one.best) == "Td x 2c 3s 5d"
    assert found.given(0) == one.cost["value"] > 2 and found.given(1) == 0
    good = review(replace(blunder, moves=("Td x 2c 3s 5d",)), CAREFUL, Budget(300))
    assert not good.costly() and good.judged[0].cost["value"] == 0


def test_the_best_of_an_exact_ending_costs_nothing():
    record = game(moves=40)
    table = Table.of_deck(SVENSK, record["dealer"], [parse_card(c) for c in record["deck"]])
    for move in record["moves"]:
        table.play(move)
    while not table.over:
        found = advise(table.position(), CAREFUL, Budget())
        record["moves"].append(str(table.play(found.moves[found.order[0]])))
    judged = [one for one in review(parse_record(record), CAREFUL, Budget(30)).judged]
    ending = [one for one in judged if one.number > 40]
    assert ending and all(one.advice.exact and one.cost["value"] == 0 for one in ending)


def test_careful_play_is_marked_less_than_random_play():
    careful, random = (
        review(parse_record(game(deal=4, players=(name,))), CAREFUL, Budget(60))
        for name in ("careful", "random")
    )
    assert careful.over and careful.forced + len(careful.judged) == 48
    assert len(careful.costly()) < len(random.costly())
    costs = [one.cost["value"] for one in random.costly()]
    assert costs == sorted(costs, reverse=True)


def test_a_crowded_table_is_passed_over(monkeypatch):
    monkeypatch.setattr("kasino_sim.coach.MAX_MOVES", 6)
    record = json.dumps(game(moves=12))
    done = run("review", "-", "--worlds", 20, "--quiet", stdin=record)
    found = review(parse_record(json.loads(record)), CAREFUL, Budget(20))
    assert found.crowded > 0 and found.crowded + found.forced + len(found.judged) == 12
    assert "too crowded to judge it." in done.stdout


def test_review_text_and_json(tmp_path):
    path = tmp_path / "game.json"
    path.write_text(json.dumps(game(moves=14), indent=2))
    args = ["review", path, "--worlds", 60, "--quiet"]
    text, data = run(*args).stdout, json.loads(run(*args, "--format", "json").stdout)
    assert max(map(len, text.splitlines())) <= 80
    assert "The record stops in mid-deal." in text and not data["over"]
    assert text.count(" *\n") + text.count(" *  ") == sum(one["costly"] for one in data["judged"])
    assert data["given_away"][1] > 1  # random's
    assert all(one["why"] for one in data["judged"] if one["costly"])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (game(moves=0), "has no moves to review"),
        ({**game(moves=2), "moves": ["Zz"]}, "move 1: 'Zz'"),
        ({**game(moves=2), "moves": [game()["moves"][0], "Kc x 2d"]}, "move 2: Kc x 2d is not"),
        ({"rules": "svensk", "to_move": 0, "hands": [["2s"], None]}, "kasino analyze values it"),
        ({"rules": "svensk", "dealer": 1, "deck": ["2s"], "moves": []}, "deck has 1 cards"),
    ],
)
def test_records_that_are_none(data, words):
    done = run("review", "-", "--worlds", 5, stdin=json.dumps(data))
    assert done.exit_code == 2 and not done.stdout and words in done.stderr


def test_random_choice_is_among_the_moves_valued():
    """The engine's own choice is one of the moves, at every decision of a deal."""
    plan = Plan(SVENSK, (CAREFUL,), 6, deals=1)
    table = Table.of_deal(plan, 0)
    record = pack_players([CAREFUL], SVENSK)[0]
    while not table.over:
        move = table.choose(record, 6, 0)
        assert move in advise(table.position(), CAREFUL, Budget(1)).moves
        table.play(move)
