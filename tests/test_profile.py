"""The statistics of a profile against the same numbers taken straight from the score sheets."""

from collections import Counter
from math import comb

import numpy as np
import pandas as pd
import pytest

from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.engine.layout import ITEMS
from kasino_sim.match import DealResult, MatchPad
from kasino_sim.players import load_player
from kasino_sim.simulate import Engine
from kasino_sim.stats.extremes import at_the_end, clear_signs
from kasino_sim.stats.intervals import mean_row, rate_row
from kasino_sim.stats.matches import MatchCounter, length_quantile
from kasino_sim.stats.seats import seat_names
from kasino_sim.studies.profile import Profile, plan_profile, play_profile

DEALS = 400
CASES = {
    "svensk": (load_ruleset("svensk"), ("careful",)),
    "finsk": (load_ruleset("finsk"), ("greedy",)),
    "smygkasino": (load_ruleset("smygkasino"), ("careful", "random")),
    "three": (load_ruleset("svensk").changed(deal={"players": 3}), ("greedy",)),
    "pairs": (
        load_ruleset("svensk").changed(deal={"players": 4, "teams": "pairs"}),
        ("greedy", "random"),
    ),
    "carry": (
        load_ruleset("dansk").changed(score={"ties": "carry"}, match={"tie_break": "spades"}),
        ("random",),
    ),
}


@pytest.fixture(scope="module", params=CASES)
def played(request):
    rules, names = CASES[request.param]
    plan = plan_profile(rules, [load_player(name) for name in names], 7, DEALS)
    return plan, Engine(plan).sheets(0, plan.blocks), Profile(play_profile(plan, 1))


def points_of(plan, sheets):
    """Points by block, game, side and item."""
    return sheets["points"][:, :, : plan.rules.sides].astype(float)


def mean_and_se(blocks):
    return blocks.mean(), blocks.std(ddof=1) / np.sqrt(len(blocks))


def test_points(played):
    plan, sheets, profile = played
    points = points_of(plan, sheets).sum(axis=3)
    for side, seat in enumerate(seat_names(plan.rules)):
        row = profile.seats[profile.seats["seat"] == seat].iloc[0]
        mean, se = mean_and_se(points[:, :, side].mean(axis=1))
        assert row["value"] == pytest.approx(mean)
        assert row["se"] == pytest.approx(se)
        bins = profile.points[profile.points["seat"] == seat]
        assert Counter(points[:, :, side].ravel()) == Counter(
            dict(zip(bins["points"], bins["deals"], strict=True))
        )
        assert bins["share"].sum() == pytest.approx(1)


def test_first_advantage(played):
    plan, sheets, profile = played
    points = points_of(plan, sheets).sum(axis=(1, 3)) / plan.games
    sign = -1 if plan.rules.match.winner == "lowest" else 1
    mean, se = mean_and_se(sign * (points[:, 0] - points[:, 1:].mean(axis=1)))
    row = profile.measure("first_advantage")
    assert row["value"] == pytest.approx(mean)
    assert row["se"] == pytest.approx(se)
    assert row["low"] < row["value"] < row["high"]


def test_sweeps(played):
    plan, sheets, profile = played
    sweeps = sheets["sweeps"][:, :, : plan.rules.n_players].sum(axis=2, dtype=int)
    assert profile.measure("sweeps")["value"] == pytest.approx(sweeps.mean())
    row = profile.measure("swept")
    assert row["value"] == pytest.approx((sweeps > 0).mean())
    assert row["se"] == pytest.approx(mean_and_se((sweeps > 0).mean(axis=1))[1], rel=0.01)
    assert (profile.sweeps["low"].isna() == (plan.games > 1)).all()


