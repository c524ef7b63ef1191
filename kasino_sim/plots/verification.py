"""Coverage of intervals beside their bounds, and p-values of arms that are alike."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from kasino_sim.plots.style import BLUE, FAINT, INK, RED, bare_rows, each, nothing_to_show


def draw_coverage(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns name, figure, least, most and passed, a row an interval."""
    if frame.empty:
        return nothing_to_show(ax)
    bare_rows(ax, [name.partition(",")[0].partition(":")[0] for name in frame["name"]])
    for row in each(frame):
        ax.plot([row.least, row.most], [row.Index] * 2, color=FAINT, linewidth=8)
        ax.plot(row.figure, row.Index, "o", color=BLUE if row.passed else RED)
    ax.axvline(0.95, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    ax.set_xlabel("share of intervals that hold the truth")


def draw_p_values(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw a histogram of column p, with the height that uniform ones have."""
    if frame.empty:
        return nothing_to_show(ax)
    bars = 20
    ax.hist(frame["p"], bins=bars, range=(0, 1), color=BLUE, edgecolor="white")
    ax.axhline(len(frame) / bars, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    ax.set_xlabel("p-value")
    ax.set_ylabel("comparisons")
