"""Weights found by trial: the search and its ranges, and players that go by each rule set."""

import json
import shlex

import numpy as np
import pytest
from click.testing import CliRunner
from cmaes import CMA
from threadpoolctl import threadpool_info, threadpool_limits

from kasino_sim.catalog import load_ruleset, ruleset_names, toml_files
from kasino_sim.cli import main
from kasino_sim.engine.layout import FEATURE_GROUPS, FEATURES
from kasino_sim.errors import KasinoError
from kasino_sim.plan import Plan
from kasino_sim.players import TUNED_FOLDER, for_rules, load_player, pack_players, tuned_player
from kasino_sim.ranges import Range
from kasino_sim.simulate import Engine, simulate
from kasino_sim.studies.feature_scales import feature_scales
from kasino_sim.studies.tuning import (
    ALGEBRA_THREADS,
    Budget,
    Duel,
    Task,
    _Space,
    parse_budget,
    parse_held,
    tune,
)
from kasino_sim.tips import TIP_WORDS

SMALL = Budget(8, 4, 200, 2, 400, 500)


def task(rules, **changed):
    pool = (load_player("careful"), load_player("greedy"))
    given = {"start": load_player("beginner"), "pool": pool, "seed": 3, "budget": SMALL}
    return Task(rules, **{**given, **changed})


@pytest.fixture(scope="module")
def found():
    return tune(task(load_ruleset("svensk")), threads=1)


def test_a_duel_is_what_simulate_counts():
    rules, players = load_ruleset("svensk"), (load_player("careful"), load_player("greedy"))
    margins = Duel(rules, 5, 1).margins(*players, 10, 300)
    tally = simulate(Plan(rules, players, 5, 600, first_deal=10), threads=1)
    assert margins.sum() * 2 == tally.sums["difference"]


def test_a_duel_turns_round_where_few_points_win():
    low = load_ruleset("svensk", ["match.winner=lowest"])
    players = load_player("careful"), load_player("greedy")
    sheets = Engine(Plan(low, players, 5, 20)).sheets(0, 10)["points"].sum(axis=3, dtype=int)
    wanted = -(sheets[:, 0, 0] - sheets[:, 0, 1] + sheets[:, 1, 1] - sheets[:, 1, 0]) / 2
    assert np.allclose(Duel(low, 5, 1).margins(*players, 0, 10), wanted)


@pytest.mark.parametrize("teams", ["solo", "pairs"])
def test_a_duel_of_four(teams):
    rules = load_ruleset("svensk", ["deal.players=4", f"deal.teams={teams}"])
    duel = Duel(rules, 1, 1)
    margins = duel.margins(load_player("careful"), load_player("random"), 0, 300)
    assert duel.games == (2 if teams == "pairs" else 4)
    assert margins.mean() > 1.5 and len(margins) == 300
    same = duel.margins(load_player("greedy"), load_player("greedy"), 0, 20)
    assert not same.any()


def test_the_search_finds_better_weights(found):
    """From the beginner's weights, even a small search must not end where it began."""
    start, *winners = found.selected
    assert max(winners) > start + 0.3
    assert found.player.weights != load_player("beginner").weights
    assert set(found.confirmed) == {"careful", "greedy"}
    assert [(g.restart, g.number) for g in found.log] == [(r, n) for r in (1, 2)
                                                          for n in range(1, 5)]  # fmt: skip
    assert all(g.deals == 8 * 200 * 2 for g in found.log)


def test_threads_change_nothing(found):
    again = tune(task(load_ruleset("svensk")), threads=3)
    assert again == found
    other = tune(task(load_ruleset("svensk"), seed=4), threads=1)
    assert other.player.weights != found.player.weights


def test_what_is_told_rests_on_decks_that_chose_nothing(found):
    margins = Duel(load_ruleset("svensk"), 3, 1).margins(
        found.player, load_player("greedy"), Range.CONFIRM.first_deal, SMALL.confirm
    )
    assert found.confirmed["greedy"].mean == pytest.approx(margins.mean())


def test_held_features_weigh_nothing():
    held = parse_held("save_big,race,trail", load_player("tuned"))
    assert set(FEATURE_GROUPS["race"]) | set(TIP_WORDS["save_big"].proxies) | {"trail"} == set(held)
    small = Budget(4, 1, 20, 1, 20, 20)
    got = tune(task(load_ruleset("svensk"), held=held, budget=small)).player.weights
    assert got and not set(got) & set(held)
    with pytest.raises(KasinoError, match="no feature is left"):
        tune(task(load_ruleset("svensk"), held=FEATURES, budget=small))


def test_an_exploiter_meets_the_pool_alone():
    """Past selves join after ten generations: until then both searches are the same."""
    budget = Budget(4, 12, 40, 1, 20, 20)
    rules, pool = load_ruleset("svensk"), (load_player("greedy"),)
    both = [
        tune(task(rules, budget=budget, pool=pool, selves=selves), threads=1) for selves in (0, 2)
    ]
    alone, among = ([g.best for g in found.log] for found in both)
    assert alone[:10] == among[:10] and alone[10:] != among[10:]


def test_features_that_tell_nothing_apart_are_left_alone():
    plan = Plan(load_ruleset("svensk-utan-bygg"), (load_player("careful"),), 1, 1)
    names = ("points", "build", "partner_points", "trail")
    assert list(feature_scales(plan, names, 5) > 0) == [True, False, False, True]


