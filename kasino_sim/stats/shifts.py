"""The shift between two distributions of the same decks: how often more, and how much."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kasino_sim.stats import bootstrap
from kasino_sim.stats.intervals import CONFIDENCE, UNDETERMINED

MORE, SHIFT, DISTANCE = "more", "mean_shift", "distance"
"""Chance that Y1 is more than Y0 on a deck (ties half), mean of Y1 - Y0, Wasserstein-1 distance."""


def shifts(parts: np.ndarray) -> dict[str, dict[str, float]]:
    """Estimate how far Y1 is shifted from Y0.

    Parameters
    ----------
    parts : numpy.ndarray
        Joint histograms of each chunk of decks, int64[chunks, y1, y0]; chunks of as many games.

    Returns
    -------
    dict
        `MORE`, `SHIFT` and `DISTANCE` to value, low, high; the ends are NaN where undetermined.
    """
    some = _cropped(np.asarray(parts))
    figures = {MORE: superiority, SHIFT: mean_shift, DISTANCE: wasserstein}
    intervals = {
        MORE: _mean_interval(some, superiority),
        SHIFT: _mean_interval(some, mean_shift),
        DISTANCE: distance_interval(some),
    }
    whole, found = some.sum(axis=0, keepdims=True), {}
    for name, figure in figures.items():
        low, high = intervals[name] or (UNDETERMINED, UNDETERMINED)
        found[name] = {"value": float(figure(whole)[0]), "low": low, "high": high}
    return found


def _mean_interval(
    parts: np.ndarray, figure: Callable[[np.ndarray], np.ndarray]
) -> tuple[float, float] | None:
    """Return the bootstrap interval of a figure that is a mean over games."""
    games = parts.sum(axis=(1, 2))
    sums = np.stack([figure(parts) * games, games], axis=1)
    return bootstrap.interval(sums, lambda drawn: drawn[:, 0] / drawn[:, 1])


def _cropped(parts: np.ndarray) -> np.ndarray:
    """Leave out what is never seen, above the most of either."""
    seen = np.flatnonzero(parts.any(axis=(0, 1)) | parts.any(axis=(0, 2)))
    end = int(seen[-1]) + 1 if len(seen) else 1
    return parts[:, :end, :end]


def superiority(joint: np.ndarray) -> np.ndarray:
    """Return P(Y1 > Y0) + ½ P(Y1 = Y0) from joint histograms [..., y1, y0]."""
    n = joint.shape[-1]
    better = np.tril(np.ones((n, n)), -1) + np.eye(n) / 2
    return (joint * better).sum(axis=(-2, -1)) / joint.sum(axis=(-2, -1))


def mean_shift(joint: np.ndarray) -> np.ndarray:
    """Return the mean of Y1 - Y0 from joint histograms [..., y1, y0]."""
    y = np.arange(joint.shape[-1])
    return (joint * (y[:, None] - y)).sum(axis=(-2, -1)) / joint.sum(axis=(-2, -1))


def wasserstein(joint: np.ndarray) -> np.ndarray:
    """Return the Wasserstein-1 distance of the laws of Y1 and Y0, [..., y1, y0].

    Never below 0 and never below the mean shift; where the two laws are nearly alike it is biased
    upwards, so that it has an interval of its own kind: `distance_interval`.
    """
    return np.abs(_gaps(joint)).sum(axis=-1) / joint.sum(axis=(-2, -1))


def _gaps(joint: np.ndarray) -> np.ndarray:
    """Games with Y1 at most y less those with Y0 at most y, [..., y]."""
    return (joint.sum(axis=-1) - joint.sum(axis=-2)).cumsum(axis=-1)


def distance_interval(
    parts: np.ndarray, confidence: float = CONFIDENCE, draws: int = bootstrap.DRAWS
) -> tuple[float, float] | None:
    """Return an interval of the Wasserstein-1 distance, which holds however near 0 it is.

    The distance is a norm: it moves by no more than the length of the error of the two
    distribution functions' difference. The quantile of that length, over bootstrapped chunks, is
    what the interval goes to either side. Where both laws are the same it holds in 95 % of
    samples, else more often. (The spread of bootstrapped distances would hold in some 40 % and,
    3 standard errors from 0, in 91 %.)

    Parameters
    ----------
    parts : numpy.ndarray
        Joint histograms of each chunk, int64[chunks, y1, y0]; chunks of as many games.
    confidence : float
    draws : int

    Returns
    -------
    tuple of float or None
        None with too few chunks, or where both are the same in every chunk.
    """
    chunks = len(parts)
    if chunks < bootstrap.LEAST_CHUNKS:
        return None
    gaps, games = _gaps(parts).astype(float), parts.sum(axis=(1, 2)).astype(float)
    whole = gaps.sum(axis=0) / games.sum()
    taken = bootstrap.weights(chunks, draws)
    errors = (taken @ gaps) / (taken @ games)[:, None] - whole
    half = float(np.quantile(np.abs(errors).sum(axis=1), confidence)) * _widen(chunks, confidence)
    if not np.isfinite(half) or half < 1e-12:
        return None
    value = float(np.abs(whole).sum())
    return max(value - half, 0.0), value + half


def _widen(chunks: int, confidence: float) -> float:
    """Return what a quantile of draws is multiplied by for the error of the spread itself."""
    from scipy.stats import norm, t

    level = 0.5 + confidence / 2
    return float(t.ppf(level, chunks - 1) / norm.ppf(level)) * np.sqrt(chunks / (chunks - 1))
