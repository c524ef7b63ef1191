"""The protocol for tips: uses that add up, audits that count, verdicts on known cases."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from kasino_sim.catalog import load_ruleset
from kasino_sim.cli import main
from kasino_sim.cli.tips_table import table
from kasino_sim.engine.layout import TIP_FORMS, TIPS
from kasino_sim.engine.uses import GAME, USES
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.report.kept import kept_studies
from kasino_sim.report.parts import Material
from kasino_sim.report.sections.tips import SECTION
from kasino_sim.simulate import Chunk, Engine
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.families import Answer
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL
from kasino_sim.stats.multiplicity import UNDECIDED as OPEN
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.stats.tip_audit import tip_places, tip_tables
from kasino_sim.stats.tip_uses import Uses, tip_uses
from kasino_sim.studies.recipes import tuning_key
from kasino_sim.studies.run import run_study
from kasino_sim.studies.tip_deals import _largest, tell, tip_deals
from kasino_sim.studies.tip_verdicts import Judged, Opposite, idle, judge, reverse_words, uses_words
from kasino_sim.studies.tips import Check, _check
from kasino_sim.study_file import load_study
from kasino_sim.tip_cells import BASE, COMPENSATED, NAIVE, SHARES, denied, tip_cells, with_tip
from kasino_sim.tips import TIP_WORDS
from tests.small_studies import shrink

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


def counts_of(plan, chunks=4):
    n = plan.blocks // chunks
    engine = Engine(plan)
    return CellCounts(plan, tuple(engine.tally(Chunk(i, i * n, n)) for i in range(chunks)))


def audited(plan):
    counts = counts_of(plan)
    return [RESPONSES[name].estimate(counts) for name in ("tip_says", "tip_changes", "tip_share")]


def test_audit_counts_what_changed():
    """Uses along the way are the changed decisions that the tallies count."""
    off = load_player("careful")
    on = with_tip(off, "leave_no_sweep")
    plan = plan_of(on, off)
    says, changes, share = audited(plan)
    uses = tip_uses(plan, on, off, off)
    deals = plan.blocks * plan.games
    assert changes.value * deals == pytest.approx(uses.games["uses"].sum())
    assert 0 < changes.value < says.value and share.value == pytest.approx(changes.value / 24)
    assert changes.se > 0
    places = tip_places(counts_of(plan))
    assert places["changes_per_deal"].sum() == pytest.approx(changes.value)
    by_cards = np.bincount(places["cards"], places["changes_per_deal"] * deals, 9)
    assert by_cards == pytest.approx(uses.table["uses"].sum(axis=0))
    by_seat = np.bincount(places["seat"], places["changes_per_deal"] * deals)
    assert by_seat == pytest.approx(uses.games["uses"].sum(axis=0))


def test_a_tip_that_never_has_a_say_is_vacuous():
    """Where nobody builds, no tip about builds has a say."""
    off = load_player("careful")
    on = with_tip(off, "no_early_builds", dose=4.0)
    assert audited(plan_of(on, off, rules="dansk"))[1].value == 0
    assert audited(plan_of(on, off))[1].value > 0
    assert idle(0.0).verdict == idle(0.4).verdict == "vacuous"
    assert idle(0.0).because != idle(0.4).because


def test_only_on_against_off_is_told_by_place():
    off = load_player("careful")
    for on, told in ((with_tip(off, "keep_aces"), 1), (with_tip(off, "keep_aces", dose=2), 0)):
        assert len(tip_tables(counts_of(plan_of(on, off, 8)))) == told
    without = counts_of(plan_of(off, load_player("greedy"), 8))
    assert RESPONSES["tip_changes"].estimate(without) is None


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
    levels = ["greedy", "beginner", "careful", "expert"]
    cells = list(tip_cells(["svensk", "norsk"], levels, restarts=3))
    for tip in TIPS:
        mine = [cell for cell in cells if cell.tip == tip]
        stages = [cell.stage for cell in mine]
        assert [c.level for c in mine if c.stage == NAIVE] == levels
        assert [c.level for c in mine if c.stage == "rules"] == ["careful", "expert"]
        opposite = [(c.level, c.dose) for c in mine if c.stage == "reverse"]
        assert opposite == [("careful", -1), ("expert", -1), ("careful", -4)]
        pool = [c.players[1].name for c in mine if c.stage == "pool"]
        assert pool == ["greedy", "beginner", "expert"]
        assert [c.restart for c in mine if c.stage == COMPENSATED] == [1, 2, 3]
        assert set(stages) == {
            NAIVE, COMPENSATED, "reverse", "dose", "denied", "pool", "rules",
            *(set(TIP_FORMS) - {"soft"}),
        }  # fmt: skip
        for cell in mine:
            if cell.stage == COMPENSATED:
                on, off = cell.players
                assert on.tips and not off.tips and on.weights == off.weights
                assert not any(on.weights[name] for name in cell.held) and cell.held
    assert [c.stage for c in cells].count(BASE) == 3
    assert not [c for c in tip_cells(["svensk"], levels) if c.stage == COMPENSATED]


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
        ([ABOVE, ABOVE, INSIDE, INSIDE, "the same"], "level-dependent"),
        ([BELOW, SMALL, SMALL, SMALL], "level-dependent"),
        ([SMALL, ABOVE, SMALL], "true but small"),
        ([OPEN, INSIDE, INSIDE, INSIDE], "no effect"),
    ],
)
def test_verdicts(verdicts, wanted):
    assert judge(verdicts, ABOVE).verdict == wanted
    so_far = "true so far" if wanted == "true" else wanted
    assert judge(verdicts).verdict == so_far
    assert wanted == "true" or judge(verdicts, INSIDE).verdict == wanted


def test_what_costs_a_level_anything_is_not_true_but_small():
    """Too little to notice, but surely not a gain: then it depends, or there is no effect."""
    helped = [SMALL, INSIDE, ABOVE, SMALL]
    assert judge(helped, signs=[1, 0, 1, 1]).verdict == "true but small"
    assert judge(helped, signs=[1, -1, 1, 1]).verdict == "level-dependent"
    assert judge([INSIDE, SMALL, SMALL, SMALL], signs=[-1, 1, 1, 1]).verdict == "no effect"


@pytest.mark.parametrize(
    ("compensated", "wanted"),
    [(ABOVE, "true"), (INSIDE, "absorbed"), (SMALL, "absorbed"), ("the same", "absorbed"),
     (BELOW, "absorbed"), (OPEN, "undecided")],
)  # fmt: skip
def test_what_tuning_makes_up_for_is_absorbed(compensated, wanted):
    found = judge([ABOVE] * 4, compensated)
    assert found.verdict == wanted and bool(found.because) == (wanted != "true")


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        ([ABOVE, ABOVE, BELOW, INSIDE], "helps some, costs others"),
        ([ABOVE, ABOVE, INSIDE, OPEN], "helps some, nothing to others"),
        ([BELOW, SMALL, SMALL, SMALL], "costs some, nothing to others"),
        ([ABOVE] * 4, ""),
        ([INSIDE] * 4, ""),
        ([OPEN] * 4, ""),
    ],
)
def test_what_a_tip_does_to_the_levels(verdicts, told):
    assert judge(verdicts, ABOVE).levels == told


def test_players_at_random_judge_no_tip(tmp_path, monkeypatch):
    """They are in the tables and the audit, and their verdict is not among those judged."""
    seen = []

    def judged(naive, tuned, signs):
        seen.append(list(naive))
        assert len(signs) == len(naive)
        return Judged("level-dependent", levels="helps some, costs others")

    monkeypatch.setattr("kasino_sim.studies.tips.judge", judged)
    shrink(monkeypatch, ["keep_aces"])
    path = tmp_path / "own.toml"
    text = SMALL_PLAN.replace('[["greedy"]', '[["random"], ["greedy"]')
    path.write_text(text, encoding="utf-8")
    outcome = run_study(load_study(path), threads=1)
    worth, audit = outcome.tables["tip_worth"], outcome.tables["tip_audit"]
    naive = worth[worth["stage"] == NAIVE]
    assert list(naive["level"]) == list(audit["level"]) == ["random", "greedy", "careful"]
    assert seen == [list(naive["verdict"])[1:]]
    assert list(outcome.tables["tips"]["levels"]) == ["helps some, costs others"]
    text = table(outcome)
    assert text.count("helps some, costs others") == 2 and "verdicts go by the others" in " ".join(
        text.split()
    )
    assert max(map(len, text.splitlines())) <= 80


def test_levels_that_never_play_otherwise_judge_no_tip(tmp_path, monkeypatch):
    """Greedy builds only where nothing else is legal: a tip against building is vacuous to it."""
    shrink(monkeypatch, ["no_early_builds"])
    path = tmp_path / "own.toml"
    path.write_text(SMALL_PLAN, encoding="utf-8")
    outcome = run_study(load_study(path), threads=1)
    audit = outcome.tables["tip_audit"].set_index("level")["changes_per_deal"]
    assert audit["greedy"] == 0 < audit["careful"]
    (told,) = outcome.tables["tips"].to_dict("records")
    assert told["never_for"] == "greedy" and told["level"] == "careful"
    assert told["because"].startswith("fewer than three levels that weigh moves ever play")


def test_why_a_tip_is_undecided():
    assert judge([BELOW, BELOW, OPEN], None, [-1, -1, -1]).because.startswith("it costs every")
    assert judge([ABOVE, ABOVE, OPEN], None, [1, 1, 1]).because.startswith("it helps every")
    assert judge([ABOVE, ABOVE, OPEN], None, [1, 1, 0]).because == "the intervals are too wide"


def test_where_only_players_at_random_were_played():
    assert judge([]).because.startswith("fewer than three levels")


def test_why_a_verdict_is_open():
    assert judge([ABOVE, ABOVE]).because.startswith("fewer than three levels")
    assert "wide" in judge([OPEN] * 3).because


def test_the_error_of_a_use_is_over_decks():
    """By hand: a use as often as a deck likes, and all uses of a deck alike, are no more decks."""
    blocks = np.full(4, 10)
    table = np.zeros(4, USES)
    table["uses"][:, 0, 1] = [20, 40, 20, 40]
    table["gains"][:, 0, 1] = [20, 120, -20, 40]
    whole = np.zeros(1, USES)
    for name in USES.names:
        whole[name][0] = table[name].sum(axis=0)
    n, mean, se = Uses(whole[0], None, table, blocks).worth(whole["uses"][0] > 0)
    gaps = table["gains"][:, 0, 1] - mean * table["uses"][:, 0, 1]
    assert (n, mean) == (120, pytest.approx(160 / 120))
    assert se == pytest.approx(np.sqrt((gaps**2).sum() * 4 / 3) / 120)


def test_uses_are_held_against_the_rest_of_the_decks():
    """Those followed are among the estimate's own: the fewer the others, the less it may miss."""
    uses = Uses(None, np.rec.array(np.zeros((100, 2), GAME)), None, np.array([100]))
    uses.games["gain"] = uses.games["on"] = np.arange(200).reshape(100, 2) % 7
    mean, se = uses.total.mean(), uses.total.std(ddof=1) / 10
    found = _check(uses, Measured(mean - 2 * se, np.zeros(2), 400))
    assert found.z == pytest.approx(2 / np.sqrt(0.75)) and found.adds_up
    assert _check(uses, Measured(mean, np.zeros(2), 100)) == Check(None, True)
    assert _check(uses, Measured(mean + 0.01, np.zeros(2), 100)) == Check(None, False)


