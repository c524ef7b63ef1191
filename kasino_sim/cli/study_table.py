"""What a study found, and what it would play, as text of 80 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd

from kasino_sim.cli.sheets import WIDTH, columns, cut
from kasino_sim.cli.simulate_table import digits
from kasino_sim.stats.families import EXPLORED
from kasino_sim.stats.intervals import CONFIDENCE
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.findings import UNDETERMINED
from kasino_sim.studies.folder import Outcome
from kasino_sim.studies.kinds import KINDS, responses_of
from kasino_sim.studies.pilot import Preview
from kasino_sim.study import Cell, Study
from kasino_sim.study_file import load_study, study_names

ACROSS = 5  # responses side by side
FEW_NAMES = 6  # that a sentence lists

ARMS: Mapping[str, str] = MappingProxyType(
    {
        "deal.players=3": "3 players",
        "deal.players=4": "4 players",
        "deal.players=4+deal.teams=pairs": "pairs",
    }
)
"""How variants are called."""
_TELLS: Mapping[str, str] = MappingProxyType(
    {
        ABOVE: "more",
        SMALL: "a little more",
        INSIDE: "no difference to notice",
        BELOW: "less",
        f"{ABOVE} ({EXPLORED})": "more (explored)",
        f"{BELOW} ({EXPLORED})": "less (explored)",
    }
)


def plans_table() -> str:
    """List the plans with their questions."""
    lines = ["Plans (kasino study PLAN; --plan-only says first what it takes):", ""]
    for name in study_names():
        plan = load_study(name).plan
        lines.append(f"  {name}: {plan.title}")
        lines += textwrap.wrap(
            plan.question, WIDTH, initial_indent="    ", subsequent_indent="    "
        )
    return "\n".join(lines)


# ---------------------------------------------------------------- what was found


def study_table(outcome: Outcome) -> str:
    """Return what a study found: sentences, what each number is, the numbers."""
    study = outcome.study
    shown = _shown(outcome)
    lines = [
        study.plan.title,
        *textwrap.wrap(study.plan.question, WIDTH),
        "",
        *textwrap.wrap(played_words(study), WIDTH),
        "",
        *_sentences(outcome),
        *_definitions(shown),
        "",
        *_numbers(outcome, shown, ""),
    ]
    if study.baseline is not None:
        base = study.baseline.name
        lines += [
            *textwrap.wrap(
                f"Less {base}, on the same decks. ^ more, v less, = no difference to notice, all "
                "allowing for the number of questions; no mark: not decided, or not asked.",
                WIDTH,
            ),
            "",
            *_numbers(outcome, shown, base),
        ]
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _shown(outcome: Outcome) -> list[str]:
    """List the responses that are printed: of a kind's many the chief ones."""
    study = outcome.study
    chief = KINDS[study.plan.kind].chief
    there = set(outcome.findings["estimand"])
    wanted = [n for n in responses_of(study) if n in there and not _fixed(outcome, n)]
    return [n for n in wanted if not chief or study.plan.responses or n in chief]


def _fixed(outcome: Outcome, name: str) -> bool:
    """Whether every cell has the same of it in every deal, so that there is nothing to tell."""
    rows = outcome.findings[outcome.findings["estimand"] == name]
    return len(rows) > 1 and bool(rows["se"].isna().all()) and rows["est"].nunique() == 1


def played_words(study: Study) -> str:
    """Say what was played, by whom."""
    plans = [study.cell_plan(cell) for cell in study.cells]
    deals = sum(plan.blocks * plan.games for plan in plans)
    return (
        f"{_count(len(plans), 'cell')} on the same {_count(study.deals.blocks, 'deck')} "
        f"({study.deals.range} range, seed {study.seed}), {deals:,} deals. "
        f"Players: {_players(study)}. {_fewer(study)}"
        f"± is half of the {CONFIDENCE:.0%} interval."
    ).replace("95%", "95 %")


def _count(n: int, thing: str) -> str:
    return f"{n:,} {thing}" + ("" if n == 1 else "s")


def _players(study: Study) -> str:
    seatings = dict.fromkeys(_who(cell) for cell in study.cells if not cell.adapted)
    return "; ".join(seatings)


def _fewer(study: Study) -> str:
    """Say who plays fewer decks, and who was tuned anew."""
    told = ""
    for name, limit in study.plan.limits.items():
        blocks = min(limit.blocks or study.deals.blocks, study.deals.blocks)
        where = f" in {', '.join(limit.rulesets)}" if limit.rulesets else ""
        told += f"{name} plays {_count(blocks, 'deck')}{where}. "
    return told


