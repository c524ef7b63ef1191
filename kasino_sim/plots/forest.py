"""A measure over rule sets: a row each, its value with an interval, and the value in figures."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kasino_sim.plots.style import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    SOFT,
    bare_rows,
    each,
    legend_above,
    nothing_to_show,
    spread,
)

MARKS = (
    ("o", BLUE),
    ("D", RED),
    ("s", GREEN),
    ("^", ORANGE),
    ("v", PURPLE),
    ("P", SKY),
    ("X", INK),
    ("*", SOFT),
)
COLUMNS = 3  # of a legend


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns label, value, low, high, text, mark, kind, unit and reference.

    `mark` is a place in `MARKS` and `kind` what it stands for; `unit` names the axis, and a line
    goes through `reference` if that is a number.
    """
    shown = frame[frame["value"].notna()].reset_index(drop=True)
    if shown.empty:
        return nothing_to_show(ax)
    bare_rows(ax, list(shown["label"]))
    for mark, rows in shown.groupby("mark"):
        _marks(ax, rows, rows["kind"].iloc[0], *MARKS[int(str(mark)) % len(MARKS)])
    for at, text in enumerate(shown["text"]):
        ax.annotate(
            text,
            (1, at),
            (4, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
        )
    reference = shown["reference"].iloc[0]
    if pd.notna(reference):
        ax.axvline(reference, color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    ax.grid(axis="both")
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.margins(x=0.08)
    ax.set_xlabel(shown["unit"].iloc[0])
    if shown["mark"].nunique() > 1:
        legend_above(ax, COLUMNS)


def _marks(ax: Axes, rows: pd.DataFrame, kind: str, mark: str, colour: str) -> None:
    for row in each(rows):
        ax.errorbar(
            row.value,
            row.Index,
            xerr=spread(row.low, row.value, row.high),
            color=colour,
            linewidth=2,
            capsize=3,
        )
    ax.plot(rows["value"], rows.index, mark, color=colour, markersize=6, label=kind)
