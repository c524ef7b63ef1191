"""The register of claims: what it holds, what it refuses, and verdicts on known numbers."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from kasino_sim.catalog import load_ruleset
from kasino_sim.claims import load_claims, measures
from kasino_sim.cli import main
from kasino_sim.errors import KasinoError
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.report.sections.claims import _tests
from kasino_sim.simulate import Engine, simulate
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.measured import Measured, mean_of, quotient, ratio_of, weighed
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.stats.trace import Trace
from kasino_sim.studies import claims as study
from kasino_sim.study_file import load_study
from kasino_sim.tally import tally_sheets
from kasino_sim.transcript import play_out

CLAIM = """
[[claims]]
id = "eleven"
text = "Eleven points."
source = "a guide"
measured = "Points."
refuted_if = "Other points."

[[claims.tests]]
response = "points_without_sweeps"
rulesets = ["svensk"]
least = 10.5
most = 11.5
"""


def write(tmp_path, text):
    path = tmp_path / "claims.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_claim_is_whole():
    register = load_claims()
    assert len(register) >= 28
    guides = {claim.source[:2] for claim in register}
    assert guides == {"S0", "S1", "S2", "S3", "S4"}
    for one in measures(register, ["svensk"], [["careful"]]):
        for part in (*one.parts, *one.per):
            assert part.response in RESPONSES


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('refuted_if = "Other points."', "", "claim eleven: refuted_if is missing"),
        ("least = 10.5\nmost = 11.5", "", "needs least, most or both"),
        ("least = 10.5", "least = 12", "least = 12 is not below most"),
        ('response = "points_without_sweeps"', "", "tests.1.response is missing"),
        ("least = 10.5", "leest = 10.5", "did you mean 'least'"),
        ('id = "eleven"', 'id = "Eleven!"', "claim Eleven!: id = "),
        ("least = 10.5", 'least = "much"', "must be a valid number"),
    ],
)
def test_mistakes_are_told(tmp_path, old, new, told):
    path = write(tmp_path, CLAIM.replace(old, new))
    with pytest.raises(KasinoError) as caught:
        load_claims(path)
    assert told in str(caught.value), str(caught.value)
    assert str(path) in str(caught.value)


def test_two_claims_of_one_name(tmp_path):
    with pytest.raises(KasinoError, match="two claims have the id eleven"):
        load_claims(write(tmp_path, CLAIM + CLAIM))


def test_players_to_come_are_waited_for(tmp_path):
    text = CLAIM + 'players = [["sage"]]\n'
    with pytest.raises(KasinoError, match="there is no player 'sage'"):
        measures(load_claims(write(tmp_path, text)), ["svensk"], [["careful"]])
    (one,) = measures(
        load_claims(write(tmp_path, text + 'awaits = ["sage"]\n')), ["svensk"], [["careful"]]
    )
    assert one.missing == "there is no player sage yet" and not one.parts


# ---------------------------------------------------------------- numbers


def test_sums_and_quotients_of_estimates():
    random = np.random.default_rng(7)
    blocks = np.full(50, 10)
    a, b = random.normal(5, 1, (2, 50))
    one, two = mean_of(a, blocks), mean_of(b, blocks)
    gap = weighed([(1.0, one), (-1.0, two)])
    assert gap.value == pytest.approx((one - two).value)
    assert gap.se == pytest.approx((one - two).se)
    twice = weighed([(2.0, one)], plus=1.0)
    assert twice.value == pytest.approx(2 * one.value + 1) and twice.se == pytest.approx(2 * one.se)
    share, direct = quotient(one, two), ratio_of(a, b, blocks)
    assert share.value == pytest.approx(direct.value) and share.se == pytest.approx(direct.se)
    assert np.isnan(quotient(one, mean_of(0 * b, blocks)).value)


def row(**changes):
    return {"ruleset": "svensk", "variant": "", "level": "careful", "test": "0", **changes}


def test_verdicts_on_known_cases():
    claim = load_claims()[0]
    yes, no, open_ = ({"holds": h} for h in (study.HOLDS, study.FAILS, study.OPEN))

    def judge(*rows):
        return study._judge(claim, rows)[0]

    assert judge(row(**yes), row(level="greedy", **yes)) == "confirmed"
    assert judge(row(**no)) == "refuted"
    assert judge(row(**yes), row(level="greedy", **open_)) == "undecided"
    assert judge(row(**yes), row(level="greedy", **no)) == "depends on the players"
    assert judge(row(**yes), row(ruleset="norsk", **no)) == "depends on the rule set"
    assert judge() == "cannot be tested"
    mixed = [
        row(**yes), row(level="greedy", **no), row(ruleset="norsk", **no),
        row(ruleset="norsk", level="greedy", **yes),
    ]  # fmt: skip
    assert judge(*mixed) == "depends on the rule set and the players"


def test_rules_are_looked_up():
    by_id = {claim.id: claim for claim in load_claims()}
    plan = load_study("claims")
    for name, wanted in {
        "ace-takes-two-with-ace": [study.FAILS],
        "table-ace-is-free": 4 * [study.HOLDS] + 3 * [study.FAILS],
    }.items():
        (check,) = by_id[name].positions
        rows = study._legal(by_id[name], check, plan)
        assert [r["holds"] for r in rows] == wanted
        found = ["legal" if one == study.HOLDS else "not legal" for one in wanted]
        assert [r["found"] for r in rows] == found  # both claim that it is
        told = _tests(pd.DataFrame([{"est": None, "least": None, "most": None, **r} for r in rows]))
        assert [row[2].text for row in told.rows] == found


FIXED = """words = "an ace"
set = ["score.spades=1"]
players = [["careful", "careful forgets"]]
fix = "hand0=Ah"

