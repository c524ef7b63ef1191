"""A comparison of two rule sets as text of 80 columns: plain words first, then the table."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kasino_sim.cli.sheets import WIDTH, cut
from kasino_sim.cli.simulate_table import digits
from kasino_sim.rule_words import change_words
from kasino_sim.rules import Ruleset, diff
from kasino_sim.stats import compare as verdicts
from kasino_sim.stats.compare import POINTS, ROPE, Comparison
from kasino_sim.stats.shifts import DISTANCE, MORE
from kasino_sim.words import item_names

if TYPE_CHECKING:
    import pandas as pd

    from kasino_sim.contrast import Contrast

LABELS: Mapping[str, str] = MappingProxyType(
    {
        "points": "points, all sides",
        "points_first": "  who plays first",
        "points_dealer": "  the dealer",
        "first_player_advantage": "worth of playing first",
        "sweeps_per_deal": "sweeps",
        "builds_per_deal": "builds made",
        "captures_per_deal": "captures",
        "tied_cards": "cards tied, %",
        "tied_spades": "spades tied, %",
        "deals_per_match": "deals a match",
        "first_dealer_match_edge": "first dealer's edge %",
    }
)
_PANELS: Mapping[str, str] = MappingProxyType(
    {
        **{f"{name} a deal": "times a deal" for name in ("sweeps", "builds", "captures")},
        "share of deals": "% of deals",
        "share of matches": "% of matches",
    }
)
SHARES = ("share of deals", "share of matches")
MOST_WORDS = 6  # changed rules that are told in words; of more, only the keys
MOST_SENTENCES = 5
_CHANGED = (verdicts.MORE, verdicts.LESS, verdicts.SLIGHTLY_MORE, verdicts.SLIGHTLY_LESS)

Row = Any


def comparison_text(contrast: Contrast, found: Comparison, stopped: str) -> str:
    """Return a comparison for a person to read."""
    rows = {row.response: row for row in _rows(found)}
    lines = [*_heading(contrast), ""]
    sentences = [*_sentences(contrast, rows), *_item_sentence(contrast, rows)]
    for sentence in sentences[:MOST_SENTENCES]:
        lines += textwrap.wrap(sentence, WIDTH, initial_indent="* ", subsequent_indent="  ")
    lines += ["", *_table(contrast, found), "", *_notes(contrast, found, stopped)]
    return "\n".join(line.rstrip() for line in lines)


# ---------------------------------------------------------------- what is compared


def _heading(contrast: Contrast) -> list[str]:
    told, b = _changes(contrast), contrast.b.rules
    if len(told) == 1 and _one_base(contrast):
        return textwrap.wrap(f"{contrast.a.rules.name}, but {told[0]}", WIDTH)
    of_b = "" if _one_base(contrast) else f"{b.name}: "
    lines = textwrap.wrap(f"{of_b}{'; '.join(told)}", WIDTH - 2)
    return [_title(contrast), *textwrap.indent("\n".join(lines), "  ").splitlines()]


def _changes(contrast: Contrast) -> list[str]:
    """Tell the changed rules in words, the first few of many."""
    told = [change_words(*change) for change in diff(contrast.a.rules, contrast.b.rules)]
    if len(told) <= MOST_WORDS:
        return told
    return [*told[: MOST_WORDS - 1], f"{len(told) - MOST_WORDS + 1} more rules"]


def _title(contrast: Contrast) -> str:
    a, b = contrast.a.rules, contrast.b.rules
    changed = len(diff(a, b))
    if not _one_base(contrast):
        return cut(f"{a.name} against {b.name}")
    return cut(f"{a.name} with {changed} rules changed")


def picture_title(contrast: Contrast) -> str:
    """Return what stands above the picture, in one line."""
    told = _changes(contrast)
    if _one_base(contrast) and len(told) == 1:
        return cut(f"{contrast.a.rules.name}, but {told[0]}")
    return _title(contrast)


def _one_base(contrast: Contrast) -> bool:
    """Whether both are one rule set, with changes."""
    return _short(contrast.a.rules) == _short(contrast.b.rules)


def _short(rules: Ruleset) -> str:
    """Name a rule set without what was changed in it."""
    return rules.name.partition("+")[0]


def _columns(contrast: Contrast) -> tuple[str, str]:
    """Name the columns of the two rule sets."""
    a, b = _short(contrast.a.rules), _short(contrast.b.rules)
    return ("before", "changed") if a == b else (cut(a, 7), cut(b, 7))


# ---------------------------------------------------------------- in plain words


def _sentences(contrast: Contrast, rows: Mapping[str, Row]) -> Iterator[str]:
    """Yield two to five sentences."""
    yield _points_sentence(rows["points"])
    if "deals_per_match" in rows:
        yield from _match_sentences(contrast, rows)
    yield _first_sentence(rows["first_player_advantage"])
    yield from _play_sentence(rows)


def _points_sentence(row: Row) -> str:
    if row.verdict in _CHANGED:
        return (
            f"A deal gives {_gap(row)} points {_more(row)}{_ends(row)}: "
            f"{_mean(row, row.b)}, not {_mean(row, row.a)}."
        )
    if row.verdict == verdicts.SAME:
        return f"A deal gives as many points as before, {_mean(row, row.a)}."
    if row.verdict == verdicts.NO_REAL_CHANGE:
        return f"A deal gives hardly more or fewer points: {_mean(row, row.b)}{_change(row)}."
    return f"Whether a deal gives more points cannot be told from so few deals{_change(row)}."


def _match_sentences(contrast: Contrast, rows: Mapping[str, Row]) -> Iterator[str]:
    length, edge = rows["deals_per_match"], rows["first_dealer_match_edge"]
    a, b = (_match_words(plan.rules) for plan in (contrast.a, contrast.b))
    if length.verdict == verdicts.UNDETERMINED and (_missing(length.a) or _missing(length.b)):
        yield (
            "How long a match lasts cannot be told: it may never end, or it can stand in too "
            "many ways to reckon."
        )
        return
    if a != b:
        yield f"A match {a} takes {length.a:.2f} deals, a match {b} {length.b:.2f}."
    elif length.verdict in _CHANGED:
        way = "longer" if length.difference > 0 else "shorter"
        yield (
            f"A match {a} is {_gap(length)} deals {way}{_ends(length)}: "
            f"{_mean(length, length.b)} deals, not {_mean(length, length.a)}."
        )
    else:
        yield f"A match {a} is as long as before, {_mean(length, length.a)} deals{_change(length)}."
    if edge.verdict in _CHANGED:
        shares = [
            f"{100 * (1 / plan.rules.sides + value):.{max(1, _places(edge))}f} %"
            for plan, value in ((contrast.a, edge.a), (contrast.b, edge.b))
        ]
        fair = [f"{100 / plan.rules.sides:.0f} %" for plan in (contrast.a, contrast.b)]
        of_fair = f"; a fair share is {fair[1]}, not {fair[0]}" if fair[0] != fair[1] else ""
        yield f"Who deals first wins {shares[1]} of the matches, not {shares[0]}{of_fair}."


def _match_words(rules: Ruleset) -> str:
    match = rules.match
    if match.goal == "points":
        return f"to {match.target}"
    return "of one deal" if match.deals == 1 else f"of {match.deals} deals"


def _first_sentence(row: Row) -> str:
    if row.verdict in _CHANGED:
        return (
            f"Playing first is worth {_gap(row)} points a deal {_more(row)}{_ends(row)}: "
            f"{_signed(row, row.b)}, not {_signed(row, row.a)}."
        )
    if row.verdict in (verdicts.SAME, verdicts.NO_REAL_CHANGE):
        return f"Who plays first gains or loses nothing by it{_change(row)}."
    if row.verdict == verdicts.UNDETERMINED or row.verdict == verdicts.TOO_FEW:
        return "Whether playing first is worth more or less cannot be told from so few deals."
    return f"Who plays first gains or loses nothing that can be told for sure{_change(row)}."


def _play_sentence(rows: Mapping[str, Row]) -> Iterator[str]:
    """Yield what changes of sweeps, builds and captures."""
    parts = []
    for name in ("sweeps", "builds", "captures"):
        row = rows[f"{name}_per_deal"]
        if row.verdict in _CHANGED:
            parts.append(f"{_gap(row)} {_more(row, 'fewer')} {name}{_ends(row)}")
    still = [rows[f"{name}_per_deal"].verdict for name in ("sweeps", "builds", "captures")]
    if parts:
        yield f"In a deal there are {_and(parts)}."
    elif set(still) == {verdicts.SAME}:
        yield "The cards are played as before: as many sweeps, builds and captures."


def _item_sentence(contrast: Contrast, rows: Mapping[str, Row]) -> Iterator[str]:
    """Yield which items give more or fewer points, where it is not sweeps alone."""
    names = item_names(contrast.a.rules)
    parts = [
        f"{names[item]} {_signed(rows[item], rows[item].difference)}"
        for item in ("big", "little", "aces", "spades", "cards", "last", "sweeps", "each_spade")
        if rows[item].verdict in (verdicts.MORE, verdicts.LESS)
    ]
    if len(parts) > 1:
        yield f"Points of a deal, item by item: {', '.join(parts)}."


def _missing(value: float) -> bool:
    return not math.isfinite(value)


def _scale(row: Row) -> int:
    return 100 if row.unit in SHARES else 1


def _places(row: Row) -> int:
    """Return the decimals for a sentence: few, but the ends of the interval are to differ."""
    se, width = row.se * _scale(row), (row.hi - row.lo) * _scale(row)
    if not se > 0:
        return 2
    places = min(2, max(0, digits(se) - 1))
    while width * 10**places < 1 and places < 4:
        places += 1
    return places


def _mean(row: Row, value: float) -> str:
    return f"{value * _scale(row):.{_places(row)}f}"


def _signed(row: Row, value: float) -> str:
    text = f"{value * _scale(row):+.{_places(row)}f}"
    return text if float(text) else text[1:]


def _gap(row: Row) -> str:
    return _mean(row, abs(row.difference))


def _more(row: Row, less: str = "less") -> str:
    return "more" if row.difference > 0 else less


def _ends(row: Row) -> str:
    """Write the interval of a difference whose sign is told by a word."""
    if not row.se > 0:
        return ", the same in every deal"
    low, high = sorted(abs(end) for end in (row.lo, row.hi))
    slight = row.verdict in (verdicts.SLIGHTLY_MORE, verdicts.SLIGHTLY_LESS)
    note = ", too little to notice" if slight else ""
    return f" ({_mean(row, low)} to {_mean(row, high)}){note}"


def _change(row: Row) -> str:
    """Write the interval of a difference that may be 0."""
    if _missing(row.lo) or not row.se > 0:
        return ""
    return f" ({_signed(row, row.lo)} to {_signed(row, row.hi)})"


def _and(texts: list[str]) -> str:
    *head, last = texts
    return f"{', '.join(head)} and {last}" if head else last


# ---------------------------------------------------------------- the table


def _table(contrast: Contrast, found: Comparison) -> list[str]:
    a, b = _columns(contrast)
    lines = [f"{'a deal has':<21}{a:>8}{b:>8}{'change':>8}  {'95 % interval':<17}  verdict"]
    names = item_names(contrast.a.rules)
    for row in _rows(found):
        if row.response in names and row.a == 0 and row.b == 0:
            continue
        label = LABELS.get(row.response) or f"  {cut(_item(names, row.response), 19)}"
        lines.append(_line(label, row))
    return lines


def _rows(found: Comparison) -> Iterator[Row]:
    return iter(found.rows.itertuples(index=False))


def _item(names: Mapping[str, str], item: str) -> str:
    return "points for sweeps" if item == "sweeps" else names[item]


def _line(label: str, row: Row) -> str:
    scale, se = _scale(row), row.se * _scale(row)
    most = 1 if max(abs(v) for v in (row.a, row.b)) * scale >= 100 else 3
    places = min(digits(se), most) if se > 0 else min(2, most)
    numbers = [
        "?" if _missing(v) else f"{round(v * scale, places) + 0.0:{sign}.{places}f}"
        for v, sign in ((row.a, ""), (row.b, ""), (row.difference, "+"))
    ]
    if row.difference == 0:
        numbers[2] = "0"
    ends = ""
    if se > 0 and not _missing(row.lo):
        ends = f"{row.lo * scale:+.{places}f} to {row.hi * scale:+.{places}f}"
    cells = "".join(f"{text:>8}" for text in numbers)
    return f"{label:<21}{cells}  {ends:<17}  {row.verdict}"


def _notes(contrast: Contrast, found: Comparison, stopped: str) -> list[str]:
    a = contrast.a
    names = ", ".join(player.name for player in a.players)
    beliefs = (
        "weighing the items by each rule set's points"
        if contrast.adapt
        else f"weighing the items by the points of {a.rules.name} in both (--adapt: by each)"
    )
    who = f"{names} in every seat" if len(a.players) == 1 else names
    text = [
        f"{found.blocks:,} decks (deals {a.first_deal:,} to {a.first_deal + found.blocks - 1:,} of "
        f"seed {a.seed}), each played by both rule sets; players: "
        f"{who}, {beliefs}."
    ]
    if contrast.re_scored:
        text.append("The rules differ in scoring alone: each deck was played once, scored twice.")
    if contrast.a.rules.sides != contrast.b.rules.sides:
        text.append(
            f"{contrast.a.rules.sides} sides against {contrast.b.rules.sides}: what is compared "
            "is the whole deal, who plays first, and the dealer."
        )
    for rules in (contrast.a.rules, contrast.b.rules):
        if rules.match.winner == "lowest":
            text.append(
                f"Under {rules.name} the lowest total wins: playing first is worth as many points "
                "as it avoids."
            )
    if stopped == "standard error":
        text.append("Stopped where the standard errors were small enough.")
    text += _shift(contrast, found)
    text.append(
        f"Verdicts hold for all {found.family} rows that vary together (max-T, 95 %); in points, "
        f"less than {ROPE} a deal is no real change."
    )
    if verdicts.SAME in set(found.rows["verdict"]):
        text.append("The same: equal in every deal.")
    return textwrap.wrap(" ".join(text), WIDTH)


def _shift(contrast: Contrast, found: Comparison) -> Iterator[str]:
    """Yield how often the first player has more points of a deck under B than under A."""
    if found.shift is None:
        return
    more, apart = found.shift[MORE], found.shift[DISTANCE]
    if _missing(more["low"]) or _missing(apart["low"]):
        return
    a, b = _columns(contrast)
    than = "with the change than without" if _one_base(contrast) else f"under {b} than under {a}"
    yield (
        f"The first player has more points from a deck {than} on "
        f"{100 * more['value']:.1f} % of decks ({100 * more['low']:.1f} to "
        f"{100 * more['high']:.1f}; an equal score counts half); the two distributions are "
        f"{apart['value']:.2f} points apart ({apart['low']:.2f} to {apart['high']:.2f}, "
        "Wasserstein)."
    )
    gain = found.reduction.get("points_first")
    if gain is not None:
        yield f"The same decks under both cut the variance of this difference {gain:.1f} times."


# ---------------------------------------------------------------- the picture


def picture_frame(contrast: Contrast, found: Comparison) -> pd.DataFrame:
    """Return the rows that vary for `plots.compare`: label, value, low, high, text, unit, mark."""
    names = item_names(contrast.a.rules)
    rows = found.rows[found.rows["se"].notna() & (found.rows["verdict"] != verdicts.SAME)].copy()
    scale = rows["unit"].isin(SHARES).map({True: 100, False: 1})
    picked = [LABELS.get(name, "").strip() or _item(names, name) for name in rows["response"]]
    return rows.assign(
        label=picked,
        unit=[_PANELS.get(unit, unit) for unit in rows["unit"]],
        value=rows["difference"] * scale,
        low=rows["lo"] * scale,
        high=rows["hi"] * scale,
        changed=rows["verdict"].isin(_CHANGED),
        band=[ROPE if unit == POINTS else 0.0 for unit in rows["unit"]],
    )[["label", "unit", "value", "low", "high", "verdict", "changed", "band"]]
