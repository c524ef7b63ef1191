"""The verdicts on tips, and a page for each tip."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from kasino_sim.plots import dose, equivalence
from kasino_sim.report import words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Cell, Material, Picture, Section, Table
from kasino_sim.report.pictures import picture
from kasino_sim.report.study_words import (
    DIFFERENCES,
    HOLLOW,
    STAGES,
    about,
    difference,
    height,
    mark,
    not_drawn,
    number,
    row,
    verdict,
    with_minus,
)
from kasino_sim.stats.families import SAME
from kasino_sim.stats.multiplicity import ABOVE, BELOW
from kasino_sim.studies.tip_verdicts import NOTHING, UNDECIDED

MEANINGS = {
    "true": "more than the grey band at three levels of play or more, the strongest among them, "
    "and also between players who were tuned anew without the idea",
    "true so far": "the same, but players tuned anew were not played",
    "absorbed": "it helps as players are, but not those who were tuned anew without the idea: they "
    "make up for it by other means",
    "true but small": "it helps, and nobody would notice",
    "no effect": "what it does, either way, nobody would notice",
    "level-dependent": "it does more for some players than for others; levels at which nobody ever "
    "plays otherwise for the tip do not count",
    "false": "it costs more than the grey band",
    "undecided": "too few deals to tell",
    "vacuous": "it never makes a player do anything else",
}
LEAST_USES = 30  # of a kind of hands, for the worth of a use in it to be told
OPEN = "open"
TO_WHOM = {
    ABOVE: "helps",
    BELOW: "costs",
    "nothing": "is nothing to notice for",
    SAME: "never changes anything for",
    OPEN: "is undecided for",
}
"""What a verdict at one level of play says, in the order of telling."""


def context(material: Material) -> dict[str, Any]:
    """Collect the verdicts, and what there is about each tip."""
    (study, *_) = material.of_kind("tips")
    tips = study.table("tips")
    return {
        "about": about(study),
        "found": _found(tips),
        "overview": _overview(study, tips),
        "picture": _picture(study, tips),
        "tips": [_tip(study, found) for found in tips.to_dict("records")],
        "not_run": tips["not_run"].iloc[0] if len(tips) else "",
        "meanings": MEANINGS,
        "searches": _searches(study.plan.get("adapt")),
    }


def _searches(adapt: dict[str, Any] | None) -> str:
    """Say how players were tuned anew, if they were."""
    if not adapt:
        return ""
    games = 2 * adapt["population"] * adapt["generations"] * adapt["blocks"]
    return (
        f"Players were tuned anew {words.in_words(adapt['restarts'])} times with the tip and "
        f"{words.in_words(adapt['restarts'])} times without, by {words.count(games)} games each "
        "time; longer searches might make up for more."
    )


def _found(tips: pd.DataFrame) -> list[str]:
    """Say which tips got which verdict."""
    return [
        f"{str(kind).capitalize()}: {words.listed(f'“{says}”' for says in same['says'])}."
        for kind, same in tips.groupby("verdict", sort=False)
    ]


def _overview(study: KeptStudy, tips: pd.DataFrame) -> Table:
    worth = study.table("tip_worth")
    rows = tuple(
        (
            Cell(found["says"], found["source"], found["says"], f"#{_anchor(found['tip'])}"),
            Cell(found["verdict"], _levels(found) or _why_open(found)),
            number(found),
            Cell(words.fixed(found["changes_per_deal"], 2), sort=repr(found["changes_per_deal"])),
            _by_player(worth, found),
            _opposite(worth, found),
            Cell(_short(found["uses_say"])),
            _tuned(found),
        )
        for found in tips.to_dict("records")
    )
    level, home = (tips[name].iloc[0] if len(tips) else "" for name in ("level", "home"))
    head = (
        "tip",
        "verdict",
        f"points a deal, {level}",
        f"decisions changed a deal, {home}",
        "by player",
        f"doing the opposite, {home}",
        "uses × worth = total",
        f"tuned anew without it, {home}",
    )
    return Table("Verdicts on tips", head, rows, sortable=True)


def _by_player(worth: pd.DataFrame, found: Any) -> Cell:
    """Tell what the tip gains each player, as surely as each is known."""
    same = worth[(worth["tip"] == found["tip"]) & (worth["stage"] == "naive")]
    told = [
        f"{r['level']}{words.GAP}{words.value(row(r), sign=True)}" for r in same.to_dict("records")
    ]
    return Cell(", ".join(told))


def _reverse(worth: pd.DataFrame, found: Any) -> dict[str, Any] | None:
    """Find what doing the opposite comes to, for the player and rules that tips are told of."""
    same = worth[
        (worth["tip"] == found["tip"])
        & (worth["stage"] == "reverse")
        & (worth["level"] == found["home"])
        & (worth["ruleset"] == found["ruleset"])
    ]
    return dict(same.iloc[0]) if len(same) else None


def _opposite(worth: pd.DataFrame, found: Any) -> Cell:
    tried = _reverse(worth, found)
    if tried is None:
        return Cell("not run")
    return Cell(
        words.value(row(tried), sign=True), _short(found["reverse_says"]), repr(tried["est"])
    )


def _anchor(tip: str) -> str:
    return f"tip-{tip.replace('_', '-')}"


def _short(text: str) -> str:
    """Leave out what stands behind a colon or in brackets: the tip's own part has it whole."""
    return text.partition(":")[0].partition(" (")[0]


