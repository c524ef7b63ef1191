"""P-values of arms that are alike, beside what uniform ones would be."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from kasino_sim.plots.style import BLUE, INK, nothing_to_show


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw a histogram of column p, with the height that uniform ones have."""
    if frame.empty:
        return nothing_to_show(ax)
    bars = 20
    ax.hist(frame["p"], bins=bars, range=(0, 1), color=BLUE, edgecolor="white")
    ax.axhline(len(frame) / bars, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    ax.set_xlabel("p-value")
    ax.set_ylabel("comparisons")
