"""Families of questions: intervals, p-values and verdicts that allow for all of them together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from kasino_sim.stats.measured import Measured
from kasino_sim.stats.multiplicity import (
    ABOVE,
    BELOW,
    UNDECIDED,
    UNDETERMINED,
    Adjusted,
    Family,
    benjamini_hochberg,
    holm,
    holm_p,
    max_t,
    verdict,
)
from kasino_sim.stats.stopping import LEAST_BLOCKS

SAME = "the same"
IN_EVERY_DEAL = "the same in every deal"
EXPLORED = "explored"
LEAST_CHUNKS = 100  # of fewer the correlations of a family are not taken for known


@dataclass(frozen=True)
class Question:
    """Whether something differs from 0, or from what nobody would notice.

    Attributes
    ----------
    of : Measured
    rope : float
        Half the width of the region that nobody would notice; 0 where only 0 is no difference.
    """

    of: Measured
    rope: float


@dataclass(frozen=True)
class Answer:
    """An interval, p-values and a verdict; NaN where undetermined.

    What is the same in every deal is known exactly: its interval is the number itself, and it has
    no p-values.

    Beside what a correction of the whole family makes of a p-value stands Holm's, which knows
    nothing of correlations; of explored questions it is NaN.
    """

    low: float
    high: float
    p: float
    p_adjusted: float
    verdict: str
    method: str
    p_holm: float = float("nan")


def _alone(family: Family, confidence: float) -> Adjusted:
    found = benjamini_hochberg(family, confidence)
    return Adjusted(family.p, found.low, found.high, found.reach)


CORRECTIONS: Mapping[str, Callable[[Family, float], Adjusted]] = MappingProxyType(
    {"max-t": max_t, "holm": holm, "bh": benjamini_hochberg, "none": _alone}
)
"""What makes allowance for the number of questions, by its name in a plan."""


def answer(questions: Sequence[Question], correction: str, alpha: float) -> list[Answer]:
    """Answer a family of questions about the same chunks of decks.

    Parameters
    ----------
    questions : sequence of Question
    correction : str
        ``max-t``: intervals that hold together, by the correlations of the estimates, and as
        ``holm`` where an estimate is over searches: these are too few to tell correlations, and
        each has an error of its own; ``holm``: intervals that hold together after Bonferroni,
        p-values after Holm; ``bh``: single intervals, p-values after Benjamini and Hochberg, for
        exploring; ``none``.
    alpha : float
        Chance of a false finding in the family (of ``bh``, the share of findings that are false).
    """
    found = [_unanswered(asked, correction) for asked in questions]
    told = [i for i, asked in enumerate(questions) if asked.of.se is not None]
    if not told:
        return found
    some = [questions[i].of for i in told]
    if correction == "max-t" and any(of.freedom is not None for of in some):
        correction = "holm"
    family = _family(some, correlations(some))
    if correction != "max-t":  # which takes one distribution for all
        family = replace(family, df=np.array([of.df for of in some]))
    adjusted = CORRECTIONS[correction](family, 1 - alpha)
    beside = holm_p(family.p) if correction in ("max-t", "holm") else np.full(len(told), np.nan)
    for at, i in enumerate(told):
        low, high, p = (float(x[at]) for x in (adjusted.low, adjusted.high, adjusted.p))
        asked = questions[i]
        judged = _judge(asked, low, high, p, correction, alpha)
        method = f"{asked.of.method}, {correction}"
        found[i] = Answer(low, high, float(family.p[at]), p, judged, method, float(beside[at]))
    return found


def reach_of(some: Sequence[Measured], correlation: np.ndarray, confidence: float) -> float:
    """Return the standard errors to the ends of intervals that hold for all together, max-T.

    Parameters
    ----------
    some : sequence of Measured
        Each has a standard error.
    correlation : numpy.ndarray
        Of the estimates.
    confidence : float
    """
    return float(max_t(_family(some, correlation), confidence).reach)


def _family(some: Sequence[Measured], correlation: np.ndarray) -> Family:
    ses = np.array([float(of.se or 0) for of in some])
    values = np.array([of.value for of in some])
    return Family(values, ses, correlation, min(of.df for of in some))


def correlations(some: Sequence[Measured]) -> np.ndarray:
    """Correlate estimates by what the chunks did to them.

    It is 0, as of independent estimates, where they are of other chunks, or the chunks are too few
    to tell; intervals are then wider than they need be, never shorter (Šidák 1967).
    """
    found = np.eye(len(some))
    shapes = [(len(of.parts), of.blocks) for of in some]
    for shape in set(shapes):
        if shape[0] < LEAST_CHUNKS:
            continue
        at = [i for i, one in enumerate(shapes) if one == shape]
        parts = np.stack([some[i].parts for i in at])
        parts = parts / np.maximum(np.linalg.norm(parts, axis=1, keepdims=True), 1e-300)
        found[np.ix_(at, at)] = parts @ parts.T
    np.fill_diagonal(found, 1.0)
    return found


def _unanswered(asked: Question, correction: str) -> Answer:
    """Answer a question without a standard error: nothing varies, or nothing is known."""
    nan = float("nan")
    of = asked.of
    constant = of.blocks > 1 and float(of.parts @ of.parts) < 1e-24
    if constant and abs(of.value) < 1e-12:
        return Answer(0.0, 0.0, nan, nan, SAME, IN_EVERY_DEAL)
    # The parts of one chunk are 0 whatever varies in it; and a few deals may agree by chance.
    known = len(of.parts) > 1 and of.blocks >= LEAST_BLOCKS and np.isfinite(of.value)
    if constant and known:
        value = of.value
        judged = _judge(asked, value, value, 0.0, correction, 1.0)
        return Answer(value, value, nan, nan, judged, IN_EVERY_DEAL)
    return Answer(nan, nan, nan, nan, UNDETERMINED, "")


def _judge(
    asked: Question, low: float, high: float, p: float, correction: str, alpha: float
) -> str:
    if correction == "bh":
        side = ABOVE if asked.of.value > 0 else BELOW
        return f"{side} ({EXPLORED})" if p < alpha else UNDECIDED
    return verdict(low, high, float(asked.of.se or 0), asked.rope)
