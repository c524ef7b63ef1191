"""The summary of a simulation as text of 80 columns."""

from __future__ import annotations

import math
from typing import Any

from kasino_sim.plan import Plan
from kasino_sim.words import ITEM_NAMES


def digits(se: float | None) -> int:
    """Return the decimals that a standard error leaves meaning to, from 1 to 5."""
    if not se:
        return 3
    return min(5, max(1, 1 - math.floor(math.log10(se))))


def number(value: dict[str, Any], signed: bool = False) -> str:
    """Write a mean and its standard error, rounded by the error."""
    mean, se = value["mean"], value["se"]
    places = digits(se)
    sign = "+" if signed else ""
    if se is None:
        return f"{mean:{sign}.3f} (± ?)"
    return f"{mean:{sign}.{places}f} ± {se:.{places}f}"


def simulation_table(plan: Plan, summary: dict[str, Any]) -> str:
    """Return the summary for a person to read."""
    pairs = plan.rules.deal.teams == "pairs"
    seats = _seat_words(plan)
    lines = [
        f"{plan.rules.name}: {' v '.join(dict.fromkeys(p.name for p in plan.seats))}, "
        f"{summary['deals']:,} deals in {summary['blocks']:,} blocks, seed {summary['seed']}",
        f"{summary['seconds']:.1f} s, {summary['deals_per_second']:,.0f} deals a second; "
        "mean ± standard error over blocks",
        "",
    ]
    if "known_cards" in summary:
        cards = " ".join(summary["known_cards"].values())
        lines.insert(2, f"Dealt with known cards in place (--fix): {cards}")
    lines += _player_lines(plan, summary)
    lines += [
        "",
        f"{'points a deal by ' + ('side' if pairs else 'seat'):<22}"
        + "".join(f"{s:>19}" for s in seats),
    ]
    lines.append(_row("all", summary["points"]))
    for item, values in summary["items"].items():
        if any(v["mean"] for v in values):
            lines.append(_row(ITEM_NAMES[item], values))
    lines += ["", *_deal_lines(summary)]
    return "\n".join(line.rstrip() for line in lines)


def _row(label: str, values: list[dict[str, Any]]) -> str:
    return f"  {label:<20}" + "".join(f"{number(v):>19}" for v in values)


def _seat_words(plan: Plan) -> list[str]:
    sides = plan.rules.sides
    if sides == 2:
        return ["plays first", "deals" if plan.rules.n_players == 2 else "dealer's side"]
    return ["plays first", *(f"seat {s}" for s in range(1, sides - 1)), "deals"]


def _player_lines(plan: Plan, summary: dict[str, Any]) -> list[str]:
    if plan.alike and plan.rotate:
        lines = [
            "The same player sits in every seat: a difference between the players is 0 by",
            "construction. Playing first, over the next seat: "
            f"{number(summary['seat_difference'], signed=True)} points a deal",
        ]
    else:
        a, b = plan.seats[0].name, plan.seats[1].name
        if a == b:
            a, b = f"{a} in seat 0", f"{b} in seat 1"
        lines = [f"{a} minus {b}: {number(summary['difference'], signed=True)} points a deal"]
        shares = ", ".join(
            f"{w['player']} {number({'mean': 100 * w['mean'], 'se': _times(100, w['se'])})} %"
            for w in summary["win_share"]
        )
        lines.append(f"share of deals won: {shares}")
    if plan.rules.match.winner == "lowest":
        lines.append("The lowest total wins: points are what one avoids.")
    if summary.get("stopped_by") == "standard error":
        lines.append("Stopped where the standard error was small enough.")
    return lines


def _times(factor: float, se: float | None) -> float | None:
    return None if se is None else factor * se


def _deal_lines(summary: dict[str, Any]) -> list[str]:
    lines = [
        f"sweeps a deal         {number(summary['sweeps_per_deal'])}",
        f"captures a deal       {number(summary['captures_per_deal'])}",
        f"builds a deal         {number(summary['builds_per_deal'])}",
        f"cards tied            {100 * summary['tied_cards']:.1f} % of deals",
        f"spades tied           {100 * summary['tied_spades']:.1f} % of deals",
        f"left at the end       {summary['residue']:.2f} cards",
    ]
    if "legal_moves" in summary:
        lines.append(f"legal moves           {summary['legal_moves']:.2f} at each play")
    return lines
