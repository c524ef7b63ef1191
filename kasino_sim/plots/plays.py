"""What cards are played for, over rule sets: a bar from 0 to 100 % each."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from kasino_sim.plots.style import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    SOFT,
    bare_rows,
    each,
    legend_above,
    nothing_to_show,
)

LOOKS = ((BLUE, "", "white"), (ORANGE, "////", INK), (GREEN, "....", INK), ("#ffffff", "", INK))
NARROW = 0.08


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns label, kind and value (share of the cards played)."""
    if frame.empty:
        return nothing_to_show(ax)
    labels = list(dict.fromkeys(frame["label"]))
    kinds = list(dict.fromkeys(frame["kind"]))
    for at, label in enumerate(labels):
        left = 0.0
        for row in each(frame[frame["label"] == label]):
            _part(ax, at, left, row.value, kinds.index(row.kind), row.kind)
            left += row.value
    bare_rows(ax, labels)
    ax.set_xlim(0, 100)
    ax.set_xticks([0, 25, 50, 75, 100])
    ax.set_xlabel("% of the cards played")
    legend_above(ax, len(kinds))


def _part(ax: Axes, at: int, left: float, share: float, number: int, kind: str) -> None:
    colour, hatch, ink = LOOKS[number % len(LOOKS)]
    ax.barh(
        at,
        100 * share,
        left=100 * left,
        height=0.74,
        facecolor=colour,
        hatch=hatch,
        edgecolor="white" if hatch else SOFT,
        linewidth=0 if hatch else 0.5,
        label=kind if at == 0 else "_",
    )
    if share >= NARROW:
        ax.text(
            100 * (left + share / 2),
            at,
            f"{100 * share:.0f}",
            ha="center",
            va="center",
            color=ink,
            bbox={"facecolor": colour, "edgecolor": "none", "pad": 1.2},
        )
