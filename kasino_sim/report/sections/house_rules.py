"""House rules: what each changes, on the region that nobody would notice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from kasino_sim.plots import equivalence, half_normal
from kasino_sim.report import words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Cell, Material, Picture, Section, Table
from kasino_sim.report.pictures import picture
from kasino_sim.report.study_words import (
    DIFFERENCES,
    HOLLOW,
    PLACES,
    about,
    difference,
    height,
    not_drawn,
    number,
    place,
    row,
    verdict,
)

CHIEF = ("points", "first_player_advantage", "skill_points", "sweeps_per_deal", "deals_per_match")
DRAWN = ("points", "first_player_advantage")
ROBUST = {
    "robust": "all who played enough decks agree (robust)",
    "the sign is robust": "they agree on the direction alone",
    "depends on the players": "it depends on the players",
    "too little to notice for all": "all agree that it is too little to notice, either way",
    "the same in every deal": "nothing changes in any deal",
    "undecided": "undecided",
    "fewer than three levels": "fewer than three levels played enough decks, or saw any change",
    "asked of one pair of players only": "one pair of players alone was asked",
}
"""What a study says of changes, in the words of the report."""
Better = Mapping[tuple[str, str, str, str], tuple[int, int]]
"""By rule set, variant, change and player: the searches whose player was kept, and all."""
ASKED = "Asked of players of several levels"
ASKED_LEARNT = "Asked of what changes in all, once players of several levels have learnt the rule"


def context(material: Material) -> dict[str, Any]:
    """Draw each rule set's house rules."""
    # Two players first, then what is other with more of them.
    studies = sorted(
        material.of_kind("house-rules"), key=lambda study: any(study.plan.get("variants") or ())
    )
    crossed = material.of_kind("factorial")
    return {
        "studies": [
            {
                "about": about(study),
                "robust": _robust(study, "robustness", ASKED),
                "learnt_robust": _robust(study, "total_robustness", ASKED_LEARNT),
                "variants": _variants(study),
                "searches": _searches(study.plan.get("adapt"), _better(study)),
                "places": (places := _places(study)),
                "not_learnt": words.listed([p["name"] for p in places if not p["learnt"]] or [""]),
            }
            for study in studies
        ],
        "crossed": [
            {
                "about": about(study),
                "robust": _robust(study, "crossed_robustness", ASKED),
                "pictures": _half_normal(study),
                "tables": _crossed(study),
                "fits": _fits(study),
            }
            for study in crossed
        ],
    }


def _robust(study: KeptStudy, name: str, of: str) -> str:
    """Say of how many rules and numbers all levels agree; `of` begins it, with who was asked."""
    kinds = study.table(name)["robust"] if study.has(name) else pd.Series(dtype=str)
    order = dict.fromkeys([*ROBUST, *kinds])
    told = [
        f"{ROBUST.get(kind, kind)} in {words.count(n)}"
        for kind in order
        if (n := sum(kinds == kind))
    ]
    if not told:
        return ""
    asked = words.plural(len(kinds), "pair", "pairs")
    return (
        f"{of}: {asked} of a house rule and a number, such as the points. Of these: "
        f"{'; '.join(told)}."
    )


def _searches(adapt: Mapping[str, Any] | None, better: Better) -> str:
    """Say how often players were tuned anew for one rule set, and whether it made them better."""
    if not adapt:
        return ""
    if adapt["restarts"] == 1:
        told = "One search was made for each; another might find something else. "
    else:
        told = (
            f"{words.in_words(adapt['restarts']).capitalize()} searches were made for each; they "
            "do not find quite the same, and the intervals allow for that. "
        )
    unchanged = [
        f"{found} of {n} for {place(ruleset, variant)} as it is ({player})"
        for (ruleset, variant, arm, player), (found, n) in better.items()
        if arm == variant
    ]
    if not unchanged:
        return told
    return told + (
        "Where the player that a search found was no better on decks of its own than the one it "
        "began with, the latter went on, knowing what everything is now worth. The player found "
        f"was kept by {words.listed(unchanged)}; for the house rules the last column tells. "
    )