def test_checks_in_words():
    nan = float("nan")

    def opposite(low, high, verdict, changes=nan):
        return Opposite(Answer(low, high, nan, nan, verdict, ""), (low + high) / 2, changes)

    def reverse(low, high, verdict, insisting=None, changes=nan):
        return reverse_words(opposite(low, high, verdict, changes), insisting)

    assert reverse(-0.2, -0.1, BELOW) == "loses"
    assert "gains" in reverse(0.1, 0.2, ABOVE) and "notice" in reverse(-0.01, 0.01, INSIDE)
    assert reverse(0.027, 0.085, OPEN).startswith("gains")  # above 0, and across 0.05
    assert reverse(0.01, 0.04, SMALL).startswith("gains")
    assert reverse(-0.085, -0.027, OPEN).startswith("loses, perhaps too little")
    assert reverse(-0.04, 0.09, OPEN).startswith("does not lose, as far as can be told: ")
    assert reverse(-0.09, 0.04, OPEN).startswith("loses, not clearly: ")
    # What does not clearly lose says why not.
    assert reverse(-0.01, 0.01, INSIDE).endswith("was not counted")
    assert reverse(-0.01, 0.01, INSIDE, changes=0.0).endswith("hardly ever the choice")
    assert "it changes 0.60 decisions of a deal and" in reverse(-0.01, 0.01, INSIDE, changes=0.6)
    hard = opposite(-0.4, -0.2, BELOW, 1.0)
    assert reverse(-0.01, 0.01, INSIDE, hard).endswith("insisted on it loses 0.30")
    mild = opposite(-0.01, 0.01, INSIDE, 0.7)
    assert "changes 0.70 decisions of a deal, insisted on, and" in reverse(
        -0.01, 0.01, INSIDE, mild, 0.2
    )
    assert uses_words(True, -3.9).startswith("agrees") and uses_words(True, None).startswith("agr")
    for words in (uses_words(True, 4.1), uses_words(False, 0.0)):
        assert words.startswith("does not agree")


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
        where, *ways = re.split("With the tip|Without it", " ".join(text.split()))
        first, whole = map(int, re.search(r"Play (\d+) of (\d+)", where).groups())
        for way in ways:  # what is told and what is left out are the whole deal
            plays, _, more = way.partition("; ... and ")
            left = int(more.split()[0]) if more else 0
            assert first - 1 + plays.count("; ") + 1 + left == whole
    assert tell(plan, int(told[0][1]), told[0][2], (on, off)) == told[0][4]
    deals = {int(deal) for _, deal, *_ in told}
    others = tip_deals(plan, uses, "no_early_builds", (on, off), deals)
    assert len(deals) == len(told) == len(others)
    assert not deals & {int(deal) for _, deal, *_ in others}


