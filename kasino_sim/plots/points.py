"""Points in a deal: how often each number, a stepped outline a seat, a thin line at each mean."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kasino_sim.plots.style import SEAT_COLOURS, SEAT_LINES, legend_above, nothing_to_show

RARE = 0.001  # the tail from where all shares are below this is left to the table


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns seat, points, share and mean (the same all through a seat)."""
    if frame.empty:
        return nothing_to_show(ax)
    most = frame.loc[frame["share"] >= RARE, "points"].max()
    for number, (seat, rows) in enumerate(frame.groupby("seat", sort=False)):
        shown = rows[rows["points"] <= most]
        _outline(ax, shown, str(seat), number)
    ax.set_xlim(-0.5, max(most, 1) + 0.5)
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(7, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(4))
    ax.grid(axis="y")
    ax.set_xlabel("points in a deal")
    ax.set_ylabel("% of deals")
    legend_above(ax)


def _outline(ax: Axes, rows: pd.DataFrame, seat: str, number: int) -> None:
    colour, line = (of[number % len(of)] for of in (SEAT_COLOURS, SEAT_LINES))
    points, shares = rows["points"].to_numpy(), 100 * rows["share"].to_numpy()
    edges = np.append(points - 0.5, points[-1] + 0.5)
    if number == 0:
        ax.stairs(shares, edges, fill=True, color=colour, alpha=0.22)
    ax.stairs(shares, edges, color=colour, linestyle=line, linewidth=1.8, label=seat)
    ax.axvline(rows["mean"].iloc[0], color=colour, linestyle=line, linewidth=1)
