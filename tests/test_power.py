"""Blocks that a question takes."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from kasino_sim.errors import KasinoError
from kasino_sim.stats import power as p


@pytest.mark.parametrize(
    ("difference", "usual", "strict"),
    [(0.20, 1_430, 5_750), (0.10, 5_720, 23_000), (0.05, 22_900, 92_000), (0.02, 143_000, 575_000)],
)
def test_the_table_of_sizes(difference, usual, strict):
    assert p.blocks_needed(difference, 2.7) == pytest.approx(usual, rel=0.005)
    assert p.blocks_needed(difference, 2.7, 0.001, 0.99) == pytest.approx(strict, rel=0.02)


@pytest.mark.parametrize("difference", [0.2, 1.0, 5.0])
def test_the_fewest_that_do(difference):
    n = p.blocks_needed(difference, 2.7)
    assert p.power_of(n, difference, 2.7) >= 0.8
    if n > 4:
        assert p.power_of(n - 1, difference, 2.7) < 0.8
        assert p.findable(n, 2.7) <= difference < p.findable(n - 1, 2.7)


def test_simulated_power():
    found = np.random.default_rng(4).normal(0.5, 2.7, (4_000, 100))
    share = (ttest_1samp(found, 0, axis=1).pvalue < 0.05).mean()
    assert share == pytest.approx(p.power_of(100, 0.5, 2.7), abs=0.03)
    assert p.power_of(100, 0.0, 2.7) == pytest.approx(0.05, abs=1e-6)


def test_blocks_for_a_standard_error():
    assert p.blocks_for_se(0.008, 2.7) == 113_907
    assert p.blocks_for_se(0.02, 7.1) == 126_025


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: p.blocks_needed(0, 2.7),
        lambda: p.blocks_needed(0.1, 0),
        lambda: p.blocks_needed(0.1, 2.7, power=0.01),
        lambda: p.power_of(1, 0.1, 2.7),
        lambda: p.findable(1, 2.7),
        lambda: p.blocks_for_se(0, 2.7),
    ],
)
def test_wrong_questions(wrong):
    with pytest.raises(KasinoError, match="given, allowed"):
        wrong()
