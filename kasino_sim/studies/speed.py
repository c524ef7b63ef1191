"""How fast it is: deals a second in a fixed list of cases, and what a start and a run take.

A case is played as `simulate` plays it, chunk by chunk on a pool of threads with every count that
is kept by default, each sample on new deals. One thread and all threads are timed in turn, the
same number of chunks in every thread.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kasino_sim.catalog import load_ruleset
from kasino_sim.engine.jit import JIT_OFF, engine_fingerprint
from kasino_sim.errors import KasinoError
from kasino_sim.pack import RULES_VERSION
from kasino_sim.plan import Plan, players_by_name
from kasino_sim.simulate import Chunk, Engine, default_threads, run_chunks
from kasino_sim.stats.estimates import estimate
from kasino_sim.studies.stopwatch import Timing, time_command
from kasino_sim.tally import Tally, merge

SCHEMA_VERSION = 1
SEED = 1
CHUNK_GAMES = 20_000  # played at a time by a thread, as in a run of some millions
NO_END = 10**12  # deals of a plan that is played until it was timed

KASINO = (sys.executable, "-m", "kasino_sim")
STARTS = MappingProxyType(
    {
        "kasino warmup, compiled": (*KASINO, "warmup"),
        "python alone": (sys.executable, "-c", "pass"),
        "import kasino_sim.simulate": (sys.executable, "-c", "import kasino_sim.simulate"),
        "kasino --help": (*KASINO, "--help"),
        "kasino simulate --deals 1000": (*KASINO, "simulate", "--deals", "1000", "--quiet"),
    }
)
"""What a start is measured by: name to command, each in a new process with the engine compiled."""


@dataclass(frozen=True)
class Case:
    """Players at a table: a rule set, who plays, and how many of them."""

    rules: str
    players: tuple[str, ...]
    seats: int = 2
    teams: str = "solo"

    @property
    def table(self) -> str:
        """The rule set, and who sits there where it is not two."""
        seated = "in pairs" if self.teams == "pairs" else f"{self.seats} seats"
        return self.rules if self.seats == 2 else f"{self.rules}, {seated}"

    @property
    def match_up(self) -> str:
        """Who plays whom."""
        return f"{self.players[0]} v {self.players[-1]}"

    @property
    def name(self) -> str:
        """Rules and players in one line, such as `svensk, 3 seats: greedy v greedy`."""
        return f"{self.table}: {self.match_up}"

    def plan(self) -> Plan:
        """Return a plan of this case that does not end."""
        overrides = [f"deal.players={self.seats}", f"deal.teams={self.teams}"]
        rules = load_ruleset(self.rules, overrides if self.seats > 2 else [])
        return Plan(rules, players_by_name(self.players), SEED, NO_END)


_TWO = ("svensk-utan-bygg", "svensk", "dansk", "norsk", "smygkasino", "norsk-casino")
_MORE = (("svensk", 3, "solo"), ("svensk", 4, "solo"), ("svensk", 4, "pairs"))
CASES = (
    *(
        Case(rules, (player,), seats, teams)
        for rules, seats, teams in (*((name, 2, "solo") for name in _TWO), *_MORE)
        for player in ("random", "greedy", "careful")
    ),
    Case("svensk", ("careful", "greedy")),
)
"""The fixed list."""


@dataclass(frozen=True)
class Settings:
    """How long to measure.

    Attributes
    ----------
    repeats : int
        Samples of everything but the first compilation and the runs.
    seconds : float
        Spent on the samples of a case, about.
    chunk_games : int
        Games played at a time by a thread.
    runs : tuple of int
        Deals of the whole runs.
    threads : int
        What all threads are.
    """

    repeats: int = 5
    seconds: float = 5.0
    chunk_games: int = CHUNK_GAMES
    runs: tuple[int, ...] = (100_000, 1_000_000)
    threads: int = field(default_factory=default_threads)


@dataclass(frozen=True)
class Sample:
    """Deals played, and the seconds that took: by the clock, and of processors."""

    deals: int
    wall: float
    cpu: float


class Racer:
    """A case ready to be timed with a number of threads; its engine and cards are warm.

    Parameters
    ----------
    case : Case
    threads : int
    chunk_games : int
    """

    def __init__(self, case: Case, threads: int, chunk_games: int) -> None:
        self.plan, self.threads = case.plan(), threads
        self.total: Tally | None = None
        self._engine = Engine(self.plan)
        self._size = max(1, chunk_games // self.plan.games)
        self._next = 0
        self.play(1)

    def play(self, chunks: int) -> Sample:
        """Play so many chunks for every thread, all of deals not yet played, and time them."""
        first, n = self._next, chunks * self.threads
        self._next += n * self._size
        todo = (Chunk(i, first + i * self._size, self._size) for i in range(n))
        wall, cpu = time.perf_counter(), time.process_time()
        played = merge(tally for _, tally in run_chunks(self._engine.tally, todo, self.threads))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        self.total = played if self.total is None else self.total + played
        return Sample(n * self._size * self.plan.games, wall, cpu)

    def chunks_in(self, seconds: float) -> int:
        """Return how many chunks a thread plays in this time."""
        return max(1, round(seconds * self.threads / self.play(1).cpu))

    def strength(self) -> dict[str, Any] | None:
        """Tell what the first player is ahead by in all that was played, in points a deal."""
        if self.plan.alike or self.total is None:
            return None
        ahead = estimate(self.total, "difference", len(self.plan.turns))
        return {"mean": ahead.mean, "se": ahead.se, "deals": self.total.blocks * self.plan.games}


def spread(values: Iterable[float]) -> dict[str, float]:
    """Return the median, the least and the greatest of some values."""
    found = list(values)
    return {"median": statistics.median(found), "min": min(found), "max": max(found)}


def measure_case(case: Case, settings: Settings) -> dict[str, Any]:
    """Time a case, one thread and all threads in turn.

    Returns
    -------
    dict
        `one_thread` and `all_threads`, each with deals a second by the clock and by processor
        time; `gain`, the clock's ratio of the two; `strength` where the players differ.
    """
    one = Racer(case, 1, settings.chunk_games)
    all_ = Racer(case, settings.threads, settings.chunk_games)
    chunks = one.chunks_in(settings.seconds / settings.repeats / 2)
    pairs = [(one.play(chunks), all_.play(chunks)) for _ in range(settings.repeats)]
    return {
        "name": case.name,
        "table": case.table,
        "match_up": case.match_up,
        **asdict(case),
        "one_thread": _rates(1, [a for a, _ in pairs]),
        "all_threads": _rates(settings.threads, [b for _, b in pairs]),
        "gain": spread((b.deals / b.wall) / (a.deals / a.wall) for a, b in pairs),
        "strength": one.strength(),
    }


def _rates(threads: int, samples: Sequence[Sample]) -> dict[str, Any]:
    return {
        "threads": threads,
        "deals_a_sample": samples[0].deals,
        "deals_per_second": spread(s.deals / s.wall for s in samples),
        "deals_per_cpu_second": spread(s.deals / s.cpu for s in samples),
        "core_share": statistics.median(s.cpu / s.wall / threads for s in samples),
    }


def measure_starts(repeats: int) -> list[dict[str, Any]]:
    """Time `kasino warmup` with nothing compiled, once, then each of `STARTS` with what it left.

    Returns
    -------
    list of dict
        `name` and spreads of seconds: `wall`, and `cpu` or None.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = {"NUMBA_CACHE_DIR": folder}
        cold = _seconds([time_command((*KASINO, "warmup"), home)])
        return [
            {"name": "kasino warmup, nothing compiled", **cold},
            *(
                {"name": name, **_seconds([time_command(line, home) for _ in range(repeats)])}
                for name, line in STARTS.items()
            ),
        ]


