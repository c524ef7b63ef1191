"""Findings that were tried again as text of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import pandas as pd

from kasino_sim.cli.sheets import WIDTH, columns, cut, each
from kasino_sim.cli.simulate_table import digits


def table(title: str, found: pd.DataFrame) -> str:
    """Tell each finding as it was first, on other decks, and with other players."""
    counts = found["survived"].value_counts()
    lines = [
        f"{title}, tried again",
        *textwrap.wrap(
            "Intervals of each time hold for all findings here together. A finding survived if "
            "its interval lies on the same side of nothing as the first estimate (only its sign, "
            "if within what nobody would notice); one that there is nothing to notice, if the "
            "interval still says so; a number without a verdict, if it came out alike.",
            WIDTH,
        ),
        "",
        *textwrap.wrap("; ".join(f"{says}: {n}" for says, n in counts.items()) + ".", WIDTH),
    ]
    for one in each(found):
        lines += ["", *_finding(one)]
    return "\n".join(line.rstrip() for line in lines)


def _finding(one: Any) -> Iterator[str]:
    yield from textwrap.wrap(f"{one.id} ({one.unit})", WIDTH, break_on_hyphens=False)
    rows = [("  first", _number(one, ""), one.verdict)]
    rows.append(("  other decks", _number(one, "again_"), one.again_says))
    if one.players:
        rows.append((f"  {one.players}", _number(one, "others_"), one.others_say))
    yield from (cut(line) for line in columns(rows, ""))
    yield f"  -> {one.survived}"


def _number(one: Any, prefix: str) -> str:
    value, low, high = (getattr(one, f"{prefix}{name}") for name in ("est", "lo", "hi"))
    if pd.isna(value):
        return "undetermined"
    if pd.isna(low):
        return f"{value:+.3f}"
    places = max(2, min(4, digits((high - low) / 4) if high > low else 3))
    return f"{value:+.{places}f} ({low:+.{places}f} to {high:+.{places}f})"
