"""The protocol for tips: how often each has a say, what it is worth to whom, and where.

The stages are those of `tip_cells.TipCell`. Verdicts go by the levels that weigh moves; players at
random follow tips too, for the tables and the audit. A tip's worth where both arms were tuned anew
is the mean over the searches, and its error holds how far these are apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.stats.families import Answer, Question, answer
from kasino_sim.stats.measured import Measured
from kasino_sim.stats.responses import POINTS
from kasino_sim.stats.restarts import over_restarts
from kasino_sim.stats.tip_uses import Uses, tip_uses
from kasino_sim.studies.conclusion import Conclusion, Estimates
from kasino_sim.studies.tip_deals import tip_deals
from kasino_sim.studies.tip_verdicts import Opposite, idle, judge, reverse_words, uses_words
from kasino_sim.study import Cell, Study
from kasino_sim.tip_cells import BASE, COMPENSATED, DENIED, NAIVE, POOL, REVERSE, RULES, Levels
from kasino_sim.tips import TIP_WORDS

USES_BLOCKS = 30_000
AUDIT = {
    "tip_says": "applies_per_deal",
    "tip_changes": "changes_per_deal",
    "tip_share": "share_changed",
}
NEEDED = {
    COMPENSATED: "players tuned anew without the idea (compensated)",
    RULES: "other rule sets",
}  # what a verdict would rest on too, and which a plan may leave out
FAMILIES = {NAIVE: "tips", COMPENSATED: "compensated tips"}  # the other stages are one together


@dataclass(frozen=True)
class Worth:
    """What a tip came to in one cell: points a deal that following it gains.

    Attributes
    ----------
    cell : Cell
    of : Measured
    answer : Answer
    changes : float
        Decisions of a deal where another move was made for it; NaN where that was not counted.
    """

    cell: Cell
    of: Measured
    answer: Answer
    changes: float = float("nan")

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
        return self.cell.role[3]


def conclude(study: Study, estimates: Estimates, told: pd.DataFrame) -> Conclusion:
    """Judge every tip.

    Returns
    -------
    Conclusion
        A finding a cell; tables `tips` (a verdict a row; `levels` tells of one that depends on
        the level whom it helps and costs), `tip_worth`, `tip_audit`, `tip_uses`
        (worth a use by context) and `tip_deals` (deals that a tip decided, in words).
    """
    worths = list(_worths(study, estimates))
    audits = pd.DataFrame([_audit(c, estimates) for c in study.cells if c.role[0] == NAIVE])
    contexts, checks = [], {}
    deals: list[tuple[str, str, int, int, str]] = []
    for cell in _home(study):
        uses = _uses(study, cell)
        contexts += list(_contexts(cell, uses))
        naive = next(w for w in worths if w.cell is cell)
        checks[cell.role[1]] = _check(uses, naive.of)
        others = {int(deal) for _, deal, *_ in deals}
        deals += tip_deals(study.cell_plan(cell), uses, cell.role[1], cell.players, others)
    verdicts = [
        _verdict([w for w in worths if w.tip == tip], audits, checks[tip])
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
    """Answer each of the families: naive, compensated, and the rest of the protocol."""
    found = list(_measured(study, estimates))
    answers: dict[str, Answer] = {}
    for family in dict.fromkeys(_family(cell) for cell, _ in found):
        some = [(cell, of) for cell, of in found if _family(cell) == family]
        asked = [Question(of, study.plan.rope) for _, of in some]
        told = answer(asked, "max-t", study.plan.alpha)
        answers |= {cell.name: one for (cell, _), one in zip(some, told, strict=True)}
    for cell, of in found:
        changes = estimates[cell.name].get("tip_changes")
        yield Worth(cell, of, answers[cell.name], changes.value if changes else float("nan"))


def _family(cell: Cell) -> str:
    return FAMILIES.get(cell.role[0], "protocol for tips")


def _measured(study: Study, estimates: Estimates) -> Iterator[tuple[Cell, Measured]]:
    """Yield what each tip came to in each stage; that of several searches with the first's cell."""
    stages: dict[tuple[str, str], list[Cell]] = {}
    base = {}
    for cell in study.cells:
        stages.setdefault((cell.role[0], cell.role[1]), []).append(cell)
        if cell.role[0] == BASE:
            base[cell.players[1].name] = estimates[cell.name]["skill_points"]
    for cell in study.cells:
        stage, tip = cell.role[0], cell.role[1]
        of = estimates[cell.name]["skill_points"]
        if stage == POOL:
            yield cell, of - base[cell.players[1].name]
        elif stage == COMPENSATED:
            first, *_ = searches = stages[stage, tip]
            if cell is first:
                each = [estimates[other.name]["skill_points"] for other in searches]
                yield cell, over_restarts(each)
        elif stage != BASE:
            yield cell, of