def _tuned(found: Any) -> Cell:
    if pd.isna(found["tuned_est"]):
        return Cell("not run")
    return number({name: found[f"tuned_{name}"] for name in ("est", "se", "lo", "hi")})


def _picture(study: KeptStudy, tips: pd.DataFrame) -> Picture:
    worth = study.table("tip_worth")
    naive = worth[worth["stage"] == "naive"]
    levels = list(dict.fromkeys(naive.loc[naive["level"] != "random", "level"]))[-3:]
    says = dict(zip(tips["tip"], tips["says"], strict=True))
    frame = pd.DataFrame(
        [
            difference(study, found, says[found["tip"]], found["level"])
            | {"unit": "points a deal gained"}
            for found in naive[naive["level"].isin(levels)].to_dict("records")
        ],
        columns=DIFFERENCES,
    )
    rows = tuple(
        (Cell(says[r["tip"]]), Cell(r["level"]), number(r), verdict(r["verdict"]))
        for r in naive.to_dict("records")
    )
    table = Table("What tips gain", ("tip", "player", "points a deal", "verdict"), rows)
    return picture(
        equivalence.draw,
        frame,
        height(says.values(), 0.36, 1.0),
        "What a tip gains",
        "The same player with the tip against without, on the same decks. In the grey band nobody "
        f"would notice. {HOLLOW} Intervals hold for all tips and players together."
        f"{not_drawn(naive['level'], levels)}",
        "Points a deal that each tip gains: " + _told(naive, levels[-1], says),
        table,
    )


def _told(naive: pd.DataFrame, level: str, says: dict[str, str]) -> str:
    rows = naive[naive["level"] == level].to_dict("records")
    return words.listed(f"“{says[r['tip']]}” {words.value(row(r), sign=True)}" for r in rows) + "."


def _tip(study: KeptStudy, found: Any) -> dict[str, Any]:
    name = found["tip"]

    def of(table: str) -> pd.DataFrame:
        frame = study.table(table)
        return frame[frame["tip"] == name] if len(frame) else frame

    deals, elsewhere = _deals_of(study, name)
    return {
        "anchor": _anchor(name),
        "says": found["says"],
        "source": found["source"],
        "verdict": found["verdict"],
        "told": list(_plain(found, study.table("tip_worth"), study.table("tip_audit"))),
        "uses_say": found["uses_say"].replace("-", words.MINUS),
        "dose": _dose(study, of("tip_worth"), found),
        "protocol": _protocol(of("tip_worth")),
        "audit": _audit(of("tip_audit")),
        "places": _places(of("tip_places"), found) if study.has("tip_places") else None,
        "uses": _uses(of("tip_uses"), found),
        "deals": [_deal(deal) for deal in deals],
        "elsewhere": words.listed(f"“{says}”" for says in elsewhere) if elsewhere else "",
    }


def _deals_of(study: KeptStudy, name: str) -> tuple[list[Any], list[str]]:
    """Return the deals to tell of a tip, and the tips under which its others are told already."""
    says = study.table("tips").set_index("tip")["says"]
    deals = study.table("tip_deals")
    first = deals.drop_duplicates("deal").set_index("deal")["tip"]
    mine: list[Any] = deals[deals["tip"] == name].to_dict("records")
    shown = [deal for deal in mine if first[deal["deal"]] == name]
    others = dict.fromkeys(str(first[deal["deal"]]) for deal in mine if deal not in shown)
    return shown, [str(says[other]) for other in others]


def _levels(found: Any) -> str:
    """Say whom a level-dependent tip helps and costs; earlier runs did not tell."""
    told = found.get("levels", "")
    return told if isinstance(told, str) else ""


def _why_open(found: Any) -> str:
    """Say why a tip is undecided."""
    return str(found["because"]) if found["verdict"] == UNDECIDED else ""


