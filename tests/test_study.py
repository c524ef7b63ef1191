"""Studies: their numbers against the score sheets, their folders, their register, their text."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from kasino_sim.cli import main
from kasino_sim.simulate import CHUNKS, FEWEST_CHUNKS, Engine
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.families import Question, answer
from kasino_sim.stats.intervals import rate_row, rate_rows
from kasino_sim.stats.measured import Measured, mean_of, ratio_of
from kasino_sim.stats.multiplicity import holm_p
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.cells import LEAST_CHUNK, CellRunner, chunk_blocks
from kasino_sim.studies.findings import COLUMNS
from kasino_sim.studies.folder import StudyFolder
from kasino_sim.studies.kinds import KINDS, partner
from kasino_sim.studies.run import run_study
from kasino_sim.study_file import load_study, study_names

PLAN = """
title = "Small"
question = "What do two rule sets give?"
kind = "quality"
rulesets = ["svensk", "dansk"]
baseline = "svensk"
players = [["careful"], ["careful", "greedy"]]
detail = true

[[deals]]
range = "confirm"
blocks = 600

[[families]]
name = "points"
correction = "max-t"
responses = ["first_player_advantage", "skill_points"]
"""
PROFILE = """
title = "Small"
question = "What does a deal give?"
kind = "profile"
rulesets = ["svensk"]
variants = [[], ["deal.players=3"], ["deal.players=4", "deal.teams=pairs"]]
players = [["careful"]]

