"""All rule sets side by side."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.report import pictures, tables, words
from kasino_sim.report.names import lowest_wins
from kasino_sim.report.parts import Cell, Material, Picture, Section, Table, several_rule_sets
from kasino_sim.rules import Ruleset
from kasino_sim.stats.intervals import UNDETERMINED
from kasino_sim.stats.measures import one_measure
from kasino_sim.studies.profile import Profile

COLUMNS = (
    ("first_advantage", "playing first, points a deal", "signed"),
    ("points_first", "points, first player", "number"),
    ("points_dealer", "points, dealer", "number"),
    ("sweeps", "sweeps a deal", "number"),
    ("swept", "deals with a sweep", "share"),
    ("tied_cards", "cards tied", "share"),
    ("match_length", "deals in a match", "number"),
    ("opener_wins", "matches won by the first to play", "share"),
    ("trails", "cards trailed", "share"),
)


def context(material: Material) -> dict[str, Any]:
    """Draw the figures and the table."""
    count = len(material.profiles)
    return {
        "count": words.in_words(count),
        "expected_misses": words.fixed(0.05 * count, 1),
        "low": words.listed(_low(material)) if _low(material) else "",
        "pictures": _pictures(material),
        "table": _table(material),
    }


def _low(material: Material) -> list[str]:
    return [p.rules.name for p in material.profiles if lowest_wins(p.rules)]


def _pictures(material: Material) -> list[Picture]:
    low = _low(material)
    turned = f" In {words.listed(low)} points avoided count." if low else ""
    found = [
        pictures.forest_picture(
            material,
            "first_advantage",
            "Is it good to play first?",
            "points a deal",
            "Right of the broken line it is better to play first, left of it to deal."
            f"{turned}{_more_sides(material)}",
            reference=0.0,
            sign=True,
        ),
        pictures.forest_picture(
            material,
            "sweeps",
            "Sweeps in a deal",
            "sweeps a deal",
            "Counted as made, also where the sides' sweeps cancel one another afterwards.",
        ),
        pictures.forest_picture(
            material,
            "match_length",
            "Length of a match",
            "deals in a match",
            _length_caption(material),
        ),
        pictures.forest_picture(
            material,
            "tied_cards",
            "How often cards are tied",
            "% of deals",
            "Nobody has strictly most cards, so the item goes to nobody"
            + _ties_end(material.profiles),
            percent=True,
        ),
        *_more_forests(material),
        pictures.plays_picture(material),
        pictures.ridges_picture(material),
    ]
    if any(len(p.item_leads) for p in material.profiles):
        found.insert(1, pictures.leads_picture(material))
    return found


def _more_sides(material: Material) -> str:
    if all(p.rules.sides == 2 for p in material.profiles):
        return ""
    return " With more than two sides: the first player's points less the mean of the others'."


def _more_forests(material: Material) -> list[Picture]:
    found = [
        pictures.forest_picture(
            material,
            "opener_wins",
            "Who wins the match?",
            "% of matches",
            "Won by the one who plays first in the first deal, shared wins split. In a match of "
            "several deals the deal passes round, so the other side plays first too.",
            reference=0.5 if all(p.rules.sides == 2 for p in material.profiles) else UNDETERMINED,
            percent=True,
        )
    ]
    if one_measure(material.measures, "last_dealer").empty:
        return found
    return [
        *found,
        pictures.forest_picture(
            material,
            "last_dealer",
            "The dealer's last capture",
            "% of deals",
            "How often the dealer's side makes it, where it scores.",
            percent=True,
        ),
    ]


def _ties_end(profiles: tuple[Profile, ...]) -> str:
    if any(p.rules.score.ties == "carry" for p in profiles):
        return ", or waits for a later deal."
    return "."


def _length_caption(material: Material) -> str:
    fixed = [p.rules.name for p in material.profiles if p.rules.match.goal == "deals"]
    targets: dict[int, int] = {}
    for p in material.profiles:
        if p.rules.match.goal == "points":
            targets[p.rules.match.target] = targets.get(p.rules.match.target, 0) + 1
    text = (
        words.listed(
            f"{words.in_words(number)} to {target} points"
            for target, number in sorted(targets.items())
        )
        if targets
        else ""
    )
    if len(targets) == 1:
        text = f"All matches to a target go to {next(iter(targets))} points."
    elif targets:
        text = f"Matches differ in their aim: {text}."
    parts = [text]
    if fixed:
        verb = "has" if len(fixed) == 1 else "have"
        parts.append(f"{words.listed(fixed)} {verb} a fixed number of deals, so no interval.")
    return " ".join(filter(None, parts))


def _table(material: Material) -> Table:
    frames = {name: one_measure(material.measures, name) for name, _, _ in COLUMNS}
    by_rules = {name: frame.set_index("rules") for name, frame in frames.items()}
    rows = tuple(
        (
            Cell(p.rules.name, p.rules.region, p.rules.name, f"#rules-{at}"),
            *(_cell(by_rules[name], p.rules, name, how) for name, _, how in COLUMNS),
        )
        for at, p in enumerate(material.profiles, start=1)
    )
    head = ("rule set", *(title for _, title, _ in COLUMNS))
    return Table("All rule sets in numbers; a heading sorts", head, rows, sortable=True)


def _cell(frame: pd.DataFrame, rules: Ruleset, measure: str, how: str) -> Cell:
    if rules.name not in frame.index:
        return Cell(words.UNDETERMINED)
    if measure == "match_length" and rules.match.goal == "deals":
        return Cell(str(rules.match.deals), "by the rules", str(rules.match.deals))
    row = {str(key): value for key, value in frame.loc[rules.name].to_dict().items()}
    return (
        tables.percentage(row, mark=True)
        if how == "share"
        else tables.number(row, sign=how == "signed")
    )


SECTION = Section(
    20, "compare", "Side by side", "comparison.html", context, needs=several_rule_sets
)
