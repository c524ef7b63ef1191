"""Many questions at once: p-values, intervals and verdicts that hold for a whole family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

DRAWS = 100_000  # of the largest of several t values, always the same ones
_AT_ONCE = 4_000_000  # numbers drawn at a time

ABOVE, BELOW, INSIDE, SMALL = "above", "below", "inside", "small"
UNDECIDED, UNDETERMINED = "undecided", "undetermined"


@dataclass(frozen=True)
class Family:
    """Estimates that are asked about together.

    Attributes
    ----------
    estimates, ses : numpy.ndarray
        float64[k]; every standard error above 0.
    correlation : numpy.ndarray or None
        Of the estimates, float64[k, k]. None where it is unknown: the intervals are then those for
        independent estimates, which hold for any correlation (Šidák 1967).
    df : float or numpy.ndarray
        Degrees of freedom of the standard errors: of each, or the fewest among them, as max-T
        needs it.
    """

    estimates: np.ndarray
    ses: np.ndarray
    correlation: np.ndarray | None = None
    df: float | np.ndarray = np.inf

    def __post_init__(self) -> None:
        k = len(self.estimates)
        if len(self.ses) != k or not k:
            raise ValueError(f"{k} estimates and {len(self.ses)} standard errors")
        if not (np.isfinite(self.estimates).all() and (np.asarray(self.ses) > 0).all()):
            raise ValueError("a family takes estimates that are known, with errors above 0")
        if self.correlation is not None and np.shape(self.correlation) != (k, k):
            raise ValueError(f"correlation is {np.shape(self.correlation)}, not {(k, k)}")
        if not np.all(np.asarray(self.df) > 0):
            raise ValueError(f"degrees of freedom are {self.df}: above 0 is allowed")

    @property
    def t(self) -> np.ndarray:
        """Distance of every estimate from 0 in standard errors, without its sign."""
        return np.abs(np.asarray(self.estimates, float)) / np.asarray(self.ses, float)

    @property
    def p(self) -> np.ndarray:
        """Two-sided p-values, each for its own question alone."""
        from scipy.stats import t

        return 2 * t.sf(self.t, self.df)

    @property
    def known_correlation(self) -> np.ndarray:
        """The correlation, that of independent estimates where it is unknown."""
        return np.eye(len(self.ses)) if self.correlation is None else np.asarray(self.correlation)


@dataclass(frozen=True)
class Adjusted:
    """What a family comes to: p-values and intervals, float64[k].

    Attributes
    ----------
    p, low, high : numpy.ndarray
    reach : float or numpy.ndarray
        Standard errors from an estimate to the ends of its interval.
    """

    p: np.ndarray
    low: np.ndarray
    high: np.ndarray
    reach: float | np.ndarray

    def verdicts(self, family: Family, rope: float) -> list[str]:
        """Judge every estimate by its interval."""
        ends = zip(self.low, self.high, family.ses, strict=True)
        return [verdict(low, high, se, rope) for low, high, se in ends]


def max_t(family: Family, confidence: float = 0.95) -> Adjusted:
    """Adjust for the largest t value of the family; the fewest degrees of freedom hold for all.

    Draws are kept between what holds for one question and Bonferroni's bound, so that no luck of
    theirs makes an interval too short, and the tail of a p-value has no floor.

    References
    ----------
    Hothorn, Bretz, Westfall (2008), Simultaneous inference in general parametric models.
    """
    df = float(np.min(family.df))
    family = replace(family, df=df)
    largest = np.sort(_largest(family.known_correlation, df))
    beyond = len(largest) - np.searchsorted(largest, family.t)
    drawn = (beyond + 1) / (len(largest) + 1)
    p = np.clip(drawn, family.p, np.minimum(len(family.ses) * family.p, 1))
    reach = _between(float(np.quantile(largest, confidence)), family, confidence)
    return _adjusted(family, p, reach)


def reach(correlation: np.ndarray, df: float, confidence: float = 0.95) -> float:
    """Return the standard errors from estimates to the ends of their simultaneous intervals."""
    ones = np.ones(len(correlation))
    return float(max_t(Family(ones, ones, correlation, df), confidence).reach)


def holm(family: Family, confidence: float = 0.95) -> Adjusted:
    """Adjust p-values after Holm, and intervals after Bonferroni."""
    single = 1 - (1 - confidence) / len(family.ses)
    return _adjusted(family, holm_p(family.p), _quantile(single, family.df))


def benjamini_hochberg(family: Family, confidence: float = 0.95) -> Adjusted:
    """Adjust p-values after Benjamini and Hochberg, for exploring; each interval is its own."""
    return _adjusted(family, bh_p(family.p), _quantile(confidence, family.df))


def holm_p(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return p-values after Holm: the chance of one false finding or more is kept."""
    p = np.asarray(p, float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1)
    return adjusted


def bh_p(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return p-values after Benjamini and Hochberg: the share of false findings is kept."""
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p))


def verdict(low: float, high: float, se: float, rope: float) -> str:
    """Judge an interval against the region of practical equivalence.

    Parameters
    ----------
    low, high : float
        A simultaneous interval.
    se : float
    rope : float
        Half the width of the region around 0; with 0 the interval alone decides.

    Returns
    -------
    str
        `above`, `below`; `small` above 0 and below the region's end; else `inside`;
        `undecided`, and so in every case where the standard error is above half of `rope`.
    """
    if not (np.isfinite(low) and np.isfinite(high) and np.isfinite(se)):
        return UNDETERMINED
    if rope and se > rope / 2:
        return UNDECIDED
    if low > rope:
        return ABOVE
    if high < -rope:
        return BELOW
    if low < -rope or high > rope:
        return UNDECIDED
    return SMALL if low > 0 else INSIDE


def _adjusted(family: Family, p: np.ndarray, reach: float | np.ndarray) -> Adjusted:
    half = reach * np.asarray(family.ses, float)
    return Adjusted(p, family.estimates - half, family.estimates + half, reach)


def _quantile(confidence: float, df: float | np.ndarray) -> float | np.ndarray:
    from scipy.stats import t

    found = t.ppf(0.5 + confidence / 2, df)
    return float(found) if np.ndim(found) == 0 else np.asarray(found)


def _between(drawn: float, family: Family, confidence: float) -> float:
    bonferroni = 1 - (1 - confidence) / len(family.ses)
    df = float(np.min(family.df))
    least, most = float(_quantile(confidence, df)), float(_quantile(bonferroni, df))
    return min(max(drawn, least), most)


def _largest(correlation: np.ndarray, df: float) -> np.ndarray:
    """Draw the largest of correlated t values, float64[DRAWS]."""
    values, vectors = np.linalg.eigh(correlation)
    mix = (vectors * np.sqrt(np.maximum(values, 0))).T
    random = np.random.Generator(np.random.Philox(1))
    found = []
    for n in _portions(len(mix)):
        t = np.abs(random.standard_normal((n, len(mix))) @ mix).max(axis=1)
        found.append(t if np.isinf(df) else t / np.sqrt(random.chisquare(df, n) / df))
    return np.concatenate(found)


def _portions(k: int) -> Iterator[int]:
    step = max(1, _AT_ONCE // k)
    for start in range(0, DRAWS, step):
        yield min(step, DRAWS - start)
