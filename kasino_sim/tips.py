"""Tips as data: what each says, where it is from, and how a player follows one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kasino_sim.engine.layout import TIP_FORMS, TIPS
from kasino_sim.errors import closest

MOST_STRENGTH = 1_000
_GUIDE = "a Swedish rule guide"
_HOUSE = "this project"


@dataclass(frozen=True)
class TipWords:
    """A tip in words.

    Attributes
    ----------
    says : str
        The tip as one card player tells another.
    source : str
    proxies : tuple of str
        Features by which a player can have the same idea without the tip; they are held at 0 where
        the idea is to be denied.
    watch : str
        What its words could mean besides, or where it is another tip; empty for nothing.
    """

    says: str
    source: str
    proxies: tuple[str, ...]
    watch: str = ""


class Tip(BaseModel):
    """How a player follows a tip.

    Attributes
    ----------
    form : str
        ``hard``: only the moves that the tip prefers most are looked at; ``soft``: its preference
        times the strength is added to what a move is worth; ``tie-break``: it decides among the
        moves worth at most the player's `tip_margin` less than the best.
    strength : float
        Points a deal for a preference of 1, where the form is soft; among several hard tips, or
        several tie-breaks, how much each counts.
    reverse : bool
        Whether the player does the opposite.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    form: Literal["hard", "soft", "tie-break"]
    strength: float = Field(default=1.0, ge=0, le=MOST_STRENGTH)
    reverse: bool = False

    @property
    def signed(self) -> float:
        """The strength, below 0 where the player does the opposite."""
        return -self.strength if self.reverse else self.strength


def read_tips(where: str, given: object, lines: list[str]) -> dict[str, Tip]:
    """Read the ``[tips]`` of a player's file: a form each, or form, strength and reverse.

    Parameters
    ----------
    where : str
        The file, for messages.
    given : object
        What stands in the file.
    lines : list of str
        Gets a line for each mistake.
    """
    if not isinstance(given, dict):
        lines.append(f"{where}: tips must be a table, such as [tips] with save_big = 'soft'")
        return {}
    tips = {}
    for name, said in given.items():
        if name not in TIPS:
            known = ", ".join(TIPS)
            lines.append(f"{where}: tips.{name} is not a tip{closest(name, TIPS)}; tips: {known}")
            continue
        table = {"form": said} if isinstance(said, str) else said
        if not isinstance(table, dict):
            lines.append(f"{where}: tips.{name} = {said!r}: must be one of {', '.join(TIP_FORMS)}")
            continue
        try:
            tips[name] = Tip(**_floats(table))
        except ValidationError as error:
            lines += [_message(f"{where}: tips.{name}", problem) for problem in error.errors()]
    return tips


def _floats(table: dict[str, Any]) -> dict[str, Any]:
    return {k: float(v) if type(v) is int and abs(v) < 2**53 else v for k, v in table.items()}


def _message(where: str, problem: Any) -> str:
    field = ".".join(map(str, problem["loc"]))
    if problem["type"] == "missing":
        return f"{where}: {field} is missing; say one of {', '.join(TIP_FORMS)}"
    if problem["type"] == "extra_forbidden":
        return f"{where}: {field} is not a field{closest(field, Tip.model_fields)}"
    if field == "form":
        return f"{where} = {problem['input']!r}: must be one of {', '.join(TIP_FORMS)}"
    if field == "strength":
        return f"{where}: strength = {problem['input']!r}: must be from 0 to {MOST_STRENGTH}"
    return f"{where}: {field} = {problem['input']!r}: {problem['msg']}"


_SPADES = (
    "spades",
    "spades_risk",
    "build_spades",
    "trail_spade",
    "spades_open",
    "spades_needed",
    "spade_trailed_open",
    "spades_left_open",
)
_LAYING_ACES = ("ace_trailed", "ace_spent", "aces_risk", "trail_points", "trail_rank")
_ACES_APART = (
    "Where an ace counts 14 in the hand and 1 on the table no ace takes an ace by itself, only in "
    "a sum that comes to 14: hardly the same tip."
)
_SWEEPS_LEFT = ("sweep_risk", "single_left", "table_empty", "capture_risk", "takers_left")

TIP_WORDS: Mapping[str, TipWords] = MappingProxyType(
    {
        "count_spades": TipWords("count spades: take them, do not lay them", _GUIDE, _SPADES),
        "count_spades_in_race": TipWords(
            "count spades while it is open who gets most of them", _HOUSE, _SPADES
        ),
        "save_big": TipWords(
            "save the big casino until it takes two cards or more; never lay it",
            _GUIDE,
            ("big_spent", "big_trailed", "big_taken", "trail_points", "capture_rank"),
            "Where the big casino counts 16 in the hand it takes other cards than a ten does, and "
            "the same words are another tip.",
        ),
        "keep_aces": TipWords("aces are dangerous to lay", _GUIDE, _LAYING_ACES),
        "take_ace_with_ace": TipWords(
            "take one ace with another",
            _GUIDE,
            ("aces_taken", "ace_spent", "capture_rank"),
            _ACES_APART,
        ),
        "lay_ace_of_two": TipWords(
            "with two aces lay one, to take it with the other",
            _GUIDE,
            (*_LAYING_ACES, "trail_matched", "hold_points"),
            _ACES_APART,
        ),
        "build_when_last": TipWords(
            "build when you are last in the round",
            _GUIDE,
            ("build", "build_last", "build_early", "build_risk", "build_seats", "build_takers"),
            "Read literally, with the last card before new ones are dealt, it can never be "
            "followed: no card is left to take the build with. What is tested is to be the dealer, "
            "who plays last in every round. Where a card is drawn after each play, one is left.",
        ),
        "plan_for_last": TipWords(
            "in the last batch keep a card that takes something",
            _GUIDE,
            ("last_capture", "late_hold", "late_capture", "late_residue", "late_cards"),
        ),
        "trail_to_deny_sweep": TipWords(
            "lay a card rather than take and leave a sweep", _GUIDE, (*_SWEEPS_LEFT, "trail")
        ),
        "leave_no_sweep": TipWords("leave nothing that can be swept", _HOUSE, _SWEEPS_LEFT),
        "spade_before_plain": TipWords(
            "take a spade three rather than a heart nine", _GUIDE, _SPADES
        ),
        "no_early_builds": TipWords(
            "early builds are risky: make none while half of the hand is left",
            _GUIDE,
            ("build", "build_early", "early_making", "build_risk", "build_takers"),
        ),
    }
)
"""One for each of `layout.TIPS`; what exactly each prefers stands in `engine/tips.py`."""
