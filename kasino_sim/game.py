"""A table at which one deal is played: positions and records on the engine.

`Table` is the safe face of the kernels for one game: it says which moves are legal, plays them from
text, and counts the points.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np

from kasino_sim.cards import N_CARDS, card_text
from kasino_sim.engine import moves as kernels
from kasino_sim.engine.captures import clear, tidy
from kasino_sim.engine.layout import (
    CAPTURE,
    CLEAR,
    ENDING,
    ITEMS,
    MOVE,
    SHEET,
    STATE,
    TRAIL,
    new_record,
    new_records,
)
from kasino_sim.engine.play import fill_sheet, make_deck, new_book, new_scratch
from kasino_sim.engine.policies import choose_move
from kasino_sim.engine.search import new_mind, think
from kasino_sim.engine.table import is_over, play_move, set_out
from kasino_sim.errors import KasinoError
from kasino_sim.notation import (
    Build,
    GameRecord,
    Move,
    Position,
    make_move,
    parse_move,
    parse_position,
    parse_record,
)
from kasino_sim.pack import pack_rules
from kasino_sim.plan import Plan
from kasino_sim.rules import Ruleset

LIST_LIMIT = 100_000
_MOVE_FIELDS = ("card", "kind", "loose", "builds", "value")


def board_of(cards: Any) -> int:
    """Return cards as a board: bit i is card i."""
    board = 0
    for card in cards:
        board |= 1 << card
    return board


def cards_of(board: int) -> tuple[int, ...]:
    """Return the cards of a board in card order."""
    cards, board = [], int(board)
    while board:
        cards.append((board & -board).bit_length() - 1)
        board &= board - 1
    return tuple(cards)


class _WorkSpace:
    """The engine's work space, shared by all tables; its book serves one rule set at a time."""

    def __init__(self) -> None:
        self.scratch = new_scratch()
        self._book, self._rules = new_book(), cast(Ruleset | None, None)

    def book_for(self, rules: Ruleset) -> np.record:
        """Return the book, emptied where it served other rules."""
        if rules is not self._rules:
            clear(self._book)
            self._rules = rules
        tidy(self._book)
        return self._book

    @cached_property
    def mind(self) -> np.record:
        """What thinking ahead needs."""
        return new_mind()


@lru_cache(maxsize=1)
def _work_space() -> _WorkSpace:
    return _WorkSpace()


