"""Plans that are wrong are told in lines that name file, field and what is allowed."""

from pathlib import Path

import pytest

from kasino_sim.errors import KasinoError
from kasino_sim.studies.kinds import kind_of
from kasino_sim.study_file import load_study, study_names

GOOD = """
title = "Test"
question = "Which?"
kind = "profile"
rulesets = ["svensk", "dansk"]
players = [["careful"]]

[[deals]]
range = "tune"
blocks = 100
"""
FAMILY = """
[[families]]
name = "seat"
responses = ["first_player_advantage"]
"""


def _check(folder: Path, text: str) -> None:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    kind_of(load_study(path))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD.replace("title", "titel"), "title"),
        (GOOD.replace('"profile"', '"profil"'), "did you mean"),
        (GOOD.replace("blocks = 100", "blocks = 0"), "greater than or equal to 1"),
        (GOOD.replace('"dansk"', '"danks"'), "dansk"),
        (GOOD.replace('["careful"]', '["careful", "greedy", "careful"]'), "players"),
        (
            GOOD.replace("\n[[deals]]", '\n[factors]\n"sweep.point" = [1]\n[[deals]]'),
            "sweep.points",
        ),
        (
            GOOD.replace(
                "\n[[deals]]",
                '\n[factors]\n"build.allowed" = [false]\n"build.raise" = ["none"]\n[[deals]]',
            ).replace("players =", 'design = "factorial"\nplayers ='),
            "means nothing",
        ),
        (GOOD + '[[deals]]\nrange = "tune"\nblocks = 50\n', "overlap"),
        (GOOD + FAMILY, "correction is missing"),
        (GOOD + FAMILY + 'correction = "none"\n', "several need max-t"),
        (GOOD.replace("question", "seed = 7\nquestion").replace("tune", "confirm"), "computed"),
    ],
)
def test_bad_plans(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(KasinoError) as caught:
        _check(tmp_path, text)
    assert any(told in line for line in caught.value.lines), caught.value.lines
    assert all("own.toml" in line and "\n" not in line for line in caught.value.lines)


def test_good_plan(tmp_path: Path) -> None:
    _check(tmp_path, GOOD)
    _check(tmp_path, GOOD + FAMILY + 'correction = "holm"\n')


@pytest.mark.parametrize("name", study_names())
def test_shipped_plans(name: str) -> None:
    study = load_study(name)
    kind_of(study)
    assert study.seed == load_study(name).seed
    assert study.seed != study.scaled(0.5).seed
