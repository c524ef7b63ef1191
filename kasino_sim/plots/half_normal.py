"""Sizes of effects against what chance alone would make of them: what matters stands out."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from kasino_sim.plots.forest import MARKS
from kasino_sim.plots.style import SOFT, each, legend_above, nothing_to_show

NAMED = 5  # of the largest effects, which bear their names
HEIGHT, LINE = 150.0, 11.0  # points: about what the largest effect rises, and what a name takes


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns label, noise, size, se, mark, kind and unit.

    `noise` is where an effect of its rank would lie if all were noise, in standard deviations;
    `mark` is a place in `forest.MARKS` and `kind` what it stands for. The line is where all would
    lie if chance alone made them, by the median standard error.
    """
    shown = frame[frame["size"].notna()].reset_index(drop=True)
    if shown.empty:
        return nothing_to_show(ax)
    for mark in sorted(set(shown["mark"])):
        rows = shown[shown["mark"] == mark]
        shape, colour = MARKS[int(mark) % len(MARKS)]
        kind = rows["kind"].iloc[0]
        ax.plot(rows["noise"], rows["size"], shape, color=colour, markersize=4.5, label=kind)
    end = float(shown["noise"].max()) * 1.05
    error = float(shown["se"].median())
    if error > 0:
        ax.plot([0, end], [0, error * end], "--", color=SOFT, linewidth=1, label="chance")
    _name_largest(shown, ax)
    ax.set_xlim(0, end)
    ax.set_ylim(bottom=0)
    ax.margins(y=0.08)
    ax.grid(axis="y")
    ax.set_xlabel("expected of noise, standard deviations")
    ax.set_ylabel(f"size, {shown['unit'].iloc[0]}")
    legend_above(ax, 3)


def _name_largest(shown: pd.DataFrame, ax: Axes) -> None:
    """Write names to the left above their marks, where nothing lies, each above the one before."""
    largest = shown.sort_values("size", ascending=False, kind="stable").head(NAMED)
    scale, free = HEIGHT / float(shown["size"].max()), 0.0
    for row in each(largest.iloc[::-1]):
        height = max(row.size * scale + LINE / 2, free)
        free = height + LINE
        ax.annotate(
            row.label, (row.noise, row.size), xytext=(-14, height - row.size * scale),
            textcoords="offset points", ha="right", va="center", fontsize=8,
            arrowprops={"arrowstyle": "-", "color": SOFT, "linewidth": 0.6, "shrinkB": 3},
        )  # fmt: skip