class Table:
    """A deal under way.

    Parameters
    ----------
    rules : Ruleset
        The rules; `state` is the engine's STATE record, which the table owns.
    """

    def __init__(self, rules: Ruleset, state: np.record) -> None:
        self.rules = rules
        self.record = pack_rules(rules)
        self.state = state
        self._space = _work_space()

    @classmethod
    def of_position(cls, position: Position) -> Table:
        """Set out a position; unknown hands and stock are left empty."""
        state = new_record(STATE)
        state.dealer, state.to_move = position.dealer, position.to_move
        state.loose = board_of(position.table)
        for i, build in enumerate(position.builds):
            state.build_cards[i], state.build_value[i] = board_of(build.cards), build.value
            state.build_owner[i], state.build_locked[i] = build.owner, build.locked
        state.n_builds = len(position.builds)
        for p, hand in enumerate(position.hands):
            state.hands[p] = board_of(hand or ())
            state.captured[p], state.sweeps[p] = board_of(position.captured[p]), position.sweeps[p]
        state.last = -1 if position.last_capturer is None else position.last_capturer
        stock = position.stock or ()
        state.deck[: len(stock)] = stock
        state.n_cards = len(stock)
        return cls(position.rules, state)

    @classmethod
    def of_deck(cls, rules: Ruleset, dealer: int, deck: Any) -> Table:
        """Deal a deck, given in dealing order, by a dealer."""
        table = cls(rules, new_record(STATE))
        table.state.deck[:] = deck
        set_out(table.state, table.record, dealer)
        return table

    @classmethod
    def of_deal(cls, plan: Plan, deal: int) -> Table:
        """Deal the cards of one deal of a plan, as its simulation does.

        Parameters
        ----------
        plan : Plan
        deal : int
            The deal's own number, 0 … 2**64 - 1: the simulation's first one is `plan.first_deal`.
        """
        scratch, known = _work_space().scratch, np.array(plan.known, np.int64)
        make_deck(pack_rules(plan.rules), known, np.uint64(plan.seed), np.uint64(deal), scratch)
        return cls.of_deck(plan.rules, plan.rules.n_players - 1, scratch.deck)

    @property
    def work_space(self) -> tuple[Any, Any, Any]:
        """Book, scratch and mind for a kernel that is to work at this table."""
        return self._space.book_for(self.rules), self._space.scratch, self._space.mind

    @property
    def over(self) -> bool:
        """Whether every card is played."""
        return bool(is_over(self.state, self.record))

    def _classes(self) -> tuple[int, int]:
        book, scratch = self._space.book_for(self.rules), self._space.scratch
        n, total = kernels.legal_classes(self.state, self.record, book, scratch)
        return int(n), int(total)

    def count_moves(self) -> int:
        """Return the exact number of legal moves, however many there are."""
        return self._classes()[1] if self.state.hands[self.state.to_move] else 0

    def legal_moves(self, limit: int = LIST_LIMIT) -> list[Move]:
        """List every legal move, sorted by text.

        Raises
        ------
        KasinoError
            With their exact number, where they are more than `limit`.
        """
        if not self.state.hands[self.state.to_move]:
            return []
        n, total = self._classes()
        if total > limit:
            raise KasinoError(
                f"there are {total} legal moves, more than the {limit} that are listed"
            )
        moves, sets = new_records(MOVE, total), np.zeros(total, np.int64)
        book, scratch = self._space.book_for(self.rules), self._space.scratch
        kernels.list_moves(self.record, book, scratch, n, moves, sets)
        # Column by column: reading records field by field takes most of the time of long lists.
        rows = zip(*(moves[name].tolist() for name in _MOVE_FIELDS), strict=True)
        return sorted((self._written(*row) for row in rows), key=str)

    def choose(self, player: Any, seed: int, deal: int) -> Move:
        """Return the move that a player would make, without playing it.

        Parameters
        ----------
        player : numpy.record
            An `engine.layout.PLAYER`, see `players.pack_players`.
        seed, deal : int
            What the player's draws depend on, besides the mover and the number of the play.
        """
        book, scratch = self._space.book_for(self.rules), self._space.scratch
        chance, state = (np.uint64(seed), np.uint64(deal)), self.state
        if player.kind < ENDING:
            choose_move(state, self.record, player, book, scratch, *chance, scratch.move)
        else:
            mind = self._space.mind
            think(state, self.record, player, book, scratch, mind, *chance, scratch.move)
        return self.to_text(scratch.move)

    def to_text(self, move: Any) -> Move:
        """Return an engine MOVE record as a `Move`."""
        return self._written(*(int(move[name]) for name in _MOVE_FIELDS))

    def _written(self, card: int, kind: int, loose: int, builds: int, value: int) -> Move:
        act = "" if kind == TRAIL else "x" if kind in (CAPTURE, CLEAR) else "+"
        piles = [cards_of(self.state.build_cards[b]) for b in cards_of(builds)]
        return make_move(card, act, cards_of(loose), piles, value if act == "+" else 0)

    def play(self, move: Move | str) -> Move:
        """Play a legal move, given as a `Move` or as text.

        Raises
        ------
        KasinoError
            Where the move is not legal; it names the legal ones, or how many there are.
        """
        move = parse_move(move) if isinstance(move, str) else move
        if self.over:
            raise KasinoError(f"{move}: the deal is over")
        record = self._find(move)
        if record is None:
            raise KasinoError(f"{move} is not legal; {self._legal_text()}")
        play_move(self.state, self.record, record)
        return move

    def _find(self, move: Move) -> Any:
        """Return the legal engine record of a written move, or None."""
        record = new_record(MOVE)
        record.card, record.loose, record.value = move.card, board_of(move.loose), move.value
        known = {cards_of(self.state.build_cards[b]): b for b in range(int(self.state.n_builds))}
        if not self.state.hands[self.state.to_move] >> move.card & 1:
            return None
        if any(pile not in known for pile in move.builds):
            return None
        record.builds = board_of(known[pile] for pile in move.builds)
        n, _ = self._classes()
        acts = ["", "x", "+"].index(move.act)
        book, scratch = self._space.book_for(self.rules), self._space.scratch
        at = int(kernels.class_of(book, self.record, scratch, n, record, acts))
        if at < 0:
            return None
        record.kind = scratch.classes[at].kind
        return record

    def _legal_text(self) -> str:
        total = self.count_moves()
        if total > 200:
            hand = " ".join(map(card_text, cards_of(self.state.hands[self.state.to_move])))
            return f"with {hand} there are {total} legal moves (kasino moves lists them)"
        return "legal: " + ", ".join(str(m) for m in self.legal_moves())

    def position(self) -> Position:
        """Return the position as it stands."""
        state, n = self.state, self.rules.n_players
        builds = tuple(
            Build(
                cards_of(state.build_cards[b]),
                int(state.build_value[b]),
                int(state.build_owner[b]),
                bool(state.build_locked[b]),
            )
            for b in range(int(state.n_builds))
        )
        stock = tuple(int(c) for c in state.deck[state.next_card : state.n_cards])
        return Position(
            self.rules,
            int(state.dealer),
            int(state.to_move),
            tuple(cards_of(state.hands[p]) for p in range(n)),
            cards_of(state.loose),
            builds,
            stock,
            tuple(cards_of(state.captured[p]) for p in range(n)),
            tuple(int(state.sweeps[p]) for p in range(n)),
            None if state.last < 0 else int(state.last),
        )

    def result(self) -> dict[str, Any]:
        """Finish a deal that is over and count it.

        Returns
        -------
        dict
            ``points`` (item -> points per side), ``tied`` (items), ``sweeps`` (per player, as
            made), ``last_capturer`` (player or None), ``captured`` (cards per player).
        """
        sheet = new_record(SHEET)
        fill_sheet(self.state, self.record, sheet)
        n, sides = self.rules.n_players, self.rules.sides
        points = {item: [int(x) for x in sheet.points[:sides, i]] for i, item in enumerate(ITEMS)}
        tied = [item for item in ("spades", "cards") if sheet[f"tied_{item}"]]
        return {
            "points": points,
            "tied": tied,
            "sweeps": [int(self.state.sweeps[p]) for p in range(n)],
            "last_capturer": None if self.state.last < 0 else int(self.state.last),
            "captured": [
                [card_text(c) for c in cards_of(self.state.captured[p])] for p in range(n)
            ],
        }


