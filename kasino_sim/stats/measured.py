"""Estimates that know what each chunk of decks did to them, so that they can be subtracted.

All cells of a study play the same decks in the same chunks. What a chunk does to an estimate is a
number; the difference of two estimates is what the chunks do to both, and its standard error holds
whether or not the two depend on one another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kasino_sim.stats.intervals import UNDETERMINED, row

BLOCKS, CHUNKS = "t over blocks", "t over chunks"
RESTARTS = "t over chunks and restarts"


@dataclass(frozen=True)
class Measured:
    """An estimate.

    Attributes
    ----------
    value : float
        NaN where undetermined.
    parts : numpy.ndarray
        float64[chunks]: how far each chunk moved the estimate, so that they add up to 0.
    blocks : int
    block_se : float or None
        The standard error over blocks, where it is known: finer than that over chunks.
    freedom : float or None
        Degrees of freedom where the parts are not chunks alone; see `stats.restarts`.
    apart_se : float or None
        The standard error it would have if all that is compared in it were played on decks of
        their own; None where nothing is compared, or that is not known.
    """

    value: float
    parts: np.ndarray
    blocks: int
    block_se: float | None = None
    freedom: float | None = None
    apart_se: float | None = None

    def __sub__(self, other: Measured) -> Measured:
        """Return the difference of two estimates: from the same decks, chunk by chunk.

        Where they do not rest on the same chunks, what they have in common is unknown: the
        standard error is then at least the sum of both, the most that it can be.
        """
        if len(self.parts) == len(other.parts) and self.blocks == other.blocks:
            parts = self.parts - other.parts
        else:
            parts = math.sqrt(2) * np.append(self.parts, -other.parts)
        blocks, apart = min(self.blocks, other.blocks), _apart([(1.0, self), (-1.0, other)])
        return Measured(self.value - other.value, parts, blocks, apart_se=apart)

    def __neg__(self) -> Measured:
        return replace(self, value=-self.value, parts=-self.parts)

    @property
    def chunk_se(self) -> float | None:
        """The standard error over chunks, None where there is one chunk."""
        n = len(self.parts)
        if n < 2 or not math.isfinite(self.value):
            return None
        return math.sqrt(float(self.parts @ self.parts) * n / (n - 1))

    @property
    def se(self) -> float | None:
        """The standard error; None where it is undetermined or nothing varies."""
        found = self.chunk_se if self.block_se is None else self.block_se
        return found if found and math.isfinite(self.value) and found > 1e-12 else None

    @property
    def vrf(self) -> float | None:
        """How many times smaller the variance is than without common decks, where that is known."""
        return (self.apart_se / self.se) ** 2 if self.apart_se and self.se else None

    @property
    def df(self) -> float:
        """Degrees of freedom of the standard error."""
        if self.freedom is not None:
            return self.freedom
        return (self.blocks if self.block_se is not None else len(self.parts)) - 1

    @property
    def method(self) -> str:
        """How the interval is made."""
        if self.freedom is not None:
            return RESTARTS
        return CHUNKS if self.block_se is None else BLOCKS

    def row(self, confidence: float = 0.95) -> dict[str, float]:
        """Return value, se, low, high; NaN where undetermined."""
        if self.se is None:
            return row(self.value, UNDETERMINED, UNDETERMINED, UNDETERMINED)
        from scipy.stats import t

        half = float(t.ppf(0.5 + confidence / 2, self.df)) * self.se
        return row(self.value, self.se, self.value - half, self.value + half)

    @property
    def p(self) -> float:
        """Two-sided p-value of the value being 0; NaN where undetermined."""
        if self.se is None:
            return UNDETERMINED
        from scipy.stats import t

        return float(2 * t.sf(abs(self.value) / self.se, self.df))


def weighed(terms: Sequence[tuple[float, Measured]], plus: float = 0.0) -> Measured:
    """Add up estimates, each so many times, and a constant.

    They are from the same decks, chunk by chunk; where they do not rest on the same chunks they are
    taken as independent.
    """
    shapes = {(len(of.parts), of.blocks) for _, of in terms}
    if len(terms) == 1:
        times, of = terms[0]
        se, apart = (None if x is None else abs(times) * x for x in (of.block_se, of.apart_se))
        value = times * of.value + plus
        return Measured(value, times * of.parts, of.blocks, se, apart_se=apart)
    value = sum(times * of.value for times, of in terms) + plus
    groups = [
        np.sum([t * of.parts for t, of in terms if (len(of.parts), of.blocks) == shape], axis=0)
        for shape in sorted(shapes)
    ]
    blocks = min(of.blocks for _, of in terms)
    return Measured(value, np.concatenate(groups), blocks, apart_se=_apart(terms))


def _apart(terms: Sequence[tuple[float, Measured]]) -> float | None:
    """Return the standard error of a sum of estimates, were they from decks of their own."""
    each = [t * (of.apart_se or of.chunk_se or 0.0) for t, of in terms]
    return math.hypot(*each) or None


def quotient(above: Measured, below: Measured) -> Measured:
    """Divide an estimate by another, by the delta method; undetermined where nothing is below."""
    blocks = min(above.blocks, below.blocks)
    if not math.isfinite(below.value) or below.value == 0:
        return Measured(UNDETERMINED, np.zeros(len(above.parts)), blocks)
    value = above.value / below.value
    gap = weighed([(1.0, above), (-value, below)])
    return Measured(value, gap.parts / below.value, blocks)


def mean_of(values: np.ndarray, blocks: np.ndarray, block_se: float | None = None) -> Measured:
    """Estimate a mean per block.

    Parameters
    ----------
    values : numpy.ndarray
        [chunks], the sum over each chunk's blocks.
    blocks : numpy.ndarray
        int64[chunks], blocks of each chunk.
    block_se : float, optional
    """
    values, n = values.astype(float), int(blocks.sum())
    value = float(values.sum()) / n
    return Measured(value, (values - value * blocks) / n, n, block_se)


def ratio_of(above: np.ndarray, below: np.ndarray, blocks: np.ndarray) -> Measured:
    """Estimate a ratio of sums, by the delta method; undetermined where nothing is below."""
    above, below = above.astype(float), below.astype(float)
    total, n = float(below.sum()), int(blocks.sum())
    if total == 0:
        return Measured(UNDETERMINED, np.zeros(len(blocks)), n)
    value = float(above.sum()) / total
    return Measured(value, (above - value * below) / total, n)
