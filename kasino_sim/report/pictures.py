"""Figures with their words: a title, what is seen in numbers, and the table behind it."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import pandas as pd

from kasino_sim.plots import bars, forest, heat, items, plays, points, ridges
from kasino_sim.plots.canvas import WIDTH, Draw, svg
from kasino_sim.report import tables, words
from kasino_sim.report.names import (
    ITEM_NAMES,
    item_label,
    kind,
    lowest_wins,
)
from kasino_sim.report.parts import Material, Picture, Table
from kasino_sim.stats.intervals import UNDETERMINED
from kasino_sim.stats.matches import length_quantile
from kasino_sim.stats.measures import one_measure
from kasino_sim.studies.profile import Profile

PIXELS = 96  # an inch
NOT_RARE = 0.005

SHORT_ITEMS = {
    "big": "big",
    "little": "little",
    "spades": "spades",
    "cards": "cards",
    "last": "last",
    "each_spade": "each spade",
}


def picture(
    draw: Draw, frame: pd.DataFrame, height: float, title: str, caption: str, alt: str, table: Table
) -> Picture:
    """Draw a frame and put it into a data address."""
    uri = f"data:image/svg+xml;base64,{_coded(svg(draw, frame, height))}"
    size = round(WIDTH * PIXELS), round(height * PIXELS)
    return Picture(title, caption, alt, uri, *size, table)


def _coded(text: str) -> str:
    """Code text so that a search of the report for web addresses finds none, not even by chance."""
    coded = base64.b64encode(text.encode()).decode()
    return _coded(f"\n{text}") if "http" in coded.lower() else coded


# ---------------------------------------------------------------- one rule set


def points_picture(profile: Profile) -> Picture:
    """Show how often each seat makes each number of points."""
    low, rules = lowest_wins(profile.rules), profile.rules
    found = profile.seats.set_index("seat")
    means = [words.about(row) for row in profile.seats.to_dict("records")]
    told = words.listed(
        f"{seat} {mean} on average" for seat, mean in zip(found.index, means, strict=True)
    )
    frame = profile.points.assign(mean=profile.points["seat"].map(found["value"]))
    caption = f"Upright lines: the means, {told}."
    if low:
        caption += " The fewest points win, so the left is where one wants to be."
    return picture(
        points.draw,
        frame,
        2.7,
        "Points taken in a deal" if low else "Points in a deal",
        caption,
        f"Stepped outlines of points in a deal under {rules.name}: {told}. "
        + " ".join(_span(frame, seat) for seat in found.index),
        tables.distribution(
            profile.points, "Deals by the points of each seat", "points", "deals", "seat"
        ),
    )


def _span(frame: pd.DataFrame, seat: str) -> str:
    """Say where most of a seat's deals lie."""
    rows = frame[frame["seat"] == seat]
    peak = rows.iloc[int(rows["share"].to_numpy().argmax())]
    within = rows["share"].cumsum()
    ends = [int(rows.loc[within >= part, "points"].iloc[0]) for part in (0.1, 0.9)]
    often = words.fixed(100 * peak["share"], 0)
    return (
        f"The {seat}'s outline is highest at {peak['points']} ({often} % of deals), and the middle "
        f"80 % of deals have {ends[0]} to {ends[1]}."
    )


def sweeps_picture(profile: Profile) -> Picture:
    """Show how often a deal has each number of sweeps."""
    frame = profile.sweeps.assign(unit="sweeps in a deal, both sides together", counted="deals")
    if profile.rules.sides > 2:
        frame = frame.assign(unit="sweeps in a deal, all sides together")
    mean, swept = (profile.measure(name) for name in ("sweeps", "swept"))
    caption = (
        f"{words.about(mean)} sweeps a deal; "
        f"a sweep or more in {words.about_percent(swept)} of deals."
    )
    if profile.rules.sweep.cancel:
        caption += " Counted as made; at scoring the sides' sweeps cancel one another."
    alt = f"Bars of sweeps in a deal under {profile.rules.name}: {_bars(frame, 'sweeps', 'sweep')}."
    return picture(
        bars.draw,
        frame.rename(columns={"sweeps": "number"}),
        2.35,
        "Sweeps in a deal",
        caption,
        f"{alt} Mean {words.about(mean)}.",
        tables.distribution(profile.sweeps, "Deals by their sweeps", "sweeps", "deals"),
    )


