"""Stopping when enough is known: sequential tests and confidence sequences over blocks.

All are functions of running whole sums, so that a run can be stopped and resumed. After a stop the
interval for a fixed number of blocks is not valid: `Looked.interval` is the confidence sequence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

FIRST_LOOK, LOOK_EVERY = 500, 100  # blocks
HIGHER, LOWER, INCONCLUSIVE = "higher", "lower", "inconclusive"
ELO_PER_T = 800 / math.log(10)  # normalized Elo of one standard deviation of a game


@dataclass(frozen=True)
class Running:
    """Blocks so far: how many, the sum of their differences and the sum of squares.

    Whole numbers of any size: no digits are lost, and the order does not matter. `scale` is what a
    block's number is divided by, 2 where 2D is kept.
    """

    blocks: int = 0
    total: int = 0
    square: int = 0
    scale: int = 1

    def __add__(self, other: Running) -> Running:
        """Join blocks with other blocks."""
        if self.scale != other.scale:
            raise ValueError(f"sums in 1/{self.scale} do not add to sums in 1/{other.scale}")
        return Running(
            self.blocks + other.blocks,
            self.total + other.total,
            self.square + other.square,
            self.scale,
        )

    @property
    def mean(self) -> float:
        """Mean difference of a block."""
        return self.total / self.blocks / self.scale

    @property
    def variance(self) -> float:
        """Variance of a block's difference; 0 with fewer than two blocks."""
        n = self.blocks
        spread = n * self.square - self.total * self.total
        return spread / (n * (n - 1)) / self.scale**2 if n > 1 else 0.0


def running(differences: Sequence[int] | np.ndarray, scale: int = 1) -> Running:
    """Sum differences of blocks, whole numbers."""
    values = [int(d) for d in differences]
    return Running(len(values), sum(values), sum(v * v for v in values), scale)


@dataclass(frozen=True)
class Sprt:
    """A generalized sequential probability ratio test of a mean difference.

    Attributes
    ----------
    low, high : float
        The two differences that are told apart.
    cap : int
        Blocks after which the test ends without a result.
    alpha, beta : float
        Chances of `higher` at `low` and of `lower` at `high`.

    References
    ----------
    Van den Bergh, A practical introduction to the GSPRT; fishtest.
    """

    low: float
    high: float
    cap: int
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"low is {self.low}, high is {self.high}: low < high is allowed")
        if self.cap < FIRST_LOOK:
            raise ValueError(f"cap is {self.cap}: {FIRST_LOOK} blocks or more are allowed")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta lie between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Log likelihood ratios at which the test ends."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, sums: Running) -> float | None:
        """Return the log likelihood ratio, None where no block differs from another."""
        if sums.variance == 0:
            return None
        off = 2 * sums.mean - self.low - self.high
        return sums.blocks * (self.high - self.low) * off / (2 * sums.variance)

    def due(self, blocks: int) -> bool:
        """Whether the test looks after that many blocks."""
        regular = blocks >= FIRST_LOOK and (blocks - FIRST_LOOK) % LOOK_EVERY == 0
        return regular or blocks == self.cap

    def look(self, sums: Running) -> str | None:
        """Look at the sums: `higher`, `lower`, `inconclusive` at the cap, None to go on.

        To be called at each look that is `due`, and not again after it ended.
        """
        if sums.blocks > self.cap:
            raise ValueError(f"{sums.blocks} blocks are more than the cap of {self.cap}")
        if not self.due(sums.blocks):
            return None
        ratio, (lower, upper) = self.llr(sums), self.bounds
        if ratio is not None and ratio >= upper:
            return HIGHER
        if ratio is not None and ratio <= lower:
            return LOWER
        return INCONCLUSIVE if sums.blocks == self.cap else None


@dataclass(frozen=True)
class Looked:
    """Where a sequential test stands.

    Attributes
    ----------
    sums : Running
    result : str or None
        None while it goes on.
    interval : tuple of float or None
        Of the confidence sequence, valid at any stop; None where undetermined.
    """

    sums: Running
    result: str | None
    interval: tuple[float, float] | None


