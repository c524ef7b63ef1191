"""Matches of two rule sets, reckoned from the ledgers of the same deals; their intervals."""

import numpy as np
import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.contrast import Contrast, PairedEngine
from kasino_sim.ledger import merge_ledgers
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import Chunk, chunks_of
from kasino_sim.stats.compare import MATCH_RESPONSES, MORE, compare_tally, match_differences
from kasino_sim.stats.match_figures import Asked
from kasino_sim.stats.match_odds import match_odds


def plan_of(rules="svensk", overrides=(), players=("careful",), deals=200, seed=1):
    named = tuple(load_player(p) for p in players)
    return Plan(load_ruleset(rules, list(overrides)), named, seed, deals)


@pytest.mark.parametrize("overrides", [(), ("deal.players=3",), ("match.end=count-out",)])
def test_as_match_odds_have_it(overrides):
    """The same figures as `kasino odds --match` tells, and their errors."""
    contrast = Contrast(
        plan_of("svensk", overrides), plan_of("svensk", (*overrides, "sweep.points=2"))
    )
    tally = sum_of(contrast, 20)
    length, edge = match_differences(contrast, tally)
    for which, plan in enumerate((contrast.a, contrast.b)):
        odds = match_odds(plan, [part.ledgers[which] for part in tally.parts])
        assert (length.a, length.b)[which] == pytest.approx(odds.deals_per_match["value"], abs=1e-9)
        assert (edge.a, edge.b)[which] == pytest.approx(odds.first_dealer_edge["value"], abs=1e-9)


def lengths(plan, ledgers):
    return match_odds(plan, [merge_ledgers(ledgers)], Asked(drama=False))


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
        one, other = (
            lengths(plan, [total.parts[i].ledgers[k] for i in picked])
            for k, plan in enumerate((a, b))
        )
        places = [one.names.index(name) for name in ("deals", "seat.1")]
        drawn.append((other.values - one.values)[places])
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
    for found in match_differences(contrast, tally):
        assert np.isfinite(found.a) and np.isnan(found.b) and found.of.se is None
    rows = compare_tally(contrast, tally).rows.set_index("response")
    assert rows.loc["deals_per_match", "verdict"] == "undetermined"
    assert rows.loc["deals_per_match", ["b", "difference", "se", "lo", "hi"]].isna().all()
    assert rows.loc["deals_per_match", "a"] > 2


def test_one_deal_is_one_deal():
    contrast = Contrast(plan_of("norsk", deals=1_200), plan_of("dansk", deals=1_200))
    rows = compare_tally(contrast, sum_of(contrast)).rows.set_index("response")
    assert rows.loc["deals_per_match", "a"] == pytest.approx(1)
    assert rows.loc["deals_per_match", "b"] > 2


@pytest.mark.parametrize("change", ["score.ties=carry", "match.tie_break=spades"])
def test_matches_of_three_that_cannot_be_reckoned_are_played(change):
    """The figures are there, with an interval; the same rules on both sides differ by chance."""
    three = ("deal.players=3",)
    contrast = Contrast(
        plan_of("svensk", three, ("greedy",), 4_000),
        plan_of("svensk", (*three, change), ("greedy",), 4_000),
    )
    tally = sum_of(contrast)
    for found in match_differences(contrast, tally):
        assert np.isfinite([found.a, found.b]).all()
        assert 0 < found.of.se < 0.03 and len(found.of.parts) == 40
    rows = compare_tally(contrast, tally).rows.set_index("response")
    row = rows.loc["deals_per_match"]
    assert row["verdict"] != "undetermined" and row["lo"] < row["difference"] < row["hi"]
    # What ends ties or gives the points of a tie later makes matches shorter, if anything.
    assert row["difference"] < 2 * row["se"]
