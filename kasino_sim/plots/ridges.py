"""Points in a deal over rule sets: a ridge each, the first player's filled, the dealer's dashed."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kasino_sim.plots.style import (
    SEAT_COLOURS,
    SEAT_LINES,
    SOFT,
    legend_above,
    nothing_to_show,
)

OVERLAP = 1.25  # height of the tallest ridge, in rows
RARE = 0.001
FILL = "#cfe3f0"  # the first player's colour, pale and opaque: a ridge hides what is behind it


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns label, seat, points, share."""
    if frame.empty:
        return nothing_to_show(ax)
    labels = list(dict.fromkeys(frame["label"]))
    seats = list(dict.fromkeys(frame["seat"]))
    most = frame.loc[frame["share"] >= RARE, "points"].max()
    scale = OVERLAP / frame["share"].max()
    for at, label in enumerate(labels):
        rows = frame[(frame["label"] == label) & (frame["points"] <= most)]
        ax.axhline(at, color=SOFT, linewidth=0.6, zorder=3 * at)
        for number, seat in enumerate(seats):
            one = rows[rows["seat"] == seat]
            if not one.empty:
                _ridge(ax, one, at, scale, number, seat if at == 0 else "_")
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.6, -OVERLAP - 0.1)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlim(-0.5, max(most, 1) + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(7, integer=True))
    ax.grid(axis="x")
    ax.set_xlabel("points in a deal")
    legend_above(ax)


def _ridge(ax: Axes, rows: pd.DataFrame, at: int, scale: float, number: int, label: str) -> None:
    colour, line = (of[number % len(of)] for of in (SEAT_COLOURS, SEAT_LINES))
    points = rows["points"].to_numpy()
    edges = np.append(points - 0.5, points[-1] + 0.5)
    tops = at - scale * rows["share"].to_numpy()
    if number == 0:
        ax.stairs(tops, edges, baseline=at, fill=True, color=FILL, zorder=3 * at + 1)
    ax.stairs(
        tops,
        edges,
        baseline=None,
        color=colour,
        linestyle=line,
        linewidth=1.3,
        zorder=3 * at + 2,
        label=label,
    )
