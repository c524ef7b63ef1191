"""Every golden transcript comes out again, line by line; see scripts/regenerate_golden.py."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from kasino_sim.catalog import ruleset_names
from kasino_sim.cli import main

FOLDER = Path(__file__).parent / "golden"
AGAIN = "if this is meant: python scripts/regenerate_golden.py, and read what changed"


def parts(path):
    """Split a golden file into its command, the words it is there to show, and the transcript."""
    head, _, told = path.read_text(encoding="utf-8").partition("\n\n")
    command, _, shows = head.partition("\n")
    return command, shows.removeprefix("shows: "), told


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_golden(path):
    command, shows, told = parts(path)
    assert command.startswith("$ kasino show ")
    result = CliRunner().invoke(main, shlex.split(command)[2:])
    assert result.exit_code == 0, result.output
    now, then = result.output.splitlines(), told.splitlines()
    for number, (new, old) in enumerate(zip(now, then, strict=False), start=1):
        assert new == old, f"{path.name}: line {number} of the transcript differs; {AGAIN}"
    assert len(now) == len(then), f"{path.name} is longer or shorter; {AGAIN}"
    assert shows in told
    assert max(map(len, now)) <= 80


@pytest.mark.parametrize("name", ruleset_names())
def test_every_rule_set_has_one(name):
    path = FOLDER / f"{name}.txt"
    assert path.exists(), f"{name} has no golden transcript: python scripts/regenerate_golden.py"
    assert f"--rules {name} " in parts(path)[0]


def test_what_the_others_are_there_to_show():
    shown = " ".join(parts(path)[1] for path in FOLDER.glob("*.txt"))
    for words in ("raises the build", "doubles the build", "the last card sweeps", "wait for"):
        assert words in shown