def _who(cell: Cell) -> str:
    if not cell.opponent:
        return f"{cell.level} in every seat"
    return " against ".join(player.name for player in cell.players)


def _sentences(outcome: Outcome) -> list[str]:
    """Say what each family came to, rule sets named where they are few."""
    lines = []
    for family in outcome.study.plan.families:
        for name in family.responses:
            asked = outcome.findings[
                (outcome.findings["family"] == family.name)
                & outcome.findings["estimand"].str.split(" ").str[0].eq(name)
            ]
            if len(asked):
                lines += _wrapped(f"{RESPONSES[name].words}: {_told(outcome.study, name, asked)}.")
    return [*lines, ""] if lines else []


def _wrapped(text: str) -> list[str]:
    text = text[0].upper() + text[1:]
    return textwrap.wrap(text, WIDTH, initial_indent="* ", subsequent_indent="  ")


def _told(study: Study, name: str, asked: pd.DataFrame) -> str:
    total, parts = len(asked), []
    for verdict, words in _TELLS.items():
        rows = asked[asked["verdict"] == verdict]
        if len(rows):
            parts.append(f"{_than(study, name, words)} in {_where(study, rows, total)}")
    rest = total - int(asked["verdict"].isin(list(_TELLS)).sum())
    if rest:
        same = "not decided, or the same," if study.baseline else "not decided"
        parts.append(f"{same} in {rest} of {total}")
    return "; ".join(parts)


def _than(study: Study, name: str, words: str) -> str:
    """Say what is more or less than what."""
    if words == _TELLS[INSIDE]:
        return words
    words, bracket, rest = words.partition(" (")
    null = RESPONSES[name].null or 0
    other = study.baseline.name if study.baseline else f"{null:g}" if null != 0.5 else "a half"
    return f"{words} than {'in ' if study.baseline else ''}{other}{bracket}{rest}"


def _where(study: Study, rows: pd.DataFrame, total: int) -> str:
    arms = zip(rows["ruleset"], rows["arm"], strict=True)
    names = [_row_label(study, preset, arm) for preset, arm in arms]
    short = len(names) <= FEW_NAMES and len(names) < total
    return ", ".join(names) if short or total == 1 else f"{len(names)} of {total}"


def _row_label(study: Study, preset: str, arm: str) -> str:
    several = len({cell.preset for cell in study.cells}) > 1
    words = ARMS.get(arm, arm)
    if not several:
        return words or preset
    return f"{preset} ({words})" if words else preset


def _definitions(shown: Sequence[str]) -> Iterator[str]:
    for name in shown:
        response = RESPONSES[name]
        yield from textwrap.wrap(
            f"{response.words}: {response.sentence}", WIDTH, subsequent_indent="    "
        )


def _numbers(outcome: Outcome, shown: Sequence[str], base: str) -> Iterator[str]:
    """Yield the numbers, a row a cell, as many responses side by side as fit."""
    by_id = outcome.findings.set_index("id")
    for cells in _groups(outcome.study):
        there = [n for n in shown if any(_id(c, n, base) in by_id.index for c in cells)]
        while there:
            fitting = next(
                n for n in range(min(ACROSS, len(there)), 0, -1)
                if n == 1 or max(map(len, _page(outcome.study, cells, there[:n], base, by_id)))
                <= WIDTH
            )  # fmt: skip
            page = _page(outcome.study, cells, there[:fitting], base, by_id)
            there = there[fitting:]
            yield from [cut(_group_title(outcome.study, cells[0])), *page, ""]


def _id(cell: Cell, response: str, base: str) -> str:
    return f"{cell.name}:{response}" + (f":less:{base}" if base else "")


def _groups(study: Study) -> list[list[Cell]]:
    """Put cells together that differ in one thing: rule sets, or what is changed in one."""
    several = len({cell.preset for cell in study.cells}) > 1
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in study.cells:
        groups.setdefault((_who(cell), cell.arm if several else ""), []).append(cell)
    return list(groups.values())


def _group_title(study: Study, cell: Cell) -> str:
    several = len({one.preset for one in study.cells}) > 1
    arm = ARMS.get(cell.arm, cell.arm) if several else ""
    return f"{_who(cell)}{', ' + arm if arm else ''}"


