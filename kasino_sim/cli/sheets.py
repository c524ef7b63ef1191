"""Text in columns for people, 80 characters wide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kasino_sim.rules import Ruleset

WIDTH = 80


def cut(text: str, width: int = WIDTH) -> str:
    """Shorten text that is too wide; an ellipsis stands for what is left out."""
    return text if len(text) <= width else text[: width - 1] + "…"


def columns(rows: Iterable[Sequence[str]], indent: str = "  ") -> list[str]:
    """Line up cells: the first column to the left, all others to the right.

    Parameters
    ----------
    rows : iterable of sequence of str
        Rows of the same length; an empty row becomes an empty line.
    indent : str
        What every line begins with.
    """
    rows = list(rows)
    widths = [max(map(len, cells)) for cells in zip(*filter(None, rows), strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=bool(row)))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def each(frame: Any) -> Iterator[Any]:
    """Yield the rows of a data frame with their columns as attributes."""
    return iter(frame.itertuples())


def listed(label: str, things: Iterable[str], room: int = 11) -> list[str]:
    """Write a label and things after it, as many to a line as there is room for.

    Parameters
    ----------
    label : str
        Stands before the first line.
    things : iterable of str
        Never broken apart.
    room : int
        Width of the label's column, indent included.
    """
    lines, line = [], f"  {label}".ljust(room)
    empty = True
    for thing in things:
        if not empty and len(line) + 3 + len(thing) > WIDTH:
            lines.append(line + ",")
            line, empty = " " * room, True
        line += thing if empty else f", {thing}"
        empty = False
    return [*lines, line.rstrip()]


def side_names(rules: Ruleset) -> list[str]:
    """Name the sides for a table's head: players, or pairs by their players."""
    if rules.deal.teams == "pairs":
        return [f"players {side} and {side + 2}" for side in range(rules.sides)]
    return [f"player {side}" for side in range(rules.sides)]
