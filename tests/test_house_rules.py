"""House rules: designs, effects on known answers, what is skipped, what is compared with what."""

import itertools
import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from kasino_sim.cli import main
from kasino_sim.designs import defining_words, resolution_v
from kasino_sim.engine.layout import FEATURES
from kasino_sim.errors import KasinoError
from kasino_sim.players import load_player
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.factorial import aliases, effect_list, fit, half_normal, model_matrix
from kasino_sim.stats.families import Question, answer, correlations
from kasino_sim.stats.measured import Measured, weighed
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.stats.restarts import over_restarts, pooled_spread
from kasino_sim.studies.folder import StudyFolder
from kasino_sim.studies.house_rules import TOTALS, _signs, robust, robustness
from kasino_sim.studies.kinds import partner
from kasino_sim.studies.recipes import SEARCHES, Tunings, games_searched, tuning_key
from kasino_sim.studies.run import run_study
from kasino_sim.study_file import load_study
from kasino_sim.tally import tallies_of

PLAN = """
title = "Small"
question = "What do some house rules change?"
kind = "house-rules"
rulesets = ["svensk", "dansk"]
against = "unchanged"
beliefs = "baseline"
senseless = "skip"
players = [["greedy"], ["beginner"], ["careful"]]

[[changes]]
words = "sweeps count 2"
set = ["sweep.points=2"]

[[changes]]
words = "nobody raises a build"
set = ["build.raise=none"]

[[changes]]
words = "the last capture counts 1"
set = ["score.last=1"]

[[deals]]
range = "tune"
blocks = 200

[[families]]
name = "points"
correction = "max-t"
responses = ["points"]
"""
CROSSED = """
title = "Small"
question = "Which go together?"
kind = "factorial"
design = "resolution-v"
rulesets = ["svensk"]
players = [["greedy"]]
responses = ["points", "sweeps_per_deal"]

[[changes]]
words = "double sweeps"
set = ["sweep.points=2"]

[[changes]]
words = "late sweeps"
set = ["sweep.when=last-hand-card"]

[[deals]]
range = "tune"
blocks = 300
"""


def study_of(tmp_path, text):
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return load_study(path)


# ---------------------------------------------------------------- designs


@pytest.mark.parametrize("factors", range(1, 12))
def test_designs_part_main_effects_and_pairs(factors):
    runs = resolution_v(factors)
    assert len(runs) == (2**factors if factors <= 6 else {7: 64, 8: 64}.get(factors, 128))
    x = model_matrix(np.array(runs), effect_list(factors))
    assert np.allclose(x.T @ x, len(runs) * np.eye(x.shape[1]))
    words = defining_words(runs)
    assert all(len(word) >= 5 for word in words) and bool(words) == (factors > 6)


def noisy(values, noise=0.01, chunks=50, seed=1):
    random = np.random.default_rng(seed)
    common = random.normal(0, 0.05, chunks)  # what all cells owe to the same decks
    found = []
    for value in values:
        parts = common + random.normal(0, noise, chunks)
        found.append(Measured(value + parts.sum() / chunks, (parts - parts.mean()) / chunks, 5_000))
    return found


def truth(runs, mains, pairs):
    signs = 2 * np.asarray(runs) - 1
    y = 3 + signs @ (np.array(mains) / 2)
    for (i, j), size in pairs.items():
        y = y + size / 2 * signs[:, i] * signs[:, j]
    return y


@pytest.mark.parametrize("missing", [0, 5])
def test_effects_on_known_answers(missing):
    """Contrasts where the design is whole, generalized least squares where runs are missing."""
    runs = np.array(resolution_v(5))[missing:]
    mains, pairs = [1.0, -0.5, 0.0, 0.2, 0.0], {(0, 1): 0.3}
    found = fit(runs, noisy(truth(runs, mains, pairs)))
    assert found.regular == (missing == 0)
    for effect, of in zip(found.effects, found.estimates, strict=True):
        wanted = mains[effect[0]] if len(effect) == 1 else pairs.get(effect, 0.0)
        assert abs(of.value - wanted) < 5 * of.se, effect
        assert of.se < 0.002  # what all cells have in common falls out
    share = sum(m**2 for m in mains) / (sum(m**2 for m in mains) + 0.09)
    if not missing:
        assert found.explained == pytest.approx(share, abs=0.01)


