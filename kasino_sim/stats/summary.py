"""The summary of a simulation: what `kasino simulate` prints."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.cards import card_text
from kasino_sim.engine.counting import WIN
from kasino_sim.engine.layout import ITEMS
from kasino_sim.plan import Plan
from kasino_sim.stats.estimates import Estimate, estimate
from kasino_sim.tally import Tally


def _pair(value: Estimate) -> dict[str, float | None]:
    return {"mean": value.mean, "se": value.se}


def summarize(plan: Plan, tally: Tally) -> dict[str, Any]:
    """Summarize a tally.

    Parameters
    ----------
    plan : Plan
    tally : Tally

    Returns
    -------
    dict
        Keys as `kasino simulate --format json` has them. Lists by seat start with seat 0, who
        plays first (by side in pairs); standard errors are over blocks, None with one block.
    """
    games, turns = plan.games, len(plan.turns)
    sides = range(plan.rules.sides)

    def per_deal(column: str) -> dict[str, float | None]:
        return _pair(estimate(tally, column, games))

    summary: dict[str, Any] = {
        "deals": tally.blocks * games,
        "blocks": tally.blocks,
        "rules": plan.rules.name,
        "players": [p.name for p in plan.players],
        "seed": str(plan.seed),
        "rotated": plan.rotate,
        "points": [per_deal(f"points.{s}") for s in sides],
        "difference": _pair(estimate(tally, "difference", turns)),
        "seat_difference": _pair(estimate(tally, "seat_difference", games)),
        "win_share": [
            {
                "player": plan.seats[k].name,
                **_pair(estimate(tally, f"player_wins.{k}", WIN * turns)),
            }
            for k in range(plan.named)
        ],
        "items": {item: [per_deal(f"{item}.{s}") for s in sides] for item in ITEMS},
        "sweeps_per_deal": per_deal("sweeps"),
        "tied_cards": tally.sums["tied_cards"] / (tally.blocks * games),
        "tied_spades": tally.sums["tied_spades"] / (tally.blocks * games),
        "residue": tally.sums["residue"] / (tally.blocks * games),
        "builds_per_deal": per_deal("builds"),
        "captures_per_deal": per_deal("captures"),
    }
    known = {str(place): card_text(c) for place, c in enumerate(plan.known) if c >= 0}
    if known:
        summary["known_cards"] = known
    if plan.detail:
        decisions = tally.sums["decisions"]
        summary["legal_moves"] = tally.sums["legal_moves"] / decisions
        summary["crowded_decisions"] = tally.sums["crowded"]
    return summary


def summary_frame(summary: dict[str, Any]) -> pd.DataFrame:
    """Return a summary as a tidy frame: quantity, of (seat or player), mean, se."""
    rows: list[tuple[str, str, float | None, float | None]] = []

    def add(quantity: str, of: object, value: Any) -> None:
        pair = value if isinstance(value, dict) else {"mean": value, "se": None}
        rows.append((quantity, str(of), pair["mean"], pair["se"]))

    for seat, value in enumerate(summary["points"]):
        add("points", seat, value)
    add("difference", "", summary["difference"])
    add("seat_difference", "", summary["seat_difference"])
    for k, value in enumerate(summary["win_share"]):
        add("win_share", f"{k} {value['player']}", value)
    for item, values in summary["items"].items():
        for seat, value in enumerate(values):
            add(item, seat, value)
    for name in ("sweeps_per_deal", "builds_per_deal", "captures_per_deal"):
        add(name, "", summary[name])
    for name in ("tied_cards", "tied_spades", "residue", "legal_moves"):
        if name in summary:
            add(name, "", summary[name])
    return pd.DataFrame(rows, columns=["quantity", "of", "mean", "se"])
