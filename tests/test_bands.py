"""Bands and quantiles of distributions."""

import numpy as np
import pytest
from scipy.stats import norm

from kasino_sim.stats import bands as b
from kasino_sim.stats.intervals import rate_row

LAW = np.array([0.3, 0.25, 0.2, 0.15, 0.07, 0.03])


def test_a_band_holds_for_all_shares_and_single_intervals_do_not():
    seen = np.random.default_rng(1).multinomial(2_000, LAW, 4_000)
    inside = []
    for counts in seen:
        low, high = b.band(counts)
        inside.append(((low <= LAW) & (high >= LAW)).all())
    assert 0.94 <= np.mean(inside) <= 0.97
    alone = norm.ppf(0.975) * np.sqrt(LAW * (1 - LAW) / 2_000)
    assert (np.abs(seen / 2_000 - LAW) <= alone).all(axis=1).mean() < 0.85


def test_a_band_of_two_cells_at_its_level_is_wilson():
    low, high = b.band(np.array([30, 70]), 0.90)
    row = rate_row(30, 100)
    assert (low[0], high[0]) == pytest.approx((row["low"], row["high"]))


def test_a_rare_cell_that_is_seen_does_not_break_the_band():
    """As the tails of points do: Wilson's interval alone would hold in fewer than 90 %."""
    law = np.append(0.4 * 0.3 ** np.arange(1, 9), 0)
    law[-1] = 1 - law.sum()
    seen = np.random.default_rng(8).multinomial(1_000, law, 3_000)
    inside = [((low <= law) & (law <= high)).all() for low, high in map(b.band, seen)]
    assert 0.945 <= np.mean(inside) <= 0.985  # exact intervals of rare cells are wide
    wilson = [b._wilson(counts, 1_000, 0.025 / len(law)) for counts in seen]
    broken = [((low <= law) & (law <= high)).all() for low, high in wilson]
    assert np.mean(broken) < 0.90
    row = rate_row(3, 50)
    assert [end[0] for end in b.band(np.array([3, 47]), 0.90)] == pytest.approx(
        [row["low"], row["high"]]
    )


def test_games_that_resemble_one_another_widen_a_band():
    counts = np.array([300, 700])
    low, high = b.band(counts, design_effect=2.0)
    half = b.band(counts // 2)
    assert low == pytest.approx(half[0]) and high == pytest.approx(half[1])
    assert b.band(np.zeros(3, int)) is None
    assert b.band(np.array([0, 9]))[0][0] == 0 and b.band(np.array([0, 9]))[1][1] == 1
    with pytest.raises(ValueError, match="design effect"):
        b.band(counts, design_effect=0)


def test_quantiles():
    counts = np.array([1, 0, 2, 1])
    assert [b.quantile(counts, q) for q in (0.01, 0.25, 0.26, 0.75, 0.76, 1)] == [0, 0, 2, 2, 3, 3]
    assert b.quantile(np.zeros(3), 0.5) is None
    # Textbook: of ten, the 2nd and the 9th hold the median in 97.9 % of samples.
    assert b.quantile_interval(np.ones(10, int), 0.5) == (1, 8)
    assert b.quantile_interval(np.ones(5, int), 0.5) is None
    assert b.quantile_interval(np.zeros(5, int), 0.5) is None


def test_a_quantile_interval_holds():
    """On a fine law, where the interval is nearly exact."""
    random, held = np.random.default_rng(2), 0
    for _ in range(2_000):
        counts = np.bincount(random.integers(0, 100_001, 500), minlength=100_001)
        low, high = b.quantile_interval(counts, 0.5)
        held += low <= 50_000 <= high
    assert 0.94 <= held / 2_000 <= 0.97
