"""A ladder of players: everybody meets everybody, and what that says of their strength.

Quick players meet for a fixed number of deals. A meeting with a player who searches goes on until a
sequential test has decided it, or to its allowance; its interval is a confidence sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from kasino_sim.attempts import fingerprint
from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.errors import KasinoError
from kasino_sim.meeting import Meeting, MeetingEngine, MeetingTally, merge_meetings
from kasino_sim.pack import RULES_VERSION
from kasino_sim.players import Player
from kasino_sim.ranges import Range
from kasino_sim.rules import Ruleset
from kasino_sim.simulate import Chunk, chunks_of, default_threads, run_chunks
from kasino_sim.stats.meetings import gap_sums
from kasino_sim.stats.sequential import FIRST_LOOK, LOOK_EVERY, Sprt
from kasino_sim.studies.cells import chunk_blocks
from kasino_sim.studies.ladder_folder import LadderFolder

DEALS, SEARCH_DEALS = 20_000, 8_000
QUICK = ("random", "greedy", "weigh", "ending")  # kinds that choose in well under a millisecond
MARGIN = 0.2  # points a deal: the sequential test tells this much more from this much less
LOOK_CHUNK = LOOK_EVERY // 4  # blocks of a chunk where a run may be stopped

Pair = tuple[int, int]


@dataclass(frozen=True)
class Ladder:
    """What a ladder plays.

    Attributes
    ----------
    rules : Ruleset
    players : tuple of Player
        Two or more, no two of one name.
    deals : int
        Deals of a meeting of quick players.
    search_deals : int
        The most deals of a meeting with a player who searches.
    seed : int or None
        None: computed from all the rest, so that nobody chooses it.
    exploiters : tuple of (Player, Player)
        Players with what was tuned against each: an exploiter meets its victim alone.
    """

    rules: Ruleset
    players: tuple[Player, ...]
    deals: int = DEALS
    search_deals: int = SEARCH_DEALS
    seed: int | None = None
    exploiters: tuple[tuple[Player, Player], ...] = ()

    def __post_init__(self) -> None:
        """Check that everybody has somebody to meet, and is called by one name."""
        names = [player.name for player in self.players]
        if len(names) < 2:
            raise KasinoError(f"--players {','.join(names)}: a ladder needs two players or more")
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise KasinoError(
                f"--players: {', '.join(doubled)} is named twice; each player stands once on a "
                "ladder"
            )
        for victim, exploiter in self.exploiters:
            if victim.name not in names:
                raise KasinoError(
                    f"--exploiter {victim.name}={exploiter.name}: {victim.name} is not on the "
                    f"ladder; players: {', '.join(names)}"
                )
        against = [(victim.name, exploiter.name) for victim, exploiter in self.exploiters]
        for name in {name for _, name in against}:
            if name in names or len(against) > len(set(against)):
                raise KasinoError(
                    f"--exploiter {name}: somebody of this name meets the same player already; "
                    "name its file otherwise"
                )
        least = FIRST_LOOK * self.games
        if self.searching and self.search_deals < least:
            raise KasinoError(
                f"--search-deals {self.search_deals}: a sequential test needs {least} or more"
            )

    @property
    def games(self) -> int:
        """Games of a block."""
        sides = self.rules.sides
        return sides if sides == 2 else 2 * sides

    @property
    def searching(self) -> bool:
        """Whether somebody searches."""
        return any(map(searches, self.everybody))

    @property
    def everybody(self) -> tuple[Player, ...]:
        """The players and their exploiters."""
        return (*self.players, *(exploiter for _, exploiter in self.exploiters))

    @cached_property
    def digest(self) -> str:
        """Hash of all that decides what is played, 16 hex digits."""
        return fingerprint(
            self.rules.resolved(),
            [player.model_dump(mode="json") for player in self.everybody],
            [victim.name for victim, _ in self.exploiters],
            [self.deals, self.search_deals, self.seed],
            engine_fingerprint(),
            RULES_VERSION,
        )

    @property
    def played_seed(self) -> int:
        """The seed of the decks and of all choices."""
        return int(self.digest, 16) if self.seed is None else self.seed

    @cached_property
    def meetings(self) -> dict[Pair, Meeting]:
        """Everybody against everybody, by their numbers, exploiters behind the players."""
        pairs = list(combinations(range(len(self.players)), 2))
        names = [player.name for player in self.players]
        for number, (victim, _) in enumerate(self.exploiters, start=len(names)):
            pairs.append((names.index(victim.name), number))
        return {(i, j): self._meeting(self.everybody[i], self.everybody[j]) for i, j in pairs}

    def _meeting(self, one: Player, other: Player) -> Meeting:
        slow = searches(one) or searches(other)
        deals = min(self.deals, self.search_deals) if slow else self.deals
        if slow:
            deals = max(deals, FIRST_LOOK * self.games)
        return Meeting(self.rules, (one, other), self.played_seed, deals, Range.CONFIRM.first_deal)


def searches(player: Player) -> bool:
    """Whether a player takes so long for a move that its deals have an allowance."""
    return player.kind not in QUICK


@dataclass(frozen=True)
class Played:
    """A meeting that was played.

    Attributes
    ----------
    meeting : Meeting
    chunks : tuple of MeetingTally
        Of consecutive blocks, the same number in each but the last.
    result : str or None
        What the sequential test came to (see `stats.sequential`), None where all deals were
        played.
    """

    meeting: Meeting
    chunks: tuple[MeetingTally, ...]
    result: str | None

    @cached_property
    def tally(self) -> MeetingTally:
        """All chunks together."""
        return merge_meetings(self.chunks)


def play_meeting(
    meeting: Meeting,
    folder: LadderFolder | None = None,
    threads: int | None = None,
    told: Callable[[int], Any] = lambda games: None,
) -> Played:
    """Play a meeting, to its end or until it is decided.

    Parameters
    ----------
    meeting : Meeting
    folder : LadderFolder, optional
        Where chunks are kept, and taken from where they are there already.
    threads : int, optional
        All processors unless given. Changes nothing in the result.
    told : callable
        Gets the games of each chunk when it is done.
    """
    slow = any(map(searches, meeting.players))
    test = Sprt(-MARGIN, MARGIN, meeting.blocks) if slow else None
    chunks, result = [], None
    total: MeetingTally | None = None
    for tally in _chunks(meeting, LOOK_CHUNK if slow else None, folder, threads):
        chunks.append(tally)
        told(tally.blocks * meeting.games)
        if test is not None:
            total = tally if total is None else total + tally
            result = test.look(gap_sums(meeting, total))
            if result is not None:
                break
    return Played(meeting, tuple(chunks), result)


def _chunks(
    meeting: Meeting, size: int | None, folder: LadderFolder | None, threads: int | None
) -> Iterator[MeetingTally]:
    engine = MeetingEngine(meeting)

    def work(chunk: Chunk) -> MeetingTally:
        found = folder.load(meeting, chunk) if folder else None
        if found is None:
            found = engine.tally(chunk)
            if folder:
                folder.save(meeting, chunk, found)
        return found

    chunks = chunks_of(meeting.blocks, size or chunk_blocks(meeting.blocks))
    for _, tally in run_chunks(work, chunks, threads or default_threads()):
        yield tally


def play_ladder(
    ladder: Ladder,
    folder: LadderFolder | None = None,
    threads: int | None = None,
    told: Callable[[Meeting, int], Any] = lambda meeting, games: None,
) -> dict[Pair, Played]:
    """Play all meetings of a ladder; see `play_meeting`."""
    return {
        pair: play_meeting(meeting, folder, threads, partial(told, meeting))
        for pair, meeting in ladder.meetings.items()
    }


def results_by_chunk(played: dict[Pair, Played], players: int) -> dict[Pair, np.ndarray]:
    """Return what `stats.ratings.rate` wants of the meetings among the first `players`."""
    return {
        pair: np.stack([chunk.results for chunk in found.chunks])
        for pair, found in played.items()
        if max(pair) < players
    }
