"""Matches of two rule sets, reckoned from the ledgers of a contrast: no match is played.

From deal to deal every way that a match can stand is followed with its chance; backwards from the
end, what each deal does to the figures gives their standard errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kasino_sim.contrast import Contrast, ContrastTally
from kasino_sim.engine.layout import ITEMS
from kasino_sim.ledger import Ledger, merge_ledgers, outcomes
from kasino_sim.match import CARRIED
from kasino_sim.plan import Plan
from kasino_sim.rules import Ruleset
from kasino_sim.stats.compare import Comparison, Influences, compare, differences, joined
from kasino_sim.stats.match_grid import grid_of, match_figures

MATCH_RESPONSES = ("deals_per_match", "first_dealer_match_edge")
REST = 1e-11  # chance of the matches that are left out for going on so long
MOST_DEALS = 300  # a match that may go on longer is undetermined
MOST_STEPS = 30_000_000  # ways to stand times kinds of deal; beyond that, undetermined too
_SLICE = 500_000


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
        int64[kinds, sides]; zeros if no tie is broken by them.
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
    by_item = rules.match.end == "count-out" or rules.score.ties == "carry"
    gains = found.points if by_item else found.totals[:, None, :]
    most = found.most if rules.score.ties == "carry" else np.zeros_like(found.most)
    spades = found.spades if rules.match.tie_break == "spades" else np.zeros_like(found.spades)
    rows, (_, steps, sides) = len(gains), gains.shape
    table = np.concatenate([gains.reshape(rows, -1), most, spades], axis=1)
    kinds, kind = np.unique(table, axis=0, return_inverse=True)
    cut = steps * sides
    return Deals(
        kinds[:, :cut].reshape(-1, steps, sides), kinds[:, cut : cut + 2], kinds[:, cut + 2 :],
        kind.reshape(-1),
    )  # fmt: skip


# ---------------------------------------------------------------- one deal of a match


@dataclass(frozen=True)
class Step:
    """What a deal does to each way that a match can stand.

    Attributes
    ----------
    following : numpy.ndarray
        int64[states, kinds], the state after the deal, -1: the match is over.
    share : numpy.ndarray
        float[states, kinds], of the win that the side gets that dealt first; 0 while it goes on.
    """

    following: np.ndarray
    share: np.ndarray


def _play(rules: Ruleset, deals: Deals, states: np.ndarray, number: int) -> tuple[Step, np.ndarray]:
    """Add a deal, the `number`-th from 0, to states int64[n, sides + 2]; returns the new states."""
    sides = deals.spades.shape[1]
    seats = (np.arange(sides) - number) % sides
    gains, spades = deals.gains[:, :, seats], deals.spades[:, seats]
    owner = np.where(deals.most < 0, -1, (deals.most + number) % sides)
    kinds = len(gains)
    keys = np.empty((len(states), kinds), np.int64)
    share = np.zeros((len(states), kinds))
    per = max(1, _SLICE // kinds)
    for at in range(0, len(states), per):
        some = states[at : at + per]
        after, over, winners = _add(rules, gains, spades, owner, some, number)
        won = winners[:, :, -1] / np.maximum(winners.sum(axis=2), 1)
        share[at : at + per] = np.where(over, won, 0)
        keys[at : at + per] = np.where(over, -1, _pack(after))
    new, following = np.unique(keys, return_inverse=True)
    following = following.reshape(keys.shape)
    if len(new) and new[0] == -1:
        new, following = new[1:], following - 1
    return Step(following, share), _unpack(new, states.shape[1])


def _add(
    rules: Ruleset,
    gains: np.ndarray,
    spades: np.ndarray,
    owner: np.ndarray,
    states: np.ndarray,
    number: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Add every kind of deal to some states: new states, whether it is over, and who has won."""
    sides, match = spades.shape[1], rules.match
    waiting = states[:, None, sides:]
    totals = states[:, None, :sides] + np.zeros((1, len(gains), 1), np.int64)
    leaders = np.zeros(totals.shape, bool)
    for i in range(gains.shape[1]):
        totals = totals + gains[None, :, i]
        if gains.shape[1] > 1 and rules.score.ties == "carry" and ITEMS[i] in CARRIED:
            j = CARRIED.index(ITEMS[i])
            totals = totals + waiting[:, :, j, None] * (owner[:, j, None] == np.arange(sides))
        if match.end == "count-out":
            among = np.where(leaders.any(axis=2, keepdims=True), leaders, totals >= match.target)
            decided = leaders.sum(axis=2, keepdims=True) == 1
            leaders = np.where(decided, leaders, _best(totals, among))
    if rules.score.ties == "carry":
        worth = np.array([getattr(rules.score, item) for item in CARRIED])
        left = np.where(owner < 0, waiting + worth, 0)
    else:
        left = np.broadcast_to(waiting, (*totals.shape[:2], 2))
    after = np.concatenate([totals, left], axis=2)
    if match.end == "count-out":
        return after, leaders.sum(axis=2) == 1, leaders
    sign = -1 if match.winner == "lowest" else 1
    best = _best(sign * totals, np.ones(totals.shape, bool))
    if match.goal == "deals":
        return after, np.full(totals.shape[:2], number + 1 >= match.deals), best
    if match.tie_break == "spades":
        best = _best(np.broadcast_to(spades, best.shape), best)
    there = totals.max(axis=2) >= match.target
    return after, there & (best.sum(axis=2) == 1), best


