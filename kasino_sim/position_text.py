"""A position in one line of text, as one types it at a card table.

``hand=2s 7h; table=5d 2c; build1=4d 5h 9; captured0=Ac 3h; last=0``
"""

from __future__ import annotations

import re
from typing import Any

from kasino_sim.errors import KasinoError, closest
from kasino_sim.rules import Ruleset

_CARDS = ("table", "stock")
_NUMBERS = ("to_move", "dealer", "last")
_PER_PLAYER = ("hand", "captured", "build")


def position_from_text(text: str, ruleset: Ruleset) -> dict[str, Any]:
    """Read a position from text.

    Parameters
    ----------
    text : str
        Parts ``name=what`` with semicolons between them. ``hand`` is the hand of the player to
        move; ``hand1`` that of player 1. ``table``, ``stock`` and ``captured0`` … are cards;
        ``build1`` is a build of player 1, its cards, its value and perhaps ``locked``; ``sweeps``
        are numbers by player; ``to_move`` (else 0), ``dealer`` (else the last) and ``last``, who
        captured last, are players.
    ruleset : Ruleset

    Returns
    -------
    dict
        The position as JSON has it, but for its rules; see `notation.parse_position`.

    Raises
    ------
    KasinoError
        With a line for every part that is not understood.
    """
    n, lines = ruleset.n_players, []
    known = [*_CARDS, *_NUMBERS, "hand", "sweeps"]
    known += [f"{name}{p}" for name in _PER_PLAYER for p in range(n)]
    parts: list[tuple[str, str]] = []
    for part in filter(str.strip, text.split(";")):
        name, equals, what = (piece.strip() for piece in part.partition("="))
        if name not in known:
            lines.append(
                f"position: {name!r} is no part of a position{closest(name, known)}; parts: "
                f"{', '.join(known)}"
            )
        elif not equals:
            lines.append(f"position: {part.strip()!r}: write {name}= and what it is")
        elif not name.startswith("build") and name in dict(parts):
            lines.append(f"position: {name} is given twice")
        else:
            parts.append((name, what))
    data = _collected(parts, n, lines)
    if lines:
        raise KasinoError(lines)
    return data


def _collected(parts: list[tuple[str, str]], n: int, lines: list[str]) -> dict[str, Any]:
    given = dict(parts)
    numbers = {name: _number(name, given[name], lines) for name in _NUMBERS if name in given}
    mover = numbers.get("to_move", 0)
    data: dict[str, Any] = {"to_move": mover, "hands": [None] * n, "captured": [[]] * n}
    if "dealer" in numbers:
        data["dealer"] = numbers["dealer"]
    if "last" in numbers:
        data["last_capturer"] = numbers["last"]
    for name in _CARDS:
        if name in given:
            data[name] = given[name].split()
    if "sweeps" in given:
        data["sweeps"] = [_number("sweeps", word, lines) for word in given["sweeps"].split()]
    if "hand" in given and f"hand{mover}" in given:
        lines.append(f"position: hand and hand{mover} are both given, and are the same player's")
    if "hand" in given and 0 <= mover < n:
        data["hands"][mover] = given["hand"].split()
    for p in range(n):
        if f"hand{p}" in given:
            data["hands"][p] = given[f"hand{p}"].split()
        if f"captured{p}" in given:
            data["captured"][p] = given[f"captured{p}"].split()
    data["builds"] = [_build(name, what, lines) for name, what in parts if name[:5] == "build"]
    return data


def _number(name: str, text: str, lines: list[str]) -> int:
    if not re.fullmatch(r"\d{1,2}", text):
        lines.append(f"position: {name} = {text!r}, must be a whole number")
        return 0
    return int(text)


def _build(name: str, text: str, lines: list[str]) -> dict[str, Any]:
    match = re.fullmatch(r"\[?([^\[\]=\d]?[^\[\]=]*?)\]?\s*=?\s*(\d{1,2})(\s+locked)?", text)
    if match is None:
        lines.append(
            f"position: {name} = {text!r}: write its cards and its value, such as '4d 5h 9', and "
            "'locked' behind it where it is"
        )
        return {}
    cards, value, locked = match.groups()
    return {
        "cards": cards.split(),
        "value": int(value),
        "owner": int(name[5:]),
        "locked": bool(locked),
    }
