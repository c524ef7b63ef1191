"""Two rule sets on the same decks: paired whole numbers, block by block.

A block is a deck, played under every seating by both rule sets. In each seat the chance that a
player uses is the same under both, until the games part. What is kept are sums over blocks: of what
each rule set gave, and of all products of two of these, so that every difference and every pair of
differences has its variance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kasino_sim.counted import COUNTED
from kasino_sim.engine.counting import MAX_POINTS
from kasino_sim.engine.layout import ITEMS
from kasino_sim.errors import KasinoError
from kasino_sim.ledger import Ledger, score_sheets, scoring_only
from kasino_sim.pack import item_weights
from kasino_sim.plan import Plan
from kasino_sim.ranges import Deals, deals_from
from kasino_sim.rules import Ruleset, diff
from kasino_sim.simulate import Chunk, Engine
from kasino_sim.tally import Counter

RESPONSES = (
    "points",
    "points_first",
    "points_dealer",
    *ITEMS,
    "sweeps_per_deal",
    "first_player_advantage",
    "builds_per_deal",
    "captures_per_deal",
    "tied_cards",
    "tied_spades",
)
"""What is counted in every block of both rule sets, in this order, as `counted` defines it."""

MOST_PARTS = 512  # beyond that, neighbouring chunks are kept as one
OPEN_CHUNK_BLOCKS = 250  # where it is not known beforehand how many blocks there will be
BINS = MAX_POINTS + 1
_SAFE = 2**63 - 1


@dataclass(frozen=True)
class Contrast:
    """Two plans that share seed, decks and players.

    Attributes
    ----------
    a, b : Plan
        They differ in their rules; in `deals` so far as their blocks hold more or fewer games.
    adapt : bool
        Whether the players play by the scoring record of each rule set. Else they are mechanical:
        they believe the items to be worth what they are under `a`, in both.
    """

    a: Plan
    b: Plan
    adapt: bool = False

    def __post_init__(self) -> None:
        """Check that there is something to compare, on the same decks."""
        if not diff(self.a.rules, self.b.rules):
            raise KasinoError(
                f"nothing changed: {self.a.rules.name} and {self.b.rules.name} have the same rules"
            )
        if (self.a.seed, self.a.first_deal) != (self.b.seed, self.b.first_deal):
            raise KasinoError("a contrast needs the same seed and first deal under both rule sets")

    @property
    def blocks(self) -> int:
        """Blocks that hold the deals wanted under both rule sets."""
        return max(self.a.blocks, self.b.blocks)

    @property
    def games(self) -> int:
        """Games played for each deck, by both rule sets together."""
        return self.a.games + self.b.games

    @property
    def beliefs(self) -> tuple[Ruleset, Ruleset]:
        """What the players believe the items are worth, under each rule set."""
        return self.a.rules, self.b.rules if self.adapt else self.a.rules

    @cached_property
    def re_scored(self) -> bool:
        """Whether `b` is the same play as `a`, scored by other rules: then it is played once."""
        before, after = (item_weights(rules) for rules in self.beliefs)
        return before == after and scoring_only(self.a.rules, self.b.rules)

    @property
    def games_played(self) -> int:
        """Games that have to be played for each deck."""
        return self.a.games if self.re_scored else self.games

    @cached_property
    def scales(self) -> np.ndarray:
        """What a block's whole numbers are divided by, int64[responses], the same for both."""
        return np.lcm(_pers(self.a), _pers(self.b))


def _pers(plan: Plan) -> np.ndarray:
    """Return what a block's sums are divided by to be a mean per deal, int64[responses]."""
    return np.array([COUNTED[name](plan).per for name in RESPONSES], np.int64)


# ---------------------------------------------------------------- what is counted


@dataclass(frozen=True)
class Part:
    """A group of consecutive blocks.

    Attributes
    ----------
    number : int
        Of the group, in the order of the blocks.
    blocks : int
    sums : numpy.ndarray
        As in `ContrastTally`.
    ledgers : (Ledger, Ledger)
        What the sides took, under each rule set.
    joint : numpy.ndarray
        Games by the points of who plays first under b and under a, int32[129, 129]; all 0 where a
        deck is not played as often under both.
    """

    number: int
    blocks: int
    sums: np.ndarray
    ledgers: tuple[Ledger, Ledger]
    joint: np.ndarray

    def __add__(self, other: Part) -> Part:
        """Merge two groups; both have the same number."""
        one, two = zip(self.ledgers, other.ledgers, strict=True)
        return Part(
            self.number,
            self.blocks + other.blocks,
            self.sums + other.sums,
            (one[0] + one[1], two[0] + two[1]),
            self.joint + other.joint,
        )


