"""`kasino bench`: how fast the engine is on this machine."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import click

from kasino_sim.cli.options import format_option, quiet_option

QUICK: Mapping[str, Any] = MappingProxyType(
    {"repeats": 2, "seconds": 0.4, "chunk_games": 2_000, "runs": (10_000, 100_000)}
)
LARGE = 10_000_000


@click.command("bench")
@click.option("--repeats", type=click.IntRange(1), default=None, help="Samples.  [default: 5]")
@click.option(
    "--seconds-per-case",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    default=None,
    help="Time for the samples of a case, about.  [default: 5]",
)
@click.option("--quick", is_flag=True, help="A rough look in little time.")
@click.option("--large", is_flag=True, help=f"A run of {LARGE:,} deals too.")
@click.option(
    "--only",
    default="",
    metavar="TEXT",
    help="Only cases with this in their names, such as 'svensk: greedy', and no starts or runs.",
)
@quiet_option
@format_option(("table", "json", "markdown"))
def bench(
    repeats: int | None,
    seconds: float | None,
    quick: bool,
    large: bool,
    only: str,
    quiet: bool,
    output_format: str,
) -> None:
    """Measure deals a second, compilation, starts and memory on this machine.

    Two threads or more are timed against one in turn: leave the machine to it for some minutes.
    """
    from kasino_sim.cli.bench_table import bench_markdown, bench_table
    from kasino_sim.cli.progress import say_compiling
    from kasino_sim.errors import KasinoError
    from kasino_sim.studies.speed import CASES, Settings, measure

    cases = [case for case in CASES if only in case.name]
    if not cases:
        raise KasinoError(f"--only {only}: in no name; names: {'; '.join(c.name for c in CASES)}")
    given = {"repeats": repeats, "seconds": seconds}
    settings = Settings(
        **{**(QUICK if quick else {}), **{name: value for name, value in given.items() if value}}
    )
    if large:
        settings = replace(settings, runs=(*settings.runs, LARGE))
    if not quiet:
        say_compiling()
    found = measure(
        settings,
        cases,
        starts=not only,
        tell=lambda doing: None if quiet else click.echo(f"{doing} ...", err=True),
    )
    options = {"repeats": repeats, "seconds-per-case": seconds}
    found["command"] = _command({**options, "quick": quick, "large": large, "only": only})
    if output_format == "json":
        click.echo(json.dumps(found, ensure_ascii=False))
    elif output_format == "markdown":
        click.echo(bench_markdown(found))
    else:
        click.echo(bench_table(found))


def _command(options: Mapping[str, Any]) -> str:
    """Write the command that measures the same again."""
    given = ((name, value) for name, value in options.items() if value)
    words = (f"--{name}" if value is True else f"--{name}={value}" for name, value in given)
    return shlex.join(["kasino", "bench", *words])
