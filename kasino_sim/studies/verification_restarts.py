"""Whether intervals about players who were searched for hold: decks and searches, truth known.

Searches take hours, so they are drawn here: every search of a cell misses the cell's truth by luck
of its own, and every chunk of decks by luck that it shares with the others. The intervals are the
product's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kasino_sim.stats.families import Question, answer
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.restarts import over_restarts, pooled_spread
from kasino_sim.studies.verification import Check
from kasino_sim.studies.verification_shapes import holds_at_least

CHUNKS = 120  # enough for a family to take correlations for known, where it does
ALPHA, ROPE = 0.05, 0.05


@dataclass(frozen=True)
class Luck:
    """What estimates miss their truth by, in standard deviations.

    Attributes
    ----------
    decks : float
        Of the mean over all decks, shared by the searches of a cell.
    search : float
        Of one search.
    uneven : float
        How far cells differ in what their searches do: of its logarithm, 0 for alike.
    kept : float
        Share of the searches that are kept: the others leave the player that they began with.
    """

    decks: float
    search: float
    uneven: float = 0.0
    kept: float = 1.0

    def cell(self, random: np.random.Generator, searches: int) -> list[Measured]:
        """Draw the estimates of a cell's searches, whose truth is 0."""
        scatter = self.search * float(np.exp(random.normal(0, self.uneven)))
        chunks = random.normal(0, self.decks / np.sqrt(CHUNKS), CHUNKS)
        found = []
        luck = random.normal(0, scatter, searches)
        if self.kept < 1:
            luck *= random.random(searches) < self.kept
        for missed in luck:
            # What decks do to one search alone: a fifth of what they do to all.
            parts = chunks + random.normal(0, self.decks / np.sqrt(CHUNKS) / 5, CHUNKS)
            value = float(parts.sum())
            found.append(Measured(value + float(missed), parts - value / CHUNKS, CHUNKS))
        return found


TOTALS = {
    "searches count for most": Luck(0.005, 0.05),
    "decks and searches alike": Luck(0.02, 0.03),
    "decks count for most": Luck(0.02, 0.005),
    "searches count for most, unevenly": Luck(0.005, 0.05, 0.6),
    "decks and searches alike, unevenly": Luck(0.02, 0.03, 0.6),
}
MANY = TOTALS | {"few searches are kept": Luck(0.01, 0.05, 0.6, kept=0.3)}
TIPS = {name: luck for name, luck in TOTALS.items() if not luck.uneven}


def total_effects(luck: Luck, rules: int, searches: int, random: np.random.Generator) -> np.ndarray:
    """Tell which intervals of total effects, all 0, hold: singly and all together, bool[rules, 2].

    All rules share the searches of the unchanged one, and what these do is pooled.
    """
    base, *cells = (luck.cell(random, searches) for _ in range(rules + 1))
    pooled = pooled_spread([base, *cells])
    gaps = [[one - other for one, other in zip(cell, base, strict=True)] for cell in cells]
    return _held([over_restarts(gap, pooled) for gap in gaps], "holm")


def tuned_tips(luck: Luck, tips: int, searches: int, random: np.random.Generator) -> np.ndarray:
    """Tell the same of tips between players tuned anew, whose worth is 0, bool[tips, 2]."""
    found = [over_restarts(luck.cell(random, searches)) for _ in range(tips)]
    return _held(found, "max-t")


def _held(found: Sequence[Measured], correction: str) -> np.ndarray:
    told = answer([Question(of, ROPE) for of in found], correction, ALPHA)
    alone = [row["low"] <= 0 <= row["high"] for row in (of.row() for of in found)]
    together = all(one.low <= 0 <= one.high for one in told)
    return np.array([alone, [together] * len(found)]).T


def restart_checks(repetitions: int) -> list[Check]:
    """Check intervals over searches: of 25 house rules with 3 and 12 each, of 12 tips with 6."""
    checks = []
    settings = (
        ("25 total effects, 3 searches pooled", TOTALS, total_effects, 25, 3),
        ("25 total effects, 12 searches", MANY, total_effects, 25, 12),
        ("12 tuned tips, 6 searches", TIPS, tuned_tips, 12, 6),
    )
    for told, lucks, make, number, searches in settings:
        for name, luck in lucks.items():
            random = np.random.default_rng(17)
            held = [make(luck, number, searches, random) for _ in range(repetitions)]
            each, together = np.mean(held, axis=(0, 1)).tolist()
            for what, figure in (("each", each), ("together", together)):
                checks.append(holds_at_least(f"{told}, {what}: {name}", figure, repetitions))
    return checks
