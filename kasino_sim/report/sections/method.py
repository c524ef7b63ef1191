"""How it was done, in plain words."""

from __future__ import annotations

from typing import Any

from kasino_sim.report import words
from kasino_sim.report.parts import Material, Section


def context(material: Material) -> dict[str, Any]:
    """Collect what the text names."""
    runs = [profile.run for profile in material.profiles]
    plan = runs[0].plan
    players = {player.name: player for run in runs for player in run.plan.players}
    matches = sorted(run.matches.matches for run in runs)
    return {
        "several": len(runs) > 1,
        "count": words.in_words(len(runs)),
        "seed": str(plan.seed),
        "blocks": words.count(runs[0].tally.blocks),
        "games": plan.games,
        "alike": plan.alike,
        "players": [
            {"name": name, "idea": " ".join(player.idea.split()), "source": player.source}
            for name, player in sorted(players.items())
        ],
        "matches_low": words.count(matches[0]),
        "matches_high": words.count(matches[-1]),
        "overflow": _overflow(material),
    }


def _overflow(material: Material) -> int:
    """Count deals that the histograms had no bin for, and decisions too many to list."""
    tallies = [profile.run.tally for profile in material.profiles]
    return sum(int(t.counts["points"][:, -1].sum()) for t in tallies)


SECTION = Section(40, "method", "How it was done", "method.html", context)