[[claims.tests.less]]
fix = ""
"""


def test_known_cards_and_changes_are_in_the_arm(tmp_path, monkeypatch):
    """No two rows of findings are told by the same names; players are named as in cells."""
    register = load_claims(write(tmp_path, CLAIM + FIXED))
    monkeypatch.setattr("kasino_sim.study_file.load_claims", lambda: register)
    monkeypatch.setattr("kasino_sim.studies.claims.load_claims", lambda: register)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(
        main, ["study", "claims", "--scale", "0.001", "--quiet", "--threads", "1", "--out", "a"]
    )
    assert done.exit_code == 0, done.output
    found = pd.read_csv(tmp_path / "a" / "findings.csv")
    asked = found[found["family"] == "claims"]
    assert list(asked["arm"]) == ["score.spades=1+hand0=Ah"]
    assert set(found["arm"]) == {"score.spades=1+hand0=Ah", "score.spades=1"}
    assert set(found["level"]) == {"careful"} and set(found["opponent"]) == {"careful-forgets"}
    assert not found.duplicated(["arm", "level", "opponent", "ruleset", "estimand"]).any()


def test_eleven_points_and_the_opposite(tmp_path, monkeypatch):
    """The same number confirms a claim and refutes its opposite."""
    opposite = CLAIM.replace("eleven", "twelve").replace("10.5", "11.6").replace("= 11.5", "= 12.5")
    register = load_claims(write(tmp_path, CLAIM + opposite))
    monkeypatch.setattr("kasino_sim.study_file.load_claims", lambda: register)
    monkeypatch.setattr("kasino_sim.studies.claims.load_claims", lambda: register)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(
        main, ["study", "claims", "--scale", "0.004", "--quiet", "--threads", "1"]
    )
    assert done.exit_code == 0, done.output
    assert "-> confirmed." in done.output and "-> refuted." in done.output
    assert max(map(len, done.output.splitlines())) <= 80
    numbers = [line for line in done.output.splitlines() if line.startswith("     ")]
    assert numbers and not any(line.endswith("…") for line in numbers)  # verdicts are whole
    assert not re.search(r"\b(nan|inf)\b", done.output)


def test_thresholds_are_part_of_the_digest(tmp_path, monkeypatch):
    plain = load_claims(write(tmp_path, CLAIM))
    monkeypatch.setattr("kasino_sim.study_file.load_claims", lambda: plain)
    before = load_study("claims").digest
    other = load_claims(write(tmp_path, CLAIM.replace("10.5", "10.9")))
    monkeypatch.setattr("kasino_sim.study_file.load_claims", lambda: other)
    assert load_study("claims").digest != before
    words = load_claims(write(tmp_path, CLAIM.replace("Eleven points", "About eleven")))
    monkeypatch.setattr("kasino_sim.study_file.load_claims", lambda: words)
    assert load_study("claims").digest == before


# ---------------------------------------------------------------- every play looked at


def fates(played):
    """Follow the builds of a deal in words: how many ended how, from the positions alone."""
    lost = own = left = 0
    for play in played.plays:
        for build in play.before.builds:
            if build.cards not in play.move.builds:
                continue
            if build.owner == play.seat:
                own += play.move.act == "x"
            else:
                lost += 1
    left = len(played.end.builds)
    return own, lost, left


@pytest.mark.parametrize("name", ["svensk", "norsk", "dragkasino"])
def test_trace_against_plays_in_words(name):
    plan = Plan(load_ruleset(name), (load_player("careful"),), 5, 40)
    trace = Trace(plan, [20, 20], threads=2)
    counts = trace.counts["fates"].sum(axis=(0, 1, 2, 3))
    deals = [play_out(plan, deal) for deal in range(40)]
    own, lost, left = np.sum([fates(deal) for deal in deals], axis=0)
    assert (counts[0], counts[1] + counts[2], counts[4]) == (own, lost, left)
    assert lost > 0
    dry = sum(
        all(p.move.act != "x" for p in hand)
        for deal in deals
        for seat in range(2)
        for hand in np.array_split([p for p in deal.plays if p.seat == seat], 6)
    )
    tally = simulate(plan)
    assert tally.sums["dry.0"] + tally.sums["dry.1"] == dry
    found = RESPONSES["dry_hands"].estimate(CellCounts(plan, (tally,)))
    assert found.value == pytest.approx(dry / (40 * 2 * 6))
    assert int(trace.counts["turns"].sum()) == 40 * 48


def test_trace_plays_the_deals_of_the_cell():
    """Captures and builds counted play by play are those of the score sheets."""
    plan = Plan(load_ruleset("svensk"), (load_player("careful"), load_player("greedy")), 3, 200)
    tally = tally_sheets(plan, Engine(plan).sheets(0, plan.blocks))
    cell = CellCounts(plan, (tally,))
    made = cell.trace.counts["fates"].sum()
    assert made == tally.sums["builds"] + tally.sums["raises"] + tally.sums["adds"]


def test_trace_plays_by_the_beliefs_of_the_cell():
    """Players who go by other points than the rules' play other games: the trace sees these."""
    plan = Plan(load_ruleset("svensk", ["sweep.points=2"]), (load_player("careful"),), 3, 300)
    beliefs = load_ruleset("svensk", ["score.spades=0", "sweep.points=0"])
    tally = tally_sheets(plan, Engine(plan, beliefs).sheets(0, plan.blocks))
    made = tally.sums["builds"] + tally.sums["raises"] + tally.sums["adds"]
    assert CellCounts(plan, (tally,), beliefs).trace.counts["fates"].sum() == made
    assert CellCounts(plan, (tally,)).trace.counts["fates"].sum() != made


