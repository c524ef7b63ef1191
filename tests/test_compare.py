"""Two rule sets on the same decks: what is counted, what is made of it, what the command says."""

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.cli import main
from kasino_sim.contrast import (
    BINS,
    MOST_PARTS,
    RESPONSES,
    Contrast,
    ContrastTally,
    PairedEngine,
    Part,
    block_responses,
    tally_blocks,
)
from kasino_sim.engine.layout import ITEMS
from kasino_sim.errors import KasinoError
from kasino_sim.ledger import Ledger
from kasino_sim.match import DealResult
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.ranges import Deals, deals_from
from kasino_sim.rule_words import change_words, rule_words
from kasino_sim.rules import KEYS, diff
from kasino_sim.simulate import Chunk, Engine, chunk_size, chunks_of, run_chunks, simulate
from kasino_sim.stats import compare as verdicts
from kasino_sim.stats.compare import (
    MATCH_RESPONSES,
    Difference,
    close_enough,
    compare,
    compare_tally,
    covariance,
    differences,
    verdict_of,
)
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.shifts import DISTANCE, MORE, SHIFT

K = len(RESPONSES)
NO_LEDGERS = (Ledger(2, 1), Ledger(2, 1))


def contrast_of(a="svensk", b="svensk", change=(), players=("careful",), deals=200, **more):
    base, adapt = more.pop("base", ()), more.pop("adapt", False)
    named = tuple(load_player(p) for p in players)
    rules = load_ruleset(a, list(base)), load_ruleset(b, [*base, *change])
    seed = more.pop("seed", 1)
    return Contrast(*(Plan(r, named, seed, deals) for r in rules), adapt, **more)


def play(contrast, size=None, threads=1, **more):
    engine = PairedEngine(contrast, **more)
    chunks = chunks_of(contrast.blocks, size or chunk_size(contrast.blocks, contrast.games))
    total = None
    for _, tally in run_chunks(engine.tally, chunks, threads):
        total = tally if total is None else total + tally
    return total


def same(one, other):
    """Whether two tallies hold the same whole numbers."""
    return (
        one.blocks == other.blocks
        and (one.sums == other.sums).all()
        and (one.products == other.products).all()
        and all(a.frame().equals(b.frame()) for a, b in zip(whole(one), whole(other), strict=True))
    )


def whole(tally):
    parts = [part.ledgers for part in tally.parts]
    total = list(parts[0])
    for ledgers in parts[1:]:
        total = [t + more for t, more in zip(total, ledgers, strict=True)]
    return total


def part_of(number):
    return Part(number, 0, np.zeros(0), NO_LEDGERS, np.zeros((BINS, BINS), np.int32))


def row_of(found, name):
    return found.rows[found.rows["response"] == name].iloc[0]


# ---------------------------------------------------------------- what is counted


@pytest.mark.parametrize(
    "rules, base, players",
    [
        ("svensk", (), ("careful", "greedy")),
        ("dansk", ("deal.players=3",), ("careful", "greedy", "random")),
        ("norsk", ("deal.players=4", "deal.teams=pairs"), ("careful", "greedy")),
        ("smygkasino", (), ("careful",)),
    ],
)
def test_responses_are_what_the_sheets_say_one_by_one(rules, base, players):
    """Counted anew in plain loops over games and sides."""
    plan = Plan(load_ruleset(rules, list(base)), tuple(map(load_player, players)), 3, 60)
    sheets = Engine(plan).sheets(0, plan.blocks)
    got = block_responses(plan, sheets)
    aim = -1 if plan.rules.match.winner == "lowest" else 1
    for block in range(plan.blocks):
        want = dict.fromkeys(RESPONSES, 0)
        for sheet in sheets[block]:
            deal = DealResult.of_sheet(sheet, plan.rules)
            by_side = [sum(side) for side in zip(*deal.points, strict=True)]
            want["points"] += sum(by_side)
            want["points_first"] += by_side[0]
            want["points_dealer"] += by_side[-1]
            gaps = [by_side[0] - other for other in by_side[1:]]
            want["first_player_advantage"] += aim * sum(gaps)
            for item, points in zip(ITEMS, deal.points, strict=True):
                want[item] += sum(points)
            for name in ("sweeps", "builds", "captures"):
                want[f"{name}_per_deal"] += sum(map(int, sheet[name]))
            for item in ("cards", "spades"):
                want[f"tied_{item}"] += item in deal.tied
        assert dict(zip(RESPONSES, got[block].tolist(), strict=True)) == want


