"""Matches reckoned from ledgers: by hand, against a naive pad, against played ones; intervals."""

import json
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.cli import main
from kasino_sim.engine.layout import ITEMS
from kasino_sim.errors import KasinoError
from kasino_sim.ledger import Ledger, merge_ledgers, outcomes
from kasino_sim.match import CARRIED, DealResult, MatchPad, MatchState
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import Engine
from kasino_sim.stats import match_odds as module
from kasino_sim.stats.match_draws import play_matches
from kasino_sim.stats.match_figures import Asked
from kasino_sim.stats.match_odds import EXACT, PLAYED, match_odds, mean_influence, reckon
from kasino_sim.stats.matches import MatchCounter, mean_length, win_share
from kasino_sim.stats.measured import Measured
from kasino_sim.tally import ledger_of


def plan_of(rules="svensk", overrides=(), players=("careful",), deals=200, seed=1):
    named = tuple(load_player(p) for p in players)
    return Plan(load_ruleset(rules, list(overrides)), named, seed, deals)


def ledgers(plan, chunks, size):
    engine = Engine(plan)
    return [ledger_of(plan, engine.sheets(i * size, size)) for i in range(chunks)]


def named(reckoned):
    return dict(zip(reckoned.figures.names, reckoned.values, strict=True))


# ---------------------------------------------------------------- by hand


def sweeping(first, second):
    """A ledger in which seat 0 takes all cards so often, and seat 1 so often."""
    side = np.array([0, 1])
    counts = {"game_0": [first, second]}
    takes = {f"{n}_{s}": k * (side == s) for n, k in
             (("aces", 4), ("spades", 13), ("cards", 52), ("sweeps", 0)) for s in side}  # fmt: skip
    return Ledger.from_frame(pd.DataFrame({"big": side, "little": side, "last": side}
                                          | takes | counts))  # fmt: skip


def test_whoever_takes_all_needs_two_deals():
    """Seat 0 takes all with chance p = 3/4; the target is twice what there is to take."""
    ledger = sweeping(3, 1)
    everything = int(outcomes(ledger, load_ruleset("svensk")).totals.max())
    plan = plan_of("svensk", [f"match.target={2 * everything}"])
    found = named(reckon(plan, ledger))
    # The same side takes both first deals: p q + q p; else one each, and the third decides.
    assert found["length.2"] == pytest.approx(3 / 8)
    assert found["length.3"] == pytest.approx(5 / 8)
    assert found["deals"] == pytest.approx(2 + 5 / 8)
    # p q, and from one each (p p + q q) the third, which the first opener opens.
    assert found["seat.0"] == pytest.approx(3 / 16 + 10 / 16 * 3 / 4)
    assert found["seat.0"] + found["seat.1"] == pytest.approx(1)
    assert found["kept"] == pytest.approx(3 / 8)
    # The winner lost the first deal: side 1 after p p, side 0 after q q.
    assert 1 - found["held"] == pytest.approx(9 / 16 * 1 / 4 + 1 / 16 * 3 / 4)
    assert found["lead_changes"] == pytest.approx(0)


def test_one_deal_decides():
    ledger = sweeping(3, 1)
    found = named(reckon(plan_of("svensk", ["match.target=1"]), ledger))
    assert [found["deals"], found["length.1"]] == pytest.approx([1, 1])
    assert found["seat.0"] == pytest.approx(3 / 4)
    assert found["kept"] == pytest.approx(0)  # nobody led before it
    assert found["held"] == pytest.approx(1)


# ---------------------------------------------------------------- against a pad


