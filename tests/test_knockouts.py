"""Knock-outs: skills withheld, singly and in pairs; memory as a skill."""

import numpy as np
import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.cli.knockouts_table import table
from kasino_sim.engine.bits import popcount
from kasino_sim.engine.view import look, without_memory
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import Engine
from kasino_sim.studies.knockouts import ADDED, CONTAINS, INTERACTION, PAIR, SHARE, SINGLE
from kasino_sim.studies.run import run_study
from kasino_sim.study_file import load_study, without

PLAN = """
title = "Small"
question = "What is each skill worth?"
kind = "knock-outs"
rulesets = ["svensk"]
players = [["careful"]]

[[skills]]
name = "builds"
words = "building"
weights = { build = -100 }

[[skills]]
name = "nothing"
words = "what the player does not weigh"
weights = { ace_spent = 0 }

[[skills]]
name = "memory"
words = "remembering"
memory = false

[[deals]]
range = "tune"
blocks = 400
"""


def study_of(tmp_path, text):
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return load_study(path)


def test_losses_and_interactions(tmp_path):
    table = run_study(study_of(tmp_path, PLAN), threads=1).tables["skills"]
    by = table.set_index(["kind", "skill", "with"])["est"]
    assert by[SINGLE, "builds", ""] > 0.5  # against oneself without builds
    assert by[SINGLE, "nothing", ""] == 0  # a skill that is none changes no card played
    for one, other in (("builds", "nothing"), ("builds", "memory"), ("nothing", "memory")):
        alone = by[SINGLE, one, ""] + by[SINGLE, other, ""]
        assert by[INTERACTION, one, other] == pytest.approx(by[PAIR, one, other] - alone)
    assert by[INTERACTION, "builds", "nothing"] == pytest.approx(0, abs=1e-12)


def test_a_skill_that_is_added_is_the_level_of_who_has_it(tmp_path):
    """Its level is the player who has it, who loses it together with another skill too."""
    text = PLAN.replace("memory = false", 'has = "greedy"').replace("blocks = 400", "blocks = 40")
    outcome = run_study(study_of(tmp_path, text), threads=1)
    table = outcome.tables["skills"].set_index(["skill", "with"])
    row = table.loc[("memory", "")]
    assert (row["level"], row["opponent"], row["note"]) == ("greedy", "careful", ADDED)
    assert row["words"] == "remembering (added)"
    lost = table.loc[("builds", "")]
    assert (lost["level"], lost["opponent"]) == ("careful", "careful-builds")
    both = table.loc[("builds", "memory")].set_index("kind")
    assert (both["level"] == "greedy").all() and (both["opponent"] == "careful-builds").all()
    alone = row["est"] + lost["est"]
    assert both["est"][INTERACTION] == pytest.approx(both["est"][PAIR] - alone)
    found = outcome.findings
    one = found[found["estimand"] == "points gained with the skill"].iloc[0]
    assert (one["level"], one["opponent"]) == ("greedy", "careful")


def test_skills_that_contain_one_another_are_not_asked_about(tmp_path):
    """Who does not build raises nothing: the pair is worth what building is, in every deal."""
    growing = """
[[skills]]
name = "growing"
words = "raising"
weights = { build_raised = -100, build_locked = -100 }

[[skills]]
name = "some"
words = "doubling"
weights = { build_locked = -50, sum_taken = -100 }

[[deals]]"""
    outcome = run_study(study_of(tmp_path, PLAN.replace("\n[[deals]]", growing)), threads=1)
    skills = outcome.tables["skills"].set_index(["kind", "skill", "with"])
    assert skills["est"][SINGLE, "growing", ""] != 0
    for kind in (PAIR, INTERACTION):
        row = skills.loc[(kind, "builds", "growing")]
        assert row["verdict"] == row["note"] == CONTAINS and np.isnan(row["p_adj"])
        assert row["words"] == "building, which contains raising"
        assert skills["note"][kind, "builds", "nothing"] == ""  # which no deal needs
        shared = skills.loc[(kind, "growing", "some")]
        assert shared["note"] == SHARE and shared["words"].endswith("(share weights)")
    text = table(outcome)
    # What follows from the one containing the other is not among what was found.
    assert "which contains" not in text and max(map(len, text.splitlines())) <= 80


def test_withheld_builds_are_not_made(tmp_path):
    study = study_of(tmp_path, PLAN)
    player = without(load_player("careful"), study.plan.skills[:1])
    sheets = Engine(Plan(load_ruleset("svensk"), (player,), 1, 300)).sheets(0, 300)
    assert sheets["builds"].sum() + sheets["raises"].sum() < 30  # only where nothing else is legal


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("build = -100", "bild = -100", "weights.bild is not a feature"),
        ('[["careful"]]', '[["careful", "greedy"]]', "need one player"),
        ('name = "memory"', 'name = "Memory 2"', "skills 3.name"),
    ],
)
def test_mistakes_are_told(tmp_path, old, new, told):
    with pytest.raises(KasinoError) as caught:
        study_of(tmp_path, PLAN.replace(old, new))
    assert told in str(caught.value)


def test_who_forgets_holds_captured_cards_possible():
    """The view without memory: all but the own hand and the table, with the chances of so many."""
    plan = Plan(load_ruleset("svensk"), (load_player("careful"),), 2, 1)
    table = Table.of_deal(plan, 0)
    for _ in range(20):
        table.play(table.legal_moves()[-1])
        state, rules = table.state, table.record
        seen = look(state, rules)
        dim = without_memory(state, rules, seen)
        hand, loose = int(state.hands[state.to_move]), int(state.loose)
        built = sum(int(c) for c in state.build_cards[: state.n_builds])
        assert dim.unseen == (1 << 52) - 1 & ~(hand | loose | built)
        more = popcount(dim.unseen) - popcount(seen.unseen)
        assert dim.odds - seen.odds == 53 * more and more >= 0
        assert (dim.mover, dim.hand, dim.last_batch) == (seen.mover, seen.hand, seen.last_batch)
    assert more > 0


def test_memory_changes_nothing_before_anything_is_captured():
    """In the first play nothing is captured: both choose alike; over a deal they part."""
    rules, careful = load_ruleset("svensk"), load_player("careful")
    dim = careful.model_copy(update={"memory": False})
    from kasino_sim.players import pack_players

    with_memory, forgets = pack_players([careful, dim], rules)
    plan, parted = Plan(rules, (careful,), 3, 1), 0
    for deal in range(40):
        table = Table.of_deal(plan, deal)
        assert table.choose(with_memory, 3, deal) == table.choose(forgets, 3, deal)
        while not table.over:
            move = table.choose(with_memory, 3, deal)
            parted += move != table.choose(forgets, 3, deal)
            table.play(move)
    assert parted > 10


def test_the_shipped_plan():
    study = load_study("knockouts")
    names = {name for cell in study.cells for name in cell.role}
    assert {"pairs", "sums", "builds", "growing", "trail", "sweeps", "points", "memory",
            "ending"} <= names  # fmt: skip
    assert np.isfinite([w for s in study.plan.skills for w in s.weights.values()]).all()
