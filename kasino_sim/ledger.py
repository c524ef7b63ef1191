"""Ledgers: how often each outcome of a deal came up, in whole numbers.

A ledger keeps what each side took of all that can score, not the points, so that the same deals can
be scored by other rules, and matches reckoned from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
import pandas as pd

from kasino_sim.engine.layout import ITEMS
from kasino_sim.match import CARRIED
from kasino_sim.pack import item_weights
from kasino_sim.plan import Plan
from kasino_sim.rules import Ruleset

N_CARDS, SUIT, N_ACES = 52, 13, 4
OWNED = ("big", "little", "last")
COUNTED = ("aces", "spades", "cards", "sweeps")
TOGETHER = 8  # parts of a ledger that are merged at a time
_PLAY_FACTORS = ("match.winner",)  # turns the players' aim round


@dataclass(frozen=True)
class Takings:
    """What the sides took in each of k deals, in seat order.

    Attributes
    ----------
    big, little, last : numpy.ndarray
        int64[k], the side that took the big casino, the little one, the last capture; -1 nobody.
    aces, spades, cards, sweeps : numpy.ndarray
        int64[k, sides], how many each side took; sweeps as made.
    """

    big: np.ndarray
    little: np.ndarray
    last: np.ndarray
    aces: np.ndarray
    spades: np.ndarray
    cards: np.ndarray
    sweeps: np.ndarray

    @property
    def sides(self) -> int:
        """How many sides there are."""
        return self.cards.shape[1]


@dataclass(frozen=True)
class Outcomes:
    """What k deals are worth under some rules.

    Attributes
    ----------
    points : numpy.ndarray
        int64[k, items, sides], items in the order of `engine.layout.ITEMS`, nothing carried.
    most : numpy.ndarray
        int64[k, 2], the side with most spades and with most cards (the order of `match.CARRIED`),
        -1 where they are tied.
    spades : numpy.ndarray
        int64[k, sides], spades taken, which may break a tie of the match.
    """

    points: np.ndarray
    most: np.ndarray
    spades: np.ndarray

    @property
    def tied(self) -> np.ndarray:
        """Whether spades and cards are tied, bool[k, 2], also where they are worth 0."""
        return self.most < 0

    @property
    def totals(self) -> np.ndarray:
        """Points of each side, int64[k, sides]."""
        return self.points.sum(axis=1)


# ---------------------------------------------------------------- sheets and scores


def takings_of(rules: Ruleset, sheets: Any) -> Takings:
    """Read what the sides took off score sheets.

    Parameters
    ----------
    rules : Ruleset
        The rules that were played.
    sheets : numpy.recarray
        SHEET[...] as `Engine.sheets` returns them.
    """
    flat = sheets.reshape(-1)
    n, sides = rules.n_players, rules.sides

    def by_side(name: str) -> np.ndarray:
        counts = flat[name][:, :n].astype(np.int64)
        return counts if n == sides else counts.reshape(-1, n // sides, sides).sum(axis=1)

    def side_of(name: str) -> np.ndarray:
        player = flat[name].astype(np.int64)
        return np.where(player < 0, -1, player % sides)

    owned = {name: side_of(name) for name in OWNED}
    return Takings(**owned, **{name: by_side(name) for name in COUNTED})


def score_takings(takings: Takings, rules: Ruleset) -> Outcomes:
    """Score deals by some rules.

    Parameters
    ----------
    takings : Takings
    rules : Ruleset
        Only its `score` and `sweep` are read; it has as many sides as took part.

    Returns
    -------
    Outcomes
    """
    sides = range(takings.sides)
    sweeps = takings.sweeps
    if rules.sweep.cancel:
        sweeps = sweeps - sweeps.min(axis=1, keepdims=True)
    most = np.stack([most_of(getattr(takings, item)) for item in CARRIED], axis=1)
    won = {
        "big": _is(takings.big, sides),
        "little": _is(takings.little, sides),
        "aces": takings.aces,
        "spades": _is(most[:, CARRIED.index("spades")], sides),
        "cards": _is(most[:, CARRIED.index("cards")], sides),
        "last": _is(takings.last, sides),
        "sweeps": sweeps,
        "each_spade": np.maximum(takings.spades - rules.score.each_spade_from, 0),
    }
    weights = item_weights(rules)
    points = np.stack([w * won[item] for item, w in zip(ITEMS, weights, strict=True)], axis=1)
    return Outcomes(points, most, takings.spades)


def score_sheets(rules: Ruleset, sheets: Any, scored_by: Ruleset | None = None) -> Outcomes:
    """Score sheets by other rules than they were played by.

    Parameters
    ----------
    rules : Ruleset
        The rules that were played.
    sheets : SHEET[...]
        Taken in order, as one long row of k deals.
    scored_by : Ruleset, optional
        The rules to score by; those that were played unless given.
    """
    return score_takings(takings_of(rules, sheets), scored_by or rules)


def _is(owner: np.ndarray, sides: range) -> np.ndarray:
    """Put an owner into a column a side, int64[k, sides]."""
    return (owner[:, None] == np.array(sides)).astype(np.int64)


def most_of(counts: np.ndarray) -> np.ndarray:
    """Return the side with strictly most, int64[k], -1 where the most are shared."""
    best = counts == counts.max(axis=1, keepdims=True)
    return np.where(best.sum(axis=1) == 1, best.argmax(axis=1), -1).astype(np.int64)


def scoring_only(a: Ruleset, b: Ruleset) -> bool:
    """Tell whether two rule sets differ only in what deals already played can be scored by.

    That is points, sweeps' worth and cancelling, ties, and the match but for who wins it: "lowest
    wins" turns the aim of play round.
    """
    before, after = a.flat(), b.flat()
    return all(is_scoring(key) for key in before if before[key] != after[key])


def is_scoring(key: str) -> bool:
    """Tell whether a rule such as ``sweep.points`` is of scoring alone."""
    if key in _PLAY_FACTORS:
        return False
    return key.startswith(("score.", "match.")) or key in ("sweep.points", "sweep.cancel")


# ---------------------------------------------------------------- the ledger


def _radices(sides: int) -> list[tuple[str, int, int]]:
    """List what a row's number is made of: field, side (-1: the deal), how many values it has.

    `engine.counting.ledger_key` packs a score sheet the same way.
    The last side's aces, spades and cards are what the others left, unless nobody took anything.
    """
    parts = [(name, -1, sides + 1) for name in OWNED]
    for name, size in (("aces", N_ACES), ("spades", SUIT), ("cards", N_CARDS)):
        parts += [(name, side, size + 1) for side in range(sides - 1)]
    # A side makes at most its share of the 52 plays.
    return parts + [("sweeps", side, N_CARDS // sides + 1) for side in range(sides)]


def _pack(takings: Takings) -> np.ndarray:
    """Put a number to each deal's takings, int64[k]; all numbers are below 2**58."""
    keys = np.zeros(len(takings.big), np.int64)
    for name, side, size in _radices(takings.sides):
        values = getattr(takings, name)
        digit = values + 1 if side < 0 else values[:, side]
        keys = keys * size + digit
    return keys


