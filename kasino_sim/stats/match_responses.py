"""What studies ask of the matches that a cell's deals make, reckoned from its ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.match_odds import MatchOdds
from kasino_sim.stats.measured import Measured

MATCHES = "share of matches"
EARLY = 2  # deals


@dataclass(frozen=True)
class MatchMeasure:
    """A number that matches have; fields as in `responses.Response`.

    Attributes
    ----------
    figures : callable
        From the reckoned odds to what the number is made of: a constant, and a weight for each
        figure; None where such matches have no such number.
    """

    name: str
    words: str
    unit: str
    sentence: str
    figures: Callable[[MatchOdds], tuple[float, dict[str, float]] | None]
    players: str = ""
    null: float | None = None

    def estimate(self, cell: CellCounts) -> Measured | None:
        """Estimate it out of a cell's ledgers."""
        odds = cell.match_odds
        return self.measured(odds, cell.tally.blocks) if odds is not None else None

    def measured(self, odds: MatchOdds, blocks: int) -> Measured | None:
        """Estimate it out of odds that were reckoned from some blocks."""
        made_of = self.figures(odds)
        if made_of is None:
            return None
        value, parts = made_of[0], np.zeros(len(odds.parts))
        for name, weight in made_of[1].items():
            at = odds.names.index(name)
            value += weight * float(odds.values[at])
            parts = parts + weight * odds.parts[:, at]
        # Rounding of the last digits where the rules alone fix the figure.
        return Measured(round(value, 12) + 0.0, parts, blocks)


def _edge(odds: MatchOdds) -> tuple[float, dict[str, float]]:
    sides = odds.plan.rules.sides
    return -1 / sides, {f"seat.{sides - 1}": 1.0}


def _early(odds: MatchOdds) -> tuple[float, dict[str, float]] | None:
    if odds.plan.rules.match.goal == "deals":
        return None
    names = [f"length.{n}" for n in range(1, EARLY + 1)]
    return 0.0, {name: 1.0 for name in names if name in odds.names}


MATCH_MEASURES = (
    MatchMeasure(
        "deals_per_match", "length of a match", "deals a match", "Deals in a match, on average.",
        lambda odds: (0.0, {"deals": 1.0}),
    ),
    MatchMeasure(
        "early_clinch", "matches over early", MATCHES,
        f"Share of matches to a target that are over within {EARLY} deals.", _early,
    ),
    MatchMeasure(
        "first_dealer_match_edge", "first dealer's edge", MATCHES,
        "Share of matches won by the side that deals first, beyond its fair share.", _edge,
        "alike", 0.0,
    ),
    MatchMeasure(
        "lead_changes", "lead changes", "changes a match",
        "Times in a match that the lead goes from one side to another.",
        lambda odds: (0.0, {"lead_changes": 1.0}),
    ),
    MatchMeasure(
        "comebacks", "comebacks", MATCHES,
        "Share of matches whose winner was behind after some deal.",
        lambda odds: (1.0, {"held": -1.0}),
    ),
    MatchMeasure(
        "decided_in_last_deal", "decided in the last deal", MATCHES,
        "Share of matches whose winner did not lead alone before the last deal.",
        lambda odds: (1.0, {"kept": -1.0}),
    ),
    MatchMeasure(
        "skill_matches", "matches to the stronger", MATCHES,
        "Share of matches that the player named first wins.",
        lambda odds: (0.0, {"player.0": 1.0}) if "player.0" in odds.names else None,
        "apart", 0.5,
    ),
)  # fmt: skip