def follow(test: Sprt, chunks: Iterable[Running], start: Running | None = None) -> Looked:
    """Add chunks of blocks one by one until the test ends or they do.

    Parameters
    ----------
    test : Sprt
    chunks : iterable of Running
        Such that a chunk ends at every look: of a size that divides `LOOK_EVERY`.
    start : Running, optional
        What an earlier, unfinished run came to.
    """
    sums, result = start, None
    for chunk in chunks:
        sums = chunk if sums is None else sums + chunk
        result = test.look(sums)
        if result is not None:
            break
    sums = Running() if sums is None else sums
    return Looked(sums, result, sequence(sums, test.cap, test.alpha))


def sequence(sums: Running, planned: int, alpha: float = 0.05) -> tuple[float, float] | None:
    """Return the interval of a confidence sequence, valid at every look and every stop.

    Parameters
    ----------
    sums : Running
    planned : int
        Blocks at which the sequence is shortest.
    alpha : float
        Chance that it ever misses the truth, for large samples.

    Returns
    -------
    tuple of float or None
        None before `FIRST_LOOK` blocks, and where nothing varies.

    References
    ----------
    Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas (2024), Time-uniform central limit theory and
    asymptotic confidence sequences, Annals of Statistics.
    """
    if sums.blocks < FIRST_LOOK or sums.variance == 0:
        return None
    half = sequence_reach(sums.blocks, planned, alpha) * math.sqrt(sums.variance)
    return sums.mean - half, sums.mean + half


def sequence_reach(blocks: int, planned: int, alpha: float = 0.05) -> float:
    """Return the half width of a confidence sequence in standard deviations of a block."""
    lost = -2 * math.log(alpha)
    rho2 = (lost + math.log(lost) + 1) / planned
    grown = blocks * rho2 + 1
    return math.sqrt(2 * grown / (blocks**2 * rho2) * math.log(math.sqrt(grown) / alpha))


# ---------------------------------------------------------------- games won, drawn and lost


def pentanomial_llr(counts: Sequence[float], low: float, high: float) -> float:
    """Return the log likelihood ratio of pairs of games between two strengths.

    Parameters
    ----------
    counts : sequence of float
        Pairs in which the first player won 0, ½, 1, 1½ and 2 games.
    low, high : float
        Normalized Elo: the mean score over 1/2 in standard deviations of a game, times 800/ln 10.

    References
    ----------
    Van den Bergh, The generalized maximum likelihood ratio for the expectation value of a
    distribution; known answers of fishtest.
    """
    seen = np.maximum(np.asarray(counts, float), 1e-3)
    shares = seen / seen.sum()
    scores = np.linspace(0, 1, len(seen))
    # A pair's mean varies half as much as a game: t of a pair is t of a game times √2.
    null, other = (
        _likeliest(scores, shares, elo / ELO_PER_T * math.sqrt(2)) for elo in (low, high)
    )
    return float(seen.sum() * (shares * np.log(other / null)).sum())


def _likeliest(scores: np.ndarray, shares: np.ndarray, t: float) -> np.ndarray:
    """Return the likeliest law with (mean - 1/2) / sd = t, given the shares that were seen."""
    found = np.full(len(scores), 1 / len(scores))
    for _ in range(100):
        mean = found @ scores
        sd = math.sqrt(found @ (scores - mean) ** 2)
        pull = scores - 0.5 - sd * t * (1 + ((mean - scores) / sd) ** 2) / 2
        before, found = found, shares / (1 + _weight(pull, shares) * pull)
        if np.abs(found - before).max() < 1e-12:
            break
    return found


def _weight(pull: np.ndarray, shares: np.ndarray) -> float:
    """Return x such that the law shares / (1 + x pull) has mean pull 0."""
    from scipy.optimize import brentq

    margin = 1e-9
    low, high = -1 / pull.max(), -1 / pull.min()
    room = (high - low) * margin
    found = brentq(lambda x: (shares * pull / (1 + x * pull)).sum(), low + room, high - room)
    return float(found)
