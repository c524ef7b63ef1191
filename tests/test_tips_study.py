"""The protocol for tips: uses that add up, audits that count, verdicts on known cases."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from kasino_sim.catalog import load_ruleset
from kasino_sim.cli import main
from kasino_sim.engine.layout import TIPS
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import Engine
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL
from kasino_sim.stats.multiplicity import UNDECIDED as OPEN
from kasino_sim.stats.tip_uses import audit, tip_uses
from kasino_sim.studies import tips
from kasino_sim.studies.tip_deals import tell, tip_deals
from kasino_sim.study_plan import load_study
from kasino_sim.tip_cells import BASE, NAIVE, denied, tip_cells, with_tip
from kasino_sim.tips import TIP_WORDS

SMALL_PLAN = """
title = "Small"
question = "What is a tip worth?"
kind = "tips"
rulesets = ["svensk"]
players = [["greedy"], ["careful"]]

[[deals]]
range = "tune"
blocks = 60
"""


def plan_of(on, off, blocks=200, rules="svensk", **changes):
    return Plan(load_ruleset(rules), (on, off), seed=4, deals=2 * blocks, **changes)


@pytest.mark.parametrize(
    ("tip", "who", "rules"),
    [
        ("count_spades", "careful", "svensk"),
        ("build_when_last", "careful", "svensk"),
        ("leave_no_sweep", "greedy", "smygkasino"),
        ("keep_aces", "random", "dragkasino"),
    ],
)
def test_uses_add_up_in_every_deal_to_what_simulation_finds(tip, who, rules):
    """The sum over uses is, deal by deal, the difference that play_block's sheets show."""
    off = load_player(who)
    on = with_tip(off, tip)
    plan = plan_of(on, off, rules=rules)
    uses = tip_uses(plan, on, off, off, threads=2)
    points = Engine(plan).sheets(0, plan.blocks)["points"][:, :, :2].sum(axis=3)
    aim = -1 if rules == "smygkasino" else 1
    gap = aim * (points[:, 0, 0] - points[:, 0, 1] + points[:, 1, 1] - points[:, 1, 0]) / 2
    assert uses.adds_up
    assert np.array_equal(uses.total, gap)
    n, mean, se = uses.worth(uses.table["uses"] >= 0)
    assert n == uses.games["uses"].sum() and n > 20
    assert n * mean == pytest.approx(2 * gap.sum()) and se > 0


def test_threads_change_nothing_in_uses():
    off = load_player("careful")
    on = with_tip(off, "keep_aces")
    one, two = (tip_uses(plan_of(on, off, 600), on, off, off, threads=n) for n in (1, 2))
    assert (one.games == two.games).all()
    assert (one.table["gains"] == two.table["gains"]).all()


def test_audit_counts_what_changed():
    """Uses along the way are the changed decisions that the engine counts."""
    off = load_player("careful")
    on = with_tip(off, "leave_no_sweep")
    plan = plan_of(on, off)
    found = audit(plan, "leave_no_sweep")
    uses = tip_uses(plan, on, off, off)
    assert found.counts[..., 1].sum() == uses.games["uses"].sum()
    assert found.decisions == found.deals * 24
    assert 0 < found.changes < found.applies and found.share == pytest.approx(found.changes / 24)


def test_a_tip_that_never_has_a_say_is_vacuous():
    """Where nobody builds, no tip about builds has a say."""
    off = load_player("careful")
    on = with_tip(off, "no_early_builds", dose=4.0)
    assert audit(plan_of(on, off, rules="dansk"), "no_early_builds").changes == 0
    assert audit(plan_of(on, off), "no_early_builds").changes > 0


def test_doses_and_opposites_are_players_of_their_own():
    off = load_player("careful")
    names = {with_tip(off, "save_big", dose=dose).name for dose in (-1, 0.5, 1, 2)}
    assert len(names) == 4
    assert with_tip(off, "save_big", dose=-1).tips["save_big"].signed < 0
    half, whole = (with_tip(off, "save_big", dose=d).tips["save_big"].strength for d in (0.5, 1.0))
    assert whole == 2 * half


