"""Matches reckoned from a list of all the ways that they can stand: for any rules of the match.

A state is the sides' totals, what waits for most spades and most cards, and which sides have led,
alone or with others, after every deal so far. Sides are counted from the one that opens the match.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kasino_sim.engine.layout import ITEMS
from kasino_sim.ledger import Ledger, outcomes
from kasino_sim.match import CARRIED
from kasino_sim.rules import Ruleset
from kasino_sim.stats.match_figures import Asked, Figures, Reckoned, listed_lengths

MOST_STEPS = 6_000_000  # ways to stand times kinds of deal; beyond that, not reckoned
MOST_STEPS_KEPT = 60_000_000  # the same of all deals of a match together
_SLICE = 500_000
_BITS = 10  # a total is up to 1023


@dataclass(frozen=True)
class Deals:
    """Kinds of deal, as far as a match tells them apart; sides by their seats.

    Attributes
    ----------
    gains : numpy.ndarray
        int64[kinds, steps, sides]: points by item where the items are counted out, else one step.
    most : numpy.ndarray
        int64[kinds, 2], the side with most spades and most cards, -1 tied; zeros if nothing waits.
    spades : numpy.ndarray
        int64[kinds, sides], how many sides have fewer spades; zeros if these break no tie.
    kind : numpy.ndarray
        int64[rows], the kind of each row of the ledger.
    """

    gains: np.ndarray
    most: np.ndarray
    spades: np.ndarray
    kind: np.ndarray


def kinds_of_deal(ledger: Ledger, rules: Ruleset) -> Deals:
    """Put rows of a ledger together that do the same to every match."""
    found = outcomes(ledger, rules)
    gains = found.points if rules.match.end == "count-out" else found.totals[:, None, :]
    most = found.most if rules.score.ties == "carry" else np.zeros_like(found.most)
    # Only their order tells.
    spades = (found.spades[:, :, None] > found.spades[:, None, :]).sum(axis=2)
    if rules.match.tie_break != "spades" or rules.match.end == "count-out":
        spades = np.zeros_like(spades)
    rows, (_, steps, sides) = len(gains), gains.shape
    table = np.concatenate([gains.reshape(rows, -1), most, spades], axis=1)
    kinds, kind = np.unique(table, axis=0, return_inverse=True)
    points, most, spades = np.split(kinds, [steps * sides, steps * sides + 2], axis=1)
    return Deals(points.reshape(-1, steps, sides), most, spades, kind.reshape(-1))


# ---------------------------------------------------------------- one deal of a match


@dataclass(frozen=True)
class Turn:
    """What comes of every kind of deal, sides in the order of the match.

    Attributes
    ----------
    totals : numpy.ndarray
        int64[..., sides], the totals after it.
    waiting : numpy.ndarray
        int64[..., 2], what waits for most spades and most cards after it.
    over : numpy.ndarray
        bool[...], whether the match is over.
    winners : numpy.ndarray
        bool[..., sides], who has won then.
    """

    totals: np.ndarray
    waiting: np.ndarray
    over: np.ndarray
    winners: np.ndarray


def add_deals(
    rules: Ruleset, deals: Deals, number: int, totals: np.ndarray, waiting: np.ndarray
) -> Turn:
    """Add deals to matches, as the `number`-th from 0.

    Parameters
    ----------
    rules : Ruleset
    deals : Deals
        Its kinds lie along the last axis but one of `totals`, or that axis has length 1.
    number : int
    totals, waiting : numpy.ndarray
        int64[..., sides] and int64[..., 2].
    """
    match, sides = rules.match, totals.shape[-1]
    seats = (np.arange(sides) - number) % sides
    gains, spades = deals.gains[:, :, seats], deals.spades[:, seats]
    owner = np.where(deals.most < 0, -1, (deals.most + number) % sides)
    carry = [i for i in CARRIED if rules.score.ties == "carry"]
    won = {item: _waiting_for(item, waiting, owner, sides) for item in carry}
    leading = np.zeros((), bool)
    for i in range(gains.shape[1]):
        totals = totals + gains[:, i]
        if gains.shape[1] == 1:
            totals = sum(won.values(), totals)
        elif ITEMS[i] in won:
            totals = totals + won[ITEMS[i]]
        if match.end == "count-out":
            leading = _counted(leading, totals, match.target)
    worth = np.array([getattr(rules.score, item) for item in CARRIED])
    left = np.where(owner < 0, waiting + worth, 0) if carry else waiting
    if match.end == "count-out":
        return Turn(totals, left, leading.sum(axis=-1) == 1, leading)
    best = best_of(totals, rules)
    if match.goal == "deals":
        return Turn(totals, left, np.full(best.shape[:-1], number + 1 >= match.deals), best)
    reached = totals.max(axis=-1) >= match.target
    if match.tie_break == "spades":
        best = _best(np.broadcast_to(spades, best.shape), best)
    return Turn(totals, left, reached & (best.sum(axis=-1) == 1), best)


def _waiting_for(item: str, waiting: np.ndarray, owner: np.ndarray, sides: int) -> np.ndarray:
    at = CARRIED.index(item)
    return waiting[..., at, None] * (owner[:, at, None] == np.arange(sides))


def _counted(leading: np.ndarray, totals: np.ndarray, target: int) -> np.ndarray:
    """Find who leads after one more item: the first at the target, then those still sharing."""
    if leading.ndim == 0:
        return _best(totals, totals >= target)
    among = np.where(leading.any(axis=-1, keepdims=True), leading, totals >= target)
    decided = leading.sum(axis=-1, keepdims=True) == 1
    return np.where(decided, leading, _best(totals, among))


def best_of(totals: np.ndarray, rules: Ruleset) -> np.ndarray:
    """Mark the sides with the best total, bool[..., sides]."""
    sign = -1 if rules.match.winner == "lowest" else 1
    return _best(sign * totals, np.ones(totals.shape, bool))


def _best(totals: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Mark those with the highest total among some."""
    shown = np.where(among, totals, np.iinfo(np.int64).min)
    return among & (shown == shown.max(axis=-1, keepdims=True))


