"""What changes between two rule sets: differences over common decks, with a verdict for each.

The interval of a row is its own, at 95 %, over blocks. Verdicts are from wider intervals that hold
for all rows together: max-T, with the correlations of the differences themselves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

from kasino_sim.contrast import RESPONSES, Contrast, ContrastTally
from kasino_sim.engine.layout import ITEMS
from kasino_sim.stats import multiplicity
from kasino_sim.stats.intervals import CONFIDENCE
from kasino_sim.stats.stopping import LEAST_BLOCKS

ROPE = 0.05
"""Points a deal that nobody would notice: a smaller change is no real change."""

POINTS = "points a deal"
UNITS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("points", "points_first", "points_dealer", *ITEMS), POINTS),
        "first_player_advantage": POINTS,
        "sweeps_per_deal": "sweeps a deal",
        "builds_per_deal": "builds a deal",
        "captures_per_deal": "captures a deal",
        "tied_cards": "share of deals",
        "tied_spades": "share of deals",
        "deals_per_match": "deals a match",
        "first_dealer_match_edge": "share of matches",
    }
)
"""What each response is counted in."""

MORE, LESS = "more", "less"
SLIGHTLY_MORE, SLIGHTLY_LESS = "slightly more", "slightly less"
SAME, NO_REAL_CHANGE = "the same", "no real change"
UNDECIDED, TOO_FEW, UNDETERMINED = "undecided", "too few deals", "undetermined"

# What `multiplicity.verdict` says of a rise, and what of a fall, once it is turned round.
_VERDICTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        multiplicity.ABOVE: (MORE, LESS),
        multiplicity.SMALL: (SLIGHTLY_MORE, SLIGHTLY_LESS),
        multiplicity.INSIDE: (NO_REAL_CHANGE, NO_REAL_CHANGE),
        multiplicity.UNDECIDED: (UNDECIDED, UNDECIDED),
    }
)

COLUMNS = ["response", "unit", "a", "b", "difference", "se", "lo", "hi", "verdict"]


@dataclass(frozen=True)
class Comparison:
    """What a contrast came to.

    Attributes
    ----------
    rows : pandas.DataFrame
        A row a response: `COLUMNS`, NaN where undetermined.
    blocks : int
    family : int
        How many rows the verdicts hold for together: those that vary.
    reach : float
        Standard errors from the estimate to the ends of a simultaneous interval.
    """

    rows: pd.DataFrame
    blocks: int
    family: int
    reach: float


@dataclass(frozen=True)
class Differences:
    """Estimates of several responses under two rule sets.

    Attributes
    ----------
    names : tuple of str
    a, b : numpy.ndarray
        Means, float64[rows]; NaN where undetermined.
    covariance : numpy.ndarray
        Of the differences b - a, float64[rows, rows].
    units : numpy.ndarray
        What each standard error is over: blocks, or groups of blocks.
    """

    names: tuple[str, ...]
    a: np.ndarray
    b: np.ndarray
    covariance: np.ndarray
    units: np.ndarray

    @property
    def se(self) -> np.ndarray:
        """Standard errors of the differences."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0))


def differences(contrast: Contrast, tally: ContrastTally) -> Differences:
    """Estimate every response that is counted in blocks."""
    k, n = len(RESPONSES), tally.blocks
    scales = contrast.scales.astype(float)
    gap = tally.sums[k:] - tally.sums[:k]
    both = tally.products
    products = both[k:, k:] + both[:k, :k] - both[:k, k:] - both[k:, :k]
    # Whole numbers of any size: no digits are lost before the division.
    spread = (n * products - np.outer(gap, gap)).astype(float)
    covariance = spread / max(n - 1, 1) / float(n) ** 2 / np.outer(scales, scales)
    means = tally.sums.astype(float) / n
    return Differences(RESPONSES, means[:k] / scales, means[k:] / scales, covariance, np.full(k, n))


def close_enough(contrast: Contrast, tally: ContrastTally, se: float) -> bool:
    """Whether the standard error of every difference in points has come down to `se`.

    Stopping on standard errors alone leaves intervals of a fixed number of blocks valid.
    """
    if tally.blocks < LEAST_BLOCKS:
        return False
    points = [UNITS[name] == POINTS for name in RESPONSES]
    return bool((differences(contrast, tally).se[points] <= se).all())