def test_denied_players_lack_the_idea():
    off = load_player("careful")
    lacking = denied(off, "leave_no_sweep")
    assert lacking.weights["sweep_risk"] == 0 != off.weights["sweep_risk"]
    kept = set(off.weights) - set(TIP_WORDS["leave_no_sweep"].proxies)
    assert all(lacking.weights[name] == off.weights[name] for name in kept)


def test_the_protocol_is_whole():
    cells = list(tip_cells(["svensk", "norsk"], ["greedy", "beginner", "careful"]))
    for tip in TIPS:
        stages = [cell.stage for cell in cells if cell.tip == tip]
        assert stages.count(NAIVE) == 3 and stages.count("reverse") == 3
        assert set(stages) == {NAIVE, "reverse", "hard", "dose", "denied", "pool", "rules"}
    assert [c.stage for c in cells].count(BASE) == 2


@pytest.mark.parametrize(
    ("verdicts", "wanted"),
    [
        ([ABOVE] * 4, "true"),
        ([OPEN, ABOVE, ABOVE, ABOVE], "true"),
        ([ABOVE, ABOVE, ABOVE, INSIDE], "level-dependent"),
        ([ABOVE, ABOVE, OPEN, ABOVE], "true"),
        ([INSIDE, SMALL, SMALL, SMALL], "true but small"),
        ([INSIDE, INSIDE, SMALL, INSIDE], "no effect"),
        ([BELOW, BELOW, BELOW, BELOW], "false"),
        ([ABOVE, ABOVE, BELOW, BELOW], "level-dependent"),
        ([OPEN] * 4, "undecided"),
        ([ABOVE, OPEN, OPEN, ABOVE], "undecided"),
    ],
)
def test_verdicts(verdicts, wanted):
    assert tips.judge(verdicts) == wanted


def test_deals_told_are_those_of_the_study():
    off = load_player("careful")
    on = with_tip(off, "no_early_builds")
    plan = plan_of(on, off, 400)
    uses = tip_uses(plan, on, off, off)
    told = tip_deals(plan, uses, "no_early_builds", (on, off))
    assert 2 <= len(told) <= 3
    for _, deal, seat, gain, text in told:
        scores = [tuple(map(int, m)) for m in re.findall(r"Anna (\d+), Bo (\d+)", text)]
        (mine, theirs), (mine_off, theirs_off) = scores
        assert mine - theirs - (mine_off - theirs_off) == gain
        game = uses.games[int(deal) - plan.first_deal, seat]
        assert (game["on"], game["off"]) == (mine - theirs, mine_off - theirs_off)
        assert max(map(len, text.splitlines())) <= 79
    assert tell(plan, int(told[0][1]), told[0][2], (on, off)) == told[0][4]


def test_the_study_as_a_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(SMALL_PLAN, encoding="utf-8")
    monkeypatch.setattr("kasino_sim.study_plan.tip_cells", _few_cells)
    done = CliRunner().invoke(main, ["study", "own.toml", "--quiet", "--out", "a"])
    assert done.exit_code == 0, done.output
    assert max(map(len, done.output.splitlines())) <= 80
    assert not re.search(r"\b(nan|inf)\b", done.output)
    table = pd.read_csv(tmp_path / "a" / "tables" / "tips.csv")
    assert list(table["tip"]) == ["keep_aces"] and table["uses_add_up"].all()
    worth = pd.read_csv(tmp_path / "a" / "tables" / "tip_worth.csv")
    assert set(worth["stage"]) == {"naive", "reverse", "hard", "dose", "denied", "pool"}
    found = pd.read_csv(tmp_path / "a" / "findings.csv")
    assert set(found["family"].dropna()) == {"tips", "protocol for tips"}


def _few_cells(rulesets, levels):
    return tip_cells(rulesets, levels, ["keep_aces"])


def test_the_shipped_plan():
    study = load_study("tips")
    assert {cell.role[1] for cell in study.cells} == {"", *TIPS}
    assert len(study.plan.players) >= 4  # strengths
    full = load_study("tips", "full")
    assert len(full.plan.rulesets) >= 4
    assert study.deals.range == full.deals.range == "confirm"
    assert study.deals.blocks >= 114_000
    scaled = study.scaled(0.01)
    assert replace(scaled, plan=study.plan).digest == study.digest