def naive(plan, sheets):
    """Follow a pad through every order of a few deals, each as likely; figures by name."""
    sides, games = plan.rules.sides, plan.games
    by_game = [[DealResult.of_sheet(row[g], plan.rules) for row in sheets] for g in range(games)]
    figures = defaultdict(float)
    for opener in range(games):
        standing = {((0,) * sides, (0, 0), tuple(range(sides))): 1 / games}
        number = 0
        while sum(standing.values()) > 1e-11:
            after = defaultdict(float)
            for (totals, waiting, held), mass in standing.items():
                for deal in by_game[-(number + opener) % games]:
                    chance = mass / len(sheets)
                    pad = MatchPad(plan.rules)
                    pad.state = MatchState(
                        totals, (), number, dict(zip(CARRIED, waiting, strict=True))
                    )
                    pad.add(turned(deal, number, sides))
                    before = alone(best(totals, plan.rules))
                    now = alone(pad.winners if pad.over else best(pad.totals, plan.rules))
                    figures["lead_changes"] += chance * (
                        before is not None and now is not None and before != now
                    )
                    figures["deals"] += chance
                    if not pad.over:
                        leads = tuple(s for s in held if s in best(pad.totals, plan.rules))
                        left = tuple(pad.carried[item] for item in CARRIED)
                        after[pad.totals, left, leads] += chance
                        continue
                    figures[f"length.{number + 1}"] += chance
                    figures["kept"] += chance * (now is not None and now == before)
                    for side in pad.winners:
                        share = chance / len(pad.winners)
                        figures[f"seat.{side}"] += share
                        figures["held"] += share * (side in held)
                        # In turn `opener` player k is side k + opener of the seats.
                        if games == sides:
                            figures[f"player.{(side + opener) % sides}"] += share
            standing = after
            number += 1
    return figures


def best(totals, rules):
    top = (min if rules.match.winner == "lowest" else max)(totals)
    return [side for side, total in enumerate(totals) if total == top]


def alone(sides):
    return sides[0] if len(sides) == 1 else None


def turned(deal, number, sides):
    """A deal as the sides of a match see it, the opener first, after so many deals."""
    seats = [(side - number) % sides for side in range(sides)]
    most = {
        item: seats.index(points.index(max(points)))
        for item in CARRIED
        if any(points := deal.points[ITEMS.index(item)])
    }
    return DealResult(
        tuple(tuple(points[seat] for seat in seats) for points in deal.points),
        deal.tied,
        most,
        tuple(deal.spades[seat] for seat in seats),
    )


CASES = [
    ("svensk", (), ("careful",)),
    ("svensk", ("match.target=11",), ("careful", "greedy")),
    ("svensk", ("match.end=count-out",), ("careful", "random")),
    ("norsk-casino", ("match.tie_break=spades", "match.target=16"), ("careful",)),
    ("norsk-casino", ("score.ties=carry", "match.target=12"), ("careful",)),
    ("svensk", ("score.ties=carry", "match.end=count-out"), ("careful",)),
    ("smygkasino", (), ("careful", "greedy")),
    ("svensk", ("match.winner=lowest", "match.target=12"), ("careful", "random")),
    ("smygkasino", ("match.goal=points", "match.target=12"), ("careful",)),
    ("svensk", ("deal.players=3", "match.target=7"), ("careful", "greedy", "random")),
    ("svensk", ("deal.players=3", "match.target=7", "match.winner=lowest"), ("careful",)),
    ("svensk", ("deal.players=3", "match.target=7", "score.ties=carry"), ("careful",)),
    ("svensk", ("deal.players=3", "match.target=7", "match.end=count-out"), ("careful",)),
    ("svensk", ("deal.players=4", "match.target=6"), ("careful",)),
    ("dansk", ("deal.players=4", "deal.teams=pairs", "match.target=15"), ("careful", "greedy")),
]


@pytest.mark.parametrize("rules, overrides, players", CASES)
def test_as_a_pad_has_it(rules, overrides, players):
    """Every order of six deals, deal by deal on the pad that families use."""
    plan = plan_of(rules, overrides, players)
    sheets = Engine(plan).sheets(40, 6)
    found, expected = named(reckon(plan, ledger_of(plan, sheets))), naive(plan, sheets)
    for name, value in found.items():
        assert value == pytest.approx(expected[name], abs=1e-8), name


