"""The protocol for tips: how often each has a say, what it is worth to whom, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.stats.families import Answer, Question, answer
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL
from kasino_sim.stats.responses import POINTS
from kasino_sim.stats.tip_uses import Uses, audit, tip_uses
from kasino_sim.studies.conclusion import Conclusion, Estimates
from kasino_sim.studies.tip_deals import tip_deals
from kasino_sim.study_plan import Cell, Study
from kasino_sim.tip_cells import BASE, DENIED, NAIVE, POOL, REVERSE
from kasino_sim.tips import TIP_WORDS

TRUE, FALSE, TRUE_SMALL, NO_EFFECT = "true", "false", "true but small", "no effect"
LEVEL_DEPENDENT, UNDECIDED, VACUOUS = "level-dependent", "undecided", "vacuous"
LEVELS = 3  # strengths at which a tip must hold, the strongest among them

AUDIT_BLOCKS = 2_000
USES_BLOCKS = 30_000
AUDIT_COLUMNS = (
    "tip", "level", "ruleset", "applies_per_deal", "changes_per_deal", "share_changed",
)  # fmt: skip


@dataclass(frozen=True)
class Worth:
    """What a tip came to in one cell: points a deal that following it gains."""

    cell: Cell
    of: Measured
    answer: Answer

    @property
    def stage(self) -> str:
        """The stage of the protocol."""
        return self.cell.role[0]

    @property
    def tip(self) -> str:
        """The tip's name."""
        return self.cell.role[1]

    @property
    def level(self) -> str:
        """The player who follows the tip, by its name without it."""
        return _bare(self.cell)


def _bare(cell: Cell) -> str:
    """Return the name of the first player without the tip."""
    tip = cell.role[1]
    name = cell.players[0].name
    for mark in "+-~":
        name = name.partition(f"{mark}{tip}")[0] if tip else name
    return name


def conclude(study: Study, estimates: Estimates, told: pd.DataFrame) -> Conclusion:
    """Judge every tip.

    Returns
    -------
    Conclusion
        A finding a cell; tables `tips` (a verdict a row), `tip_worth`, `tip_audit`, `tip_uses`
        (worth a use by context) and `tip_deals` (deals that a tip decided, in words).
    """
    worths = list(_worths(study, estimates))
    audits = pd.DataFrame(list(_audits(study)), columns=list(AUDIT_COLUMNS))
    contexts, deals, checks = [], [], {}
    for cell in _strongest(study):
        uses = _uses(study, cell)
        contexts += list(_contexts(cell, uses))
        naive = next(w for w in worths if w.cell is cell)
        checks[cell.role[1]] = _check(uses, naive.of)
        deals += tip_deals(study.cell_plan(cell), uses, cell.role[1], cell.players)
    verdicts = [
        _verdict(study, tip, [w for w in worths if w.tip == tip], audits, checks[tip])
        for tip in dict.fromkeys(w.tip for w in worths)
    ]
    return Conclusion(
        pd.DataFrame([_finding(study, one) for one in worths]),
        {
            "tips": pd.DataFrame(verdicts),
            "tip_worth": pd.DataFrame([_row(one) for one in worths]),
            "tip_audit": audits,
            "tip_uses": pd.DataFrame(contexts),
            "tip_deals": pd.DataFrame(deals, columns=["tip", "deal", "seat", "gain", "text"]),
        },
    )


# ---------------------------------------------------------------- worth


def _worths(study: Study, estimates: Estimates) -> Iterator[Worth]:
    """Answer the naive stage as one family, and the rest of the protocol as another."""
    base = {
        cell.players[1].name: estimates[cell.name]["skill_points"]
        for cell in study.cells
        if cell.role[0] == BASE
    }
    found = []
    for cell in study.cells:
        if cell.role[0] == BASE:
            continue
        of = estimates[cell.name]["skill_points"]
        found.append((cell, of - base[cell.players[1].name] if cell.role[0] == POOL else of))
    answers: dict[str, Answer] = {}
    for naive in (True, False):
        some = [(cell, of) for cell, of in found if (cell.role[0] == NAIVE) == naive]
        asked = [Question(of, study.plan.rope) for _, of in some]
        for (cell, _), one in zip(
            some, answer(asked, "max-t", study.plan.alpha) if asked else [], strict=True
        ):
            answers[cell.name] = one
    for cell, of in found:
        yield Worth(cell, of, answers[cell.name])


