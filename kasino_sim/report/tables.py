"""Tables out of tidy frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from kasino_sim.report import words
from kasino_sim.report.names import FATE_NAMES, ITEM_NAMES, PLAY_NAMES
from kasino_sim.report.parts import Cell, Table
from kasino_sim.studies.profile import Profile

Write = Callable[[Mapping[str, Any]], str]

INTERVAL = "95" + words.GAP + "% interval"


def number(row: Mapping[str, Any], sign: bool = False) -> Cell:
    """Write a value with its interval under it; sorted by the value itself."""
    missing = pd.isna(row["value"])
    return Cell(
        words.value(row, sign=sign),
        "" if missing else words.interval(row, sign=sign),
        "" if missing else repr(float(row["value"])),
    )


def share(row: Mapping[str, Any]) -> Cell:
    """Write a share in percent with its interval under it."""
    missing = pd.isna(row["value"])
    return Cell(
        words.percent(row),
        "" if missing else words.interval(row, 100),
        "" if missing else repr(float(row["value"])),
    )


def whole(found: int) -> Cell:
    """Write a whole number."""
    return Cell(words.count(found), sort=str(found))


def distribution(
    frame: pd.DataFrame, caption: str, place: str, counted: str, by: str = ""
) -> Table:
    """Tabulate a histogram: place, counts, shares with intervals.

    Parameters
    ----------
    frame : pandas.DataFrame
        With columns `place`, `counted`, share, low, high, and `by` if that is given.
    caption : str
    place, counted, by : str
        Columns; `by` has a part of the table each.
    """
    head = [place, *([by] if by else []), counted, f"% of {counted}", INTERVAL]
    rows = []
    for found in frame.to_dict("records"):
        as_share = {**found, "value": found["share"]}
        cells = [Cell(str(found[place])), *([Cell(str(found[by]))] if by else [])]
        cells += [whole(int(found[counted])), Cell(words.value(as_share, 100))]
        rows.append((*cells, Cell(words.interval(as_share, 100))))
    return Table(caption, tuple(head), tuple(rows))


def items(frame: pd.DataFrame) -> Table:
    """Tabulate who gets the points of each item."""
    rows = tuple(
        (
            Cell(ITEM_NAMES[row["item"]]),
            Cell(str(row["seat"])),
            Cell(words.fixed(row["per_deal"], 3)),
            Cell(words.value(row, 100)),
            Cell(words.interval(row, 100)),
        )
        for row in frame.to_dict("records")
    )
    head = ("item", "seat", "points a deal", "% of its points", INTERVAL)
    return Table("Who gets the points of each scoring item", head, rows)


def item_leads(frame: pd.DataFrame) -> Table:
    """Tabulate the first player's lead by item, over rule sets."""
    rows = tuple(
        (
            Cell(row["rules"]),
            Cell(ITEM_NAMES[row["item"]]),
            Cell(words.value(row, 100, sign=True)),
            Cell(words.interval(row, 100, sign=True)),
        )
        for row in frame.to_dict("records")
    )
    head = ("rule set", "item", "points in 100 deals", INTERVAL)
    return Table("First player's points less the dealer's, item by item", head, rows)


def estimates(frame: pd.DataFrame, caption: str, head: str, write: Write = words.value) -> Table:
    """Tabulate one measure over rule sets: rules, value, interval."""
    scale = 100 if write is words.percent else 1
    rows = tuple(
        (Cell(row["rules"]), Cell(write(row)), Cell(words.interval(row, scale)))
        for row in frame.to_dict("records")
    )
    return Table(caption, ("rule set", head, INTERVAL), rows)


def plays(frame: pd.DataFrame) -> Table:
    """Tabulate what cards are played for, over rule sets."""
    rows = tuple(
        (
            Cell(row["rules"]),
            Cell(PLAY_NAMES[row["kind"]]),
            Cell(words.fixed(row["per_deal"], 2)),
            Cell(words.value(row, 100)),
            Cell(words.interval(row, 100)),
        )
        for row in frame.to_dict("records")
    )
    head = ("rule set", "kind of play", "a deal", "% of plays", INTERVAL)
    return Table("What cards are played for", head, rows)


def more_numbers(profile: Profile) -> Table:
    """Tabulate the measures of a rule set that stand in none of its figures."""
    rows = [
        (Cell(f"points a deal, {row['seat']}"), *_pair(row))
        for row in profile.seats.to_dict("records")
    ]
    shares = {
        "swept": "% of deals with a sweep or more",
        "tied_cards": "% of deals with cards tied",
        "tied_spades": "% of deals with spades tied",
        "opener_wins": "% of matches won by who plays first in the first deal",
    }
    for name, text in shares.items():
        rows.append((Cell(text), *_pair(profile.measure(name).to_dict(), 100)))
    for row in profile.plays.to_dict("records"):
        rows.append((Cell(f"% of plays: {PLAY_NAMES[row['kind']]}"), *_pair(row, 100)))
    if profile.rules.build.allowed:
        for row in profile.builds.to_dict("records"):
            rows.append((Cell(f"builds a deal {FATE_NAMES[row['fate']]}"), *_pair(row)))
    return Table("More numbers", ("what", "estimate", INTERVAL), tuple(rows))


def _pair(row: Mapping[str, Any], scale: float = 1) -> tuple[Cell, Cell]:
    return Cell(words.value(row, scale)), Cell(words.interval(row, scale))


def rows_of(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> Table:
    """Make a plain table of texts."""
    return Table(caption, tuple(head), tuple(tuple(Cell(text) for text in row) for row in rows))
