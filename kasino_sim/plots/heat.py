"""Rule sets by scoring items: a cell each, its number printed and its colour around 0."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from kasino_sim.plots.style import (
    INK,
    SOFT,
    each,
    nothing_to_show,
)

STRONG = 0.6  # of the scale's end, from where text is white
FITS = 9.5  # points, so that a sign and three digits fit a cell


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns label, item, value and text."""
    if frame.empty:
        return nothing_to_show(ax)
    labels = list(dict.fromkeys(frame["label"]))
    items = list(dict.fromkeys(frame["item"]))
    end = max(float(frame["value"].abs().max()), 1e-9)
    grid = frame.pivot(index="label", columns="item", values="value")
    grid = grid.reindex(index=labels, columns=items)
    ax.pcolormesh(
        np.ma.masked_invalid(grid.to_numpy(float)),
        cmap=mpl.colormaps["PuOr_r"],
        vmin=-end,
        vmax=end,
        edgecolor="white",
        linewidth=1.5,
    )
    for row in each(frame):
        strong = abs(row.value) > STRONG * end
        ax.text(
            items.index(row.item) + 0.5,
            labels.index(row.label) + 0.5,
            row.text,
            ha="center",
            va="center",
            color="white" if strong else INK,
            fontsize=FITS,
        )
    _frame(ax, labels, items)


def _frame(ax: Axes, labels: list[str], items: list[str]) -> None:
    ax.set_ylim(len(labels), 0)
    ax.set_xticks(np.arange(len(items)) + 0.5, items, rotation=90)
    ax.set_yticks(np.arange(len(labels)) + 0.5, labels)
    ax.xaxis.tick_top()
    ax.tick_params(length=0, pad=2, color=SOFT)
    for spine in ax.spines.values():
        spine.set_visible(False)
