"""The same source without compiling, and compiled with bounds checks, gives the same tallies."""

import hashlib
import os
import subprocess
import sys

import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.engine.jit import JIT_OFF
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import simulate

CASES = [
    ("svensk", "random", 2),
    ("svensk-utan-bygg", "greedy", 4),
    ("norsk", "careful", 3),
    ("dansk-svupper", "random", 3),
    ("smygkasino", "careful", 2),
    ("royal", "random", 4),
    ("casino", "careful", 2),
]


def fingerprint(deals=2):
    """Hash the tallies of a few deals under rule sets that touch every kernel."""
    digest = hashlib.sha256()
    for preset, name, players in CASES:
        rules = load_ruleset(preset, [f"deal.players={players}"])
        tally = simulate(Plan(rules, (load_player(name),), 5, deals), threads=1)
        digest.update(tally.frame().to_csv().encode())
    return digest.hexdigest()


def elsewhere(**environment):
    code = "import test_jit_off; print(test_jit_off.fingerprint())"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(JIT_OFF, reason="compares with the compiled engine")
def test_without_compiling():
    assert elsewhere(NUMBA_DISABLE_JIT="1") == fingerprint()


@pytest.mark.skipif(JIT_OFF, reason="compares with the compiled engine")
def test_with_bounds_checks():
    assert elsewhere(NUMBA_BOUNDSCHECK="1") == fingerprint()


@pytest.mark.skipif(not JIT_OFF, reason="the run that measures coverage of the kernels")
def test_kernels_run_uncompiled():
    assert len(fingerprint()) == 64


@pytest.mark.skipif(JIT_OFF, reason="needs the compiler")
def test_the_portable_twins_of_the_bit_instructions():
    import numpy as np

    from kasino_sim.engine import bits

    rng = np.random.default_rng(1)
    for _ in range(500):
        board = int(rng.integers(1, 1 << 52))
        mask = int(rng.integers(0, 1 << board.bit_count()))
        assert bits.popcount(board) == board.bit_count()
        assert bits.lowest(board) == (board & -board).bit_length() - 1
        assert bits.deposit(mask, board) == bits.deposit_plain(mask, board)