def _plain(found: Any, worth: pd.DataFrame, audit: pd.DataFrame) -> Iterator[str]:
    """Tell a tip's verdict in sentences."""
    levels = _levels(found)
    meaning = found["because"] or (f"it {levels}" if levels else MEANINGS.get(found["verdict"], ""))
    yield f"{found['verdict'].capitalize()}: {meaning}."
    yield _for_whom(worth, found)
    watch = found.get("watch", "")  # earlier runs did not tell
    if isinstance(watch, str) and watch:
        yield watch
    changes = found["changes_per_deal"]
    often = "less than once in a thousand deals" if changes < 0.001 else _often(changes)
    yield f"{_gain(found, audit)} It makes {found['home']} do something else {often}."
    opposite = _reverse(worth, found)
    if opposite is not None:
        yield (
            f"Doing the opposite ({words.value(row(opposite), sign=True)} points a deal, "
            f"{words.interval(row(opposite), sign=True)}) {found['reverse_says']}."
        )


def _gain(found: Any, audit: pd.DataFrame) -> str:
    """Say what the tip gains or costs the player whom it is told of."""
    name, one = str(found["level"]), row(found)
    mine = audit[
        (audit["tip"] == found["tip"])
        & (audit["level"] == name)
        & (audit["ruleset"] == found["ruleset"])
    ]
    if len(mine) and not mine["applies_per_deal"].any():
        return f"It never has a say in what {name} does."
    if len(mine) and not mine["changes_per_deal"].any():
        return f"{name.capitalize()} does what it says already."
    if float(words.value(one, coarse=True).replace(words.MINUS, "-").replace(words.GAP, "")) == 0:
        return f"To {name} it comes to {words.about(one, 'points a deal')}."
    verb = "gains"
    if one["value"] < 0:
        verb = "loses"
        one = {"value": -one["value"], "se": one["se"], "low": -one["high"], "high": -one["low"]}
    return f"{name.capitalize()} {verb} {words.about(one, 'points a deal')} by it."


def _for_whom(worth: pd.DataFrame, found: Any) -> str:
    """Say whom the tip helps, whom it costs, and to whom it is nothing."""
    naive = worth[(worth["tip"] == found["tip"]) & (worth["stage"] == "naive")]
    told = dict(zip(naive["level"], naive["verdict"].map(_to_whom), strict=True))
    parts = [
        f"{says} {words.listed(player for player, one in told.items() if one == says)}"
        for says in TO_WHOM.values()
        if says in told.values()
    ]
    return f"It {words.listed(parts)}."


def _to_whom(verdict: str) -> str:
    nothing = verdict in NOTHING and verdict != SAME
    return TO_WHOM.get("nothing" if nothing else verdict, TO_WHOM[OPEN])


def _deal(deal: Any) -> dict[str, Any]:
    """Tell what a deal shows, and the deal with its cards as they are printed.

    Its text has a line of where it is, one for each hand and the table, and then the ways to go on;
    lines that begin with a space go on with the line before, or say what the way came to.
    """
    gain = int(deal["gain"])
    verb = "gained" if gain > 0 else "cost"
    points = words.plural(abs(gain), "point")
    where, *lines = _CARD.sub(_printed, deal["text"]).splitlines()
    before = _PLACE.search(where)
    left = int(before[2]) - int(before[1]) + 1 if before else 0
    at = next(i for i, line in enumerate(lines) if not line.startswith("  "))
    return {
        "head": f"Here the tip {verb} Anna {points} against Bo",
        "where": where,
        "hands": "\n".join(line.removeprefix("  ") for line in lines[:at]),
        "ways": list(_ways(lines[at:], left)),
    }


def _ways(lines: Sequence[str], left: int) -> Iterator[dict[str, str]]:
    """Yield the title, plays and points of each way to go on; `left` plays follow, told or not."""
    joined = [*lines[:1]]
    for line in lines[1:]:
        if line.startswith("  ") and not _POINTS.match(line):
            joined[-1] += line[1:]
        else:
            joined.append(line)
    for told, points in zip(joined[::2], joined[1::2], strict=True):
        title, _, plays = told.partition(": ")
        told, _, more = plays.partition("; ... and ")
        rest = left - told.count("; ") - 1  # which studies of old do not say
        if rest > 0 and not more:
            plays = f"{told[:-1]}; ... and {words.plural(rest, 'more play')}."
        yield {
            "title": title,
            "plays": plays.replace("; ... and", "; … and"),
            "points": f"In the whole deal {points.strip()}",
        }