def _better(study: KeptStudy) -> Better:
    """Count the searches whose player was kept, and all."""
    if not study.has("searches"):  # a study from before they were kept
        return {}
    found: dict[tuple[str, str, str, str], tuple[int, int]] = {}
    for one in study.table("searches").to_dict("records"):
        key = (str(one["ruleset"]), str(one["variant"]), str(one["arm"]), str(one["player"]))
        kept, n = found.get(key, (0, 0))
        found[key] = kept + bool(one["kept"]), n + 1
    return found


def _places(study: KeptStudy) -> list[dict[str, Any]]:
    effects, better = study.table("effects"), _better(study)
    found = []
    for (ruleset, variant), here in effects.groupby(["ruleset", "variant"], sort=False):
        name = place(str(ruleset), str(variant))
        alike = here[here["opponent"] == ""]
        level = (alike if len(alike) else here)["level"].iloc[-1]
        found.append(
            {
                "name": name,
                "pictures": [_picture(study, alike, response, name) for response in DRAWN],
                "table": _table(here, level, name),
                "learnt": list(_learnt(here, better)),
            }
        )
    return found


def _variants(study: KeptStudy) -> Table | None:
    """Put variants, such as numbers of players, beside one another, for the strongest level."""
    if not study.has("variants"):
        return None
    table = study.table("variants")
    here = table[table["level"] == table["level"].iloc[-1]]
    pairs = list(dict.fromkeys(zip(here["variant"], here["less"], strict=True)))
    rows = []
    for _, same in here.groupby("response", sort=False):
        by = {(r["variant"], r["less"]): r for r in same.to_dict("records")}
        cells = (number(by[pair]) if pair in by else Cell("") for pair in pairs)
        rows.append((Cell(_head(same.iloc[0])), *cells))
    head = [f"{_named(variant)}, less {_named(less)}" for variant, less in pairs]
    caption = f"How many play, and whether in pairs: {here['level'].iloc[0]}, without house rules"
    return Table(caption, ("number", *head), tuple(rows))


def _named(variant: str) -> str:
    return PLACES.get(variant, variant) if variant else "as it is"


def _picture(study: KeptStudy, here: pd.DataFrame, response: str, name: str) -> Picture:
    rows = here[here["response"] == response]
    levels = list(dict.fromkeys(rows["level"]))[-3:]
    shown = rows[rows["level"].isin(levels) & (rows["est"].abs() + rows["se"].fillna(0) > 0)]
    frame = pd.DataFrame(
        [
            difference(study, r, r["rule"], r["level"]) | {"unit": "change, points a deal"}
            for r in shown.to_dict("records")
        ],
        columns=DIFFERENCES,
    )
    cells = tuple(
        (Cell(r["rule"], r["change"]), Cell(r["level"]), number(r), verdict(r["verdict"]))
        for r in rows.to_dict("records")
    )
    title = "Points in a deal" if response == "points" else "The first player’s edge"
    what = "Points of all sides" if response == "points" else "The first player’s edge"
    largest = shown.reindex(shown["est"].abs().sort_values(ascending=False).index).head(3)
    told = words.listed(
        f"{r['rule']} {words.value(row(r), sign=True)} ({r['level']})"
        for r in largest.to_dict("records")
    ) if len(largest) else "nothing"  # fmt: skip
    return picture(
        equivalence.draw,
        frame,
        height(shown["rule"], 0.31, 1.0),
        f"{title}, {name}",
        f"{what} with the house rule, less {what.lower()} without it, on the same decks. Grey: "
        f"what nobody would notice. {HOLLOW} Rules that change nothing at all are left out."
        f"{not_drawn(rows['level'], levels)}",
        f"Changes in {name}; the largest: {told}.",
        Table("The numbers", ("house rule", "players", "change", "verdict"), cells),
    )