def test_runs_that_cannot_part_effects_are_refused():
    runs = np.array(resolution_v(3))[:4]
    with pytest.raises(ValueError, match="cannot part"):
        fit(runs, noisy(np.zeros(4)))


def test_aliases_are_what_they_say():
    """An interaction of three, planted, turns up where the alias table says, and nowhere else."""
    runs = np.array(resolution_v(7))
    signs = 2 * runs - 1
    told = {(a, b): share for a, b, share in aliases(runs)}
    assert told
    planted = next(iter(told))[1]
    y = signs[:, list(planted)].prod(axis=1) / 2
    cells = [Measured(float(v), np.zeros(10), 100) for v in y]
    for effect, of in zip(effect_list(7), fit(runs, cells).estimates, strict=True):
        assert of.value == pytest.approx(told.get((effect, planted), 0.0), abs=1e-9)
    assert not aliases(np.array(resolution_v(4)))  # a full design mixes nothing


def test_half_normal_scores_follow_the_sizes():
    scores = half_normal(np.array([0.1, -3.0, 0.5]))
    assert scores[1] > scores[2] > scores[0] > 0


# ---------------------------------------------------------------- one by one


def test_cells_are_compared_with_their_own_rule_set(tmp_path):
    study = study_of(tmp_path, PLAN)
    changed = [cell for cell in study.cells if cell.unchanged is not None]
    assert {(c.preset, c.words) for c in changed} == {
        ("svensk", "sweeps count 2"), ("svensk", "nobody raises a build"),
        ("dansk", "sweeps count 2"), ("dansk", "the last capture counts 1"),
    }  # fmt: skip
    for cell in study.cells:
        base = partner(study, cell)
        assert (base is None) == (cell.unchanged is None)
        if base is not None:
            assert (base.preset, base.arm, base.players) == (cell.preset, "", cell.players)
            assert study.scoring(cell).name == cell.preset
    left = " ".join(study.notes)
    assert "svensk: the last capture counts 1 is its rule already" in left
    assert "dansk: nobody raises a build is left out" in left


def test_senseless_changes_are_an_error_unless_skipped(tmp_path):
    with pytest.raises(KasinoError, match=r"build.raise=none means nothing in dansk"):
        study_of(tmp_path, PLAN.replace('senseless = "skip"\n', ""))


def test_effects_of_rules_that_change_no_play(tmp_path):
    """Doubled sweeps add exactly the sweeps made; the last capture exactly one point."""
    outcome = run_study(study_of(tmp_path, PLAN), threads=1)
    effects, found = outcome.tables["effects"], outcome.findings
    for preset, level in itertools.product(("svensk", "dansk"), ("greedy", "careful")):
        here = effects[(effects["ruleset"] == preset) & (effects["level"] == level)]
        points = here[(here["rule"] == "sweeps count 2") & (here["response"] == "points")]
        cell = f"{preset}--{level}:sweeps_per_deal"
        assert points["est"].item() == pytest.approx(found.set_index("id").loc[cell, "est"])
    last = effects[(effects["rule"] == "the last capture counts 1")]
    assert np.allclose(last.loc[last["response"] == "points", "est"], 1.0)
    table = outcome.tables["robustness"]
    assert len(table) == 4 and set(table["levels"]) == {3}


