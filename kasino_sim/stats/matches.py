"""Matches: consecutive deals of a simulation, scored on a pad until somebody has won.

The deal passes to the left within a match, and the player who plays first in the first deal changes
from match to match. A match is the unit: it begins where the one before ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kasino_sim.engine.counting import WIN
from kasino_sim.errors import KasinoError
from kasino_sim.match import CARRIED, DealResult, MatchPad
from kasino_sim.plan import Plan
from kasino_sim.stats.bins import shares_of_bins
from kasino_sim.stats.estimates import Estimate
from kasino_sim.stats.intervals import UNDETERMINED, mean_row, row


@dataclass(frozen=True)
class MatchTally:
    """Whole matches, counted in whole numbers.

    Attributes
    ----------
    lengths : numpy.ndarray
        int64[longest + 1]: matches by the number of their deals.
    opener, player : tuple of int
        Twelfths of a win, their sum and the sum of their squares: of the side that plays first in
        the first deal, and of the side of the player named first.
    """

    lengths: np.ndarray
    opener: tuple[int, int]
    player: tuple[int, int]

    @property
    def matches(self) -> int:
        """How many matches were played to their end."""
        return int(self.lengths.sum())

    @property
    def deals(self) -> int:
        """How many deals they took together."""
        return int(self.lengths @ np.arange(len(self.lengths)))


class MatchCounter:
    """Plays matches out of score sheets that come in order.

    Parameters
    ----------
    plan : Plan
        What the sheets were played by. A deck played under several seatings counts once, under the
        seating that the match is at.
    wanted : int
        Matches after which no more are begun.
    """

    def __init__(self, plan: Plan, wanted: int) -> None:
        if not plan.rotate and not plan.alike:
            raise KasinoError("matches need the players in every seat: leave --no-rotate out")
        self.plan, self.wanted = plan, wanted
        self._pad = MatchPad(plan.rules)
        self._lengths: Counter[int] = Counter()
        self._wins: dict[str, list[int]] = {"opener": [0, 0], "player": [0, 0]}

    @property
    def matches(self) -> int:
        """How many matches are over."""
        return self._lengths.total()

    @property
    def done(self) -> bool:
        """Whether there are as many matches as wanted."""
        return self.matches >= self.wanted

    def add(self, sheets: Any) -> None:
        """Go on with the next sheets, SHEET[blocks, games]."""
        for deal in self._deals(sheets):
            self._pad.add(deal)
            if self._pad.over:
                self._count()
            if self.done:
                return

    def _deals(self, sheets: Any) -> Iterator[DealResult]:
        """Yield a deal a block, its sides in the order of the match."""
        sides = self.plan.rules.sides
        points = sheets["points"][:, :, :sides].tolist()
        spades = _spades_by_side(self.plan, sheets).tolist()
        tied = np.stack([sheets[f"tied_{item}"] for item in CARRIED], axis=-1).tolist()
        for block in range(len(points)):
            passed = self._pad.deals + self.matches
            game = -passed % self.plan.games
            seats = [(side - passed) % sides for side in range(sides)]
            by_side = [points[block][game][seat] for seat in seats]
            yield DealResult(
                tuple(zip(*by_side, strict=True)),
                tuple(i for i, flag in zip(CARRIED, tied[block][game], strict=True) if flag),
                {},
                tuple(spades[block][game][seat] for seat in seats),
            )

    def _count(self) -> None:
        winners = self._pad.winners
        for who, side in (("opener", self.matches % self.plan.rules.sides), ("player", 0)):
            win = WIN // len(winners) if side in winners else 0
            self._wins[who][0] += win
            self._wins[who][1] += win * win
        self._lengths[self._pad.deals] += 1
        self._pad = MatchPad(self.plan.rules)

    def tally(self) -> MatchTally:
        """Return what was counted so far; a match under way is left out."""
        lengths = np.zeros(max(self._lengths, default=0) + 1, np.int64)
        for length, count in self._lengths.items():
            lengths[length] = count
        opener, player = (self._wins[who] for who in ("opener", "player"))
        return MatchTally(lengths, (opener[0], opener[1]), (player[0], player[1]))


def _spades_by_side(plan: Plan, sheets: Any) -> np.ndarray:
    """Spades of each side, int64[blocks, games, sides]."""
    n, sides = plan.rules.n_players, plan.rules.sides
    spades = sheets["spades"][:, :, :n].astype(np.int64)
    return spades.reshape(*spades.shape[:2], n // sides, sides).sum(axis=2)


def match_lengths(matches: MatchTally) -> pd.DataFrame:
    """Distribute the matches over their lengths.

    Returns
    -------
    pandas.DataFrame
        A row a length from 1 to the longest: deals, matches, share, low, high.
    """
    return shares_of_bins(matches.lengths[1:], "deals", "matches", True, first=1)


def mean_length(matches: MatchTally) -> dict[str, float]:
    """Estimate the deals in a match: value, se, low, high."""
    places = np.arange(len(matches.lengths))
    square = int(matches.lengths @ places**2)
    return _mean_row(matches.matches, (matches.deals, square))


def win_share(matches: MatchTally, who: str) -> dict[str, float]:
    """Estimate the share of matches that a side wins, shared wins split.

    Parameters
    ----------
    matches : MatchTally
    who : str
        ``opener`` or ``player``; see `MatchTally`.
    """
    return _mean_row(matches.matches, getattr(matches, who), WIN)


def length_quantile(matches: MatchTally, part: float) -> int | None:
    """Return the number of deals within which this part of the matches, or more, is over."""
    if matches.matches == 0:
        return None
    within = np.cumsum(matches.lengths)
    return int(np.flatnonzero(within >= part * within[-1])[0])


def _mean_row(n: int, sums: tuple[int, int], per: int = 1) -> dict[str, float]:
    if n == 0:
        return row(UNDETERMINED, UNDETERMINED, UNDETERMINED, UNDETERMINED)
    total, square = sums
    if n == 1:
        return mean_row(Estimate(total / per, None, 1))
    variance = (n * square - total * total) / (n * (n - 1))
    return mean_row(Estimate(total / n / per, (variance / n) ** 0.5 / per, n))
