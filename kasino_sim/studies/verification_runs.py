"""Which checks are run, and those of runs themselves: order, threads, chunks, resuming."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from kasino_sim.catalog import load_ruleset
from kasino_sim.errors import KasinoError
from kasino_sim.plan import Plan, parse_known
from kasino_sim.players import Player, load_player
from kasino_sim.ranges import Range
from kasino_sim.simulate import Chunk, Engine, chunks_of, simulate
from kasino_sim.stats.estimates import estimate
from kasino_sim.store import RunFolder
from kasino_sim.studies import verification as v
from kasino_sim.studies import verification_shapes as shapes
from kasino_sim.studies.verification_coach import coach_checks
from kasino_sim.studies.verification_restarts import restart_checks
from kasino_sim.tally import Tally, merge

RULES, PLAYERS = "svensk", ("careful", "greedy")
MATCH_FIGURES = ("deals", "seat.0", "kept", "held", "lead_changes", "length.2")
CHANGED = ("build.allowed=false",)  # the other rules of a paired difference


@dataclass
class Verification:
    """Checks as they come, and the p-values of arms alike."""

    checks: list[v.Check] = field(default_factory=list)
    p_values: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return bool(self.checks) and all(check.passed for check in self.checks)


def verify(scale: float = 1.0) -> Iterator[Verification]:
    """Run all checks, a group at a time.

    Parameters
    ----------
    scale : float
        Share of the repetitions: 1 takes some minutes; bounds widen where there are few.

    Yields
    ------
    Verification
        What there is so far.
    """

    def some(n: int, least: int) -> int:
        return max(least, round(n * scale))

    found = Verification()
    found.checks += v.known_answers() + run_checks(some(20_000, 2_000))
    yield found
    people = v.population(_plan(some(400_000, 40_000)))
    arm = v.population(replace(people.plan, first_deal=Range.SELECT.first_deal))
    tests, found.p_values = v.a_a(people, arm, some(2_000, 200))
    found.checks += [*tests, shared_noise(some(20_000, 1_000))]
    yield found
    found.checks += coverage_checks(people, some)
    found.checks += restart_checks(some(1_000, 20))
    yield found
    found.checks += v.sequential_checks(people, 12_000, some(2_000, 150))
    yield found
    found.checks += [weakened(some(40, 5), some(40_000, 8_000)), *loaded(some(20_000, 4_000))]
    yield found
    single = v.population(_plan(some(200_000, 20_000), ("careful",)))
    found.checks += v.match_coverage(single, 40, 50, some(4_000, 20), MATCH_FIGURES)
    found.checks += v.match_coverage(people, 40, 50, some(2_000, 20), ("deals", "player.0"))
    yield found
    yield from _shapes(found, single, some)
    openings, looks, worlds = some(40, 2), some(50, 10), some(300, 60)
    found.checks += coach_checks(single.plan, openings, looks, worlds, load_player("tuned"))
    yield found


def _shapes(
    found: Verification, people: v.Population, some: Callable[[int, int], int]
) -> Iterator[Verification]:
    """Check what is printed of distributions, shifts and paired differences."""
    changed = replace(people.plan, rules=load_ruleset(RULES, list(CHANGED)))
    pair = shapes.Pair(people, v.population(changed))
    found.checks += shapes.distribution_checks(people, 1_000, some(10_000, 200))
    found.checks += shapes.chunk_checks(people, 20, some(10_000, 200))
    found.checks += shapes.contrast_checks(pair, 1_000, some(10_000, 200))
    yield found
    found.checks += shapes.shift_checks(pair, 20, some(1_500, 20))
    yield found


def coverage_checks(people: v.Population, some: Callable[[int, int], int]) -> list[v.Check]:
    """Check intervals of means and rates against the population's own truths."""
    repetitions = some(10_000, 500)
    checks = [
        v.mean_coverage(people, column, blocks, repetitions)
        for column, blocks in (("difference", 200), ("points.0", 1_000), ("swept", 500))
    ]
    games = people.plan.games
    common = float(people.columns["tied_cards"].mean()) / games
    swept = float(people.columns["swept"].mean()) / games
    checks += [
        v.rate_coverage(swept, 1_000, "Wilson: deals with a sweep", False),
        v.rate_coverage(common, 20_000, "Wilson: cards tied", False),
        v.rate_coverage(common, max(2, round(5 / common)), "Clopper-Pearson: cards tied", True),
    ]
    return [*checks, v.together_coverage(people, 500, max(repetitions, 500))]


