"""Two players against each other: every deck under every seating, in paired whole numbers.

Where more than two sides play, one player sits alone among others like the second, and on the same
decks the second alone among others like the first; every comparison is between two of them at one
table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from kasino_sim.attempts import fingerprint
from kasino_sim.engine.layout import ITEMS
from kasino_sim.ledger import Ledger, ledger_from_rows
from kasino_sim.plan import Plan
from kasino_sim.players import Player
from kasino_sim.rules import Ruleset
from kasino_sim.simulate import PIECE_GAMES, Chunk, Engine
from kasino_sim.tally import item_points, ledger_of

PLAYS = ("captures", "trails", "builds", "raises", "adds", "taken_own", "taken_other")
COUNTS = (*ITEMS, "points", "swept", *PLAYS)
"""What is counted for each of the two: points of every item and in all, sweeps, plays by kind."""


@dataclass(frozen=True)
class Meeting:
    """Two players who meet.

    Attributes
    ----------
    rules : Ruleset
    players : tuple of Player
        Two of them.
    seed : int
    deals : int
        Deals wanted, at least; rounded up to whole blocks.
    first_deal : int
    """

    rules: Ruleset
    players: tuple[Player, Player]
    seed: int
    deals: int
    first_deal: int = 0

    @cached_property
    def key(self) -> str:
        """Both names, fit for a file, and a hash of who they are: some of one name differ."""
        one, other = self.players
        who = fingerprint([player.model_dump(mode="json") for player in self.players])
        return re.sub(r"[^\w.=+-]+", "_", f"{one.name}-{other.name}-{who[:8]}")

    @cached_property
    def roles(self) -> tuple[tuple[int, ...], ...]:
        """For each plan, which of the two every named player is."""
        sides = self.rules.sides
        if sides == 2:
            return ((0, 1),)
        return (0, *[1] * (sides - 1)), (1, *[0] * (sides - 1))

    @cached_property
    def plans(self) -> tuple[Plan, ...]:
        """What is played on every deck."""
        return tuple(
            Plan(
                self.rules,
                tuple(self.players[role] for role in roles),
                self.seed,
                self.blocks * self.rules.sides,
                self.first_deal,
            )
            for roles in self.roles
        )

    @property
    def games(self) -> int:
        """Games played for each deck."""
        return self.rules.sides * len(self.roles)

    @property
    def blocks(self) -> int:
        """Whole blocks that hold the deals wanted."""
        return -(-self.deals // self.games)

    @cached_property
    def comparisons(self) -> int:
        """How often in a block a seat of one is compared with a seat of the other."""
        each = [roles.count(0) * roles.count(1) for roles in self.roles]
        return self.rules.sides * sum(each)

    def seats(self, role: int) -> int:
        """Return how many sides one of the two plays in a block."""
        return self.rules.sides * sum(roles.count(role) for roles in self.roles)


@dataclass(frozen=True)
class MeetingTally:
    """Sums over blocks, all whole numbers.

    Attributes
    ----------
    blocks : int
    sums, squares : dict of str to int
        Of `gap` (points of the first player less the second's, towards the aim of the match, over
        all comparisons), `ahead` (comparisons that the first one wins, twice; a tie counts one),
        and of `COUNTS` for each, as `aces.0` and `aces.1`.
    results : numpy.ndarray
        int64[2, 3]: comparisons won, drawn and lost by the first player, where it plays before the
        other and where after.
    ledgers : tuple of Ledger
        Of each plan's games.
    """

    blocks: int
    sums: Mapping[str, int]
    squares: Mapping[str, int]
    results: np.ndarray
    ledgers: tuple[Ledger, ...]

    def __add__(self, other: MeetingTally) -> MeetingTally:
        """Merge two tallies of different blocks of one meeting."""
        return MeetingTally(
            self.blocks + other.blocks,
            {k: v + other.sums[k] for k, v in self.sums.items()},
            {k: v + other.squares[k] for k, v in self.squares.items()},
            self.results + other.results,
            tuple(a + b for a, b in zip(self.ledgers, other.ledgers, strict=True)),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the tally as JSON has it."""
        return {
            "blocks": self.blocks,
            "sums": dict(self.sums),
            "squares": dict(self.squares),
            "results": self.results.tolist(),
            "ledgers": [
                {"sides": led.sides, "keys": led.keys.tolist(), "counts": led.counts.tolist()}
                for led in self.ledgers
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MeetingTally:
        """Read back what `as_json` wrote."""
        ledgers = tuple(
            ledger_from_rows(
                led["sides"], *(np.array(led[k], np.int64) for k in ("keys", "counts"))
            )
            for led in data["ledgers"]
        )
        results = np.array(data["results"], np.int64).reshape(2, 3)
        return cls(data["blocks"], data["sums"], data["squares"], results, ledgers)


def merge_meetings(tallies: Iterable[MeetingTally]) -> MeetingTally:
    """Add tallies of disjoint blocks."""
    return reduce(MeetingTally.__add__, tallies)


class MeetingEngine:
    """Plays and counts the blocks of a meeting; safe to use from many threads."""

    def __init__(self, meeting: Meeting) -> None:
        self.meeting = meeting
        self._engines = [Engine(plan) for plan in meeting.plans]

    def tally(self, chunk: Chunk) -> MeetingTally:
        """Play a chunk and count it, in pieces that stay in the processor's cache."""
        size, end = max(1, PIECE_GAMES // self.meeting.games), chunk.first + chunk.n
        return merge_meetings(
            count_blocks(
                self.meeting, [e.sheets(first, min(size, end - first)) for e in self._engines]
            )
            for first in range(chunk.first, end, size)
        )


def count_blocks(meeting: Meeting, sheets: list[Any]) -> MeetingTally:
    """Count the score sheets of a meeting's plans, SHEET[blocks, games] each."""
    columns: dict[str, Any] = dict.fromkeys(["gap", "ahead"], 0)
    columns |= {f"{name}.{role}": 0 for name in COUNTS for role in (0, 1)}
    results = np.zeros((2, 3), np.int64)
    for plan, roles, of_plan in zip(meeting.plans, meeting.roles, sheets, strict=True):
        counts = _by_side(plan, of_plan)
        for game, sides in plan.turns:
            for name, values in counts.items():
                for side, role in zip(sides, roles, strict=True):
                    columns[f"{name}.{role}"] = columns[f"{name}.{role}"] + values[side, game]
            points = counts["points"][:, game]
            for gap, later in _gaps(meeting.rules, points, sides, roles):
                columns["gap"] = columns["gap"] + gap
                columns["ahead"] = columns["ahead"] + 1 + np.sign(gap)
                results[later] += [(gap > 0).sum(), (gap == 0).sum(), (gap < 0).sum()]
    blocks = len(sheets[0])
    sums = {name: int(values.sum()) for name, values in columns.items()}
    squares = {name: int(values @ values) for name, values in columns.items()}
    ledgers = tuple(map(ledger_of, meeting.plans, sheets))
    return MeetingTally(blocks, sums, squares, results, ledgers)


def _by_side(plan: Plan, sheets: Any) -> dict[str, np.ndarray]:
    """Return what each side did in every game, int64[sides, games, blocks] by name."""
    n, sides = plan.rules.n_players, plan.rules.sides
    points = item_points(plan, sheets)

    def count(field: str) -> np.ndarray:
        by_player = np.ascontiguousarray(sheets[field].transpose(2, 1, 0)[:n], np.int64)
        return by_player.reshape(n // sides, sides, *by_player.shape[1:]).sum(axis=0)

    items = dict(zip(ITEMS, points, strict=True))
    plays = {name: count(name) for name in PLAYS}
    return {**items, "points": points.sum(axis=0), "swept": count("sweeps"), **plays}


def _gaps(
    rules: Ruleset, points: np.ndarray, sides: tuple[int, ...], roles: tuple[int, ...]
) -> Iterator[tuple[np.ndarray, int]]:
    """Yield by how much the first player beats the second, and 1 where it plays after it.

    `points` : int64[sides, blocks] of one game.
    """
    aim = -1 if rules.match.winner == "lowest" else 1
    ones = [side for side, role in zip(sides, roles, strict=True) if role == 0]
    others = [side for side, role in zip(sides, roles, strict=True) if role == 1]
    for one in ones:
        for other in others:
            yield aim * (points[one] - points[other]), int(one > other)