def test_a_deal_is_told_again_where_there_is_no_other():
    gains = np.array([[0, 3], [5, 4], [0, 0]])
    assert _largest(gains, 2, ()) == [2, 1]
    assert _largest(gains, 1, {1}) == [1]
    assert _largest(gains, 2, {1}) == [1, 2]
    assert _largest(-gains, 2, ()) == []


def test_the_study_as_a_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(SMALL_PLAN, encoding="utf-8")
    shrink(monkeypatch, ["keep_aces"])
    done = CliRunner().invoke(main, ["study", "own.toml", "--quiet", "--out", "a"])
    assert done.exit_code == 0, done.output
    assert max(map(len, done.output.splitlines())) <= 80
    assert not re.search(r"\b(nan|inf)\b", done.output)
    table = pd.read_csv(tmp_path / "a" / "tables" / "tips.csv")
    assert list(table["tip"]) == ["keep_aces"] and table["uses_add_up"].all()
    worth = pd.read_csv(tmp_path / "a" / "tables" / "tip_worth.csv")
    forms = {"hard", "tie-break", "dose"}
    assert set(worth["stage"]) == {"naive", "reverse", "denied", "pool"} | forms
    found = pd.read_csv(tmp_path / "a" / "findings.csv")
    assert set(found["family"].dropna()) == {"tips", "protocol for tips"}
    assert table["not_run"].str.contains("tuned anew").all()


