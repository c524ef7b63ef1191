"""The last two hands of small deals solved: what there is to gain, and what players give away.

With hands of two cards the last eight cards are two hands for each of two players. When the last
but one is dealt, all but those eight has been seen: chance is 420 deals of these hands and six of
the last ones, all alike. In the last hand nothing is hidden any more, and its value is the engine's
exact one; so the game that is left is four plays long, and a linear program solves it (the sequence
form: Koller, Megiddo, von Stengel 1996). A player loses what its best opponent gains over the
solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, count, islice
from typing import Any

import numpy as np

from kasino_sim.engine.layout import MOVE, new_records
from kasino_sim.engine.moves import legal_classes, list_moves
from kasino_sim.engine.search import value_endings
from kasino_sim.engine.table import play_move
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table, board_of, cards_of
from kasino_sim.plan import Plan
from kasino_sim.players import Player, pack_players
from kasino_sim.rules import Ruleset

MOST_IN_HAND = 2


@dataclass
class Information:
    """What a player knows when it is to move, and the moves there.

    Attributes
    ----------
    parent : int
        The player's sequence of own moves that leads here.
    first : int
        The sequence of the first move; the others follow.
    moves : recarray
        MOVE[n], the legal ones.
    state : record
        A position as the player may find it.
    """

    parent: int
    first: int
    moves: Any
    state: np.record

    @cached_property
    def names(self) -> list[tuple[int, ...]]:
        """The moves as everybody sees them."""
        fields = ("card", "kind", "loose", "builds", "value")
        return list(zip(*(self.moves[name].tolist() for name in fields), strict=True))


@dataclass
class SmallGame:
    """A game of four plays in sequence form.

    A *sequence* is what one player has played so far, after one hand and one course of the game;
    sequence 0 is empty. What player 0 wins is the sum over pairs of sequences of payoff times both
    chances that the sequences are played.

    Attributes
    ----------
    table : Table
        The position that the cards are dealt at.
    known : tuple of dict
        For each player, what it can know -> Information; parents come before children.
    payoffs : dict
        Pair of sequences -> margin of player 0, times the chance of the cards.
    counts : list of int
        Sequences of each player, the empty one included.
    """

    table: Table
    known: tuple[dict[Any, Information], dict[Any, Information]]
    payoffs: dict[tuple[int, int], float] = field(default_factory=dict)
    counts: list[int] = field(default_factory=lambda: [1, 1])

    @cached_property
    def scorer(self) -> np.record:
        """A player whose belief of what the items are worth is the rules'."""
        greedy = Player(name="scorer", idea="", source="", kind="greedy")
        return pack_players([greedy], self.table.rules)[0]

    def matrix(self) -> Any:
        """Return the payoffs as a sparse matrix, sequences of player 0 by those of player 1."""
        from scipy.sparse import csr_array

        rows, columns = np.array(list(self.payoffs)).T
        return csr_array((list(self.payoffs.values()), (rows, columns)), shape=tuple(self.counts))


def late_tables(rules: Ruleset, player: Player, seed: int) -> Iterator[Table]:
    """Yield positions of real deals when the last hand but one is dealt, no build on the table.

    Raises
    ------
    KasinoError
        Where the rules are not for two players with new hands of one or two cards.
    """
    deal = rules.deal
    if rules.n_players != 2 or deal.hand > MOST_IN_HAND or deal.draw != "batch":
        raise KasinoError(
            f"{rules.name}: small games are of two players with new hands of one or two cards; "
            "add --set deal.players=2 --set deal.hand=2 --set deal.draw=batch"
        )
    plan = Plan(rules, (player,), seed, 1)
    record = pack_players([player], rules)[0]
    for number in count():
        table = Table.of_deal(plan, number)
        while table.state.n_cards - table.state.next_card > 2 * rules.deal.hand:
            table.play(table.choose(record, seed, number))
        if table.state.n_builds == 0:
            yield table


def build_game(table: Table) -> SmallGame:
    """Play out every deal of the hidden cards and every line of four plays."""
    game = SmallGame(table, ({}, {}))
    hidden = [c for p in (0, 1) for c in cards_of(table.state.hands[p])]
    hidden += [int(c) for c in table.state.deck[table.state.next_card : table.state.n_cards]]
    hands = [board_of(h) for h in combinations(sorted(hidden), table.rules.deal.hand)]
    deals = [(a, b) for a in hands for b in hands if not a & b]
    for deal in deals:
        state = table.state.copy()
        state.hands[0], state.hands[1] = deal
        left = [h for h in hands if not h & (deal[0] | deal[1])]
        _play_on(game, state, deal, left, (0, 0), (), 1.0 / len(deals))
    return game


def _play_on(
    game: SmallGame,
    state: np.record,
    deal: tuple[int, int],
    left: list[int],
    sequences: tuple[int, int],
    course: tuple[Any, ...],
    chance: float,
) -> None:
    """Follow every line from a position, and count what comes of it."""
    if len(course) == 2 * game.table.rules.deal.hand:
        value = chance * _last_hands(game, state, left)
        game.payoffs[sequences] = game.payoffs.get(sequences, 0.0) + value
        return
    mover = int(state.to_move)
    info = _information(game, state, (deal[mover], course), sequences[mover])
    for played, (move, name) in enumerate(zip(info.moves, info.names, strict=True), info.first):
        after = state.copy()
        play_move(after, game.table.record, move)
        pair = (played, sequences[1]) if mover == 0 else (sequences[0], played)
        _play_on(game, after, deal, left, pair, (*course, name), chance)


