"""Coverage of intervals beside their bounds."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from kasino_sim.plots.style import BLUE, FAINT, INK, RED, bare_rows, each, nothing_to_show


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns name, figure, least, most and passed, a row an interval."""
    if frame.empty:
        return nothing_to_show(ax)
    bare_rows(ax, [name.partition(",")[0].partition(":")[0] for name in frame["name"]])
    for row in each(frame):
        ax.plot([row.least, row.most], [row.Index] * 2, color=FAINT, linewidth=8)
        ax.plot(row.figure, row.Index, "o", color=BLUE if row.passed else RED)
    ax.axvline(0.95, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    ax.set_xlabel("share of intervals that hold the truth")
