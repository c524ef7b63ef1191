"""Weights found by trial: CMA-ES on common deals against a pool of players.

A generation's candidates all play the same fresh deals of the TUNE range, so that luck falls out of
their order. The winners of the restarts are compared on SELECT, and what is told of the one chosen
rests on CONFIRM, by which nothing was chosen. Everything follows from rules, players, seed and
budget; threads change nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from kasino_sim.engine.layout import FEATURE_GROUPS, FEATURES
from kasino_sim.errors import KasinoError, closest
from kasino_sim.plan import Plan
from kasino_sim.players import Player, for_rules, unweighed
from kasino_sim.ranges import Range
from kasino_sim.rules import Ruleset
from kasino_sim.simulate import Engine, default_threads
from kasino_sim.stats.estimates import Estimate
from kasino_sim.studies.feature_scales import feature_scales
from kasino_sim.tips import TIP_WORDS

STEP = 0.025  # points that a feature is first changed by, at its usual spread among moves
PAST_SELVES = 2  # means of earlier generations that stay in the pool
SELF_EVERY = 10  # generations after which the mean joins them
OTHERS = "others"  # to be held: what the start does not weigh
AVERAGED = 0.25  # share of a restart's generations, the last, whose means are averaged
PIECE = 2_000  # blocks played at a time
ALGEBRA_THREADS = 2  # of the search's linear algebra, as when the shipped weights were found


@dataclass(frozen=True)
class Budget:
    """How much a tuning run plays, all in counts.

    Attributes
    ----------
    population : int
        Candidates a generation.
    generations : int
        Generations a restart.
    blocks : int
        Blocks that a candidate plays in a generation, shared out among the pool.
    restarts : int
        Searches from the start, each with noise of its own.
    select, confirm : int
        Blocks by which the winner is chosen, and by which it is judged, against each opponent.
    """

    population: int = 16
    generations: int = 60
    blocks: int = 3_000
    restarts: int = 2
    select: int = 20_000
    confirm: int = 100_000


SIZES = {
    "quick": Budget(12, 12, 600, 1, 2_000, 10_000),
    "default": Budget(),
    "large": Budget(24, 150, 6_000, 3, 50_000, 200_000),
}
"""Budgets by name."""


def parse_budget(text: str) -> Budget:
    """Read a budget: a name of `SIZES`, or one and what differs: ``quick,blocks=900``.

    Raises
    ------
    KasinoError
        With a line for each part that is none.
    """
    budget, lines = SIZES["default"], []
    names = [field.name for field in fields(Budget)]
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        if not equals and name in SIZES:
            budget = SIZES[name]
        elif name not in names:
            lines.append(
                f"--budget {part!r}: names are {', '.join(SIZES)}, and {', '.join(names)} "
                f"with a number{closest(name, [*SIZES, *names])}"
            )
        elif not number.replace("_", "").isdecimal():
            lines.append(f"--budget {part!r}: {name} must be a whole number, as in {name}=20")
        else:
            budget = replace(budget, **{name: int(number)})
    if lines:
        raise KasinoError(lines)
    return budget


def parse_held(text: str, start: Player) -> tuple[str, ...]:
    """Read what is to be denied: features, groups of them, and tips, which stand for their proxies.

    `OTHERS` are all features that the player at whom the search begins does not weigh.

    Raises
    ------
    KasinoError
        With a line for each name that is none.
    """
    held, lines = list[str](), list[str]()
    for name in filter(None, (piece.strip() for piece in text.split(","))):
        if name == OTHERS:
            held += unweighed(start)
        elif name in FEATURES:
            held.append(name)
        elif name in FEATURE_GROUPS:
            held += FEATURE_GROUPS[name]
        elif name in TIP_WORDS:
            held += TIP_WORDS[name].proxies
        else:
            known = [OTHERS, *FEATURES, *FEATURE_GROUPS, *TIP_WORDS]
            lines.append(
                f"--hold {name!r} is no feature, group or tip{closest(name, known)}; "
                f"allowed: {OTHERS} (all that --start does not weigh); groups: "
                f"{', '.join(FEATURE_GROUPS)}; tips: {', '.join(TIP_WORDS)}; features: see "
                "kasino players show tuned"
            )
    if lines:
        raise KasinoError(lines)
    return tuple(dict.fromkeys(held))


@dataclass(frozen=True)
class Task:
    """What is to be tuned.

    Attributes
    ----------
    rules : Ruleset
    start : Player
        Whose weights the search begins at; its kind and all else stay.
    pool : tuple of Player
        The opponents.
    seed : int
    budget : Budget
    held : tuple of str
        Features that weigh nothing throughout.
    selves : int
        Means of earlier generations, the last ones, that are opponents too. Without any the search
        finds whoever takes most off the pool: a lower bound on what that gives away.
    """

    rules: Ruleset
    start: Player
    pool: tuple[Player, ...]
    seed: int
    budget: Budget
    held: tuple[str, ...] = ()
    selves: int = PAST_SELVES

    def __post_init__(self) -> None:
        """Check what the parts alone cannot."""
        lines = [f"--budget: {k} {v}: must be 1 or more" for k, v in asdict(self.budget).items()
                 if v < 1]  # fmt: skip
        if self.budget.population < 4:
            lines.append(f"--budget: population {self.budget.population}: must be 4 or more")
        if not self.pool:
            lines.append("--pool: names nobody; name players with commas, such as careful,greedy")
        if self.start.kind in ("random", "greedy"):
            lines.append(
                f"--start {self.start.name}: is of kind {self.start.kind}, which weighs nothing; "
                "name a player that weighs, such as careful"
            )
        if lines:
            raise KasinoError(lines)


@dataclass(frozen=True)
class Generation:
    """A line of the log: how a generation did.

    Attributes
    ----------
    restart, number : int
        Both from 1.
    best, mean : float
        Points a deal over the pool, of the best candidate and of all, on the generation's deals.
    step : float
        The search's step size.
    deals : int
        Deals played in it.
    """

    restart: int
    number: int
    best: float
    mean: float
    step: float
    deals: int


@dataclass(frozen=True)
class Tuned:
    """What a tuning run came to.

    Attributes
    ----------
    player : Player
    log : tuple of Generation
    selected : tuple of float
        Points a deal over the pool on SELECT, of the start and of each restart's winner.
    confirmed : dict of str to Estimate
        Points a deal more than each of the pool, on CONFIRM.
    """

    player: Player
    log: tuple[Generation, ...]
    selected: tuple[float, ...]
    confirmed: dict[str, Estimate]


class Duel:
    """Plays candidates against opponents under one rule set, on common deals.

    Parameters
    ----------
    rules : Ruleset
    seed : int
    threads : int
    """

    def __init__(self, rules: Ruleset, seed: int, threads: int) -> None:
        self.rules, self.seed, self.threads = rules, seed, threads
        self._engine: Engine | None = None

    def margins(self, player: Player, opponent: Player, first: int, blocks: int) -> np.ndarray:
        """Return the points more a deal than the others' mean, float64[blocks].

        Where few points win, the fewer the better: the sign is the match's aim.
        """
        plan = self._plan(player, opponent, first, blocks)
        if plan.alike:
            return np.zeros(blocks)
        engine = self._engine_of(plan)
        parts = [
            self._margins_of(plan, engine.sheets(at, min(PIECE, blocks - at)))
            for at in range(0, blocks, PIECE)
        ]
        return np.concatenate(parts)

    def estimate(self, player: Player, opponent: Player, first: int, blocks: int) -> Estimate:
        """Return mean and standard error of `margins`, threads sharing the blocks."""
        size = min(PIECE, -(-blocks // self.threads))
        jobs = [
            (lambda at=at: self.margins(player, opponent, first + at, min(size, blocks - at)))
            for at in range(0, blocks, size)
        ]
        found = np.concatenate(list(self.run(jobs)))
        se = float(found.std(ddof=1)) / blocks**0.5 if blocks > 1 else None
        return Estimate(float(found.mean()), se, blocks)

    def run(self, jobs: Sequence[Callable[[], np.ndarray]]) -> Iterator[np.ndarray]:
        """Do jobs on the threads; yields their results in order."""
        with ThreadPoolExecutor(self.threads) as workers:
            yield from workers.map(lambda job: job(), jobs)

    @property
    def games(self) -> int:
        """Games in a block."""
        return 2 if self.rules.deal.teams == "pairs" else self.rules.n_players

    def _plan(self, player: Player, opponent: Player, first: int, blocks: int) -> Plan:
        pairs = self.rules.deal.teams == "pairs"
        others = 1 if pairs else self.rules.n_players - 1
        seats = (player, *(opponent for _ in range(others)))
        return Plan(self.rules, seats, self.seed, blocks, first_deal=first)

    def _engine_of(self, plan: Plan) -> Engine:
        if self._engine is None:
            self._engine = Engine(plan)
        return self._engine.seated(plan)

    def _margins_of(self, plan: Plan, sheets: np.ndarray) -> np.ndarray:
        points = sheets["points"][:, :, : self.rules.sides].sum(axis=3, dtype=np.int64)
        own = np.zeros(len(sheets), np.int64)
        total = np.zeros(len(sheets), np.int64)
        for game, sides in plan.turns:
            own += points[:, game, sides[0]]
            total += points[:, game].sum(axis=1)
        others = self.rules.sides - 1
        aim = 1 if self.rules.match.winner == "highest" else -1
        return aim * (own * (others + 1) - total) / (others * len(plan.turns))


def tuned_toml(task: Task, found: Tuned, command: str) -> str:
    """Write what a run came to as a player's file.

    Parameters
    ----------
    task : Task
    found : Tuned
    command : str
        What was typed, to be named as the source.
    """
    first, blocks = Range.CONFIRM.first_deal, task.budget.confirm
    judged = ", ".join(
        f"{e.mean:+.3f} (SE {e.se:.3f}) over {name}" if e.se else f"as good as {name}"
        for name, e in found.confirmed.items()
    )
    about = {
        "idea": f"Weighs all that makes a difference under {task.rules.name}, as found by trial.",
        "source": f"{command}; seed {task.seed}, deals of the ranges tune and select; on "
        f"{blocks} decks of the range confirm (from deal {first}), points a deal: {judged}",
        "kind": task.start.kind,
    }
    lines = [f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in about.items()]
    lines += [f"{name} = {value}" for name, value in task.start.thinking.items()]
    weighed = {k: v for k, v in found.player.weights.items() if v}
    lines += ["", "[weights]", *(f"{name} = {value!r}" for name, value in weighed.items())]
    for name, tip in task.start.tips.items():
        told = json.dumps(tip.form), repr(tip.strength), json.dumps(tip.reverse)
        lines += ["", f"[tips.{name}]"]
        lines += [f"{k} = {v}" for k, v in zip(("form", "strength", "reverse"), told, strict=True)]
    return "\n".join(lines) + "\n"


def tune(
    task: Task,
    threads: int | None = None,
    tell: Callable[[Generation], None] = lambda generation: None,
) -> Tuned:
    """Search for weights, choose among the restarts' winners, and judge the chosen one.

    Parameters
    ----------
    task : Task
    threads : int, optional
        All processors unless given; changes nothing in the result.
    tell : callable
        Gets each generation as it ends.

    Raises
    ------
    KasinoError
        Where no feature is left to tune.
    """
    duel = Duel(task.rules, task.seed, threads or default_threads())
    space = _Space(task)
    log: list[Generation] = []
    winners = [space.player(space.start)]
    for restart in range(1, task.budget.restarts + 1):
        found = space.start
        for generation, mean in _search(task, duel, space, restart):
            log.append(generation)
            tell(generation)
            found = mean
        winners.append(space.player(found))
    selected = tuple(_selected(task, duel, winner) for winner in winners)
    chosen = winners[int(np.argmax(selected))]
    confirmed = {
        opponent.name: duel.estimate(
            chosen, opponent, Range.CONFIRM.first_deal, task.budget.confirm
        )
        for opponent in task.pool
    }
    return Tuned(chosen, tuple(log), selected, confirmed)


class _Space:
    """The tuned weights as a vector, a step of 1 in it being `STEP` points at a usual move."""

    def __init__(self, task: Task) -> None:
        free = [name for name in FEATURES if name not in task.held]
        plan = Plan(task.rules, (task.start,), task.seed, 1, first_deal=Range.TUNE.first_deal)
        spread = feature_scales(plan, free)
        self.names = [n for n, s in zip(free, spread, strict=True) if s > 0]
        self.units = STEP / spread[spread > 0]
        if not self.names:
            raise KasinoError(f"--hold: no feature is left to tune under {task.rules.name}")
        self.task = task

    @property
    def start(self) -> np.ndarray:
        """The weights that the search begins at."""
        weights = for_rules(self.task.start, self.task.rules).weights
        given = [weights.get(name, 0.0) for name in self.names]
        return np.array(given) / self.units

    def player(self, vector: np.ndarray) -> Player:
        """Return the player with these weights, to four digits as they are kept."""
        weights = {
            name: float(f"{value:.4g}")
            for name, value in zip(self.names, vector * self.units, strict=True)
        }
        return self.task.start.model_copy(
            update={"name": "found", "tuned": False, "weights": weights}
        )


def _search(
    task: Task, duel: Duel, space: _Space, restart: int
) -> Iterator[tuple[Generation, np.ndarray]]:
    """Yield each generation with the mean so far, averaged over the last ones."""
    CMA, steady = _strategy()
    budget = task.budget
    noise = np.random.SeedSequence([task.seed, restart]).generate_state(1)[0]
    search = CMA(
        mean=space.start, sigma=1.0, population_size=budget.population, seed=int(noise % 2**31)
    )
    first = Range.TUNE.first_deal + (restart - 1) * budget.generations * budget.blocks
    selves: list[Player] = []
    means: list[np.ndarray] = []
    for number in range(1, budget.generations + 1):
        with steady():
            asked = [search.ask() for _ in range(budget.population)]
        pool = [*task.pool, *(selves[-task.selves :] if task.selves else ())]
        found = _judge(duel, [space.player(x) for x in asked], pool, first, budget.blocks)
        first += budget.blocks
        with steady():
            search.tell([(x, -value) for x, value in zip(asked, found, strict=True)])
        means.append(search.mean.copy())
        if number % SELF_EVERY == 0:
            selves.append(_named(space.player(means[-1]), f"self {number}"))
        last = means[-max(1, round(AVERAGED * budget.generations)) :]
        share = max(1, budget.blocks // len(pool))
        told = Generation(
            restart,
            number,
            max(found),
            float(np.mean(found)),
            float(np.std(asked - search.mean)),
            budget.population * share * len(pool) * duel.games,
        )
        yield told, np.mean(last, axis=0)


def ready() -> None:
    """Refuse at once where the package that searches is not there.

    Raises
    ------
    KasinoError
    """
    _strategy()


def _strategy() -> tuple[Any, Callable[[], Any]]:
    """Return the search strategy, and what keeps its linear algebra to one number of threads.

    Sums of numbers depend in their last digits on how many threads share them, and a search in the
    end on these. The packages are those of the extra `tune`.
    """
    try:
        from cmaes import CMA
        from threadpoolctl import ThreadpoolController
    except ImportError as error:
        raise KasinoError(
            f"to tune players needs the package {error.name}: pip install 'kasino-sim[tune]'"
        ) from None
    limit = ThreadpoolController().limit
    return CMA, partial(limit, limits=ALGEBRA_THREADS, user_api="blas")


def _named(player: Player, name: str) -> Player:
    """Return the same player by another name."""
    return player.model_copy(update={"name": name})


def _judge(
    duel: Duel, candidates: Sequence[Player], pool: Sequence[Player], first: int, blocks: int
) -> list[float]:
    """Return each candidate's points over the pool, whose members share the blocks."""
    share = max(1, blocks // len(pool))
    jobs = [
        (lambda c=c, k=k, o=o: duel.margins(c, o, first + k * share, share))
        for c in candidates
        for k, o in enumerate(pool)
    ]
    means = [float(margins.mean()) for margins in duel.run(jobs)]
    n = len(pool)
    return [float(np.mean(means[i : i + n])) for i in range(0, len(means), n)]


def _selected(task: Task, duel: Duel, player: Player) -> float:
    """Return a winner's points over the pool on SELECT."""
    found = [
        duel.estimate(player, opponent, Range.SELECT.first_deal, task.budget.select).mean
        for opponent in task.pool
    ]
    return float(np.mean(found))