def _information(game: SmallGame, state: np.record, known: Any, parent: int) -> Information:
    """Return what the player to move knows, and its moves."""
    mover = int(state.to_move)
    info = game.known[mover].get(known)
    if info is None:
        info = Information(parent, game.counts[mover], _moves(game.table, state), state.copy())
        game.known[mover][known] = info
        game.counts[mover] += len(info.moves)
    return info


def _moves(table: Table, state: np.record) -> Any:
    book, scratch, mind = table.work_space
    n, total = legal_classes(state, table.record, book, scratch)
    moves = new_records(MOVE, int(total))
    list_moves(table.record, book, scratch, n, moves, mind.sets)
    return moves


def _last_hands(game: SmallGame, state: np.record, left: list[int]) -> float:
    """Return the mean margin of player 0 over all ways to deal the last hands."""
    table, total = game.table, 0
    book, scratch, mind = table.work_space
    both = left[0] | left[-1]
    state.next_card = state.n_cards
    hands, margins, sign = state.hands, mind.margins, 1 if state.to_move == 0 else -1
    for hand in left:
        hands[0], hands[1] = hand, both & ~hand
        n = value_endings(state, table.record, game.scorer, book, scratch, mind)
        if not n:
            raise KasinoError("a last hand of two cards each is too wide to be solved")
        total += sign * int(margins[:n].max())
    return total / len(left)


def equilibrium(game: SmallGame) -> tuple[float, np.ndarray, np.ndarray]:
    """Solve a game: its value to player 0, and both players' plans.

    Returns
    -------
    tuple
        Value, and for each player a plan: the chance float[sequences] that the player does its part
        of a sequence.
    """
    from scipy.optimize import linprog
    from scipy.sparse import hstack

    payoffs = game.matrix()
    (own, own_right), (other, other_right) = _flows(game, 0), _flows(game, 1)
    n, m = payoffs.shape[0], other.shape[0]
    # Most value p[0] such that no reply brings the other player below it.
    cost = np.concatenate([np.zeros(n), -other_right])
    replies = hstack([-payoffs.T, other.T])
    flow = hstack([own, _nothing(own.shape[0], m)])
    solved = linprog(
        cost,
        A_ub=replies,
        b_ub=np.zeros(payoffs.shape[1]),
        A_eq=flow,
        b_eq=own_right,
        bounds=[(0, None)] * n + [(None, None)] * m,
        method="highs",
    )
    if not solved.success:
        raise RuntimeError(f"the linear program was not solved: {solved.message}")
    return -solved.fun, solved.x[:n], -solved.ineqlin.marginals


def _nothing(rows: int, columns: int) -> Any:
    from scipy.sparse import csr_array

    return csr_array((rows, columns))


def _flows(game: SmallGame, player: int) -> tuple[Any, np.ndarray]:
    """Put a plan's constraints: moves are as likely together as it is to be asked for them."""
    from scipy.sparse import lil_array

    known = game.known[player].values()
    flows = lil_array((1 + len(known), game.counts[player]))
    flows[0, 0] = 1.0
    for row, info in enumerate(known, start=1):
        flows[row, info.parent] = -1.0
        flows[row, info.first : info.first + len(info.moves)] = 1.0
    right = np.zeros(1 + len(known))
    right[0] = 1.0
    return flows.tocsr(), right


def plan_of(game: SmallGame, role: int, player: Player, seed: int) -> np.ndarray:
    """Return the plan of a player of the engine; what it draws is drawn once for each place."""
    table = game.table
    record = pack_players([player], table.rules)[0]
    plan = np.zeros(game.counts[role])
    plan[0] = 1.0
    for info in game.known[role].values():
        here = Table(table.rules, info.state.copy())
        texts = [here.to_text(move) for move in info.moves]
        at = texts.index(here.choose(record, seed, 0))
        plan[info.first + at] = plan[info.parent]
    return plan


def best_reply(game: SmallGame, role: int, plan: np.ndarray) -> float:
    """Return what player 0 gets when a role's plan meets its best reply."""
    payoffs, reply = game.matrix(), 1 - role
    worth = plan @ payoffs if role == 0 else payoffs @ plan
    for info in reversed(game.known[reply].values()):
        here = worth[info.first : info.first + len(info.moves)]
        worth[info.parent] += here.min() if reply == 1 else here.max()
    return float(worth[0])


def meeting(game: SmallGame, first: np.ndarray, second: np.ndarray) -> float:
    """Return what player 0 gets when two plans meet."""
    return float(first @ (game.matrix() @ second))


def losses(game: SmallGame, player: Player, seed: int, value: float) -> tuple[float, float]:
    """Return what a player's best opponent gains over the game's value, in either role."""
    first = value - best_reply(game, 0, plan_of(game, 0, player, seed))
    second = best_reply(game, 1, plan_of(game, 1, player, seed)) - value
    return first, second


def small_games(
    rules: Ruleset, players: Sequence[Player], host: Player, n: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Solve positions of real deals and measure what players lose there.

    The last hands are taken to be played exactly by everybody.

    Parameters
    ----------
    rules : Ruleset
    players : sequence of Player
    host : Player
        Who plays the deals up to the positions, in both seats.
    n : int
        Positions.
    seed : int

    Yields
    ------
    dict
        Of one position: ``value`` (to the player who leads), ``sequences`` of both players, and
        ``losses``: for each player its losses in points, leading and following.
    """
    for table in islice(late_tables(rules, host, seed), n):
        game = build_game(table)
        value = equilibrium(game)[0]
        lost = {player.name: losses(game, player, seed, value) for player in players}
        yield {"value": value, "sequences": tuple(game.counts), "losses": lost}