def replay(record: GameRecord, where: str = "record") -> Table:
    """Play a game record up to its last move.

    Raises
    ------
    KasinoError
        Where a move is not legal: the message names the record, the move's number (from 1), the
        move and the legal ones.
    """
    table = Table.of_deck(record.rules, record.dealer, record.deck)
    for number, move in enumerate(record.moves, start=1):
        try:
            table.play(move)
        except KasinoError as error:
            raise KasinoError(f"{where}: move {number}: {error.lines[0]}") from None
    return table


def table_of(data: Mapping[str, Any], where: str = "position") -> Table:
    """Set out a position, or a game record as it stands after its last move.

    Parameters
    ----------
    data : mapping
        The JSON object; with a `deck` it is a game record.
    where : str
        What an error names as its place.

    Raises
    ------
    KasinoError
        Where the object is neither, a move is not legal, or the mover's hand is unknown.
    """
    if "deck" in data:
        return replay(parse_record(data, where), where)
    position = parse_position(data, where)
    if position.hands[position.to_move] is None:
        raise KasinoError(
            f"{where}: hands[{position.to_move}] is unknown, but player {position.to_move} is to "
            "move: legal moves need the hand of the player to move"
        )
    return Table.of_position(position)


def whole_deal(data: Mapping[str, Any], where: str = "record") -> Table:
    """Play a game record that goes to the end of its deal.

    Raises
    ------
    KasinoError
        As `replay` does, and where the record stops in mid-deal.
    """
    record = parse_record(data, where)
    table = replay(record, where)
    if not table.over:
        plays = N_CARDS - record.rules.deal.table
        raise KasinoError(
            f"{where}: the record stops in mid-deal, after move {len(record.moves)} of {plays}; "
            f"player {int(table.state.to_move)} is to move (kasino moves lists the legal moves)"
        )
    return table
