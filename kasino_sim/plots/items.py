"""Who gets each scoring item: a bar from 0 to 100 %, the first player's part from the left."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from kasino_sim.plots.style import (
    INK,
    SEAT_COLOURS,
    SEAT_HATCHES,
    SOFT,
    bare_rows,
    each,
    legend_above,
    nothing_to_show,
    spread,
)

NARROW = 0.12  # parts below this carry no number


def draw(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw columns label, seat, value (share), low, high; what is missing to 100 % is nobody's."""
    known = frame[frame["value"].notna()]
    if known.empty:
        return nothing_to_show(ax)
    labels = list(dict.fromkeys(known["label"]))
    seats = list(dict.fromkeys(known["seat"]))
    for at, label in enumerate(labels):
        ax.barh(at, 100, height=0.66, facecolor="none", edgecolor=SOFT, linewidth=0.8)
        _parts(ax, at, known[known["label"] == label], seats)
    if len(seats) == 2:
        ax.axvline(50, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    bare_rows(ax, labels)
    ax.set_xlim(0, 100)
    ax.set_xticks([0, 25, 50, 75, 100])
    ax.set_xlabel("% of the item's points")
    legend_above(ax)


def _parts(ax: Axes, at: int, rows: pd.DataFrame, seats: list[str]) -> None:
    """Stack the seats' parts from the left, but the last one against the right edge."""
    left = 0.0
    for row in each(rows):
        number = seats.index(row.seat)
        last = number == len(seats) - 1 and number > 0
        start = 1 - row.value if last else left
        _part(ax, at, start, row.value, seats, number)
        edge = start if last else start + row.value
        ax.errorbar(
            100 * edge,
            at,
            xerr=[[100 * reach[0]] for reach in spread(row.low, row.value, row.high)],
            color=INK,
            linewidth=1.2,
            capsize=2,
        )
        left = start + row.value


def _part(ax: Axes, at: int, start: float, share: float, seats: list[str], number: int) -> None:
    colour = SEAT_COLOURS[number % len(SEAT_COLOURS)]
    ax.barh(
        at,
        100 * share,
        left=100 * start,
        height=0.66,
        color=colour,
        edgecolor="white",
        hatch=SEAT_HATCHES[number % len(SEAT_HATCHES)],
        linewidth=0,
        label=seats[number] if at == 0 else "_",
    )
    if share < NARROW:
        return
    last = number == len(seats) - 1 and number > 0
    ax.text(
        100 * (start + share) - 3 if last else 100 * start + 3,
        at,
        f"{100 * share:.0f}",
        ha="right" if last else "left",
        va="center",
        color=INK,
        bbox={"facecolor": "white", "edgecolor": "none", "boxstyle": "round,pad=0.15"},
    )