def test_robust_means_the_same_at_three_levels():
    assert robust(["above"] * 3, [1, 1, 1]) == "robust"
    assert robust(["inside", "small", "inside"], [-1, -1, -1]) == "robust"
    little = "too little to notice for all"
    assert robust(["inside", "small", "inside"], [0, 1, 0]) == little  # and no three signs
    assert robust(["small", "small", "inside"], [1, 1, -1]) == little
    assert robust(["above", "small", "above"], [1, 1, 1]) == "the sign is robust"
    assert robust(["above", "inside", "above"], [1, 0, 1]) == "depends on the players"
    assert robust(["above", "below", "above"], [1, -1, 1]) == "depends on the players"
    opposite = ["above", "undecided", "below", "the same"]
    assert robust(opposite, [1, 0, -1, 0]) == "depends on the players"
    assert robust(opposite[::2], [1, -1]) == "depends on the players"  # two levels are enough
    assert robust(opposite, [1, 0, -1, 0], [True, True, False, True]) == "fewer than three levels"
    assert robust(["above", "undecided", "above"], [1, 0, 1]) == "undecided"
    # Where nothing can change, a level agrees with nobody.
    assert robust(["the same", "above", "the same"], [0, 1, 0]) == "fewer than three levels"
    assert robust(["the same", "above", "above", "above"], [0, 1, 1, 1]) == "robust"
    assert robust(["the same"] * 3, [0] * 3) == "the same in every deal"
    assert robust(["the same"] * 2 + ["undecided"] * 3, [0] * 5) == "undecided"
    assert robust(["above"] * 2, [1, 1]) == "fewer than three levels"
    some, signs = ["above"] * 3 + ["undecided"], [1, 1, 1, 0]
    assert robust(some, signs) == "undecided"
    assert robust(some, signs, [True] * 3 + [False]) == "robust"  # too few decks to have a say
    assert robust(some, signs, [True] * 2 + [False] * 2) == "fewer than three levels"


def test_what_one_pair_is_asked_of_is_told_as_that():
    """Skill takes two who differ: with one such pair no number of decks makes three levels."""
    row = {"ruleset": "svensk", "variant": "", "rule": "x", "response": "skill_points", "se": 0.01,
           "est": 0.2, "lo": 0.17, "hi": 0.23, "family": "f", "verdict": "above"}  # fmt: skip
    pair = {**row, "level": "careful", "opponent": "beginner"}
    alone = {**row, "level": "careful", "opponent": "", "response": "points"}
    table = robustness(load_study("house-rules-one-by-one"), pd.DataFrame([pair, alone]))
    told = dict(zip(table["response"], table["robust"], strict=True))
    assert told["skill_points"] == "asked of one pair of players only"
    assert told["points"] == "fewer than three levels"


def test_a_sign_is_what_an_interval_shows_and_not_its_middle():
    """A level whose interval holds 0 has no sign; an exact change has that of its value."""
    same = pd.DataFrame({"lo": [0.1, -0.01, -0.04, 1.0, 0.0, float("nan")],
                         "hi": [0.3, 0.03, -0.02, 1.0, 0.0, float("nan")]})  # fmt: skip
    assert _signs(same) == [1, 0, -1, 1, 0, 0]


def test_findings_and_effects_agree_on_what_is_the_same_in_every_deal(tmp_path):
    """A point more in every deal of enough of them is above in both, with its interval."""
    outcome = run_study(study_of(tmp_path, PLAN.replace("200", "1_000")), threads=1)
    found = outcome.findings.set_index("id")
    effects = outcome.tables["effects"]
    last = effects[(effects["change"] == "score.last=1") & (effects["response"] == "points")]
    assert len(last) == 3
    for row in last.to_dict("records"):
        one = found.loc[f"dansk+score.last=1--{row['level']}:points:less:dansk"]
        assert (one["lo"], one["hi"], one["verdict"]) == (1.0, 1.0, "above")
        assert (row["lo"], row["hi"], row["verdict"]) == (1.0, 1.0, "above")


def test_crossed_effects_against_the_cells(tmp_path):
    outcome = run_study(study_of(tmp_path, CROSSED), threads=1)
    effects = outcome.tables["crossed_effects"].set_index(["response", "effect"])["est"]
    cells = {
        cell.levels: outcome.findings.set_index("id").loc[f"{cell.name}:points", "est"]
        for cell in outcome.study.cells
    }
    double = np.mean([cells[1, j] - cells[0, j] for j in (0, 1)])
    both = ((cells[1, 1] - cells[0, 1]) - (cells[1, 0] - cells[0, 0])) / 2
    assert effects["points", "double sweeps"] == pytest.approx(double)
    assert effects["points", "double sweeps x late sweeps"] == pytest.approx(both)
    assert effects["sweeps_per_deal", "late sweeps"] < -1


@pytest.mark.parametrize("text", [PLAN, CROSSED])
def test_told_in_80_columns(tmp_path, text):
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["study", str(tmp_path / "own.toml"), "--quiet"])
    assert done.exit_code == 0, done.output
    assert max(map(len, done.output.splitlines())) <= 80
    assert not re.search(r"\b(nan|inf)\b", done.output)


