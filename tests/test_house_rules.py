"""House rules: designs, effects on known answers, what is skipped, what is compared with what."""

import itertools
import re

import numpy as np
import pytest
from click.testing import CliRunner

from kasino_sim.cli import main
from kasino_sim.designs import defining_words, resolution_v
from kasino_sim.errors import KasinoError
from kasino_sim.stats.factorial import aliases, effect_list, fit, half_normal, model_matrix
from kasino_sim.stats.measured import Measured
from kasino_sim.studies.house_rules import robust
from kasino_sim.studies.kinds import partner
from kasino_sim.studies.run import run_study
from kasino_sim.study_plan import load_study

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
    assert robust(["above"] * 3, [0.2, 0.3, 0.4]) == "robust"
    assert robust(["inside", "small", "inside"], [0.0, 0.01, -0.01]) == "robust"
    assert robust(["above", "inside", "above"], [0.2, 0.01, 0.2]) == "the sign is robust"
    assert robust(["above", "below", "above"], [0.2, -0.3, 0.2]) == "depends on the players"
    assert robust(["above", "undecided", "above"], [0.2, 0.1, 0.2]) == "undecided"
    assert robust(["above"] * 2, [0.2, 0.3]) == "fewer than three levels"


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
