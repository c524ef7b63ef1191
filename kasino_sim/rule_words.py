"""One rule in words: what a key of a rule set means with the value that it has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_YES_NO: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "deal.swap_point_cards": (
            "point cards on the first table replaced",
            "point cards left on the first table",
        ),
        "build.allowed": ("builds", "no builds"),
        "build.multiple": ("builds may be doubled", "no doubling of builds"),
        "build.point_cards": (
            "point cards may be played in a build",
            "no point cards played in a build",
        ),
        "build.keep_taker": (
            "the owner keeps a card that takes the build",
            "no need to keep a card that takes the build",
        ),
        "build.partner": (
            "a partner's build may be added to without a taker",
            "a partner's build added to with a taker only",
        ),
        "sweep.cancel": ("the sides' sweeps cancel one another", "sweeps do not cancel"),
        "sweep.clear_card": (
            "the clear card's power makes a sweep",
            "the clear card's power makes no sweep",
        ),
    }
)

_CHOICES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "deal.teams": {"solo": "each for themselves", "pairs": "two pairs"},
        "deal.draw": {
            "batch": "new hands when all are empty",
            "single": "a card drawn after each play",
        },
        "values.faces": {
            "numeric": "face cards worth 11, 12, 13",
            "unsummable": "face cards in no sum",
            "pairs": "face cards take, and are taken by, equals only",
        },
        "values.per_play": {
            "one": "one value for all groups of a capture",
            "any": "each group of a capture by its own value",
        },
        "capture.obligation": {
            "free": "taking is free",
            "forced": "a card that can take may not be laid",
            "must-act": "nobody lays a card who can take or build",
        },
        "capture.extent": {"any": "take what you choose", "maximal": "take all that you can"},
        "build.addends": {
            "any": "builds on any loose cards",
            "one": "builds on one loose card",
        },
        "build.raise": {
            "none": "builds never raised",
            "others": "builds raised by others only",
            "any": "builds raised by anyone",
        },
        "build.card_value": {
            "table": "in a build a card counts as on the table",
            "hand": "in a build the card played counts as from the hand",
        },
        "build.duty": {
            "free": "no duty after a build",
            "act": "after a build, no laying of a card",
            "resolve": "after a build, take it, raise it or add to it",
        },
        "sweep.when": {
            "any": "any capture may make a sweep",
            "last-hand-card": "sweeps with a hand's last card only",
        },
        "sweep.excluded": {
            "none": "sweeps to the end",
            "final-play": "no sweep with the deal's last card",
            "last-batch": "no sweeps once the stock is empty",
        },
        "score.ties": {"none": "tied points lost", "carry": "tied points wait for the next deal"},
        "match.goal": {"points": "a match to a target", "deals": "a match of so many deals"},
        "match.end": {
            "highest": "totals after whole deals",
            "count-out": "first to the target, item by item",
        },
        "match.tie_break": {
            "deal": "a shared best total: another deal",
            "spades": "a shared best total: most spades",
        },
        "match.winner": {"highest": "the most points win", "lowest": "the fewest points win"},
    }
)

_COUNTS: Mapping[str, str] = MappingProxyType(
    {
        "deal.players": "{} players",
        "deal.hand": "{} cards in a hand",
        "deal.table": "{} cards on the first table",
        "values.ace_hand": "an ace from the hand is {}",
        "values.ace_table": "an ace on the table is {}",
        "values.little": "the little casino is {}",
        "values.little_hand": "the little casino from the hand is {}",
        "values.big": "the big casino is {}",
        "values.big_hand": "the big casino from the hand is {}",
        "sweep.points": "sweeps worth {}",
        "score.cards": "most cards worth {}",
        "score.spades": "most spades worth {}",
        "score.aces": "each ace worth {}",
        "score.little": "the little casino worth {}",
        "score.big": "the big casino worth {}",
        "score.last": "the last capture worth {}",
        "score.each_spade": "each spade worth {}",
        "score.each_spade_from": "{} spades that earn nothing by the piece",
        "match.target": "a target of {} points",
        "match.deals": "a match of {} deals",
    }
)


def rule_words(key: str, value: Any) -> str:
    """Say what a rule is.

    Parameters
    ----------
    key : str
        One of `rules.KEYS`.
    value : any
        As `Ruleset.flat` gives it.

    Returns
    -------
    str
        A short phrase, such as ``sweeps worth 2`` or ``no builds``.
    """
    if key == "capture.clear_card":
        return f"{value} may take the whole table" if value else "no card that clears the table"
    if key in _YES_NO:
        return _YES_NO[key][0 if value else 1]
    if key in _CHOICES:
        return _CHOICES[key][value]
    one = _COUNTS[key].replace("deals", "deal") if value == 1 else _COUNTS[key]
    return one.format(_amount(value))


def change_words(key: str, before: Any, after: Any) -> str:
    """Say how a rule changes: ``sweeps worth 2 (not 1)``, ``no builds``."""
    text = rule_words(key, after)
    return f"{text} (not {_amount(before)})" if key in _COUNTS else text


def _amount(value: Any) -> str:
    return " or ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
