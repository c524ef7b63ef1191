"""Integer tallies of score sheets: added to merge, so that order cannot matter.

A tally holds, for every column, the sum over blocks and the sum of squares, whole histograms of
points and sweeps, and the ledger. Everything printed later is computed from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from kasino_sim.engine.counting import (
    COLUMNS,
    COUNTS,
    FIRST_COLUMN,
    N_PLACES,
    NAMED_COLUMNS,
    SIDE_COLUMNS,
    count_sheets,
)
from kasino_sim.engine.layout import LOOKS, MAX_PLAYERS, SCRATCH, SHEET, new_record, new_records
from kasino_sim.errors import KasinoError
from kasino_sim.ledger import Ledger, ledger_from_rows, ledger_of_keys
from kasino_sim.pack import pack_rules
from kasino_sim.plan import Plan
from kasino_sim.ranges import Deals, deals_from

_SAFE = 2**63 - 1


@dataclass(frozen=True)
class Tally:
    """Sums over blocks.

    Attributes
    ----------
    blocks : int
    sums, squares : dict of str to int
        Column -> sum of its block values, and of their squares.
    counts : dict of str to numpy.ndarray
        Histograms, int64: `points` [sides, 129] of games by points of a side, `sweeps` [26] of
        games by sweeps made, and with two sides `joint` [129, 129] of both sides' points. Where the
        plan wants detail, `legal_moves` [2, 52], summed by number of the decision in the deal, and
        the same of their blocks' squares (no decision counts for more than a million), and
        `tables` [52, 53] of decisions by number, and loose cards and builds on the table. Where
        somebody follows tips, `tips` [player, tip, seat, cards in hand, 2], a player being its
        place in `plan.seats` and a tip its place in `layout.TIPS`: decisions where the tip told
        moves apart, and those where another move was made for it.
    ledger : Ledger
        Deals by what each side took.
    deals : Deals
        The decks that were counted, one a block.
    """

    blocks: int
    sums: dict[str, int]
    squares: dict[str, int]
    counts: dict[str, np.ndarray]
    ledger: Ledger
    deals: Deals = Deals()

    def __add__(self, other: Tally) -> Tally:
        """Merge two tallies of one plan; those of a deck in common are refused."""
        return Tally(
            self.blocks + other.blocks,
            {k: v + other.sums[k] for k, v in self.sums.items()},
            {k: v + other.squares[k] for k, v in self.squares.items()},
            {k: v + other.counts[k] for k, v in self.counts.items()},
            self.ledger + other.ledger,
            self.deals + other.deals,
        )

    def frame(self) -> pd.DataFrame:
        """Return the tally as a tidy frame: kind, name, place, value (all whole numbers).

        Of the ledger, `name` is the game of a block and `place` the number of its row; of deals,
        `name` is seed and first deal and `value` how many.
        """
        return frame_of([self]).drop(columns="tally")

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, plan: Plan) -> Tally:
        """Read back what `frame` wrote."""
        (tally,) = tallies_of(frame.assign(tally=0), plan)
        return tally


# ---------------------------------------------------------------- tallies as frames


def frame_of(tallies: Sequence[Tally]) -> pd.DataFrame:
    """Return tallies of one plan as one tidy frame.

    Parameters
    ----------
    tallies : sequence of Tally

    Returns
    -------
    pandas.DataFrame
        tally (its place among them), and kind, name, place, value as `Tally.frame` tells.
    """
    parts = [_rows("blocks", "", range(len(tallies)), 0, [t.blocks for t in tallies])]
    spans = [(at, i, *span) for at, t in enumerate(tallies) for i, span in enumerate(t.deals.spans)]
    parts += [_rows("deals", f"{seed}:{first}", [at], i, [n]) for at, i, seed, first, n in spans]
    parts += [_sums_rows("sum", [t.sums for t in tallies])]
    parts += [_sums_rows("square", [t.squares for t in tallies])]
    for name in tallies[0].counts:
        flat = np.stack([t.counts[name].ravel() for t in tallies])
        tally_at, place = np.nonzero(flat)
        parts.append(_rows("count", name, tally_at, place, flat[tally_at, place]))
    for at, tally in enumerate(tallies):
        keys, counts = tally.ledger.keys, tally.ledger.counts
        for game in range(tally.ledger.games):
            there = np.flatnonzero(counts[:, game])
            of_one = np.full(len(there), at)
            parts.append(_rows("ledger", str(game), of_one, keys[there], counts[there, game]))
    return pd.DataFrame(
        {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    ).astype({"kind": "str", "name": "str"})


def _rows(kind: str, name: Any, at: Any, place: Any, value: Any) -> dict[str, np.ndarray]:
    """Return columns of as many rows as `at` is long."""
    n = len(at)
    return {
        "tally": np.asarray(at, np.int64),
        "kind": np.full(n, kind, object),
        "name": np.full(n, name, object) if isinstance(name, str) else name,
        "place": np.broadcast_to(np.asarray(place, np.int64), n),
        "value": np.asarray(value, np.int64),
    }


def _sums_rows(kind: str, sums: list[dict[str, int]]) -> dict[str, np.ndarray]:
    """Put the sums of each tally under one another, in the same order."""
    too_large = {name for of_one in sums for name, v in of_one.items() if abs(v) > _SAFE}
    if too_large:
        listed = ", ".join(sorted(too_large))
        raise KasinoError(f"{listed}: too large a number to keep in a file")
    names = list(sums[0])
    values = np.array([[of_one[name] for name in names] for of_one in sums], np.int64)
    at = np.repeat(np.arange(len(sums)), len(names))
    return _rows(kind, np.array(names * len(sums), object), at, 0, values.ravel())


def tallies_of(frame: pd.DataFrame, plan: Plan) -> list[Tally]:
    """Read back what `frame_of` wrote of tallies of a plan.

    Raises
    ------
    ValueError, KeyError, IndexError
        Where the frame is not of such tallies.
    """
    empty = empty_tally(plan)
    of_kind = {str(kind): part for kind, part in frame.groupby("kind")}
    blocks = of_kind["blocks"]["value"].tolist()
    n = len(blocks)
    sums, squares = (_read_sums(of_kind[kind], n) for kind in ("sum", "square"))
    counts = {name: np.zeros((n, *array.shape), np.int64) for name, array in empty.counts.items()}
    for name, part in of_kind["count"].groupby("name"):
        every = counts[str(name)].reshape(n, -1)
        every[part["tally"].to_numpy(), part["place"].to_numpy()] = part["value"].to_numpy()
    deals = [_read_deals(part) for part in _by_tally(of_kind["deals"], n)]
    ledgers = [_read_ledger(part, empty.ledger) for part in _by_tally(of_kind.get("ledger"), n)]
    return [
        Tally(
            blocks[at],
            sums[at],
            squares[at],
            {name: every[at] for name, every in counts.items()},
            ledgers[at],
            deals[at],
        )
        for at in range(n)
    ]


def _read_sums(part: pd.DataFrame, n: int) -> list[dict[str, int]]:
    names = part["name"].tolist()
    own = names[: len(names) // n]
    if own * n != names:
        raise ValueError("the tallies do not count the same")
    every = part["value"].to_numpy().reshape(n, -1).tolist()
    return [dict(zip(own, values, strict=True)) for values in every]


def _by_tally(part: pd.DataFrame | None, n: int) -> list[dict[str, np.ndarray]]:
    """Cut rows, which stand in the order of the tallies, into each one's columns."""
    if part is None:
        part = pd.DataFrame({name: [] for name in ("tally", "name", "place", "value")})
    ends = np.searchsorted(part["tally"].to_numpy(), np.arange(n + 1))
    columns = {name: part[name].to_numpy() for name in ("name", "place", "value")}
    return [
        {name: column[start:end] for name, column in columns.items()}
        for start, end in pairwise(ends)
    ]