def _learnt(here: pd.DataFrame, better: Better) -> Iterator[Table]:
    """Put what a rule changes in all beside what it changes for players who go on as before."""
    rows = here[here["response"].isin(CHIEF) & here["total"].notna()]
    moved = rows[["est", "total", "adaptation"]].abs().sum(axis=1) > 0
    unsure = rows[["se", "total_se", "adaptation_se"]].fillna(0).sum(axis=1) > 0
    shown = rows[moved | unsure].sort_values(
        "response", key=lambda names: names.map(CHIEF.index), kind="stable"
    )
    for _, same in shown.groupby(["response", "level"], sort=False):
        cells = tuple(
            (
                Cell(str(r["rule"]), str(r["change"]), str(r["rule"])),
                number(r),
                _of(r, "total"),
                _of(r, "adaptation"),
                verdict(r["adaptation_verdict"]),
                *_searched(better.get((r["ruleset"], r["variant"], r["change"], r["level"]))),
            )
            for r in same.to_dict("records")
        )
        head = ["house rule", "as before", "in all", "learnt", "what is learnt"]
        head += ["searches whose player was kept"] if better else []
        first = same.iloc[0]
        caption = f"{_head(first).capitalize()}, {first['level']}"
        yield Table(caption, tuple(head), cells, sortable=True)


def _searched(found: tuple[int, int] | None) -> Iterator[Cell]:
    if found:
        yield Cell(f"{found[0]} of {found[1]}", sort=str(found[0]))


def _of(found: Any, kind: str) -> Cell:
    """Write a total effect or an adaptation with its interval."""
    names = {"est": kind, "se": f"{kind}_se", "lo": f"{kind}_lo", "hi": f"{kind}_hi"}
    return number({name: found[place] for name, place in names.items()} | {"unit": found["unit"]})


def _table(here: pd.DataFrame, level: str, name: str) -> Table:
    shown = [response for response in CHIEF if response in set(here["response"])]
    heads = {r["response"]: _head(r) for r in here.to_dict("records")}
    against = here[(here["response"] == "skill_points") & (here["opponent"] != "")]
    if len(against):
        players = f"{against['level'].iloc[0]} against {against['opponent'].iloc[0]}"
        heads["skill_points"] += f" ({players})"
    rows = []
    skill = (here["response"] == "skill_points") & (here["opponent"] != "")
    for rule, same in here[(here["level"] == level) | skill].groupby("rule", sort=False):
        by = {r["response"]: r for r in same.to_dict("records")}
        cells = [number(by[n]) if n in by else Cell("") for n in shown]
        said = [str(same["change"].iloc[0]), *same.get("note", pd.Series([""])).iloc[:1]]
        rows.append((Cell(str(rule), "; ".join(filter(None, said)), str(rule)), *cells))
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
                "label": here["effect"].map(_together),
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
            f"{_together(r['effect'])} {words.value(row(r), sign=True)}"
            for r in largest.to_dict("records")
        )
        rows = tuple(
            (Cell(_together(r["effect"])), number(r), verdict(r["verdict"]))
            for r in here.to_dict("records")
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


def _together(effect: str) -> str:
    """Return the name of an effect of one house rule, or of some together."""
    return effect.replace(" x ", " × ")


def _fits(study: KeptStudy) -> list[str]:
    fits = study.table("fits")
    told = fits[(fits["response"] == "points") & fits["explained_by_main_effects"].notna()]
    return [
        f"{r['ruleset']}, {r['level']}: each rule by itself explains "
        f"{100 * r['explained_by_main_effects']:.0f}{words.GAP}% of what differs between "
        f"{r['runs']} mixtures of rules"
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
            (Cell(_together(r["effect"])), number(r), verdict(r["verdict"]))
            for r in [*mains.to_dict("records"), *pairs.loc[order].to_dict("records")]
        )
        caption = f"{ruleset}: points a deal, {level}; each rule by itself, then the largest of two"
        tables.append(Table(caption, ("house rule", "effect", "verdict"), cells))
    for ruleset, same in aliases.groupby("ruleset", sort=False) if len(aliases) else ():
        mixed = tuple(
            (Cell(_together(r["effect"])), Cell(_together(r["holds_also"])))
            for r in same.to_dict("records")
        )
        caption = f"{ruleset}: what three rules do together that cannot be told from the above"
        tables.append(Table(caption, ("effect", "may also be"), mixed, intervals=False))
    return tables


SECTION = Section(
    34, "house-rules", "What house rules change", "house_rules.html", context, study="house-rules"
)