TUNED_PLAN = (
    SMALL_PLAN
    + """
[adapt]
player = "careful"
restarts = 2
pool = ["greedy"]
population = 4
generations = 1
blocks = 8
select = 8
"""
)


def test_players_tuned_anew_lack_the_idea_and_are_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(TUNED_PLAN, encoding="utf-8")
    shrink(monkeypatch, ["keep_aces"])
    args = ["study", "own.toml", "--quiet", "--out", "a"]
    done = CliRunner().invoke(main, args)
    assert done.exit_code == 0, done.output
    kept = [json.loads(p.read_text()) for p in (tmp_path / "a" / "tuned").glob("*.json")]
    assert len(kept) == 4  # two arms, two searches
    proxies = set(TIP_WORDS["keep_aces"].proxies)
    assert not any(weight for one in kept for name, weight in one["weights"].items()
                   if name in proxies)  # fmt: skip
    assert len({json.dumps(one["weights"]) for one in kept}) > 1
    worth = pd.read_csv(tmp_path / "a" / "tables" / "tip_worth.csv").set_index("stage")
    table = pd.read_csv(tmp_path / "a" / "tables" / "tips.csv")
    assert table["tuned_est"].item() == pytest.approx(worth.loc["compensated", "est"])
    assert list(table["not_run"]) == ["other rule sets"]
    (kept,) = kept_studies(["a"])
    told = SECTION.context(Material((), "kasino report", (kept,)))
    assert "tuned anew two times" in told["searches"] and "64 games" in told["searches"]
    monkeypatch.setattr("kasino_sim.studies.recipes.tune", None)  # it would not work
    again = CliRunner().invoke(main, [*args, "--resume"])
    assert again.exit_code == 0 and again.output == done.output


