"""Matches in which whole deals are added up, reckoned on a grid of the sides' totals.

A deal moves every total at once, which is a convolution; so three and four sides take no longer
than their grid is large. Of a tie beyond the target only the leads count: it is moved back to it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft

from kasino_sim.rules import Ruleset
from kasino_sim.stats.match_figures import Asked, Figures, Reckoned, listed_lengths

MOST_CELLS = 3_000_000
MOST_WORK = 4_000_000_000  # cells times figures times deals
_MANY = 20_000  # cells before a deal
_AT_ONCE = 4_000_000  # cells of several figures together
LEADS = ("kept", "lead_changes")
_TINY = 1e-17  # a chance that a transform leaves where there is none


@dataclass(frozen=True)
class Grid:
    """A grid of totals, one axis a side; the side that opens the match first, then by turn.

    Attributes
    ----------
    rules : Ruleset
    most : int
        Points from 0 up to this that a side can make in a deal, and one.
    before : int
        Length of an axis before a deal is added; `after` is that after it.
    """

    rules: Ruleset
    most: int
    before: int

    @property
    def sides(self) -> int:
        """How many sides there are."""
        return self.rules.sides

    @cached_property
    def after(self) -> int:
        """Length of an axis after a deal is added; a little more, where that is sooner reckoned."""
        return int(fft.next_fast_len(self.before + self.most - 1, real=True))

    @property
    def shape(self) -> list[int]:
        """Shape after a deal is added."""
        return [self.after] * self.sides

    @cached_property
    def totals(self) -> np.ndarray:
        """Totals of each cell after a deal, int64[sides, cells]."""
        return np.indices(self.shape).reshape(self.sides, -1)

    @cached_property
    def leads(self) -> np.ndarray:
        """Who leads after a deal, alone or with others, bool[sides, cells]."""
        return leaders(self.totals, self.rules)

    @cached_property
    def ahead(self) -> np.ndarray:
        """The side that leads alone, int64[cells after], -1 nobody."""
        return alone(self.leads)

    @cached_property
    def ahead_before(self) -> np.ndarray:
        """The same before a deal, shaped."""
        totals = np.indices([self.before] * self.sides).reshape(self.sides, -1)
        return alone(leaders(totals, self.rules)).reshape([self.before] * self.sides)

    @cached_property
    def _reached(self) -> np.ndarray:
        return self.totals.max(axis=0) >= self.rules.match.target

    def over(self, number: int) -> np.ndarray:
        """Whether the match is over after its `number`-th deal, from 0, bool[cells]."""
        if self.rules.match.goal == "deals":
            return np.full(len(self.ahead), number + 1 >= self.rules.match.deals)
        return self._reached & (self.ahead >= 0)

    def on(self, number: int) -> np.ndarray:
        """List the cells in which the match goes on after its `number`-th deal."""
        return np.flatnonzero(~self.over(number))

    @cached_property
    def share(self) -> np.ndarray:
        """Each side's share of the win, were the match over, float[sides, cells]."""
        return self.leads / self.leads.sum(axis=0)

    @cached_property
    def back(self) -> np.ndarray:
        """The cell before the next deal, where the match is not over, int64[cells after]."""
        totals, top = self.totals, self.before - 1
        most, least = totals.max(axis=0), totals.min(axis=0)
        if self.rules.match.winner == "lowest":
            # Those who lead are the lowest: the leads of the others may be cut, not theirs.
            beyond = np.maximum(most - top, 0)
            state = np.minimum(totals - np.minimum(least, beyond), top)
        else:
            state = np.maximum(totals - np.maximum(most - top, 0), 0)
        return np.ravel_multi_index(tuple(state), (self.before,) * self.sides)


def leaders(totals: np.ndarray, rules: Ruleset) -> np.ndarray:
    """Mark the sides with the best total, bool[sides, ...]."""
    best = totals.min(axis=0) if rules.match.winner == "lowest" else totals.max(axis=0)
    return totals == best


def alone(leads: np.ndarray) -> np.ndarray:
    """Return the side that leads alone, -1 where several do."""
    return np.where(leads.sum(axis=0) == 1, leads.argmax(axis=0), -1)


def grid_of(rules: Ruleset, most_points: int) -> Grid | None:
    """Lay out the grid of a rule set, None where it is too large or does not tell enough.

    Parameters
    ----------
    rules : Ruleset
    most_points : int
        The most that a side makes in a deal.
    """
    match, most = rules.match, most_points + 1
    if match.end != "highest" or rules.score.ties != "none":
        return None
    axis = int(MOST_CELLS ** (1 / rules.sides))
    if match.goal == "deals":
        # Leads are cut where they are longer than any that is made up.
        before = min(most_points * match.deals + 1, axis - most)
        return Grid(rules, most, before) if before > min(match.deals, 2) * most_points else None
    # Room for leads in a tie beyond the target. A longer one is not made up in a deal, and that it
    # is in several, tied after each of them, is rarer than 1e-6.
    before = match.target + 1 if rules.sides == 2 else max(match.target, most_points) + 1
    fits = match.tie_break == "deal" and before + most_points <= axis
    return Grid(rules, most, before) if fits else None