def _best(totals: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Mark those with the highest total among some."""
    shown = np.where(among, totals, np.iinfo(np.int64).min)
    return among & (shown == shown.max(axis=2, keepdims=True))


_BITS = 10  # a total up to 1023 …


def _pack(states: np.ndarray) -> np.ndarray:
    keys = np.zeros(states.shape[:-1], np.int64)
    for i in range(states.shape[-1]):
        keys = keys << _BITS | states[..., i]
    return keys


def _unpack(keys: np.ndarray, width: int) -> np.ndarray:
    shifts = _BITS * np.arange(width)[::-1]
    return keys[:, None] >> shifts & (1 << _BITS) - 1


# ---------------------------------------------------------------- whole matches


@dataclass(frozen=True)
class Matches:
    """Figures of the matches of one rule set.

    Attributes
    ----------
    values : numpy.ndarray
        float[2], `MATCH_RESPONSES`.
    influence : numpy.ndarray
        float[rows, games, 2]: what one more deal of a ledger's row, in a game of the block, does
        to each, before it is centred.
    """

    values: np.ndarray
    influence: np.ndarray


def reckon(plan: Plan, ledger: Ledger) -> Matches | None:
    """Reckon the matches that deals such as those of a ledger make.

    The deal passes to the left. With players of several kinds, each opens as often as any other.

    Returns
    -------
    Matches or None
        None where a match may never end, or where there is too much to reckon.
    """
    found = _on_grid(plan, ledger)
    if found is not None:
        return found
    rules, deals = plan.rules, kinds_of_deal(ledger, plan.rules)
    kinds, games = len(deals.gains), ledger.games
    chance = np.zeros((kinds, games))
    np.add.at(chance, deals.kind, ledger.counts / ledger.blocks)
    mass = np.zeros((games, 1)) + 1.0
    states = np.zeros((1, rules.sides + 2), np.int64)
    steps: list[Step] = []
    masses: list[np.ndarray] = []
    while mass.sum(axis=1).max() > REST:
        small = states.max(initial=0) + deals.gains.sum(axis=1).max(initial=0) < 1 << _BITS
        if len(steps) == MOST_DEALS or len(states) * kinds > MOST_STEPS or not small:
            return None
        step, new = _play(rules, deals, states, len(steps))
        steps.append(step)
        masses.append(mass)
        mass = _pass_on(step, mass, chance, len(steps) - 1, len(new))
        states = new
    return _look_back(plan, deals, chance, steps, masses)


def _on_grid(plan: Plan, ledger: Ledger) -> Matches | None:
    """Reckon on a grid of totals, where the rules allow it."""
    totals = outcomes(ledger, plan.rules).totals
    grid = grid_of(plan.rules, int(totals.max(initial=0)))
    if grid is None:
        return None
    chances = np.zeros((ledger.games, *[grid.most] * grid.sides))
    places = tuple(totals.T)
    for game in range(ledger.games):
        np.add.at(chances[game], places, ledger.counts[:, game] / ledger.blocks)
    found = match_figures(grid, plan.rules, chances, REST, MOST_DEALS)
    if found is None:
        return None
    figures, influence = found
    of_rows = influence[(slice(None), *places)].swapaxes(0, 1)
    return Matches(figures - [0, 1 / grid.sides], of_rows)


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


def _look_back(
    plan: Plan, deals: Deals, chance: np.ndarray, steps: list[Step], masses: list[np.ndarray]
) -> Matches:
    """Go back from the end: what is to come of each state, and what each deal does to it."""
    kinds, games = chance.shape
    influence = np.zeros((kinds, games, 2))
    # What comes after the last deal is so rare that it counts for nothing.
    ahead = np.zeros((games, 2 + int(steps[-1].following.max()), 2))
    for number in range(len(steps) - 1, -1, -1):
        step, mass = steps[number], masses[number]
        on = step.following >= 0
        now = np.zeros((games, len(step.following), 2))
        for opener, game in _games(games, number):
            for i in (0, 1):
                coming = np.where(on, ahead[opener][:, i][np.where(on, step.following, 0)], 0)
                coming = coming + (1.0 if i == 0 else step.share)
                now[opener, :, i] = coming @ chance[:, game]
                influence[:, game, i] += mass[opener] @ coming / games
        ahead = now
    values = ahead[:, 0].mean(axis=0) - [0, 1 / plan.rules.sides]
    return Matches(values, influence[deals.kind])


# ---------------------------------------------------------------- both rule sets


def match_influences(contrast: Contrast, tally: ContrastTally) -> Influences:
    """Reckon the matches of both rule sets, and what each part of the blocks does to them."""
    undetermined = np.full(2, np.nan)
    values, influences = [], []
    for which, plan in enumerate((contrast.a, contrast.b)):
        parts = [part.ledgers[which] for part in tally.parts]
        whole = merge_ledgers(parts)
        found = reckon(plan, whole)
        values.append(undetermined if found is None else found.values)
        influences.append(np.stack([_of_part(whole, found, part) for part in parts]))
    return Influences(MATCH_RESPONSES, values[0], values[1], influences[1] - influences[0])


def _of_part(whole: Ledger, found: Matches | None, part: Ledger) -> np.ndarray:
    """Return the mean influence of a part's blocks, float[2], before it is centred."""
    if found is None:
        return np.zeros(2)
    rows = np.searchsorted(whole.keys, part.keys)
    return np.einsum("rg,rgi->i", part.counts / part.blocks, found.influence[rows])


def compare_tally(contrast: Contrast, tally: ContrastTally) -> Comparison:
    """Compare two rule sets by all that was counted of them, matches included."""
    found = joined(contrast, tally, differences(contrast, tally), match_influences(contrast, tally))
    return compare(found, tally.blocks)