@pytest.mark.parametrize("adapt", [False, True])
def test_each_half_is_a_simulation_of_its_own(adapt):
    """The same sums as `simulate` has, where the players believe what they believe there."""
    contrast = contrast_of("svensk", "norsk", players=("careful", "greedy"), adapt=adapt)
    tally = play(contrast, 30)
    a, b = simulate(contrast.a), simulate(contrast.b)
    names = {"points_first": "points.0", "points_dealer": "points.1", "builds_per_deal": "builds",
             "sweeps_per_deal": "sweeps", "tied_cards": "tied_cards"}  # fmt: skip
    for name, column in names.items():
        at = RESPONSES.index(name)
        assert tally.sums[at] == a.sums[column]
        assert (tally.sums[K + at] == b.sums[column]) or not adapt
    assert whole(tally)[0].frame().equals(a.ledger.frame())
    # Under norsk's belief that spades are worth 1, not 2, some are played otherwise.
    assert whole(tally)[1].frame().equals(b.ledger.frame()) == adapt


def test_two_and_three_players_share_decks_and_are_both_means_per_deal():
    contrast = contrast_of(change=("deal.players=3",), players=("careful",), deals=400)
    found = compare_tally(contrast, play(contrast)).rows.set_index("response")
    for plan, column in ((contrast.a, "a"), (contrast.b, "b")):
        tally = Engine(plan, contrast.a.rules).tally(Chunk(0, 0, 400))
        sides = range(plan.rules.sides)
        assert found[column]["points"] == pytest.approx(
            sum(tally.sums[f"points.{s}"] for s in sides) / 400
        )
        others = [tally.sums[f"points.{s}"] for s in sides if s]
        lead = tally.sums["points.0"] - sum(others) / len(others)
        assert found[column]["first_player_advantage"] == pytest.approx(lead / 400)


def test_seatings_of_unlike_number_are_scaled():
    """Pairs turn round in two games a deck, four players of two kinds in two, three in three."""
    named = [load_player(p) for p in ("careful", "greedy")]
    two = Plan(load_ruleset("svensk"), tuple(named), 1, 60)
    four = load_ruleset("svensk", ["deal.players=4", "deal.teams=pairs"])
    contrast = Contrast(two, Plan(four, tuple(named), 1, 60))
    three = load_ruleset("svensk", ["deal.players=3"])
    mixed = Contrast(
        Plan(load_ruleset("svensk"), (named[0],), 1, 60), Plan(three, (named[0],), 1, 60)
    )
    assert contrast.scales.tolist() == [2] * K
    assert set(mixed.scales) == {1, 2}
    for this in (contrast, mixed):
        found = compare_tally(this, play(this)).rows.set_index("response")
        assert found["a"]["aces"] == pytest.approx(4) and found["b"]["aces"] == pytest.approx(4)


# ---------------------------------------------------------------- scored anew


SCORING = [
    ("svensk", (), ("sweep.points=2",)),
    ("svensk", (), ("score.last=0", "score.spades=1")),
    ("svensk", (), ("score.little=0", "score.big=0", "match.target=21")),
    ("svensk", ("deal.players=3",), ("sweep.cancel=true", "score.each_spade=1")),
    ("norsk", ("deal.players=4", "deal.teams=pairs"), ("score.ties=carry", "score.cards=3")),
    ("dansk", ("deal.players=4",), ("score.aces=0", "score.last=2")),
    ("dragkasino", (), ("sweep.points=0",)),
    ("smygkasino", (), ("score.each_spade_from=6", "score.each_spade=2")),
]


@pytest.mark.parametrize("rules, base, change", SCORING)
def test_scored_anew_is_played_anew(rules, base, change):
    contrast = contrast_of(rules, rules, change, base=base, deals=150)
    assert contrast.re_scored
    once, twice = play(contrast), play(contrast, re_score=False)
    assert same(once, twice)
    assert not (once.sums[:K] == once.sums[K:]).all() or change == ("score.ties=carry",)


