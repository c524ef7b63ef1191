"""A coach: what every legal move of a position is worth, and what the moves of a game cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kasino_sim.engine.layout import MAX_MOVES
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table
from kasino_sim.notation import GameRecord, Move, Position, parse_move
from kasino_sim.players import Player
from kasino_sim.stats.best_of import Means
from kasino_sim.stats.intervals import CONFIDENCE, row
from kasino_sim.thinking import MoveValues, complete, value_moves

WORLDS, REVIEW_WORLDS = 3_000, 400
PLAYS_ON = ("random", "greedy", "weigh", "ending")  # kinds that see no hidden card and are quick
SMALL = 0.05  # points: less is no mistake worth the name
_FIRST_WORLDS = 25  # after these the time for one is known
_MOST_WORLDS, _MOST_OUTCOMES = 200_000, 20_000_000


@dataclass(frozen=True)
class Budget:
    """How much is looked at.

    Attributes
    ----------
    worlds : int
        Ways to deal the unseen cards.
    seconds : float or None
        Where given, as many worlds as fit into that time, whatever `worlds` says.
    seed : int
    """

    worlds: int = WORLDS
    seconds: float | None = None
    seed: int = 1


@dataclass(frozen=True, eq=False)
class Advice:
    """What the legal moves of a position are worth to the player to move.

    Attributes
    ----------
    position : Position
    values : MoveValues
    confidence : float
        Of all intervals of points together, and of all differences together.
    """

    position: Position
    values: MoveValues
    confidence: float = CONFIDENCE

    @property
    def exact(self) -> bool:
        """Whether the values are no estimates."""
        return self.values.exact

    @property
    def worlds(self) -> int:
        """How many worlds were looked at; 0 where nothing had to be imagined."""
        return 0 if self.exact else len(self.values.margins)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The legal moves, in the order of their text."""
        return self.values.moves

    @property
    def order(self) -> list[int]:
        """Places of the moves, the best first."""
        return self.values.order

    @cached_property
    def _points(self) -> Means:
        return Means(self.values.margins, self.confidence)

    @cached_property
    def _wins(self) -> Means:
        return Means(self.values.won, self.confidence)

    def points(self, i: int) -> dict[str, float]:
        """Return value, se, low, high: points ahead at the end of the deal after move i."""
        return self._row(self._points, self._point_halves, i)

    def wins(self, i: int) -> dict[str, float]:
        """Return value, se, low, high: the chance to come out best in the deal, ties split."""
        found = self._row(self._wins, self._win_halves, i)
        if not self.exact and self.worlds and found["value"] in (0.0, 1.0):
            return found | self._sure_win(found["value"])
        return found | {name: float(np.clip(found[name], 0, 1)) for name in ("low", "high")}

    def _sure_win(self, value: float) -> dict[str, float]:
        """Bound a chance that came out the same in every world."""
        alpha = (1 - self.confidence) / len(self.moves)
        rare = 1 - alpha ** (1 / self.worlds)
        return {"low": 0.0, "high": rare} if value == 0 else {"low": 1 - rare, "high": 1.0}

    @cached_property
    def _point_halves(self) -> np.ndarray:
        return self._points.halves()

    @cached_property
    def _win_halves(self) -> np.ndarray:
        return self._wins.halves()

    def _row(self, means: Means, halves: np.ndarray, i: int) -> dict[str, float]:
        value = float(means.values[i])
        if self.exact:
            return row(value, 0.0, value, value)
        half = float(halves[i])
        return row(value, float(means.ses[i]), value - half, value + half)

    @cached_property
    def costs(self) -> list[dict[str, float]]:
        """Value, low, high of what each move costs: how far it is below the best one."""
        best = self.order[0]
        gaps, halves = self._points.gaps(best)
        if self.exact:
            halves = np.zeros(len(gaps))
        return [
            {"value": float(g), "low": float(g - h), "high": float(g + h)}
            for g, h in zip(gaps, halves, strict=True)
        ]

    @property
    def as_good(self) -> list[int]:
        """Places of the other moves that come to the same as the best, where that is exact."""
        if not self.exact:
            return []
        best = self.order[0]
        return [i for i in self.order[1:] if self._same(i, best)]

    def _same(self, i: int, j: int) -> bool:
        return not self.costs[i]["value"] and self.wins(i)["value"] == self.wins(j)["value"]

    @property
    def second(self) -> int | None:
        """Place of the move that the best one is compared with: the next one that is not as good.

        None where there is no other, or all come to the same.
        """
        left = [i for i in self.order[1:] if i not in self.as_good]
        return left[0] if left else None

    def may_be_best(self, i: int) -> bool:
        """Whether a move may be as good as the one that came out best."""
        return not self.costs[i]["low"] > 0