def _bars(frame: pd.DataFrame, place: str, thing: str) -> str:
    common = frame[frame["share"] >= NOT_RARE]
    return words.listed(
        f"{words.plural(int(row[place]), thing)} {words.fixed(100 * row['share'], 0)} %"
        for row in common.to_dict("records")
    )


def items_picture(profile: Profile) -> Picture:
    """Show who gets each scoring item."""
    rules, found = profile.rules, profile.items
    labels = [item_label(i, w) for i, w in zip(found["item"], found["weight"], strict=True)]
    rows = len(set(labels))
    if lowest_wins(rules):
        title = "Who is stuck with which points"
        caption = "Points are what one avoids here: the smaller part is the better one."
    else:
        title, caption = "Who gets which points", ""
    if rules.sides == 2:
        caption += " The broken line is an even half."
    if rules.score.cards or rules.score.spades:
        caption += " A gap: tied."
    return picture(
        items.draw,
        found.assign(label=labels),
        0.95 + 0.31 * rows,
        title,
        caption.strip(),
        f"A bar an item under {rules.name}, split by seat: {_splits(found)}.",
        tables.items(found),
    )


def _splits(found: pd.DataFrame) -> str:
    texts = []
    for item, rows in found.groupby("item", sort=False):
        parts = [f"{row['seat']} {words.percent(row)}" for row in rows.to_dict("records")]
        rest = 1 - rows["value"].sum()
        if rest >= NOT_RARE:
            parts.append(f"nobody {words.fixed(100 * rest, 0)} %")
        texts.append(f"{ITEM_NAMES[str(item)]}: {', '.join(parts)}")
    return "; ".join(texts)


def lengths_picture(profile: Profile) -> Picture:
    """Show how many deals matches to a target take."""
    match, matches = profile.rules.match, profile.run.matches
    mean = profile.measure("match_length")
    number = words.plural(matches.matches, "match", "matches")
    if matches.matches == 0:
        caption = "The deals did not last for a whole match."
    else:
        within = words.plural(length_quantile(matches, 0.9) or 0, "deal")
        caption = (
            f"To {match.target} points: {words.about(mean)} deals on average, and "
            f"nine matches in ten are over within {within}. {number} played."
        )
    frame = profile.lengths.assign(unit="deals in a match", counted="matches")
    return picture(
        bars.draw,
        frame.rename(columns={"deals": "number"}),
        2.35,
        "Length of a match",
        caption,
        f"Bars of deals in a match under {profile.rules.name}: "
        f"{_bars(frame, 'deals', 'deal') if matches.matches else words.UNDETERMINED}.",
        tables.distribution(profile.lengths, "Matches by their deals", "deals", "matches"),
    )


# ---------------------------------------------------------------- side by side


def forest_picture(
    material: Material,
    measure: str,
    title: str,
    unit: str,
    caption: str = "",
    reference: float = UNDETERMINED,
    percent: bool = False,
    sign: bool = False,
) -> Picture:
    """Show a measure over all rule sets that have it, the highest on top."""
    rows = one_measure(material.measures, measure)
    rows = rows.sort_values("value", ascending=False, kind="stable").reset_index(drop=True)
    scale = 100 if percent else 1
    records = rows.to_dict("records")
    texts = [words.value(row, scale, sign, coarse=True) for row in records]
    all_rules = [material.profile(name).rules for name in rows["rules"]]
    scaled = rows.assign(**{column: scale * rows[column] for column in ("value", "low", "high")})
    frame = scaled.assign(
        label=[material.labels[name] for name in rows["rules"]],
        mark=[kind(rules)[0] for rules in all_rules],
        kind=[kind(rules)[1] for rules in all_rules],
        text=texts,
        unit=unit,
        reference=scale * reference,
    )
    after = f"{words.GAP}%" if percent else ""
    told = "; ".join(
        f"{row['rules']} {text}{after} ({words.interval(row, scale, sign, coarse=True)})"
        for row, text in zip(records, texts, strict=True)
    )
    return picture(
        forest.draw,
        frame,
        _rows_height(len(frame), 1.05),
        title,
        caption,
        f"A row a rule set with its interval, {unit}, from the highest to the lowest: {told}.",
        tables.estimates(rows, title, unit, percent),
    )


def _rows_height(rows: int, rest: float) -> float:
    return round(rest + 0.235 * max(rows, 2), 2)


