"""Findings tried again: what they are made of, who plays, and what survives."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from kasino_sim.cli import main
from kasino_sim.errors import KasinoError
from kasino_sim.players import load_player
from kasino_sim.report.kept import kept_studies
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL, UNDECIDED
from kasino_sim.studies import again
from kasino_sim.studies.again import (
    DID_NOT,
    ONLY_SIGN,
    OPEN,
    SURVIVED,
    combination_of,
    parse_instead,
)
from kasino_sim.studies.run import run_study
from kasino_sim.study_file import load_study, study_again, without
from kasino_sim.tip_cells import denied, with_tip
from tests.small_studies import claims_plan, shrink
from tests.test_house_rules import PLAN as HOUSE
from tests.test_knockouts import PLAN as SKILLS
from tests.test_tips_study import SMALL_PLAN as TIPS

CLAIMS = claims_plan(40)
TIP, CLAIM_IDS = "no_early_builds", ("eleven-points", "doubling-brings-cards")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shrink(monkeypatch, [TIP], CLAIM_IDS)
    return tmp_path


def study_of(place, text):
    (place / "own.toml").write_text(text, encoding="utf-8")
    return load_study(place / "own.toml")


@pytest.mark.parametrize("text", [TIPS, SKILLS, HOUSE, CLAIMS])
def test_put_together_from_the_study_itself_a_finding_is_what_it_was(place, text):
    """With the study's own seed the recipe of a finding gives its estimate and its error."""
    study = study_of(place, text)
    outcome = run_study(study, threads=1)
    found = outcome.findings[outcome.findings["se"].notna()]
    chosen = found.drop_duplicates(["family", "estimand"])["id"].tolist()[-6:]
    once = again.Again(study, outcome.findings, tuple(chosen), {}, 2)
    object.__setattr__(once, "seed", study.seed)
    table = once.play(1)
    assert len(table) == len(chosen) > 1
    assert np.allclose(table["again_est"], table["est"])
    assert np.allclose(table["again_se"], table["se"])
    other = again.Again(study, outcome.findings, tuple(chosen), {}, 3)
    assert other.seed not in (study.seed, again.Again(study, found, tuple(chosen), {}, 2).seed)


def test_who_plays_instead_has_the_same_tips_and_lacks_the_same(place):
    study = study_of(place, TIPS)
    cell = next(c for c in study.cells if c.role[0] == "denied")
    other = again.other_players(study, cell, {"careful": "beginner", "greedy": "random"})
    beginner = load_player("beginner")
    lacking = denied(beginner, "no_early_builds")
    on, off = other.players
    assert off.weights == lacking.weights and on.tips and not off.tips
    assert on.tips == with_tip(beginner, "no_early_builds").tips
    assert [p.name for p in other.players] == [
        p.name.replace("careful", "beginner", 1) for p in cell.players
    ]
    assert again.other_players(study, cell, {"greedy": "random"}) == cell
    assert parse_instead("careful=tuned, greedy=random") == {"careful": "tuned", "greedy": "random"}
    for wrong in ("careful", "careful=nobody"):
        with pytest.raises(KasinoError, match="--instead"):
            parse_instead(wrong)


def test_who_plays_instead_lacks_the_same_skills(place):
    study = study_of(place, SKILLS)
    for cell in study.cells:
        base = study.plan.players[0][0]
        whole, lacking = again.other_players(study, cell, {base: "beginner"}).players
        lost = [s for s in study.plan.skills if s.name in cell.role and not s.has]
        if lost:
            assert whole == load_player("beginner")
            assert lacking.weights == without(load_player("beginner"), lost).weights


def first(verdict, est=0.2):
    return pd.Series({"verdict": verdict, "est": est})


def answered(low, high, verdict):
    from kasino_sim.stats.families import Answer
    from kasino_sim.stats.measured import Measured

    nothing = Measured((low + high) / 2, np.zeros(2), 2)
    return nothing, Answer(low, high, 0.5, 0.5, verdict, "")


@pytest.mark.parametrize(
    ("verdict", "est", "low", "high", "new", "wanted"),
    [
        (ABOVE, 0.2, 0.01, 0.3, UNDECIDED, SURVIVED),
        (ABOVE, 0.2, -0.01, 0.3, UNDECIDED, OPEN),  # it may be as it was, or nothing
        (ABOVE, 0.2, -0.04, 0.1, UNDECIDED, DID_NOT),  # not as it was, and perhaps nothing
        (ABOVE, 0.2, 0.01, 0.04, SMALL, ONLY_SIGN),
        (BELOW, -0.2, -0.04, -0.01, INSIDE, ONLY_SIGN),
        (ABOVE, 0.2, -0.01, 0.04, INSIDE, DID_NOT),
        (UNDECIDED, 0.2, 0.1, 0.3, ABOVE, OPEN),  # nothing was found the first time
        ("contains the other", -0.7, -0.8, -0.6, BELOW, OPEN),  # nor was anything asked here
        (BELOW, -0.2, -0.3, -0.1, BELOW, SURVIVED),
        (BELOW, -0.2, 0.1, 0.3, ABOVE, DID_NOT),
        (INSIDE, 0.01, -0.03, 0.04, INSIDE, SURVIVED),
        (INSIDE, 0.01, -0.03, 0.2, UNDECIDED, OPEN),
        (INSIDE, 0.01, 0.1, 0.2, ABOVE, DID_NOT),
    ],
)
def test_what_survives(verdict, est, low, high, new, wanted):
    nothing = again.Combination(())
    assert again._says(first(verdict, est), nothing, answered(low, high, new)) == wanted
    assert again._says(first(verdict, est), nothing, None) == OPEN


