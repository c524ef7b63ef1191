"""What every legal move of a position is worth, from what the player to move can know.

>>> value_moves(rules, position, load_player("careful"), worlds=1_000, seed=1)  # doctest: +SKIP
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from kasino_sim.cards import N_CARDS
from kasino_sim.engine.layout import MAX_MOVES, MAX_OUTCOMES
from kasino_sim.engine.search import value_endings, value_worlds
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table
from kasino_sim.notation import Move, Position
from kasino_sim.players import Player, pack_players
from kasino_sim.rules import Ruleset

_TWELFTHS = 12


@dataclass(frozen=True)
class Figure:
    """A mean and its standard error: 0 where it is exact, None with fewer than two worlds."""

    mean: float
    se: float | None


@dataclass(frozen=True, eq=False)
class MoveValues:
    """What came of every legal move in common worlds.

    A *world* deals the unseen cards, in line with what was seen; in each, every move is tried and
    the deal played out by the same player in every seat with the same luck. So outcomes of two
    moves are to be compared world by world.

    Attributes
    ----------
    moves : tuple of Move
        Every legal move, sorted by text.
    margins : ndarray
        float[worlds, moves]: points of the mover's side less those of the other side (of several:
        less their mean) at the end of the deal, times the match's aim: more is better. One row
        where `exact`.
    won : ndarray
        float[worlds, moves]: 1 where the mover's side comes out best, 1/2 where two share that, and
        so on.
    exact : bool
        Whether the values are no estimates: with two players and an empty stock nothing is unseen,
        and every line was followed to its end.
    """

    moves: tuple[Move, ...]
    margins: np.ndarray
    won: np.ndarray
    exact: bool

    @cached_property
    def order(self) -> list[int]:
        """Places of the moves, the best mean margin first, then the better chance to win."""
        margins, won = self.margins.mean(axis=0), self.won.mean(axis=0)
        return sorted(range(len(self.moves)), key=lambda i: (-margins[i], -won[i], i))

    def margin(self, i: int) -> Figure:
        """Estimate the margin of move i."""
        return _figure(self.margins[:, i], self.exact)

    def win(self, i: int) -> Figure:
        """Estimate the chance of move i that the mover's side has the best score of the deal."""
        return _figure(self.won[:, i], self.exact)

    def difference(self, i: int, j: int) -> Figure:
        """Estimate by how many points move i is better than move j, world by world."""
        return _figure(self.margins[:, i] - self.margins[:, j], self.exact)


def _figure(values: np.ndarray, exact: bool) -> Figure:
    n = len(values)
    if exact:
        return Figure(float(values[0]), 0.0)
    se = float(values.std(ddof=1) / n**0.5) if n > 1 else None
    return Figure(float(values.mean()), se)


def value_moves(
    rules: Ruleset,
    position: Position,
    player: Player,
    worlds: int,
    seed: int,
    first_world: int = 0,
) -> MoveValues:
    """Value every legal move of a position for the player to move.

    Parameters
    ----------
    rules : Ruleset
        The rules that are played by; they go before those of the position.
    position : Position
        The mover's hand must be known. The other hands and the stock count only by their size,
        also where they are given: nothing is valued by what the mover cannot see. Where they are
        not given, their sizes follow from the deal's course.
    player : Player
        Who plays on after the move in every seat; one that weighs moves.
    worlds : int
        Worlds to look at, 1 or more. With `first_world`, a look can be carried on.
    seed : int
        0 … 2**64 - 1. World w is a pure function of the seed, of w and of what the mover sees.

    Returns
    -------
    MoveValues

    Raises
    ------
    KasinoError
        Where the position is over, its cards do not add up, or more moves are legal than are
        listed.
    """
    table = Table.of_position(complete(replace(position, rules=rules)))
    if table.over:
        raise KasinoError("position: the deal is over, there is no move to value")
    record = pack_players([player], rules)[0]
    margins = _endings(table, record) if rules.n_players == 2 and _stock_empty(table) else None
    exact = margins is not None
    if margins is not None:
        won = np.sign(margins) / 2 + 0.5
    else:
        margins, won = _worlds(table, record, first_world, worlds, seed)
    mind = table.work_space[2]
    moves = [table.to_text(mind.listed.moves[k]) for k in range(margins.shape[1])]
    places = sorted(range(len(moves)), key=lambda k: str(moves[k]))
    margins = margins[:, places] / max(1, rules.sides - 1)
    return MoveValues(tuple(moves[k] for k in places), margins, won[:, places], exact)


