"""Tables out of tidy frames."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kasino_sim.report import words
from kasino_sim.report.names import FATE_NAMES, ITEM_NAMES, PLAY_NAMES
from kasino_sim.report.parts import Cell, Table
from kasino_sim.studies.profile import Profile


def number(row: words.Row, sign: bool = False) -> Cell:
    """Write a value with its interval under it; sorted by the value itself."""
    return _cell(row, words.value(row, sign=sign), words.interval(row, sign=sign))


def percentage(row: words.Row, mark: bool = False) -> Cell:
    """Write a share as a percentage, with the % sign if `mark`, and its interval under it."""
    text = words.percent(row) if mark else words.value(row, 100)
    return _cell(row, text, words.interval(row, 100))


def _cell(row: words.Row, text: str, interval: str) -> Cell:
    known = pd.notna(row["value"])
    return Cell(text, interval if known else "", repr(float(row["value"])) if known else "")


def whole(found: int) -> Cell:
    """Write a whole number."""
    return Cell(words.count(found), sort=str(found))


def distribution(
    frame: pd.DataFrame, caption: str, place: str, counted: str, by: str = ""
) -> Table:
    """Tabulate a histogram: place, shares with intervals, counts.

    Parameters
    ----------
    frame : pandas.DataFrame
        With columns `place`, `counted`, share, low, high, and `by` if that is given.
    caption : str
    place, counted, by : str
        Columns; `by` has a column of shares for each of its values, and then no counts.
    """
    found = frame.assign(value=frame["share"])
    if by:
        parts = list(dict.fromkeys(found[by]))
        head = (place, *(f"{part}, % of {counted}" for part in parts))
        rows = tuple(
            (Cell(str(at)), *(percentage(row) for row in same.to_dict("records")))
            for at, same in found.groupby(place)
        )
        return Table(caption, head, rows)
    rows = tuple(
        (Cell(str(row[place])), percentage(row), whole(int(row[counted])))
        for row in found.to_dict("records")
    )
    return Table(caption, (place, f"% of {counted}", counted), rows)


def items(frame: pd.DataFrame) -> Table:
    """Tabulate who gets the points of each item."""
    seats = list(dict.fromkeys(frame["seat"]))
    rows = tuple(
        (Cell(ITEM_NAMES[str(item)]), *(percentage(row) for row in same.to_dict("records")))
        for item, same in frame.groupby("item", sort=False)
    )
    head = ("item", *(f"{seat}, % of its points" for seat in seats))
    return Table("Who gets the points of each item", head, rows)


def item_leads(frame: pd.DataFrame) -> Table:
    """Tabulate the first player's lead by item, over rule sets."""
    rows = tuple(
        (
            Cell(row["rules"]),
            Cell(ITEM_NAMES[row["item"]]),
            Cell(words.value(row, 100, sign=True), words.interval(row, 100, sign=True)),
        )
        for row in frame.to_dict("records")
    )
    head = ("rule set", "item", "points in 100 deals")
    return Table("First player's points less the dealer's", head, rows)


def estimates(frame: pd.DataFrame, caption: str, head: str, percent: bool = False) -> Table:
    """Tabulate one measure over rule sets: rules, value with its interval."""
    write = percentage if percent else number
    rows = tuple((Cell(row["rules"]), write(row)) for row in frame.to_dict("records"))
    return Table(caption, ("rule set", head), rows)


def plays(frame: pd.DataFrame) -> Table:
    """Tabulate what cards are played for, over rule sets."""
    rows = tuple(
        (Cell(row["rules"]), Cell(PLAY_NAMES[row["kind"]]), percentage(row))
        for row in frame.to_dict("records")
    )
    return Table("What cards are played for", ("rule set", "kind of play", "% of plays"), rows)


def more_numbers(profile: Profile) -> Table:
    """Tabulate the measures of a rule set that stand in none of its figures."""
    rows = [
        (Cell(f"points a deal, {row['seat']}"), number(row))
        for row in profile.seats.to_dict("records")
    ]
    rows += [(Cell("playing first, points a deal"), number(_measured(profile, "first_advantage")))]
    rows += [(Cell(text), percentage(_measured(profile, name))) for name, text in _SHARES.items()]
    rows += [(Cell("% of deals with spades tied"), _tied_spades(profile))]
    rows += [
        (Cell(f"% of plays: {PLAY_NAMES[row['kind']]}"), percentage(row))
        for row in profile.plays.to_dict("records")
    ]
    if profile.rules.build.allowed:
        rows += [
            (Cell(f"builds a deal {FATE_NAMES[row['fate']]}"), number(row))
            for row in profile.builds.to_dict("records")
        ]
    return Table("More numbers", ("what", "estimate"), tuple(rows))


_SHARES = {
    "opener_wins": "% of matches won by who plays first in the first deal",
    "swept": "% of deals with a sweep or more",
    "tied_cards": "% of deals with cards tied",
}


def _measured(profile: Profile, name: str) -> words.Row:
    return profile.measure(name).to_dict()


def _tied_spades(profile: Profile) -> Cell:
    """Write how often spades are tied; two sides cannot share thirteen evenly."""
    row = _measured(profile, "tied_spades")
    if profile.rules.sides == 2 and row["value"] == 0:
        return Cell("0", "thirteen cannot be shared evenly")
    return percentage(row)


def rows_of(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> Table:
    """Make a plain table of texts."""
    cells = tuple(tuple(Cell(text) for text in row) for row in rows)
    return Table(caption, tuple(head), cells, intervals=False)
