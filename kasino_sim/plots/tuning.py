"""Progress of a search for weights: points a deal by generation, a line a restart."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kasino_sim.plots.style import SEAT_COLOURS, SEAT_LINES, legend_above, nothing_to_show


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns restart, number, best and mean; the best candidates thin, the mean strong."""
    if frame.empty:
        return nothing_to_show(ax)
    for at, (restart, rows) in enumerate(frame.groupby("restart")):
        colour, line = (of[at % len(of)] for of in (SEAT_COLOURS, SEAT_LINES))
        ax.plot(rows["number"], rows["best"], color=colour, linewidth=0.8, alpha=0.6)
        ax.plot(
            rows["number"],
            rows["mean"],
            color=colour,
            linestyle=line,
            linewidth=1.8,
            label=f"restart {restart}",
        )
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.grid(axis="y")
    ax.set_xlabel("generation")
    ax.set_ylabel("points a deal over the pool")
    legend_above(ax)
