"""The recipe table of CONTRIBUTING.md is true."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kasino_sim import catalog
from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.cli import COMMANDS
from kasino_sim.plan import Plan
from kasino_sim.players import load_player, player_names
from kasino_sim.simulate import simulate

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = TEXT.split("## To add")[1].split("## How")[0]


def test_the_table_names_files_that_exist():
    paths = re.findall(r"`((?:kasino_sim|data|tests)/[^`]*)`", RECIPES)
    assert len(paths) > 12
    for path in paths:
        assert (ROOT / path.replace("NAME.toml", "").replace("NAME.py", "")).exists(), path


def test_the_layers_name_modules_that_exist():
    rooms = re.findall(r"`(\w+/?)`", TEXT.split("| layer |")[1].split("## To add")[0])
    package = ROOT / "kasino_sim"
    for room in rooms:
        places = [package / room, package / f"{room}.py", package / "engine" / f"{room}.py"]
        assert any(p.exists() for p in places), room


@pytest.fixture
def own_data(tmp_path, monkeypatch):
    """A copy of the data folder that a test may add to."""
    import shutil

    shutil.copytree(catalog.data_dir(), tmp_path / "data")
    monkeypatch.setattr(catalog, "data_dir", lambda: tmp_path / "data")
    return tmp_path / "data"


def test_a_rule_set_is_one_file(own_data):
    (own_data / "rulesets" / "tampere.toml").write_text(
        'preset = "svensk"\ntitle = "Tampere"\n[sweep]\npoints = 2\n'
    )
    assert "tampere" in ruleset_names()
    plan = Plan(load_ruleset("tampere"), (load_player("greedy"),), 1, 20)
    assert simulate(plan).blocks == 20


def test_a_player_is_one_file(own_data):
    (own_data / "players" / "miser.toml").write_text(
        'idea = "Takes cards."\nsource = "a test"\nkind = "weigh"\n[weights]\ncards = 1\n'
    )
    assert "miser" in player_names()
    players = (load_player("miser"), load_player("random"))
    tally = simulate(Plan(load_ruleset("svensk"), players, 1, 400))
    assert tally.sums["difference"] > 0


def test_every_command_has_its_file():
    for name, (module, line) in COMMANDS.items():
        assert (ROOT / (module.replace(".", "/") + ".py")).exists() and line, name


def test_help_is_quick_and_light():
    code = (
        "import sys; from kasino_sim.cli import main; main(['--help'], standalone_mode=False);"
        "heavy = {'numba', 'pandas', 'matplotlib', 'numpy'} & set(sys.modules); assert not heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in COMMANDS:
        assert name in done.stdout