def test_who_thinks_ahead_is_not_traced():
    plan = Plan(load_ruleset("svensk"), (load_player("careful-ending"),), 3, 2)
    with pytest.raises(KasinoError, match="nobody thinks ahead"):
        Trace(plan, [2])


def test_some_decks_of_each_chunk_are_glimpsed():
    """The first ones of each, so that the cells of a study are paired chunk by chunk."""
    plan = Plan(load_ruleset("svensk"), (load_player("careful"),), 5, 24, detail=True)
    every = [Trace(plan, [12, 12]).counts[name] for name in ("turns", "idle")]
    some = Trace(plan, [12, 12], most=4)
    first = [Trace(replace(plan, first_deal=at), [4]).counts for at in (0, 12)]
    for name, whole in zip(("turns", "idle"), every, strict=True):
        assert list(some.counts[name]) == [int(one[name][0]) for one in first]
        assert (some.counts[name] < whole).all()
    assert some.idle().blocks == 8
    cell = CellCounts(plan, (simulate(plan),))
    assert RESPONSES["nothing_to_take"].estimate(cell).value == cell.trace.idle().value
    plain = CellCounts(replace(plan, detail=False), (simulate(replace(plan, detail=False)),))
    assert RESPONSES["nothing_to_take"].estimate(plain) is None
    ahead = replace(plan, players=(load_player("careful-ending"),))
    assert RESPONSES["nothing_to_take"].estimate(CellCounts(ahead, (simulate(ahead),))) is None


def test_a_claim_cell_without_a_number_is_told_as_that():
    claim = load_claims()[0]
    (one, *_) = measures([claim], ["svensk"], [["careful"]])
    found = study._found(one, Measured(float("nan"), np.zeros(4), 40), 0.0, {}, 0.95)
    assert found.of is None and found.method == "never happens"


def test_a_cell_whose_deals_take_long_plays_a_share():
    study = load_study("claims")
    slow = [cell for cell in study.cells if "obligation=free" in cell.name]
    assert slow and all(study.blocks(cell) == round(0.02 * study.deals.blocks) for cell in slow)
    whole = [cell for cell in study.cells if cell.name == "smygkasino--careful"]
    assert [study.blocks(cell) for cell in whole] == [study.deals.blocks]


def test_what_is_a_difference_says_so():
    """A reader must not take what a rule changes for what there is under it."""
    for claim in load_claims():
        for check in claim.tests:
            assert not check.less or check.per or " less " in check.words, (claim.id, check.words)
