"""How it was done, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kasino_sim.plots.style import PLAYERS
from kasino_sim.report import words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Material, Section

PLANNING = ("ending", "rollout", "mcts", "cheat")  # kinds of players


def context(material: Material) -> dict[str, Any]:
    """Collect what the text names."""
    runs = [profile.run for profile in material.profiles]
    plan = runs[0].plan
    players = _players(material)
    return {
        "several": len(runs) > 1,
        "count": words.in_words(len(runs)),
        "seed": str(plan.seed),
        "blocks": _from_to([run.tally.blocks for run in runs]),
        "games": max(run.plan.games for run in runs),
        "deals_in_block": _from_to([run.plan.games for run in runs]),
        "alike": plan.alike,
        "players": [
            {"name": name, "idea": " ".join(one["idea"].split()), "source": one["source"]}
            for name, one in players.items()
        ],
        "bounds": _bounds(players),
        **_studies(material.studies),
        "matches": _from_to([run.matches.matches for run in runs]),
        "overflow": _overflow(material),
    }


def _players(material: Material) -> dict[str, dict[str, Any]]:
    """Collect who played in the profiles and the studies, the weakest first.

    Who is named after another, such as beginner-tuned, comes behind that one.
    """
    found: dict[str, dict[str, Any]] = {}
    for study in material.studies:
        found |= study.players
    for profile in material.profiles:
        found |= {one.name: one.model_dump() for one in profile.run.plan.players}
    rank = {name: place for place, name in enumerate(PLAYERS)}
    order = sorted(found, key=lambda name: (rank.get(name.partition("-")[0], len(rank)), name))
    return {name: found[name] for name in order}


def _bounds(players: dict[str, dict[str, Any]]) -> str:
    """Say what the players cannot do, and which of them are fitted or plan."""
    fitted = [name for name, one in players.items() if one["tuned"]]
    planning = [name for name, one in players.items() if one["kind"] in PLANNING]
    return (
        "They do not bluff or mind the score of the match. "
        f"{_but(planning)} judge one move at a time and do not plan. "
        f"{_but(fitted)} were not fitted to each rule set."
    )


def _but(some: list[str]) -> str:
    return f"All but {words.listed(some)}" if some else "They"


def _studies(studies: Sequence[KeptStudy]) -> dict[str, Any]:
    """Tell which studies there are, and what differences they take for none."""
    titles = [f"“{study.plan['title']}”" for study in studies]
    open_ = [t for t, study in zip(titles, studies, strict=True) if not study.confirmed]
    ropes = sorted({float(study.plan["rope"]) for study in studies})
    return {
        "studies": words.listed(titles or [""]),
        "have": "has a seed" if len(titles) == 1 else "have seeds",
        "own": "its" if len(titles) == 1 else "their",
        "unconfirmed": words.listed(open_ or [""]),
        "rope": " or ".join(f"{rope:g}" for rope in ropes),
        "half": " or ".join(f"{rope / 2:g}" for rope in ropes),
    }


def _from_to(numbers: list[int]) -> str:
    """Write the lowest and the highest of some numbers, or the one that all are."""
    return " to ".join(words.count(n) for n in sorted({min(numbers), max(numbers)}))


def _overflow(material: Material) -> int:
    """Count deals that the histograms of points had no bin for."""
    tallies = [profile.run.tally for profile in material.profiles]
    return sum(int(t.counts["points"][:, -1].sum()) for t in tallies)


SECTION = Section(40, "method", "How it was done", "method.html", context)