def test_arms_that_deny_the_same_are_tuned_once():
    study = load_study("tips", "full")
    cells = [cell for cell in study.cells if cell.role[0] == COMPENSATED]
    restarts = study.plan.adapt.restarts
    assert restarts >= 5 and len(cells) == restarts * len(TIPS)
    off = {tuning_key(cell, cell.players[1], cell.recipes[1]) for cell in cells}
    on = {tuning_key(cell, cell.players[0], cell.recipes[0]) for cell in cells}
    ideas = {frozenset(words.proxies) for words in TIP_WORDS.values()}
    assert len(off) == restarts * len(ideas) < len(on) == restarts * len(TIPS)
    assert not off & on


def test_the_shipped_plan():
    study = load_study("tips")
    assert {cell.role[1] for cell in study.cells} == {"", *TIPS}
    assert len(study.plan.players) >= 4  # strengths
    full = load_study("tips", "full")
    assert len(full.plan.rulesets) >= 4
    assert study.deals.range == full.deals.range == "confirm"
    assert study.deals.blocks >= 114_000
    assert {"tuned", "expert"} <= {name for (name,) in full.plan.players}
    away = {c.preset for c in full.cells if c.role[0] == "rules" and c.role[3] == "expert"}
    assert len(away) == 3
    assert not any(cell.recipes for cell in study.cells)
    for one in (study, full):
        base = {c.players[1].name: one.blocks(c) for c in one.cells if c.role[0] == BASE}
        for cell in one.cells:
            whole = one.deals.blocks
            if cell.limit:
                whole = one.plan.limits[cell.limit].blocks
            assert one.blocks(cell) == round(whole * SHARES.get(cell.role[0], 0.5))
            if cell.role[0] == "pool":  # or they could not be subtracted deck by deck
                assert one.blocks(cell) == base[cell.players[1].name]
    scaled = study.scaled(0.01)
    assert replace(scaled, plan=study.plan).digest == study.digest
