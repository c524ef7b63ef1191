"""Words of the card table for what rules and tallies call by short names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kasino_sim import words
from kasino_sim.rules import Ruleset
from kasino_sim.stats.items import fixed_points

ITEM_NAMES: Mapping[str, str] = MappingProxyType(
    {**words.ITEM_NAMES, "each_spade": "spades by the piece"}
)

PLAY_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "captures": "captures",
        "builds": "builds from the hand",
        "raises": "builds raised",
        "adds": "additions to builds",
        "trails": "trails",
    }
)

FATE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "taken_own": "captured by their owner",
        "taken_other": "captured by somebody else",
        "builds_left": "left on the table at the end",
    }
)

LONGEST_LABEL = 17


def lowest_wins(rules: Ruleset) -> bool:
    """Whether points are what one avoids."""
    return rules.match.winner == "lowest"


def label(rules: Ruleset) -> str:
    """Name a rule set beside a figure; a star marks that the lowest total wins."""
    name = rules.name
    if len(name) > LONGEST_LABEL:
        name = name[: LONGEST_LABEL - 1] + "…"
    return f"{name}*" if lowest_wins(rules) else name


def kind(rules: Ruleset) -> tuple[int, str]:
    """Return number and name of the kind of game, which figures mark."""
    if lowest_wins(rules):
        return 2, "lowest wins"
    return (0, "builds") if rules.build.allowed else (1, "no builds")


def match_words(rules: Ruleset) -> str:
    """Say how a match ends."""
    best = "lowest" if lowest_wins(rules) else "highest"
    if rules.match.goal == "points":
        return f"a match goes to {rules.match.target} points, the {best} total wins"
    if rules.match.deals == 1:
        return f"a match is one deal, the {best} total wins"
    return f"a match is {rules.match.deals} deals, the {best} total wins"


def players_words(rules: Ruleset) -> str:
    """Say how many play."""
    number = {2: "two", 3: "three", 4: "four"}[rules.n_players]
    return f"{number} players in pairs" if rules.deal.teams == "pairs" else f"{number} players"


def points_words(rules: Ruleset) -> str:
    """Say how many points a deal has to give."""
    fixed = fixed_points(rules)
    if fixed is None:
        return "points in a deal vary"
    if rules.sweep.points == 0:
        return f"{fixed} points in a deal"
    return f"{fixed} points in a deal, and {rules.sweep.points} for each sweep"


def item_label(item: str, weight: int) -> str:
    """Name an item with what it is worth."""
    each = " each" if item in ("aces", "sweeps", "each_spade") else ""
    return f"{ITEM_NAMES[item]} ({weight}{each})"