def _stock_empty(table: Table) -> bool:
    return int(table.state.next_card) >= int(table.state.n_cards)


def _endings(table: Table, record: np.record) -> np.ndarray | None:
    """Margins of the moves with best play, None where they are too much to work out."""
    book, scratch, mind = table.work_space
    n = int(value_endings(table.state, table.record, record, book, scratch, mind))
    return np.array(mind.margins[None, :n], float) if n else None


def _worlds(
    table: Table, record: np.record, first: int, worlds: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Margins and wins by world and move."""
    book, scratch, mind = table.work_space
    n_moves = table.count_moves()
    if n_moves > MAX_MOVES:
        raise KasinoError(
            f"position: there are {n_moves} legal moves; up to {MAX_MOVES} can be valued"
        )
    size = MAX_OUTCOMES // n_moves
    margins, won = np.empty((worlds, n_moves)), np.empty((worlds, n_moves))
    for begin in range(0, worlds, size):
        n = min(size, worlds - begin)
        chance = np.uint64(seed), np.uint64(0)
        with np.errstate(over="ignore"):  # uncompiled, the generator's arithmetic wraps
            value_worlds(
                table.state, table.record, record, book, scratch, mind, first + begin, n, *chance
            )
        rows = slice(begin, begin + n)
        margins[rows] = mind.margins[: n * n_moves].reshape(n, n_moves)
        won[rows] = mind.won[: n * n_moves].reshape(n, n_moves) / _TWELFTHS
    return margins, won


def complete(position: Position) -> Position:
    """Return the position with unseen cards, one way of many, in unknown hands and stock.

    How many cards the others hold follows from the mover's hand and the order of play.

    Raises
    ------
    KasinoError
        Where the mover's hand is unknown or the cards do not add up.
    """
    mover, rules = position.to_move, position.rules
    own = position.hands[mover]
    if own is None:
        raise KasinoError(f"position: hands[{mover}] is unknown, but player {mover} is to move")
    if not own:
        raise KasinoError(f"position: player {mover} is to move and holds no card")
    seen = {*own, *position.table, *chain.from_iterable(position.captured)}
    seen.update(chain.from_iterable(build.cards for build in position.builds))
    unseen = [card for card in range(N_CARDS) if card not in seen]
    sizes = _hand_sizes(position, len(own), len(unseen))
    hands, at = [], 0
    for p, size in enumerate(sizes):
        hands.append(own if p == mover else tuple(unseen[at : at + size]))
        at += 0 if p == mover else size
    stock = tuple(unseen[at:])
    _check_stock(rules, position, len(stock), len(unseen) - sum(sizes) + len(own))
    return replace(position, hands=tuple(hands), stock=stock)


def _hand_sizes(position: Position, own: int, unseen: int) -> list[int]:
    """Count the cards of each hand: those given, else as the order of play has it."""
    n, first = position.rules.n_players, position.dealer + 1
    turn = (position.to_move - first) % n
    sizes = []
    for p, hand in enumerate(position.hands):
        played = (p - first) % n < turn  # before the mover, in this round
        sizes.append(own - played if hand is None else len(hand))
    if position.rules.deal.draw == "single" and own == position.rules.deal.hand:
        full = [own if hand is None else len(hand) for hand in position.hands]
        if sum(full) - own <= unseen:
            return full
    return sizes


def _check_stock(rules: Ruleset, position: Position, stock: int, left: int) -> None:
    """Check that what is neither seen nor in a hand can be a stock."""
    if position.stock is not None and len(position.stock) != stock:
        raise KasinoError(
            f"position: the cards do not add up: {stock} are neither on the table, in hands nor "
            f"captured, but the stock is given with {len(position.stock)}"
        )
    whole = rules.n_players * (1 if rules.deal.draw == "single" else rules.deal.hand)
    if left < 0 or (rules.deal.draw == "batch" and stock % whole):
        raise KasinoError(
            f"position: the cards do not add up: {left} are neither on the table, in hands nor "
            f"captured, which is no stock that comes out even at {whole} a round; "
            "name all captured cards"
        )
