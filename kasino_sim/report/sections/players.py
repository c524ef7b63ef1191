"""The players against each other, where they differ."""

from __future__ import annotations

from typing import Any

from kasino_sim.report import pictures, words
from kasino_sim.report.parts import Material, Section, different_players


def context(material: Material) -> dict[str, Any]:
    """Draw how far the first named player is ahead of the second."""
    names = [player.name for player in material.profiles[0].run.plan.seats]
    named = names[: material.profiles[0].run.plan.named]
    first, second = named[0], named[1]
    return {
        "named": words.listed(named),
        "pictures": [
            pictures.forest_picture(
                material,
                "player_advantage",
                f"{first} over {second}",
                f"points a deal, {first} over {second}",
                f"Right of the broken line {first} does better. Towards the aim of the match: "
                "where the lowest total wins, points avoided count.",
                reference=0.0,
                sign=True,
            ),
            pictures.forest_picture(
                material,
                "player_wins",
                f"Deals won by {first}",
                "% of deals, shared ones split",
                reference=1 / len(named),
                percent=True,
            ),
            pictures.forest_picture(
                material,
                "match_wins",
                f"Matches won by {first}",
                "% of matches, shared ones split",
                reference=1 / len(named),
                percent=True,
            ),
        ],
    }


SECTION = Section(15, "players", "The players", "players.html", context, needs=different_players)
