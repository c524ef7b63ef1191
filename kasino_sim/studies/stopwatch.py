"""Time and peak memory of a command, whole: from its start to its end.

The command runs under a small process of its own, `python -m kasino_sim.studies.stopwatch`, since
a child counts the memory of whoever started it among its peak.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kasino_sim.errors import KasinoError


@dataclass(frozen=True)
class Timing:
    """What a command took.

    Attributes
    ----------
    wall, cpu : float
        Seconds; `cpu` is None where the system does not tell.
    peak : int or None
        The most memory that was resident, in bytes.
    output : str
        What it wrote on stdout.
    """

    wall: float
    cpu: float | None
    peak: int | None
    output: str


def time_command(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Timing:
    """Run a command and time it.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    environment : mapping of str to str, optional
        Variables set for it beside the present ones.

    Raises
    ------
    KasinoError
        Where it fails; with the last line that it wrote on stderr.
    """
    done = subprocess.run(
        [sys.executable, "-m", __name__, *command],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **(environment or {}), "PYTHONIOENCODING": "utf-8"},
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise KasinoError(f"{' '.join(command)}: failed: {said[-1]}")
    return Timing(**json.loads(done.stdout))


def _run(command: Sequence[str]) -> Timing:
    """Run a command from here; the first and only child of this process."""
    begun = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8")
    wall = time.perf_counter() - begun
    if done.returncode:
        raise SystemExit(done.returncode)
    return Timing(wall, *_used(), done.stdout)


def _used() -> tuple[float | None, int | None]:
    """Return processor seconds and peak memory of the children, where the system tells."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None, None
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 1 if sys.platform == "darwin" else 1024
    return used.ru_utime + used.ru_stime, used.ru_maxrss * unit


if __name__ == "__main__":
    print(json.dumps(vars(_run(sys.argv[1:]))))
