"""Whether intervals and tests keep their promise, on the law that real deals have.

A large population of blocks is played and taken for the truth; small samples of it are drawn again
and again, and each gives an interval by the product's own functions. How often it holds the truth
is its coverage. Every check has bounds that it can fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kasino_sim.ledger import Ledger, merge_ledgers
from kasino_sim.plan import Plan
from kasino_sim.ranges import Range
from kasino_sim.simulate import Engine, chunks_of, default_threads, run_chunks
from kasino_sim.stats.estimates import Estimate, estimate
from kasino_sim.stats.intervals import mean_row, rate_row
from kasino_sim.tally import Tally, block_columns, ledger_of

FEW_SIGMA = 4  # Monte Carlo errors that a sound interval's coverage may be off by
TAKEN = ("points.0", "points.1", "difference", "seat_difference", "swept", "tied_cards",
         "sweeps", "captures", "builds", "big.0", "last.0")  # fmt: skip


@dataclass(frozen=True)
class Check:
    """A check: its figure passes from `least` to `most`, both included."""

    group: str
    name: str
    figure: float
    least: float
    most: float
    repetitions: int
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether the figure lies within its bounds; NaN does not."""
        return self.least <= self.figure <= self.most


def holds(group: str, name: str, true: bool, note: str = "") -> Check:
    """Check that something is so."""
    return Check(group, name, float(true), 1, 1, 1, note)


def covers(name: str, coverage: float, repetitions: int, note: str = "") -> Check:
    """Check a coverage for 95 %: 94 to 96 %, or wider where the repetitions cannot tell."""
    slack = max(0.01, FEW_SIGMA * math.sqrt(0.95 * 0.05 / repetitions))
    return Check("coverage", name, coverage, 0.95 - slack, min(0.95 + slack, 1), repetitions, note)


def as_frame(checks: list[Check]) -> pd.DataFrame:
    """Put checks into a table, a row each, in their order."""
    rows = [{**vars(check), "passed": check.passed} for check in checks]
    return pd.DataFrame(rows)


# ---------------------------------------------------------------- the population


