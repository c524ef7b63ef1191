"""What all figures share: colours, marks and small helpers. No state, and no pyplot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

INK, SOFT, FAINT = "#222222", "#666666", "#d9d9d9"

# Okabe and Ito's colours, which colour-blind readers can tell apart too.
BLUE, ORANGE, GREEN, RED = "#0072b2", "#e69f00", "#009e73", "#d55e00"
SKY, PURPLE = "#56b4e9", "#cc79a7"

PLAYERS = ("random", "greedy", "beginner", "careful", "tuned", "expert")
"""Players in the order of all pictures and lists: from the weakest up."""

SEAT_COLOURS = (BLUE, RED, GREEN, ORANGE)
SEAT_LINES = ("-", "--", ":", "-.")
SEAT_HATCHES = ("", "////", "....", "xxxx")

RC: Mapping[str, Any] = MappingProxyType(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "kasino",
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 10.5,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": SOFT,
        "axes.labelsize": 10.5,
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.unicode_minus": True,
        "xtick.color": SOFT,
        "ytick.color": SOFT,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "grid.color": FAINT,
        "grid.linewidth": 0.8,
        "hatch.linewidth": 0.7,
        "legend.frameon": False,
        "legend.fontsize": 10,
        "legend.handlelength": 1.6,
        "legend.columnspacing": 1.2,
        "legend.borderpad": 0,
    }
)
"""Settings under which figures are drawn."""


def each(frame: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows with their columns as attributes."""
    return iter(frame.itertuples())


def nothing_to_show(ax: Axes) -> None:
    """Say in the figure that its frame is empty."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, "nothing to show", ha="center", va="center", transform=ax.transAxes)


def legend_above(ax: Axes, columns: int = 2) -> None:
    """Put the legend at the top of the figure, where it takes no width from the axes."""
    handles, labels = ax.get_legend_handles_labels()
    figure = ax.get_figure()
    if figure is None or not labels:
        return
    figure.legend(
        handles,
        labels,
        loc="outside upper left",
        ncols=columns,
        borderaxespad=0.2,
        labelcolor=INK,
    )


def spread(low: float, value: float, high: float) -> Sequence[Sequence[float]]:
    """Return what an error bar wants: how far it reaches down and up, 0 where undetermined."""
    known = not (pd.isna(low) or pd.isna(high))
    return [[max(value - low, 0) if known else 0], [max(high - value, 0) if known else 0]]


def bare_rows(ax: Axes, labels: Sequence[str]) -> None:
    """Name rows 0 … from the top down the left side, without an axis line."""
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.45, -0.55)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
