"""What house rules change, as text of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd

from kasino_sim.cli.sheets import WIDTH, columns, cut, each
from kasino_sim.cli.simulate_table import digits
from kasino_sim.cli.study_table import ARMS, played_words
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.folder import Outcome
from kasino_sim.studies.house_rules import DEPENDS, ROBUST, SIGN, UNDECIDED
from kasino_sim.studies.kinds import KINDS

POINTS = "points"  # the response of which learning is told
SKILL = "skill_points"  # the one that takes different players

MARKS: Mapping[str, str] = MappingProxyType({ABOVE: "^", BELOW: "v", SMALL: "=", INSIDE: "="})


def table(outcome: Outcome) -> str:
    """Tell, for each rule set, what every house rule changes for the last player of the plan."""
    study, effects = outcome.study, outcome.tables["effects"]
    shown = [n for n in KINDS[study.plan.kind].chief if n in set(effects["response"])]
    lines = [
        study.plan.title,
        *textwrap.wrap(study.plan.question, WIDTH),
        "",
        *textwrap.wrap(played_words(study), WIDTH),
        *textwrap.wrap(
            "Each number is the rule set with the house rule less without, for the player that "
            "is named in every seat (skill: for two who differ). Points are those of all sides "
            "together. The players believe the items to be worth what they were. ^ more, v less, = "
            f"less than {study.plan.rope:g} points a deal either way (deals a match: ^ v any "
            "change), all allowing for the number of questions; > more, < less, but whether "
            "enough to notice is open, or too few decks were played for a verdict; no mark: not "
            "decided or not asked.",
            WIDTH,
        ),
        *_learning(outcome),
    ]
    lines += _variants(outcome, shown)
    places = effects[["ruleset", "variant"]].drop_duplicates().itertuples(index=False)
    for ruleset, variant in places:
        here = effects[(effects["ruleset"] == ruleset) & (effects["variant"] == variant)]
        level = _level(here)
        place = _place(ruleset, variant)
        lines += ["", *_rule_set(here, shown, level, f"{place}: {level}"), *_learnt(here, place)]
    lines += ["", *_robust(outcome), "", *_notes(outcome)]
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _variants(outcome: Outcome, shown: Sequence[str]) -> Iterator[str]:
    """Tell what the number of players changes by itself, for the last player of the plan."""
    if "variants" not in outcome.tables:
        return
    table = outcome.tables["variants"]
    here = table[table["level"] == table["level"].iloc[-1]]
    heads = [_head(name) for name in shown]
    title = f"without house rules: {here['level'].iloc[0]}"
    rows: list[Sequence[str]] = [("" if i else title, *(h[i] for h in heads)) for i in range(2)]
    for (ruleset, variant, less), same in here.groupby(["ruleset", "variant", "less"], sort=False):
        found = {row.response: row for row in each(same)}
        words = f"{_place(ruleset, variant)}, less {ARMS.get(less, less or 'as it is')}"
        rows.append((cut(words, 33), *(_number(found[n]) if n in found else "" for n in shown)))
    yield ""
    yield from columns(rows, "")


def _level(here: pd.DataFrame) -> str:
    """Return the strongest player who sits in every seat, which the plan names last."""
    alike = here[here["opponent"] == ""]
    return str((alike if len(alike) else here)["level"].iloc[-1])


def _learning(outcome: Outcome) -> Iterator[str]:
    adapt = outcome.study.plan.adapt
    if adapt is None:
        hint = "" if outcome.study.plan.size == "full" else " (--size full may have them)"
        yield from textwrap.wrap(
            f"Players who were tuned anew for each house rule were not run{hint}.", WIDTH
        )
        return
    yield from textwrap.wrap(
        f"What players learn: {_each_of(adapt.players)} tuned anew for the rules with and without "
        f"the house rule{_of(adapt.rulesets)}, keeping to what it weighs, by {adapt.restarts} "
        "searches apart from one another; ± "
        "holds what these differ by. Where none found a better player (0 of them kept) nothing "
        "is learnt, as far as they can tell; intervals of the columns allow each for its own "
        "number of questions.",
        WIDTH,
    )


def _each_of(players: Sequence[str]) -> str:
    if len(players) == 1:
        return f"{players[0]} was"
    return f"each of {', '.join(players[:-1])} and {players[-1]} was"


def _learnt(here: pd.DataFrame, place: str) -> Iterator[str]:
    """Tell what a rule changes in all beside what it changes for players who go on as before."""
    rows = here[(here["response"] == POINTS) & here["total"].notna()]
    for level, same in rows.groupby("level", sort=False):
        yield from _learnt_by(same, f"{place}: points, {level}")


def _learnt_by(rows: pd.DataFrame, title: str) -> Iterator[str]:
    table: list[Sequence[str]] = [(cut(title, 33), "as before", "in all", "learnt")]
    for row in rows.to_dict("records"):
        cells = [
            _with_half(row, "est", "lo", "hi", str(row["verdict"])),
            _with_half(row, "total", "total_lo", "total_hi", str(row["total_verdict"])),
            _with_half(row, "adaptation", "adaptation_lo", "adaptation_hi",
                       str(row["adaptation_verdict"])),
        ]  # fmt: skip
        table.append((cut(str(row["rule"]), 33), *cells))
    yield ""
    yield from columns(table, "")


def _of(rulesets: Sequence[str]) -> str:
    return f" of {', '.join(rulesets)}" if rulesets else ""


def _mark(verdict: str, low: float, high: float) -> str:
    """Return a verdict's mark; one that is open may tell the direction."""
    if verdict == UNDECIDED and (low > 0 or high < 0):
        return ">" if low > 0 else "<"
    return MARKS.get(verdict, " ")


