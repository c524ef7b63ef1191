"""The proof of bands, shifts and paired differences can fail: each check sees a wrong interval."""

from dataclasses import replace

import numpy as np
import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.stats import bands, measured
from kasino_sim.studies import verification as v
from kasino_sim.studies import verification_runs as runs
from kasino_sim.studies import verification_shapes as shapes


@pytest.fixture(scope="module")
def people():
    return v.population(runs._plan(20_000, ("careful",)))


@pytest.fixture(scope="module")
def pair(people):
    rules = load_ruleset(runs.RULES, list(runs.CHANGED))
    return shapes.Pair(people, v.population(replace(people.plan, rules=rules)))


def test_bands_and_quantiles_hold_and_shorter_ones_do_not(people, monkeypatch):
    assert all(check.passed for check in shapes.distribution_checks(people, 1_000, 600))
    right = bands.quantile_interval

    def beside(counts, q):
        low, high = right(counts, q)
        return low + 1, high + 1

    monkeypatch.setattr(bands, "quantile_interval", beside)
    monkeypatch.setattr("kasino_sim.stats.bins.band", lambda counts: bands.band(counts, 0.5))
    assert not any(check.passed for check in shapes.distribution_checks(people, 1_000, 300))


def test_a_band_of_wilson_alone_is_caught(people, monkeypatch):
    """It holds in some 85 % of samples: points have rare tails."""

    def wilson(counts):
        return bands._wilson(counts, int(counts.sum()), 0.025 / len(counts))

    monkeypatch.setattr("kasino_sim.stats.bins.band", wilson)
    check = shapes.distribution_checks(people, 1_000, 1_000)[0]
    assert not check.passed and check.figure < 0.9


def test_intervals_over_chunks_hold_and_shorter_ones_do_not(people, monkeypatch):
    assert all(check.passed for check in shapes.chunk_checks(people, 20, 1_000))
    right = measured.Measured.row
    monkeypatch.setattr(measured.Measured, "row", lambda self: right(self, 0.68))
    assert not any(check.passed for check in shapes.chunk_checks(people, 20, 1_000))


def test_paired_differences_hold_and_unpaired_variances_do_not(pair, monkeypatch):
    assert all(check.passed for check in shapes.contrast_checks(pair, 1_000, 600))
    right = shapes.differences

    def wrong(contrast, tally):
        return [
            replace(found, of=replace(found.of, block_se=2**0.5 * found.of.block_se))
            for found in right(contrast, tally)
        ]

    spread = shapes.covariance
    monkeypatch.setattr(shapes, "differences", wrong)
    monkeypatch.setattr(shapes, "covariance", lambda *of: 2 * spread(*of))
    assert not any(check.passed for check in shapes.contrast_checks(pair, 1_000, 600))


def test_shifts_hold_and_half_the_error_does_not(pair, monkeypatch):
    assert all(check.passed for check in shapes.shift_checks(pair, 20, 25))
    right = shapes.shifts.shifts

    def short(parts):
        found = right(parts)
        for row in found.values():
            row["low"], row["high"] = (
                row["value"] + (row[k] - row["value"]) / 4 for k in ("low", "high")
            )
        return found

    monkeypatch.setattr(shapes.shifts, "shifts", short)
    assert not any(check.passed for check in shapes.shift_checks(pair, 20, 60))


def test_a_spread_of_bootstrapped_distances_is_caught(pair, monkeypatch):
    """It holds in some 40 % of samples where the distance is 0."""

    def spread(parts):
        return shapes.shifts.bootstrap.interval(parts, shapes.shifts.wasserstein, draws=300)

    monkeypatch.setattr(shapes.shifts, "distance_interval", spread)
    check = shapes.shift_checks(pair, 20, 100)[-1]
    assert not check.passed and check.figure < 0.7


def test_counts_that_cannot_hit_95_may_hold_oftener_but_not_less():
    assert shapes.holds_at_least("x", 1.0, 10_000).passed
    assert not shapes.holds_at_least("x", 0.93, 10_000).passed
    assert not shapes.holds_at_least("x", float(np.nan), 10_000).passed
