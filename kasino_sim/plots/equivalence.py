"""Differences with their intervals, on the region that nobody would notice."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kasino_sim.plots.forest import COLUMNS, MARKS
from kasino_sim.plots.style import (
    FAINT,
    SOFT,
    bare_rows,
    each,
    legend_above,
    nothing_to_show,
    spread,
)

_APART = 0.22  # of a row, between the marks of one row


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns label, value, low, high, mark, kind, hollow, rope and unit.

    A row a label; `mark` is a place in `forest.MARKS` and `kind` what it stands for; the band is
    from -rope to rope, and `unit` names the axis. As a band may be too narrow to see on a long
    axis, marks of what lies in it are `hollow`.
    """
    shown = frame[frame["value"].notna()].reset_index(drop=True)
    if shown.empty:
        return nothing_to_show(ax)
    labels = list(dict.fromkeys(shown["label"]))
    bare_rows(ax, labels)
    rope = float(shown["rope"].iloc[0])
    if rope:
        ax.axvspan(-rope, rope, color=FAINT, zorder=0, linewidth=0)
    ax.axvline(0, color=SOFT, linewidth=1, zorder=1)
    marks = sorted(set(shown["mark"]))
    for number, mark in enumerate(marks):
        rows = shown[shown["mark"] == mark]
        shift = _APART * (number - (len(marks) - 1) / 2)
        _marks(ax, rows, [labels.index(label) + shift for label in rows["label"]])
    ax.grid(axis="x")
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.margins(x=0.08)
    ax.set_xlabel(shown["unit"].iloc[0])
    if len(marks) > 1:
        legend_above(ax, COLUMNS)


def _marks(ax: Axes, rows: pd.DataFrame, places: list[float]) -> None:
    shape, colour = MARKS[int(rows["mark"].iloc[0]) % len(MARKS)]
    for place, row in zip(places, each(rows), strict=True):
        ax.errorbar(
            row.value, place, xerr=spread(row.low, row.value, row.high), color=colour, linewidth=1.6
        )
    hollow = rows["hollow"].to_numpy(bool)
    for some, inner in ((~hollow, colour), (hollow, "white")):
        at = [place for place, one in zip(places, some, strict=True) if one]
        ax.plot(
            rows.loc[some, "value"], at, shape, color=colour, markerfacecolor=inner,
            markersize=4.5, zorder=3,
        )  # fmt: skip
    ax.plot([], [], shape, color=colour, markersize=4.5, label=rows["kind"].iloc[0])