def _with_half(row: Mapping[Any, Any], value: str, low: str, high: str, verdict: str) -> str:
    """Write a number with half of its interval and its mark."""
    if pd.isna(row[low]) or row[low] == row[value] == row[high]:
        return f"{row[value] + 0.0:+.2f} " if row[value] else "0 "
    half = (row[high] - row[low]) / 2
    places = min(digits(half / 2), 3)
    mark = _mark(verdict, row[low], row[high])
    return f"{row[value]:+.{places}f}±{half:.{places}f}{mark}"


def _place(ruleset: str, variant: str) -> str:
    return ", ".join(filter(None, [ruleset, ARMS.get(variant, variant)]))


def _rule_set(here: pd.DataFrame, shown: Sequence[str], level: str, title: str) -> Iterator[str]:
    heads = [_head(name) for name in shown]
    rows: list[Sequence[str]] = [("" if i else title, *(h[i] for h in heads)) for i in range(2)]
    skill = (here["response"] == SKILL) & (here["opponent"] != "")
    for rule, same in here[(here["level"] == level) | skill].groupby("rule", sort=False):
        found = {row.response: row for row in each(same)}
        rows.append((cut(str(rule), 33), *(_number(found[n]) if n in found else "" for n in shown)))
    yield from columns(rows, "")


def _head(name: str) -> tuple[str, str]:
    first, *rest = textwrap.wrap(
        {"first_player_advantage": "first edge", "skill_points": "skill",
         "sweeps_per_deal": "sweeps", "deals_per_match": "deals a match"}.get(
            name, RESPONSES[name].words
        ), 8,
    )  # fmt: skip
    return first, " ".join(rest)


def _number(row: Any) -> str:
    """Write a difference, rounded by its standard error, with the mark of its verdict."""
    if pd.isna(row.est):
        return "?"
    places = 2 if pd.isna(row.se) else min(digits(row.se), 2)
    if row.est and not round(row.est, places) and MARKS.get(row.verdict):
        places = 3  # what has a mark is not printed as 0
    value = round(row.est, places) + 0.0
    text = f"{value:+.{places}f}" if value else "0"
    return text + _mark(row.verdict, row.lo, row.hi)


def _robust(outcome: Outcome) -> Iterator[str]:
    """Say how many effects hold for all players, and which turn with them."""
    yield from _agreed(
        outcome.tables["robustness"],
        "Over the levels of play that played enough decks and for whom the rule changes anything",
    )
    yield from _agreed(
        outcome.tables.get("total_robustness", pd.DataFrame()),
        "The same of what a rule changes in all, for levels that were searched for often enough",
    )


def _agreed(table: pd.DataFrame, of: str) -> Iterator[str]:
    if table.empty:
        return
    counts = table["robust"].value_counts()
    told = ", ".join(f"{counts[name]} {name}" for name in counts.index)
    yield from textwrap.wrap(
        f"{of} ({ROBUST}: three or more, all of one verdict and one sign; {SIGN}: all of one "
        f"sign): {told}.",
        WIDTH,
    )
    for row in each(table[table["robust"] == DEPENDS]):
        yield from textwrap.wrap(
            f"{_place(row.ruleset, row.variant)}: {row.rule}: {RESPONSES[row.response].words} from "
            f"{row.least:+.2f} to {row.most:+.2f}, by the player",
            WIDTH, initial_indent="* ", subsequent_indent="  ",
        )  # fmt: skip


def _notes(outcome: Outcome) -> Iterator[str]:
    effects = outcome.tables["effects"]
    marked = effects[effects["note"] != ""].drop_duplicates(["rule", "note"])
    for row in each(marked):
        yield from textwrap.wrap(f"{row.rule.capitalize()}: {row.note}.", WIDTH)
    left_out = [note for note in outcome.study.notes if "is left out" in note]
    if left_out:
        rules = "a house rule of one rule set"
        if len(left_out) > 1:
            rules = f"{len(left_out)} times a house rule of a rule set"
        yield from textwrap.wrap(
            f"Left out, because it means nothing there: {rules} (tables/left_out.csv).",
            WIDTH,
        )