@pytest.mark.parametrize(
    "overrides, players, near",
    [
        ((), ("careful", "greedy"), 1e-9),
        (("deal.players=3", "match.target=9"), ("careful",), 1e-6),  # leads are cut in a tie
        (("match.goal=deals", "match.deals=3", "match.winner=lowest"), ("careful",), 1e-9),
    ],
)
def test_the_grid_and_the_list_of_states_agree(overrides, players, near, monkeypatch):
    plan = plan_of("svensk", overrides, players)
    (ledger,) = ledgers(plan, 1, 120)
    grid = reckon(plan, ledger)
    monkeypatch.setattr(module, "grid_of", lambda *_: None)
    states = reckon(plan, ledger)
    assert grid.figures == states.figures
    assert grid.values == pytest.approx(states.values, abs=near)
    weights = ledger.counts[..., None] / ledger.blocks
    centred = [f.influence - (weights * f.influence).sum(axis=0) for f in (grid, states)]
    assert np.allclose(*centred, atol=20 * near)


# ---------------------------------------------------------------- intervals


@pytest.mark.parametrize(
    "overrides, players",
    [
        ((), ("careful", "greedy")),
        (("match.end=count-out",), ("careful",)),
        (("deal.players=3",), ("careful", "greedy", "random")),
    ],
)
def test_influence_is_the_slope(overrides, players):
    """More of some blocks' deals, by a hair, moves the figures as their influence says."""
    plan = plan_of("svensk", overrides, players)
    some, rest = ledgers(plan, 2, 60)
    whole = some + rest
    found = reckon(plan, whole)
    own, all_of_it = (mean_influence(whole, found, part) for part in (some, whole))
    few = merge_ledgers([whole] * 500 + [some])
    shared = reckon(plan, few).values[: len(found.values)]
    slope = (shared - found.values) / (some.blocks / few.blocks)
    assert slope == pytest.approx(own - all_of_it, rel=0.02, abs=5e-4)
    assert np.abs(own - all_of_it).max() > 0.01


def test_intervals_are_those_of_a_bootstrap_of_chunks():
    plan = plan_of("svensk", (), ("careful", "greedy"))
    parts = ledgers(plan, 60, 40)
    found = match_odds(plan, parts)
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(80):
        again = named(reckon(plan, merge_ledgers([parts[i] for i in rng.integers(0, 60, 60)])))
        drawn.append([again.get(name, 0.0) for name in found.names])
    spread = np.std(drawn, axis=0, ddof=1)
    told = found.errors
    clear = [i for i, name in enumerate(found.names) if found.values[i] > 0.02]
    assert len(clear) >= 9
    assert told[clear] == pytest.approx(spread[clear], rel=0.35)


# ---------------------------------------------------------------- against matches that are played


PLAYED_CASES = [(name, (), ("careful",)) for name in ruleset_names()] + [
    ("svensk", (), ("careful", "greedy")),
    ("royal", ("match.end=count-out",), ("careful", "random")),
    ("dansk", ("deal.players=3",), ("careful",)),
    ("svensk", ("deal.players=4", "deal.teams=pairs"), ("careful", "greedy")),
]


@pytest.mark.parametrize("rules, overrides, players", PLAYED_CASES)
def test_as_matches_that_are_played(rules, overrides, players):
    """Within four standard errors of matches played deal by deal on other decks."""
    plan = plan_of(rules, overrides, players, deals=6_000)
    counter, engine = MatchCounter(plan, 1_000), Engine(plan)
    for first in range(100_000, 10**9, 1_500):
        counter.add(engine.sheets(first, 1_500))
        if counter.done:
            break
    played = counter.tally()
    found = match_odds(plan, ledgers(plan, 40, 150))
    near(found.deals_per_match, mean_length(played))
    if plan.rules.sides == 2:  # an opener of a match is the opener of its first deal
        near(found.by_seat[0], win_share(played, "opener"))
    if not plan.alike:
        near(found.by_player[0], win_share(played, "player"))


