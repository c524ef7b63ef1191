"""Whether intervals of whole distributions, of shifts and of paired differences keep their promise.

Samples are drawn from blocks that were played, as in `verification`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kasino_sim.contrast import RESPONSES, Contrast, Part, block_responses, tally_blocks
from kasino_sim.ledger import Ledger
from kasino_sim.ranges import Deals
from kasino_sim.stats import bands, shifts
from kasino_sim.stats.bins import with_band
from kasino_sim.stats.compare import covariance, differences
from kasino_sim.stats.measured import Measured, mean_of, ratio_of
from kasino_sim.studies.verification import FEW_SIGMA, Check, Population, covers

WIDE = "never below 95 %: too wide, by nature"
CHUNKS = 100


def holds_at_least(name: str, coverage: float, repetitions: int) -> Check:
    """Check a coverage of 95 % or more, for intervals of counts, which cannot hit it exactly."""
    slack = FEW_SIGMA * math.sqrt(0.95 * 0.05 / repetitions)
    return Check("coverage", name, coverage, 0.95 - min(slack, 0.05), 1, repetitions, WIDE)


@dataclass(frozen=True)
class Pair:
    """The same decks played by two rule sets, one game a block.

    Attributes
    ----------
    a, b : Population
    """

    a: Population
    b: Population

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Points of the first player in each block, by a and by b, int64[blocks] each."""
        return first_points(self.a), first_points(self.b)


def first_points(people: Population) -> np.ndarray:
    """Points of the first player in the first game of each block, int64[blocks]."""
    return people.sheets["points"][:, 0, 0].sum(axis=1, dtype=np.int64)


def distribution_checks(people: Population, games: int, repetitions: int) -> list[Check]:
    """Check the bands around a distribution of points, and the intervals of its quantiles."""
    points = first_points(people)
    law = np.bincount(points) / len(points)
    seen = np.random.default_rng(21).multinomial(games, law, repetitions)
    quantiles = {q: bands.quantile(np.bincount(points), q) for q in (0.1, 0.5, 0.9)}
    banded = np.mean([_in_band(counts, law) for counts in seen])
    size = f"{games} deals"
    checks = [holds_at_least(f"band: points, {size}", float(banded), repetitions)]
    for q, truth in quantiles.items():
        held = np.mean([_inside(bands.quantile_interval(counts, q), truth) for counts in seen])
        name = f"quantile {q}: points, {size}"
        checks.append(holds_at_least(name, float(held), repetitions))
    return checks


def _inside(ends: tuple | None, truth: float | np.ndarray | None) -> bool:
    return ends is not None and bool(np.all((ends[0] <= truth) & (truth <= ends[1])))


def _in_band(counts: np.ndarray, law: np.ndarray) -> bool:
    """Tell whether the band of a printed distribution, which ends with the most seen, holds."""
    some = counts[: np.flatnonzero(counts).max() + 1]
    frame = with_band(pd.DataFrame(index=range(len(some))), some, True, ("low", "high"))
    return _inside((frame["low"].to_numpy(), frame["high"].to_numpy()), law[: len(some)])


def shift_checks(pair: Pair, blocks: int, repetitions: int) -> list[Check]:
    """Check the bootstrap of whole chunks around the shifts between two rule sets.

    The distance of two laws is checked too where it is 0: between one and the same, shuffled.
    """
    random, (y0, y1) = np.random.default_rng(22), pair.points()
    seen = _shifts_held(y0, y1, random, (blocks, repetitions))
    size = f"{CHUNKS} x {blocks} blocks"
    checks = [
        covers(f"bootstrap: {name} points, {size}", seen[name], repetitions)
        for name in (shifts.MORE, shifts.SHIFT)
    ]
    alike = _shifts_held(y0, random.permutation(y0), random, (blocks, repetitions))
    held = [where[shifts.DISTANCE] for where in (seen, alike)]
    return [
        *checks,
        holds_at_least(f"bootstrap: Wasserstein distance, {size}", held[0], repetitions),
        covers(f"bootstrap: Wasserstein distance of 0, {size}", held[1], repetitions),
    ]