def _row(one: Worth) -> dict[str, object]:
    return {
        "tip": one.tip,
        "stage": one.stage,
        "level": one.level,
        "opponent": one.cell.players[1].name,
        "ruleset": one.cell.preset,
        "dose": float(one.cell.role[2]),
        "est": one.of.value,
        "se": one.of.se,
        "lo": one.answer.low,
        "hi": one.answer.high,
        "p_adj": one.answer.p_adjusted,
        "p_holm": one.answer.p_holm,
        "n_blocks": one.of.blocks,
        "verdict": one.answer.verdict,
    }


def _finding(study: Study, one: Worth) -> dict[str, object]:
    row = _row(one)
    kept = ("level", "opponent", "ruleset", "est", "se", "lo", "hi", "p_adj", "n_blocks", "verdict")
    return {
        "id": f"{one.cell.name}:{one.stage}",
        "family": "tips" if one.stage == NAIVE else "protocol for tips",
        "arm": f"{one.tip}*{one.cell.role[2]}",
        "estimand": f"worth of the tip: {one.stage}",
        "unit": POINTS,
        "vrf": None,
        "p": one.answer.p,
        "method": one.answer.method,
        "seed_range": study.deals.range,
        "engine": engine_fingerprint(),
        **{name: row[name] for name in kept},
    }


# ---------------------------------------------------------------- audit and uses


def _audits(study: Study) -> Iterator[tuple[object, ...]]:
    """Count how often each tip has a say at every level."""
    for cell in study.cells:
        if cell.role[0] == NAIVE:
            plan = study.cell_plan(cell)
            blocks = min(plan.blocks, AUDIT_BLOCKS)
            found = audit(replace(plan, deals=blocks * plan.games), cell.role[1])
            yield (
                cell.role[1], _bare(cell), cell.preset, found.applies, found.changes, found.share
            )  # fmt: skip


def _strongest(study: Study) -> list[Cell]:
    """Return the naive cells of the strongest level, which is named last."""
    last = study.plan.players[-1][-1]
    return [cell for cell in study.cells if cell.role[0] == NAIVE and _bare(cell) == last]


def _uses(study: Study, cell: Cell) -> Uses:
    plan = study.cell_plan(cell)
    blocks = min(plan.blocks, USES_BLOCKS)
    on, off = cell.players
    return tip_uses(replace(plan, deals=blocks * plan.games), on, off, off)


def _contexts(cell: Cell, uses: Uses) -> Iterator[dict[str, object]]:
    """Tell the worth of a use by cards in the hand, and by half of the deal."""
    shape = uses.table["uses"].shape
    hands = np.flatnonzero(uses.table["uses"].sum(axis=1))
    half = int(hands.max()) // 2 if len(hands) else 0
    every = np.ones(shape, bool)
    first = every & (np.arange(shape[0]) <= half)[:, None]
    masks = {"all": every, "first half of the deal": first, "second half": ~first}
    for cards in range(1, shape[1]):
        masks[f"{cards} card{'s' if cards > 1 else ''} in the hand"] = every & (
            np.arange(shape[1]) == cards
        )
    for context, mask in masks.items():
        n, mean, se = uses.worth(mask)
        if n:
            yield {
                "tip": cell.role[1], "level": _bare(cell), "ruleset": cell.preset,
                "context": context, "uses_per_deal": n / (2 * len(uses.games)),
                "worth": mean, "se": se, "uses": n,
            }  # fmt: skip


