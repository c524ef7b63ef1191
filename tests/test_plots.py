import xml.etree.ElementTree as ET
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from kasino_sim import plots
from kasino_sim.plots.canvas import figure, svg
from kasino_sim.plots.forest import MARKS
from kasino_sim.plots.style import PLAYERS

NAN = float("nan")
HELPERS = {"style", "canvas"}
FIGURES = sorted({module.name for module in iter_modules(plots.__path__)} - HELPERS)


def histogram(first, n):
    shares = np.linspace(1, 2, n) / np.linspace(1, 2, n).sum()
    return {"share": shares, first: range(n)}


def seats(n, **more):
    one = pd.DataFrame(histogram("points", n))
    both = [one.assign(seat=seat, mean=2.5) for seat in ("first player", "dealer")]
    return pd.concat(both, ignore_index=True).assign(**more)


def rule_sets(n, **columns):
    return pd.DataFrame({"label": [f"rules {i}" for i in range(n)], **columns})


FRAMES = {
    "points": seats(14),
    "bars": pd.DataFrame(histogram("number", 30)).assign(
        low=0.01, high=0.2, unit="sweeps", counted="deals"
    ),
    "items": pd.DataFrame(
        {
            "label": np.repeat(["aces", "most cards"], 2),
            "seat": ["first player", "dealer"] * 2,
            "value": [0.6, 0.4, 0.05, 0.45],
            "low": [0.5, 0.3, NAN, 0.4],
            "high": [0.7, 0.5, NAN, 0.5],
        }
    ),
    "forest": rule_sets(
        3,
        value=[0.445, 0.1, -0.2],
        low=[0.4, NAN, -0.3],
        high=[0.5, NAN, -0.1],
        text=["+0.445", "+0.1", "-0.2"],
        mark=[0, 1, 2],
        kind=["builds", "no builds", "lowest wins"],
        unit="points a deal",
        reference=0.0,
    ),
    "equivalence": rule_sets(
        3,
        value=[0.445, 0.1, -0.2],
        low=[0.4, NAN, -0.3],
        high=[0.5, NAN, -0.1],
        mark=[0, 1, 2],
        kind=["greedy", "beginner", "careful"],
        hollow=[False, False, True],
        rope=0.05,
        unit="points a deal",
    ),
    "dose": pd.DataFrame(
        {
            "dose": [-1.0, 0.0, 2.0],
            "value": [-0.4, 0.0, 0.1],
            "low": [-0.5, 0.0, NAN],
            "high": [-0.3, 0.0, NAN],
            "mark": 3,
            "rope": 0.05,
        }
    ),
    "half_normal": rule_sets(
        4,
        noise=[0.1, 0.5, 0.9, 1.6],
        size=[0.01, 0.02, NAN, 1.2],
        se=[0.02, NAN, NAN, 0.02],
        mark=[1, 0, 1, 0],
        kind=["interaction", "main effect", "interaction", "main effect"],
        unit="points a deal",
    ),
    "ridges": pd.concat([seats(14, label="svensk"), seats(14, label="finsk")]),
    "ladder": pd.DataFrame(
        {
            "player": ["random", "careful", "rollout"],
            "cost": [0.0004, 0.0003, 12.0],
            "value": [0.0, 563.0, 700.0],
            "low": [0.0, 550.0, NAN],
            "high": [0.0, 575.0, NAN],
        }
    ),
    "tuning": pd.DataFrame(
        {
            "restart": [0, 0, 1, 1],
            "number": [0, 1, 0, 1],
            "best": [0.1, 0.4, -0.2, 0.3],
            "mean": [-0.5, 0.2, -0.9, NAN],
        }
    ),
    "heat": pd.DataFrame(
        {
            "label": ["svensk", "svensk", "finsk"],
            "item": ["aces", "last", "aces"],
            "value": [0.4, -0.4, 0.1],
            "text": ["+40", "-40", "+10"],
        }
    ),
    "plays": pd.DataFrame(
        {
            "label": np.repeat(["svensk", "finsk"], 2),
            "kind": ["captures", "trails"] * 2,
            "value": [0.4, 0.6, 0.05, 0.95],
        }
    ),
    "compare": pd.DataFrame(
        {
            "label": ["points", "aces"],
            "value": [1.6, 0.0],
            "low": [1.5, NAN],
            "high": [1.7, NAN],
            "verdict": ["more", "the same"],
            "changed": [True, False],
            "unit": "points a deal",
            "band": 0.05,
        }
    ),
    "coverage": pd.DataFrame(
        {
            "name": ["mean, t: points", "Wilson: sweeps"],
            "figure": [0.95, 0.93],
            "least": 0.94,
            "most": 0.96,
            "passed": [True, False],
        }
    ),
    "p_values": pd.DataFrame({"p": np.linspace(0.01, 0.99, 50)}),
}


def draw_of(name):
    return import_module(f"kasino_sim.plots.{name}").draw


def test_every_figure_is_tried():
    assert set(FRAMES) == set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("rows", [0, 1, None])
def test_draws(name, rows):
    frame = FRAMES[name] if rows is None else FRAMES[name].head(rows)
    before = frame.copy()
    text = svg(draw_of(name), frame, 2.5)
    assert ET.fromstring(text).tag.endswith("svg")
    assert svg(draw_of(name), frame, 2.5) == text
    assert "nothing to show" in text if rows == 0 else "nothing to show" not in text
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("name", FIGURES)
def test_draws_on_any_axes(name):
    draw_of(name)(FRAMES[name], Figure(layout="constrained").subplots())


def test_undetermined_shares_show_nothing():
    frame = FRAMES["bars"].assign(share=NAN, low=NAN, high=NAN)
    assert "nothing to show" in svg(draw_of("bars"), frame, 2)
    frame = FRAMES["items"].assign(value=NAN)
    assert "nothing to show" in svg(draw_of("items"), frame, 2)


def test_one_bar_that_is_everything():
    frame = pd.DataFrame(
        {"number": [4], "share": [1.0], "low": NAN, "high": NAN, "unit": "deals", "counted": "m"}
    )
    assert ">100<" in svg(draw_of("bars"), frame, 2)


def test_text_in_a_figure_is_not_cut():
    """Only places are rounded to hundredths, never what the figure says."""
    text = svg(draw_of("forest"), FRAMES["forest"], 3)
    assert ">+0.445<" in text


def test_svg_is_small_and_bare():
    text = svg(draw_of("forest"), FRAMES["forest"], 3)
    assert len(text) < 30_000
    for word in ("DejaVu", "metadata", "<!--", "DOCTYPE", "Date", "Matplotlib"):
        assert word not in text
    assert "system-ui" in text


def test_the_figure_has_a_phones_width():
    made = figure(draw_of("forest"), FRAMES["forest"], 3)
    assert made.get_size_inches().tolist() == [3.75, 3]


def test_marks_are_told_apart_by_shape_and_colour():
    assert len({shape for shape, _ in MARKS}) == len({colour for _, colour in MARKS}) == len(MARKS)
    assert len(MARKS) > len(PLAYERS)


def test_what_nobody_would_notice_is_hollow_whatever_the_axis():
    made = figure(draw_of("equivalence"), FRAMES["equivalence"], 3)
    drawn = [line for line in made.axes[0].get_lines() if line.get_marker() in ("o", "D", "s")]
    hollow = {x for one in drawn if one.get_markerfacecolor() == "white" for x in one.get_xdata()}
    filled = {x for one in drawn if one.get_markerfacecolor() != "white" for x in one.get_xdata()}
    assert hollow == {-0.2} and filled == {0.445, 0.1}
