"""House rules: what each changes, on the region that nobody would notice."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.plots import equivalence, half_normal
from kasino_sim.report import words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Cell, Material, Picture, Section, Table
from kasino_sim.report.pictures import picture
from kasino_sim.report.study_words import about, number, row, verdict

CHIEF = ("points", "first_player_advantage", "skill_points", "sweeps_per_deal", "deals_per_match")
DRAWN = ("points", "first_player_advantage")
PLACES = {
    "deal.players=3": "three players",
    "deal.players=4": "four players",
    "deal.players=4+deal.teams=pairs": "pairs",
}


def context(material: Material) -> dict[str, Any]:
    """Draw each rule set's house rules."""
    studies = material.of_kind("house-rules")
    crossed = material.of_kind("factorial")
    return {
        "studies": [
            {"about": about(study), "robust": _robust(study), "places": _places(study)}
            for study in studies
        ],
        "crossed": [
            {
                "about": about(study),
                "pictures": _half_normal(study),
                "tables": _crossed(study),
                "fits": _fits(study),
            }
            for study in crossed
        ],
    }


def _robust(study: KeptStudy) -> str:
    counts = study.table("robustness")["robust"].value_counts()
    return words.listed(f"{n} {text}" for text, n in counts.items()) if len(counts) else ""


def _places(study: KeptStudy) -> list[dict[str, Any]]:
    effects = study.table("effects")
    found = []
    for (ruleset, variant), here in effects.groupby(["ruleset", "variant"], sort=False):
        name = " with ".join(filter(None, [str(ruleset), PLACES.get(str(variant), str(variant))]))
        alike = here[here["opponent"] == ""]
        level = (alike if len(alike) else here)["level"].iloc[-1]
        found.append(
            {
                "name": name,
                "pictures": [_picture(study, alike, response, name) for response in DRAWN],
                "table": _table(here, level, name),
                "learnt": _learnt(here, name),
            }
        )
    return found


def _picture(study: KeptStudy, here: pd.DataFrame, response: str, name: str) -> Picture:
    rows = here[here["response"] == response]
    levels = list(dict.fromkeys(rows["level"]))[-3:]
    shown = rows[rows["level"].isin(levels) & (rows["est"].abs() + rows["se"].fillna(0) > 0)]
    frame = pd.DataFrame(
        [
            {
                "label": _short(r["rule"]), "value": r["est"], "low": r["lo"], "high": r["hi"],
                "mark": levels.index(r["level"]), "kind": r["level"], "rope": study.plan["rope"],
                "unit": "points a deal",
            }
            for r in shown.to_dict("records")
        ],
        columns=["label", "value", "low", "high", "mark", "kind", "rope", "unit"],
    )  # fmt: skip
    cells = tuple(
        (Cell(r["rule"], r["change"]), Cell(r["level"]), number(r), verdict(r["verdict"]))
        for r in rows.to_dict("records")
    )
    title = "Points of all sides" if response == "points" else "The first player’s edge"
    largest = shown.reindex(shown["est"].abs().sort_values(ascending=False).index).head(3)
    told = words.listed(
        f"{r['rule']} {words.value(row(r), sign=True)} ({r['level']})"
        for r in largest.to_dict("records")
    ) if len(largest) else "nothing"  # fmt: skip
    return picture(
        equivalence.draw,
        frame,
        round(1.0 + 0.31 * max(frame["label"].nunique(), 2), 2),
        f"{title}, {name}",
        "The rule set with the house rule less without, on the same decks; grey: what nobody would "
        "notice. Rules that change nothing at all are left out.",
        f"Changes in {name}; the largest: {told}.",
        Table("The numbers", ("house rule", "players", "change", "verdict"), cells),
    )


def _learnt(here: pd.DataFrame, name: str) -> Table | None:
    """Put what a rule changes in all beside what it changes for players who go on as before."""
    rows = here[here["response"].isin(CHIEF) & here["total"].notna()]
    if rows.empty:
        return None
    cells = tuple(
        (
            Cell(str(r["rule"]), str(r["change"]), str(r["rule"])),
            Cell(_head(r)),
            number(r),
            _of(r, "total"),
            _of(r, "adaptation"),
            verdict(r["adaptation_verdict"]),
        )
        for r in rows.to_dict("records")
    )
    head = ("house rule", "of", "as before", "in all", "learnt", "what is learnt")
    level = rows["level"].iloc[0]
    caption = f"{name}: what players learn, {level} tuned anew with and without each house rule"
    return Table(caption, head, cells, sortable=True)