@pytest.mark.parametrize("size", ["default", "full"])
def test_shipped_plans_name_every_house_rule(size):
    study = load_study("house-rules-one-by-one", size)
    rules = {cell.words for cell in study.cells}
    assert len(rules) >= 28
    crossed = load_study("house-rules-factorial", size)
    runs = {
        p: len({c.levels for c in crossed.cells if c.preset == p}) for p in crossed.plan.rulesets
    }
    assert runs == {"svensk-utan-bygg": 64, "svensk": 128}
    assert load_study("house-rules-more-players", size).plan.size == size


# ---------------------------------------------------------------- players tuned anew, and limits

ADAPTED = (
    PLAN.replace('["careful"]]', '["careful"], ["tuned"]]')
    .replace('"greedy"], ["beginner"], ', '"greedy"], ')
    .replace(
        "[[changes]]",
        """
[limits.tuned]
rulesets = ["svensk"]
blocks = 100

[adapt]
player = "tuned"
rulesets = ["svensk"]
restarts = 2
population = 4
generations = 2
blocks = 20
select = 50

[[changes]]""",
        1,
    )
)


def measured(value, seed, spread=0.05, chunks=150, blocks=3_000):
    parts = np.random.default_rng(seed).normal(0, spread / np.sqrt(chunks), chunks)
    return Measured(value, parts - parts.mean(), blocks)


def test_common_decks_make_the_variance_of_a_difference_smaller():
    one, alike, other = measured(1.0, seed=1), measured(0.4, seed=1), measured(0.4, seed=2)
    near = replace(alike, parts=0.9 * alike.parts)
    assert (one - near).vrf == pytest.approx((1 + 0.9**2) / 0.1**2)
    assert (one - other).vrf == pytest.approx(1, abs=0.4) and one.vrf is None
    assert (one - alike).vrf is None  # nothing varies
    assert weighed([(2.0, one - near)], 5.0).vrf == pytest.approx((one - near).vrf)
    three = weighed([(2.0, one), (-1.0, near), (-1.0, near)])
    assert three.vrf == pytest.approx((4 + 2 * 0.9**2) / 0.2**2)
    known = replace(one, apart_se=2 * one.chunk_se)
    assert known.vrf == pytest.approx(4)
    assert (known - near).vrf == pytest.approx((4 + 0.9**2) / 0.1**2)


def test_an_estimate_over_restarts_holds_their_spread():
    """By hand: variance of the mean over decks, and of the mean of the searches."""
    some = [measured(value, seed=1) for value in (0.1, 0.3, 0.2)]  # decks do the same to all
    found = over_restarts(some)
    decks, searches = some[0].chunk_se ** 2, 0.01 / 3
    assert found.value == pytest.approx(0.2)
    assert found.se == pytest.approx(np.sqrt(decks + searches))
    low = (decks + searches) / (decks / 149 + searches / 2)
    assert found.df == pytest.approx(low) and 2 < low < 149 and "restarts" in found.method
    assert found.parts @ found.parts == pytest.approx(decks * 149 / 150 + searches)
    alike = over_restarts([some[0], some[0]])
    assert alike.se == pytest.approx(some[0].chunk_se) and alike.df == pytest.approx(149)
    with pytest.raises(ValueError, match="two or more"):
        over_restarts(some[:1])


def test_a_pooled_spread_has_more_degrees_of_freedom():
    """By hand: twice the mean variance of the cells over the searches, unless their own is more."""
    cells = [[measured(v, seed=1) for v in values] for values in ((1, 1.2), (2, 2.1), (3, 3.4))]
    pooled = pooled_spread(cells)
    assert pooled.variance == pytest.approx(2 * np.mean([0.02, 0.005, 0.08]) / 2)
    assert pooled.freedom == 3
    near = [measured(value, seed=1) for value in (0.10, 0.11)]
    found = over_restarts(near, pooled)
    assert found.se == pytest.approx(np.sqrt(near[0].chunk_se ** 2 + pooled.variance))
    assert found.df > over_restarts(cells[2]).df
    assert found.parts.sum() == pytest.approx(0, abs=1e-12)
    far = [measured(value, seed=1) for value in (0.0, 2.0)]
    assert over_restarts(far, pooled).se == pytest.approx(over_restarts(far).se)
    assert over_restarts(far, pooled).df == over_restarts(far).df  # their own, not the others'
    many = [measured(0.10 + 0.01 * i, seed=1) for i in range(10)]
    assert over_restarts(many, pooled).se == over_restarts(many).se  # enough for their own
    same = [measured(0.0, seed=1, spread=0.0)] * 2
    assert over_restarts(same, pooled).se is None  # known exactly: nothing to pool
    twice = pooled_spread([*cells, cells[0], cells[0]])  # where only the match is another
    assert (twice.variance, twice.freedom) == (pooled.variance, pooled.freedom)