def _plan(deals: int, players: tuple[str, ...] = PLAYERS) -> Plan:
    return Plan(
        load_ruleset(RULES, []),
        tuple(map(load_player, players)),
        2026,
        deals,
        first_deal=Range.CONFIRM.first_deal,
    )


def shared_noise(deals: int) -> v.Check:
    """Play the same deals again with the first player under another name."""
    plan = _plan(deals)
    first, *others = plan.players
    twin = replace(plan, players=(first.model_copy(update={"name": "another"}), *others))
    return v.shared_noise(v.population(plan), v.population(twin))


def _weaker() -> Player:
    """Return the careful player without its care for what is left to the next."""
    player = load_player("careful")
    weights = {**player.weights, "sweep_risk": 0.0, "points_risk": 0.0}
    return player.model_copy(update={"name": "weakened", "weights": weights})


def weakened(times: int, pilot: int) -> v.Check:
    """Check that the careful player without some of its care is found weaker."""

    def make(use: Range, deals: int) -> Plan:
        players = (_weaker(), load_player("careful"))
        return replace(_plan(deals), players=players, first_deal=use.first_deal)

    return v.found_lower(make, pilot, times)


def loaded(deals: int) -> list[v.Check]:
    """Check that a deck with the ten of diamonds in the first hand shows, and a fair one not.

    The big casino then goes to the first player oftener than with other, fair decks.
    """
    fair = _plan(deals, ("careful",))
    fixed = replace(fair, known=parse_known("hand0=Td", fair.rules))
    other = replace(fair, first_deal=Range.SELECT.first_deal)
    z = [_distance(fair, plan) for plan in (fixed, other)]
    return [
        v.Check("control", "a loaded deck is seen: distance in SE", z[0], 4, 1e9, 1),
        v.Check("control", "a fair deck is not: distance in SE", z[1], 0, 4, 1),
    ]


def _distance(a: Plan, b: Plan) -> float:
    found = [estimate(simulate(plan), "big.0") for plan in (a, b)]
    se = float(np.hypot(found[0].se or 0, found[1].se or 0))
    return abs(found[1].mean - found[0].mean) / se


def same(a: Tally, b: Tally) -> bool:
    """Whether two tallies are the same numbers."""
    return a.frame().equals(b.frame())


def run_checks(deals: int) -> list[v.Check]:
    """Check that tallies merge in any order and do not depend on how they were played."""
    plan = _plan(deals)
    engine, whole = Engine(plan), simulate(plan, threads=1)
    parts = [engine.tally(chunk) for chunk in chunks_of(plan.blocks, plan.blocks // 7)]
    a, b, *rest = parts
    c = merge(rest)
    half = plan.blocks // 2
    ways = [same(simulate(plan, threads, chunk), whole) for threads, chunk in ((2, 37), (4, half))]
    wrong = replace(plan, first_deal=plan.first_deal + 1)
    group = "runs"
    return [
        v.holds(group, "merging is associative", same((a + b) + c, a + (b + c))),
        v.holds(group, "the order of merging changes nothing", same(merge(parts[::-1]), whole)),
        v.holds(group, "threads and chunks change nothing", all(ways)),
        v.holds(group, "other deals are told apart", not same(simulate(wrong), whole), "control"),
        v.holds(group, "a run broken off resumes to the same", _resumes(plan, whole)),
        v.holds(group, "tallies of deals in common do not merge", _refused(engine)),
    ]  # fmt: skip


def _refused(engine: Engine) -> bool:
    """Try to merge tallies of one deal in common, and of neighbours, which may."""
    first, across, beyond = (engine.tally(Chunk(0, at, 9)) for at in (0, 8, 9))
    apart = first + beyond
    try:
        _ = apart + across
    except KasinoError:
        return apart.blocks == 18
    return False


def _resumes(plan: Plan, whole: Tally) -> bool:
    """Break a run off after some chunks, one of them half written, and go on with it."""
    engine, size = Engine(plan), max(1, plan.blocks // 6)
    chunks = list(chunks_of(plan.blocks, size))
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder(folder, plan, size, resume=False)
        for chunk in chunks[:3]:
            run.save([chunk], [engine.tally(chunk)])
        Path(folder, "chunks", "000003.parquet.partial").write_bytes(b"half")
        again = RunFolder(folder, plan, size, resume=True)
        kept = [again.load([chunk]) for chunk in chunks]
        played = [t[0] if t else engine.tally(c) for t, c in zip(kept, chunks, strict=True)]
    return sum(t is not None for t in kept) == 3 and same(merge(played), whole)
