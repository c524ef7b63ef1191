"""Studies in the report: their sections, their numbers, and folders that hold none."""

import base64
import json
import re
import shutil

import pandas as pd
import pytest
from click.testing import CliRunner

from kasino_sim.catalog import data_dir
from kasino_sim.cli import main
from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.errors import KasinoError
from kasino_sim.plots import equivalence
from kasino_sim.plots.style import PLAYERS
from kasino_sim.report.build import build_report
from kasino_sim.report.kept import SHIPPED, KeptStudy, kept_studies, shipped_studies
from kasino_sim.report.pictures import picture
from kasino_sim.report.sections.again import _what
from kasino_sim.report.sections.house_rules import _searches
from kasino_sim.report.sections.tips import _deal, _deals_of, _for_whom, _gain
from kasino_sim.report.shipping import MOST_BYTES, ship, size_of
from kasino_sim.report.study_words import beside, height, mark
from kasino_sim.report.words import in_words
from kasino_sim.studies.claims import guides
from kasino_sim.studies.tip_verdicts import COSTS_SOME, HELPS_SOME, MIXED
from kasino_sim.study_file import load_study
from tests.small_studies import claims_plan, shrink
from tests.test_house_rules import CROSSED
from tests.test_house_rules import PLAN as HOUSE
from tests.test_knockouts import PLAN as SKILLS
from tests.test_tips_study import SMALL_PLAN as TIPS

CLAIMS = claims_plan(60)
TWO_TIPS = ["keep_aces", "no_early_builds"]
CLAIM_IDS = ("eleven-points", "table-ace-is-free", "target-15-to-25", "doubling-brings-cards")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("studies")
    plans = {"house": HOUSE, "crossed": CROSSED, "skills": SKILLS, "tips": TIPS, "claims": CLAIMS}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        shrink(patch, TWO_TIPS, CLAIM_IDS)
        for name, text in plans.items():
            (place / f"{name}.toml").write_text(text, encoding="utf-8")
            done = CliRunner().invoke(main, ["study", f"{name}.toml", "--quiet", "--out", name])
            assert done.exit_code == 0, done.output
    return [place / name for name in plans]


@pytest.fixture(scope="module")
def run():
    from kasino_sim.catalog import load_ruleset
    from kasino_sim.players import load_player
    from kasino_sim.studies.profile import plan_profile, play_profile

    return play_profile(plan_profile(load_ruleset("svensk"), (load_player("greedy"),), 1, 300), 1)


@pytest.fixture(scope="module")
def page(folders, run):
    return build_report([run], "kasino report", kept_studies(folders))


def section(page, anchor):
    found = re.search(rf'<section id="{anchor}">(.*?)</section>', page, re.S)
    assert found, anchor
    return found[1]


def test_each_study_has_a_section(page):
    for anchor in ("tips", "house-rules", "skills", "claims"):
        text = section(page, anchor)
        assert not re.search(r"\b(nan|None|inf)\b", text), anchor
        assert "not those that" in text  # the deals of these small plans are of another range
    assert "another version" not in page.lower()


def test_verdicts_stand_with_their_numbers(page, folders):
    tips = pd.read_csv(folders[3] / "tables" / "tips.csv")
    text = section(page, "tips")
    for says in tips["says"]:
        assert says in text
    deals = pd.read_csv(folders[3] / "tables" / "tip_deals.csv")
    known = deals["deal"].nunique()  # one that decided two tips is told once
    assert text.count('<div class="deal">') == text.count("<pre") == known
    assert text.count("<em>With the tip:</em>") == text.count("<em>Without it:</em>") == known
    claims = section(page, "claims")
    assert "depends on the rule set" in claims and "answered" in claims
    house = section(page, "house-rules")
    assert (
        house.count("<img") == 5
        and "What stands out from chance" in house
        and "sweeps count 2" in house
    )
    assert "double sweeps × late sweeps" in house