def test_intervals_over_restarts_cover_what_is_true():
    """The truth is in 95 % of them, where searches count for much and where for little."""
    from scipy.stats import t

    random = np.random.default_rng(3)
    for between in (0.0, 0.02, 0.2):
        inside = 0
        for _ in range(1_000):
            common = random.normal(0, 0.05, 100)
            found = []
            for _ in range(3):
                parts = (common + random.normal(0, 0.01, 100)) / 100
                value = float(parts.sum()) + random.normal(0, between)
                found.append(Measured(value, parts - parts.mean(), 1_000))
            one = over_restarts(found)
            inside += abs(one.value) < t.ppf(0.975, one.df) * one.se
        assert inside > 940, between


def test_each_has_its_own_degrees_of_freedom_after_holm():
    """A question with few degrees of freedom makes no other interval wider."""
    many = measured(0.2, seed=1)
    few = over_restarts([measured(value, seed=2) for value in (0.1, 0.3)])
    alone = answer([Question(many, 0.05), Question(measured(0.2, seed=3), 0.05)], "holm", 0.05)[0]
    beside = answer([Question(many, 0.05), Question(few, 0.05)], "holm", 0.05)
    assert (beside[0].low, beside[0].high) == pytest.approx((alone.low, alone.high))
    assert beside[1].high - beside[1].low > 10 * (alone.high - alone.low)


def test_no_correlations_are_taken_from_a_few_searches():
    """Where one of a family is over searches, max-T is what Holm gives, and says so."""
    few = [over_restarts([measured(v, seed=s) for v in (0.1, 0.3, 0.4)]) for s in (1, 2)]
    asked = [Question(one, 0.05) for one in (*few, measured(0.2, seed=3))]
    told = answer(asked, "max-t", 0.05)
    assert all(np.isfinite(one.high) and one.method.endswith("holm") for one in told)
    for one, other in zip(told, answer(asked, "holm", 0.05), strict=True):
        assert (one.low, one.high, one.p_adjusted) == (other.low, other.high, other.p_adjusted)
    plain = answer([Question(measured(0.2, seed=s), 0.05) for s in (1, 2)], "max-t", 0.05)
    assert all(one.method.endswith("max-t") for one in plain)


def test_estimates_from_other_numbers_of_decks_are_never_paired():
    one, fewer = measured(1.0, seed=1), measured(0.4, seed=1, blocks=500)
    gap = one - fewer
    assert gap.se >= np.hypot(one.se, fewer.se) and len(gap.parts) == 300
    assert np.allclose(correlations([one, fewer]), np.eye(2))
    assert correlations([one, one])[0, 1] == pytest.approx(1)
    assert len(weighed([(1.0, one), (1.0, fewer)]).parts) == 300


@pytest.fixture(scope="module")
def adapted(tmp_path_factory):
    place = tmp_path_factory.mktemp("adapted")
    study = study_of(place, ADAPTED)
    begun = []
    folder = StudyFolder(place / "run", study, resume=False)
    outcome = run_study(study, folder, searches=lambda rules, player: begun.append((rules, player)))
    folder.finish(outcome, "", {})
    return study, place / "run", outcome, begun


