"""``kasino report``: simulate rule sets and write what was found as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kasino_sim.cli.options import players_option, set_option, threads_option

if TYPE_CHECKING:
    from kasino_sim.plan import Plan
    from kasino_sim.rules import Ruleset
    from kasino_sim.studies.profile import Run

DEALS, SEED, PLAYERS = 200_000, 1, "careful,careful"


@click.command()
@click.option(
    "--deals",
    type=click.IntRange(min=1),
    default=DEALS,
    show_default=True,
    help="Deals for each rule set.",
)
@click.option("--seed", type=int, default=SEED, show_default=True, help="Makes all the chance.")
@players_option(PLAYERS)
@threads_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default="reports/kasino.html",
    show_default=True,
    help="The file to write.",
)
@click.option(
    "--rules",
    "names",
    multiple=True,
    metavar="NAME|FILE.toml",
    help="A rule set, or several with commas; may be repeated. Default: all.",
)
@click.option(
    "--study",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Tell a study that kasino study kept there; may be repeated. Default: those that came "
    "with the program.",
)
@set_option
def report(
    deals: int,
    seed: int,
    players: str,
    threads: int | None,
    out: Path,
    names: tuple[str, ...],
    folders: tuple[Path, ...],
    overrides: tuple[str, ...],
) -> None:
    """Simulate every rule set and write a report.

    The report is a single HTML file that needs no network. The same options give the same file.
    """
    import time

    from kasino_sim.cli.progress import load_engine
    from kasino_sim.plan import read_players
    from kasino_sim.report.build import build_report
    from kasino_sim.report.kept import kept_studies, shipped_studies
    from kasino_sim.studies.profile import plan_profile

    started = time.perf_counter()
    chosen = read_players(players)
    plans = [plan_profile(rules, chosen, seed, deals) for rules in _rule_sets(names, overrides)]
    studies = kept_studies(folders) if folders else shipped_studies()
    _check_place(out)
    load_engine(plans[0])
    runs = [_play(plan, threads) for plan in plans]
    played = time.perf_counter()
    click.echo("drawing and writing ...", err=True)
    command = _command(deals, seed, players, names, folders, overrides)
    _write(out, build_report(runs, command, studies))
    ended = time.perf_counter()
    click.echo(f"played {played - started:.1f} s, written {ended - played:.1f} s", err=True)
    click.echo(out)


def _rule_sets(names: tuple[str, ...], overrides: tuple[str, ...]) -> list[Ruleset]:
    """Load the rule sets named, all unless any is, with the same changes to each."""
    from kasino_sim.catalog import load_ruleset, ruleset_names
    from kasino_sim.errors import KasinoError

    wanted = [name.strip() for text in names for name in text.split(",")] or ruleset_names()
    found, lines = [], []
    for name in dict.fromkeys(wanted):
        try:
            found.append(load_ruleset(name, overrides))
        except KasinoError as error:
            lines += [line for line in error.lines if line not in lines]
    if lines:
        raise KasinoError(lines)
    twice = {rules.name for rules in found if [r.name for r in found].count(rules.name) > 1}
    if twice:
        raise KasinoError([f"--rules: two rule sets are named {name}" for name in sorted(twice)])
    return found


def _play(plan: Plan, threads: int | None) -> Run:
    import time

    from kasino_sim.studies.profile import play_profile

    started = time.perf_counter()
    run = play_profile(plan, threads)
    speed = run.deals / (time.perf_counter() - started)
    click.echo(
        f"{plan.rules.name}: {run.deals:,} deals, {run.matches.matches:,} matches, "
        f"{speed:,.0f} deals/s",
        err=True,
    )
    return run


def _command(
    deals: int,
    seed: int,
    players: str,
    names: tuple[str, ...],
    folders: tuple[Path, ...],
    overrides: tuple[str, ...],
) -> str:
    """Write the command that makes the same report; threads and the file's name change nothing."""
    import shlex

    words = ["kasino", "report", "--deals", str(deals), "--seed", str(seed), "--players", players]
    for name in names:
        words += ["--rules", name]
    for folder in folders:
        words += ["--study", str(folder)]
    for change in overrides:
        words += ["--set", change]
    return shlex.join(words)


def _check_place(out: Path) -> None:
    """Make the folder before anything is played, so that a bad place is told at once."""
    from kasino_sim.errors import KasinoError

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KasinoError(f"--out {out}: {error.strerror}") from None


def _write(out: Path, text: str) -> None:
    """Write beside the file and rename, so that no half report is ever there."""
    import os

    from kasino_sim.errors import KasinoError

    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(out)
    except OSError as error:
        raise KasinoError(f"--out {out}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