def test_budgets():
    assert parse_budget("default") == Budget()
    assert parse_budget("quick,blocks=1_000").blocks == 1000
    with pytest.raises(KasinoError) as error:
        parse_budget("quik,blocks=many,seconds=3")
    assert len(error.value.lines) == 3 and "did you mean 'quick'" in error.value.lines[0]
    with pytest.raises(KasinoError, match="population 2: must be 4"):
        task(load_ruleset("svensk"), budget=Budget(population=2))
    with pytest.raises(KasinoError, match="weighs nothing"):
        task(load_ruleset("svensk"), start=load_player("greedy"))


def test_the_command(tmp_path):
    out, log, plot = (tmp_path / name for name in ("mine.toml", "log.jsonl", "plot.svg"))
    budget = "population=4,generations=3,blocks=20,restarts=1,select=20,confirm=30"
    args = ["tune", "--rules", "norsk", "--players", "3", "--budget", budget, "--quiet"]
    files = ["--out", str(out), "--log", str(log), "--plot", str(plot)]
    done = CliRunner().invoke(main, [*args, *files, "--format", "json"])
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    mine = load_player(out)
    assert mine.weights == {k: w for k, w in told["weights"].items() if w}
    assert len(log.read_text().splitlines()) == 3 and "<svg" in plot.read_text()
    assert told["deals"] == 3 * 4 * 20 * 3
    text = CliRunner().invoke(main, args).stdout
    assert max(map(len, text.splitlines())) <= 80 and "chosen" in text
    bad = CliRunner().invoke(main, [*args, "--out", str(tmp_path / "no" / "x.toml")])
    assert bad.exit_code == 2 and "there is no folder" in bad.stderr


def test_tuned_goes_by_the_rules():
    tuned, expert = load_player("tuned"), load_player("expert")
    for name in ruleset_names():
        rules = load_ruleset(name)
        weights = for_rules(tuned, rules).weights
        assert weights == tuned_player(rules).weights and weights
        assert for_rules(expert, rules).weights == weights
        changed = load_ruleset(name, ["sweep.points=2"])
        assert tuned_player(changed).name == tuned_player(rules).name
    assert for_rules(load_player("careful"), load_ruleset("svensk")) == load_player("careful")
    svensk, record = load_ruleset("svensk"), pack_players([tuned], load_ruleset("svensk"))[0]
    for feature, weight in tuned_player(svensk).weights.items():
        assert record.weights[FEATURES.index(feature)] == weight
    assert len(tuned.edition) == 16 and tuned.edition == expert.edition


def test_own_rules_go_by_their_preset(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text('preset = "norsk"\n[score]\nspades = 2\n')
    assert tuned_player(load_ruleset(path)).name == tuned_player(load_ruleset("norsk")).name


def test_tuned_is_worth_it():
    rules = load_ruleset("svensk")
    margins = Duel(rules, 11, 2).margins(load_player("tuned"), load_player("careful"), 0, 2_000)
    assert margins.mean() > 0.5


@pytest.mark.parametrize("name", sorted(toml_files(TUNED_FOLDER)))
def test_a_shipped_file_names_the_command_that_searches_over_its_weights(name):
    """A new feature widens the search: commands of files that are older then hold it."""
    player = load_player(toml_files(TUNED_FOLDER)[name])
    command = shlex.split(player.source.partition(";")[0])
    said = dict(zip(command[2::2], command[3::2], strict=True))
    pairs, seats = said["--players"] == "pairs", said["--players"].replace("pairs", "4")
    shape = [f"deal.players={seats}", f"deal.teams={'pairs' if pairs else 'solo'}"]
    rules, start = load_ruleset(said["--rules"], shape), load_player("careful")
    asked = Task(
        rules, start, (start,), 1, parse_budget(said["--budget"]), parse_held(said["--hold"], start)
    )
    assert set(_Space(asked).names) == set(player.weights)


@pytest.mark.parametrize("name", ["beginner-tuned", "careful-tuned"])
def test_a_level_that_was_tuned_keeps_to_its_ideas(name):
    """And is better than the one it began as, which its command names."""
    player = load_player(name)
    command = shlex.split(player.source.partition(";")[0])
    said = dict(zip(command[2::2], command[3::2], strict=True))
    start = load_player(said["--start"])
    assert start.name == name.removesuffix("-tuned")
    held, rules = parse_held(said["--hold"], start), load_ruleset(said["--rules"])
    asked = Task(rules, start, (start,), 1, parse_budget(said["--budget"]), held)
    assert set(_Space(asked).names) == set(player.weights) <= set(start.weights)
    assert player.weights["points"] == 1
    assert Duel(rules, 11, 2).margins(player, start, 0, 3_000).mean() > 0.3


def test_linear_algebra_has_as_many_threads_wherever_it_runs(monkeypatch):
    """With another number the same search ends elsewhere."""
    seen = set()

    def noting(of):
        def method(*given):
            seen.update(
                one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"
            )
            return of(*given)

        return method

    for name in ("ask", "tell"):
        monkeypatch.setattr(CMA, name, noting(getattr(CMA, name)))
    with threadpool_limits(1, user_api="blas"):
        tune(task(load_ruleset("svensk"), budget=Budget(4, 2, 10, 1, 10, 10)), threads=1)
    assert seen == {ALGEBRA_THREADS}