def test_a_house_rule_that_is_played_otherwise_than_told_is_marked(tmp_path):
    """The guide lets the dealer choose whether to exchange."""
    from kasino_sim.cli.house_rules_table import table

    text = PLAN.replace("sweeps count 2", "exchange").replace(
        "sweep.points=2", "deal.swap_point_cards=true"
    )
    outcome = run_study(study_of(tmp_path, text), threads=1)
    effects = outcome.tables["effects"]
    marked = effects.loc[effects["note"] != "", ["ruleset", "rule"]].drop_duplicates()
    assert marked.to_numpy().tolist() == [["svensk", "exchange"]]
    assert "Exchange: an approximation: the guide lets the dealer" in " ".join(
        table(outcome).split()
    )


def test_variants_stand_beside_one_another(tmp_path):
    """Without any house rule, each less those before it, on the same decks."""
    text = PLAN.replace(
        'against = "unchanged"',
        'variants = [["deal.players=3"], ["deal.players=4"],\n'
        '["deal.players=4", "deal.teams=pairs"]]\nresponses = ["points", "sweeps_per_deal"]\n'
        'against = "unchanged"',
    ).replace('["svensk", "dansk"]', '["svensk"]')
    outcome = run_study(study_of(tmp_path, text), threads=1)
    told, levels = outcome.tables["variants"], outcome.findings.set_index("id")
    pairs = told[["variant", "less"]].drop_duplicates().to_numpy().tolist()
    three, four, teams = "deal.players=3", "deal.players=4", "deal.players=4+deal.teams=pairs"
    assert pairs == [[four, three], [teams, three], [teams, four]]
    for row in told[told["response"] == "points"].to_dict("records"):
        one, less = (
            levels.loc[f"svensk+{variant}--{row['level']}:points", "est"]
            for variant in (row["variant"], row["less"])
        )
        assert row["est"] == pytest.approx(one - less) and row["family"] == "points: variants"
        found = levels.loc[
            f"svensk+{row['variant']}--{row['level']}:points:variants:less:svensk+{row['less']}"
        ]
        assert (found["est"], found["verdict"]) == (row["est"], row["verdict"]) and found["vrf"] > 0
    assert set(told["level"]) == {"greedy", "beginner", "careful"}


def test_crossed_house_rules_are_robust_where_levels_agree(tmp_path):
    text = CROSSED.replace('[["greedy"]]', '[["greedy"], ["beginner"], ["careful"]]')
    outcome = run_study(study_of(tmp_path, text), threads=1)
    told, effects = outcome.tables["crossed_robustness"], outcome.tables["crossed_effects"]
    mains = effects[effects["order"] == 1]
    assert len(told) == len(mains) / 3 and (told["levels"] == 3).all()
    assert set(told["rule"]) == set(mains["effect"])


def test_what_searches_came_to_is_told(adapted):
    """For each rule set and house rule; the weights are the start's where it was the better one."""
    study, folder, outcome, _ = adapted
    searches = outcome.tables["searches"]
    assert list(searches["arm"].value_counts()) == [2, 2, 2] and set(searches["restart"]) == {1, 2}
    assert set(searches["decks"]) == {50} and list(searches.columns) == list(SEARCHES)
    kept = [json.loads(path.read_text()) for path in (folder / "tuned").glob("*.json")]
    assert sorted(searches["gain"]) == sorted(b - a for a, b in (one["selected"] for one in kept))
    assert (searches["kept"] == (searches["gain"] > 0)).all()
    again = Tunings(study, folder / "tuned")
    for cell in study.cells:
        again.settle(cell)
    assert again.table().equals(searches)


def test_rules_that_differ_in_the_match_alone_share_a_search():
    """Unless few points win, which turns the search round."""
    cells = load_study("house-rules-one-by-one", "full").cells
    (one,) = [cell for cell in cells if cell.name == "svensk--adapted-tuned-1"]
    player, recipe = one.players[0], one.recipes[0]

    def key(*changes):
        other = replace(one, rules=one.rules.with_overrides(changes))
        return tuning_key(other, player, recipe)

    assert key() == key("match.target=25") == key("match.goal=deals", "match.deals=1")
    assert len({key(), key("match.winner=lowest"), key("sweep.points=2")}) == 3


