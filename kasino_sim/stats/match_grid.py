"""Matches in which whole deals are added up, reckoned on a grid of the sides' totals.

A deal moves every total at once, which is a convolution; so three and four sides take no longer
than their grid is large. Of a tie beyond the target only the leads count: it is moved back to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import fft

from kasino_sim.rules import Ruleset

MOST_CELLS = 4_000_000


@dataclass(frozen=True)
class Grid:
    """A grid of totals, one axis a side; the side that opens the match first, then by turn.

    Attributes
    ----------
    before, after : int
        Length of an axis before a deal is added, and after.
    most : int
        Points from 0 up to this that a side can make in a deal, and one.
    over : numpy.ndarray
        bool[cells after], whether the match is over there.
    share : numpy.ndarray
        float[cells after], of the win that the side has that dealt first.
    back : numpy.ndarray
        int64[cells after], the cell before the next deal, where the match is not over.
    """

    sides: int
    before: int
    after: int
    most: int
    over: np.ndarray
    share: np.ndarray
    back: np.ndarray

    @property
    def shape(self) -> list[int]:
        """Shape after a deal is added."""
        return [self.after] * self.sides


def grid_of(rules: Ruleset, most_points: int) -> Grid | None:
    """Lay out the grid of a rule set, None where it is too large or does not tell enough.

    Parameters
    ----------
    rules : Ruleset
    most_points : int
        The most that a side makes in a deal.
    """
    match, sides, most = rules.match, rules.sides, most_points + 1
    plain = match.end == "highest" and rules.score.ties == "none"
    if match.goal == "deals":
        before = most_points * match.deals + 1
    else:
        plain = plain and match.tie_break == "deal" and (match.winner == "highest" or sides == 2)
        before = match.target + 1
    after = before + most_points
    if not plain or after**sides > MOST_CELLS:
        return None
    totals = np.indices([after] * sides).reshape(sides, -1)
    best = totals.min(axis=0) if match.winner == "lowest" else totals.max(axis=0)
    leading = totals == best
    shared = leading.sum(axis=0)
    if match.goal == "deals":
        over, beyond = np.zeros(len(best), bool), np.zeros(len(best), int)
    else:
        over = (totals.max(axis=0) >= match.target) & (shared == 1)
        beyond = np.maximum(totals.max(axis=0) - match.target, 0)
    state = np.minimum(np.maximum(totals - beyond, 0), before - 1)
    back = np.ravel_multi_index(tuple(state), (before,) * sides)
    return Grid(sides, before, after, most, over, np.where(leading[-1], 1 / shared, 0), back)


def match_figures(
    grid: Grid, rules: Ruleset, chances: np.ndarray, rest: float, most_deals: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Reckon the deals in a match and the share of wins of the side that deals first.

    Parameters
    ----------
    grid : Grid
    rules : Ruleset
    chances : numpy.ndarray
        float[games, points of seat 0, points of seat 1, ...], for each game of a block.
    rest : float
        Chance of matches so long that they are left out.
    most_deals : int
        Deals after which a match that may go on is undetermined.

    Returns
    -------
    (float[2], float[games, points..., 2]) or None
        The figures, and what one more deal in that game, with those points by seat, does to them.
    """
    games = len(chances)
    influence = np.zeros((*chances.shape, 2))
    figures = np.zeros(2)
    for opener in range(games):
        masses = [np.zeros([grid.before] * grid.sides)]
        masses[0].flat[0] = 1.0
        waves: list[Any] = []  # of each deal's points
        while masses[-1].sum() > rest:
            if len(waves) == most_deals:
                return None
            chance = chances[-(len(waves) + opener) % games]
            waves.append(fft.rfftn(_turned(chance, len(waves)), grid.shape))
            masses.append(_pass_on(grid, rules, len(waves) - 1, masses[-1], waves[-1]))
        ahead = np.zeros((2, grid.before**grid.sides))
        for number in range(len(waves) - 1, -1, -1):
            coming = _coming(grid, rules, number, ahead)
            game = -(number + opener) % games
            for i in (0, 1):
                of_deal = _correlated(grid, coming[i], fft.rfftn(masses[number], grid.shape))
                of_deal = of_deal[(slice(grid.most),) * grid.sides]
                influence[game, ..., i] += _turned(of_deal, -number) / games
                of_state = _correlated(grid, coming[i], waves[number])
                ahead[i] = of_state[(slice(grid.before),) * grid.sides].ravel()
        figures += ahead[:, 0] / games
    return figures, influence


def _pass_on(grid: Grid, rules: Ruleset, number: int, mass: np.ndarray, waves: Any) -> np.ndarray:
    """Add a deal; returns the chances of where matches that go on stand then."""
    full = fft.irfftn(fft.rfftn(mass, grid.shape) * waves, grid.shape).ravel()
    on = ~_over(grid, rules, number)
    after = np.bincount(grid.back[on], np.maximum(full[on], 0), grid.before**grid.sides)
    return after.reshape(mass.shape)


def _coming(grid: Grid, rules: Ruleset, number: int, ahead: np.ndarray) -> np.ndarray:
    """Return what a deal brings wherever it leads, float[2, cells after]: itself, and the rest."""
    over = _over(grid, rules, number)
    coming = np.where(over, 0.0, ahead[:, grid.back])
    coming[0] += 1.0
    coming[1] += np.where(over, grid.share, 0.0)
    return coming


def _correlated(grid: Grid, values: np.ndarray, waves: Any) -> np.ndarray:
    """Return the mean of values over where one gets to, by what is added, or from where."""
    of_values = fft.rfftn(values.reshape(grid.shape))
    return fft.irfftn(of_values * np.conj(waves), grid.shape)


def _over(grid: Grid, rules: Ruleset, number: int) -> np.ndarray:
    """Whether the match is over after its `number`-th deal, from 0, bool[cells]."""
    if rules.match.goal == "deals":
        return np.full(len(grid.over), number + 1 >= rules.match.deals)
    return grid.over


def _turned(by_seat: np.ndarray, number: int) -> np.ndarray:
    """Put the axes of seats into the order of the sides of a match, after so many deals."""
    sides = by_seat.ndim
    return by_seat.transpose([(side - number) % sides for side in range(sides)])