def test_a_number_without_a_verdict_survives_if_it_comes_out_alike():
    from kasino_sim.stats.families import Answer
    from kasino_sim.stats.measured import Measured

    described = pd.Series({"verdict": "", "est": 10.8, "se": 0.03})
    for value, wanted in ((10.85, SURVIVED), (10.95, DID_NOT), (0.1, DID_NOT)):
        found = Measured(value, np.zeros(2), 2, block_se=0.04), Answer(0.05, 20, 0.5, 0.5, "", "")
        assert again._says(described, again.Combination(()), found) == wanted


def test_no_attempt_is_forgotten():
    """A second attempt stands beside the first; the same once more takes its place."""
    row = dict.fromkeys(again.COLUMNS, "") | {"id": "a", "attempt": 2, "blocks": 60}
    first = pd.DataFrame([row | {"survived": DID_NOT}])
    second = pd.DataFrame([row | {"survived": SURVIVED, "attempt": 3}])
    both = again.with_earlier(second, again.with_earlier(first, None))
    assert list(both["survived"]) == [DID_NOT, SURVIVED]
    assert len(again.with_earlier(second, both)) == 2
    more = again.with_earlier(second.assign(blocks=61), both)
    assert list(more["blocks"]) == [60, 60, 61]


def test_claims_are_judged_by_where_they_want_the_number():
    wants = again.Combination((), least=10.9, most=11.1)
    assert again._says(first("holds"), wants, answered(10.95, 11.05, "")) == SURVIVED
    assert again._says(first("holds"), wants, answered(11.2, 11.3, "")) == DID_NOT
    assert again._says(first("does not hold"), wants, answered(11.2, 11.3, "")) == SURVIVED
    assert again._says(first("holds"), wants, answered(10.8, 11.05, "")) == OPEN
    assert again._says(first("undecided"), wants, answered(11.2, 11.3, "")) == OPEN  # said nothing
    assert again.survived(SURVIVED, DID_NOT) == "only for these players"
    assert again.survived(SURVIVED, again.ONLY_SIGN) == "survived; for others only its sign"
    assert again.survived(SURVIVED, again.OPEN) == "survived; for others cannot be told"
    assert again.survived(DID_NOT, SURVIVED) == DID_NOT


def kasino(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


def test_the_command_and_the_report(place):
    study_of(place, TIPS.replace("tune", "confirm"))
    assert kasino("study", "own.toml", "--quiet", "--out", "a").exit_code == 0
    (kept,) = kept_studies(["a"])
    assert study_again(kept.manifest, "a").digest == kept.manifest["digest"]
    ids = kept.findings["id"]
    naive = ids[ids.str.endswith(":naive")].tolist()
    args = ("again", "a", *(x for one in naive for x in ("--finding", one)), "--quiet")
    done = kasino(*args, "--instead", "careful=beginner")
    assert done.exit_code == 0, done.output
    assert max(map(len, done.stdout.splitlines())) <= 80
    table = pd.read_csv("a/tables/again.csv")
    assert list(table["id"]) == naive and list(table.columns) == list(again.COLUMNS)
    assert table["players"].notna().sum() == 1
    assert "attempt 1 of own again" in done.stderr
    register = pd.read_csv("reports/attempts.csv", dtype=str)
    assert list(register["plan"]) == ["own", "own again"] and register["seed"].nunique() == 2
    assert kasino(*args, "--format", "json").exit_code == 0
    (kept,) = kept_studies(["a"])
    # What was tried with other players is another attempt than the same without; neither is lost.
    assert kept.has("again") and len(kept.table("again")) == len(naive) + 1
    page = _section(kept)
    assert all(str(says) in page for says in table["survived"])
    wrong = kasino("again", "a", "--finding", naive[0][:-1], "--attempt", 1)
    assert wrong.exit_code == 2 and "did you mean" in wrong.output and "--attempt 1" in wrong.output
    assert kasino("again", "nowhere", "--finding", "x").exit_code == 2


def _section(kept):
    from kasino_sim.report.build import _environment
    from kasino_sim.report.parts import Material
    from kasino_sim.report.sections.again import SECTION

    material = Material((), "kasino report", (kept,))
    assert SECTION.shows(material) and not SECTION.shows(Material((), "kasino report"))
    return _environment().get_template(SECTION.template).render(SECTION.context(material))


def test_what_no_few_cells_make_is_refused(place):
    study = study_of(place, TIPS)
    for finding in ("nothing", "nothing:points", f"{study.cells[0].name}:nonsense"):
        with pytest.raises(KasinoError, match="play the plan again"):
            combination_of(study, finding)