# ---------------------------------------------------------------- forwards and back


@dataclass(frozen=True)
class _Course:
    """A match followed from its first deal: what chances it has, before each deal, to stand where.

    Attributes
    ----------
    masses : list of numpy.ndarray
        float[1 + sides, before...] a deal: of all matches, and for each side of those in which it
        has led, alone or with others, after every deal; the latter only if asked for.
    waves : list of numpy.ndarray
        Transforms of each deal's points.
    """

    masses: list[np.ndarray]
    waves: list[np.ndarray]
    opener: int
    games: int

    def game(self, number: int) -> int:
        """Return the game of a block that the `number`-th deal is."""
        return -(number + self.opener) % self.games


def _forward(grid: Grid, values: np.ndarray) -> np.ndarray:
    """Transform values that fill the first places of each axis, axis by axis."""
    workers, length = os.cpu_count(), grid.after
    waves = fft.rfft(values, length, axis=grid.sides, workers=workers)
    for axis in range(grid.sides - 1, 0, -1):
        waves = fft.fft(waves, length, axis=axis, workers=workers)
    return waves


def _inverse(grid: Grid, waves: np.ndarray, keep: int) -> np.ndarray:
    """Go back from transforms, as far as the first `keep` places of each axis."""
    for axis in range(1, grid.sides):
        waves = fft.ifft(waves, axis=axis, workers=os.cpu_count())
        waves = waves[(slice(None),) * axis + (slice(keep),)]
    return fft.irfft(waves, grid.after, axis=grid.sides, workers=os.cpu_count())[..., :keep]


def _turned(by_seat: np.ndarray, number: int, sides: int) -> np.ndarray:
    """Put the last axes, of seats, into the order of the sides of a match after so many deals."""
    lead = by_seat.ndim - sides
    return by_seat.transpose(
        *range(lead), *(lead + (side - number) % sides for side in range(sides))
    )


def _follow(grid: Grid, chances: np.ndarray, opener: int, asked: Asked) -> _Course | None:
    """Follow matches until the rest is rare; None where they go on for too long."""
    start = np.zeros((1 + grid.sides if asked.drama else 1, *[grid.before] * grid.sides))
    start.reshape(len(start), -1)[:, 0] = 1.0
    course = _Course([start], [], opener, len(chances))
    rest = asked.rest if start[0].size < _MANY else asked.large_rest
    while course.masses[-1][0].sum() > rest:
        number = len(course.waves)
        if number == asked.most_deals:
            return None
        chance = _turned(chances[course.game(number)], number, grid.sides)
        course.waves.append(_forward(grid, chance[None])[0])
        course.masses.append(_pass_on(grid, number, course.masses[-1], course.waves[-1]))
    course.masses.pop()
    return course


def _pass_on(grid: Grid, number: int, masses: np.ndarray, wave: np.ndarray) -> np.ndarray:
    """Add a deal; returns the chances of where matches that go on stand then."""
    full = _inverse(grid, _forward(grid, masses) * wave, grid.after).reshape(len(masses), -1)
    on = grid.on(number)
    full = full[:, on]
    full[full < _TINY] = 0
    full[1:] *= grid.leads[: len(full) - 1, on]
    cells = grid.before**grid.sides
    after = [np.bincount(grid.back[on], chances, cells) for chances in full]
    return np.stack(after).reshape(masses.shape)


def reckon_on_grid(grid: Grid, chances: np.ndarray, asked: Asked) -> Reckoned | None:
    """Reckon matches.

    Parameters
    ----------
    grid : Grid
    chances : numpy.ndarray
        float[games, points of seat 0, points of seat 1, ...], for each game of a block.
    asked : Asked

    Returns
    -------
    Reckoned or None
        Its influence has the shape of `chances` and a last axis of figures. None where there is
        too much to reckon.
    """
    courses = [_follow(grid, chances, opener, asked) for opener in range(len(chances))]
    if any(course is None for course in courses):
        return None
    longest = max(len(course.waves) for course in courses if course)
    lengths = max(listed_lengths([m[0].sum() for m in c.masses]) for c in courses if c)
    figures = asked.figures(grid.sides, len(chances), lengths)
    if grid.after**grid.sides * longest * len(figures.names) > MOST_WORK:
        return None
    values = np.zeros(len(figures.names))
    influence = np.zeros((len(figures.names), *chances.shape))
    for course in courses:
        assert course is not None
        values += _Return(grid, figures, course, influence).run() / len(chances)
    return Reckoned(figures, values, np.moveaxis(influence / len(chances), 0, -1))


