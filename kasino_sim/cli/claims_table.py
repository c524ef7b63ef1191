"""Verdicts on claims as text of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import pandas as pd

from kasino_sim.cli.sheets import WIDTH, columns, cut, each
from kasino_sim.cli.study_table import played_words
from kasino_sim.studies.claims import BY_RULES, CANNOT, criterion, guides
from kasino_sim.studies.folder import Outcome


def table(outcome: Outcome) -> str:
    """Tell every claim with its verdict and its numbers."""
    claims, tests = outcome.tables["claims"], outcome.tables["claim_tests"]
    lines = [
        outcome.study.plan.title,
        *textwrap.wrap(outcome.study.plan.question, WIDTH),
        "",
        *textwrap.wrap(played_words(outcome.study), WIDTH),
        *textwrap.wrap(
            "Intervals in brackets: of claims they hold for all claims together, of questions each "
            "for itself, at 95 %. The players know what everything counts in the rules they play.",
            WIDTH,
        ),
        "",
        *textwrap.wrap(_in_short(claims), WIDTH),
    ]
    for claim in each(claims):
        lines += ["", *_claim(claim), *_numbers(tests[tests["claim"] == claim.claim])]
    return "\n".join(line.rstrip() for line in lines)


def _in_short(claims: pd.DataFrame) -> str:
    kinds = (
        claims["verdict"].str.replace(r"^depends on .*", "that depend", regex=True).value_counts()
    )
    return "In short: " + ", ".join(f"{n} {kind}" for kind, n in kinds.items()) + "."


def _claim(claim: Any) -> Iterator[str]:
    yield from textwrap.wrap(f"{claim.text} ({guides(claim.source)})", WIDTH)
    verdict = claim.verdict
    if claim.not_tested:
        verdict += f" because {claim.not_tested}" if verdict == CANNOT else f"; {claim.not_tested}"
    yield from textwrap.wrap(f"-> {verdict}.", WIDTH, subsequent_indent="   ")
    yield from textwrap.wrap(
        f"Measured: {claim.measured}", WIDTH, initial_indent="   ", subsequent_indent="   "
    )


def _numbers(tests: pd.DataFrame) -> Iterator[str]:
    """Yield each number that was measured, under the words for it."""
    told = tests[tests["est"].notna() | (tests["unit"] == BY_RULES)]
    for words, same in told.groupby("words", sort=False):
        bound = criterion(same.iloc[0])
        yield cut(f"   {words}{bound and f', true if {bound}'}")
        found = [(_where(row), _number(row), str(row.holds)) for row in each(same)]
        taken = sum(max(map(len, column)) + 2 for column in list(zip(*found, strict=True))[1:])
        rows = [(cut(where, WIDTH - 5 - taken), *rest) for where, *rest in found]
        yield from columns(rows, "     ")


def _where(row: Any) -> str:
    changes = str(row.variant).replace("deal.players=", "").replace("4+deal.teams=pairs", "pairs")
    return " ".join(filter(None, [row.ruleset, changes, row.level]))


def _number(row: Any) -> str:
    if pd.isna(row.est):
        return str(row.found)
    if pd.isna(row.lo):
        return f"{row.est:.4g}"
    share = str(row.unit).startswith("share")
    scale = 100 if share else 1
    est, low, high = (x * scale for x in (row.est, row.lo, row.hi))
    places = 1 if share else 2 if abs(est) < 100 else 0
    wanted = [scale * end for end in (row.least, row.most) if pd.notna(end)]
    while places < 5 and any(_looks(end, to, places) for end in (low, high) for to in wanted):
        places += 1
    ends = f"({low:.{places}f} to {high:.{places}f})"
    return f"{est:.{places}f}{' %' if share else ''} {ends}"


def _looks(end: float, wanted: float, places: int) -> bool:
    """Whether an end of an interval is printed as what decides a verdict, and is not."""
    return end != wanted and f"{end:.{places}f}" == f"{wanted:.{places}f}"