def ridges_picture(material: Material) -> Picture:
    """Show the points in a deal over all rule sets."""
    both = [
        p.points.assign(label=material.labels[p.rules.name], rules=p.rules.name)
        for p in material.profiles
    ]
    frame = pd.concat(both, ignore_index=True)
    told = "; ".join(
        f"{p.rules.name} "
        + words.listed(f"{row['seat']} {words.value(row)}" for row in p.seats.to_dict("records"))
        for p in material.profiles
    )
    seats = pd.concat([p.seats.assign(rules=p.rules.name) for p in material.profiles])
    seats["rules"] = seats["rules"] + ", " + seats["seat"]
    return picture(
        ridges.draw,
        frame,
        round(1.2 + 0.36 * len(material.profiles), 2),
        "Points in a deal",
        "How often each number of points is made, a ridge for each rule set. The whole tables are "
        "with the rule sets below." + _star(material),
        f"A ridge a rule set, outlining how often each number of points is made. Means: {told}.",
        tables.estimates(seats, "Mean points a deal", "points a deal"),
    )


def _star(material: Material) -> str:
    low = any(lowest_wins(p.rules) for p in material.profiles)
    return " * The lowest total wins." if low else ""


def leads_picture(material: Material) -> Picture:
    """Show where the first player's lead comes from."""
    found = [
        p.item_leads.assign(rules=p.rules.name, label=material.labels[p.rules.name])
        for p in material.profiles
    ]
    frame = pd.concat([one for one in found if len(one)], ignore_index=True)
    order = [name for name in ITEM_NAMES if name in set(frame["item"])]
    shown = frame.assign(
        text=[words.fixed(100 * number, 0, sign=True) for number in frame["value"]],
        place=frame["item"].map(order.index),
    ).sort_values("place", kind="stable")
    shown["label"] = pd.Categorical(shown["label"], list(dict.fromkeys(frame["label"])))
    shown = shown.sort_values(["label", "place"], kind="stable").astype({"label": str})
    shown["item"] = [SHORT_ITEMS.get(i, ITEM_NAMES[i]) for i in shown["item"]]
    width = words.half_width(frame)
    sure = f" Their 95 % intervals reach {words.fixed(100 * width, 1)} or less to either side."
    return picture(
        heat.draw,
        shown,
        _rows_height(len(material.profiles), 0.85),
        "Where the first player's lead comes from",
        "Points that the first player takes more than the dealer in 100 deals, item by item; "
        f"a minus: the dealer takes more. A blank: worth nothing there."
        f"{'' if pd.isna(width) else sure}{_star(material)}",
        f"A grid of rule sets by items: {_lead_ends(frame)}. All numbers are in the table.",
        tables.item_leads(frame),
    )


def _lead_ends(frame: pd.DataFrame) -> str:
    texts = []
    for item, rows in frame.groupby("item", sort=False):
        low, high = (
            words.fixed(100 * n, 0, True) for n in (rows["value"].min(), rows["value"].max())
        )
        texts.append(f"{ITEM_NAMES[str(item)]} {low} to {high}")
    return "; ".join(texts)


def plays_picture(material: Material) -> Picture:
    """Show what cards are played for over all rule sets."""
    frame = pd.concat(
        [
            p.plays.assign(rules=p.rules.name, label=material.labels[p.rules.name])
            for p in material.profiles
        ],
        ignore_index=True,
    )
    groups = {"captures": "captures", "trails": "trails"}
    shown = frame.assign(kind=[groups.get(name, "builds") for name in frame["kind"]])
    shown = shown.groupby(["label", "kind"], sort=False)[["value"]].sum().reset_index()
    told = "; ".join(
        f"{name} " + words.listed(f"{words.fixed(100 * v, 0)} % {k}" for k, v in _kinds(rows))
        for name, rows in shown.groupby("label", sort=False)
    )
    return picture(
        plays.draw,
        shown,
        _rows_height(len(material.profiles), 1.0),
        "What cards are played for",
        "Builds: made from the hand, raised or added to. Trails: cards laid on the table and no "
        "more." + _star(material),
        f"A bar a rule set, split by kind of play: {told}.",
        tables.plays(frame),
    )


def _kinds(rows: pd.DataFrame) -> Sequence[tuple[str, float]]:
    return [(str(k), float(v)) for k, v in zip(rows["kind"], rows["value"], strict=True)]