def alone(marked: np.ndarray) -> np.ndarray:
    """Return the only side marked, -1 where there is none or several are."""
    return np.where(marked.sum(axis=-1) == 1, marked.argmax(axis=-1), -1)


@dataclass(frozen=True)
class Step:
    """What a deal does to each way that a match can stand.

    Attributes
    ----------
    following : numpy.ndarray
        int32[states, kinds], the state after the deal, -1: the match is over.
    won : numpy.ndarray
        int8[states, kinds], who has won, side s as bit s; 0 while it goes on.
    ahead, ahead_after : numpy.ndarray
        int64[states], the side that led alone before the deal, and in the states after it; -1
        nobody.
    held : numpy.ndarray
        int64[states], the sides that have led after every deal so far, as bits.
    """

    following: np.ndarray
    won: np.ndarray
    ahead: np.ndarray
    ahead_after: np.ndarray
    held: np.ndarray


def _play(rules: Ruleset, deals: Deals, states: np.ndarray, number: int) -> tuple[Step, np.ndarray]:
    """Add a deal to states int64[n, sides + 3]; returns the new states too."""
    sides, kinds = rules.sides, len(deals.gains)
    bits = 1 << np.arange(sides)
    keys = np.empty((len(states), kinds), np.int64)
    won = np.zeros((len(states), kinds), np.int8)
    per = max(1, _SLICE // kinds)
    for at in range(0, len(states), per):
        some = states[at : at + per, None]
        turn = add_deals(rules, deals, number, some[..., :sides], some[..., sides : sides + 2])
        held = some[..., -1] & (best_of(turn.totals, rules) @ bits)
        parts = [turn.totals, np.broadcast_to(turn.waiting, (*held.shape, 2)), held[..., None]]
        keys[at : at + per] = np.where(turn.over, -1, _pack(parts))
        won[at : at + per] = np.where(turn.over, turn.winners @ bits, 0)
    new, following = np.unique(keys, return_inverse=True)
    following = following.reshape(keys.shape).astype(np.int32)
    if len(new) and new[0] == -1:
        new, following = new[1:], following - 1
    after = _unpack(new, states.shape[1])
    ahead, later = (alone(best_of(some[:, :sides], rules)) for some in (states, after))
    return Step(following, won, ahead, later, states[:, -1]), after


def _pack(parts: list[np.ndarray]) -> np.ndarray:
    keys = np.zeros(parts[0].shape[:-1], np.int64)
    for part in parts:
        for i in range(part.shape[-1]):
            keys = keys << _BITS | part[..., i]
    return keys


def _unpack(keys: np.ndarray, width: int) -> np.ndarray:
    shifts = _BITS * np.arange(width)[::-1]
    return keys[:, None] >> shifts & (1 << _BITS) - 1


# ---------------------------------------------------------------- whole matches


def reckon_states(ledger: Ledger, rules: Ruleset, asked: Asked) -> Reckoned | None:
    """Reckon matches.

    Returns
    -------
    Reckoned or None
        Its influence is float[rows of the ledger, games, figures]. None where a match may never
        end, or where there is too much to reckon.
    """
    deals, sides = kinds_of_deal(ledger, rules), rules.sides
    kinds, games = len(deals.gains), ledger.games
    chance = np.zeros((kinds, games))
    np.add.at(chance, deals.kind, ledger.counts / ledger.blocks)
    masses = [np.ones((games, 1))]
    states = np.zeros((1, sides + 3), np.int64)
    states[0, -1] = (1 << sides) - 1 if asked.drama else 0
    steps: list[Step] = []
    kept = 0
    while masses[-1].sum(axis=1).max() > asked.rest:
        size = len(states) * kinds
        kept += size
        small = states.max(initial=0) + deals.gains.sum(axis=1).max(initial=0) < 1 << _BITS - 1
        if len(steps) == asked.most_deals or size > MOST_STEPS or kept > MOST_STEPS_KEPT:
            return None
        if not small:
            return None
        step, states = _play(rules, deals, states, len(steps))
        masses.append(_pass_on(step, masses[-1], chance, len(steps), len(states)))
        steps.append(step)
    lengths = listed_lengths([mass.sum(axis=1).max() for mass in masses[:-1]])
    figures = asked.figures(sides, games, lengths)
    values, influence = _Return(figures, chance, steps, masses).run()
    return Reckoned(figures, values, influence[deals.kind])


def _pass_on(step: Step, mass: np.ndarray, chance: np.ndarray, number: int, new: int) -> np.ndarray:
    """Return the chances of the states after a deal, float[openers, states]."""
    after = np.zeros((len(mass), new))
    on = step.following >= 0
    for opener, game in _games(len(mass), number):
        flow = mass[opener][:, None] * chance[:, game]
        after[opener] = np.bincount(step.following[on], flow[on], new)
    return after


def _games(games: int, number: int) -> Iterator[tuple[int, int]]:
    """Yield, for each opener of a match, the game of a block that its `number`-th deal is."""
    for opener in range(games):
        yield opener, -(number + opener) % games


class _Return:
    """The way back from the end of a match: what is to come, and what each deal does to it."""

    def __init__(
        self, figures: Figures, chance: np.ndarray, steps: list[Step], masses: list[np.ndarray]
    ) -> None:
        self.figures, self.chance = figures, chance
        self.steps, self.masses = steps, masses
        # By who has won, as bits: each side's share, how many share it, and who has it alone.
        won = (np.arange(1 << figures.sides)[:, None] >> np.arange(figures.sides)) & 1
        self.sharing = won.sum(axis=1)
        self.shares = won / self.sharing.clip(1)[:, None]
        self.alone = alone(won)

    def run(self) -> tuple[np.ndarray, np.ndarray]:
        """Go back deal by deal; returns float[figures] and float[kinds, games, figures]."""
        kinds, games = self.chance.shape
        names = self.figures.names
        influence = np.zeros((kinds, games, len(names)))
        # What comes after the last deal is so rare that it counts for nothing.
        ahead = np.zeros((games, len(names), len(self.steps[-1].ahead_after)))
        for number in range(len(self.steps) - 1, -1, -1):
            step = self.steps[number]
            now = np.zeros((games, len(names), len(step.following)))
            for at in self.figures.active(number):
                gained = self._gained(names[at], step, number)
                for opener, game in _games(games, number):
                    coming = gained + self._won(at, opener, step)
                    later = np.append(ahead[opener, at], 0.0)
                    coming = coming + later[step.following]  # -1, over, takes the 0 at the end
                    now[opener, at] = coming @ self.chance[:, game]
                    influence[:, game, at] += self.masses[number][opener] @ coming / games
            ahead = now
        return ahead[:, :, 0].mean(axis=0), influence

    def _won(self, figure: int, opener: int, step: Step) -> np.ndarray | float:
        """Return what a win counts for a figure, float[states, kinds]."""
        weights = self.figures.win_weights(opener)[figure]
        return (self.shares @ weights)[step.won] if weights.any() else 0.0

    def _gained(self, name: str, step: Step, number: int) -> np.ndarray | float:
        """Return what a deal adds to a figure besides wins, float[states, kinds]."""
        if name == "deals":
            return 1.0
        if name == f"length.{number + 1}":
            return (step.following < 0).astype(float)
        if name not in ("kept", "held", "lead_changes"):
            return 0.0
        if name == "held":
            return self.sharing[step.won & step.held[:, None]] / self.sharing[step.won].clip(1)
        winner, before = self.alone[step.won], step.ahead[:, None]
        if name == "kept":
            return ((winner == before) & (winner >= 0)).astype(float)
        leads = np.where(
            step.following < 0, winner, np.append(step.ahead_after, -1)[step.following]
        )
        return ((leads >= 0) & (before >= 0) & (leads != before)).astype(float)
