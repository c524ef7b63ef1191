"""A ladder of players: who takes how much off whom, and strength against the time for a move."""

from __future__ import annotations

import math
from typing import Any, cast

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kasino_sim.plots import heat
from kasino_sim.plots.style import BLUE, INK, RC, SOFT, each, nothing_to_show, spread

CELL, FRAME, COST = 0.62, 1.7, 4.2  # inches


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw strength against cost.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row a player: player, cost (milliseconds a move), value, low, high (Elo above the
        weakest).
    ax : Axes
    """
    shown = frame.dropna(subset=["cost", "value"])
    if shown.empty:
        return nothing_to_show(ax)
    for row in each(shown):
        ax.errorbar(
            row.cost,
            row.value,
            yerr=spread(row.low, row.value, row.high),
            fmt="o",
            color=BLUE,
            markersize=6,
            linewidth=2,
            capsize=3,
        )
    ax.set_xscale("log")
    ax.margins(y=0.12)
    left = math.floor(math.log10(shown["cost"].min()))
    right = max(math.ceil(math.log10(shown["cost"].max())), left + 1)
    ax.set_xlim(10**left, 10**right)
    ticks = range(left, right + 1, 1 + (right - left) // 5)
    ax.set_xticks([10.0**k for k in ticks], [time_text(10.0**k) for k in ticks])
    ax.minorticks_off()
    for row in each(shown):
        late = np.log10(row.cost) > left + 0.6 * (right - left)
        ax.annotate(
            row.player,
            (row.cost, row.value),
            (-8, 0) if late else (8, 0),
            textcoords="offset points",
            ha="right" if late else "left",
            va="center",
            color=INK,
        )
    ax.grid(axis="y")
    ax.set_xlabel("time for a move, of one processor")
    ax.set_ylabel("Elo above the weakest")


def time_text(milliseconds: float) -> str:
    """Write a time to two digits, in the unit that suits it."""
    units = (("s", 1e3), ("ms", 1.0), ("µs", 1e-3), ("ns", 1e-6))
    unit, size = next(((u, s) for u, s in units if milliseconds >= 0.9995 * s), units[-1])
    return f"{float(f'{milliseconds / size:.2g}'):g} {unit}"


def heat_frame(names: list[str], gaps: pd.DataFrame) -> pd.DataFrame:
    """Return what the heat map draws: strongest first both ways, the diagonal empty.

    Parameters
    ----------
    names : list of str
        Weakest first.
    gaps : pandas.DataFrame
        Columns player, against, points.
    """
    order = names[::-1]
    by_pair = gaps.set_index(["player", "against"])["points"]
    rows = [
        {
            "label": one,
            "item": f"against {other}",
            "value": np.nan if one == other else by_pair[one, other],
            "text": "" if one == other else f"{by_pair[one, other]:+.2f}".replace("-", "−"),
        }
        for one in order
        for other in order
    ]
    return pd.DataFrame(rows)


def figure(names: list[str], gaps: pd.DataFrame, costs: pd.DataFrame | None, title: str) -> Figure:
    """Draw the heat map, and beside it strength against cost where that was measured.

    Parameters
    ----------
    names, gaps
        As for `heat_frame`.
    costs : pandas.DataFrame or None
        As for `draw`.
    title : str
    """
    size = CELL * len(names) + FRAME
    widths = [size] if costs is None else [size, COST]
    with mpl.rc_context(cast(Any, dict(RC))):
        made = Figure(figsize=(sum(widths) + 0.3, max(size, 3.2)), layout="constrained")
        panels = made.subplots(1, len(widths), squeeze=False, width_ratios=widths)[0]
        heat.draw(heat_frame(names, gaps), panels[0])
        panels[0].set_xlabel("points a deal, row less column", color=SOFT)
        if costs is not None:
            draw(costs, panels[1])
        made.suptitle(title, x=0.01, ha="left", fontsize=11.5)
    return made
