"""Turns a figure's `draw` into the text of a small SVG file, the same in every run."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kasino_sim.plots.style import RC

WIDTH = 3.75  # inches; 360 px, a phone's width
DPI = 150  # of pictures that are not drawn as lines

Draw = Callable[[pd.DataFrame, Axes], None]

_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def figure(draw: Draw, frame: pd.DataFrame, height: float) -> Figure:
    """Draw a frame on a new figure of a phone's width.

    Parameters
    ----------
    draw : callable
        One of this folder's, `draw(frame, ax)`.
    frame : pandas.DataFrame
    height : float
        Inches.
    """
    with mpl.rc_context(cast(Any, dict(RC))):
        made = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(frame, made.subplots())
    return made


def svg(draw: Draw, frame: pd.DataFrame, height: float) -> str:
    """Draw a frame as SVG text, without date, addresses of metadata or a fixed font."""
    return as_svg(figure(draw, frame, height))


def as_svg(made: Figure) -> str:
    """Return a figure as SVG text."""
    out = io.StringIO()
    with mpl.rc_context(cast(Any, dict(RC))):
        made.savefig(out, format="svg", metadata=_NO_METADATA, transparent=True)
    return _slim(out.getvalue())


def save(made: Figure, path: Path, kind: str) -> None:
    """Write a figure, the same in every run.

    Parameters
    ----------
    made : Figure
    path : Path
    kind : str
        ``png`` or ``svg``.
    """
    metadata: dict[str, Any] = {"Date": None, "Creator": None} if kind == "svg" else {}
    with mpl.rc_context(cast(Any, dict(RC))):
        made.savefig(path, format=kind, dpi=DPI, metadata=metadata, facecolor="white")


def _slim(text: str) -> str:
    text = text[text.index("<svg") :]
    text = text.replace("'DejaVu Sans'", _FONT).replace(f"{_FONT}, sans-serif", _FONT)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    # In tags alone, where numbers are places: a hundredth of a point is fine enough.
    text = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0]), text)
    return re.sub(r"\s*\n\s*", "\n", text)