class _Return:
    """The way back from the end of a match: what is to come, and what each deal does to it."""

    def __init__(
        self, grid: Grid, figures: Figures, course: _Course, influence: np.ndarray
    ) -> None:
        self.grid, self.figures, self.course = grid, figures, course
        self.influence = influence
        self.wins = figures.win_weights(course.opener)
        self._leads: dict[object, np.ndarray] = {}

    def run(self) -> np.ndarray:
        """Go back deal by deal; returns the figures, float[figures]."""
        grid, drama = self.grid, self.figures.drama
        cells = grid.before**grid.sides
        ahead = np.zeros((len(self.figures.names), cells))
        held = np.zeros((grid.sides if drama else 0, cells))
        for number in range(len(self.course.waves) - 1, -1, -1):
            ahead, held = self._back(number, ahead, held)
        found = ahead[:, 0].copy()
        if drama:
            found[self.figures.at("held")] = held[:, 0].sum()
        return found

    def _back(
        self, number: int, ahead: np.ndarray, held: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Go back over a deal: what is to come before it."""
        grid, figures = self.grid, self.figures
        wave = np.conj(self.course.waves[number])
        mass = np.conj(_forward(grid, self.course.masses[number]))
        before = np.zeros_like(ahead)
        for part in self._parts(number):
            waves = _forward(grid, self._coming(number, part, ahead))
            before[part] = self._of_states(waves * wave)
            waves *= mass[0]
            for row, at in enumerate(part):
                if figures.names[at] in LEADS:
                    waves[row] += self._led(number, figures.names[at], before[at])
            self._enter(number, part, waves)
        if figures.drama:
            held = self._held(number, held, mass)
        return before, held

    def _coming(self, number: int, part: list[int], ahead: np.ndarray) -> np.ndarray:
        """Return what a deal brings wherever it leads, float[part, after...]."""
        grid, on = self.grid, self.grid.on(number)
        coming = np.zeros((len(part), grid.after**grid.sides))
        for row, at in enumerate(part):
            name, weights = self.figures.names[at], self.wins[at]
            if weights.any():
                coming[row] = weights @ grid.share
            elif name == f"length.{number + 1}":
                coming[row] = 1
            coming[row, on] = ahead[at, grid.back[on]]
            if name == "deals":
                coming[row] += 1
        return coming.reshape(len(part), *grid.shape)

    def _parts(self, number: int) -> list[list[int]]:
        """Cut the figures that a deal can add to into parts that fit into memory together."""
        active = [i for i in self.figures.active(number) if self.figures.names[i] != "held"]
        size = max(1, _AT_ONCE // self.grid.after**self.grid.sides)
        return [active[at : at + size] for at in range(0, len(active), size)]

    def _of_states(self, waves: np.ndarray) -> np.ndarray:
        """Return correlations by the cell before a deal, float[k, cells]."""
        return _inverse(self.grid, waves, self.grid.before).reshape(len(waves), -1)

    def _enter(self, number: int, figures: list[int], waves: np.ndarray) -> None:
        """Enter what the points of a deal do to figures."""
        grid = self.grid
        found = _inverse(grid, waves, grid.most)
        self.influence[figures, self.course.game(number)] += _turned(found, -number, grid.sides)

    def _led(self, number: int, name: str, before: np.ndarray) -> np.ndarray:
        """Add what depends on who led alone before a deal to `before`; return its wave by deal."""
        grid, mass = self.grid, self.course.masses[number][0]
        of_deal = np.zeros(self.course.waves[number].shape, complex)
        for side in range(grid.sides):
            led = grid.ahead_before == side
            if mass[led].any():
                of_led = np.conj(_forward(grid, np.where(led, mass, 0)[None]))[0]
                of_deal += self._lead(number, name, side) * of_led
                before += np.where(led.ravel(), self._of_lead(number, name, side), 0)
        return of_deal

    def _lead(self, number: int, name: str, side: int) -> np.ndarray:
        """Return the wave of where a side's lead is kept to the end, or has gone to another."""
        grid = self.grid
        key = (name, side, bool(grid.over(number).all()))
        if key not in self._leads:
            kept = grid.over(number) & (grid.ahead == side)
            where = kept if name == "kept" else (grid.ahead >= 0) & (grid.ahead != side)
            self._leads[key] = _forward(grid, where.reshape(1, *grid.shape).astype(float))[0]
        return self._leads[key]

    def _of_lead(self, number: int, name: str, side: int) -> np.ndarray:
        """Return the chance of the same by the cell before the deal, float[cells]."""
        grid = self.grid
        turn = self.course.game(number), number % grid.sides
        key = (name, side, bool(grid.over(number).all()), *turn)
        if key not in self._leads:
            wave = self._lead(number, name, side) * np.conj(self.course.waves[number])
            self._leads[key] = self._of_states(wave[None])[0]
        return self._leads[key]

    def _held(self, number: int, held: np.ndarray, mass: np.ndarray) -> np.ndarray:
        """Go back over a deal for sides that lead, alone or with others, after every deal."""
        grid, now, on = self.grid, np.zeros_like(held), self.grid.on(number)
        wave = np.conj(self.course.waves[number])
        of_deal = np.zeros((1, *wave.shape), complex)
        for side in range(grid.sides):
            coming = grid.share[side].copy()
            coming[on] = grid.leads[side, on] * held[side][grid.back[on]]
            waves = _forward(grid, coming.reshape(1, *grid.shape))
            now[side] = self._of_states(waves * wave)[0]
            of_deal += waves * mass[1 + side]
        self._enter(number, [self.figures.at("held")], of_deal)
        return now