def _page(
    study: Study, cells: Sequence[Cell], names: Sequence[str], base: str, by_id: pd.DataFrame
) -> list[str]:
    several = len({cell.preset for cell in study.cells}) > 1
    heads = [_head(RESPONSES[name].words) for name in names]
    depth = max(map(len, heads))
    rows: list[Sequence[str]] = [
        ("", *(head[i - depth + len(head)] if i >= depth - len(head) else "" for head in heads))
        for i in range(depth)
    ]
    for cell in cells:
        keys = [_id(cell, name, base) for name in names]
        if base and not any(key in by_id.index for key in keys):
            continue
        label = cell.preset if several else ARMS.get(cell.arm, cell.arm) or "as it is"
        found = [_number(by_id.loc[key], bool(base)) if key in by_id.index else "" for key in keys]
        rows.append((cut(label, 22), *found))
    return columns(rows, "  ")


def _head(words: str) -> list[str]:
    return textwrap.wrap(words, 11)


_MARKS: Mapping[str, str] = MappingProxyType({"more": "^", "less": "v", "a little": "^", "no": "="})


def _number(row: Any, difference: bool) -> str:
    """Write an estimate and half of its interval, rounded by the standard error."""
    share = row.unit.startswith("share")
    times = 100 if share else 1
    if pd.isna(row.est):
        return "?"
    sign = "+" if difference else ""
    if pd.isna(row.lo) or pd.isna(row.hi):
        text = f"{times * row.est:{sign}.3g}" + ("±?" if row.verdict == UNDETERMINED else "")
        return text + ("%" if share else "") + " "
    if row.est == row.lo == 0 and not difference and row.hi > 0:
        return f"<{times * row.hi:.2g}{'%' if share else ''} "
    half = times * (row.hi - row.lo) / 2
    unit = "%" if share else ""
    if not half:  # the same in every deal
        return f"{times * row.est:{sign}.3g}{unit}{_mark(row, difference)}"
    places = _places(half)
    return f"{times * row.est:{sign}.{places}f}±{half:.{places}f}{unit}{_mark(row, difference)}"


def _mark(row: Any, difference: bool) -> str:
    if not difference:
        return " "
    told = _TELLS.get(str(row.verdict), "")
    return next((mark for start, mark in _MARKS.items() if told.startswith(start)), " ")


def _places(half: float) -> int:
    return min(3, digits(half / 2))


# ---------------------------------------------------------------- what would be played


def preview_table(found: Preview) -> str:
    """Return what a plan would play, how long it takes and what it can find."""
    study = found.study
    deals = sum(cell.blocks * cell.games for cell in found.cells)
    lines = [
        study.plan.title,
        *textwrap.wrap(study.plan.question, WIDTH),
        "",
        *textwrap.wrap(
            f"{_count(len(found.cells), 'cell')} of {_count(study.deals.blocks, 'deck')} each "
            f"({study.deals.range} range, seed {study.seed}): {deals:,} deals, "
            f"about {_time(found.seconds)} on this machine. Nothing was kept.",
            WIDTH,
        ),
        "",
        *columns(
            [
                ("cell", "blocks", "deals", "time"),
                *(
                    (
                        cut(f"{one.cell.rules.name}: {_who(one.cell)}", 48),
                        f"{one.blocks:,}",
                        f"{one.blocks * one.games:,}",
                        _time(one.seconds),
                    )
                    for one in found.cells
                ),
            ]
        ),
    ]
    if found.powers:
        lines += ["", *_power_lines(found)]
    return "\n".join(lines)


def _power_lines(found: Preview) -> list[str]:
    plan = found.study.plan
    rows: list[Sequence[str]] = [
        ("question", "cells", "std error", f"power at {plan.rope:g}", f"{plan.power:.0%} find"),
    ]
    for one in found.powers:
        rows.append(
            (
                cut(RESPONSES[one.response].words, 30),
                str(one.questions),
                "?" if one.se is None else f"{one.se:.2g}",
                "" if one.power is None else _percent(one.power),
                "?" if one.findable is None else f"{one.findable:.2g}",
            )
        )
    allowed = textwrap.wrap(
        f"Power: the chance to tell a difference of {plan.rope:g} points a deal from none, in the "
        "cell where it is hardest; last, the smallest difference found with the plan's power. "
        "Families count all their questions (bh: each for itself).",
        WIDTH,
    )
    return [*columns(rows), "", *allowed]


def _percent(share: float) -> str:
    return "over 99 %" if share > 0.99 else f"{100 * share:.0f} %"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{math.ceil(seconds)} s"
    return f"{seconds / 60:.1f} min"