@dataclass(frozen=True)
class Influences:
    """Responses that are reckoned from whole ledgers, with what each group of blocks does to them.

    Attributes
    ----------
    names : tuple of str
    a, b : numpy.ndarray
        Values under the two rule sets, float64[rows]; NaN where undetermined.
    of_parts : numpy.ndarray
        Mean influence of the blocks of each part on b - a, float64[parts, rows].
    """

    names: tuple[str, ...]
    a: np.ndarray
    b: np.ndarray
    of_parts: np.ndarray


def joined(
    contrast: Contrast, tally: ContrastTally, found: Differences, more: Influences
) -> Differences:
    """Put responses reckoned from ledgers behind those that are counted in blocks.

    Variances among blocks are kept; those with and among `more` are over the parts.
    """
    k, n, count = len(RESPONSES), tally.blocks, len(tally.parts)
    sizes = np.array([part.blocks for part in tally.parts], float)
    sums = np.array([part.sums[k:] - part.sums[:k] for part in tally.parts]).astype(float)
    means = sums / contrast.scales / sizes[:, None]
    both = np.concatenate([means, more.of_parts], axis=1)
    both = both - sizes @ both / n
    covariance = (both * sizes[:, None]).T @ both / max(count - 1, 1) / n
    covariance[:k, :k] = found.covariance
    return Differences(
        found.names + more.names,
        np.concatenate([found.a, more.a]),
        np.concatenate([found.b, more.b]),
        covariance,
        np.concatenate([found.units, np.full(len(more.names), count)]),
    )


def compare(found: Differences, blocks: int) -> Comparison:
    """Put differences into rows, with intervals and verdicts.

    Parameters
    ----------
    found : Differences
    blocks : int
        Blocks that they rest on.

    Returns
    -------
    Comparison
        A row that is the same number in every block has no variance: with `LEAST_BLOCKS` blocks or
        more its difference counts as exact (se 0, an interval of one point), with fewer as
        undetermined.
    """
    difference, se = found.b - found.a, found.se
    known = np.isfinite(difference) & (found.units > 1)
    varying = known & (se > 1e-12)
    exact = known & ~varying & (blocks >= LEAST_BLOCKS)
    reach = _reach(found, varying)
    rows = []
    for i, name in enumerate(found.names):
        spread = (math.nan, math.nan, math.nan)
        verdict = UNDETERMINED
        if varying[i]:
            half = _t_quantile(found.units[i]) * se[i]
            spread = (se[i], difference[i] - half, difference[i] + half)
            verdict = verdict_of(UNITS[name], difference[i], se[i], reach)
        elif exact[i]:
            # A mean of ones and a mean of ones may part in the last digit.
            gap = 0.0 if abs(difference[i]) < 1e-12 else float(difference[i])
            spread = (0.0, gap, gap)
            verdict = SAME if gap == 0 else MORE if gap > 0 else LESS
        rows.append((name, UNITS[name], found.a[i], found.b[i], difference[i], *spread, verdict))
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return Comparison(frame, blocks, int(varying.sum()), reach)


def verdict_of(unit: str, difference: float, se: float, reach: float) -> str:
    """Judge a difference by its simultaneous interval.

    Parameters
    ----------
    unit : str
        A difference in points is held against the `ROPE`, any other against 0.
    difference, se : float
    reach : float
        Standard errors from the estimate to the ends of the interval.

    Returns
    -------
    str
        In points: `more` and `less` beyond the ROPE, `slightly more` and `slightly less` between 0
        and its end, `no real change` inside it, `too few deals` where the standard error is above
        half of it. In other units `more` and `less`. Else `undecided`.
    """
    rope = ROPE if unit == POINTS else 0
    if rope and se > rope / 2:
        return TOO_FEW
    size = abs(difference)
    found = multiplicity.verdict(size - reach * se, size + reach * se, se, rope)
    return _VERDICTS[found][int(difference < 0)]


def _t_quantile(n: int) -> float:
    from scipy.stats import t

    return float(t.ppf(0.5 + CONFIDENCE / 2, n - 1))


def _reach(found: Differences, varying: np.ndarray) -> float:
    """Return the max-T quantile over the rows that vary, 0 where none does.

    With the fewest degrees of freedom among the differences.
    """
    if not varying.any():
        return 0.0
    covariance = found.covariance[np.ix_(varying, varying)]
    se = np.sqrt(np.diag(covariance))
    freedom = int(found.units[varying].min()) - 1
    return multiplicity.reach(covariance / np.outer(se, se), freedom, CONFIDENCE)