def test_where_a_tip_has_a_say_is_told_of_one_rule_set(page, folders):
    places = pd.read_csv(folders[3] / "tables" / "tip_places.csv")
    tips = pd.read_csv(folders[3] / "tables" / "tips.csv")
    for part, tip in zip(
        section(page, "tips").split('class="rules"')[1:], tips.itertuples(), strict=True
    ):
        table = part.partition("Where it has a say")[2].partition("</table>")[0]
        rows = re.findall(r'<th scope="row">(.*?)</th>\n<td>(.*?)</td>', table)
        assert len(rows) == len(set(rows))
        mine = places[(places["tip"] == tip.tip) & (places["opponent"] == tip.home)]
        assert len(rows) == (mine["ruleset"] == tip.ruleset).sum() > 0


def test_names_beside_figures_are_whole(page, folders):
    text = section(page, "house-rules")
    coded = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", text)
    drawn = " ".join(base64.b64decode(one).decode() for one in coded[:-1])
    assert drawn and "…" not in drawn
    assert beside("keeping point cards from the others") == "keeping point cards\nfrom the others"
    assert beside("building") == "building" and beside("x " * 40).count("\n") == 3
    assert height(["a"], 0.2, 1) == 1.4
    assert height(["a", "b", "keeping point cards from the others"], 0.2, 1) == 2.11


def test_claims_of_like_verdicts_stand_together(page, folders):
    claims = pd.read_csv(folders[4] / "tables" / "claims.csv")
    text = section(page, "claims")
    heads = re.findall(r"<h3>(.*?)</h3>", text)
    assert heads and len(heads) == len(set(heads)) <= len(claims)
    assert text.count('class="rules brief"') == len(claims)
    assert not re.search(r"\bS\d, ", text)
    assert guides("S0, a guide; so too S3, another") == "a guide; so too another"


def test_a_report_without_studies_has_none_of_these(page):
    from kasino_sim.report.build import all_sections
    from kasino_sim.report.parts import Material

    needing = [one for one in all_sections() if one.study]
    assert len(needing) == 4
    assert not any(one.shows(Material((), "")) for one in needing)


def test_another_engine_is_told(folders, tmp_path):
    manifest = json.loads((folders[2] / "manifest.json").read_text())
    manifest["engine"]["fingerprint"] = "0" * 16
    other = tmp_path / "skills"
    other.mkdir()
    (other / "manifest.json").write_text(json.dumps(manifest))
    (other / "findings.csv").write_text("")
    (kept,) = kept_studies([other])
    assert not kept.of_this_engine and kept_studies([folders[2]])[0].of_this_engine


def test_the_command_tells_the_scale(folders, tmp_path):
    study = load_study("knockouts").scaled(0.5)
    manifest = json.loads((folders[2] / "manifest.json").read_text())
    manifest["plan"] = study.plan.model_dump(mode="json")
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "findings.csv").write_text("")
    assert kept_studies([tmp_path])[0].command == "kasino study knockouts --scale 0.5"


def test_folders_without_a_study_are_told(tmp_path):
    with pytest.raises(KasinoError, match="holds no study"):
        kept_studies([tmp_path])
    done = CliRunner().invoke(main, ["report", "--study", str(tmp_path), "--out", "x.html"])
    assert done.exit_code == 2 and "holds no study" in done.output


# ---------------------------------------------------------------- what is shipped


def test_shipped_studies_are_complete_and_small():
    """Whatever is shipped: from confirm, every table there, its command named, 5 MB at most."""
    for study in shipped_studies():
        check_shipped(study)
    assert size_of(data_dir() / SHIPPED) <= MOST_BYTES


def check_shipped(study):
    assert study.confirmed and len(study.findings)
    command = study.manifest["command"]
    assert command.startswith(f"kasino study {study.plan['name']}") and study.command == command
    assert (" --size full" in command) == (study.plan["size"] == "full")
    package = json.loads((study.folder / "datapackage.json").read_text())
    files = {"manifest.json", "datapackage.json", *(r["path"] for r in package["resources"])}
    there = {str(p.relative_to(study.folder)) for p in study.folder.rglob("*") if p.is_file()}
    assert there == files and "findings.csv.gz" in files
    named = {cell["preset"] for cell in study.manifest["cells"]}
    assert named == {name.partition("+")[0] for name in study.manifest["rulesets"]}
    assert {n for c in study.manifest["cells"] for n in c["players"]} <= {
        *study.manifest["players"]
    }


