"""Profile of a rule set: many deals between given players, and matches made of the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import pandas as pd

from kasino_sim.errors import KasinoError
from kasino_sim.plan import Plan
from kasino_sim.players import Player
from kasino_sim.rules import Ruleset
from kasino_sim.simulate import (
    LEAST_CHUNK_GAMES,
    Chunk,
    Engine,
    chunk_size,
    chunks_of,
    default_threads,
    run_chunks,
)
from kasino_sim.stats import item_leads, items, matches, measures, plays, points, seats, sweeps
from kasino_sim.stats.matches import MatchCounter, MatchTally
from kasino_sim.tally import Tally, merge, tally_sheets

MATCHES = 10_000


@dataclass(frozen=True)
class Run:
    """A rule set as it was played."""

    plan: Plan
    tally: Tally
    matches: MatchTally

    @property
    def rules(self) -> Ruleset:
        """The rules that were played."""
        return self.plan.rules

    @property
    def deals(self) -> int:
        """How many deals were played, every seating of a deck counted."""
        return self.tally.blocks * self.plan.games


@dataclass(frozen=True)
class Profile:
    """The statistics of a run as tidy frames, computed when first asked for."""

    run: Run

    @property
    def rules(self) -> Ruleset:
        """The rules that were played."""
        return self.run.rules

    @cached_property
    def seats(self) -> pd.DataFrame:
        """Points per deal by seat."""
        return seats.points_by_seat(self.run.plan, self.run.tally)

    @cached_property
    def points(self) -> pd.DataFrame:
        """Deals by the points of each seat."""
        return points.points_distribution(self.run.plan, self.run.tally)

    @cached_property
    def sweeps(self) -> pd.DataFrame:
        """Deals by their sweeps."""
        return sweeps.sweeps_distribution(self.run.plan, self.run.tally)

    @cached_property
    def items(self) -> pd.DataFrame:
        """Who gets the points of each scoring item."""
        return items.items_by_seat(self.run.plan, self.run.tally)

    @cached_property
    def item_leads(self) -> pd.DataFrame:
        """What the first player has more than the dealer, item by item."""
        return item_leads.item_leads(self.run.plan, self.run.tally)

    @cached_property
    def plays(self) -> pd.DataFrame:
        """What the cards are played for."""
        return plays.plays_by_kind(self.run.plan, self.run.tally)

    @cached_property
    def builds(self) -> pd.DataFrame:
        """What becomes of builds."""
        return plays.builds_by_taker(self.run.plan, self.run.tally)

    @cached_property
    def lengths(self) -> pd.DataFrame:
        """Matches by their deals."""
        return matches.match_lengths(self.run.matches)

    @cached_property
    def measures(self) -> pd.DataFrame:
        """The numbers that are compared between rule sets."""
        return measures.measures(self.run.plan, self.run.tally, self.run.matches)

    def measure(self, name: str) -> pd.Series:
        """Return the row of one measure."""
        return self.measures[self.measures["measure"] == name].iloc[0]


def plan_profile(rules: Ruleset, players: Sequence[Player], seed: int, deals: int) -> Plan:
    """Plan a profile; one player named for every seat fits any number of seats.

    Raises
    ------
    KasinoError
        Where the players do not fit the rule set, or seed or deals are out of range.
    """
    alike = len({player.model_dump_json() for player in players}) == 1
    try:
        return Plan(rules, tuple(players[:1] if alike else players), seed, deals)
    except KasinoError as error:
        raise KasinoError([f"{rules.name}: {line}" for line in error.lines]) from None


def play_profile(plan: Plan, threads: int | None = None, wanted: int = MATCHES) -> Run:
    """Play a plan and, with its first deals, matches.

    Parameters
    ----------
    plan : Plan
    threads : int, optional
        All processors unless given. Changes nothing in the result.
    wanted : int
        Matches to play, as far as the deals last.
    """
    engine, counter = Engine(plan), MatchCounter(plan, wanted)

    def work(chunk: Chunk) -> tuple[Tally, Any]:
        sheets = engine.sheets(chunk.first, chunk.n)
        return tally_sheets(plan, sheets, chunk.first), sheets

    tallies = []
    for tally, sheets in _in_order(work, plan, threads or default_threads()):
        tallies.append(tally)
        if not counter.done:
            counter.add(sheets)
    return Run(plan, merge(tallies), counter.tally())


def _in_order(
    work: Callable[[Chunk], tuple[Tally, Any]], plan: Plan, threads: int
) -> Iterator[tuple[Tally, Any]]:
    chunks = chunks_of(plan.blocks, chunk_size(plan.blocks, plan.games, LEAST_CHUNK_GAMES))
    # The pool passes on whatever the work returns.
    for _, found in run_chunks(cast(Any, work), chunks, threads):
        yield cast(tuple[Tally, Any], found)


def side_by_side(profiles: Sequence[Profile]) -> pd.DataFrame:
    """Put the measures of several profiles under one another."""
    return pd.concat([profile.measures for profile in profiles], ignore_index=True)