def _shifts_held(
    y0: np.ndarray, y1: np.ndarray, random: np.random.Generator, size: tuple[int, int]
) -> dict[str, float]:
    """Return how often each interval holds, by shift."""
    blocks, repetitions = size
    n = int(max(y0.max(), y1.max())) + 1
    cells = y1 * n + y0
    whole = np.bincount(cells, minlength=n * n).reshape(1, n, n)
    truths = {name: found["value"] for name, found in shifts.shifts(whole).items()}
    hits = dict.fromkeys(truths, 0)
    for _ in range(repetitions):
        at = random.integers(0, len(cells), (CHUNKS, blocks))
        drawn = cells[at] + n * n * np.arange(CHUNKS)[:, None]
        parts = np.bincount(drawn.ravel(), minlength=CHUNKS * n * n).reshape(CHUNKS, n, n)
        for name, found in shifts.shifts(parts).items():
            hits[name] += _inside((found["low"], found["high"]), truths[name])
    return {name: hit / repetitions for name, hit in hits.items()}


def chunk_checks(people: Population, blocks: int, repetitions: int) -> list[Check]:
    """Check t intervals over chunks: of a mean, and of a ratio of two counts."""
    captures, builds = (people.columns[name] for name in ("captures", "builds"))
    random, sizes = np.random.default_rng(23), np.full(CHUNKS, blocks)
    truths = {"mean": captures.mean(), "ratio": builds.sum() / captures.sum()}
    hits = dict.fromkeys(truths, 0)
    for _ in range(repetitions):
        at = people.draw(random, (CHUNKS, blocks))
        one, other = captures[at].sum(axis=1), builds[at].sum(axis=1)
        found: dict[str, Measured] = {
            "mean": mean_of(one, sizes),
            "ratio": ratio_of(other, one, sizes),
        }
        for name, measured in found.items():
            row = measured.row()
            hits[name] += _inside((row["low"], row["high"]), truths[name])
    size = f"{CHUNKS} x {blocks} blocks"
    return [
        covers(f"t over chunks: {name}, {size}", hit / repetitions, repetitions)
        for name, hit in hits.items()
    ]


def contrast_checks(pair: Pair, blocks: int, repetitions: int) -> list[Check]:
    """Check the intervals of paired differences, each alone and all together."""
    from scipy.stats import t

    from kasino_sim.stats.multiplicity import reach

    contrast = Contrast(pair.a.plan, pair.b.plan)
    both = np.concatenate([block_responses(of.plan, of.sheets) for of in (pair.a, pair.b)], axis=1)
    k, part = len(RESPONSES), Part(0, 0, np.zeros(0), (Ledger(2, 1),) * 2, np.zeros((1, 1)))
    truth = (both[:, k:].mean(axis=0) - both[:, :k].mean(axis=0)) / contrast.scales
    off, far, group = np.zeros((repetitions, k)), np.zeros(repetitions), 100
    random = np.random.default_rng(24)
    for at in range(repetitions):
        drawn = both[pair.a.draw(random, (blocks,))]
        tally = tally_blocks(drawn, part, Deals())
        found = differences(contrast, tally)
        se = np.array([of.of.se or 0 for of in found])
        varies = se > 0
        gaps = np.array([of.of.value for of in found])
        off[at, varies] = np.abs(gaps - truth)[varies] / se[varies]
        if at % group == 0:  # one sample's correlation serves its group, to save minutes
            some = covariance(contrast, tally)[np.ix_(varies, varies)]
            width = reach(some / np.outer(*[se[varies]] * 2), blocks - 1)
        far[at] = width
    told = [i for i in range(k) if off[:, i].any()]
    alone = (off <= t.ppf(0.975, blocks - 1)).mean(axis=0)
    worst = min(told, key=lambda i: -abs(alone[i] - 0.95))
    together = float((off.max(axis=1) <= far).mean())
    size = f"{blocks} blocks"
    return [
        covers(f"contrast: points, {size}", float(alone[RESPONSES.index("points")]), repetitions),
        covers(f"contrast: worst of {len(told)} ({RESPONSES[worst]}), {size}",
               float(alone[worst]), repetitions),
        covers(f"contrast, max-T of {len(told)}, {size}", together, repetitions),
    ]  # fmt: skip
