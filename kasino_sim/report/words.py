"""Numbers and lists as a reader wants them: rounded by the standard error, never nan."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

UNDETERMINED = "undetermined"
MINUS, GAP = "\u2212", "\u00a0"

Row = Any  # of a tidy frame, as a dict or a Series: value, se, low, high

_SMALL = "no one two three four five six seven eight nine ten eleven twelve thirteen".split()
_MOST_DECIMALS, _OF_PERCENTAGES = 3, 1


def count(number: int) -> str:
    """Write a whole number with gaps between thousands."""
    return f"{number:,}".replace(",", GAP)


def in_words(number: int) -> str:
    """Write a small whole number as a word."""
    return _SMALL[number] if 0 <= number < len(_SMALL) else count(number)


def plural(number: int, one: str, many: str = "") -> str:
    """Write a count and what is counted."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def share_of(part: int, whole: int, thing: str) -> str:
    """Write how many of some things: `all thirteen …`, `seven of the thirteen …`, `none of …`."""
    if whole == 1:
        return f"the {thing}" if part else f"not the {thing}"
    if part == whole:
        return f"both {thing}s" if whole == 2 else f"all {in_words(whole)} {thing}s"
    return f"{'none' if part == 0 else in_words(part)} of the {in_words(whole)} {thing}s"


def listed(things: Iterable[str]) -> str:
    """Write a list: `a`, `a and b`, `a, b and c`."""
    *head, last = things
    return f"{', '.join(head)} and {last}" if head else last


def decimals(row: Row, scale: float = 1, coarse: bool = False) -> int:
    """Return the decimals that the standard error of a row allows.

    One digit of the error counts, or two where it begins with 1 or 2 (or 3 up to 3.5), and no more
    than three decimals. A `coarse` number, for a sentence, has one digit of the error at most and
    no more than two decimals. A percentage has one.
    """
    se = _error(row) * scale
    if not se > 0 or math.isinf(se):
        return 2 if scale == 1 else 1
    place = math.floor(math.log10(se))
    digits = 2 if se / 10**place < 3.55 and not coarse else 1
    most = _OF_PERCENTAGES if scale == 100 else 2 if coarse else _MOST_DECIMALS
    return min(max(digits - 1 - place, 0), most)


def _error(row: Row) -> float:
    """Return the standard error, or a quarter of the interval where that is wider (few events)."""
    se, low, high = (float(row.get(key, math.nan)) for key in ("se", "low", "high"))
    spread = (high - low) / 4
    if math.isnan(se) or math.isnan(spread):
        return spread if math.isnan(se) else se
    return max(se, spread) if se == 0 else se


def fixed(number: float, places: int, sign: bool = False) -> str:
    """Write a number with so many decimals, with a true minus and no negative zero."""
    rounded = round(number, places) + 0.0
    text = f"{abs(rounded):,.{places}f}".replace(",", GAP)
    if rounded < 0:
        return MINUS + text
    return f"+{text}" if sign and rounded > 0 else text


def value(row: Row, scale: float = 1, sign: bool = False, coarse: bool = False) -> str:
    """Write the value of a row, rounded by its standard error."""
    if pd.isna(row["value"]):
        return UNDETERMINED
    places = decimals(row, scale, coarse)
    number = scale * row["value"]
    exact = pd.isna(row["low"]) or row["low"] == row["high"]
    if number == 0 or (exact and float(number).is_integer()):
        places = 0
    return fixed(number, places, sign)


def interval(row: Row, scale: float = 1, sign: bool = False, coarse: bool = False) -> str:
    """Write the interval of a row, its ends rounded outwards so that it never claims too much."""
    if pd.isna(row["low"]) or pd.isna(row["high"]):
        return UNDETERMINED
    places = decimals(row, scale, coarse)
    step = 10.0**-places
    low = math.floor(round(scale * row["low"] / step, 6)) * step
    high = math.ceil(round(scale * row["high"] / step, 6)) * step
    return f"{fixed(low, places, sign)} to {fixed(high, places, sign)}"


def about(row: Row, unit: str = "", sign: bool = False) -> str:
    """Write, for a sentence, `0.48 points (0.31 to 0.65)`."""
    middle = f" {unit}" if unit else ""
    ends = interval(row, sign=sign, coarse=True)
    return f"{value(row, sign=sign, coarse=True)}{middle} ({ends})"


def percent(row: Row, coarse: bool = False) -> str:
    """Write a share as a percentage."""
    text = value(row, 100, coarse=coarse)
    return text if text == UNDETERMINED else f"{text}{GAP}%"


def about_percent(row: Row) -> str:
    """Write, for a sentence, `7.5 % (6.7 to 8.4)`."""
    return f"{percent(row, coarse=True)} ({interval(row, 100, coarse=True)})"


def half_width(frame: pd.DataFrame) -> float:
    """Return the widest half of the intervals of a frame, NaN where there is none."""
    return float(((frame["high"] - frame["low"]) / 2).max())