def test_total_effects_stand_beside_mechanical_ones(adapted):
    study, _, outcome, begun = adapted
    assert len(begun) == 2 * 3 == len(set(begun))  # two house rules and none, two searches each
    effects = outcome.tables["effects"]
    tuned = effects[(effects["level"] == "tuned") & (effects["ruleset"] == "svensk")]
    points = tuned[tuned["response"] == "points"]
    assert len(points) == 2 and points["total"].notna().all() and (points["n_blocks"] == 100).all()
    rest = effects.drop(tuned.index)
    assert rest["total"].isna().all() and set(rest["total_verdict"]) == {"not run"}
    assert not (rest["level"] == "tuned").any()  # the limit keeps it out of the other rule set
    assert not effects["level"].str.startswith("adapted").any()
    assert set(points["total_verdict"]) <= {"above", "below", "inside", "small", "undecided"}
    rows = outcome.findings[
        outcome.findings["family"].isin(["points: total", "points: adaptation"])
    ]
    assert len(rows) == 4 and rows["p_holm"].notna().all()


def test_total_effects_are_means_of_the_cells_played(adapted):
    """By hand, from the chunks of the cells: changed less unchanged, each by players tuned so."""
    study, place, outcome, _ = adapted

    def points(rules, restart):
        cell = next(
            c for c in study.cells if c.adapted and c.rules.name == rules and c.role[2] == restart
        )
        frames = [pd.read_parquet(p) for p in (place / "cells" / cell.name).rglob("0*.parquet")]
        tallies = [t for frame in frames for t in tallies_of(frame, study.cell_plan(cell))]
        return CellCounts(study.cell_plan(cell), tuple(tallies), cell.rules)

    def mean(rules, restart):
        return RESPONSES["points"].estimate(points(rules, restart)).value

    name = "svensk+build.raise=none"
    wanted = np.mean([mean(name, r) - mean("svensk", r) for r in ("1", "2")])
    effects = outcome.tables["effects"]
    row = effects[
        (effects["change"] == "build.raise=none")
        & (effects["level"] == "tuned")
        & (effects["response"] == "points")
    ].iloc[0]
    assert row["total"] == pytest.approx(wanted)
    assert row["adaptation"] == pytest.approx(wanted - row["est"])


def test_who_is_tuned_knows_the_rule_and_who_goes_on_does_not(adapted):
    study = adapted[0]
    changed = [c for c in study.cells if c.arm == "sweep.points=2" and c.preset == "svensk"]
    believed = {c.level: study.scoring(c).sweep.points for c in changed}
    assert believed == {
        "greedy": 1,
        "careful": 1,
        "tuned": 1,
        "adapted-tuned-1": 2,
        "adapted-tuned-2": 2,
    }


def test_players_of_several_levels_learn_each_by_what_they_weigh(tmp_path):
    """A search from one who is not tuned by rule set leaves alone what that player leaves out."""
    text = ADAPTED.replace('player = "tuned"', 'player = "careful, tuned"')
    study = study_of(tmp_path, text)
    folder = StudyFolder(tmp_path / "run", study, resume=False)
    outcome = run_study(study, folder)
    learners = {c.learner: c.recipes[0].held for c in study.cells if c.adapted}
    assert list(learners) == ["careful", "tuned"] and not learners["tuned"]
    assert set(learners["careful"]) == set(FEATURES) - set(load_player("careful").weights)
    for path in (tmp_path / "run/tuned").glob("*.json"):
        told = json.loads(path.read_text())
        assert not set(told["weights"]) & set(learners[told["start"]])
    points = outcome.tables["effects"].query("ruleset == 'svensk' and response == 'points'")
    assert set(points.loc[points["total"].notna(), "level"]) == {"careful", "tuned"}
    assert set(outcome.tables["searches"]["player"]) == {"careful", "tuned"}
    told = outcome.tables["total_robustness"]
    assert set(told["levels"]) == {2} and set(told["robust"]) == {"fewer than three levels"}
    for level, same in points[points["total"].notna()].groupby("level"):
        kept = outcome.findings[outcome.findings["level"] == level]
        totals = kept[kept["estimand"].str.startswith("points (total)")]
        assert sorted(totals["est"]) == sorted(same["total"])