def test_what_changes_play_is_not_scored_anew():
    assert not contrast_of(change=("build.allowed=false",)).re_scored
    assert not contrast_of(change=("match.winner=lowest",)).re_scored
    assert not contrast_of(change=("sweep.points=2",), adapt=True).re_scored
    assert contrast_of(change=("match.target=21",), adapt=True).re_scored
    # The control: who adapts to worthless sweeps does play otherwise.
    adapted = play(contrast_of(change=("sweep.points=0",), adapt=True))
    at = RESPONSES.index("captures_per_deal")
    assert adapted.sums[at] != adapted.sums[K + at]


def test_players_hold_on_to_the_beliefs_of_a():
    contrast = contrast_of(change=("sweep.points=0", "build.allowed=false"))
    a, b = contrast.beliefs
    assert a == b == contrast.a.rules
    assert contrast_of(change=("sweep.points=0",), adapt=True).beliefs[1].sweep.points == 0


# ---------------------------------------------------------------- merging


@pytest.mark.parametrize("change", [("sweep.points=2",), ("build.allowed=false",)])
def test_threads_and_chunks_change_nothing(change):
    contrast = contrast_of(change=change, players=("careful", "greedy"), deals=300)
    first = play(contrast, 150)
    for size, threads in ((7, 2), (50, 2), (1, 1)):
        assert same(play(contrast, size, threads), first)


def test_parts_stay_few_and_whole():
    rng = np.random.default_rng(1)
    both = rng.integers(-5, 20, (3 * MOST_PARTS + 5, 2 * K))
    total = None
    for number, row in enumerate(both):
        tally = tally_blocks(row[None], part_of(number), deals_from(1, number, 1))
        total = tally if total is None else total + tally
    assert len(total.parts) <= MOST_PARTS
    assert {part.blocks for part in total.parts[:-1]} == {2**total.level}
    assert (sum(part.sums for part in total.parts) == both.sum(axis=0)).all()
    assert (total.products == both.T @ both).all()
    # In another order of adding, the same.
    left = tally_blocks(both[:1], part_of(0), Deals())
    rest = [tally_blocks(both[i : i + 1], part_of(i), Deals()) for i in range(1, 40)]
    right = sum(rest[1:], rest[0])
    assert ((left + right).sums == both[:40].sum(axis=0)).all()


def test_whole_numbers_of_any_size():
    both = np.full((4, 2 * K), 2**40)
    both[0] += 1
    tally = tally_blocks(both, part_of(0), Deals())
    assert tally.products[0, 0] == 3 * 2**80 + (2**40 + 1) ** 2
    big = tally + tally
    assert big.products[1, 2] == 2 * tally.products[1, 2]


# ---------------------------------------------------------------- estimates


@pytest.fixture(scope="module")
def dansk_norsk():
    contrast = contrast_of("dansk", "norsk", deals=3_000)
    sheets = [Engine(p, contrast.a.rules).sheets(0, 3_000) for p in (contrast.a, contrast.b)]
    values = [
        block_responses(plan, sheet) / contrast.scales
        for plan, sheet in zip((contrast.a, contrast.b), sheets, strict=True)
    ]
    tally = play(contrast)
    return contrast, tally, compare_tally(contrast, tally), values


def test_intervals_are_the_paired_t_intervals_of_scipy(dansk_norsk):
    contrast, tally, found, (a, b) = dansk_norsk
    for i, name in enumerate(RESPONSES):
        row = row_of(found, name)
        assert row["a"] == pytest.approx(a[:, i].mean())
        assert row["b"] == pytest.approx(b[:, i].mean())
        if row["se"] > 0:
            test = stats.ttest_rel(b[:, i], a[:, i])
            low, high = test.confidence_interval(0.95)
            assert row["lo"] == pytest.approx(low) and row["hi"] == pytest.approx(high)
            assert row["difference"] == pytest.approx((b - a)[:, i].mean())


def test_covariances_are_those_of_the_blocks(dansk_norsk):
    contrast, tally, found, (a, b) = dansk_norsk
    got = covariance(contrast, tally)
    assert np.allclose(got, np.cov((b - a).T) / 3_000, rtol=1e-9, atol=1e-15)


