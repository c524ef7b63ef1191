"""The verdicts on tips, and a page for each tip."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kasino_sim.plots import dose, equivalence
from kasino_sim.report import words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Cell, Material, Picture, Section, Table
from kasino_sim.report.pictures import picture
from kasino_sim.report.study_words import about, number, row, verdict

STAGES = {
    "naive": "on against off",
    "hard": "followed without thinking, against off",
    "reverse": "the opposite, against off",
    "denied": "on against off, for a player who lacks all like it",
    "dose": "another strength, against off",
    "pool": "against another player, more than without",
    "rules": "in another rule set, on against off",
}


def context(material: Material) -> dict[str, Any]:
    """Collect the verdicts, and what there is about each tip."""
    (study, *_) = material.of_kind("tips")
    tips = study.table("tips")
    return {
        "about": about(study),
        "found": _found(tips),
        "overview": _overview(tips),
        "picture": _picture(study, tips),
        "tips": [_tip(study, found) for found in tips.to_dict("records")],
        "not_run": tips["not_run"].iloc[0] if len(tips) else "",
    }


def _found(tips: pd.DataFrame) -> list[str]:
    """Say which tips got which verdict."""
    return [
        f"{str(kind).capitalize()}: {words.listed(same['tip'].str.replace('_', ' '))}."
        for kind, same in tips.groupby("verdict", sort=False)
    ]


def _overview(tips: pd.DataFrame) -> Table:
    rows = tuple(
        (
            Cell(found["says"], found["source"], found["says"]),
            Cell(found["verdict"]),
            number(found),
            Cell(words.fixed(found["changes_per_deal"], 2), sort=repr(found["changes_per_deal"])),
            Cell(found["by_level"].replace("-", words.MINUS)),
            Cell(f"{words.fixed(found['reverse'], 3, True)}", found["reverse_says"]),
        )
        for found in tips.to_dict("records")
    )
    level = tips["level"].iloc[0] if len(tips) else ""
    head = ("tip", "verdict", f"points a deal, {level}", "decisions changed a deal",
            "by player", "the opposite")  # fmt: skip
    return Table("Verdicts on tips", head, rows, sortable=True)


def _picture(study: KeptStudy, tips: pd.DataFrame) -> Picture:
    worth = study.table("tip_worth")
    naive = worth[(worth["stage"] == "naive") & (worth["level"] != "random")]
    levels = list(dict.fromkeys(naive["level"]))[-3:]
    says = dict(zip(tips["tip"], tips["tip"].str.replace("_", " "), strict=True))
    frame = pd.DataFrame(
        [
            {
                "label": says[found["tip"]], "value": found["est"], "low": found["lo"],
                "high": found["hi"], "mark": levels.index(found["level"]),
                "kind": found["level"], "rope": study.plan["rope"],
                "unit": "points a deal gained",
            }
            for found in naive[naive["level"].isin(levels)].to_dict("records")
        ]
    )  # fmt: skip
    rows = tuple(
        (Cell(says[r["tip"]]), Cell(r["level"]), number(r), verdict(r["verdict"]))
        for r in naive.to_dict("records")
    )
    table = Table("What tips gain", ("tip", "player", "points a deal", "verdict"), rows)
    return picture(
        equivalence.draw,
        frame,
        1.0 + 0.36 * max(frame["label"].nunique(), 2),
        "What a tip gains",
        "The same player with the tip against without, on the same decks. In the grey band nobody "
        "would notice. Intervals hold for all tips and players together.",
        "Points a deal that each tip gains: " + _told(naive, levels[-1], says),
        table,
    )


def _told(naive: pd.DataFrame, level: str, says: dict[str, str]) -> str:
    rows = naive[naive["level"] == level].to_dict("records")
    return words.listed(f"{says[r['tip']]} {words.value(row(r), sign=True)}" for r in rows) + "."


def _tip(study: KeptStudy, found: Any) -> dict[str, Any]:
    name = found["tip"]

    def of(table: str) -> pd.DataFrame:
        frame = study.table(table)
        return frame[frame["tip"] == name] if len(frame) else frame

    deals = of("tip_deals")
    return {
        "says": found["says"],
        "source": found["source"],
        "verdict": found["verdict"],
        "dose": _dose(study, of("tip_worth"), found),
        "protocol": _protocol(of("tip_worth")),
        "audit": _audit(of("tip_audit")),
        "uses": _uses(of("tip_uses"), found),
        "deals": list(deals["text"]) if len(deals) else [],
    }


def _dose(study: KeptStudy, worth: pd.DataFrame, found: Any) -> Picture:
    """Draw what the tip is worth to the strongest player by its strength."""
    same = worth[
        worth["stage"].isin(["naive", "reverse", "dose"]) & (worth["level"] == found["level"])
    ].sort_values("dose")
    rows = [
        {"dose": r["dose"], "value": r["est"], "low": r["lo"], "high": r["hi"]}
        for r in same.to_dict("records")
    ]
    rows.append({"dose": 0.0, "value": 0.0, "low": 0.0, "high": 0.0})
    cells = tuple((Cell(f"{r['dose']:g}"), number(r)) for r in same.to_dict("records"))
    told = words.listed(
        f"{r['dose']:g}: {words.value(row(r), sign=True)}" for r in same.to_dict("records")
    )
    return picture(
        dose.draw,
        pd.DataFrame(rows).assign(rope=study.plan["rope"]),
        2.3,
        "By strength",
        f"For {found['level']}; in the grey band nobody would notice.",
        f"Points a deal that the tip gains by its strength, {told}.",
        Table("By strength", ("strength", "points a deal"), cells),
    )


def _protocol(worth: pd.DataFrame) -> Table:
    rows = tuple(
        (
            Cell(STAGES[r["stage"]]),
            Cell(
                f"{r['level']} against {r['opponent']}", f"{r['ruleset']}, strength {r['dose']:g}"
            ),
            number(r),
            verdict(r["verdict"]),
        )
        for r in worth.to_dict("records")
    )
    return Table("All that was tried", ("how", "who", "points a deal", "verdict"), rows)


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
    head = ("player", "decisions where it has a say, a deal", "changed, a deal", "% changed")
    return Table("How often it has a say", head, rows, intervals=False)


def _uses(uses: pd.DataFrame, found: dict[str, Any]) -> Table | None:
    if uses.empty:
        return None
    rows = tuple(
        (Cell(r["context"]), Cell(words.fixed(r["uses_per_deal"], 2)), _each(r))
        for r in uses.to_dict("records")
    )
    total = "add up in every deal to what it changed" if found["uses_add_up"] else "do not add up"
    return Table(
        f"What a use is worth; uses {total}", ("when", "uses a deal", "points a use"), rows
    )


def _each(found: Any) -> Cell:
    one = {"est": found["worth"], "se": found["se"]}
    one |= {"lo": found["worth"] - 1.96 * found["se"], "hi": found["worth"] + 1.96 * found["se"]}
    return number(one)


SECTION = Section(33, "tips", "Tips put to the test", "tips.html", context, study="tips")
