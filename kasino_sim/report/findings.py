"""The sentences that open a report: computed from the numbers, none claiming more than they do.

A rule set is called the highest or the lowest only with those that it is not clearly apart from;
the allowance for having looked at all of them is in `stats.extremes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from kasino_sim.report import words
from kasino_sim.report.names import ITEM_NAMES, lowest_wins
from kasino_sim.report.parts import Material
from kasino_sim.stats.extremes import at_the_end, clear_signs
from kasino_sim.stats.matches import length_quantile
from kasino_sim.stats.measures import one_measure

MANY = 3  # rule sets not clearly apart from the first that are still named


@dataclass(frozen=True)
class Finding:
    """A heading of a word or two, and a sentence or two."""

    head: str
    text: str


def findings(material: Material) -> list[Finding]:
    """Write all sentences that the numbers allow."""
    return [found for write in _WRITERS if (found := write(material)) is not None]


def _several(material: Material) -> bool:
    return len(material.profiles) > 1


def _with_near(near: pd.DataFrame, written: str) -> str:
    """Write the first of some rows, and that the others are not clearly apart from it."""
    name, others = near["rules"].iloc[0], list(near["rules"].iloc[1:])
    if not others:
        return f"{name}: {written}"
    who = words.listed(others) if len(others) <= MANY else f"{words.in_words(len(others))} others"
    return f"{name}: {written}, with {who} too close to part from it"


def _playing_first(material: Material) -> Finding | None:
    rows = one_measure(material.measures, "first_advantage")
    signs = clear_signs(rows)
    helped, hurt = int((signs == 1).sum()), int((signs == -1).sum())
    parts = [
        _first_counts(rows, signs, helped, hurt),
        _first_end(rows, helped, highest=True),
        _first_end(rows, hurt, highest=False),
    ]
    low = [p.rules.name for p in material.profiles if lowest_wins(p.rules)]
    if low and any(name in " ".join(parts) for name in low):
        parts.append(f"In {words.listed(low)} the lowest total wins: there points avoided count.")
    return Finding("Playing first", " ".join(filter(None, parts)))


def _first_counts(rows: pd.DataFrame, signs: pd.Series, helped: int, hurt: int) -> str:
    total = len(rows)
    if total == 1:
        if helped or hurt:
            return ""
        found = words.about(rows.iloc[0], "points a deal", sign=True)
        return f"Whether playing first helps cannot be told: {found}."
    if not helped and not hurt:
        return "Whether it is better to play first or to deal cannot be told for any rule set."
    texts = []
    if helped:
        texts.append(f"an advantage in {words.share_of(helped, total, 'rule set')}")
    if hurt:
        names = list(rows.loc[signs == -1, "rules"])
        where = words.listed(names) if len(names) <= MANY else f"{words.in_words(hurt)}"
        texts.append(f"a drawback in {where}")
    rest = total - helped - hurt
    if rest:
        texts.append(f"not clearly either in {words.in_words(rest)}")
    return f"To play first, and so not to deal, is {words.listed(texts)}."


def _first_end(rows: pd.DataFrame, clear: int, highest: bool) -> str:
    """Say where playing first is worth or costs most, if it clearly does anywhere."""
    if not clear:
        return ""
    near = at_the_end(rows, highest)
    best = near.iloc[0].to_dict()
    verb = "worth" if highest else "costs"
    if not highest:
        best.update(value=-best["value"], low=-best["high"], high=-best["low"])
    written = words.about(best, "points a deal")
    if len(rows) == 1:
        what = "an advantage" if highest else "a drawback"
        return f"To play first, and so not to deal, is {what} in {best['rules']}: {written}."
    start = "It is worth most in" if verb == "worth" else "It costs most in"
    return f"{start} {_with_near(near, written)}."


def _sweeps(material: Material) -> Finding | None:
    rows = one_measure(material.measures, "sweeps")
    if rows["se"].notna().sum() == 0:
        return None
    swept = one_measure(material.measures, "swept").set_index("rules")
    texts = []
    for highest, start in ((True, "Sweeps are most common in"), (False, "They are rarest in")):
        near = at_the_end(rows, highest)
        best = near.iloc[0]
        deals = words.about_percent(swept.loc[best["rules"]])
        written = f"{words.about(best)} a deal, and one or more in {deals} of deals"
        if not _several(material):
            return Finding("Sweeps", f"Sweeps in {best['rules']}: {written}.")
        texts.append(f"{start} {_with_near(near, written)}.")
    return Finding("Sweeps", " ".join(texts))


def _last_capture(material: Material) -> Finding | None:
    rows = one_measure(material.measures, "last_dealer")
    rows = rows[rows["se"].notna()]
    if rows.empty:
        return None
    start = "The dealer plays the last card, and makes the last capture in"
    if len(rows) == 1:
        only = rows.iloc[0]
        where = f" in {only['rules']}, where it scores" if _several(material) else ""
        return Finding("Last capture", f"{start} {words.about_percent(only)} of deals{where}.")
    high, low = at_the_end(rows), at_the_end(rows, highest=False)
    return Finding(
        "Last capture",
        f"{start} most often under {_with_near(high, _of_deals(high))}; least often under "
        f"{_with_near(low, _of_deals(low))}.",
    )


def _of_deals(near: pd.DataFrame) -> str:
    """Write the share of deals of the first of some rows."""
    return f"{words.about_percent(near.iloc[0])} of deals"


def _ties(material: Material) -> Finding | None:
    rows = one_measure(material.measures, "tied_cards")
    if rows.empty:
        return None
    start = "Nobody has most cards"
    if len(rows) == 1 or rows["se"].isna().all():
        text = f"{start} in {words.about_percent(rows.iloc[0])} of deals"
    else:
        high, low = at_the_end(rows), at_the_end(rows, highest=False)
        text = (
            f"{start} most often in {_with_near(high, _of_deals(high))}; least often in "
            f"{_with_near(low, _of_deals(low))}"
        )
    if all(p.rules.sides == 2 for p in material.profiles):
        text += "; spades cannot be tied between two sides, for there are thirteen"
    return Finding("Ties", text + ".")


def _match_length(material: Material) -> Finding | None:
    goals = {p.rules.name: p.rules.match for p in material.profiles}
    rows = one_measure(material.measures, "match_length")
    to_target = rows["rules"].map(lambda name: goals[name].goal == "points").astype(bool)
    rows = rows[to_target & rows["se"].notna()]
    if rows.empty:
        return None
    ends = [(True, "The longest matches are those of")]
    if len(rows) > 1:
        ends.append((False, "The shortest are those of"))
    texts = []
    for highest, start in ends:
        near = at_the_end(rows, highest)
        best = near.iloc[0]
        target = f"{words.about(best)} deals to {goals[best['rules']].target} points"
        if len(rows) == 1:
            start = "Matches in"
        texts.append(f"{start} {_with_near(near, target)}.")
        if highest:
            texts.append(_nine_in_ten(material, best["rules"]))
    return Finding("Length of a match", " ".join(texts))


def _nine_in_ten(material: Material, name: str) -> str:
    matches = material.profile(name).run.matches
    within = words.plural(length_quantile(matches, 0.9) or 0, "deal")
    return f"Nine in ten of its {words.count(matches.matches)} matches were over within {within}."


def _trails(material: Material) -> Finding | None:
    rows = one_measure(material.measures, "trails")
    if rows["se"].notna().sum() == 0:
        return None
    high, low = at_the_end(rows), at_the_end(rows, highest=False)
    written = words.about_percent(high.iloc[0])
    start = "Of all cards played, these are laid on the table without taking or building anything"
    if not _several(material):
        return Finding("Trailing", f"{start}: {written}.")
    return Finding(
        "Trailing",
        f"{start}: most in {_with_near(high, written)}; fewest in "
        f"{_with_near(low, words.about_percent(low.iloc[0]))}.",
    )


def _lead(material: Material) -> Finding | None:
    profile = material.profiles[0]
    rows = profile.item_leads
    if rows.empty or rows["se"].isna().all():
        return None
    signs = clear_signs(rows)
    texts = []
    for side, who in ((1, "the first player gains most from"), (-1, "the dealer from")):
        clear = rows[signs == side]
        if clear.empty:
            continue
        best = clear.sort_values("value", ascending=side < 0, kind="stable").iloc[0].to_dict()
        if side < 0:
            best.update(value=-best["value"], low=-best["high"], high=-best["low"])
        texts.append(f"{who} the {ITEM_NAMES[best['item']]}, {words.about(best)}")
    if not texts:
        return None
    verb = "takes more points in" if lowest_wins(profile.rules) else "gains most from"
    told = words.listed(texts).replace("gains most from", verb)
    return Finding("Seat by seat", f"In {profile.rules.name}, counted in points a deal, {told}.")


_WRITERS: Sequence[Callable[[Material], Finding | None]] = (
    _playing_first,
    _lead,
    _sweeps,
    _match_length,
    _ties,
    _last_capture,
    _trails,
)
