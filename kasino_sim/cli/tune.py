"""``kasino tune``: find a player's weights by trial."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kasino_sim.cli.options import (
    format_option,
    quiet_option,
    rules_options,
    seed_option,
    threads_option,
)

if TYPE_CHECKING:
    from kasino_sim.rules import Ruleset
    from kasino_sim.studies.tuning import Generation, Task, Tuned


@click.command("tune")
@rules_options
@click.option(
    "--players",
    "shape",
    type=click.Choice(["2", "3", "4", "pairs"]),
    default=None,
    help="How many play.  [default: as the rules say]",
)
@click.option(
    "--budget",
    default="default",
    show_default=True,
    metavar="SIZE[,NAME=N]",
    help="quick, default or large; or with population=16, generations=60, blocks=3000, "
    "restarts=2, select=20000, confirm=100000.",
)
@click.option("--start", default="careful", show_default=True, help="Whose weights it begins at.")
@click.option(
    "--pool", default="careful,greedy", show_default=True, help="Opponents, besides past selves."
)
@click.option(
    "--exploit", is_flag=True, help="No past selves: find who takes most off the pool alone."
)
@click.option(
    "--hold",
    default="",
    metavar="NAMES",
    help="Features, groups of features, or tips, that are to weigh nothing.",
)
@seed_option
@threads_option
@click.option("--out", default=None, metavar="FILE.toml", help="Write the player there.")
@click.option("--log", default=None, metavar="FILE.jsonl", help="Write each generation there.")
@click.option("--plot", default=None, metavar="FILE.svg", help="Draw the progress there.")
@quiet_option
@format_option()
def tune(
    ruleset: Ruleset,
    shape: str | None,
    budget: str,
    start: str,
    pool: str,
    exploit: bool,
    hold: str,
    seed: int,
    threads: int | None,
    out: str | None,
    log: str | None,
    plot: str | None,
    quiet: bool,
    output_format: str,
) -> None:
    """Search for the weights that win most points, with CMA-ES on common deals.

    What is printed at the end rests on decks by which nothing was chosen.
    """
    from kasino_sim.cli.progress import load_engine
    from kasino_sim.plan import Plan, read_players
    from kasino_sim.players import load_player
    from kasino_sim.studies.tuning import (
        PAST_SELVES,
        Task,
        parse_budget,
        parse_held,
        tune,
        tuned_toml,
    )

    _check_files({"--out": out, "--log": log, "--plot": plot})
    rules = _with_players(ruleset, shape)
    begins = load_player(start)
    task = Task(
        rules,
        begins,
        read_players(pool),
        seed,
        parse_budget(budget),
        parse_held(hold, begins),
        0 if exploit else PAST_SELVES,
    )
    load_engine(Plan(rules, (task.start,), seed, 1), quiet)
    found = tune(task, threads, lambda generation: _tell(task, generation, quiet))
    if out:
        Path(out).write_text(tuned_toml(task, found, _command()), encoding="utf-8")
    if log:
        Path(log).write_text(_log_lines(found), encoding="utf-8")
    if plot:
        Path(plot).write_text(_picture(found), encoding="utf-8")
    click.echo(_json(found) if output_format == "json" else _table(task, found))


def _with_players(ruleset: Ruleset, shape: str | None) -> Ruleset:
    if shape is None:
        return ruleset
    pairs = shape == "pairs"
    return ruleset.with_overrides(
        [f"deal.players={4 if pairs else shape}", f"deal.teams={'pairs' if pairs else 'solo'}"]
    )


def _check_files(files: dict[str, str | None]) -> None:
    """Find out before hours of work that a file cannot be written."""
    from kasino_sim.errors import KasinoError

    wanted = {"--out": ".toml", "--log": ".jsonl", "--plot": ".svg"}
    lines = []
    for option, name in files.items():
        if name and Path(name).suffix != wanted[option]:
            lines.append(f"{option} {name}: must end in {wanted[option]}")
        elif name and not Path(name).parent.is_dir():
            lines.append(f"{option} {name}: there is no folder {Path(name).parent}")
    if lines:
        raise KasinoError(lines)


def _command() -> str:
    """Return what was typed, less where the results went."""
    words, kept = iter(sys.argv[1:]), ["kasino"]
    for word in words:
        if word in ("--out", "--log", "--plot", "--threads", "--format"):
            next(words, None)
        elif word != "--quiet":
            kept.append(word)
    return " ".join(kept)


def _tell(task: Task, generation: Generation, quiet: bool) -> None:
    if not quiet:
        g, budget = generation, task.budget
        click.echo(
            f"restart {g.restart}/{budget.restarts}, generation {g.number}/{budget.generations}: "
            f"best {g.best:+.2f}, mean {g.mean:+.2f}",
            err=True,
        )


def _log_lines(found: Tuned) -> str:
    return "".join(json.dumps(asdict(generation)) + "\n" for generation in found.log)


def _picture(found: Tuned) -> str:
    import pandas as pd

    from kasino_sim.plots.canvas import svg
    from kasino_sim.plots.tuning import draw

    return svg(draw, pd.DataFrame([asdict(generation) for generation in found.log]), 2.8)


def _json(found: Tuned) -> str:
    confirmed: dict[str, Any] = {}
    for name, estimate in found.confirmed.items():
        low, high = estimate.interval() or (None, None)
        confirmed[name] = {**asdict(estimate), "lo": low, "hi": high}
    told = {
        "weights": found.player.weights,
        "deals": sum(generation.deals for generation in found.log),
        "selected": list(found.selected),
        "confirmed": confirmed,
    }
    return json.dumps(told, indent=2)


def _table(task: Task, found: Tuned) -> str:
    """Say what was found and how it was judged."""
    deals = sum(generation.deals for generation in found.log)
    names = ["start", *(f"restart {i}" for i in range(1, len(found.selected)))]
    best = max(found.selected)
    lines = [f"Weights for {task.rules.name}, found by trial on {deals:,} deals.", ""]
    lines.append("Points a deal over the pool, on the decks that choose (range select):")
    for name, value in zip(names, found.selected, strict=True):
        mark = "  chosen" if value == best else ""
        lines.append(f"  {name:<12} {value:+.3f}{mark}")
    lines += ["", "The chosen one, on decks by which nothing was chosen (range confirm):"]
    for name, estimate in found.confirmed.items():
        within = estimate.interval()
        sure = f"95% {within[0]:+.3f} to {within[1]:+.3f}" if within else "undetermined"
        lines.append(f"  over {name:<12} {estimate.mean:+.3f}  {sure}, {estimate.blocks:,} decks")
    return "\n".join(lines)