def advise(
    position: Position, player: Player, budget: Budget, confidence: float = CONFIDENCE
) -> Advice:
    """Value every legal move of a position.

    Parameters
    ----------
    position : Position
        Only what the player to move can see counts.
    player : Player
        Who plays on, in every seat.
    budget : Budget
    confidence : float

    Raises
    ------
    KasinoError
        As `thinking.value_moves` does, and where the player looks ahead or sees hidden cards.
    """
    kernel_of(position, player)
    timed = budget.seconds is not None
    worlds = _FIRST_WORLDS if timed else budget.worlds
    parts = [value_moves(position.rules, position, player, worlds, budget.seed)]
    if timed and not parts[0].exact:
        # The clock starts behind the first look, which loads or compiles what it needs.
        begun, first = time.monotonic(), worlds
        most = min(_MOST_WORLDS, _MOST_OUTCOMES // len(parts[0].moves))
        while n := min(
            _more(worlds, worlds - first, time.monotonic() - begun, budget.seconds or 0),
            most - worlds,
        ):
            parts.append(value_moves(position.rules, position, player, n, budget.seed, worlds))
            worlds += n
    return Advice(position, _joined(parts), confidence)


def kernel_of(position: Position, player: Player) -> str:
    """Check what is asked, before anything is loaded for it, and name the kernel that answers it.

    Raises
    ------
    KasinoError
        Where the cards do not add up, or the player looks ahead or sees hidden cards.
    """
    check_plays_on(player)
    hidden = complete(position).stock or position.rules.n_players != 2
    return "value_worlds" if hidden else "value_endings"


def check_plays_on(player: Player) -> None:
    """Complain about a player who cannot play on after a move: it looks ahead itself."""
    if player.kind not in PLAYS_ON:
        raise KasinoError(
            f"--player {player.name}: looks ahead itself (kind {player.kind}), so it does not play "
            f"on; name one of kind {', '.join(PLAYS_ON)}, such as careful"
        )


def _more(worlds: int, timed: int, spent: float, seconds: float) -> int:
    """Return how many worlds to look at next, of which some were timed; 0 to stop."""
    if spent >= seconds:
        return 0
    fit = int(timed * (seconds - spent) / spent) if timed and spent > 0 else worlds
    return min(fit, 2 * worlds)


def _joined(parts: list[MoveValues]) -> MoveValues:
    if len(parts) == 1:
        return parts[0]
    return MoveValues(
        parts[0].moves,
        np.concatenate([part.margins for part in parts]),
        np.concatenate([part.won for part in parts]),
        False,
    )


# ---------------------------------------------------------------- a whole game


@dataclass(frozen=True, eq=False)
class Judged:
    """A move of a recorded game.

    Attributes
    ----------
    number : int
        From 1.
    move : Move
    advice : Advice
        On the position before it.
    """

    number: int
    move: Move
    advice: Advice

    @property
    def player(self) -> int:
        """Who played it."""
        return self.advice.position.to_move

    @property
    def cost(self) -> dict[str, float]:
        """Value, low, high of the points that it gave away against the best move."""
        return self.advice.costs[self.advice.moves.index(self.move)]

    @property
    def best(self) -> Move:
        """The move that came out best."""
        return self.advice.moves[self.advice.order[0]]

    @property
    def costly(self) -> bool:
        """Whether it gave points away for certain."""
        return self.cost["low"] > 0 and self.cost["value"] >= SMALL


@dataclass(frozen=True, eq=False)
class Review:
    """A recorded game with its moves judged.

    Attributes
    ----------
    record : GameRecord
    judged : tuple of Judged
        The moves where there was a choice.
    forced, crowded : int
        The moves where there was none, and those where there were too many to value.
    over : bool
        Whether the record goes to the end of the deal.
    """

    record: GameRecord
    judged: tuple[Judged, ...]
    forced: int
    crowded: int
    over: bool

    def costly(self) -> list[Judged]:
        """Return the costly moves, the costliest first."""
        found = [one for one in self.judged if one.costly]
        return sorted(found, key=lambda one: (-one.cost["value"], one.number))

    def given(self, player: int) -> float:
        """Return the points that a player's costly moves gave away."""
        return sum(one.cost["value"] for one in self.judged if one.costly and one.player == player)


def review(
    record: GameRecord,
    player: Player,
    budget: Budget,
    told: Callable[[int], Any] = lambda moves: None,
    where: str = "record",
) -> Review:
    """Go through a recorded game and value every choice, each from what its player could see.

    The intervals of all choices hold together, so that in a game without mistakes it is rare that
    any move is called costly.

    Parameters
    ----------
    record : GameRecord
    player : Player
        Who plays on after a move, in every seat.
    budget : Budget
        For each move.
    told : callable
        Gets the number of moves looked at.
    where : str
        What an error names as its place.

    Raises
    ------
    KasinoError
        Where a move is not legal; see `game.replay`.
    """
    if not record.moves:
        raise KasinoError(f"{where}: the record has no moves to review")
    table = Table.of_deck(record.rules, record.dealer, record.deck)
    confidence = 1 - (1 - CONFIDENCE) / len(record.moves)
    judged, forced, crowded = [], 0, 0
    for number, text in enumerate(record.moves, start=1):
        try:
            move = parse_move(text)
            before = table.position()
            choices = table.count_moves()
            table.play(move)
        except KasinoError as error:
            raise KasinoError(f"{where}: move {number}: {error.lines[0]}") from None
        if 1 < choices <= MAX_MOVES:
            judged.append(Judged(number, move, advise(before, player, budget, confidence)))
        forced, crowded = forced + (choices == 1), crowded + (choices > MAX_MOVES)
        told(number)
    return Review(record, tuple(judged), forced, crowded, table.over)
