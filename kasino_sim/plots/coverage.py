"""Coverage of intervals beside their bounds."""

from __future__ import annotations

import textwrap

import pandas as pd
from matplotlib.axes import Axes

from kasino_sim.plots.style import BLUE, FAINT, INK, RED, bare_rows, each, nothing_to_show

LABEL = 32  # letters in a line


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns name, figure, least, most and passed, a row an interval."""
    if frame.empty:
        return nothing_to_show(ax)
    bare_rows(ax, [textwrap.fill(name, LABEL) for name in frame["name"]])
    ax.tick_params(axis="y", labelsize=8)
    for row in each(frame):
        ax.plot([row.least, row.most], [row.Index] * 2, color=FAINT, linewidth=8)
        ax.plot(row.figure, row.Index, "o", color=BLUE if row.passed else RED)
    ax.axvline(0.95, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    ax.set_xlabel("share that hold the truth", fontsize=9)
