"""Plans to tallies: chunks of blocks on a pool of threads.

The result depends on the plan alone. A chunk is a pure function of its block numbers, tallies are
integers, and chunks are merged and looked at in order.
"""

from __future__ import annotations

import copy
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from kasino_sim.engine.layout import ENDING, LOOKS, SHEET, new_records
from kasino_sim.engine.play import new_book, new_scratch, play_block
from kasino_sim.engine.search import new_mind, search_block
from kasino_sim.pack import pack_rules
from kasino_sim.plan import Plan
from kasino_sim.players import pack_players
from kasino_sim.rules import Ruleset
from kasino_sim.tally import Counter, Tally, merge

CHUNKS, FEWEST_CHUNKS = 200, 20  # of a run: what intervals over chunks rest on
PIECE_GAMES = 8_000  # counted at a time
MAX_CHUNK_GAMES = 200_000
LEAST_CHUNK_GAMES = 2_000
KEPT_SPACES = 8  # of some 35 megabytes each
# Of the rules, what a book's families of loose cards rest on; see `engine.captures`.
BOOK_FIELDS = ("ace14", "sum_ranks", "face_sums", "per_play_any", "maximal", "one_addend")

Piece = TypeVar("Piece")  # of a run: a chunk, or several of them
Counted = TypeVar("Counted")  # what it is counted into, a tally of some kind


@dataclass(frozen=True)
class Chunk:
    """Consecutive blocks of a plan: chunk `number`, from block `first`, `n` of them."""

    number: int
    first: int
    n: int


