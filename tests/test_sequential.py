"""Sequential tests keep their errors, confidence sequences hold at every look."""

import math

import numpy as np
import pytest

from kasino_sim.stats import sequential as s


@pytest.mark.parametrize(
    ("counts", "answer", "places"),
    [
        ((379, 10170, 21828, 10640, 343), 2.946, 0.001),
        ((365, 16618, 36229, 16974, 390), 2.25, 0.01),
    ],
)
def test_known_answers_of_pairs(counts, answer, places):
    assert s.pentanomial_llr(counts, 0, 2) == pytest.approx(answer, abs=places)
    assert s.pentanomial_llr(counts[::-1], -2, 0) == pytest.approx(-answer, abs=places)


def looks(random, mean, runs, cap):
    """Sums of 2D at every look of many runs: n, int64[runs, looks] twice."""
    size = s.LOOK_EVERY
    blocks = np.rint(random.normal(2 * mean, 5.4, (runs, cap // size, size))).astype(np.int64)
    totals, squares = blocks.sum(axis=2).cumsum(axis=1), (blocks**2).sum(axis=2).cumsum(axis=1)
    return np.arange(size, cap + 1, size), totals, squares


def ended(test, n, totals, squares):
    """Results of many runs, through the test's own looks."""
    found = []
    for total, square in zip(totals, squares, strict=True):
        states = (
            s.Running(int(a), int(b), int(c), 2) for a, b, c in zip(n, total, square, strict=True)
        )
        found.append(next(r for r in map(test.look, states) if r))
    return np.array(found)


def test_errors_are_within_alpha_and_beta():
    test = s.Sprt(0, 0.4, 6_000)
    random = np.random.default_rng(5)
    same, better = (ended(test, *looks(random, mean, 1_000, 6_000)) for mean in (0, 0.4))
    assert (same == s.HIGHER).mean() < 0.05 + 0.015
    assert (better == s.LOWER).mean() < 0.05 + 0.015
    assert (better == s.HIGHER).mean() > 0.9
    between = ended(s.Sprt(0, 0.05, 1_000), *looks(random, 0.025, 50, 1_000))
    assert (between == s.INCONCLUSIVE).mean() > 0.9


def test_a_sequence_holds_at_every_look_and_a_fixed_interval_does_not():
    """Negative control: peeking with the fixed interval errs many times as often."""
    n, totals, squares = looks(np.random.default_rng(6), 0, 1_000, 20_000)
    sd = np.sqrt((n * squares - totals**2) / (n * (n - 1.0)))
    off = np.abs(totals / n) / sd
    reach = np.array([s.sequence_reach(int(k), 20_000) for k in n])
    late = n >= s.FIRST_LOOK
    assert (off > reach)[:, late].any(axis=1).mean() < 0.05
    assert (off > 1.96 / np.sqrt(n))[:, late].any(axis=1).mean() > 0.2


def test_sequence_by_hand():
    rho2 = (-2 * math.log(0.05) + math.log(-2 * math.log(0.05)) + 1) / 1000
    grown = 600 * rho2 + 1
    half = math.sqrt(2 * grown / (600**2 * rho2) * math.log(math.sqrt(grown) / 0.05))
    sums = s.running([-1, 1] * 300)
    low, high = s.sequence(sums, 1000)
    assert high == -low == pytest.approx(half * math.sqrt(600 / 599))


def test_stopped_and_resumed_is_the_same():
    test = s.Sprt(0, 0.4, 6_000)
    values = np.rint(np.random.default_rng(3).normal(0.8, 5.4, 6_000)).astype(int)
    chunks = [s.running(values[i : i + 50], 2) for i in range(0, 6_000, 50)]
    whole = s.follow(test, chunks)
    half = s.follow(test, chunks[:7])
    assert half.result is None and half.interval is None
    assert s.follow(test, chunks[7:], half.sums) == whole
    assert whole.result == s.HIGHER
    assert whole.interval[0] < whole.sums.mean < whole.interval[1]


def test_no_look_between_looks_and_none_without_variance():
    test = s.Sprt(0, 0.1, 750)
    assert [n for n in range(1, 751) if test.due(n)] == [500, 600, 700, 750]
    big = s.Running(550, 5500, 56_000)
    assert test.look(big) is None
    flat = s.running([1] * 600)
    assert test.llr(flat) is None and test.look(flat) is None
    assert s.sequence(flat, 1000) is None
    assert test.look(s.running([1] * 750)) == s.INCONCLUSIVE


@pytest.mark.parametrize(
    "wrong", [(1, 0, 600), (0, 1, 499), (0, 1, 600, 0), (0, 1, 600, 0.05, 0.7)]
)
def test_wrong_tests(wrong):
    with pytest.raises(ValueError):
        s.Sprt(*wrong)
    with pytest.raises(ValueError, match="add"):
        s.Running(scale=1) + s.Running(scale=2)
