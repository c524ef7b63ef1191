"""The figures that are reckoned of a match, whichever way it is reckoned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

REST = 1e-12  # chance of the matches that are left out for going on so long
LARGE_REST = 1e-9  # the same where three sides or four have a great many totals
RAREST = 1e-6  # chance of the matches that are longer than any length that is listed
MOST_DEALS = 400  # a match that may go on longer is not reckoned


@dataclass(frozen=True)
class Asked:
    """What is to be reckoned.

    Attributes
    ----------
    drama : bool
        Whether leads, comebacks and every length are asked for, or deals and wins alone.
    rest, large_rest : float
        Chance of matches so long that they are left out; the latter where totals are a great many.
    most_deals : int
        Deals after which a match that may go on is not reckoned.
    """

    drama: bool = True
    rest: float = REST
    large_rest: float = LARGE_REST
    most_deals: int = MOST_DEALS

    def figures(self, sides: int, games: int, longest: int) -> Figures:
        """List the figures, for games of a block and the longest length that is listed."""
        names = ["deals", *(f"seat.{side}" for side in range(sides))]
        if games > 1:
            names += [f"player.{side}" for side in range(sides)]
        if self.drama:
            names += ["kept", "held", "lead_changes"]
            names += [f"length.{n}" for n in range(1, longest + 1)]
        return Figures(tuple(names), sides, games, self.drama)


def listed_lengths(going_on: Sequence[float]) -> int:
    """Return up to which number of deals lengths are listed.

    Parameters
    ----------
    going_on : sequence of float
        Chance that a match goes on to its 1st, 2nd, ... deal.
    """
    return sum(chance > RAREST for chance in going_on)


@dataclass(frozen=True)
class Figures:
    """Names of figures, and what a win counts for each.

    Attributes
    ----------
    names : tuple of str
        ``deals``; ``seat.s``, the wins of the side in seat s of the first deal (0 opens, the last
        deals); ``player.k``, the wins of the k-th named player; ``kept``, matches whose winner
        led alone before the last deal; ``held``, those whose winner was never behind after a
        deal; ``lead_changes``, deals in which the lead goes from one side alone to another;
        ``length.n``, matches of n deals.
    """

    names: tuple[str, ...]
    sides: int
    games: int
    drama: bool

    def at(self, name: str) -> int:
        """Return the place of a figure."""
        return self.names.index(name)

    def active(self, number: int) -> list[int]:
        """Return the figures that the `number`-th deal, from 0, or a later one can add to."""
        return [
            i
            for i, name in enumerate(self.names)
            if not name.startswith("length.") or int(name.partition(".")[2]) > number
        ]

    def win_weights(self, opener: int) -> np.ndarray:
        """Return what a win of each side counts, float[figures, sides].

        Parameters
        ----------
        opener : int
            Game of the block whose turn is first; the sides are counted from who opens.
        """
        weights = np.zeros((len(self.names), self.sides))
        for side in range(self.sides):
            weights[self.at(f"seat.{side}"), side] = 1
        if self.games > 1:
            turns = range(opener, self.sides, self.games)
            for turn in turns:
                for player in range(self.sides):
                    side = (player - turn) % self.sides
                    weights[self.at(f"player.{player}"), side] += 1 / len(turns)
        return weights


@dataclass(frozen=True)
class Reckoned:
    """Figures of matches.

    Attributes
    ----------
    figures : Figures
    values : numpy.ndarray
        float[figures].
    influence : numpy.ndarray
        float[..., figures]: what one more deal of that kind does to each, before it is centred.
    """

    figures: Figures
    values: np.ndarray
    influence: np.ndarray
