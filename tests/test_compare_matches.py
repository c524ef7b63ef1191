"""Matches of two rule sets, reckoned from the ledgers of the same deals; their intervals."""

import numpy as np
import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.contrast import Contrast, PairedEngine
from kasino_sim.ledger import merge_ledgers
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import Chunk, Engine, chunks_of
from kasino_sim.stats.compare import MORE
from kasino_sim.stats.compare_matches import (
    MATCH_RESPONSES,
    compare_tally,
    match_influences,
    match_responses,
)
from kasino_sim.stats.match_odds import match_odds
from kasino_sim.tally import ledger_of


def plan_of(rules="svensk", overrides=(), players=("careful",), deals=200, seed=1):
    named = tuple(load_player(p) for p in players)
    return Plan(load_ruleset(rules, list(overrides)), named, seed, deals)


@pytest.mark.parametrize("overrides", [(), ("deal.players=3",), ("match.end=count-out",)])
def test_as_match_odds_have_it(overrides):
    plan = plan_of("svensk", overrides, ("careful",))
    ledger = ledger_of(plan, Engine(plan).sheets(0, 300))
    odds = match_odds(plan, [ledger])
    expected = [odds.deals_per_match["value"], odds.first_dealer_edge["value"]]
    assert match_responses(plan, ledger).values == pytest.approx(expected, abs=1e-9)


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
