"""Our speed beside another program's, in turn and on one core.

`python scripts/bench.py --yardstick PROGRAM` runs a program that prints a line for each player, as

    random v random, automaton x8   per CPU-s: best 2533.1 k median 2530.0 k (395 ns) | ...

then plays the same with the engine, both again and again, and prints the ratios ours / theirs.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from typing import Any

import click

from kasino_sim.cli.bench_table import Table, machine_line, short, spread_text
from kasino_sim.cli.options import format_option
from kasino_sim.errors import KasinoError
from kasino_sim.studies.speed import CHUNK_GAMES, SCHEMA_VERSION, Case, Racer, machine, spread

CASES = {player: Case("svensk-utan-bygg", (player,)) for player in ("random", "greedy")}
LINE = re.compile(r"^(\w+) v \1, automaton x8\s.*per CPU-s:.*?median\s+([\d.]+)\s*k", re.MULTILINE)


def read_rates(text: str, program: str) -> dict[str, float]:
    """Return the deals per processor second that the program printed, by player."""
    rates = {player: 1000 * float(thousands) for player, thousands in LINE.findall(text)}
    missing = [player for player in CASES if not rates.get(player)]
    if missing:
        raise KasinoError(
            f"--yardstick {program}: printed no line such as "
            f"'{player} v {player}, automaton x8 ... per CPU-s: ... median 2000.0 k'"
            for player in missing
        )
    return rates


def run_yardstick(program: str, arguments: str) -> dict[str, float]:
    """Run the program once."""
    command = [os.path.abspath(program), *shlex.split(arguments)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
        )
    except OSError as error:
        raise KasinoError(
            f"--yardstick {program}: cannot be run ({error.strerror}); this is the path of a "
            "program, and --arguments what it is told"
        ) from None
    if done.returncode:
        raise KasinoError(f"--yardstick {program}: ended with exit code {done.returncode}")
    return read_rates(done.stdout, program)


def compare(program: str, arguments: str, repeats: int, seconds: float) -> list[dict[str, Any]]:
    """Run theirs, ours, theirs, ours … and return the rates and ratios by player."""
    theirs = [run_yardstick(program, arguments)]  # first: a wrong program is told at once
    racers = {player: Racer(case, 1, CHUNK_GAMES) for player, case in CASES.items()}
    chunks = {player: racer.chunks_in(seconds) for player, racer in racers.items()}
    ours: list[dict[str, float]] = []
    for i in range(repeats):
        click.echo(f"round {i + 1} of {repeats} ...", err=True)
        theirs += [run_yardstick(program, arguments)] if i else []
        samples = {player: racer.play(chunks[player]) for player, racer in racers.items()}
        ours.append({player: s.deals / s.cpu for player, s in samples.items()})
    return [
        {
            "name": case.name,
            "ours": spread(rates[player] for rates in ours),
            "theirs": spread(rates[player] for rates in theirs),
            "ratio": spread(a[player] / b[player] for a, b in zip(ours, theirs, strict=True)),
        }
        for player, case in CASES.items()
    ]


def table_of(found: dict[str, Any]) -> Table:
    """Tabulate the comparison."""
    core = "one core" if found["one_core"] else "one thread (no core of its own here)"
    return Table(
        f"Beside the yardstick, {core}",
        f"Thousands of deals a processor second, in turn, medians of {found['repeats']} "
        "(least–most); ratio: of each pair.",
        ("players", "ours", "theirs", "ratio"),
        [
            (
                case["name"],
                short(case["ours"]["median"] / 1000),
                short(case["theirs"]["median"] / 1000),
                spread_text(case["ratio"]),
            )
            for case in found["cases"]
        ],
    )


@click.command()
@click.option("--yardstick", required=True, metavar="PROGRAM", help="Path of the other program.")
@click.option("--arguments", default="1 q", show_default=True, help="What it is told each time.")
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Rounds.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Time for each of our samples, about.",
)
@format_option(("table", "json", "markdown"))
def main(yardstick: str, arguments: str, repeats: int, seconds: float, output_format: str) -> None:
    """Print our deals a second beside another program's."""
    pinned = hasattr(os, "sched_setaffinity")
    if pinned:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    try:
        cases = compare(yardstick, arguments, repeats, seconds)
    except KasinoError as error:
        for line in error.lines:
            click.echo(f"error: {line}", err=True)
        raise SystemExit(2) from None
    found = {
        "schema_version": SCHEMA_VERSION,
        "machine": machine(),
        "repeats": repeats,
        "one_core": pinned,
        "cases": cases,
    }
    if output_format == "json":
        click.echo(json.dumps(found, ensure_ascii=False))
    elif output_format == "markdown":
        click.echo("\n" + table_of(found).markdown())
    else:
        click.echo(f"{machine_line(found['machine'])}\n\n{table_of(found).text()}")


if __name__ == "__main__":
    main()
