"""What changes between two rule sets: differences over common decks, with a verdict for each.

The interval of a row is its own, at 95 %. Verdicts are from wider intervals that hold for all rows
together: max-T, with the correlations of the differences themselves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from kasino_sim.contrast import RESPONSES, Contrast, ContrastTally
from kasino_sim.engine.layout import ITEMS
from kasino_sim.errors import KasinoError
from kasino_sim.plan import Plan
from kasino_sim.stats import multiplicity
from kasino_sim.stats.families import correlations, reach_of
from kasino_sim.stats.intervals import CONFIDENCE
from kasino_sim.stats.match_figures import Asked
from kasino_sim.stats.match_odds import MatchOdds, match_odds
from kasino_sim.stats.match_responses import MATCH_MEASURES, MatchMeasure
from kasino_sim.stats.measured import Measured, mean_of
from kasino_sim.stats.shifts import shifts
from kasino_sim.stats.stopping import LEAST_BLOCKS

MATCH_RESPONSES = ("deals_per_match", "first_dealer_match_edge")

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
    shift : dict or None
        How far the first player's points are shifted on the same decks, as `shifts.shifts` has it;
        None where a deck is not played as often under both.
    reduction : dict of str to float
        Of what is counted in blocks and varies, how many times larger the variance of the
        difference would be on decks of their own.
    """

    rows: pd.DataFrame
    blocks: int
    family: int
    reach: float
    shift: Mapping[str, Mapping[str, float]] | None = None
    reduction: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """A response under two rule sets.

    Attributes
    ----------
    name : str
    a, b : float
        NaN where undetermined.
    of : Measured
        b - a.
    """

    name: str
    a: float
    b: float
    of: Measured


def differences(contrast: Contrast, tally: ContrastTally) -> list[Difference]:
    """Estimate every response that is counted in blocks, with standard errors over blocks."""
    k = len(RESPONSES)
    blocks = np.array([part.blocks for part in tally.parts])
    gaps = np.array([part.sums[k:] - part.sums[:k] for part in tally.parts]).astype(float)
    means = tally.sums.astype(float) / tally.blocks / np.tile(contrast.scales, 2)
    ses = np.sqrt(np.diag(covariance(contrast, tally)))
    return [
        Difference(
            name,
            float(means[i]),
            float(means[k + i]),
            mean_of(gaps[:, i] / contrast.scales[i], blocks, float(ses[i])),
        )
        for i, name in enumerate(RESPONSES)
    ]


def _reductions(tally: ContrastTally) -> dict[str, float]:
    """Return how many times pairing cuts the variance of each difference that varies."""
    k, n, sums, products = len(RESPONSES), tally.blocks, tally.sums, tally.products
    found = {}
    for i, name in enumerate(RESPONSES):
        a, b = (n * products[at, at] - sums[at] ** 2 for at in (i, k + i))
        both = n * products[i, k + i] - sums[i] * sums[k + i]
        if a + b - 2 * both > 0:
            found[name] = float(a + b) / float(a + b - 2 * both)
    return found


def covariance(contrast: Contrast, tally: ContrastTally) -> np.ndarray:
    """Return that of the mean differences among blocks, float64[responses, responses]."""
    k, n = len(RESPONSES), tally.blocks
    gap, both = tally.sums[k:] - tally.sums[:k], tally.products
    products = both[k:, k:] + both[:k, :k] - both[:k, k:] - both[k:, :k]
    # Whole numbers of any size: no digits are lost before the division.
    spread = (n * products - np.outer(gap, gap)).astype(float)
    scales = contrast.scales.astype(float)
    return spread / max(n - 1, 1) / float(n) ** 2 / np.outer(scales, scales)


def close_enough(contrast: Contrast, tally: ContrastTally, se: float) -> bool:
    """Whether the standard error of every difference in points has come down to `se`.

    Stopping on standard errors alone leaves intervals of a fixed number of blocks valid.
    """
    if tally.blocks < LEAST_BLOCKS:
        return False
    points = [UNITS[name] == POINTS for name in RESPONSES]
    return bool((np.diag(covariance(contrast, tally))[points] <= se * se).all())


