"""What following something is worth, by how strongly it is followed."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from kasino_sim.plots.forest import MARKS
from kasino_sim.plots.style import FAINT, SOFT, nothing_to_show


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns dose, value, low, high, mark and rope: a curve with its intervals.

    `mark` is a place in `forest.MARKS`. A dose below 0 is the opposite; at 0 nothing is followed.
    The band is from -rope to rope.
    """
    shown = frame[frame["value"].notna()].sort_values("dose").reset_index(drop=True)
    if shown.empty:
        return nothing_to_show(ax)
    rope = float(shown["rope"].iloc[0])
    ax.axhspan(-rope, rope, color=FAINT, zorder=0, linewidth=0)
    ax.axhline(0, color=SOFT, linewidth=1, zorder=1)
    shape, colour = MARKS[int(shown["mark"].iloc[0]) % len(MARKS)]
    low, high = shown["low"].fillna(shown["value"]), shown["high"].fillna(shown["value"])
    ax.fill_between(shown["dose"], low, high, color=colour, alpha=0.2, linewidth=0)
    ax.plot(shown["dose"], shown["value"], f"{shape}-", color=colour, markersize=5, linewidth=1.6)
    ax.set_xticks(list(shown["dose"]), [f"{dose:g}".replace("-", "−") for dose in shown["dose"]])
    ax.set_xlabel("strength (−1: the opposite)")
    ax.set_ylabel("points a deal")
    ax.grid(axis="y")
