"""How the engine is compiled: once, for every rule set and player, in a folder of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kasino_sim
from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.engine import jit, moves, play, policies, search
from kasino_sim.plan import Plan
from kasino_sim.players import load_player, player_names
from kasino_sim.simulate import Engine

PACKAGE = Path(kasino_sim.__file__).parent


def run(code, **environment):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)


@pytest.mark.skipif(jit.JIT_OFF, reason="nothing is compiled")
def test_no_rule_set_and_no_player_compiles_anything_anew():
    for preset in ruleset_names():
        for name in player_names():
            for n in (2, 3):
                rules = load_ruleset(preset, [f"deal.players={n}"])
                player = load_player(name).model_copy(update={"playouts": 4, "splits": 1})
                Engine(Plan(rules, (player,), 1, 1)).sheets(0, 1)
    for function in (
        search.search_block,
        play.play_block,
        policies.choose_move,
        moves.legal_classes,
    ):
        assert len(function.signatures) <= 1


FOLDER = "from kasino_sim.engine import jit; print(jit.cache_folder())"


def test_an_edit_of_any_engine_file_changes_the_cache_folder(tmp_path):
    copy = tmp_path / "kasino_sim"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "data"))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {FOLDER}"
    home = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    folders = [run(code, **home).stdout]
    for name in ("scoring.py", "captures.py", "../cards.py"):
        with open(copy / "engine" / name, "a") as file:
            file.write("\n# edited\n")
        folders.append(run(code, **home).stdout)
    assert len(set(folders)) == len(folders) and all(folders)


def test_flags_change_the_cache_folder(tmp_path):
    home = {"NUMBA_CACHE_DIR": str(tmp_path)}
    plain, checked = run(FOLDER, **home), run(FOLDER, NUMBA_BOUNDSCHECK="1", **home)
    assert plain.stdout != checked.stdout


def test_where_nothing_can_be_written_it_still_imports(tmp_path):
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    done = run(
        "import warnings; warnings.simplefilter('ignore'); from kasino_sim.engine import jit;"
        "from kasino_sim.engine.bits import popcount; print(jit.cache_folder(), popcount(7))",
        NUMBA_CACHE_DIR=str(nowhere),
        XDG_CACHE_HOME=str(nowhere),
        HOME=str(nowhere),
    )
    assert done.stdout.strip() == "None 3", done.stderr


def test_it_is_known_what_was_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "_FOLDER", tmp_path)
    assert not jit.is_compiled() and not jit.is_compiled("play_block")
    folder = tmp_path / "engine_1"
    folder.mkdir()
    (folder / "play.play_block-120.py311.1.nbc").write_bytes(b"")
    assert jit.is_compiled() and jit.is_compiled("play_block")
    assert not jit.is_compiled("value_worlds")


@pytest.mark.skipif(jit.JIT_OFF, reason="nothing is compiled")
def test_linear_algebra_is_loaded_by_kernels_that_need_it():
    done = run(
        "import sys, numba, numpy as np; from kasino_sim.engine.bits import popcount; popcount(7);"
        "print('scipy.linalg' in sys.modules);"
        "print(numba.njit(lambda a: np.dot(a, a))(np.full((2, 2), 3.0))[0, 0]);"
        "print('scipy.linalg' in sys.modules)"
    )
    assert done.stdout.split() == ["False", "18.0", "True"], done.stderr