def chunk_size(blocks: int, games: int = 1, least: int = 1) -> int:
    """Return the blocks in a chunk of a run; changes no result but intervals over chunks.

    Parameters
    ----------
    blocks : int
        Of the whole run: `CHUNKS` chunks or more of them, but for a short run.
    games : int
        Games in a block; at most `MAX_CHUNK_GAMES` are in a chunk.
    least : int
        Games that are worth a chunk: a short run has fewer chunks, `FEWEST_CHUNKS` where it can.
    """
    worth = min(-(-least // games), max(1, blocks // FEWEST_CHUNKS))
    return max(1, min(max(blocks // CHUNKS, worth), MAX_CHUNK_GAMES // games))


def chunks_of(blocks: int, size: int) -> Iterator[Chunk]:
    """Cut blocks into chunks of a size; the last may be smaller."""
    for number, first in enumerate(range(0, blocks, size)):
        yield Chunk(number, first, min(size, blocks - first))


@dataclass(frozen=True)
class Space:
    """The records that the kernels of one thread work in; only who thinks ahead has a mind."""

    book: Any
    scratch: Any
    mind: Any


class Spaces:
    """Work spaces that are not in use, for engines that play one after the other.

    A book holds for all rules that ask the same of loose cards, so most cells of a study need not
    fill one anew.

    Parameters
    ----------
    most : int
        Spaces that are kept; of more, the one that has waited longest is let go.
    """

    def __init__(self, most: int = KEPT_SPACES) -> None:
        self._most, self._lock = most, threading.Lock()
        self._waiting: list[tuple[tuple[Any, ...], Space]] = []

    def take(self, use: tuple[Any, ...]) -> Space | None:
        """Return the space given back last that has this use, if there is one."""
        with self._lock:
            for at in reversed(range(len(self._waiting))):
                if self._waiting[at][0] == use:
                    return self._waiting.pop(at)[1]
        return None

    def give(self, use: tuple[Any, ...], space: Space) -> None:
        """Keep a space for whoever has the same use for it."""
        with self._lock:
            self._waiting.append((use, space))
            del self._waiting[: -self._most]


class Engine:
    """The kernels with everything packed for one plan; safe to use from many threads.

    Parameters
    ----------
    plan : Plan
    scoring : Ruleset, optional
        What the players believe the items are worth; the plan's rules unless given.
    spaces : Spaces, optional
        Shared with engines before and after this one; changes nothing in the result.

    Attributes
    ----------
    looks_ahead : bool
        Whether somebody thinks ahead, which takes a kernel of its own.
    """

    def __init__(
        self, plan: Plan, scoring: Ruleset | None = None, spaces: Spaces | None = None
    ) -> None:
        self.plan = plan
        self._rules = pack_rules(plan.rules)
        self._players = pack_players(list(plan.seats), scoring or plan.rules)
        self.looks_ahead = bool((self._players["kind"] >= ENDING).any())
        self._known = np.array(plan.known, np.int64)
        self._spaces = Spaces() if spaces is None else spaces

    def seated(self, plan: Plan) -> Engine:
        """Return the engine with its work spaces for other players and deals of its rules."""
        other = copy.copy(self)
        other.plan, other._players = plan, pack_players(list(plan.seats), plan.rules)
        other.looks_ahead = bool((other._players["kind"] >= ENDING).any())
        return other

    def sheets(self, first: int, n: int) -> Any:
        """Play blocks first … first + n - 1 of the plan.

        Returns
        -------
        numpy.recarray
            SHEET[n, games].
        """
        sheets = new_records(SHEET, n * self.plan.games).reshape(n, self.plan.games)
        with self.space() as space:
            self._play(space, first, sheets)
        return sheets

    def tally(self, chunk: Chunk) -> Tally:
        """Play a chunk and count it, in pieces that stay in the processor's cache."""
        games = self.plan.games
        size = min(max(1, PIECE_GAMES // games), chunk.n)
        sheets = new_records(SHEET, size * games).reshape(size, games)
        counter = Counter(self.plan)
        with self.space() as space:
            space.scratch.looks = np.zeros((), LOOKS)
            space.scratch.tip_counts[:] = 0
            for done in range(0, chunk.n, size):
                piece = sheets[: min(size, chunk.n - done)]
                self._play(space, chunk.first + done, piece)
                counter.add(piece)
            return counter.tally(chunk.first, space.scratch)

    def _play(self, space: Space, first: int, sheets: Any) -> None:
        """Play as many blocks from `first` as there are sheets for, and fill these in."""
        if self.looks_ahead:
            self.run(search_block, space, first, space.mind, sheets)
        else:
            self.run(play_block, space, first, sheets)

    def run(self, kernel: Callable[..., None], space: Space, first: int, *more: Any) -> None:
        """Call a kernel that plays blocks of the plan.

        Parameters
        ----------
        kernel : callable
            Takes rules, players, seatings, known cards, seed, first deal, book and scratch, as
            `play_block` does, and then `more`.
        space : Space
        first : int
            The first block.
        """
        start = np.uint64((self.plan.first_deal + first) % 2**64)
        deals = (self._known, np.uint64(self.plan.seed), start)
        table = (self._rules, self._players, self.plan.seatings)
        with np.errstate(over="ignore"):  # uncompiled, the generator's arithmetic wraps
            kernel(*table, *deals, space.book, space.scratch, *more)

    @contextmanager
    def space(self) -> Iterator[Space]:
        """Lend what the kernels need for one thread."""
        use = (*(int(self._rules[name]) for name in BOOK_FIELDS), self.looks_ahead)
        space = self._spaces.take(use)
        if space is None:
            space = Space(new_book(), new_scratch(), new_mind() if self.looks_ahead else None)
        space.scratch.detail = self.plan.detail
        yield space
        self._spaces.give(use, space)


def default_threads() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_chunks(
    work: Callable[[Piece], Counted], chunks: Iterable[Piece], threads: int
) -> Iterator[tuple[Piece, Counted]]:
    """Yield (chunk, tally) in the order of the chunks, a few of them under way at a time."""
    pool = ThreadPoolExecutor(threads)
    waiting: deque[tuple[Piece, Future[Counted]]] = deque()
    try:
        for chunk in chunks:
            waiting.append((chunk, pool.submit(work, chunk)))
            if len(waiting) > 2 * threads:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def simulate(plan: Plan, threads: int | None = None, chunk: int | None = None) -> Tally:
    """Play a whole plan.

    Parameters
    ----------
    plan : Plan
    threads : int, optional
        Threads to use; all processors unless given. Changes nothing in the result.
    chunk : int, optional
        Blocks played at a time. Changes nothing in the result.

    Returns
    -------
    Tally
    """
    engine = Engine(plan)
    chunks = chunks_of(plan.blocks, chunk or chunk_size(plan.blocks, plan.games, LEAST_CHUNK_GAMES))
    played = run_chunks(engine.tally, chunks, threads or default_threads())
    return merge(tally for _, tally in played)
