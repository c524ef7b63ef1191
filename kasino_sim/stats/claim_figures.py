"""Numbers that the claims of rule guides are about, one function each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kasino_sim.cards import N_CARDS
from kasino_sim.engine.layout import SWEEPS
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.trace import Trace


def points_without_sweeps(cell: CellCounts) -> Measured:
    """Points a deal, all sides, without those for sweeps."""
    points = cell.outcomes.points
    return cell.share(np.delete(points, SWEEPS, axis=1).sum(axis=(1, 2)))


def points_to_share(cell: CellCounts) -> Measured:
    """Points a deal that are at stake without sweeps: ties and what nobody took included."""
    score = cell.plan.rules.score
    takings = cell.ledger.takings
    worth = score.big + score.little + 4 * score.aces + score.spades + score.cards + score.last
    return cell.share(np.full(len(takings.big), float(worth)))


def last_to_dealer(cell: CellCounts) -> Measured:
    """Share of deals whose last capture is that of the side which plays last."""
    return cell.share(cell.ledger.takings.last == cell.plan.rules.sides - 1)


def last_elsewhere(cell: CellCounts) -> Measured:
    """Share of deals whose last capture is another's than that of the side which plays last."""
    last = cell.ledger.takings.last
    return cell.share((last >= 0) & (last != cell.plan.rules.sides - 1))


def two_or_three_deals(cell: CellCounts) -> Measured | None:
    """Share of matches that last two or three deals."""
    odds = cell.match_odds
    if odds is None:
        return None
    at = [odds.names.index(name) for name in ("length.2", "length.3") if name in odds.names]
    if not at:
        return None
    parts = odds.parts[:, at].sum(axis=1)
    return Measured(float(odds.values[at].sum()), parts, cell.tally.blocks)


def plays_per_match(cell: CellCounts) -> Measured | None:
    """Cards played in a match."""
    odds = cell.match_odds
    if odds is None:
        return None
    at, plays = odds.names.index("deals"), N_CARDS - cell.plan.rules.deal.table
    return Measured(plays * float(odds.values[at]), plays * odds.parts[:, at], cell.tally.blocks)


def traced(of: Callable[[Trace], Measured]) -> Callable[[CellCounts], Measured]:
    """Estimate something that score sheets do not keep: the deals are played once more."""
    return lambda cell: of(cell.trace)


def traced_builds(of: Callable[[Trace], Measured]) -> Callable[[CellCounts], Measured | None]:
    """Estimate the same of builds, where there are any."""
    return lambda cell: of(cell.trace) if cell.plan.rules.build.allowed else None


def in_half(trace: Trace, second: bool) -> Measured:
    """Share of the builds made in one half of the deal's hands that others take or take over."""
    hands = trace.plan.rules.hands
    return trace.lost_by_hand(lambda hand: (2 * hand >= hands) == second)
