"""How often tips have a say, out of what the tallies of a cell count: the audit of a tip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from kasino_sim.engine.layout import TIPS
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.measured import Measured, mean_of, ratio_of

SAYS, CHANGES = 0, 1  # places of a count: the tip told moves apart, and another move was made
COLUMNS = ("tip", "seat", "cards", "says_per_deal", "changes_per_deal")


def tip_says(cell: CellCounts) -> Measured | None:
    """Estimate the decisions of a deal where the first player's tips tell moves apart."""
    return _per_deal(cell, SAYS)


def tip_changes(cell: CellCounts) -> Measured | None:
    """Estimate the decisions of a deal where the first player makes another move for a tip."""
    return _per_deal(cell, CHANGES)


def tip_share(cell: CellCounts) -> Measured | None:
    """Estimate the share of the first player's decisions where another move is made."""
    if not _counted(cell):
        return None
    own = cell.column("decisions") / cell.plan.rules.n_players
    return ratio_of(_by_chunk(cell, CHANGES), own, cell.blocks)


def tip_places(cell: CellCounts) -> pd.DataFrame:
    """Tell where the first player's tips have a say: by seat and cards in the hand.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS`: seat 0 plays first, the last one is the dealer's.
    """
    found = pd.DataFrame(list(_places(cell)), columns=list(COLUMNS))
    kinds = {"seat": int, "cards": int, "says_per_deal": float, "changes_per_deal": float}
    return found.astype(kinds)


def tip_tables(cell: CellCounts) -> dict[str, pd.DataFrame]:
    """Return the frames of a cell of the study of tips: of on against off alone."""
    on, *others = cell.plan.players
    plain = [f"{other.name}+{tip}" for other in others for tip in on.tips]
    return {"tip_places": tip_places(cell)} if on.name in plain else {}


def _counted(cell: CellCounts) -> bool:
    return bool(cell.plan.players[0].tips) and "tips" in cell.tally.counts


def _by_chunk(cell: CellCounts, which: int) -> np.ndarray:
    return np.array([float(chunk.counts["tips"][0, ..., which].sum()) for chunk in cell.chunks])


def _per_deal(cell: CellCounts, which: int) -> Measured | None:
    if not _counted(cell):
        return None
    return mean_of(_by_chunk(cell, which) / cell.plan.games, cell.blocks)


def _places(cell: CellCounts) -> Iterator[tuple[Any, ...]]:
    if not _counted(cell):
        return
    counts, deals = cell.tally.counts["tips"][0], cell.tally.blocks * cell.plan.games
    for tip in cell.plan.players[0].tips:
        found = counts[TIPS.index(tip)]
        for seat, cards in np.argwhere(found[..., SAYS] > 0).tolist():
            says, changes = found[seat, cards] / deals
            yield tip, seat, cards, float(says), float(changes)