def _read_ledger(part: dict[str, np.ndarray], empty: Ledger) -> Ledger:
    counts = np.zeros((len(part["value"]), empty.games), np.int64)
    counts[np.arange(len(counts)), part["name"].astype(int)] = part["value"]
    return ledger_from_rows(empty.sides, part["place"].astype(np.int64), counts)


def _read_deals(part: dict[str, np.ndarray]) -> Deals:
    names, numbers = part["name"].tolist(), part["value"].tolist()
    starts = [tuple(map(int, name.split(":"))) for name in names]
    return Deals(tuple((seed, first, n) for (seed, first), n in zip(starts, numbers, strict=True)))


# ---------------------------------------------------------------- counting


def merge(tallies: Iterable[Tally]) -> Tally:
    """Add tallies of disjoint blocks."""
    return reduce(Tally.__add__, tallies)


def empty_tally(plan: Plan) -> Tally:
    """Return the tally of no blocks."""
    return tally_sheets(plan, new_records(SHEET, 0).reshape(0, plan.games))


class Counter:
    """Counts score sheets of one plan, a piece at a time.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._packed = pack_rules(plan.rules)
        self._turns = np.zeros((plan.rotations, 1 + MAX_PLAYERS), np.int64)
        for turn, (game, sides) in enumerate(plan.turns):
            self._turns[turn, : 1 + len(sides)] = (game, *sides)
        self._counts = new_record(COUNTS)
        self._keys: list[np.ndarray] = []
        self._blocks = 0
        self._legal_moves = [0, 0]

    def add(self, sheets: Any) -> None:
        """Count sheets, SHEET[blocks, games].

        Raises
        ------
        KasinoError
            Where a sheet is not of a whole deal: neither 52 cards taken nor none.
        """
        self._count(sheets, np.zeros((1, N_PLACES), np.int32))

    def columns(self, sheets: Any) -> dict[str, np.ndarray]:
        """Count sheets as `add` does; returns what each block contributes, int64[blocks] by column.

        Seat columns are summed over the block's games; columns of named players over its rotations.
        """
        rows = np.zeros((max(1, len(sheets)), N_PLACES), np.int32)
        self._count(sheets, rows)
        whole = rows[: len(sheets)].astype(np.int64)
        found = {name: whole[:, place] for name, place in column_places(self._plan).items()}
        return found | {"legal_moves": sheets["legal_moves"].sum(axis=1)}

    def _count(self, sheets: Any, rows: np.ndarray) -> None:
        sheets = np.ascontiguousarray(sheets)
        keys = np.zeros((len(sheets), self._plan.games), np.int64)
        count_sheets(self._packed, self._turns, sheets, self._counts, rows, keys)
        if self._counts.faulty:
            raise KasinoError("a score sheet does not account for all 52 cards")
        self._keys.append(keys)
        self._blocks += len(sheets)
        if self._plan.detail:
            for moves in sheets["legal_moves"].sum(axis=1).tolist():
                self._legal_moves[0] += moves
                self._legal_moves[1] += moves**2

    def ledger(self) -> Ledger:
        """Return the ledger of all sheets counted so far."""
        nothing = np.zeros((0, self._plan.games), np.int64)
        return ledger_of_keys(self._plan, np.concatenate([nothing, *self._keys]))

    def tally(self, first: int = 0, scratch: Any = None) -> Tally:
        """Return the tally of all sheets counted so far.

        Parameters
        ----------
        first : int
            The first block's number.
        scratch : numpy.record, optional
            SCRATCH in which the same blocks and no others were played: what the decisions looked
            like, where the plan wants detail, and what tips did.
        """
        counts, sides = self._counts, self._plan.rules.sides
        places = column_places(self._plan)
        all_sums, all_squares = counts.sums.tolist(), counts.squares.tolist()
        sums = {name: all_sums[place] for name, place in places.items()}
        squares = {name: all_squares[place] for name, place in places.items()}
        sums["legal_moves"], squares["legal_moves"] = self._legal_moves
        histograms = {"points": counts.points[:sides].copy(), "sweeps": counts.sweeps.copy()}
        if sides == 2:
            histograms["joint"] = counts.joint.copy()
        if self._plan.detail:
            looks = new_record(LOOKS) if scratch is None else scratch.looks
            histograms["legal_moves"] = np.stack([looks.moves, looks.squares])
            histograms["tables"] = looks.tables.copy()
        if any(player.tips for player in self._plan.seats):
            nothing = np.zeros(SCRATCH["tip_counts"].shape, np.int64)
            histograms["tips"] = nothing if scratch is None else nothing + scratch.tip_counts
        deals = deals_from(self._plan.seed, self._plan.first_deal + first, self._blocks)
        return Tally(self._blocks, sums, squares, histograms, self.ledger(), deals)


def column_places(plan: Plan) -> dict[str, int]:
    """Return where a block's row holds each column of a plan."""
    places = {}
    for i, name in enumerate(SIDE_COLUMNS):
        for side in range(plan.rules.sides):
            places[f"{name}.{side}"] = i * MAX_PLAYERS + side
    for i, name in enumerate(NAMED_COLUMNS, start=len(SIDE_COLUMNS)):
        for k in range(plan.named):
            places[f"{name}.{k}"] = i * MAX_PLAYERS + k
    return places | {name: FIRST_COLUMN + i for i, name in enumerate(COLUMNS)}