def test_pairing_is_worth_it(dansk_norsk):
    """On decks of its own, B would be less sure: the same decks cut the variance."""
    contrast, tally, found, (a, b) = dansk_norsk
    i = RESPONSES.index("points_first")
    apart = ((a[:, i].var(ddof=1) + b[:, i].var(ddof=1)) / 3_000) ** 0.5
    assert row_of(found, "points_first")["se"] < 0.95 * apart


def test_variance_reductions_are_those_of_the_blocks(dansk_norsk):
    contrast, tally, found, (a, b) = dansk_norsk
    for i, name in enumerate(RESPONSES):
        apart, paired = a[:, i].var() + b[:, i].var(), (b - a)[:, i].var()
        if paired < 1e-12:
            assert name not in found.reduction
        else:
            assert found.reduction[name] == pytest.approx(apart / paired)


def test_shift_is_that_of_the_first_players_points(dansk_norsk):
    contrast, tally, found, (a, b) = dansk_norsk
    i = RESPONSES.index("points_first")
    before, after = a[:, i], b[:, i]
    more, mean, apart = (found.shift[name] for name in (MORE, SHIFT, DISTANCE))
    assert more["value"] == pytest.approx((after > before).mean() + (after == before).mean() / 2)
    assert mean["value"] == pytest.approx((after - before).mean())
    row = row_of(found, "points_first")
    assert (mean["low"], mean["high"]) == pytest.approx((row["lo"], row["hi"]), abs=row["se"] / 2)
    assert apart["value"] == pytest.approx(stats.wasserstein_distance(before, after))
    assert all(row["low"] <= row["value"] <= row["high"] for row in found.shift.values())


def test_no_shift_where_a_deck_is_not_played_as_often():
    two = Plan(load_ruleset("svensk"), (load_player("careful"), load_player("greedy")), 1, 60)
    contrast = Contrast(two, replace(two, rules=load_ruleset("dansk"), rotate=False))
    assert compare_tally(contrast, play(contrast)).shift is None


def test_turned_round_all_signs_turn():
    one = contrast_of("dansk", "norsk", deals=1_500, adapt=True)
    other = contrast_of("norsk", "dansk", deals=1_500, adapt=True)
    there, back = (compare_tally(c, play(c)).rows for c in (one, other))
    assert np.allclose(there["difference"], -back["difference"], equal_nan=True)
    assert np.allclose(there["lo"], -back["hi"], equal_nan=True)
    turn = {verdicts.MORE: verdicts.LESS, verdicts.LESS: verdicts.MORE}
    turn |= {verdicts.SLIGHTLY_MORE: verdicts.SLIGHTLY_LESS}
    turn |= {verdicts.SLIGHTLY_LESS: verdicts.SLIGHTLY_MORE}
    assert [turn.get(v, v) for v in there["verdict"]] == list(back["verdict"])


def test_correlations_over_chunks_join_those_over_blocks():
    """A response that is one of the counted ones, known by its chunks alone: it is the same."""
    contrast = contrast_of("dansk", "norsk", deals=2_000)
    tally = play(contrast, 10)
    found, i = differences(contrast, tally), RESPONSES.index("points_first")
    again = replace(found[i], name="deals_per_match", of=replace(found[i].of, block_se=None))
    assert again.of.se == pytest.approx(found[i].of.se, rel=0.15)
    one = compare(found, covariance(contrast, tally))
    both = compare([*found, again], covariance(contrast, tally))
    assert both.family == one.family + 1
    assert both.reach == pytest.approx(one.reach, rel=0.02)
    # Of other chunks, it is a question more, and unlike the others.
    apart = replace(again, of=replace(again.of, parts=again.of.parts[:-1]))
    assert compare([*found, apart], covariance(contrast, tally)).reach > both.reach


def test_decks_in_common_are_not_counted_twice():
    contrast = contrast_of(deals=100, change=("sweep.points=2",))
    engine = PairedEngine(contrast)
    first, across = engine.tally(Chunk(0, 0, 20)), engine.tally(Chunk(1, 19, 20))
    with pytest.raises(KasinoError, match="deals 19 to 19 of seed 1 are counted already"):
        _ = first + across
    assert (first + engine.tally(Chunk(1, 20, 20))).deals.number == 40