def _seconds(timings: Sequence[Timing]) -> dict[str, Any]:
    cpu = [t.cpu for t in timings if t.cpu is not None]
    return {"wall": spread(t.wall for t in timings), "cpu": spread(cpu) if cpu else None}


def measure_run(deals: int) -> dict[str, Any]:
    """Time `kasino simulate --deals N --out DIR` as a process, and weigh the folder it keeps."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "run"
        options = ("--deals", str(deals), "--seed", str(SEED), "--out", str(folder))
        took = time_command((*KASINO, "simulate", *options, "--quiet", "--format", "json"))
        kept = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    summary = json.loads(took.output)
    return {
        "deals": summary["deals"],
        "players": summary["players"],
        "wall": took.wall,
        "cpu": took.cpu,
        "deals_per_second": summary["deals"] / took.wall,
        "peak_bytes": took.peak,
        "bytes_kept_per_deal": kept / summary["deals"],
        "strength": summary["difference"],
    }


def machine() -> dict[str, Any]:
    """Describe the processor, and the versions that speed depends on."""
    return {
        "processor": _processor(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "cores_usable": default_threads(),
        "load": _load(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba")},
    }


def _load() -> float | None:
    """Return how many processes wanted a core in the last minute, where the system tells."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return None


def _processor() -> str:
    """Name the processor; Linux tells the name only in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def measure(
    settings: Settings,
    cases: Sequence[Case] = CASES,
    starts: bool = True,
    tell: Callable[[str], None] = lambda doing: None,
) -> dict[str, Any]:
    """Measure everything.

    Parameters
    ----------
    settings : Settings
    cases : sequence of Case
    starts : bool
        Whether to time compilation, starts and whole runs too.
    tell : callable
        Is told what is measured next.

    Returns
    -------
    dict
        As `kasino bench --format json` prints it.

    Raises
    ------
    KasinoError
        Where Numba is told to compile nothing.
    """
    if JIT_OFF:
        raise KasinoError("NUMBA_DISABLE_JIT is set: without a compiled engine, nothing to measure")
    found: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "software": {"name": "kasino-sim", "version": version("kasino-sim")},
        "engine": {"fingerprint": engine_fingerprint(), "rules_version": RULES_VERSION},
        "machine": machine(),
        "settings": {**asdict(settings), "seed": SEED},
        "cases": [],
    }
    for case in cases:
        tell(case.name)
        found["cases"].append(measure_case(case, settings))
    if starts:
        tell("compiling, and starting")
        found["starts"] = measure_starts(settings.repeats)
        found["runs"] = []
        for deals in settings.runs:
            tell(f"a run of {deals:,} deals")
            found["runs"].append(measure_run(deals))
    return found
