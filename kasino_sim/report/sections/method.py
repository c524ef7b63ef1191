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
    return {
        "several": len(runs) > 1,
        "count": words.in_words(len(runs)),
        "seed": str(plan.seed),
        "blocks": _from_to([run.tally.blocks for run in runs]),
        "games": max(run.plan.games for run in runs),
        "deals_in_block": _from_to([run.plan.games for run in runs]),
        "alike": plan.alike,
        "players": [
            {"name": name, "idea": " ".join(player.idea.split()), "source": player.source}
            for name, player in sorted(players.items())
        ],
        "matches": _from_to([run.matches.matches for run in runs]),
        "overflow": _overflow(material),
    }


def _from_to(numbers: list[int]) -> str:
    """Write the lowest and the highest of some numbers, or the one that all are."""
    return " to ".join(words.count(n) for n in sorted({min(numbers), max(numbers)}))


def _overflow(material: Material) -> int:
    """Count deals that the histograms of points had no bin for."""
    tallies = [profile.run.tally for profile in material.profiles]
    return sum(int(t.counts["points"][:, -1].sum()) for t in tallies)


SECTION = Section(40, "method", "How it was done", "method.html", context)
