"""Integer tallies of score sheets: added to merge, so that order cannot matter.

A tally holds, for every column, the sum over blocks and the sum of squares, whole histograms of
points and sweeps, and the ledger. Everything printed later is computed from these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from kasino_sim.engine.layout import ITEMS
from kasino_sim.errors import KasinoError
from kasino_sim.ledger import Ledger, ledger_from_rows, ledger_of
from kasino_sim.plan import Plan
from kasino_sim.ranges import Deals, deals_from

_COLUMNS = ["kind", "name", "place", "value"]
WIN = 12  # a win in whole numbers, so that it can be shared by two, three or four
MAX_POINTS = 128  # points of a side from 0 up to this, the last bin taking more
MAX_SWEEPS = 25
_SAFE = 2**63 - 1
_EXACT = 2.0**53  # whole numbers below are exact as floats, and so are their sums


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
        games by sweeps made, and with two sides `joint` [129, 129] of both sides' points.
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
        rows: list[tuple[str, str, int, int]] = [("blocks", "", 0, self.blocks)]
        spans = enumerate(self.deals.spans)
        rows += [("deals", f"{seed}:{first}", i, n) for i, (seed, first, n) in spans]
        too_large = [k for k, v in {**self.sums, **self.squares}.items() if abs(v) > _SAFE]
        if too_large:
            raise KasinoError(f"{', '.join(too_large)}: too large a number to keep in a file")
        rows += [("sum", name, 0, value) for name, value in self.sums.items()]
        rows += [("square", name, 0, value) for name, value in self.squares.items()]
        for name, array in self.counts.items():
            flat = array.ravel()
            rows += [("count", name, int(i), int(flat[i])) for i in np.flatnonzero(flat)]
        frame = pd.DataFrame(rows, columns=_COLUMNS)
        return pd.concat([frame, *_ledger_frames(self.ledger)], ignore_index=True)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, plan: Plan) -> Tally:
        """Read back what `frame` wrote."""
        empty = empty_tally(plan)
        ledger = _read_ledger(frame[frame["kind"] == "ledger"], empty.ledger)
        frame = frame[frame["kind"] != "ledger"]
        kinds = {k: dict(zip(f["name"], f["value"], strict=True)) for k, f in frame.groupby("kind")}
        counts = {name: array.copy() for name, array in empty.counts.items()}
        for name, part in frame[frame["kind"] == "count"].groupby("name"):
            counts[str(name)].flat[part["place"].to_numpy()] = part["value"].to_numpy()
        return cls(
            int(kinds["blocks"][""]),
            {k: int(v) for k, v in kinds["sum"].items()},
            {k: int(v) for k, v in kinds["square"].items()},
            counts,
            ledger,
            _read_deals(kinds.get("deals", {})),
        )


def _ledger_frames(ledger: Ledger) -> list[pd.DataFrame]:
    """Put the counts of each game of a block under one another."""
    frames = []
    for game in range(ledger.games):
        there = np.flatnonzero(ledger.counts[:, game])
        rows = {"place": ledger.keys[there], "value": ledger.counts[there, game]}
        frames.append(pd.DataFrame({"kind": "ledger", "name": str(game), **rows}))
    return [frame for frame in frames if len(frame)]


def _read_ledger(frame: pd.DataFrame, empty: Ledger) -> Ledger:
    counts = np.zeros((len(frame), empty.games), np.int64)
    counts[np.arange(len(frame)), frame["name"].astype(int)] = frame["value"]
    return ledger_from_rows(empty.sides, frame["place"].to_numpy(np.int64), counts)


def _read_deals(found: dict[str, int]) -> Deals:
    spans = [(*map(int, name.split(":")), int(n)) for name, n in found.items()]
    return Deals(tuple((seed, first, n) for seed, first, n in spans))


def merge(tallies: Iterable[Tally]) -> Tally:
    """Add tallies of disjoint blocks."""
    return reduce(Tally.__add__, tallies)


def empty_tally(plan: Plan) -> Tally:
    """Return the tally of no blocks."""
    from kasino_sim.engine.layout import SHEET, new_records

    return tally_sheets(plan, new_records(SHEET, 0).reshape(0, plan.games))


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
    points = item_points(plan, sheets)
    sums, squares = _sums(_columns(plan, sheets, points))
    counts = _histograms(plan, sheets, points.sum(axis=0))
    deals = deals_from(plan.seed, plan.first_deal + first, len(sheets))
    return Tally(len(sheets), sums, squares, counts, ledger_of(plan, sheets), deals)


def _sums(columns: dict[str, np.ndarray]) -> tuple[dict[str, int], dict[str, int]]:
    """Add up whole numbers and their squares, by column, however large the sums."""
    sums, squares = {}, {}
    for name, values in columns.items():
        floats = values.astype(np.float64)
        square = float(floats @ floats)
        if square < _EXACT:  # then no sum on the way was rounded, nor one of the numbers themselves
            sums[name], squares[name] = int(floats.sum()), int(square)
        else:
            sums[name] = sum(map(int, values))
            squares[name] = sum(int(v) ** 2 for v in values)
    return sums, squares


def item_points(plan: Plan, sheets: Any) -> np.ndarray:
    """Points of each side by item in each game, int64[items, sides, games, blocks]."""
    points = sheets["points"][:, :, : plan.rules.sides]
    return np.ascontiguousarray(points.transpose(3, 2, 1, 0), np.int64)


def _win_shares(plan: Plan, points: np.ndarray) -> np.ndarray:
    """Twelfths of a win by side: the best total of the deal wins, a tie is shared."""
    aim = -1 if plan.rules.match.winner == "lowest" else 1
    best = aim * points == (aim * points).max(axis=0)
    return WIN // best.sum(axis=0) * best


def _per_game(sheets: Any, name: str, n: int | None = None) -> np.ndarray:
    """Return a count by game, int64[games, blocks]: of each game, or summed over n players."""
    counts = sheets[name] if n is None else sheets[name][:, :, :n]
    whole = np.ascontiguousarray(counts.T, np.int64)
    return whole if n is None else whole.sum(axis=0)


def block_columns(plan: Plan, sheets: Any) -> dict[str, np.ndarray]:
    """Return the whole numbers that each block contributes, int64[blocks] by column.

    Seat columns are summed over the block's games; columns of named players over its rotations.
    """
    return _columns(plan, sheets, item_points(plan, sheets))


def _columns(plan: Plan, sheets: Any, by_item: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of `block_columns`, given `item_points`."""
    points = by_item.sum(axis=0)  # [sides, games, blocks]
    wins = _win_shares(plan, points)
    n, sides = plan.rules.n_players, plan.rules.sides
    items, sums, shares = by_item.sum(axis=2), points.sum(axis=1), wins.sum(axis=1)
    columns: dict[str, np.ndarray] = {}
    for side in range(sides):
        columns[f"points.{side}"], columns[f"wins.{side}"] = sums[side], shares[side]
        for i, item in enumerate(ITEMS):
            columns[f"{item}.{side}"] = items[i, side]
    for k in range(plan.named):
        turns = [(sides_of[k], g) for g, sides_of in plan.turns]
        columns[f"player.{k}"] = np.sum([points[turn] for turn in turns], axis=0)
        columns[f"player_wins.{k}"] = np.sum([wins[turn] for turn in turns], axis=0)
    columns["difference"] = columns["player.0"] - columns["player.1"]
    columns["seat_difference"] = columns["points.0"] - columns["points.1"]
    # What side 0, playing first, has beyond its share, times the sides to stay whole.
    columns["first_edge"] = sides * columns["points.0"] - sums.sum(axis=0)
    sweeps = _per_game(sheets, "sweeps", n)
    columns["sweeps"], columns["swept"] = sweeps.sum(axis=0), (sweeps > 0).sum(axis=0)
    for name in ("captures", "trails", "builds", "raises", "adds", "taken_own", "taken_other"):
        columns[name] = _per_game(sheets, name, n).sum(axis=0)
    for name in ("tied_cards", "tied_spades", "residue", "builds_left"):
        columns[name] = _per_game(sheets, name).sum(axis=0)
    for name in ("decisions", "legal_moves", "crowded"):
        columns[name] = _per_game(sheets, name).sum(axis=0)
    return columns


def _histograms(plan: Plan, sheets: Any, points: np.ndarray) -> dict[str, np.ndarray]:
    """Count the games by points, int64[sides, games, blocks], and by sweeps."""
    sides, bins = plan.rules.sides, MAX_POINTS + 1
    points = np.minimum(points, MAX_POINTS).reshape(sides, -1)
    by_side = [np.bincount(side, minlength=bins) for side in points]
    sweeps = _per_game(sheets, "sweeps", plan.rules.n_players).ravel()
    counts = {
        "points": np.stack(by_side).astype(np.int64),
        "sweeps": np.bincount(np.minimum(sweeps, MAX_SWEEPS), minlength=MAX_SWEEPS + 1),
    }
    if sides == 2:
        both = points[0] * bins + points[1]
        counts["joint"] = np.bincount(both, minlength=bins * bins).reshape(bins, bins)
    return counts
