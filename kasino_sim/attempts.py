"""The register of attempts: every run on the deals that findings rest on is written down.

Who plays a plan again and again until it pleases has more chances than the p-value knows of. A
reader sees in the register how often it was tried.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

from kasino_sim.errors import KasinoError

REGISTER = Path("reports/attempts.csv")


@dataclass(frozen=True)
class Attempt:
    """A line of the register, all as text.

    Attributes
    ----------
    when : str
        Date and time.
    plan, fingerprint, seed, blocks : str
        Name of the plan, hash of plan, players and engine, and what was played.
    result : str
        What it came to, in a few words.
    """

    when: str
    plan: str
    fingerprint: str
    seed: str
    blocks: str
    result: str


FIELDS = tuple(field.name for field in fields(Attempt))


def fingerprint(*parts: object) -> str:
    """Hash plan, players and engine, whatever JSON can hold; the order of keys does not matter."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_down(
    plan: str, digest: str, seed: int, blocks: int, result: str, register: Path = REGISTER
) -> int:
    """Write down an attempt made now; returns its number among those of the plan, from 1.

    Parameters
    ----------
    plan : str
    digest : str
        Hash of plan, players and engine.
    seed, blocks : int
    result : str
    register : Path
    """
    when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    append(Attempt(when, plan, digest, str(seed), str(blocks), result), register)
    return earlier(plan, register)


def ready(register: Path = REGISTER) -> None:
    """Make sure that an attempt can be written down, before anything is played.

    Raises
    ------
    KasinoError
        Where the register cannot be written, or is a file of another kind.
    """
    try:
        _look_at(register)
        with register.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise KasinoError(
            f"{register}: an attempt on the confirm range is written down there, but it cannot be "
            f"written ({error.strerror}); work in a folder of your own"
        ) from error


def _look_at(register: Path) -> bool:
    """Make room for the register; returns whether it is new or empty."""
    register.parent.mkdir(parents=True, exist_ok=True)
    if not register.exists() or register.stat().st_size == 0:
        return True
    _check(register)
    return False


def append(attempt: Attempt, register: Path = REGISTER) -> None:
    """Write an attempt down; two writers at once do not lose or mix lines.

    Raises
    ------
    KasinoError
        Where the register cannot be written, or is a file of another kind.
    """
    try:
        # Each writer heads an empty file on its own: the second heading is passed over.
        heading = _line(FIELDS) if _look_at(register) else ""
        text = heading + _line(asdict(attempt).values())
        # One write to a file opened for appending is never torn by another.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        handle = os.open(register, flags, 0o644)
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)
    except OSError as error:
        raise KasinoError(f"{register}: cannot be written ({error.strerror})") from error


def attempts(plan: str, register: Path = REGISTER) -> list[Attempt]:
    """Return the attempts of a plan, in the order they were written."""
    return [attempt for attempt in _read(register) if attempt.plan == plan]


def earlier(plan: str, register: Path = REGISTER) -> int:
    """Count the attempts of a plan so far."""
    return len(attempts(plan, register))


def _line(values: Iterable[object]) -> str:
    text = io.StringIO()
    flat = [" ".join(str(value).split()) for value in values]
    csv.writer(text, lineterminator="\n").writerow(flat)
    return text.getvalue()


def _check(register: Path) -> None:
    with register.open(encoding="utf-8", newline="") as file:
        if next(csv.reader(file), None) != list(FIELDS):
            raise KasinoError(
                f"{register}: first line given is no heading of attempts, "
                f"allowed is {','.join(FIELDS)}"
            )


def _read(register: Path) -> Iterator[Attempt]:
    if not register.exists() or register.stat().st_size == 0:
        return
    _check(register)
    with register.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.reader(file), 1):
            if len(row) != len(FIELDS):
                raise KasinoError(
                    f"{register}: line {number} has {len(row)} fields, allowed are {len(FIELDS)}"
                )
            if tuple(row) != FIELDS:
                yield Attempt(*row)
