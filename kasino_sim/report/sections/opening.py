"""What this is, in plain words, and what was found."""

from __future__ import annotations

from typing import Any

from kasino_sim.report import words
from kasino_sim.report.findings import findings
from kasino_sim.report.parts import Material, Section


def context(material: Material) -> dict[str, Any]:
    """Collect the sentences, and what was played."""
    runs = [profile.run for profile in material.profiles]
    return {
        "findings": findings(material),
        "rule_sets": words.plural(len(runs), "rule set"),
        "several": len(runs) > 1,
        "times": "once" if runs[0].deals == 1 else f"{words.count(runs[0].deals)} times",
        "all_deals": words.count(sum(run.deals for run in runs)),
        "players": words.listed(dict.fromkeys(player.name for player in runs[0].plan.players)),
        "alike": runs[0].plan.alike,
    }


SECTION = Section(10, "found", "What was found", "opening.html", context)