def _unpack(keys: np.ndarray, sides: int) -> Takings:
    found: dict[str, np.ndarray] = {
        name: np.zeros((len(keys), sides), np.int64) for name in COUNTED
    }
    rest = keys
    for name, side, size in reversed(_radices(sides)):
        rest, digit = np.divmod(rest, size)
        if side < 0:
            found[name] = digit - 1
        else:
            found[name][:, side] = digit
    for name, size in (("aces", N_ACES), ("spades", SUIT), ("cards", N_CARDS)):
        others = found[name][:, :-1].sum(axis=1)
        found[name][:, -1] = np.where(found["last"] < 0, 0, size - others)
    return Takings(**found)


@dataclass(frozen=True)
class Ledger:
    """A sparse histogram of deals by what each side took.

    Attributes
    ----------
    sides : int
    games : int
        Games of a block. Game g is played under the plan's seating g: it tells who opens.
    parts : tuple of (keys, counts)
        int64[k] and int64[k, games]; use `keys` and `counts`, which are of the whole.
    """

    sides: int
    games: int
    parts: tuple[tuple[np.ndarray, np.ndarray], ...] = ()

    def __add__(self, other: Ledger) -> Ledger:
        """Merge the ledgers of different blocks of one plan."""
        parts = [*self.parts, *other.parts]
        # Merge only when there are several and the last is no longer small beside the first of
        # them, so that adding up many ledgers sorts each row a few times and not once for every
        # ledger that follows.
        while len(parts) >= TOGETHER and len(parts[-TOGETHER][0]) < 2 * len(parts[-1][0]):
            parts[-TOGETHER:] = [_merged(parts[-TOGETHER:])]
        return Ledger(self.sides, self.games, tuple(parts))

    @cached_property
    def _whole(self) -> tuple[np.ndarray, np.ndarray]:
        if len(self.parts) == 1:
            return self.parts[0]
        return _merged(self.parts) if self.parts else _no_rows(self.games)

    @property
    def keys(self) -> np.ndarray:
        """The rows' numbers, int64[k], rising: the same takings have the same number."""
        return self._whole[0]

    @property
    def counts(self) -> np.ndarray:
        """Deals of each row, by game of the block, int64[k, games]."""
        return self._whole[1]

    @property
    def blocks(self) -> int:
        """How many blocks were played."""
        return sum(int(counts[:, 0].sum()) for _, counts in self.parts)

    @cached_property
    def takings(self) -> Takings:
        """What each side took, a row each of `keys`."""
        return _unpack(self.keys, self.sides)

    def columns(self) -> dict[str, np.ndarray]:
        """Return the rows by columns: big, little, last, aces_0 … sweeps_3, as `frame` has them."""
        found = {name: getattr(self.takings, name) for name in OWNED}
        for name in COUNTED:
            of_sides = getattr(self.takings, name)
            found |= {f"{name}_{side}": of_sides[:, side] for side in range(self.sides)}
        return found | {f"game_{g}": self.counts[:, g] for g in range(self.games)}

    def frame(self) -> pd.DataFrame:
        """Return the ledger as a tidy frame.

        Returns
        -------
        pandas.DataFrame
            A row an outcome: big, little, last (side, -1 nobody), aces_0 … (of side 0 …),
            spades_0 …, cards_0 …, sweeps_0 …, and game_0 …, the deals with it; whole numbers.
        """
        return pd.DataFrame(self.columns())

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Ledger:
        """Read back what `frame` wrote."""
        sides = sum(name.startswith("cards_") for name in frame.columns)
        games = sum(name.startswith("game_") for name in frame.columns)
        by_side = {
            name: frame[[f"{name}_{side}" for side in range(sides)]].to_numpy(np.int64)
            for name in COUNTED
        }
        owned = {name: frame[name].to_numpy(np.int64) for name in OWNED}
        counts = frame[[f"game_{g}" for g in range(games)]].to_numpy(np.int64)
        return ledger_from_rows(sides, _pack(Takings(**owned, **by_side)), counts)