@dataclass(frozen=True)
class ContrastTally:
    """Sums over blocks; added to merge.

    Attributes
    ----------
    blocks : int
    sums : numpy.ndarray
        Whole numbers of any size, object[2 * responses]: rule set a's, then b's, both over
        `Contrast.scales`.
    products : numpy.ndarray
        Sums of the products of any two of them, object[2 * responses, 2 * responses].
    parts : tuple of Part
        The same blocks in groups, in order, each of 2**level chunks but for the last.
    deals : Deals
        The decks that were counted, one a block.
    level : int
    """

    blocks: int
    sums: np.ndarray
    products: np.ndarray
    parts: tuple[Part, ...]
    deals: Deals
    level: int = 0

    def __add__(self, other: ContrastTally) -> ContrastTally:
        """Merge two tallies of one contrast; those of a deck in common are refused."""
        level = max(self.level, other.level)
        parts = _grouped([*self._parts_at(level), *other._parts_at(level)])
        while len(parts) > MOST_PARTS:
            level += 1
            parts = _grouped([replace(part, number=part.number // 2) for part in parts])
        return ContrastTally(
            self.blocks + other.blocks,
            self.sums + other.sums,
            self.products + other.products,
            tuple(parts),
            self.deals + other.deals,
            level,
        )

    def _parts_at(self, level: int) -> list[Part]:
        shift = level - self.level
        return [replace(part, number=part.number >> shift) for part in self.parts]


def _grouped(parts: list[Part]) -> list[Part]:
    """Add up parts of the same number, and put them in order."""
    grouped: dict[int, Part] = {}
    for part in parts:
        number = part.number
        grouped[number] = grouped[number] + part if number in grouped else part
    return [grouped[number] for number in sorted(grouped)]


def block_responses(plan: Plan, sheets: Any) -> np.ndarray:
    """Return what each block gave, int64[blocks, responses], summed over its games.

    Parameters
    ----------
    plan : Plan
    sheets : SHEET[blocks, games]
    """
    return count_responses(plan, sheets)[0]


def count_responses(plan: Plan, sheets: Any) -> tuple[np.ndarray, Ledger]:
    """Return what `block_responses` does, and the ledger of the same sheets."""
    counter = Counter(plan)
    columns = counter.columns(sheets)
    found = np.stack([COUNTED[name](plan).values(columns) for name in RESPONSES], axis=1)
    return found, counter.ledger()


def _scored_anew(played: Plan, sheets: Any, rules: Ruleset) -> Any:
    """Return the sheets with their points as other rules have them."""
    scored = score_sheets(played.rules, sheets, rules).points
    points = scored.reshape(*sheets.shape, *scored.shape[1:])
    found = sheets.copy()
    found["points"][:, :, : rules.sides] = points.swapaxes(2, 3)
    return found


def tally_blocks(both: np.ndarray, part: Part, deals: Deals) -> ContrastTally:
    """Count a chunk's blocks.

    Parameters
    ----------
    both : numpy.ndarray
        int64[blocks, 2 * responses].
    part : Part
        Number, ledgers and joint points of the chunk; its blocks and sums are counted here.
    deals : Deals
    """
    sums = both.sum(axis=0).astype(object)
    most = int(np.abs(both).max(initial=0))
    # Whole numbers keep the product off the library of linear algebra, whose threads would take
    # the processors from the games.
    products = both.T @ both if most * most * len(both) < _SAFE else both.T.astype(object) @ both
    part = replace(part, blocks=len(both), sums=sums)
    return ContrastTally(len(both), sums, products.astype(object), (part,), deals)


def _joint(a: Any, b: Any) -> np.ndarray:
    """Count games by the points of who plays first, int32[129, 129]: under b, under a."""
    if a.shape != b.shape:
        return np.zeros((BINS, BINS), np.int32)
    first = [np.minimum(s["points"][:, :, 0].sum(axis=2), MAX_POINTS).ravel() for s in (a, b)]
    cells = first[1].astype(np.int64) * BINS + first[0]
    return np.bincount(cells, minlength=BINS * BINS).reshape(BINS, BINS).astype(np.int32)


# ---------------------------------------------------------------- playing


class PairedEngine:
    """Plays both rule sets of a contrast on the same decks; safe to use from many threads.

    Parameters
    ----------
    contrast : Contrast
    re_score : bool
        Whether rule sets that differ in scoring alone are played once, which gives the same.
    """

    def __init__(self, contrast: Contrast, re_score: bool = True) -> None:
        self.contrast = contrast
        self._once = re_score and contrast.re_scored
        self._a = Engine(contrast.a, contrast.beliefs[0])
        self._b = Engine(contrast.b, contrast.beliefs[1])
        self._factors = [contrast.scales // _pers(plan) for plan in (contrast.a, contrast.b)]

    def tally(self, chunk: Chunk) -> ContrastTally:
        """Play a chunk and count it."""
        a, b = self.contrast.a, self.contrast.b
        sheets = self._a.sheets(chunk.first, chunk.n)
        before, ledger = count_responses(a, sheets)
        if self._once:
            again = _scored_anew(a, sheets, b.rules)
            after, ledgers = block_responses(b, again), (ledger, ledger)
        else:
            again = self._b.sheets(chunk.first, chunk.n)
            after, other = count_responses(b, again)
            ledgers = ledger, other
        both = np.concatenate([self._factors[0] * before, self._factors[1] * after], axis=1)
        part = Part(chunk.number, 0, np.zeros(0), ledgers, _joint(sheets, again))
        return tally_blocks(both, part, deals_from(a.seed, a.first_deal + chunk.first, chunk.n))