def match_differences(contrast: Contrast, tally: ContrastTally) -> list[Difference]:
    """Reckon the matches of both rule sets from the ledgers of their deals."""
    odds = [_odds(plan, tally, which) for which, plan in enumerate((contrast.a, contrast.b))]
    found = []
    for measure in MATCH_MEASURES:
        if measure.name not in MATCH_RESPONSES:
            continue
        a, b = (_of_matches(measure, of, tally) for of in odds)
        found.append(Difference(measure.name, a.value, b.value, b - a))
    return found


def _odds(plan: Plan, tally: ContrastTally, which: int) -> MatchOdds | None:
    try:
        return match_odds(plan, [part.ledgers[which] for part in tally.parts], Asked(drama=False))
    except KasinoError:
        return None


def _of_matches(measure: MatchMeasure, odds: MatchOdds | None, tally: ContrastTally) -> Measured:
    found = measure.measured(odds, tally.blocks) if odds is not None else None
    return found or Measured(math.nan, np.zeros(len(tally.parts)), tally.blocks)


def compare_tally(contrast: Contrast, tally: ContrastTally) -> Comparison:
    """Compare two rule sets by all that was counted of them, matches included."""
    counted = differences(contrast, tally)
    found = [*counted, *match_differences(contrast, tally)]
    joint = np.stack([part.joint for part in tally.parts])
    shift = shifts(joint) if joint.any() else None
    rows = compare(found, covariance(contrast, tally))
    return replace(rows, shift=shift, reduction=_reductions(tally))


def compare(found: Sequence[Difference], covariance: np.ndarray | None = None) -> Comparison:
    """Put differences into rows, with intervals and verdicts.

    Parameters
    ----------
    found : sequence of Difference
    covariance : numpy.ndarray, optional
        Of the first of them, over blocks; the others' correlations are over chunks.

    Returns
    -------
    Comparison
        A row that is the same number in every block has no variance: with `LEAST_BLOCKS` blocks or
        more its difference counts as exact (se 0, an interval of one point), with fewer as
        undetermined.
    """
    varying = [difference.of for difference in found if difference.of.se is not None]
    reach = reach_of(varying, _correlation(found, covariance), CONFIDENCE) if varying else 0.0
    frame = pd.DataFrame([_row(difference, reach) for difference in found], columns=COLUMNS)
    blocks = max((difference.of.blocks for difference in found), default=0)
    return Comparison(frame, blocks, len(varying), reach)


def _correlation(found: Sequence[Difference], covariance: np.ndarray | None) -> np.ndarray:
    """Return that of the differences that vary."""
    told = [i for i, difference in enumerate(found) if difference.of.se is not None]
    known = correlations([found[i].of for i in told])
    among = [i for i in told if covariance is not None and i < len(covariance)]
    if covariance is not None and among:
        some = covariance[np.ix_(among, among)]
        se = np.sqrt(np.diag(some))
        known[: len(among), : len(among)] = some / np.outer(se, se)
    return known


def _row(difference: Difference, reach: float) -> tuple[object, ...]:
    of, unit = difference.of, UNITS[difference.name]
    spread, verdict = (math.nan, math.nan, math.nan), UNDETERMINED
    gap = of.value
    if of.se is not None:
        own = of.row()
        spread = own["se"], own["low"], own["high"]
        verdict = verdict_of(unit, gap, of.se, reach)
    elif math.isfinite(gap) and of.blocks >= LEAST_BLOCKS:
        # A mean of ones and a mean of ones may part in the last digit.
        gap = 0.0 if abs(gap) < 1e-12 else gap
        spread = 0.0, gap, gap
        verdict = SAME if gap == 0 else MORE if gap > 0 else LESS
    return difference.name, unit, difference.a, difference.b, gap, *spread, verdict


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