def test_total_effects_agree_as_mechanical_ones_do():
    """The same judge, of other columns; who was not tuned anew is not asked."""
    row = {"ruleset": "svensk", "variant": "", "rule": "x", "response": "points", "family": "f",
           "opponent": "", "est": 0.0, "se": 0.001, "lo": -0.01, "hi": 0.01, "verdict": "inside",
           "total": 0.2, "total_se": 0.01, "total_lo": 0.17, "total_hi": 0.23,
           "total_verdict": "above"}  # fmt: skip
    rows = [row | {"level": str(i)} for i in range(3)]
    rows.append(row | {"level": "3", "total": np.nan, "total_verdict": "not run"})
    study = load_study("house-rules-one-by-one")

    def told():
        return robustness(study, pd.DataFrame(rows), TOTALS).iloc[0]

    assert (told()["levels"], told()["robust"]) == (3, "robust")
    assert robustness(study, pd.DataFrame(rows))["robust"].tolist() == [
        "too little to notice for all"
    ]
    rows[0]["total_se"] = 0.026  # searches that lie too far apart have no say
    assert (told()["with_a_say"], told()["robust"]) == (2, "fewer than three levels")


def test_a_study_that_goes_on_tunes_nobody_again(adapted):
    study, place, outcome, _ = adapted
    begun = []
    again = run_study(
        study,
        StudyFolder(place, study, resume=True),
        resume=True,
        searches=lambda rules, player: begun.append(rules),
    )
    assert not begun
    pd.testing.assert_frame_equal(again.findings, outcome.findings)


def test_damaged_weights_are_told(adapted, tmp_path):
    study, place, *_ = adapted
    copy = shutil.copytree(place, tmp_path / "copy")
    next(iter((copy / "tuned").iterdir())).write_text("{", encoding="utf-8")
    with pytest.raises(KasinoError, match="damaged or holds no weights; delete it"):
        run_study(study, StudyFolder(copy, study, resume=True), resume=True)


def test_the_forecast_counts_what_is_played_to_tune(adapted):
    study = adapted[0]
    games = games_searched(study)
    assert len(games) == 6 and set(games.values()) == {(4 * 2 * 20 + 2 * 2 * 50) * 2}
    halved = study.scaled(0.5).plan
    assert halved.adapt.blocks == 20 and halved.limits["tuned"].blocks == 50  # the least, and half


@pytest.mark.parametrize(
    "old, new, told",
    [
        ("limits.tuned", "limits.tune", "limits.tune is none of the players"),
        ('rulesets = ["svensk"]\nblocks', 'rulesets = ["norsk"]\nblocks', "limits.tuned.rulesets"),
        ('player = "tuned"', 'player = "tunned"', "adapt.player: there is no player 'tunned'"),
        ('player = "tuned"', 'player = "tuned,expert"', 'add ["expert"] to players'),
        ('player = "tuned"', 'player = ", "', "names nobody"),
        ('player = "tuned"', 'player = "greedy,tuned"', "greedy is of kind greedy, which weighs"),
        ('against = "unchanged"', 'baseline = "svensk"', 'adapt needs against = "unchanged"'),
        ("restarts = 2", "restarts = 1", "adapt.restarts = 1: must be greater than or equal to 2"),
        ("population = 4", "populace = 4", "is not a field"),
    ],
)
def test_mistakes_in_limits_and_tuning_are_told(tmp_path, old, new, told):
    assert old in ADAPTED
    with pytest.raises(KasinoError, match=re.escape(told)):
        study_of(tmp_path, ADAPTED.replace(old, new))


def test_a_limit_is_for_a_player_or_a_seating(tmp_path):
    text = ADAPTED.replace('["tuned"]]', '["tuned"], ["careful", "greedy"]]')
    study = study_of(tmp_path, text.replace("[limits.tuned]", '[limits."careful,greedy"]'))
    blocks = {(c.preset, c.level, c.opponent): study.blocks(c) for c in study.cells}
    assert blocks["svensk", "careful", "greedy"] == 100
    assert blocks["svensk", "careful", ""] == blocks["svensk", "greedy", ""] == 200
    assert ("dansk", "careful", "greedy") not in blocks and ("dansk", "tuned", "") in blocks


def test_the_table_tells_what_is_learnt(adapted):
    from kasino_sim.cli.house_rules_table import table

    text = table(adapted[2])
    assert max(map(len, text.splitlines())) <= 80
    assert "as before" in text and "learnt" in text and "adapted" not in text
    assert "tuned plays 100 decks in svensk." in " ".join(text.split()) and "nan" not in text
