"""A ladder of players as text of 80 columns: the steps first, then who beats whom and by what."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kasino_sim.cli.sheets import WIDTH, columns, cut
from kasino_sim.cli.simulate_table import digits
from kasino_sim.plots.ladder import time_text
from kasino_sim.studies.ladder import MARGIN
from kasino_sim.studies.ladder_reading import STOPPED, Reading, match_words
from kasino_sim.words import item_words

if TYPE_CHECKING:
    import pandas as pd

NAME, HEAD = 16, 12  # longest name of a player that is written in full, and as a head
_QUANTITIES: Mapping[str, str] = MappingProxyType(
    {
        "points": "points a deal",
        "swept": "sweeps made",
        "captures": "captures",
        "trails": "cards laid",
        "builds": "builds made",
        "raises": "builds raised",
        "adds": "builds added to",
        "kept": "own builds taken",
        "stolen": "others' builds taken",
        "lost": "builds lost",
    }
)


def ladder_text(
    reading: Reading, alike: pd.DataFrame, costs: Mapping[str, float] | None
) -> str:  # fmt: skip
    """Return a ladder for a person to read.

    Parameters
    ----------
    reading : Reading
    alike : pandas.DataFrame
        Of `studies.agreement.agreement`.
    costs : mapping or None
        Milliseconds a move by player; left out where None.
    """
    parts = [
        _heading(reading),
        _steps(reading),
        _verdict(reading),
        _matrix(reading, "points", "Points a deal, row less column"),
        _matrix(reading, "matches", _matches_title(reading)),
        _matrix(reading, "model", "Deals won by row against column by the ratings, %"),
        _players(reading, alike, costs),
        _anatomy(reading),
        _notes(reading),
    ]
    lines = [line for part in parts if part for line in [*part, ""]]
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _short(name: str, width: int = NAME) -> str:
    return cut(name, width)


def _heading(reading: Reading) -> list[str]:
    ladder = reading.ladder
    names = len(reading.names)
    fewest, most = reading.meetings["deals"].min(), reading.meetings["deals"].max()
    deals = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return [
        cut(f"{ladder.rules.name}: a ladder of {names} players, weakest first"),
        f"{deals} deals a meeting, seed {ladder.played_seed}",
    ]


def _steps(reading: Reading) -> list[str]:
    """Write each player with the points and shares by which it beats the one below."""
    elo = {row["player"]: _elo(row) for row in reading.players.to_dict("records")}
    lowest = reading.names[reading.order[0]]
    rows = [
        ["player", "beats the one below by", "deals", "matches", "Elo".ljust(8)],
        ["", "points a deal, 95 %", "ahead", match_words(reading.ladder.rules), ""],
        [_short(lowest), "", "", "", elo[lowest]],
    ]
    for step in reading.steps.to_dict("records"):
        deals, matches = (_percent(step[name], step[f"{name}_se"]) for name in ("ahead", "matches"))
        rows.append([_short(step["upper"]), _points(step), deals, matches, elo[step["upper"]]])
    return columns(rows)


def _points(step: Mapping[Any, Any]) -> str:
    """Write points with their interval, rounded by their error."""
    low, high = step["points_low"], step["points_high"]
    if math.isnan(low):
        return f"{step['points']:+.2f}, undetermined"
    places = min(digits((high - low) / 4), 3)
    return f"{step['points']:+.{places}f}  {low:+.{places}f} to {high:+.{places}f}"


def _percent(value: float, se: float) -> str:
    if math.isnan(value):
        return "?"
    places = 1 if math.isnan(se) or se > 0.0005 else 2
    return f"{100 * value:.{places}f} %"


def _elo(row: Any) -> str:
    if math.isnan(row["elo"]):
        return "?"
    if math.isnan(row["elo_se"]) or row["elo_se"] == 0:
        return f"{row['elo']:.0f}     "
    return f"{row['elo']:.0f} ± {2 * row['elo_se']:<2.0f}"


def _verdict(reading: Reading) -> list[str]:
    """Say whether the order is one: does everybody beat everybody below."""
    unsure = [
        f"{step['upper']} and {step['lower']}"
        for step in reading.steps.to_dict("records")
        if not step["points_low"] > 0
    ]
    told = [
        f"Not in line: {one}, lower on the ladder, beats {other} by {found['value']:.2f} points."
        for one, other, found in reading.upsets
    ]
    if unsure:
        told.append(f"Not told apart for certain: {'; '.join(unsure)}. Play more --deals.")
    if not told:
        told = ["Everybody beats everybody below; all intervals of points hold together."]
    if reading.ratings is None:
        told.append("There are no ratings: somebody never lost a deal, or nobody to somebody.")
    return [line for text in told for line in textwrap.wrap(text, WIDTH)]


def _matches_title(reading: Reading) -> str:
    what = f"Matches {match_words(reading.ladder.rules)}"
    sides = reading.ladder.rules.sides
    if sides == 2:
        return f"{what} won by row against column, %"
    return f"{what} won by row alone among others like column, % ({100 / sides:.0f} is fair)"


def _matrix(reading: Reading, figure: str, title: str) -> list[str]:
    """Write a number for every two players, strongest first."""
    names = [reading.names[i] for i in reversed(reading.order)]
    by_pair = reading.meetings.set_index(["player", "against"])[figure]
    if by_pair.isna().all():
        return []

    def cell(one: str, other: str) -> str:
        value = float("nan") if one == other else float(by_pair[one, other])
        if math.isnan(value):
            return "·" if one == other else "?"
        return f"{value:+.2f}" if figure == "points" else f"{100 * value:.1f}"

    rows = [
        [f"{number} {_short(one)}", *(cell(one, other) for other in names)]
        for number, one in enumerate(names, start=1)
    ]
    heads = [str(number) for number in range(1, len(names) + 1)]
    return [title, *_fitted(["", *heads], rows)]


def _fitted(head: list[str], rows: list[list[str]]) -> list[str]:
    """Line up a table, in as many parts as it takes to stay within the width."""
    room = 2 + max(len(row[0]) for row in [head, *rows])
    widths = [max(len(c) for c in cells) for cells in zip(*[head, *rows], strict=True)]
    parts: list[list[int]] = [[]]
    used = room
    for k, width in enumerate(widths[1:], start=1):
        if used + 2 + width > WIDTH and parts[-1]:
            parts.append([])
            used = room
        parts[-1].append(k)
        used += 2 + width
    lines: list[str] = []
    for part in parts:
        lines += [""] * bool(lines)
        lines += columns([[row[0], *(row[k] for k in part)] for row in [head, *rows]])
    return lines


def _players(
    reading: Reading, alike: pd.DataFrame, costs: Mapping[str, float] | None
) -> list[str]:  # fmt: skip
    """Write of each player what it gives away, how alike it plays to the best, what it costs."""
    best = reading.names[reading.strongest]
    shares = {row["player"]: row for row in alike.to_dict("records")}
    head = ["", "gives away at least", "moves like the best"]
    rows = []
    for row in reading.players.to_dict("records"):
        name = str(row["player"])
        found = shares[name]
        same = "·" if name == best else _percent(found["value"], found["se"])
        cells = [_short(name), _given(row), same]
        rows.append(cells + ([time_text(costs[name])] if costs else []))
    count = int(alike["decisions"].max())
    return [
        f"Each player, and how often it chooses as {_short(best)} ({count:,} decisions)",
        *columns([head + (["time a move"] if costs else []), *rows]),
    ]


def _given(row: Mapping[Any, Any]) -> str:
    """Say how much somebody here takes off a player for certain."""
    if not row["gives_low"] > 0:
        return "nothing found"
    return f"{row['gives_low']:.2f} to {_short(str(row['gives_to']))}"


def _anatomy(reading: Reading) -> list[str]:
    """Write where the points come from, a player a column, strongest first."""
    names = [reading.names[i] for i in reversed(reading.order)]
    grid: Any = reading.anatomy.pivot(index="quantity", columns="player", values="value")
    items = {
        item: f"  {text}" for item, text in item_words(reading.ladder.rules).items()
        if item in grid.index
    }  # fmt: skip
    labels = {"points": _QUANTITIES["points"], **items}
    labels |= {name: text for name, text in _QUANTITIES.items() if name in grid.index}
    rows = [[text, *(f"{grid.loc[q, name]:.2f}" for name in names)] for q, text in labels.items()]
    return [
        "Where the points come from, a deal, over all meetings",
        *_fitted(["", *(_short(name, HEAD) for name in names)], rows),
    ]


def _notes(reading: Reading) -> list[str]:
    ladder, told = reading.ladder, []
    if reading.ratings is not None:
        seat = float(reading.ratings.seat_elo()["value"][0])
        misfit = f"{100 * (reading.misfit or 0):.1f}"
        told.append(
            f"Elo: one strength a player fitted to all deals (Davidson); playing first is worth "
            f"{seat:+.0f}. Shares of deals differ from it by {misfit} % at most. ±: 2 standard "
            "errors."
        )
    seers = [_short(player.name) for player in ladder.players if player.kind == "cheat"]
    if seers:
        told.append(f"{', '.join(seers)} sees all cards: a ceiling, not a player.")
    if ladder.rules.match.winner == "lowest":
        told.append("Few points win here: a player beats another by having fewer.")
    if (reading.meetings["run"] == STOPPED).any():
        told.append(
            f"Meetings of players who search were stopped by a sequential test of {-MARGIN:+} "
            f"against {MARGIN:+} points; their intervals are confidence sequences, which hold at "
            "any stop. Ratings over them are approximate."
        )
    told.append(
        "Gives away: what the player here who does best against it takes off it, the low end of "
        "the interval. A player made to beat it may take more."
    )
    return [line for text in told for line in textwrap.wrap(text, WIDTH)]