def test_items(played):
    plan, sheets, profile = played
    points = points_of(plan, sheets).sum(axis=1)
    for row in profile.items.to_dict("records"):
        side = seat_names(plan.rules).index(row["seat"])
        own = points[:, side, ITEMS.index(row["item"])]
        assert row["per_deal"] == pytest.approx(own.mean() / plan.games)
        if row["item"] != "sweeps":
            offer = row["weight"] * (4 if row["item"] == "aces" else 1) * plan.games
            assert row["value"] == pytest.approx(own.mean() / offer)
            assert row["se"] == pytest.approx(mean_and_se(own)[1] / offer, rel=0.01)
            continue
        total = points[:, :, ITEMS.index("sweeps")].sum(axis=1)
        share = own.sum() / total.sum()
        assert row["value"] == pytest.approx(share)
        if not np.isnan(row["se"]):
            residual = own - share * total
            n = len(own)
            assert row["se"] == pytest.approx(
                residual.std(ddof=1) / np.sqrt(n) / total.mean(), rel=0.01
            )


def test_item_leads(played):
    plan, sheets, profile = played
    if plan.rules.sides != 2:
        assert profile.item_leads.empty
        return
    points = points_of(plan, sheets).mean(axis=1)
    for row in profile.item_leads.to_dict("records"):
        at = ITEMS.index(row["item"])
        mean, se = mean_and_se(points[:, 0, at] - points[:, 1, at])
        assert row["value"] == pytest.approx(mean, abs=1e-12)
        assert np.isnan(row["se"]) or row["se"] == pytest.approx(se)
        if plan.games == 1 and se > 0:
            assert not np.isnan(row["se"])
    difference = points.sum(axis=2)
    assert profile.item_leads["value"].sum() == pytest.approx(
        (difference[:, 0] - difference[:, 1]).mean()
    )


def test_plays(played):
    plan, sheets, profile = played
    assert profile.plays["value"].sum() == pytest.approx(1)
    trails = sheets["trails"][:, :, : plan.rules.n_players].sum(axis=(1, 2), dtype=int)
    row = profile.plays.set_index("kind").loc["trails"]
    cards = 48 * plan.games
    assert row["value"] == pytest.approx(trails.mean() / cards)
    assert row["se"] == pytest.approx(mean_and_se(trails / cards)[1])


def matches_by_hand(plan, sheets):
    """Play matches out of the sheets, looking up for every deal who sits where."""
    rules, lengths, wins = plan.rules, [], []
    n, number, deal = rules.n_players, 0, 0
    pad = MatchPad(rules)
    for block in range(len(sheets)):
        first = (number + deal) % n  # the player who plays first
        seat_of = [(player - first) % n for player in range(n)]
        game = next(
            g
            for g in range(plan.games)
            if plan.games == 1
            or all(plan.seats[plan.seatings[g][seat_of[p]]] == plan.seats[p] for p in range(n))
        )
        sheet = sheets[block, game]
        result = DealResult.of_sheet(sheet, rules)
        turn = [seat_of[side] % rules.sides for side in range(rules.sides)]
        points = tuple(tuple(item[side] for side in turn) for item in result.points)
        spades = tuple(result.spades[side] for side in turn)
        pad.add(DealResult(points, result.tied, {}, spades))
        deal += 1
        if pad.over:
            lengths.append(deal)
            wins.append([(side in pad.winners) / len(pad.winners) for side in range(rules.sides)])
            pad, number, deal = MatchPad(rules), number + 1, 0
    return lengths, np.array(wins)


def test_matches(played):
    plan, sheets, profile = played
    lengths, wins = matches_by_hand(plan, sheets)
    matches = profile.run.matches
    assert matches.matches == len(lengths)
    assert matches.deals == sum(lengths) <= plan.blocks
    assert Counter(lengths) == {n: c for n, c in enumerate(matches.lengths.tolist()) if c}
    sides = plan.rules.sides
    opener = np.mean([won[number % sides] for number, won in enumerate(wins)])
    row = profile.measure("opener_wins")
    assert row["value"] == pytest.approx(opener)
    assert length_quantile(matches, 0.9) == np.sort(lengths)[int(np.ceil(0.9 * len(lengths))) - 1]
    if not plan.alike:
        assert profile.measure("match_wins")["value"] == pytest.approx(wins[:, 0].mean())


def test_matches_stop_when_there_are_enough():
    plan = plan_profile(load_ruleset("dansk"), [load_player("random")], 1, 500)
    sheets = Engine(plan).sheets(0, 500)
    counter = MatchCounter(plan, 10)
    counter.add(sheets[:37])
    counter.add(sheets[37:])
    assert counter.done and counter.tally().matches == 10
    whole = MatchCounter(plan, 10)
    whole.add(sheets)
    assert (whole.tally().lengths == counter.tally().lengths).all()