def near(told, played):
    errors = [row["se"] if row["se"] > 0 else 0.0 for row in (told, played)]
    assert abs(told["value"] - played["value"]) <= 4 * np.hypot(*errors) + 1e-9


def test_negative_control():
    """Matches to another target are not near."""
    plan = plan_of("svensk", ("match.target=21",))
    other = plan_of("svensk", ("match.target=16",))
    parts = ledgers(plan, 20, 100)
    a, b = (match_odds(p, parts).deals_per_match for p in (plan, other))
    assert abs(a["value"] - b["value"]) > 4 * np.hypot(a["se"], b["se"])


@pytest.mark.parametrize("overrides", [(), ("deal.players=3",), ("score.ties=carry",)])
def test_drawn_matches_come_to_the_same(overrides):
    """What is played where too much is to be reckoned, where both can be done."""
    plan = plan_of("svensk", overrides, ("careful",))
    groups = ledgers(plan, 40, 200)
    exact = named(reckon(plan, merge_ledgers(groups)))
    names, values = play_matches(plan, groups, Asked())
    assert len(values) == 40
    for name, column in zip(names, values.T, strict=True):
        if column.std() > 0:
            error = column.std() / len(column) ** 0.5
            assert abs(column.mean() - exact.get(name, 0)) < 4.5 * error + 2e-3, name


def test_intervals_of_drawn_matches_hold(monkeypatch):
    """Chunks drawn from many: a rule set's length of a match, and the difference of two."""
    plans = [plan_of("svensk"), plan_of("svensk", ("sweep.points=2",))]
    chunks = ledgers(plans[0], 200, 60)
    truths = [reckon(of, merge_ledgers(chunks)).values[0] for of in plans]
    monkeypatch.setattr(module, "reckon", lambda *_: None)
    monkeypatch.setattr("kasino_sim.stats.match_draws.MOST_SHUFFLES", 2)
    rng, held, times, ses = np.random.default_rng(3), np.zeros(2), 100, np.zeros(3)
    for _ in range(times):
        parts = [chunks[i] for i in rng.integers(0, 200, 20)]
        odds = [match_odds(of, parts, Asked(drama=False)) for of in plans]
        assert all(of.method == PLAYED and len(of.parts) == 20 for of in odds)
        one, other = (Measured(of.values[0], of.parts[:, 0], 1_200) for of in odds)
        ses += [one.se, other.se, (other - one).se]
        for at, (found, truth) in enumerate(
            [(one, truths[0]), (other - one, truths[1] - truths[0])]
        ):
            held[at] += found.row()["low"] <= truth <= found.row()["high"]
    assert (held / times >= 0.88).all()
    # The same decks under both: less noise than apart.
    assert ses[2] < 0.98 * np.hypot(ses[0], ses[1])


def test_estimates_of_unlike_chunks_have_no_less_than_both_their_errors():
    rng = np.random.default_rng(4)
    one, other = (Measured(1.0, (x := rng.normal(size=n)) - x.mean(), 9) for n in (200, 90))
    assert (one - other).se >= one.se + other.se - 1e-9 or (one - other).se == pytest.approx(
        np.sqrt(2) * np.hypot(one.se, other.se), rel=0.01
    )


def test_a_length_that_hardly_occurs_has_no_interval():
    """Of one match in thousands the interval would be too short by far: it held in a third."""
    plan = plan_of("svensk")
    chunks = ledgers(plan, 300, 50)
    rng, told, rare = np.random.default_rng(5), 0, 0
    for _ in range(30):
        odds = match_odds(plan, [chunks[i] for i in rng.integers(0, 300, 40)])
        told += all(np.isfinite(odds.row(f"length.{n}")["low"]) for n in (2, 3, 4))
        told += np.isfinite(odds.deals_per_match["low"])
        short = odds.row("length.1")
        assert short["value"] < 0.005
        rare += np.isnan(short["low"]) and np.isnan(short["se"])
    assert told == 60 and rare >= 28