@dataclass(frozen=True)
class Population:
    """Blocks that were played: what samples are drawn from.

    Attributes
    ----------
    plan : Plan
    columns : mapping of str to numpy.ndarray
        int64[blocks]: whole numbers of each block, as tallies sum them.
    sheets : numpy.recarray
        SHEET[blocks, games].
    """

    plan: Plan
    columns: Mapping[str, np.ndarray]
    sheets: Any

    def draw(self, random: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
        """Draw blocks with replacement: their places."""
        return random.integers(0, len(self.sheets), size)


def population(plan: Plan) -> Population:
    """Play a plan and keep every block."""
    engine = Engine(plan)
    parts = run_chunks(
        lambda chunk: engine.sheets(chunk.first, chunk.n),
        chunks_of(plan.blocks, 10_000 // plan.games),
        default_threads(),
    )
    sheets = np.concatenate([sheet for _, sheet in parts])
    columns = block_columns(plan, sheets)
    return Population(plan, {name: columns[name] for name in TAKEN}, sheets)


def estimate_of(total: int, square: int, blocks: int) -> Estimate:
    """Estimate a mean as a run does, from whole sums."""
    empty = Ledger(2, 1)
    return estimate(Tally(blocks, {"x": total}, {"x": square}, {}, empty), "x")


# ---------------------------------------------------------------- coverage


def mean_coverage(people: Population, column: str, blocks: int, repetitions: int) -> Check:
    """Check the t interval of a mean over blocks."""
    values = people.columns[column]
    random, truth, hits = np.random.default_rng(11), values.mean(), 0
    for _ in range(repetitions):
        drawn = values[people.draw(random, (blocks,))]
        found = mean_row(estimate_of(int(drawn.sum()), int((drawn**2).sum()), blocks))
        hits += found["low"] <= truth <= found["high"]
    name = f"mean, t: {column}, {blocks} blocks"
    return covers(name, hits / repetitions, repetitions)


def rate_coverage(share: float, trials: int, name: str, exact: bool) -> Check:
    """Check the interval of a rate, by the binomial law: no repetitions are needed."""
    from scipy.stats import binom

    chances = binom.pmf(np.arange(trials + 1), trials, share)
    likely = np.flatnonzero(chances > 1e-12)
    found = [rate_row(int(k), trials) for k in likely]
    inside = np.array([row["low"] <= share <= row["high"] for row in found])
    figure = float(chances[likely][inside].sum())
    label = f"{name}, share {share:.4f} of {trials}"
    if exact:
        note = "never below 95 %: too wide, by nature"
        return Check("coverage", label, figure, 0.95, 1, 0, note)
    return Check("coverage", label, figure, 0.94, 0.96, 0, "exact sum")


def together_coverage(people: Population, blocks: int, repetitions: int) -> Check:
    """Check simultaneous intervals: all of the columns hold their truths at once."""
    from kasino_sim.stats.multiplicity import reach

    names = ("points.0", "points.1", "swept", "captures", "builds", "big.0", "last.0")
    values = np.stack([people.columns[name] for name in names], axis=1).astype(float)
    random, truth, hits, group = np.random.default_rng(12), values.mean(axis=0), 0, 100
    for _ in range(repetitions // group):
        drawn = values[people.draw(random, (group, blocks))]
        ses = drawn.std(axis=1, ddof=1) / math.sqrt(blocks)
        # One sample's correlation serves its group: reckoning it anew each time takes minutes.
        far = reach(np.corrcoef(drawn[0].T), blocks - 1)
        off = np.abs(drawn.mean(axis=1) - truth) / ses
        hits += int((off.max(axis=1) <= far).sum())
    done = repetitions // group * group
    return covers(f"max-T, {len(names)} means at once, {blocks} blocks", hits / done, done)


def match_coverage(
    people: Population, chunks: int, blocks: int, repetitions: int, figures: tuple[str, ...]
) -> list[Check]:
    """Check the intervals of matches reckoned from ledgers, whole chunks being drawn."""
    from kasino_sim.stats.match_figures import Asked
    from kasino_sim.stats.match_odds import match_odds, reckon

    plan, asked = people.plan, Asked()
    firsts = range(0, len(people.sheets) // blocks * blocks, blocks)
    all_chunks = [ledger_of(plan, people.sheets[first : first + blocks]) for first in firsts]
    whole = reckon(plan, merge_ledgers(all_chunks), asked)
    if whole is None:
        raise ValueError(f"matches of {plan.rules.name} are too long to be reckoned")
    truths = dict(zip(whole.figures.names, whole.values, strict=True))
    random, hits = np.random.default_rng(13), dict.fromkeys(figures, 0)
    for _ in range(repetitions):
        parts = [all_chunks[at] for at in random.integers(0, len(all_chunks), chunks)]
        odds = match_odds(plan, parts, asked)
        for figure in figures:
            row = odds.row(figure)
            hits[figure] += row["low"] <= truths[figure] <= row["high"]
    size = f"{chunks} x {blocks} blocks"
    who = ",".join(player.name for player in plan.players)
    return [
        covers(f"matches of {who}: {figure}, {size}", hits[figure] / repetitions, repetitions)
        for figure in figures
    ]


# ---------------------------------------------------------------- tests of a difference


def a_a(people: Population, arm: Population, repetitions: int) -> tuple[list[Check], np.ndarray]:
    """Compare two arms alike in law on different deals: p-values must be uniform.

    Returns
    -------
    list of Check
    numpy.ndarray
        The p-values, float64[repetitions].
    """
    from scipy.stats import kstest, t

    gaps = people.columns["difference"] - arm.columns["difference"]
    parts = gaps[: len(gaps) // repetitions * repetitions].reshape(repetitions, -1)
    n, p = parts.shape[1], np.ones(repetitions)
    for at, part in enumerate(parts):
        found = estimate_of(int(part.sum()), int((part**2).sum()), n)
        p[at] = 2 * t.sf(abs(found.mean / found.se), n - 1) if found.se else 1.0
    wrong = float((p < 0.05).mean())
    slack = FEW_SIGMA * math.sqrt(0.05 * 0.95 / repetitions)
    name = f"two arms alike, {n} blocks each"
    return [
        Check("A/A", f"{name}: uniform, p of KS", kstest(p, "uniform").pvalue, 1e-3, 1,
              repetitions),
        Check("A/A", f"{name}: share of p < 0.05", wrong, max(0, 0.05 - slack), 0.05 + slack,
              repetitions),
    ], p  # fmt: skip


def shared_noise(people: Population, twin: Population) -> Check:
    """Check that the same player under another name on the same deals differs by exactly 0."""
    same = all(np.array_equal(people.columns[k], twin.columns[k]) for k in TAKEN)
    return holds("A/A", "the same player on the same deals differs by exactly 0", same)


@dataclass(frozen=True)
class _Looks:
    """Running sums of many runs at looks: n int64[looks], sums and squares int64[runs, looks]."""

    n: np.ndarray
    totals: np.ndarray
    squares: np.ndarray


def _looks(people: Population, cap: int, runs: int) -> _Looks:
    from kasino_sim.stats.sequential import LOOK_EVERY

    random, values = np.random.default_rng(14), people.columns["difference"]
    totals, squares = [], []
    for _ in range(runs):
        drawn = values[people.draw(random, (cap // LOOK_EVERY, LOOK_EVERY))]
        totals.append(drawn.sum(axis=1).cumsum())
        squares.append((drawn**2).sum(axis=1).cumsum())
    n = np.arange(LOOK_EVERY, cap + 1, LOOK_EVERY)
    return _Looks(n, np.array(totals), np.array(squares))


def sequential_checks(people: Population, cap: int, runs: int) -> list[Check]:
    """Check the confidence sequence and the errors of the sequential test, peeking all the time."""
    from kasino_sim.stats import sequential as s

    looks, values = _looks(people, cap, runs), people.columns["difference"] / 2
    truth, slack = float(values.mean()), FEW_SIGMA * math.sqrt(0.05 * 0.95 / runs)
    gap = 0.06 * float(values.std())  # told apart long before the cap

    def states(run: int) -> list[s.Running]:
        rows = zip(looks.n, looks.totals[run], looks.squares[run], strict=True)
        return [s.Running(int(n), int(a), int(b), 2) for n, a, b in rows]

    ever = peeked = false_high = false_low = undecided = 0
    null, other = s.Sprt(truth, truth + gap, cap), s.Sprt(truth - gap, truth, cap)
    for run in range(runs):
        path = states(run)
        found = [s.sequence(sums, cap) for sums in path]
        ever += all(x is None or x[0] <= truth <= x[1] for x in found)
        late = [sums for sums in path if sums.blocks >= s.FIRST_LOOK]
        fixed = (1.96 * math.sqrt(x.variance / x.blocks) - abs(x.mean - truth) for x in late)
        peeked += any(x < 0 for x in fixed)
        ends = [next(r for r in map(test.look, path) if r) for test in (null, other)]
        false_high += ends[0] == s.HIGHER
        false_low += ends[1] == s.LOWER
        undecided += s.INCONCLUSIVE in ends
    size = f"up to {cap} blocks"
    return [
        Check("coverage", f"confidence sequence, at every look {size}", ever / runs,
              0.95 - slack, 1, runs, "holds at every look: wide by design"),
        Check("sequential", f"GSPRT: higher where it is not, {size}", false_high / runs, 0,
              0.05 + slack, runs, "alpha 0.05"),
        Check("sequential", f"GSPRT: lower where it is not, {size}", false_low / runs, 0,
              0.05 + slack, runs, "beta 0.05"),
        Check("sequential", "GSPRT: runs that end without a result", undecided / runs, 0, 0.05,
              runs),
        Check("control", "peeking with a fixed interval errs more than 10 %", peeked / runs,
              0.10, 1, runs, "a wrong method, which must be seen to fail"),
    ]  # fmt: skip


def known_answers() -> list[Check]:
    """Check known answers: log likelihood ratios of pairs, and blocks that a difference takes."""
    from kasino_sim.stats.power import blocks_needed
    from kasino_sim.stats.sequential import pentanomial_llr

    pairs = {(379, 10170, 21828, 10640, 343): (2.946, 0.001),
             (365, 16618, 36229, 16974, 390): (2.25, 0.005)}  # fmt: skip
    checks = [
        Check("known", f"pentanomial LLR {counts}", pentanomial_llr(counts, 0, 2),
              answer - off, answer + off, 0)
        for counts, (answer, off) in pairs.items()
    ]  # fmt: skip
    table = {0.20: (1_430, 5_750), 0.10: (5_720, 23_000), 0.05: (22_900, 92_000),
             0.02: (143_000, 575_000)}  # fmt: skip
    for difference, answers in table.items():
        settings = zip(answers, ((0.05, 0.8), (0.001, 0.99)), strict=True)
        for answer, (alpha, power) in settings:
            found = blocks_needed(difference, 2.7, alpha, power)
            name = f"blocks for {difference:.2f} point, sd 2.7, power {power}"
            checks.append(
                Check("known", name, found, answer * 0.99, answer * 1.01, 0, f"about {answer}")
            )
    return checks


def found_lower(make: Callable[[Range, int], Plan], pilot: int, times: int) -> Check:
    """Check that a weakened player is found weaker, with as many blocks as were planned.

    Parameters
    ----------
    make : callable
        Makes the plan, the weakened player first, of deals in a range and how many.
    pilot : int
        Deals, in the range for choosing, that the number of blocks is planned from.
    times : int
        How often it is tried, on deals of its own each time.
    """
    from kasino_sim.simulate import simulate
    from kasino_sim.stats.power import blocks_needed

    plan = make(Range.SELECT, pilot)
    seen = estimate(simulate(plan), "difference", len(plan.turns))
    sd = (seen.se or 0) * math.sqrt(seen.blocks)
    blocks = blocks_needed(seen.mean, sd, 0.001, 0.99)
    plan = make(Range.CONFIRM, blocks * plan.games * times)
    values = population(plan).columns["difference"].reshape(times, blocks)
    found = 0
    for part in values:
        high = mean_row(estimate_of(int(part.sum()), int((part**2).sum()), blocks))["high"]
        found += high < 0
    name = f"a weakened player is found weaker, {blocks} blocks"
    return Check("power", name, found / times, 0.95, 1, times, f"{-seen.mean:.2f} points a deal")