@pytest.fixture
def confirmed(folders, tmp_path):
    """The folder of a study as if its deals were those of confirm: no other is shipped."""
    copy = shutil.copytree(folders[0], tmp_path / "house", ignore=shutil.ignore_patterns("cells"))
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["plan"]["deals"][-1]["range"] = "confirm"
    (copy / "manifest.json").write_text(json.dumps(manifest))
    return copy


def test_what_is_shipped_says_the_same(confirmed, tmp_path):
    (place,) = ship([confirmed], tmp_path / "studies")
    (whole,), (shipped,) = kept_studies([confirmed]), kept_studies([place])
    check_shipped(shipped)
    assert whole.command == shipped.command
    assert size_of(place) < 0.3 * size_of(confirmed)
    for name in ("findings", "tables/effects", "tables/robustness"):
        pd.testing.assert_frame_equal(
            shipped.read(name), whole.read(name), rtol=1e-5, check_dtype=False
        )
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    ship([confirmed], tmp_path / "studies")
    assert before == {path: path.read_bytes() for path in before}


def test_a_report_tells_what_is_shipped_and_by_which_engine(confirmed, run, tmp_path, monkeypatch):
    manifest = json.loads((confirmed / "manifest.json").read_text())
    manifest["engine"]["fingerprint"] = "0123456789abcdef"
    (confirmed / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.setattr("kasino_sim.report.kept.data_dir", lambda: tmp_path)
    ship([confirmed], tmp_path / SHIPPED)
    page = build_report([run], "kasino report", shipped_studies())
    text = " ".join(section(page, "house-rules").split())
    assert "from the shipped run of engine <code>0123456789abcdef</code>" in text
    assert f"your engine is <code>{engine_fingerprint()}</code>" in text


def test_nothing_is_shipped_that_may_not_be(folders, confirmed, tmp_path, monkeypatch):
    place = tmp_path / "studies"
    for wrong, told in (
        ([folders[0]], "only what was found on confirm is shipped"),
        ([confirmed, confirmed], "two are of the plan"),
        ([tmp_path], "holds no study"),
    ):
        with pytest.raises(KasinoError, match=told):
            ship(wrong, place)
    monkeypatch.setattr("kasino_sim.report.shipping.MOST_BYTES", 1_000)
    with pytest.raises(KasinoError, match="at most 0.001 are shipped"):
        ship([confirmed], place)
    assert not place.exists() and not list(tmp_path.glob(".*"))


def test_a_tip_is_told_by_player():
    worth = pd.DataFrame(
        [("t", "naive", who, says) for who, says in (("random", "above"), ("careful", "below"),
         ("tuned", "inside"), ("expert", "small"), ("greedy", "undecided"))]
        + [("t", "reverse", "tuned", "below"), ("other", "naive", "tuned", "above")],
        columns=["tip", "stage", "level", "verdict"],
    )  # fmt: skip
    assert _for_whom(worth, {"tip": "t"}) == (
        "It helps random, costs careful, is nothing to notice for tuned and expert and is "
        "undecided for greedy."
    )


def test_claims_say_what_the_players_believe(run):
    (claims,) = [study for study in shipped_studies() if study.kind == "claims"]
    assert claims.plan["beliefs"] == "own"
    text = " ".join(section(build_report([run], "kasino report", [claims]), "claims").split())
    assert "The players believe everything to be worth what it is in the rules at hand" in text


def test_a_level_dependent_tip_says_whom_it_helps(run):
    (tips,) = [study for study in shipped_studies() if study.kind == "tips"]
    told = tips.table("tips").set_index("tip")["levels"].fillna("")
    assert set(told) - {""} <= {MIXED, HELPS_SOME, COSTS_SOME}
    text = section(build_report([run], "kasino report", [tips]), "tips")
    for levels in set(told) - {""}:
        assert f"level-dependent<small>{levels}</small>" in text
        assert f"Level-dependent: it {levels}." in text


@pytest.mark.parametrize(
    ("restarts", "told"), [(1, "One search was"), (3, "Three searches were"), (12, "Twelve")]
)
def test_the_searches_of_players_tuned_anew_are_counted(restarts, told):
    assert _searches({"restarts": restarts}, {}).startswith(told)
    assert _searches(None, {}) == ""
    better = {("svensk", "", "", "tuned"): (3, 12), ("svensk", "", "x=2", "tuned"): (7, 12)}
    assert "3 of 12 for svensk as it is (tuned); for" in _searches({"restarts": restarts}, better)


def test_a_page_tells_how_many_searches_its_study_made(run):
    every = [study for study in shipped_studies() if study.kind == "house-rules"]
    adapted = [study for study in every if study.plan.get("adapt")]
    assert {study.plan["name"] for study in adapted} == {
        "house-rules-one-by-one", "house-rules-more-players",
    }  # fmt: skip
    for house in adapted:
        text = section(build_report([run], "kasino report", [house]), "house-rules")
        made = in_words(house.plan["adapt"]["restarts"]).capitalize()
        assert f"{made} searches were made" in text
        assert "searches whose player was kept" in text and re.search(
            r"as it is \([a-z-]+\); for the", text
        )


def test_how_it_was_done_agrees_with_the_studies(page, folders, run):
    text = " ".join(section(page, "method").split())
    assert (
        "simultaneous: all of them hold together" in text and "above half of that (0.025)" in text
    )
    assert "seeds of their own" in text and "but see what is said of" in text
    one = build_report([run], "kasino report", kept_studies(folders[2:3]))
    assert "“Small” has a seed of its own" in section(one, "method")
    alone = section(build_report([run], "kasino report"), "method")
    assert "The studies" not in alone and re.findall(r"<dt>(.*?)</dt>", alone) == ["greedy"]


def test_every_player_of_the_studies_is_told(run):
    text = section(build_report([run], "kasino report", shipped_studies()), "method")
    order = ["random", "greedy", "beginner", "beginner-tuned", "careful", "careful-tuned", "tuned"]
    order.append("expert")
    assert re.findall(r"<dt>(.*?)</dt>", text) == order
    assert "All but expert judge one move at a time" in text
    assert "All but tuned and expert were not fitted" in text


TOLD = """Deal 7, seed 1. Anna deals. Play 45 of 48:
  Anna   8d 9c
  Bo     8c 8s
  table  4h 6d
With the tip: Anna lays 8d; Bo takes 8d
  with 8c.
  Anna 15, Bo 3. Anna: aces.
Without it: Anna lays 9c; Bo lays 8c; Anna lays 8d; Bo takes 8c+8d with 8s.
  Anna 3, Bo 13. Anna: aces."""


def test_deals_say_what_of_them_is_not_told():
    with_tip, without = _deal({"gain": 22, "text": TOLD})["ways"]
    assert with_tip["plays"] == "Anna lays 8♦; Bo takes 8♦ with 8♣; … and 2 more plays."
    assert without["plays"].endswith("Bo takes 8♣+8♦ with 8♠.")
    assert with_tip["points"] == "In the whole deal Anna 15, Bo 3. Anna: aces."
    said = TOLD.replace("with 8c.", "with 8c; ... and 2 more plays.")
    assert _deal({"gain": 22, "text": said})["ways"] == [with_tip, without]


class Kept:
    """A study of three tips, two of which some deals decided together."""

    def table(self, name):
        if name == "tips":
            return pd.DataFrame({"tip": ["a", "b", "c"], "says": ["do a", "do b", "do c"]})
        return pd.DataFrame({"tip": list("aabbc"), "deal": [1, 2, 1, 3, 2]})


def test_no_deal_is_told_twice():
    told = {tip: _deals_of(Kept(), tip) for tip in "abc"}
    assert [[deal["deal"] for deal in told[tip][0]] for tip in "abc"] == [[1, 2], [3], []]
    assert [told[tip][1] for tip in "abc"] == [[], ["do a"], ["do a"]]


def test_a_player_has_one_colour_in_every_picture(monkeypatch, folders, run):
    """Whoever else is drawn: pictures show the last three levels of a rule set alone."""
    frames = []
    for room in ("house_rules", "tips", "skills"):
        monkeypatch.setattr(
            f"kasino_sim.report.sections.{room}.picture",
            lambda draw, frame, *rest: frames.append((draw, frame)) or picture(draw, frame, *rest),
        )
    page = build_report([run], "kasino report", [*shipped_studies(), *kept_studies(folders[2:3])])
    drawn = pd.concat(
        [f for draw, f in frames if draw is equivalence.draw and (f["kind"] != "").any()]
    )
    marks = drawn.groupby("kind")["mark"].unique()
    assert (
        all(len(some) == 1 for some in marks) and drawn.groupby("mark")["kind"].nunique().max() == 1
    )
    assert list(marks.index[marks.map(min).argsort()]) == [n for n in PLAYERS if n in marks.index]
    text = " ".join(section(page, "house-rules").split())
    assert "Hollow marks: nobody would notice" in text
    assert "Not drawn, but in the numbers: greedy" in text


def test_players_that_the_program_does_not_know_have_marks_of_their_own():
    played = [{"name": name} for name in ("mine", "expert", "bold", "mine+save_big")]
    plan = {"players": [["mine"], ["expert"], ["bold.toml"]]}
    study = KeptStudy(None, {"plan": plan, "cells": [{"players": played}]})
    assert list(study.players) == ["mine", "expert", "bold"]
    assert [mark(study, n) for n in ("random", "expert", "bold", "mine")] == [0, 5, 6, 7]


def test_what_two_rules_do_together_is_explained(page):
    text = " ".join(section(page, "house-rules").split())
    assert "(×) is half of what both add beyond the sum of what each adds alone" in text


@pytest.mark.parametrize(
    ("applies", "changes", "est", "told"),
    [
        (2.0, 0.5, 0.123, "Expert gains 0.12 points a deal (0.10 to 0.15) by it."),
        (2.0, 0.5, -0.123, "Expert loses 0.12 points a deal (0.10 to 0.15) by it."),
        (2.0, 0.5, 0.001, "To expert it comes to 0.00 points a deal (\u22120.02 to 0.03)."),
        (2.0, 0.0, 0.0, "Expert does what it says already."),
        (0.0, 0.0, 0.0, "It never has a say in what expert does."),
    ],
)
def test_what_a_tip_gains_is_told_as_one_would_say_it(applies, changes, est, told):
    row = {"tip": "t", "level": "expert", "ruleset": "svensk"}
    audit = pd.DataFrame([{**row, "applies_per_deal": applies, "changes_per_deal": changes}])
    found = {**row, "est": est, "se": 0.01, "lo": est - 0.0196, "hi": est + 0.0196}
    assert _gain(found, audit) == told


def test_tips_are_called_by_their_words_everywhere(page, folders):
    tips = pd.read_csv(folders[3] / "tables" / "tips.csv")
    text = section(page, "tips")
    pictures = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", text)
    whole = text + " ".join(base64.b64decode(one).decode() for one in pictures)
    shown = re.sub(r"base64,[^\"]*|(id|href)=\"[^\"]*\"", "", whole)
    for tip in tips.itertuples():
        assert f"“{tip.says}”" in text and tip.tip.replace("_", " ") not in shown


def test_what_only_machines_read_is_out_of_the_opening_sentence(page, folders):
    for anchor, folder in (("house-rules", folders[0]), ("tips", folders[3])):
        seed = json.loads((folder / "manifest.json").read_text())["seed"]
        opening, _, rest = section(page, anchor).partition('<details class="numbers">')
        assert "tables played the same" in opening and "seatings" not in opening + rest
        assert "kasino study" not in opening and f"seed {seed}" in rest.partition("</details>")[0]
    house = " ".join(section(page, "house-rules").split())
    assert "pairs of a house rule and a number" in house and "changes were asked" not in house
    assert house.index("marked <em>explored</em>") < house.index("(explored)")


def test_tips_tried_again_are_called_by_their_words():
    found = {"estimand": "worth of the tip: naive", "arm": "keep_aces*1", "level": "careful"}
    told = _what({**found, "attempt": 2})
    assert told == "aces are dangerous to lay: on against off, careful, attempt 2"
