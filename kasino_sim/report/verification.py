"""The proof of the statistics as a table of text and as a page of its own."""

from __future__ import annotations

import html
import textwrap

import numpy as np
import pandas as pd

from kasino_sim.plots import coverage as coverage_plot
from kasino_sim.plots import p_values as p_values_plot
from kasino_sim.plots.canvas import svg

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;font-size:.9rem}td,th{padding:.2rem .6rem;text-align:left;
border-bottom:1px solid #ddd}.no{color:#d55e00;font-weight:bold}"""


def numbers(row: pd.Series) -> tuple[str, str]:
    """Return a check's figure and what is allowed, as text."""
    if row["least"] == row["most"] == 1:
        return ("yes" if row["figure"] == 1 else "no"), "yes"
    most = "" if row["most"] > 1e6 else _short(row["most"])
    return _short(row["figure"]), f"{_short(row['least'])} to {most}".strip()


def _short(number: float) -> str:
    """Write a number with a few digits, whole ones without a point."""
    if not np.isfinite(number):
        return "undetermined"
    return f"{number:.0f}" if abs(number) >= 1000 or number in (0, 1) else f"{number:.4g}"


def table(frame: pd.DataFrame) -> str:
    """Return the checks as text of at most 80 columns, with a last line that sums them up."""
    lines = []
    for _, row in frame.iterrows():
        figure, allowed = numbers(row)
        mark = "ok  " if row["passed"] else "FAIL"
        name = textwrap.shorten(str(row["name"]), 47, placeholder=" …")
        lines.append(f"{mark} {name:<47} {figure:>8} {allowed:>17}".rstrip())
    failed = int((~frame["passed"]).sum())
    return "\n".join([*lines, f"{len(frame)} checks, {failed} failed"])


def page(frame: pd.DataFrame, p_values: np.ndarray) -> str:
    """Return the checks as one HTML page that needs nothing else."""
    covered = frame[frame["group"] == "coverage"].reset_index(drop=True)
    rows = []
    for _, row in frame.iterrows():
        figure, allowed = numbers(row)
        result = "passed" if row["passed"] else "<span class='no'>failed</span>"
        repeated = str(row["repetitions"]) if row["repetitions"] > 1 else ""
        cells = [row["group"], row["name"], figure, allowed, repeated, row["note"]]
        cells = [html.escape(str(cell)) for cell in cells]
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in [*cells, result]) + "</tr>")
    heads = ("", "check", "figure", "allowed", "repetitions", "note", "")
    head = "".join(f"<th>{name}</th>" for name in heads)
    failed = int((~frame["passed"]).sum())
    p = svg(p_values_plot.draw, pd.DataFrame({"p": p_values}), 2.2)
    coverage = svg(coverage_plot.draw, covered, 0.8 + 0.36 * len(covered))
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'><title>Proof of the statistics</title>"
        f"<style>{STYLE}</style><h1>Proof of the statistics</h1>"
        f"<p>{len(frame)} checks, {failed} failed.</p>"
        f"<h2>How often intervals hold the truth</h2>{coverage}"
        "<p>The grey bar is what is allowed. The dashed line is the promise, 95 %.</p>"
        f"<h2>p-values where there is nothing to find</h2>{p}"
        f"<h2>All checks</h2><table><tr>{head}</tr>{''.join(rows)}</table></html>\n"
    )
