"""Matches reckoned from ledgers: against a naive pad, against played ones, and their intervals."""

from collections import defaultdict

import numpy as np
import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.contrast import Contrast, PairedEngine
from kasino_sim.engine.layout import ITEMS
from kasino_sim.ledger import ledger_of, merge_ledgers
from kasino_sim.match import CARRIED, DealResult, MatchPad, MatchState
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import Chunk, Engine, chunks_of
from kasino_sim.stats import match_odds
from kasino_sim.stats.compare import MORE
from kasino_sim.stats.compare_matches import (
    MATCH_RESPONSES,
    compare_tally,
    match_influences,
    match_responses,
)
from kasino_sim.stats.matches import MatchCounter, mean_length, win_share


def plan_of(rules="svensk", overrides=(), players=("careful",), deals=200, seed=1):
    named = tuple(load_player(p) for p in players)
    return Plan(load_ruleset(rules, list(overrides)), named, seed, deals)


def naive(plan, sheets):
    """Follow a pad through every order of a few deals, each as likely; deals and first dealer.

    Returns the mean number of deals and the share of the side that deals first, both averaged over
    who opens.
    """
    sides, games = plan.rules.sides, plan.games
    by_game = [[DealResult.of_sheet(row[g], plan.rules) for row in sheets] for g in range(games)]
    lengths, shares = [], []
    for opener in range(games):
        standing = {(0,) * (sides + 2): 1.0}
        length = share = 0.0
        number = 0
        while sum(standing.values()) > 1e-11:
            after = defaultdict(float)
            for state, mass in standing.items():
                for deal in by_game[-(number + opener) % games]:
                    pad = MatchPad(plan.rules)
                    carried = dict(zip(CARRIED, state[sides:], strict=True))
                    pad.state = MatchState(state[:sides], (), number, carried)
                    pad.add(turned(deal, number, sides))
                    chance = mass / len(sheets)
                    if pad.over:
                        length += chance * (number + 1)
                        share += chance * ((sides - 1) in pad.winners) / len(pad.winners)
                    else:
                        left = tuple(pad.carried[item] for item in CARRIED)
                        after[(*pad.totals, *left)] += chance
            standing = after
            number += 1
        lengths.append(length)
        shares.append(share)
    return np.mean(lengths), np.mean(shares) - 1 / sides


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
    ("smygkasino", ("match.goal=points", "match.target=12"), ("careful",)),
    ("svensk", ("deal.players=3", "match.target=7"), ("careful", "greedy", "random")),
    ("svensk", ("deal.players=3", "match.target=7", "score.ties=carry"), ("careful",)),
    ("svensk", ("deal.players=4", "match.target=6"), ("careful",)),
    ("dansk", ("deal.players=4", "deal.teams=pairs", "match.target=15"), ("careful", "greedy")),
]


@pytest.mark.parametrize("rules, overrides, players", CASES)
def test_as_a_pad_has_it(rules, overrides, players):
    """Every order of seven deals, deal by deal on the pad that families use."""
    plan = plan_of(rules, overrides, players)
    sheets = Engine(plan).sheets(40, 7)
    found = match_responses(plan, ledger_of(plan, sheets))
    assert found.values == pytest.approx(naive(plan, sheets), abs=1e-8)


@pytest.mark.parametrize(
    "overrides", [(), ("deal.players=3",), ("match.goal=deals", "match.deals=3")]
)
def test_the_grid_and_the_list_of_states_agree(overrides, monkeypatch):
    plan = plan_of("svensk", overrides, deals=400)
    ledger = ledger_of(plan, Engine(plan).sheets(0, 400))
    grid = match_responses(plan, ledger)
    monkeypatch.setattr(match_odds, "grid_of", lambda *_: None)
    states = match_responses(plan, ledger)
    assert grid.values == pytest.approx(states.values, abs=1e-6)
    weights = ledger.counts[..., None] / ledger.blocks
    centred = [f.influence - (weights * f.influence).sum(axis=0) for f in (grid, states)]
    assert np.allclose(*centred, atol=1e-5)


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
    engine = Engine(plan)
    some, rest = (ledger_of(plan, engine.sheets(first, 60)) for first in (0, 60))
    whole = some + rest
    found = match_responses(plan, whole)
    own = match_odds.mean_influence(whole, found, some)
    all_of_it = match_odds.mean_influence(whole, found, whole)
    few = merge_ledgers([whole] * 500 + [some])
    moved = match_responses(plan, few).values - found.values
    step = some.blocks / few.blocks
    assert moved / step == pytest.approx(own - all_of_it, rel=0.02, abs=2e-4)