# ---------------------------------------------------------------- verdicts


@pytest.mark.parametrize(
    "difference, se, verdict",
    [
        (0.20, 0.02, "more"),
        (-0.20, 0.02, "less"),
        (0.03, 0.005, "slightly more"),
        (-0.03, 0.005, "slightly less"),
        (0.00, 0.01, "no real change"),
        (0.00, 0.02, "undecided"),
        (0.08, 0.02, "undecided"),
        (5.00, 0.026, "too few deals"),
        (0.00, 0.026, "too few deals"),
    ],
)
def test_verdicts_in_points(difference, se, verdict):
    assert verdict_of(verdicts.POINTS, difference, se, 2.8) == verdict


@pytest.mark.parametrize(
    "difference, verdict", [(0.29, "more"), (-0.29, "less"), (0.27, "undecided")]
)
def test_other_verdicts_by_the_interval_alone(difference, verdict):
    assert verdict_of("builds a deal", difference, 0.1, 2.8) == verdict


def _found(covariance, difference=None, n=100_000):
    """Compare differences of that covariance over n blocks."""
    values = np.zeros(len(covariance)) if difference is None else np.array(difference, float)
    covariance = np.array(covariance, float)
    ofs = [
        Measured(value, np.zeros(2), n, se)
        for value, se in zip(values, np.sqrt(np.diag(covariance)), strict=True)
    ]
    names = zip(RESPONSES, ofs, strict=False)
    return compare([Difference(name, 0.0, of.value, of) for name, of in names], covariance)


def test_verdicts_hold_together():
    """One row: the normal quantile. Alike rows: the same. Unlike rows: Šidák's. More is wider."""
    alone = _found([[1e-4]]).reach
    assert alone == pytest.approx(1.96, abs=0.02)
    alike = _found(np.full((6, 6), 1e-4)).reach
    assert alike == pytest.approx(1.96, abs=0.02)
    apart = _found(np.eye(6) * 1e-4).reach
    assert apart == pytest.approx(stats.norm.ppf(0.5 + 0.95 ** (1 / 6) / 2), abs=0.03)
    between = _found((0.7 + 0.3 * np.eye(6)) * 1e-4).reach
    assert alike < between < apart


def test_under_no_difference_a_verdict_is_rare():
    """400 families of six rows without any difference: about 5 % have a verdict of change."""
    rng = np.random.default_rng(5)
    covariance = (0.5 + 0.5 * np.eye(6)) * 1e-4
    reach = _found(covariance).reach
    noise = rng.multivariate_normal(np.zeros(6), covariance, 4_000)
    wrong = [
        any(verdict_of("builds a deal", d, 0.01, reach) != verdicts.UNDECIDED for d in row)
        for row in noise
    ]
    assert 0.04 < np.mean(wrong) < 0.06


def test_rows_without_variance():
    found = _found(np.zeros((3, 3)), [0, 1, -2], 5_000).rows
    assert list(found["verdict"]) == [verdicts.SAME, "more", "less"]
    assert list(found["se"]) == [0, 0, 0]
    assert list(found["lo"]) == [0, 1, -2]
    few = _found(np.zeros((3, 3)), [0, 1, -2], n=50).rows
    assert set(few["verdict"]) == {verdicts.UNDETERMINED} and few["se"].isna().all()


def test_irrelevant_change_is_the_same_everywhere():
    """The negative control: a rule that touches no deal."""
    found = compare_tally(*[c := contrast_of(change=("match.target=30",), deals=1_200), play(c)])
    deals = found.rows[found.rows["response"].isin(RESPONSES)]
    assert set(deals["verdict"]) == {verdicts.SAME}
    assert (deals["difference"] == 0).all()


def test_stops_on_the_widest_difference_in_points():
    contrast = contrast_of(change=("build.allowed=false",), deals=2_000)
    tally = play(contrast)
    widest = differences(contrast, tally)[RESPONSES.index("first_player_advantage")].of.se
    assert close_enough(contrast, tally, widest * 1.001)
    assert not close_enough(contrast, tally, widest * 0.999)
    few = play(contrast_of(change=("build.allowed=false",), deals=900))
    assert not close_enough(contrast, few, 100)


# ---------------------------------------------------------------- words