def _row(one: Worth) -> dict[str, object]:
    return {
        "tip": one.tip,
        "stage": one.stage,
        "level": one.level,
        "opponent": one.cell.players[1].name.partition("@")[0],
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
    kept = ("level", "opponent", "ruleset", "est", "se", "lo", "hi", "p_adj", "p_holm", "n_blocks",
            "verdict")  # fmt: skip
    return {
        "id": f"{one.cell.name}:{one.stage}",
        "family": _family(one.cell),
        "arm": f"{one.tip}*{one.cell.role[2]}",
        "estimand": f"worth of the tip: {one.stage}",
        "unit": POINTS,
        "vrf": one.of.vrf,
        "p": one.answer.p,
        "method": one.answer.method,
        "seed_range": study.deals.range,
        "engine": engine_fingerprint(),
        **{name: row[name] for name in kept},
    }


# ---------------------------------------------------------------- audit and uses


def _audit(cell: Cell, estimates: Estimates) -> dict[str, object]:
    """Tell how often a tip has a say."""
    found = estimates[cell.name]
    return {
        "tip": cell.role[1],
        "level": cell.role[3],
        "ruleset": cell.preset,
        **{column: found[name].value for name, column in AUDIT.items()},
    }


def _home(study: Study) -> list[Cell]:
    """Return the naive cells of the player with whom all of the protocol is played."""
    naive = [cell for cell in study.cells if cell.role[0] == NAIVE]
    home = Levels(tuple(cell.players[1] for cell in naive)).home.name
    return [cell for cell in naive if cell.role[3] == home]


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
                "tip": cell.role[1], "level": cell.role[3], "ruleset": cell.preset,
                "context": context, "uses_per_deal": n / (2 * len(uses.games)),
                "worth": mean, "se": se, "uses": n,
            }  # fmt: skip


@dataclass(frozen=True)
class Check:
    """Whether uses times their worth are what the tip gains in all.

    Attributes
    ----------
    z : float or None
        Distance from the estimate of the study in standard errors; None where it rests on the
        decks that were followed and no others, or nothing varies.
    adds_up : bool
        Whether they are the same in every single deal that was followed; and, where `z` is None,
        the same as the estimate of the study.
    """

    z: float | None
    adds_up: bool


def _check(uses: Uses, naive: Measured) -> Check:
    """Hold uses against the study's estimate, which is from the same decks and more of them."""
    total = uses.total
    se = float(total.std(ddof=1) / np.sqrt(len(total))) if len(total) > 1 else 0.0
    spread = se * np.sqrt(max(0.0, 1 - len(total) / naive.blocks))
    gap = float(total.mean()) - naive.value
    if spread > 0:
        return Check(gap / spread, uses.adds_up)
    return Check(None, uses.adds_up and abs(gap) < 1e-9)


# ---------------------------------------------------------------- verdicts


def _verdict(worths: Sequence[Worth], audits: pd.DataFrame, check: Check) -> dict[str, object]:
    """Return a tip's row: what it is worth to the strongest, and what each stage says."""
    by_stage: dict[str, list[Worth]] = {}
    for one in worths:
        by_stage.setdefault(one.stage, []).append(one)
    naive, (without,) = by_stage[NAIVE], by_stage[DENIED]
    mine = audits[audits["tip"] == naive[0].tip]
    changes = {str(level): float(n) for level, n in zip(mine["level"], mine["changes_per_deal"],
                                                        strict=True)}  # fmt: skip
    weighing = [w for w in naive if w.cell.players[1].kind != "random" and changes[w.level] > 0]
    last, home = (weighing or naive)[-1], without.level
    tuned = next(iter(by_stage.get(COMPENSATED, [])), None)
    reverse, *insisting = (
        Opposite(w.answer, w.of.value, w.changes) for w in by_stage[REVERSE] if w.level == home
    )
    judged = (
        judge(
            [w.answer.verdict for w in weighing],
            tuned.answer.verdict if tuned else None,
            [int(w.answer.low > 0) - int(w.answer.high < 0) for w in weighing],
        )
        if any(changes.values())
        else idle(float(mine["applies_per_deal"].sum()))
    )
    words = TIP_WORDS[last.tip]
    return {
        "tip": last.tip,
        "says": words.says,
        "source": words.source,
        "watch": words.watch,
        "verdict": judged.verdict,
        "levels": judged.levels,
        "because": judged.because,
        "level": last.level,
        "ruleset": last.cell.preset,
        **_numbers(last),
        "by_level": ", ".join(f"{w.level} {w.of.value:+.3f}" for w in naive),
        "home": home,
        "changes_per_deal": changes[home],
        "never_for": ", ".join(level for level, n in changes.items() if n == 0),
        "reverse": reverse.value,
        "reverse_changes": reverse.changes,
        "reverse_says": reverse_words(reverse, next(iter(insisting), None)),
        "uses_z": float("nan") if check.z is None else check.z,
        "uses_add_up": check.adds_up,
        "uses_say": uses_words(check.adds_up, check.z),
        "denied": without.of.value,
        "denied_verdict": without.answer.verdict,
        **_numbers(tuned, "tuned_"),
        "tuned_verdict": tuned.answer.verdict if tuned else "",
        "not_run": " and ".join(words for stage, words in NEEDED.items() if stage not in by_stage),
    }


def _numbers(one: Worth | None, prefix: str = "") -> dict[str, float]:
    names = [f"{prefix}{name}" for name in ("est", "se", "lo", "hi")]
    if one is None:
        return dict.fromkeys(names, float("nan"))
    se = float("nan") if one.of.se is None else one.of.se
    found = (one.of.value, se, one.answer.low, one.answer.high)
    return dict(zip(names, found, strict=True))
