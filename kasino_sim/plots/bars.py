"""A whole number and how often it comes: a bar each, with its interval and its percentage."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kasino_sim.plots.style import (
    BLUE,
    INK,
    each,
    nothing_to_show,
    spread,
)

RARE = 0.001
ROOM = 4  # steps from the first bar to the last that there is room for at the least


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns number, share, low, high, and unit and counted, which name the axes."""
    shown = frame[frame["share"].notna()]
    if shown.empty:
        return nothing_to_show(ax)
    common = shown.loc[shown["share"] >= RARE, "number"]
    shown = shown[shown["number"].between(common.min(), common.max())]
    for row in each(shown):
        _bar(ax, row.number, row.share, row.low, row.high)
    spare = max(ROOM - (shown["number"].max() - shown["number"].min()), 0) / 2
    ax.set_xlim(shown["number"].min() - 0.6 - spare, shown["number"].max() + 0.6 + spare)
    ax.set_ylim(0, 112 * shown[["share", "high"]].max().max())
    step = 1 + len(shown) // 12
    ax.set_xticks(shown["number"].to_numpy()[::step])
    ax.yaxis.set_major_locator(MaxNLocator(4))
    ax.grid(axis="y")
    ax.set_xlabel(shown["unit"].iloc[0])
    ax.set_ylabel(f"% of {shown['counted'].iloc[0]}")


def _bar(ax: Axes, number: float, share: float, low: float, high: float) -> None:
    ax.bar(number, 100 * share, width=0.78, color=BLUE, alpha=0.8)
    below, above = spread(low, share, high)
    errors = [[100 * below[0]], [100 * above[0]]]
    ax.errorbar(number, 100 * share, yerr=errors, color=INK, linewidth=1.2, capsize=2)
    top = 100 * (share + above[0])
    text = f"{100 * share:.0f}" if share >= 0.01 else "<1"
    ax.annotate(text, (number, top), (0, 2), textcoords="offset points", ha="center", va="bottom")
