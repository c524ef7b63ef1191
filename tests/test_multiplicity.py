"""Families of questions: adjusted p-values, simultaneous intervals and verdicts."""

import numpy as np
import pytest
from scipy.stats import norm, t

from kasino_sim.stats import multiplicity as m


def family(estimates, correlation=None, df=np.inf):
    return m.Family(np.array(estimates, float), np.ones(len(estimates)), correlation, df)


def test_the_same_question_ten_times_costs_nothing():
    asked = family([2.0] * 10, np.ones((10, 10)))
    found = m.max_t(asked)
    assert found.reach == pytest.approx(norm.ppf(0.975), abs=0.02)
    assert found.p == pytest.approx(asked.p, abs=0.003)


@pytest.mark.parametrize("k", [2, 5, 30])
def test_independent_questions_are_sidak(k):
    asked = family([2.5] * k, np.eye(k))
    found = m.max_t(asked)
    assert found.reach == pytest.approx(norm.ppf(0.5 + 0.95 ** (1 / k) / 2), abs=0.02)
    assert found.p == pytest.approx(1 - (1 - asked.p) ** k, abs=0.006)
    assert m.max_t(family([2.5] * k)).reach == found.reach


@pytest.mark.parametrize("df", [5, 40, np.inf])
@pytest.mark.parametrize("rho", [0, 0.5, 0.99])
def test_between_one_question_and_bonferroni(rho, df):
    k = 8
    correlation = np.full((k, k), rho) + (1 - rho) * np.eye(k)
    asked = family(np.linspace(0, 9, k), correlation, df)
    found = m.max_t(asked)
    assert t.ppf(0.975, df) <= found.reach <= t.ppf(1 - 0.025 / k, df)
    assert (asked.p <= found.p).all() and (found.p <= np.minimum(k * asked.p, 1)).all()
    assert m.reach(correlation, df) == found.reach
    assert found.high - found.low == pytest.approx(2 * found.reach)


def test_intervals_hold_together_and_single_ones_do_not():
    """Negative control: ten intervals that are each their own fail in a third of the families."""
    k, rho, n = 10, 0.3, 20_000
    correlation = np.full((k, k), rho) + (1 - rho) * np.eye(k)
    random = np.random.default_rng(11)
    drawn = np.abs(random.multivariate_normal(np.zeros(k), correlation, n)).max(axis=1)
    assert (drawn <= m.reach(correlation, np.inf)).mean() == pytest.approx(0.95, abs=0.006)
    assert (drawn <= norm.ppf(0.975)).mean() < 0.75


def test_holm_and_benjamini_hochberg_by_hand():
    p = [0.01, 0.04, 0.03, 0.005]
    assert m.holm_p(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert m.bh_p(p) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    asked = family(norm.isf(np.array(p) / 2))
    assert m.holm(asked).p == pytest.approx(m.holm_p(p))
    assert m.holm(asked).reach == pytest.approx(norm.ppf(1 - 0.025 / 4))
    assert m.benjamini_hochberg(asked).reach == pytest.approx(norm.ppf(0.975))


@pytest.mark.parametrize(
    ("low", "high", "se", "expected"),
    [
        (0.06, 0.10, 0.01, "above"),
        (-0.1, -0.06, 0.01, "below"),
        (0.01, 0.04, 0.01, "small"),
        (-0.02, 0.04, 0.01, "inside"),
        (-0.04, -0.01, 0.01, "inside"),
        (0.04, 0.06, 0.01, "undecided"),
        (0.06, 0.30, 0.026, "undecided"),  # no verdict where the error is above half of the ROPE
        (float("nan"), 1, 0.01, "undetermined"),
    ],
)
def test_verdicts(low, high, se, expected):
    assert m.verdict(low, high, se, 0.05) == expected


def test_verdicts_of_a_family():
    asked = m.Family(np.array([0.2, 0.0]), np.array([0.01, 0.01]))
    assert m.max_t(asked).verdicts(asked, 0.05) == ["above", "inside"]


@pytest.mark.parametrize(
    "wrong",
    [
        dict(estimates=np.zeros(2), ses=np.ones(1)),
        dict(estimates=np.zeros(2), ses=np.zeros(2)),
        dict(estimates=np.array([np.nan]), ses=np.ones(1)),
        dict(estimates=np.zeros(2), ses=np.ones(2), correlation=np.eye(3)),
        dict(estimates=np.zeros(2), ses=np.ones(2), df=0),
    ],
)
def test_no_family_of_the_unknown(wrong):
    with pytest.raises(ValueError):
        m.Family(**wrong)