def _of(found: Any, kind: str) -> Cell:
    """Write a total effect or an adaptation with its interval."""
    names = {"est": kind, "se": f"{kind}_se", "lo": f"{kind}_lo", "hi": f"{kind}_hi"}
    return number({name: found[place] for name, place in names.items()} | {"unit": found["unit"]})


def _short(text: str) -> str:
    return text if len(text) <= 25 else text[:24] + "…"


def _table(here: pd.DataFrame, level: str, name: str) -> Table:
    shown = [response for response in CHIEF if response in set(here["response"])]
    heads = {r["response"]: _head(r) for r in here.to_dict("records")}
    rows = []
    skill = (here["response"] == "skill_points") & (here["opponent"] != "")
    for rule, same in here[(here["level"] == level) | skill].groupby("rule", sort=False):
        by = {r["response"]: r for r in same.to_dict("records")}
        cells = [number(by[n]) if n in by else Cell("") for n in shown]
        rows.append((Cell(str(rule), str(same["change"].iloc[0]), str(rule)), *cells))
    head = ("house rule", *(heads[n] for n in shown))
    return Table(f"{name}: what house rules change, {level}", head, tuple(rows), sortable=True)


def _head(found: Any) -> str:
    words_, unit = found["words"], found["unit"]
    return unit if unit.startswith(words_) else f"{words_}, {unit}"


def _half_normal(study: KeptStudy) -> list[Picture]:
    """Draw the sizes of all effects on points in each rule set, for the last level."""
    effects = study.table("crossed_effects")
    points = effects[(effects["response"] == "points") & effects["est"].notna()]
    found = []
    for ruleset, same in points.groupby("ruleset", sort=False):
        level = str(same["level"].iloc[-1])
        here = same[(same["level"] == level) & (same["opponent"] == same["opponent"].iloc[-1])]
        frame = pd.DataFrame(
            {
                "label": here["effect"],
                "noise": here["noise"],
                "size": here["est"].abs(),
                "se": here["se"],
                "mark": here["order"] - 1,
                "kind": here["order"].map({1: "house rule", 2: "two together"}),
                "unit": "points a deal",
            }
        )
        largest = here.reindex(here["est"].abs().sort_values(ascending=False).index).head(3)
        told = words.listed(
            f"{r['effect']} {words.value(row(r), sign=True)}" for r in largest.to_dict("records")
        )
        rows = tuple(
            (Cell(r["effect"]), number(r), verdict(r["verdict"])) for r in here.to_dict("records")
        )
        found.append(
            picture(
                half_normal.draw,
                frame,
                3.4,
                f"What stands out from chance, {ruleset}",
                f"Every house rule and every two together, by {level}: the further above the "
                "broken line, the less is it chance.",
                f"Sizes of effects in {ruleset}; the largest: {told}.",
                Table("The numbers", ("house rule", "effect", "verdict"), rows),
            )
        )
    return found


def _fits(study: KeptStudy) -> list[str]:
    fits = study.table("fits")
    told = fits[(fits["response"] == "points") & fits["explained_by_main_effects"].notna()]
    return [
        f"{r['ruleset']}, {r['level']}: main effects alone explain "
        f"{100 * r['explained_by_main_effects']:.0f}{words.GAP}% of what differs between "
        f"{r['runs']} settings"
        for r in told.to_dict("records")
    ]


def _crossed(study: KeptStudy) -> list[Table]:
    effects, aliases = study.table("crossed_effects"), study.table("aliases")
    tables = []
    points = effects[effects["response"] == "points"]
    for ruleset, same in points.groupby("ruleset", sort=False):
        level = list(dict.fromkeys(same["level"]))[-1]
        here = same[same["level"] == level]
        mains = here[here["order"] == 1]
        pairs = here[here["order"] == 2]
        order = pairs["est"].abs().sort_values(ascending=False, kind="stable").index[:10]
        cells = tuple(
            (Cell(r["effect"]), number(r), verdict(r["verdict"]))
            for r in [*mains.to_dict("records"), *pairs.loc[order].to_dict("records")]
        )
        caption = f"{ruleset}: points a deal, {level}; main effects, then the largest interactions"
        tables.append(Table(caption, ("house rule", "effect", "verdict"), cells))
    for ruleset, same in aliases.groupby("ruleset", sort=False) if len(aliases) else ():
        mixed = tuple((Cell(r["effect"]), Cell(r["holds_also"])) for r in same.to_dict("records"))
        caption = f"{ruleset}: interactions of three that are mixed into the above"
        tables.append(Table(caption, ("effect", "holds also"), mixed, intervals=False))
    return tables


SECTION = Section(
    34, "house-rules", "What house rules change", "house_rules.html", context, study="house-rules"
)
