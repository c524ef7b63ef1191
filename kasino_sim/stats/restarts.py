"""Estimates about players who were searched for: every search of one thing finds another player."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kasino_sim.stats.measured import Measured, weighed

ENOUGH = 10  # searches that tell their own spread


@dataclass(frozen=True)
class Spread:
    """What searches do to the mean of a difference: a variance, with its degrees of freedom."""

    variance: float
    freedom: float


def pooled_spread(cells: Sequence[Sequence[Measured]]) -> Spread:
    """Pool what searches do in several cells, for the difference of two of them.

    Parameters
    ----------
    cells : sequence of sequence of Measured
        For each cell the estimates by its searches, two or more and as many in every cell. The
        searches of different cells are taken as independent, and as scattering alike; cells that
        are the same throughout, as where rules differ in the match alone, count once.
    """
    values = np.unique([[one.value for one in cell] for cell in cells], axis=0)
    n = values.shape[1]
    return Spread(2 * float(values.var(axis=1, ddof=1).mean()) / n, values.shape[0] * (n - 1))


def over_restarts(found: Sequence[Measured], pooled: Spread | None = None) -> Measured:
    """Average an estimate over the players that searches apart from one another came to.

    Its standard error holds both what the decks do to the mean, and what the searches do: the
    spread between them over the root of their number. The estimates of all searches are from the
    same decks, so what a deck does to all of them alike is not in that spread.

    Parameters
    ----------
    found : sequence of Measured
        One a search, two or more, of the same chunks.
    pooled : Spread, optional
        What searches do as is known from many cells, which has more degrees of freedom than the
        spread of a few. It is taken unless their own is larger, which then brings its own few:
        searches may scatter more under some rules than under others. `ENOUGH` searches or more
        speak for themselves: cells are too unlike for the pooled spread to be right for each.

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
    if not decks + searches > 1e-24:  # the same in every deal, whoever plays
        return Measured(mean.value, np.append(mean.parts, 0 * apart), mean.blocks)
    few = float(n - 1)
    if pooled is not None and n < ENOUGH and pooled.variance > searches:
        few = pooled.freedom
        if not searches > 1e-24:
            apart[:2] = 1, -1
        apart *= math.sqrt(pooled.variance / float(apart @ apart))
        searches = pooled.variance
    total = decks + searches
    freedom = total / (decks / (len(mean.parts) - 1) + searches / few)
    parts = np.append(mean.parts, apart)
    return Measured(mean.value, parts, mean.blocks, math.sqrt(total), freedom)