def test_every_rule_has_words():
    """Every key that differs between any two rule sets, both ways, and every flat value."""
    known = [load_ruleset(name) for name in ruleset_names()]
    for rules in known:
        for key, value in rules.flat().items():
            assert rule_words(key, value)
    for a in known:
        for b in known:
            for change in diff(a, b):
                words = change_words(*change)
                assert words and "[" not in words and "_" not in words
    assert set(known[0].flat()) == set(KEYS)


def test_change_in_words():
    assert change_words("sweep.points", 1, 2) == "sweeps worth 2 (not 1)"
    assert change_words("build.allowed", True, False) == "no builds"
    assert change_words("values.ace_hand", [1, 14], [14]) == (
        "an ace from the hand is 14 (not 1 or 14)"
    )
    assert change_words("match.deals", 3, 1) == "a match of 1 deal (not 3)"


# ---------------------------------------------------------------- the command


def run(*args):
    return CliRunner().invoke(main, ["compare", *args])


def ok(*args):
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def bad(*args):
    """Run a command that fails: one line for each mistake, and nothing on stdout."""
    result = run(*args)
    assert result.exit_code == 2 and result.stdout == "", result.output
    lines = result.stderr.splitlines()
    assert all(line.startswith("error: ") for line in lines)
    return [line.removeprefix("error: ") for line in lines]


ROW = ["response", "unit", "a", "b", "difference", "se", "lo", "hi", "verdict"]


def test_json():
    text = ok("svensk", "--set", "sweep.points=2", "--deals", "4000", "--format", "json")
    assert "NaN" not in text and "Infinity" not in text
    found = json.loads(text)
    assert (found["a"], found["b"]) == ("svensk", "svensk+sweep.points=2")
    assert found["blocks"] == 4000 and found["seed"] == "1" and found["players"] == ["careful"]
    assert found["play"] == "mechanical" and found["family"]["correction"] == "max-T"
    assert found["changed"] == [{"key": "sweep.points", "a": 1, "b": 2}]
    assert all(list(row) == ROW for row in found["rows"])
    names = [row["response"] for row in found["rows"]]
    assert names == [*RESPONSES, *MATCH_RESPONSES]
    points = found["rows"][0]
    assert points["lo"] < points["difference"] < points["hi"]
    sweeps = found["rows"][names.index("sweeps_per_deal")]
    assert points["difference"] == pytest.approx(sweeps["a"])
    assert points["verdict"] == "more" and sweeps["verdict"] == "the same"


def test_same_result_whatever_the_threads():
    args = ["dansk", "norsk", "--deals", "1500", "--format", "json"]
    assert ok(*args, "--threads", "1") == ok(*args, "--threads", "3")
    assert ok(*args) != ok(*args, "--seed", "2")


def test_csv():
    rows = list(
        csv.DictReader(io.StringIO(ok("dansk", "norsk", "--deals", "900", "--format", "csv")))
    )
    assert list(rows[0]) == ROW
    assert "nan" not in str(rows).lower()


@pytest.mark.parametrize(
    "args",
    [
        ("svensk", "--set", "sweep.points=2"),
        ("dansk", "norsk"),
        ("svensk", "smygkasino", "--players", "greedy"),
        ("svensk", "--set", "deal.players=3"),
        ("svensk", "--set", "deal.players=4", "--set", "deal.teams=pairs", "--adapt"),
        ("svensk", "--set-a", "sweep.points=0", "--set", "sweep.points=2"),
        ("royal", "finsk", "--players", "careful,greedy"),
    ],
)
@pytest.mark.parametrize("deals", ["1", "2", "1500"])
def test_text_is_80_wide_and_without_nan(args, deals):
    text = ok(*args, "--deals", deals)
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"\b(nan|inf|None)\b", text, re.IGNORECASE)
    record = json.loads(ok(*args, "--deals", deals, "--format", "json"))
    assert all(row["verdict"] for row in record["rows"])
    assert ("undetermined" in text) or deals != "1"


def test_words_come_first():
    text = ok("svensk", "--set", "sweep.points=2", "--deals", "20000")
    assert text.startswith("svensk, but sweeps worth 2 (not 1)\n\n* A deal gives 1.6")
    assert "points more (1.6" in text
    assert "played once" in " ".join(text.split())
    for told in (text, ok("dansk", "norsk", "--deals", "20000")):
        sentences = [line for line in told.splitlines() if line.startswith("* ")]
        assert 2 <= len(sentences) <= 5


