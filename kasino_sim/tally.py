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

_COLUMNS = ["kind", "name", "place", "value"]
WIN = 12  # a win in whole numbers, so that it can be shared by two, three or four
MAX_POINTS = 128  # points of a side from 0 up to this, the last bin taking more
MAX_SWEEPS = 25
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
        games by sweeps made, and with two sides `joint` [129, 129] of both sides' points.
    ledger : Ledger
        Deals by what each side took.
    """

    blocks: int
    sums: dict[str, int]
    squares: dict[str, int]
    counts: dict[str, np.ndarray]
    ledger: Ledger

    def __add__(self, other: Tally) -> Tally:
        """Merge two tallies of different blocks of one plan."""
        return Tally(
            self.blocks + other.blocks,
            {k: v + other.sums[k] for k, v in self.sums.items()},
            {k: v + other.squares[k] for k, v in self.squares.items()},
            {k: v + other.counts[k] for k, v in self.counts.items()},
            self.ledger + other.ledger,
        )

    def frame(self) -> pd.DataFrame:
        """Return the tally as a tidy frame: kind, name, place, value (all whole numbers).

        Of the ledger, `name` is the game of a block and `place` the number of its row.
        """
        rows: list[tuple[str, str, int, int]] = [("blocks", "", 0, self.blocks)]
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


def merge(tallies: Iterable[Tally]) -> Tally:
    """Add tallies of disjoint blocks."""
    return reduce(Tally.__add__, tallies)


def empty_tally(plan: Plan) -> Tally:
    """Return the tally of no blocks."""
    from kasino_sim.engine.layout import SHEET, new_records

    return tally_sheets(plan, new_records(SHEET, 0).reshape(0, plan.games))


def tally_sheets(plan: Plan, sheets: Any) -> Tally:
    """Count score sheets.

    Parameters
    ----------
    plan : Plan
    sheets : SHEET[blocks, games]

    Returns
    -------
    Tally
    """
    columns = block_columns(plan, sheets)
    return Tally(
        len(sheets),
        {name: _sum(values) for name, values in columns.items()},
        {name: _sum_of_squares(values) for name, values in columns.items()},
        _histograms(plan, sheets),
        ledger_of(plan, sheets),
    )


def _sum(values: np.ndarray) -> int:
    """Add up whole numbers, however large the sum."""
    if len(values) and int(np.abs(values).max()) > _SAFE // len(values):
        return sum(map(int, values))
    return int(values.sum())


def _sum_of_squares(values: np.ndarray) -> int:
    """Add up squares, however large the sum."""
    if len(values) and int(np.abs(values).max()) ** 2 > _SAFE // len(values):
        return sum(int(v) ** 2 for v in values)
    return int((values * values).sum())


def side_points(plan: Plan, sheets: Any) -> np.ndarray:
    """Points of each side in each game, int64[blocks, games, sides]."""
    return sheets["points"][:, :, : plan.rules.sides].sum(axis=3, dtype=np.int64)


def _win_shares(plan: Plan, points: np.ndarray) -> np.ndarray:
    """Twelfths of a win by side: the best total of the deal wins, a tie is shared."""
    aim = -1 if plan.rules.match.winner == "lowest" else 1
    best = aim * points == (aim * points).max(axis=2, keepdims=True)
    return WIN // best.sum(axis=2, keepdims=True) * best


def block_columns(plan: Plan, sheets: Any) -> dict[str, np.ndarray]:
    """Return the whole numbers that each block contributes, int64[blocks] by column.

    Seat columns are summed over the block's games; columns of named players over its rotations.
    """
    points = side_points(plan, sheets)
    wins = _win_shares(plan, points)
    n, sides = plan.rules.n_players, plan.rules.sides
    columns: dict[str, np.ndarray] = {}
    for side in range(sides):
        columns[f"points.{side}"] = points[:, :, side].sum(axis=1)
        columns[f"wins.{side}"] = wins[:, :, side].sum(axis=1)
        for i, item in enumerate(ITEMS):
            columns[f"{item}.{side}"] = sheets["points"][:, :, side, i].sum(axis=1, dtype=np.int64)
    for k in range(plan.named):
        turns = [(g, sides_of[k]) for g, sides_of in plan.turns]
        columns[f"player.{k}"] = np.sum([points[:, g, side] for g, side in turns], axis=0)
        columns[f"player_wins.{k}"] = np.sum([wins[:, g, side] for g, side in turns], axis=0)
    columns["difference"] = columns["player.0"] - columns["player.1"]
    columns["seat_difference"] = columns["points.0"] - columns["points.1"]
    # What side 0, playing first, has beyond its share, times the sides to stay whole.
    columns["first_edge"] = sides * columns["points.0"] - points.sum(axis=(1, 2))
    for name in ("sweeps", "captures", "trails", "builds", "raises", "adds"):
        columns[name] = sheets[name][:, :, :n].sum(axis=(1, 2), dtype=np.int64)
    columns["swept"] = (sheets["sweeps"][:, :, :n].sum(axis=2) > 0).sum(axis=1, dtype=np.int64)
    for name in ("taken_own", "taken_other"):
        columns[name] = sheets[name][:, :, :n].sum(axis=(1, 2), dtype=np.int64)
    for name in ("tied_cards", "tied_spades", "residue", "builds_left"):
        columns[name] = sheets[name].sum(axis=1, dtype=np.int64)
    for name in ("decisions", "legal_moves", "crowded"):
        columns[name] = sheets[name].sum(axis=1, dtype=np.int64)
    return columns


def _histograms(plan: Plan, sheets: Any) -> dict[str, np.ndarray]:
    n, sides, bins = plan.rules.n_players, plan.rules.sides, MAX_POINTS + 1
    points = np.minimum(side_points(plan, sheets), MAX_POINTS).reshape(-1, sides)
    by_side = [np.bincount(points[:, side], minlength=bins) for side in range(sides)]
    sweeps = sheets["sweeps"][:, :, :n].sum(axis=2, dtype=np.int64).ravel()
    counts = {
        "points": np.stack(by_side).astype(np.int64),
        "sweeps": np.bincount(np.minimum(sweeps, MAX_SWEEPS), minlength=MAX_SWEEPS + 1),
    }
    if sides == 2:
        both = points[:, 0] * bins + points[:, 1]
        counts["joint"] = np.bincount(both, minlength=bins * bins).reshape(bins, bins)
    return counts
