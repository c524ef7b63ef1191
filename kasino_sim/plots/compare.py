"""What changes between two rule sets: a row a response, its difference with its interval."""

from __future__ import annotations

from typing import Any, cast

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from kasino_sim.plots.style import (
    BLUE,
    FAINT,
    INK,
    RC,
    SOFT,
    bare_rows,
    each,
    nothing_to_show,
    spread,
)

WIDTH, ROW, FRAME, TITLE = 7.5, 0.29, 0.62, 0.5  # inches


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw the rows of one unit.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns label, value, low, high, verdict, changed (a full mark, else a hollow one), unit,
        and band, which is shaded around 0 where it is a width.
    ax : Axes
    """
    if frame.empty:
        return nothing_to_show(ax)
    shown = frame.reset_index(drop=True)
    bare_rows(ax, list(shown["label"]))
    band = float(shown["band"].max())
    if band:
        ax.axvspan(-band, band, color=FAINT, alpha=0.6, linewidth=0, zorder=0)
    ax.axvline(0, color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    for row in each(shown):
        _mark(ax, row)
    ax.grid(axis="x")
    ax.xaxis.set_major_locator(MaxNLocator(6))
    ax.margins(x=0.08)
    ax.set_xlabel(f"change, {shown['unit'].iloc[0]}")


def _mark(ax: Axes, row: Any) -> None:
    ax.errorbar(
        row.value,
        row.Index,
        xerr=spread(row.low, row.value, row.high),
        fmt="o",
        color=BLUE if row.changed else SOFT,
        markerfacecolor=BLUE if row.changed else "white",
        markersize=5.5,
        linewidth=2,
        capsize=3,
    )
    ax.annotate(
        row.verdict,
        (1, row.Index),
        (6, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center",
        color=INK if row.changed else SOFT,
    )


def figure(frame: pd.DataFrame, title: str) -> Figure:
    """Draw a panel for each unit, one under the other."""
    units = list(dict.fromkeys(frame["unit"]))
    groups = [frame[frame["unit"] == unit] for unit in units] or [frame]
    heights = [ROW * len(group) + FRAME for group in groups]
    with mpl.rc_context(cast(Any, dict(RC))):
        made = Figure(figsize=(WIDTH, sum(heights) + TITLE), layout="constrained")
        panels = made.subplots(len(groups), squeeze=False, height_ratios=heights)
        for group, ax in zip(groups, panels[:, 0], strict=True):
            draw(group, ax)
        made.suptitle(title, x=0.01, ha="left", fontsize=11.5)
    return made