[[deals]]
range = "tune"
blocks = 100
"""


def runner_of(study, cell):
    return CellRunner(study.cell_plan(cell), study.scoring(cell))


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(PLAN, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    path = tmp_path_factory.mktemp("plan") / "own.toml"
    path.write_text(PLAN, encoding="utf-8")
    return run_study(load_study(path))


def kasino(*args):
    return CliRunner().invoke(main, list(map(str, args)))


def files(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


# ---------------------------------------------------------------- numbers


def row(outcome, **where):
    frame = outcome.findings
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_estimates_against_the_sheets(outcome):
    """Means, standard errors and paired differences, straight from the score sheets."""
    study = outcome.study
    leads, skill = {}, {}
    for cell in study.cells:
        plan = study.cell_plan(cell)
        sheets = Engine(plan).sheets(0, plan.blocks)
        points = sheets["points"][:, :, :2].sum(axis=3)
        if cell.opponent:
            # Game 1 has the first-named player in seat 1.
            gaps = points[:, 0, 0] - points[:, 0, 1] + points[:, 1, 1] - points[:, 1, 0]
            skill[cell.preset] = gaps / 2
        else:
            leads[cell.preset] = points[:, 0, 0] - points[:, 0, 1]
    for found, name in ((leads, "first_player_advantage"), (skill, "skill_points")):
        for preset, gaps in found.items():
            told = row(outcome, ruleset=preset, estimand=name)
            assert told["est"] == pytest.approx(gaps.mean())
            assert told["se"] == pytest.approx(gaps.std(ddof=1) / np.sqrt(len(gaps)))
        told = row(outcome, ruleset="dansk", estimand=f"{name} less svensk")
        paired = found["dansk"] - found["svensk"]
        assert told["est"] == pytest.approx(paired.mean())
        # Over 24 chunks rather than 600 blocks: near, not the same.
        assert told["se"] == pytest.approx(paired.std(ddof=1) / np.sqrt(len(paired)), rel=0.4)
        assert told["vrf"] > 0


def test_tallies_are_kept_with_the_tables(outcome):
    """What was counted gives the findings again."""
    tallies = outcome.tables["tallies"]
    assert list(tallies) == ["cell", "blocks", "games", "column", "sum", "square"]
    assert not tallies.duplicated(["cell", "column"]).any() and (tallies["square"] > 0).all()
    for cell in outcome.study.cells:
        mine = tallies[tallies["cell"] == cell.name].set_index("column")
        n = mine["blocks"].iloc[0]
        assert n == outcome.study.cell_plan(cell).blocks and mine["games"].nunique() == 1
        sums, squares = mine["sum"].get("first_edge", 0), mine["square"].get("first_edge", 0)
        if not cell.opponent:
            told = row(outcome, ruleset=cell.preset, estimand="first_player_advantage")
            games = mine["games"].iloc[0]
            assert told["est"] == pytest.approx(sums / n / games)
            variance = (squares - sums**2 / n) / (n - 1) / games**2
            assert told["se"] == pytest.approx((variance / n) ** 0.5)


def test_what_common_decks_are_worth_is_told(outcome):
    """By hand: the variance of as many games on decks of their own, over that of the blocks."""
    cell = next(cell for cell in outcome.study.cells if cell.opponent and cell.preset == "dansk")
    plan = outcome.study.cell_plan(cell)
    points = Engine(plan).sheets(0, plan.blocks)["points"][:, :, :2].sum(axis=3)
    games = np.array([points[:, 0, 0] - points[:, 0, 1], points[:, 1, 1] - points[:, 1, 0]])
    told = row(outcome, ruleset="dansk", estimand="skill_points")
    assert told["vrf"] == pytest.approx(
        games.var(axis=1).mean() / 2 / games.mean(axis=0).var(), 1e-2
    )
    assert told["vrf"] > 1.3  # who plays first has much to do with it
    levels = outcome.findings[~outcome.findings["estimand"].str.contains(" less ")]
    assert levels.loc[levels["vrf"].notna(), "estimand"].unique().tolist() == ["skill_points"]


def test_every_response_is_finite_or_told(outcome):
    frame = outcome.findings
    assert list(frame.columns) == list(COLUMNS)
    assert not frame["id"].duplicated().any()
    assert np.isfinite(frame["est"]).all()
    known = frame["se"].notna()
    assert (frame.loc[known, "lo"] <= frame.loc[known, "est"]).all()
    assert (frame.loc[known, "est"] <= frame.loc[known, "hi"]).all()
    assert (frame.loc[~known & frame["lo"].isna(), "verdict"] != "").all()
    shares = frame["unit"].str.startswith("share") & ~frame["estimand"].str.contains(" ")
    edge = frame["estimand"] == "first_dealer_match_edge"
    assert frame.loc[shares & ~edge, "est"].between(0, 1).all()


def test_families_ask_about_differences_alone(outcome):
    asked = outcome.findings[outcome.findings["family"] != ""]
    assert len(asked) == 2
    assert asked["estimand"].str.contains("less svensk").all()
    assert asked["p_adj"].between(asked["p"], 1).all()
    for _, family in asked.groupby("family"):  # Holm's beside, of the family's own p-values
        assert list(family["p_holm"]) == pytest.approx(list(holm_p(family["p"])))
        assert family["p_holm"].between(family["p"], 1).all()
    assert (asked["verdict"] == "undecided").all()  # the standard error is far above half the rope


def test_chunks_change_nothing_in_the_estimates():
    study = load_study("matches").scaled(0.004)
    runner = runner_of(study, study.cells[0])
    fine = runner.play(None, False, 2)
    runner.size = runner.plan.blocks
    whole = runner.play(None, False, 1)
    for response in RESPONSES.values():
        a, b = response.estimate(fine), response.estimate(whole)
        assert (a is None) == (b is None)
        if a is not None:
            assert a.value == pytest.approx(b.value), response.name
            assert b.se is None or b.block_se is not None, "one chunk has no error over chunks"


def test_design_effect_of_shares_is_that_of_the_blocks(place):
    """Shares of deals where a deck is played twice: variance of block means over binomial."""
    text = PROFILE.replace('["careful"]', '["careful", "greedy"]').replace("100", "600")
    start = text.index("variants")
    text = text[:start] + text[text.index("players = ") :]
    (place / "own.toml").write_text(text, encoding="utf-8")
    study = load_study(place / "own.toml")
    rows = run_study(study).findings.set_index("estimand")["method"]
    plan = study.cell_plan(study.cells[0])
    sheets = Engine(plan).sheets(0, plan.blocks)
    points = sheets["points"][:, :, :2].sum(axis=3)
    seen = {
        "swept_deals": (sheets["sweeps"].sum(axis=2) > 0, 0.006),
        "tied_cards": (sheets["tied_cards"] > 0, 0.006),
        "drawn_deals": (points[:, :, 0] == points[:, :, 1], 0.006),
    }
    for name, (events, off) in seen.items():
        share = events.mean()
        size = chunk_blocks(600) if name == "drawn_deals" else 1  # that one is known by its chunks
        spread = events.mean(axis=1).reshape(-1, size).mean(axis=1).var(ddof=1) * size
        effect = spread / (share * (1 - share) / 2)
        told = rows[name].partition("design effect ")[2]
        assert float(told) == pytest.approx(effect, abs=off), name
    assert not rows["points_first"].count("design")


def test_chunk_sizes():
    for blocks in (1, 7, 50, 600, 5_000, 7_777, 10**6):
        size = chunk_blocks(blocks)
        count = -(-blocks // size)
        assert min(blocks, FEWEST_CHUNKS) <= count < 2 * CHUNKS
        assert count >= CHUNKS or size <= LEAST_CHUNK


def test_measured():
    random = np.random.default_rng(3)
    blocks = np.full(40, 10)
    a, b = random.normal(5, 1, 40), random.normal(3, 1, 40)
    mean = mean_of(a, blocks)
    assert mean.value == pytest.approx(a.sum() / 400)
    assert mean.se == pytest.approx((a / 10).std(ddof=1) / np.sqrt(40))
    gap = mean_of(a, blocks) - mean_of(b, blocks)
    assert gap.se == pytest.approx(((a - b) / 10).std(ddof=1) / np.sqrt(40))
    same = mean - mean
    assert same.value == 0 and same.se is None
    ratio = ratio_of(a, b, blocks)
    spread = (a - a.sum() / b.sum() * b).std(ddof=1) * np.sqrt(40) / b.sum()
    assert ratio.se == pytest.approx(spread)
    assert np.isnan(ratio_of(a, 0 * b, blocks).value)
    assert mean_of(a[:1], blocks[:1]).se is None


def test_many_rates_are_those_of_one():
    events = np.array([0, 1, 19, 20, 50, 80, 81, 99, 100])
    low, high = rate_rows(events, 100)
    for at, count in enumerate(events):
        one = rate_row(int(count), 100)
        assert (low[at], high[at]) == pytest.approx((one["low"], one["high"]))
    assert np.isnan(rate_rows(events, 0)).all()


def test_families_on_known_answers():
    random = np.random.default_rng(5)

    def measured(value, parts):
        return Measured(value, parts - parts.mean(), 1000)

    noise = random.normal(0, 1, (4, 200)) / 200
    twins = [Question(measured(0.1, noise[0]), 0.0)] * 4
    apart = [Question(measured(0.1, part), 0.0) for part in noise]
    alone = answer(twins[:1], "none", 0.05)[0]
    width = alone.high - alone.low
    together = answer(twins, "max-t", 0.05)[0]
    assert together.high - together.low == pytest.approx(width, rel=0.02)  # one question, asked 4 x
    wide = answer(apart, "max-t", 0.05)[0]
    assert wide.high - wide.low > 1.2 * width
    exact = answer([Question(measured(0.0, 0 * noise[0]), 0.05)], "max-t", 0.05)[0]
    assert (exact.verdict, exact.low, exact.high) == ("the same", 0, 0)
    constant = answer([Question(measured(2.0, 0 * noise[0]), 0.05)], "holm", 0.05)[0]
    assert (constant.verdict, constant.low, constant.high) == ("above", 2, 2)
    sure = Question(measured(0.2, noise[0] / 100), 0.05)
    assert answer([sure], "holm", 0.05)[0].verdict == "above"
    assert answer([Question(-sure.of, 0.05)], "holm", 0.05)[0].verdict == "below"
    assert answer([sure], "bh", 0.05)[0].verdict == "above (explored)"


@pytest.mark.parametrize(
    ("value", "rope", "told"),
    [(-1.0, 0.05, "below"), (1.0, 0.0, "above"), (0.02, 0.05, "small"), (-0.02, 0.05, "inside")],
)
def test_what_never_varies_is_known_exactly(value, rope, told):
    """Its interval is the number, judged by the region, unless decks are few or of one chunk."""
    exact = Measured(value, np.zeros(5), 1_000)
    found, few, alone = answer(
        [Question(exact, rope), Question(replace(exact, blocks=999), rope),
         Question(replace(exact, parts=np.zeros(1)), rope)], "max-t", 0.05,
    )  # fmt: skip
    assert (found.low, found.high, found.verdict) == (value, value, told)
    assert np.isnan(found.p) and found.method == "the same in every deal"
    assert few.verdict == alone.verdict == "undetermined" and np.isnan([few.low, alone.low]).all()
    (unknown,) = answer([Question(replace(exact, value=float("nan")), rope)], "none", 0.05)
    assert unknown.verdict == "undetermined"
    (explored,) = answer([Question(exact, rope)], "bh", 0.05)
    assert explored.verdict == f"{'above' if value > 0 else 'below'} (explored)"


def test_a_loaded_seat_is_found_and_a_fair_one_is_not():
    """What tells first_player_advantage apart: points moved to the first seat."""
    study = load_study("matches").scaled(0.01)
    cell = next(cell for cell in study.cells if cell.preset == "svensk")
    counts = runner_of(study, cell).play(None, False, 2)
    plan = counts.plan
    sheets = Engine(plan).sheets(0, plan.blocks)
    fair = sheets["points"].copy()
    swap = np.arange(len(fair)) % 2 == 0
    fair[swap, :, 0], fair[swap, :, 1] = (
        sheets["points"][swap][:, :, 1], sheets["points"][swap][:, :, 0],
    )  # fmt: skip

    def advantage(points):
        from kasino_sim.tally import block_columns, tally_sheets

        changed = sheets.copy()
        changed["points"] = points
        tallies = []
        for at in range(0, len(points), 50):
            part = changed[at : at + 50]
            assert block_columns(plan, part)
            tallies.append(tally_sheets(plan, part, at))
        found = RESPONSES["first_player_advantage"].estimate(CellCounts(plan, tuple(tallies)))
        return abs(found.value) / found.se

    loaded = sheets["points"].copy()
    loaded[:, :, 0, 6] += 2
    assert advantage(loaded) > 6
    assert advantage(fair) < 3.5


# ---------------------------------------------------------------- the folder and the command


def test_a_study_is_kept_and_resumed_to_the_byte(place):
    done = kasino("study", "own.toml", "--out", "a", "--quiet", "--threads", 1)
    assert done.exit_code == 0, done.output
    whole = files(place / "a")
    for name in ("findings.csv", "findings.parquet", "manifest.json", "datapackage.json"):
        assert name in whole
    again = kasino("study", "own.toml", "--out", "b", "--quiet", "--threads", 3)
    assert again.output.replace("attempt 2", "attempt 1") == done.output
    assert files(place / "b") == whole
    # As it is after a kill: no findings, some chunks gone.
    chunks = sorted((place / "b" / "cells").rglob("*.parquet"))
    for path in [*chunks[3::2], *(place / "b").glob("findings*"), place / "b" / "datapackage.json"]:
        path.unlink()
    assert kasino("study", "own.toml", "--out", "b", "--quiet").exit_code == 2
    assert kasino("study", "own.toml", "--out", "b", "--resume", "--quiet").exit_code == 0
    assert files(place / "b") == whole
    register = pd.read_csv(place / "reports" / "attempts.csv", dtype=str)
    assert list(register["plan"]) == ["own"] * 3 and register["seed"].nunique() == 1


def registered(place):
    path = place / "reports" / "attempts.csv"
    return pd.read_csv(path, dtype=str) if path.exists() and path.stat().st_size else []


def test_every_attempt_on_the_confirm_range_is_written_down(place):
    """Kept or not; looking again at what is finished, or planning, is no attempt."""
    args = ("study", "own.toml", "--scale", 0.2, "--quiet")
    assert "attempt" not in kasino(*args, "--plan-only").output
    assert len(registered(place)) == 0
    first = kasino(*args)
    assert first.exit_code == 0 and "attempt 1 of own" in first.stderr
    assert "attempt 2 of own" in kasino(*args, "--format", "json").stderr
    assert "attempt 3 of own" in kasino(*args, "--out", "a").stderr
    assert "attempt" not in kasino(*args, "--out", "a", "--resume").stderr
    found = registered(place)
    assert list(found["plan"]) == ["own"] * 3
    assert found["fingerprint"].nunique() == 1 and set(found["result"]) == {found["result"][0]}
    (place / "own.toml").write_text(PROFILE, encoding="utf-8")  # on deals for tuning
    assert kasino(*args).exit_code == 0
    assert len(registered(place)) == 3


def test_nothing_is_played_where_no_attempt_can_be_written_down(place):
    (place / "reports").mkdir()
    (place / "reports" / "attempts.csv").write_text("name,age\n", encoding="utf-8")
    done = kasino("study", "own.toml", "--out", "a", "--quiet")
    assert done.exit_code == 2 and "is no heading of attempts" in done.stderr
    assert done.stdout == "" and not (place / "a").exists()


def test_another_plan_is_not_resumed(place):
    assert kasino("study", "own.toml", "--out", "a", "--quiet").exit_code == 0
    other = kasino("study", "own.toml", "--out", "a", "--resume", "--scale", 0.5, "--quiet")
    assert other.exit_code == 2 and "another folder" in other.output
    assert kasino("study", "own.toml", "--resume").exit_code == 2
    assert kasino("study", "own.toml", "--out", "nowhere", "--resume").exit_code == 2


def test_the_data_package_describes_its_tables(place):
    text = PROFILE.replace("svensk", "dansk")
    (place / "own.toml").write_text(text, encoding="utf-8")
    assert kasino("study", "own.toml", "--out", "a", "--quiet").exit_code == 0
    package = json.loads((place / "a" / "datapackage.json").read_text())
    assert len(package["resources"]) == 15
    for resource in package["resources"]:
        frame = pd.read_csv(place / "a" / resource["path"], keep_default_na=False)
        assert list(frame.columns) == [field["name"] for field in resource["schema"]["fields"]]
        assert re.fullmatch(r"[a-z0-9._-]+", resource["name"])
        for field in resource["schema"]["fields"]:
            if field["type"] == "integer":
                assert frame[field["name"]].dtype.kind == "i"
        text = (place / "a" / resource["path"]).read_text()
        assert not re.search(r"(^|,)(nan|inf|-inf|None)(,|$)", text, re.M | re.I)
    found = pd.read_parquet(place / "a" / "findings.parquet")
    assert list(found.columns) == list(COLUMNS)
    sweeps = pd.read_csv(place / "a" / "tables" / "sweeps.csv")
    common = sweeps[sweeps["deals"].between(20, 80)]  # of 100, where both are Wilson's
    assert len(common) and (common["band_low"] < common["low"]).all()
    assert (common["band_high"] > common["high"]).all()
    joint = pd.read_csv(place / "a" / "tables" / "joint_points.csv")
    assert joint.groupby(["ruleset", joint["arm"].fillna("")])["share"].sum().round(9).eq(1).all()


SMALL = [name for name in study_names() if len(load_study(name).cells) <= 60]


@pytest.mark.parametrize("name", SMALL)
def test_shipped_plans_at_a_small_scale(name, place):
    done = kasino("study", name, "--scale", 0.001, "--quiet")
    assert done.exit_code == 0, done.output
    assert max(map(len, done.output.splitlines())) <= 80
    assert not re.search(r"\b(nan|inf)\b", done.output)
    assert {path.name for path in place.iterdir()} <= {"own.toml", "reports"}
    for response in KINDS[load_study(name).plan.kind].chief:
        assert RESPONSES[response].words.split()[0] in done.output.lower()


def test_findings_as_data(place):
    shown = kasino("study", "own.toml", "--quiet", "--format", "json")
    rows = json.loads(shown.stdout)
    assert set(rows[0]) == set(COLUMNS)
    assert "NaN" not in shown.output


def test_plan_only_writes_nothing(place):
    done = kasino("study", "own.toml", "--plan-only", "--out", "a", "--quiet")
    assert done.exit_code == 0, done.output
    assert list(place.iterdir()) == [place / "own.toml"]
    assert "4 cells" in done.output and "power" in done.output
    assert max(map(len, done.output.splitlines())) <= 80


def test_scales(place):
    assert kasino("study", "own.toml", "--scale", 0).exit_code == 2
    assert kasino("study", "own.toml", "--scale", "1e9").exit_code == 2
    nowhere = kasino("study", "qualty")
    assert nowhere.exit_code == 2 and "did you mean 'quality'" in nowhere.output
    study = load_study("own.toml")
    assert study.scaled(0.1).deals.blocks == 60 and study.scaled(1).seed == study.seed
    assert study.scaled(0.1).seed != study.seed


def test_partners():
    study = load_study("house-sweeps")
    bare = [cell for cell in study.cells if not cell.arm]
    assert len(bare) == 1 and partner(study, bare[0]) is None
    assert all(partner(study, cell) is bare[0] for cell in study.cells if cell.arm)
    quality = load_study("quality")
    for cell in quality.cells:
        other = partner(quality, cell)
        assert (other is None) == (cell.preset == "svensk")
        assert other is None or other.players == cell.players


def test_mechanical_players_score_as_before():
    """With the baseline's beliefs a scoring rule changes no play at all."""
    study = load_study("house-sweeps").scaled(0.002)
    found = run_study(study).findings
    where = found["arm"].eq("sweep.points=2") & found["estimand"].eq(
        "captures_per_deal less svensk"
    )
    assert found.loc[where, "est"].item() == 0


@pytest.mark.parametrize("size", ["default", "full"])
@pytest.mark.parametrize("name", study_names())
def test_every_cell_has_a_folder_that_a_file_system_takes(tmp_path, name, size):
    study = load_study(name, size)
    folder = StudyFolder(tmp_path / "run", study, False)
    names = [folder.of_cell(cell).name for cell in study.cells]
    assert len(set(names)) == len(names)
    assert max(len(one.encode()) for one in names) < 200