def test_too_much_to_reckon_is_played(monkeypatch):
    plan = plan_of("svensk", ("match.end=count-out",))
    parts = ledgers(plan, 10, 200)
    exact = match_odds(plan, parts)
    monkeypatch.setattr(module, "reckon", lambda *_: None)
    played = match_odds(plan, parts)
    assert (exact.method, played.method) == (EXACT, PLAYED)
    assert abs(exact.values[0] - played.values[0]) < 4 * played.errors[0] + 0.01


def test_a_match_that_never_ends():
    nothing = [f"score.{item}=0" for item in ("cards", "spades", "aces", "little", "big", "last")]
    plan = plan_of("svensk", [*nothing, "sweep.points=0"])
    with pytest.raises(KasinoError, match="no match came to an end"):
        match_odds(plan, ledgers(plan, 3, 50))


# ---------------------------------------------------------------- the command


def run(*args):
    return CliRunner().invoke(main, ["odds", *args])


def told(*args):
    result = run("--match", "--deals", "4000", "--quiet", "--format", "json", *args)
    assert result.exit_code == 0, result.stderr
    assert "NaN" not in result.stdout and "Infinity" not in result.stdout
    return json.loads(result.stdout)


def test_json():
    found = told("--players", "careful,greedy", "--threads", "1")
    assert found == told("--players", "careful,greedy", "--threads", "2")
    assert found["rules"] == "svensk" and found["players"] == ["careful", "greedy"]
    assert (found["deals"], found["blocks"], found["seed"]) == (4000, 2000, "1")
    lengths = found["deals_per_match"]["distribution"]
    assert sum(row["share"] for row in lengths) == pytest.approx(1, abs=1e-5)
    mean = sum(row["deals"] * row["share"] for row in lengths)
    assert mean == pytest.approx(found["deals_per_match"]["mean"], abs=1e-4)
    for rows in found["win_share"].values():
        assert sum(row["share"] for row in rows) == pytest.approx(1)
        assert all(row["lo"] < row["share"] < row["hi"] for row in rows)
    assert [row["player"] for row in found["win_share"]["by_player"]] == ["careful", "greedy"]
    assert [row["first_deal"] for row in found["win_share"]["by_seat"]] == ["plays first", "deals"]
    assert 0 < found["comeback"]["share"] < 1
    assert 0 < found["decided_in_last_deal"]["share"] < 1


def test_a_match_of_one_deal():
    found = told("--rules", "norsk")
    length = found["deals_per_match"]
    assert (length["mean"], length["se"], length["lo"]) == (pytest.approx(1), None, None)
    assert [row["deals"] for row in length["distribution"]] == [1]


def test_one_block_has_no_intervals():
    result = run("--match", "--deals", "1", "--quiet", "--format", "json")
    found = json.loads(result.stdout)
    assert found["deals_per_match"]["se"] is None and found["deals_per_match"]["mean"] > 0


@pytest.mark.parametrize(
    "args",
    [
        ("--players", "careful,greedy"),
        ("--rules", "norsk"),
        ("--set", "deal.players=3", "--players", "careful,greedy,greedy"),
        ("--set", "deal.players=4", "--set", "deal.teams=pairs", "--players", "careful,greedy"),
    ],
)
def test_table(args):
    result = run("--match", "--deals", "3000", "--quiet", *args)
    assert result.exit_code == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "deals in a match, on average" in result.stdout
    assert "nan" not in result.stdout and "inf" not in result.stdout


@pytest.mark.parametrize(
    "args, line",
    [
        (("--players", "careful"), "--players: only together with --match"),
        (("--deals", "10"), "--deals: only together with --match"),
        (("--match", "--players", "nobody"), "nobody"),
        (("--match", "--set", "deal.players=3", "--players", "careful,greedy"), "2 given"),
    ],
)
def test_errors(args, line):
    result = run(*args)
    assert result.exit_code == 2 and result.stdout == ""
    assert line in result.stderr and "Traceback" not in result.stderr