def test_threads_change_nothing():
    plan = plan_profile(load_ruleset("norsk"), [load_player("greedy")], 3, 20_000)
    one, two = (Profile(play_profile(plan, threads)) for threads in (1, 2))
    pd.testing.assert_frame_equal(one.measures, two.measures)


@pytest.mark.parametrize("name", ruleset_names())
def test_points_that_must_be_dealt_out(name):
    """What the seats have together is what there is to give, less tied items, plus sweeps."""
    run = play_profile(plan_profile(load_ruleset(name), [load_player("greedy")], 1, 200), 1)
    items = Profile(run).items
    assert items["per_deal"].sum() == pytest.approx(Profile(run).seats["value"].sum())
    for item, rows in items.groupby("item"):
        if item in ("big", "little", "aces", "last"):
            assert rows["value"].sum() == pytest.approx(1)
        elif item == "cards":
            tied = Profile(run).measure("tied_cards")["value"]
            assert rows["value"].sum() == pytest.approx(1 - tied)


# ---------------------------------------------------------------- intervals and ends


def test_rates():
    assert rate_row(0, 0)["value"] != rate_row(0, 0)["value"]
    none = rate_row(0, 100)
    assert none["value"] == none["low"] == 0
    assert (1 - none["high"]) ** 100 == pytest.approx(0.025)
    few = rate_row(3, 100)
    tail = sum(comb(100, k) * few["high"] ** k * (1 - few["high"]) ** (100 - k) for k in range(4))
    assert tail == pytest.approx(0.025)
    many = rate_row(400, 1000)
    assert many["low"] == pytest.approx(0.37007, abs=1e-4)
    assert many["high"] == pytest.approx(0.43070, abs=1e-4)


def test_means_without_variance_are_undetermined():
    run = play_profile(plan_profile(load_ruleset("norsk"), [load_player("greedy")], 1, 50), 1)
    row = Profile(run).measure("match_length")
    assert row["value"] == 1 and np.isnan([row["se"], row["low"], row["high"]]).all()


def test_sign_turns_an_interval_round():
    from kasino_sim.stats.estimates import Estimate

    row, turned = mean_row(Estimate(2.0, 0.5, 50)), mean_row(Estimate(2.0, 0.5, 50), -1)
    assert turned["low"] == -row["high"] and turned["high"] == -row["low"]


def measured(*pairs):
    values, errors = zip(*pairs, strict=True)
    frame = pd.DataFrame({"rules": list("abcd")[: len(pairs)], "value": values, "se": errors})
    half = 1.96 * frame["se"]
    return frame.assign(low=frame["value"] - half, high=frame["value"] + half)


def test_who_is_at_the_end():
    frame = measured((1.0, 0.1), (2.0, 0.1), (2.2, 0.1), (9.0, float("nan")))
    assert list(at_the_end(frame)["rules"]) == ["c", "b"]
    assert list(at_the_end(frame, highest=False)["rules"]) == ["a"]
    # Three pairs: the difference must reach 2.39 standard errors, not 1.96.
    close = measured((0.0, 0.1), (0.31, 0.1), (0.0, 0.1))
    assert list(at_the_end(close)["rules"]) == ["b", "a", "c"]
    assert list(at_the_end(measured((0.0, 0.1), (0.31, 0.1)))["rules"]) == ["b"]
    assert at_the_end(measured((1.0, float("nan")))).empty


def test_few_blocks_claim_less():
    """With six blocks the interval is a third wider than the normal one."""
    frame = measured((0.22, 0.1))
    assert list(clear_signs(frame)) == [1]
    half = 2.57 * frame["se"]
    few = frame.assign(low=frame["value"] - half, high=frame["value"] + half)
    assert list(clear_signs(few)) == [0]


def test_signs_hold_together():
    frame = measured((0.21, 0.1), (-0.21, 0.1), (0.4, 0.1), (1.0, float("nan")))
    assert list(clear_signs(frame)) == [0, 0, 1, 0]
    assert list(clear_signs(frame.head(1))) == [1]