@pytest.mark.parametrize(
    "rules, overrides, players",
    [
        ("svensk", (), ("careful", "greedy")),
        ("royal", ("match.end=count-out",), ("careful",)),
        ("dansk", ("deal.players=3",), ("careful",)),
        ("smygkasino", (), ("careful",)),
    ],
)
def test_as_matches_that_are_played(rules, overrides, players):
    """Within four standard errors of matches played deal by deal on other decks."""
    plan = plan_of(rules, overrides, players)
    engine = Engine(plan)
    counter = MatchCounter(plan, 2_500)
    for first in range(100_000, 10**9, 2_000):
        counter.add(engine.sheets(first, 2_000))
        if counter.done:
            break
    played = counter.tally()
    ledger = ledger_of(plan, engine.sheets(0, 12_000))
    length, _ = match_responses(plan, ledger).values
    of_played = mean_length(played)
    if rules != "smygkasino":
        assert abs(length - of_played["value"]) < 4 * of_played["se"] + 0.01
    assert length == pytest.approx(of_played["value"], abs=0.15)
    if plan.rules.sides == 2:  # who does not open deals first
        opener = win_share(played, "opener")
        edge = match_responses(plan, ledger).values[1]
        assert abs(0.5 - edge - opener["value"]) < 4 * opener["se"] + 0.005


def test_intervals_are_those_of_a_bootstrap_of_parts():
    """Standard errors of the differences, and their correlation, from parts drawn anew."""
    a, b = (plan_of("svensk", change, deals=6_000) for change in ((), ("sweep.points=2",)))
    contrast = Contrast(a, b)
    engine = PairedEngine(contrast)
    total = None
    for chunk in chunks_of(6_000, 60):
        tally = engine.tally(chunk)
        total = tally if total is None else total + tally
    rows = compare_tally(contrast, total).rows.set_index("response").loc[list(MATCH_RESPONSES)]
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(150):
        picked = rng.integers(0, 100, 100)
        values = [
            match_responses(plan, merge_ledgers([total.parts[i].ledgers[k] for i in picked])).values
            for k, plan in enumerate((a, b))
        ]
        drawn.append(values[1] - values[0])
    spread = np.std(drawn, axis=0, ddof=1)
    assert rows["se"].to_numpy() == pytest.approx(spread, rel=0.25)
    assert rows["difference"].to_numpy() == pytest.approx(
        np.mean(drawn, axis=0), abs=4 * max(spread)
    )


def test_a_longer_match_is_longer():
    contrast = Contrast(plan_of(deals=2_000), plan_of("svensk", ("match.target=30",), deals=2_000))
    tally = sum_of(contrast)
    rows = compare_tally(contrast, tally).rows.set_index("response")
    assert rows.loc["deals_per_match", "verdict"] == MORE
    assert rows.loc["points", "verdict"] == "the same"


def sum_of(contrast, size=100):
    engine, total = PairedEngine(contrast), None
    for chunk in chunks_of(contrast.blocks, size):
        tally = engine.tally(chunk)
        total = tally if total is None else total + tally
    return total


def test_a_match_that_may_never_end_is_undetermined():
    nothing = [f"score.{item}=0" for item in ("cards", "spades", "aces", "little", "big", "last")]
    contrast = Contrast(plan_of(), plan_of("svensk", (*nothing, "sweep.points=0")))
    tally = PairedEngine(contrast).tally(Chunk(0, 0, 200))
    found = match_influences(contrast, tally)
    assert np.isfinite(found.a).all() and np.isnan(found.b).all()
    rows = compare_tally(contrast, tally).rows.set_index("response")
    assert rows.loc["deals_per_match", "verdict"] == "undetermined"
    assert rows.loc["deals_per_match", ["b", "difference", "se", "lo", "hi"]].isna().all()
    assert rows.loc["deals_per_match", "a"] > 2


def test_one_deal_is_one_deal():
    contrast = Contrast(plan_of("norsk", deals=1_200), plan_of("dansk", deals=1_200))
    rows = compare_tally(contrast, sum_of(contrast)).rows.set_index("response")
    assert rows.loc["deals_per_match", "a"] == pytest.approx(1)
    assert rows.loc["deals_per_match", "b"] > 2