@dataclass(frozen=True)
class Check:
    """Whether uses times their worth are what the tip gains in all.

    Attributes
    ----------
    z : float or None
        Distance from the estimate of the study in standard errors; None where nothing varies.
    adds_up : bool
        Whether they are the same in every single deal that was followed.
    """

    z: float | None
    adds_up: bool


def _check(uses: Uses, naive: Measured) -> Check:
    total = uses.total
    se = float(total.std(ddof=1) / np.sqrt(len(total))) if len(total) > 1 else 0.0
    spread = float(np.hypot(se, naive.se or 0.0))
    z = (float(total.mean()) - naive.value) / spread if spread > 0 else None
    return Check(z, uses.adds_up)


# ---------------------------------------------------------------- verdicts


def _verdict(
    study: Study, tip: str, worths: Sequence[Worth], audits: pd.DataFrame, check: Check
) -> dict[str, object]:
    naive = {w.level: w for w in worths if w.stage == NAIVE}
    strongest = list(naive)[-1]
    mine = audits[audits["tip"] == tip]
    idle = bool((mine["changes_per_deal"] == 0).all())
    verdict = VACUOUS if idle else judge([w.answer.verdict for w in naive.values()])
    last, words = naive[strongest], TIP_WORDS[tip]
    without = next(w for w in worths if w.stage == DENIED)
    reverse = next(w for w in worths if w.stage == REVERSE and w.level == strongest)
    return {
        "tip": tip,
        "says": words.says,
        "source": words.source,
        "verdict": verdict,
        "level": strongest,
        "ruleset": last.cell.preset,
        "est": last.of.value,
        "se": last.of.se,
        "lo": last.answer.low,
        "hi": last.answer.high,
        "by_level": ", ".join(f"{name} {w.of.value:+.3f}" for name, w in naive.items()),
        "changes_per_deal": float(mine.loc[mine["level"] == strongest, "changes_per_deal"].item()),
        "reverse": reverse.of.value,
        "reverse_says": reverse_words(reverse.answer.verdict, reverse.of.value),
        "uses_z": check.z,
        "uses_add_up": check.adds_up,
        "denied": without.of.value,
        "denied_verdict": without.answer.verdict,
        "not_run": "players tuned anew without the idea (compensated)",
    }


def judge(verdicts: Sequence[str]) -> str:
    """Judge a tip by its verdicts at each strength, the strongest last.

    Parameters
    ----------
    verdicts : sequence of str
        As `stats.multiplicity.verdict` gives them, from simultaneous intervals.
    """
    strongest = verdicts[-1]
    counts: Mapping[str, int] = {v: list(verdicts).count(v) for v in set(verdicts)}
    nothing = {INSIDE, SMALL, "the same"}
    if strongest == ABOVE and counts[ABOVE] >= LEVELS:
        return TRUE
    if strongest == BELOW and counts[BELOW] >= LEVELS:
        return FALSE
    if strongest == SMALL and sum(counts.get(v, 0) for v in (SMALL, ABOVE)) >= LEVELS:
        return TRUE_SMALL
    if strongest in nothing and sum(counts.get(v, 0) for v in nothing) >= LEVELS:
        return NO_EFFECT
    decided = [v for v in verdicts if v in (*nothing, ABOVE, BELOW)]
    if len({v if v in (ABOVE, BELOW) else INSIDE for v in decided}) > 1:
        return LEVEL_DEPENDENT
    return UNDECIDED


def reverse_words(verdict: str, value: float) -> str:
    """Say whether doing the opposite loses, and if not, why not."""
    if verdict == BELOW:
        return "loses"
    if verdict in (INSIDE, SMALL, "the same"):
        return "loses nothing to notice: the player hardly has the choice, or already minds it"
    if verdict == ABOVE:
        return "gains: the tip is wrong for this player"
    return "loses, not clearly" if value < 0 else "does not lose, as far as can be told"
