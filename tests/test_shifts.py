"""Shifts between two distributions: known answers, coverage near and far from 0."""

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from kasino_sim.stats import bootstrap
from kasino_sim.stats import shifts as b


def test_shifts_against_scipy_and_by_counting():
    joint = np.random.default_rng(3).integers(0, 9, (5, 5))
    y1, y0 = np.repeat(np.argwhere(joint >= 0), joint.ravel(), axis=0).T
    assert b.superiority(joint) == pytest.approx((y1 > y0).mean() + (y1 == y0).mean() / 2)
    assert b.mean_shift(joint) == pytest.approx((y1 - y0).mean())
    assert b.wasserstein(joint) == pytest.approx(wasserstein_distance(y1, y0))
    both = np.stack([joint, joint.T])
    assert b.superiority(both).sum() == pytest.approx(1)


@pytest.mark.parametrize("figure", [b.superiority, b.mean_shift, b.wasserstein])
def test_the_bootstrap_holds(figure):
    law = np.outer([0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1])
    truth = float(figure(law[None])[0])
    random, held = np.random.default_rng(4), 0
    for _ in range(1_000):
        parts = random.multinomial(50, law.ravel(), 100).reshape(100, 4, 4)
        low, high = bootstrap.interval(parts, figure, draws=300)
        held += low <= truth <= high
    assert 0.93 <= held / 1_000 <= 0.97


def test_the_bootstrap_of_a_mean_is_its_t_interval():
    joint = np.random.default_rng(5).multinomial(40, np.full(9, 1 / 9), 200).reshape(200, 3, 3)
    low, high = bootstrap.interval(joint, b.mean_shift, draws=20_000)
    means = b.mean_shift(joint)
    half = 1.972 * means.std(ddof=1) / np.sqrt(200)
    assert (high - low) / 2 == pytest.approx(half, rel=0.02)
    assert (high + low) / 2 == pytest.approx(means.mean())
    assert bootstrap.interval(joint, b.mean_shift) == bootstrap.interval(joint, b.mean_shift)


def test_the_bootstrap_of_nothing_is_undetermined():
    same = np.tile(np.eye(3, dtype=int), (50, 1, 1))
    assert bootstrap.interval(same, b.mean_shift) is None
    assert bootstrap.interval(same[:19], b.superiority) is None
    found = b.shifts(same)
    assert [found[name]["value"] for name in (b.MORE, b.SHIFT, b.DISTANCE)] == [0.5, 0, 0]
    assert all(np.isnan(row["low"]) and np.isnan(row["high"]) for row in found.values())
    assert b.distance_interval(same[:19]) is None


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.3])
def test_the_interval_of_a_distance_holds_however_near_0(gap):
    """Exactly at 0, else oftener; independent arms, so that chance pulls them apart."""
    first, second = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.4 - gap, 0.3 + gap, 0.2, 0.1])
    law = np.outer(second, first)
    truth = float(b.wasserstein(law))
    assert truth == pytest.approx(gap)
    random, held = np.random.default_rng(6), 0
    for _ in range(1_000):
        parts = random.multinomial(50, law.ravel(), 100).reshape(100, 4, 4)
        low, high = b.distance_interval(parts, draws=500)
        assert 0 <= low < high
        held += low <= truth <= high
    assert held / 1_000 >= 0.93
    assert gap or held / 1_000 <= 0.97


def test_a_distance_is_told_from_0_once_it_is_far_from_it():
    law = np.outer([0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1])
    parts = np.random.default_rng(7).multinomial(50, law.ravel(), 100).reshape(100, 4, 4)
    found = b.shifts(np.pad(parts, ((0, 0), (0, 9), (0, 9))))
    assert found[b.DISTANCE]["low"] > 0.8
    assert found[b.SHIFT]["low"] < 1 < found[b.SHIFT]["high"]
    assert found[b.MORE]["low"] > 0.7
    assert found == b.shifts(parts)