def _no_rows(games: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(0, np.int64), np.zeros((0, games), np.int64)


def _merged(parts: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Add up rows of the same number."""
    parts = list(parts)
    keys = np.concatenate([keys for keys, _ in parts])
    counts = np.concatenate([counts for _, counts in parts])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    if len(keys) == 0:
        return keys, counts
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[first], np.add.reduceat(counts[order], first, axis=0)


def ledger_from_rows(sides: int, keys: np.ndarray, counts: np.ndarray) -> Ledger:
    """Make a ledger of rows in any order: keys int64[k], counts int64[k, games]."""
    rows = _merged([(keys, counts)])
    return Ledger(sides, counts.shape[1], (rows,) if len(keys) else ())


def ledger_of_keys(plan: Plan, keys: np.ndarray) -> Ledger:
    """Enter deals into a ledger.

    Parameters
    ----------
    plan : Plan
    keys : numpy.ndarray
        int64[blocks, games], each deal's takings as `engine.counting.ledger_key` packs them.
    """
    games = plan.games
    # Sorted together with the game, one pass of sorting counts every game of a block.
    seen, times = np.unique(keys * games + np.arange(games), return_counts=True)
    if len(seen) == 0:
        return Ledger(plan.rules.sides, games)
    rows, game = np.divmod(seen, games)
    new = np.concatenate(([True], rows[1:] != rows[:-1]))
    counts = np.zeros((int(new.sum()), games), np.int64)
    counts[np.cumsum(new) - 1, game] = times
    return Ledger(plan.rules.sides, games, ((rows[new], counts),))


def outcomes(ledger: Ledger, rules: Ruleset) -> Outcomes:
    """Score every row of a ledger by some rules: exactly as if the deals had been played by them.

    Parameters
    ----------
    ledger : Ledger
    rules : Ruleset
        Differs from the rules that were played only as `scoring_only` allows.

    Returns
    -------
    Outcomes
        A row each of `ledger.keys`.
    """
    return score_takings(ledger.takings, rules)


def merge_ledgers(ledgers: Iterable[Ledger]) -> Ledger:
    """Add ledgers of disjoint blocks."""
    return reduce(Ledger.__add__, ledgers)