def tally_sheets(plan: Plan, sheets: Any, first: int = 0) -> Tally:
    """Count score sheets.

    Parameters
    ----------
    plan : Plan
    sheets : SHEET[blocks, games]
    first : int
        Number of the first block, from 0.

    Returns
    -------
    Tally
    """
    counter = Counter(plan)
    counter.add(sheets)
    return counter.tally(first)


def item_points(plan: Plan, sheets: Any) -> np.ndarray:
    """Points of each side by item in each game, int64[items, sides, games, blocks]."""
    points = sheets["points"][:, :, : plan.rules.sides]
    return np.ascontiguousarray(points.transpose(3, 2, 1, 0), np.int64)


def block_columns(plan: Plan, sheets: Any) -> dict[str, np.ndarray]:
    """Return the whole numbers that each block contributes, as `Counter.columns` does."""
    return Counter(plan).columns(sheets)


def ledger_of(plan: Plan, sheets: Any) -> Ledger:
    """Enter score sheets into a ledger.

    Parameters
    ----------
    plan : Plan
    sheets : SHEET[blocks, games]
        As `Engine.sheets` returns them.

    Raises
    ------
    KasinoError
        Where a sheet is not of a whole deal: neither 52 cards taken nor none.
    """
    counter = Counter(plan)
    counter.add(sheets)
    return counter.ledger()
