"""Intervals by drawing whole chunks of blocks again, for figures that are no means."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from kasino_sim.stats.intervals import CONFIDENCE

DRAWS = 2_000
LEAST_CHUNKS = 20  # with fewer the draws know too little of the spread


@lru_cache(maxsize=2)
def weights(chunks: int, draws: int = DRAWS) -> np.ndarray:
    """Draw how often each chunk is taken, int64[draws, chunks], always the same numbers."""
    random = np.random.Generator(np.random.Philox(2))
    drawn = random.multinomial(chunks, np.full(chunks, 1 / chunks), draws)
    drawn.flags.writeable = False  # shared by all who ask for as many
    return drawn


def interval(
    parts: np.ndarray,
    figure: Callable[[np.ndarray], np.ndarray],
    confidence: float = CONFIDENCE,
    draws: int = DRAWS,
) -> tuple[float, float] | None:
    """Return a bootstrap interval: the figure, give or take t times the spread of the draws.

    Parameters
    ----------
    parts : numpy.ndarray
        Sums of each chunk, [chunks, ...]; chunks of the same number of blocks.
    figure : callable
        Takes sums [m, ...] of m sets of chunks and returns the figure of each, float64[m].
    confidence : float
    draws : int

    Returns
    -------
    tuple of float or None
        None with fewer than `LEAST_CHUNKS` chunks, or where the figure does not vary.
    """
    chunks = len(parts)
    if chunks < LEAST_CHUNKS:
        return None
    from scipy.stats import t

    flat = parts.reshape(chunks, -1).astype(float)
    drawn = (weights(chunks, draws) @ flat).reshape(draws, *parts.shape[1:])
    values = figure(drawn)
    value = float(figure(parts.sum(axis=0, keepdims=True))[0])
    se = float(np.std(values)) * np.sqrt(chunks / (chunks - 1))
    if not np.isfinite(se) or not np.isfinite(value) or se < 1e-12:
        return None
    half = float(t.ppf(0.5 + confidence / 2, chunks - 1)) * se
    return value - half, value + half