_PLACE = re.compile(r"Play (\d+) of (\d+)")
_POINTS = re.compile(r"  Anna [\d-]+, Bo [\d-]+\. Anna:")
_CARD = re.compile(r"\b([A2-9TJQK])([cdhs])\b")
_SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def _printed(found: re.Match[str]) -> str:
    return found[1].replace("T", "10") + _SUITS[found[2]]


def _often(changes: float) -> str:
    if changes >= 0.95:
        return f"{words.fixed(changes, 1)} times a deal"
    return f"once in {words.plural(max(2, round(1 / changes)), 'deal')}"


def _dose(study: KeptStudy, worth: pd.DataFrame, found: Any) -> Picture:
    """Draw what the tip is worth to the strongest player by its strength."""
    same = worth[
        worth["stage"].isin(["naive", "reverse", "dose"]) & (worth["level"] == found["home"])
    ].sort_values("dose")
    rows = [
        {"dose": r["dose"], "value": r["est"], "low": r["lo"], "high": r["hi"]}
        for r in same.to_dict("records")
    ]
    rows.append({"dose": 0.0, "value": 0.0, "low": 0.0, "high": 0.0})
    cells = tuple((Cell(with_minus(r["dose"])), number(r)) for r in same.to_dict("records"))
    told = words.listed(
        f"{with_minus(r['dose'])}: {words.value(row(r), sign=True)}"
        for r in same.to_dict("records")
    )
    return picture(
        dose.draw,
        pd.DataFrame(rows).assign(rope=study.plan["rope"], mark=mark(study, found["home"])),
        2.3,
        "By strength",
        f"For {found['home']}; 0 is without the tip, −1 the opposite. In the grey band nobody "
        "would notice.",
        f"Points a deal that the tip gains by its strength, {told}.",
        Table("By strength", ("strength", "points a deal"), cells),
    )


def _protocol(worth: pd.DataFrame) -> Table:
    rows = tuple(
        (
            Cell(STAGES[r["stage"]]),
            Cell(_who(r), f"{r['ruleset']}, strength {with_minus(r['dose'])}"),
            number(r),
            verdict(r["verdict"]),
        )
        for r in worth.to_dict("records")
    )
    return Table("All that was tried", ("how", "who", "points a deal", "verdict"), rows)


def _who(found: Any) -> str:
    """Name the player; the other differs in the tip alone unless it is somebody else."""
    level, other = str(found["level"]), str(found["opponent"])
    return level if other.partition("~")[0] == level else f"{level} against {other}"


def _audit(audit: pd.DataFrame) -> Table:
    rows = tuple(
        (
            Cell(r["level"]),
            Cell(words.fixed(r["applies_per_deal"], 2)),
            Cell(words.fixed(r["changes_per_deal"], 2)),
            Cell(words.fixed(100 * r["share_changed"], 1)),
        )
        for r in audit.to_dict("records")
    )
    head = ("player", "decisions a deal where it has a say", "changed by it", "% of all decisions")
    return Table("How often it has a say", head, rows, intervals=False)


def _places(places: pd.DataFrame, found: Any) -> Table | None:
    """Tell where it has a say: by seat and cards in the hand."""
    mine = places[(places["opponent"] == found["home"]) & (places["ruleset"] == found["ruleset"])]
    if mine.empty:
        return None
    rows = tuple(
        (
            Cell("plays first" if r["seat"] == 0 else "deals"),
            Cell(words.plural(int(r["cards"]), "card")),
            Cell(words.fixed(r["says_per_deal"], 3)),
            Cell(words.fixed(r["changes_per_deal"], 3)),
        )
        for r in mine.to_dict("records")
    )
    head = ("who", "in the hand", "decisions where it has a say, a deal", "changed, a deal")
    return Table(f"Where it has a say, {found['home']}", head, rows, intervals=False)


def _uses(uses: pd.DataFrame, found: dict[str, Any]) -> Table | None:
    uses = uses[uses["uses"] >= LEAST_USES] if len(uses) else uses
    if uses.empty:
        return None
    rows = tuple(
        (Cell(r["context"]), Cell(words.fixed(r["uses_per_deal"], 2)), _each(r))
        for r in uses.to_dict("records")
    )
    return Table(
        f"What a use is worth to {found['home']}; each interval stands for itself, and kinds of "
        f"hands with fewer than {LEAST_USES} uses are left out",
        ("when", "uses a deal", "points a use"),
        rows,
    )


def _each(found: Any) -> Cell:
    one = {"est": found["worth"], "se": found["se"]}
    one |= {"lo": found["worth"] - 1.96 * found["se"], "hi": found["worth"] + 1.96 * found["se"]}
    return number(one)


SECTION = Section(33, "tips", "Tips put to the test", "tips.html", context, study="tips")
