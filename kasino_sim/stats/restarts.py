"""Estimates about players who were searched for: every search of one thing finds another player."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kasino_sim.stats.measured import Measured, weighed


def over_restarts(found: Sequence[Measured]) -> Measured:
    """Average an estimate over the players that searches apart from one another came to.

    Its standard error holds both what the decks do to the mean, and what the searches do: the
    spread between them over the root of their number. The estimates of all searches are from the
    same decks, so what a deck does to all of them alike is not in that spread.

    Parameters
    ----------
    found : sequence of Measured
        One a search, two or more, of the same chunks.

    Returns
    -------
    Measured
        Its parts are those of the chunks and then one for each search, so that it can be correlated
        with others of the same chunks and searches. Its degrees of freedom are those of decks and
        searches, averaged by their shares of the variance: fewer than Satterthwaite's, whose
        intervals are too short where there are two or three searches.

    References
    ----------
    Cochran, Cox (1957), Experimental designs, on t with two errors.
    """
    n = len(found)
    if n < 2:
        raise ValueError(f"{n} searches: their spread needs two or more")
    mean = weighed([(1 / n, one) for one in found])
    if not math.isfinite(mean.value) or mean.chunk_se is None:
        return Measured(math.nan, mean.parts, mean.blocks)
    apart = np.array([one.value - mean.value for one in found]) / math.sqrt(n * (n - 1))
    decks, searches = mean.chunk_se**2, float(apart @ apart)
    total = decks + searches
    if not total > 1e-24:
        return Measured(mean.value, np.append(mean.parts, 0 * apart), mean.blocks)
    freedom = total / (decks / (len(mean.parts) - 1) + searches / (n - 1))
    parts = np.append(mean.parts, apart)
    return Measured(mean.value, parts, mean.blocks, math.sqrt(total), freedom)