def test_adapt_is_another_play():
    args = ["svensk", "--set", "sweep.points=0", "--deals", "1200", "--format", "json"]
    mechanical, adapted = json.loads(ok(*args)), json.loads(ok(*args, "--adapt"))
    assert mechanical["re_scored"] and not adapted["re_scored"]
    assert adapted["play"] == "adapted"
    by_name = {row["response"]: row for row in adapted["rows"]}
    # Worth nothing, they are not guarded against any more.
    assert by_name["sweeps_per_deal"]["difference"] > 0.3


def test_until_se():
    args = ["svensk", "--set", "build.allowed=false", "--format", "json", "--until-se"]
    found = json.loads(ok(*args, "0.1"))
    points = [row for row in found["rows"] if row["unit"] == "points a deal"]
    assert max(row["se"] for row in points) <= 0.1
    assert found["stopped_by"] == "standard error" and 1_000 <= found["blocks"] <= 10_000
    stopped = run(*args, "0.001", "--deals", "3000")
    assert json.loads(stopped.stdout)["stopped_by"] == "deals"
    assert "stopped at 3000 blocks" in stopped.stderr
    assert "small enough" in ok("svensk", "--set", "build.allowed=false", "--until-se", "0.2")


@pytest.mark.parametrize("kind, begins", [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_picture(tmp_path, kind, begins):
    path = tmp_path / f"forest.{kind}"
    args = ["dansk", "norsk", "--deals", "1200", "--plot", str(path)]
    ok(*args)
    first = path.read_bytes()
    assert first.startswith(begins)
    ok(*args)
    assert path.read_bytes() == first
    assert list(tmp_path.iterdir()) == [path]
    if kind == "svg":
        text = first.decode()
        assert "worth of playing first" in text and "change, points a deal" in text


def test_picture_of_nothing_that_varies(tmp_path):
    path = tmp_path / "one.png"
    ok("svensk", "--set", "build.allowed=false", "--deals", "1", "--plot", str(path))
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    "args, words",
    [
        (("svensk",), "name a second rule set"),
        (("svensk", "svensk"), "have the same rules"),
        (("svensk", "--set", "sweep.points=1"), "changes nothing"),
        (("svensk", "--set-a", "sweep.points=2"), "--set-a changes both"),
        (("svensk", "--set", "sweep.point=2"), "sweep.point is not known"),
        (("svensk", "--set", "sweeps=2"), "--set sweeps=2"),
        (("svensk", "--set-a", "sweep.pts=2"), "--set-a: sweep.pts is not known"),
        (("svensk", "dnask"), "did you mean 'dansk'"),
        (("svensk", "dansk", "--players", "nobody"), "there is no player 'nobody'"),
        (("svensk", "--set", "deal.players=3", "--players", "careful,greedy"), "3 play under"),
        (("svensk", "dansk", "--plot", "x.pdf"), "--plot x.pdf: draws .png and .svg"),
        (("svensk", "dansk", "--plot", "no/such/x.png"), "there is no folder no/such"),
        (("svensk", "dansk", "--deals", "0"), "--deals"),
        (("svensk", "dansk", "--until-se", "0"), "--until-se"),
        (("svensk", "--set", "deal.teams=pairs"), "needs deal.players = 4"),
        ((), "RULES_A"),
    ],
)
def test_mistakes_are_one_line(args, words):
    lines = bad(*args)
    assert len(lines) == 1
    assert words in lines[0]


def test_mistakes_in_both_are_told_together():
    lines = bad("svensk", "--set-a", "sweep.pts=2", "--set", "score.big=x")
    assert len(lines) == 2


def test_contrast_refuses():
    with pytest.raises(KasinoError, match="same rules"):
        contrast_of()
    a = contrast_of(change=("sweep.points=2",)).a
    b = Plan(load_ruleset("dansk"), a.players, 2, 200)
    with pytest.raises(KasinoError, match="same seed"):
        Contrast(a, b)


def test_tally_is_a_record():
    assert ContrastTally.__dataclass_params__.frozen
