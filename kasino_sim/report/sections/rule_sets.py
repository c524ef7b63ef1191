"""Each rule set by itself."""

from __future__ import annotations

import textwrap
from typing import Any

from kasino_sim.catalog import ROOT, load_ruleset
from kasino_sim.report import pictures, tables, words
from kasino_sim.report.names import lowest_wins, match_words, players_words, points_words
from kasino_sim.report.parts import Cell, Material, Picture, Section, Table
from kasino_sim.rules import Ruleset, description, show_value
from kasino_sim.studies.profile import Profile


def context(material: Material) -> dict[str, Any]:
    """Describe every rule set."""
    several = len(material.profiles) > 1
    described = [_describe(p, at) for at, p in enumerate(material.profiles, start=1)]
    regions: dict[str, list[dict[str, Any]]] = {}
    for one in described:
        regions.setdefault(one["region"], []).append(one)
    return {"regions": regions, "several": several, "root": ROOT}


def _describe(profile: Profile, at: int) -> dict[str, Any]:
    rules = profile.rules
    return {
        "anchor": f"rules-{at}",
        "name": rules.name,
        "heading": rules.title or rules.name,
        "region": rules.region or "Elsewhere",
        "also": words.listed(rules.also_known_as) if rules.also_known_as else "",
        "source": rules.source,
        "notes": " ".join(rules.notes.split()),
        "facts": _facts(rules),
        "low": lowest_wins(rules),
        "builds": rules.build.allowed,
        "assumed": words.in_words(len(rules.assumed)) if rules.assumed else "",
        "one_assumed": len(rules.assumed) == 1,
        "tiles": _tiles(profile),
        "pictures": _pictures(profile),
        "more": tables.more_numbers(profile),
        "rules_table": _rules_table(rules),
    }


def _pictures(profile: Profile) -> list[Picture]:
    draw = [pictures.points_picture, pictures.items_picture, pictures.sweeps_picture]
    if profile.rules.match.goal == "points":
        draw.append(pictures.lengths_picture)
    return [one(profile) for one in draw]


def _facts(rules: Ruleset) -> str:
    builds = "builds" if rules.build.allowed else "no builds"
    facts = (players_words(rules), builds, points_words(rules), match_words(rules))
    text = "; ".join(facts)
    return text[0].upper() + text[1:] + "."


def _tiles(profile: Profile) -> list[dict[str, str]]:
    rules = profile.rules
    first = profile.measure("first_advantage").to_dict()
    length = profile.measure("match_length").to_dict()
    sweeps, tied = (profile.measure(name).to_dict() for name in ("sweeps", "tied_cards"))
    tiles = [
        _tile("Playing first", words.value(first, sign=True, coarse=True), "points a deal"),
        _tile("Sweeps", words.value(sweeps, coarse=True), "a deal"),
        _tile("Cards tied", words.percent(tied, coarse=True), "of deals"),
        _tile("A match", words.value(length, coarse=True), "deals"),
    ]
    if lowest_wins(rules):
        tiles[0]["unit"] = "points avoided a deal"
    if tiles[3]["value"] == "1":
        tiles[3]["unit"] = "deal"
    return tiles


def _tile(name: str, value: str, unit: str) -> dict[str, str]:
    return {"name": name, "value": value, "unit": unit}


def _rules_table(rules: Ruleset) -> Table:
    """Tabulate what differs from the root, and what the source leaves open."""
    usual, now = load_ruleset(ROOT).flat(), rules.flat()
    told = [key for key in now if now[key] != usual[key] or key in rules.assumed]
    rows = tuple(
        (
            Cell(key),
            Cell(show_value(now[key]), "assumed" if key in rules.assumed else ""),
            Cell(show_value(usual[key]) if now[key] != usual[key] else "the same"),
            Cell(textwrap.shorten(description(key), 200)),
        )
        for key in told
    )
    return Table(
        f"Rules that differ from {ROOT}, or that the source leaves open",
        ("rule", "here", ROOT, "what it says"),
        rows,
        intervals=False,
    )


SECTION = Section(30, "rules", "Each rule set", "rule_sets.html", context)
