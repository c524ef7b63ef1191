"""What a cell of a study came to: its tally, and what every chunk of decks added to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from kasino_sim.counted import Counted
from kasino_sim.errors import KasinoError
from kasino_sim.ledger import Ledger, Outcomes, outcomes
from kasino_sim.plan import Plan
from kasino_sim.ranges import Deals
from kasino_sim.rules import Ruleset
from kasino_sim.stats.estimates import estimate
from kasino_sim.stats.match_odds import MatchOdds, match_odds
from kasino_sim.stats.measured import Measured, mean_of, ratio_of
from kasino_sim.stats.trace import Trace
from kasino_sim.tally import Tally, merge

GLIMPSE = 100  # decks of a chunk, where every play of many cells is to be looked at


@dataclass(frozen=True)
class CellCounts:
    """The tallies of one plan, chunk by chunk.

    Attributes
    ----------
    plan : Plan
    chunks : tuple of Tally
    scoring : Ruleset, optional
        What the players believe the items are worth; the plan's rules unless given.
    """

    plan: Plan
    chunks: tuple[Tally, ...]
    scoring: Ruleset | None = None

    def __post_init__(self) -> None:
        """Refuse chunks that have a deck in common."""
        reduce(Deals.__add__, (chunk.deals for chunk in self.chunks))

    @cached_property
    def tally(self) -> Tally:
        """All chunks together."""
        return merge(self.chunks)

    @cached_property
    def blocks(self) -> np.ndarray:
        """Blocks of each chunk, int64[chunks]."""
        return np.array([chunk.blocks for chunk in self.chunks])

    @property
    def ledger(self) -> Ledger:
        """Deals by what each side took."""
        return self.tally.ledger

    @cached_property
    def outcomes(self) -> Outcomes:
        """What each row of the ledger is worth."""
        return outcomes(self.ledger, self.plan.rules)

    @cached_property
    def match_odds(self) -> MatchOdds | None:
        """Figures of the matches that such deals make; None where none comes to an end."""
        try:
            return match_odds(self.plan, [chunk.ledger for chunk in self.chunks])
        except KasinoError:
            return None

    @cached_property
    def trace(self) -> Trace:
        """What the same deals come to when every play of them is looked at."""
        return Trace(self.plan, self.blocks, self.scoring)

    @cached_property
    def glimpse(self) -> Trace | None:
        """The same of `GLIMPSE` decks of each chunk; None where somebody thinks ahead."""
        try:
            return Trace(self.plan, self.blocks, self.scoring, most=GLIMPSE)
        except KasinoError:
            return None

    def column(self, name: str) -> np.ndarray:
        """Return the sums of a column by chunk, float64[chunks]."""
        return np.array([float(chunk.sums[name]) for chunk in self.chunks])

    def counts(self, name: str) -> bool:
        """Whether there is such a column, and anything was counted in it."""
        return bool(self.tally.sums.get(name))

    def mean(self, name: str, per: float = 1) -> Measured:
        """Estimate the mean of a column, a block's value divided by `per`."""
        found = estimate(self.tally, name)
        se = None if found.se is None else found.se / abs(per)
        return mean_of(self.column(name) / per, self.blocks, se)

    def counted(self, what: Counted) -> Measured:
        """Estimate the mean of what every block gives as a whole number."""
        if len(what.weights) == 1:
            ((name, weight),) = what.weights.items()
            return self.mean(name, what.per / weight)
        sums = sum(weight * self.column(name) for name, weight in what.weights.items())
        return mean_of(np.asarray(sums) / what.per, self.blocks)

    def ratio(self, above: Sequence[str], below: Sequence[str]) -> Measured:
        """Estimate the ratio of sums of columns."""
        return ratio_of(
            sum(map(self.column, above), np.zeros(len(self.chunks))),
            sum(map(self.column, below), np.zeros(len(self.chunks))),
            self.blocks,
        )

    @cached_property
    def _places(self) -> list[np.ndarray]:
        """For each chunk, the rows of the whole ledger that its own rows are."""
        return [np.searchsorted(self.ledger.keys, chunk.ledger.keys) for chunk in self.chunks]

    def share(self, rows: np.ndarray) -> Measured:
        """Estimate the share of deals whose row of the ledger is marked.

        Parameters
        ----------
        rows : numpy.ndarray
            bool[rows of the ledger], or numbers to be averaged.
        """
        by_game = np.repeat(np.asarray(rows, float)[:, None], self.ledger.games, axis=1)
        return mean_of(self.by_chunk(by_game) / self.plan.games, self.blocks)

    def by_chunk(self, worth: np.ndarray) -> np.ndarray:
        """Add up what the deals of each chunk are worth, float64[chunks].

        Parameters
        ----------
        worth : numpy.ndarray
            float64[rows of the ledger, games].
        """
        return np.array(
            [
                float((chunk.ledger.counts * worth[rows]).sum())
                for chunk, rows in zip(self.chunks, self._places, strict=True)
            ]
        )
