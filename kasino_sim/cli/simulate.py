"""`kasino simulate`: play many deals and count."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from kasino_sim.cli.options import (
    format_option,
    players_option,
    quiet_option,
    rules_options,
    seed_option,
    threads_option,
)

if TYPE_CHECKING:
    from kasino_sim.plan import Plan
    from kasino_sim.rules import Ruleset
    from kasino_sim.tally import Tally

MOST_DEALS = 1_000_000_000  # with --until-se, unless --deals says otherwise


@click.command("simulate")
@rules_options
@players_option()
@click.option(
    "--deals",
    type=click.IntRange(1),
    default=None,
    help="Deals, rounded up to whole blocks.  [default: 100000]",
)
@seed_option
@threads_option
@click.option(
    "--no-rotate", is_flag=True, help="Leave player k in seat k: seat 0 always plays first."
)
@click.option(
    "--until-se",
    type=click.FloatRange(0, min_open=True),
    default=None,
    metavar="X",
    help="Go on until the standard error of the points difference is X.",
)
@click.option(
    "--fix", default="", metavar="PLACES", help="Known cards, as in 'hand0=Td 2s; table=8h 3c'."
)
@click.option("--detail", is_flag=True, help="Count legal moves too.")
@click.option("--out", default=None, metavar="DIR", help="Keep tallies and manifest there.")
@click.option("--resume", is_flag=True, help="Go on with the run in --out.")
@quiet_option
@format_option(("table", "json", "csv"))
def simulate(
    ruleset: Ruleset,
    players: str,
    deals: int | None,
    seed: int,
    threads: int | None,
    no_rotate: bool,
    until_se: float | None,
    fix: str,
    detail: bool,
    out: str | None,
    resume: bool,
    quiet: bool,
    output_format: str,
) -> None:
    """Play many deals and print points, wins, items and sweeps with standard errors."""
    from kasino_sim.cli.progress import load_engine
    from kasino_sim.errors import KasinoError
    from kasino_sim.plan import Plan, parse_known, read_players
    from kasino_sim.stats.stopping import enough
    from kasino_sim.stats.summary import summarize

    if resume and not out:
        raise KasinoError("--resume: needs --out DIR, the folder of the run to go on with")
    plan = Plan(
        ruleset,
        read_players(players),
        seed,
        deals or (MOST_DEALS if until_se else 100_000),
        rotate=not no_rotate,
        known=parse_known(fix, ruleset),
        detail=detail,
    )
    load_engine(plan, quiet)
    begun = time.perf_counter()
    tally, folder = _run(plan, threads, until_se, out, resume, quiet)
    summary = summarize(plan, tally)
    reached = bool(until_se) and enough(plan, tally, until_se or 0)
    summary["stopped_by"] = "standard error" if reached else "deals"
    if until_se and not reached:
        click.echo(
            f"stopped at {summary['deals']} deals, before the standard error reached {until_se}",
            err=True,
        )
    if folder:
        folder.finish(tally, summary)
    seconds = time.perf_counter() - begun
    summary |= {"seconds": seconds, "deals_per_second": summary["deals"] / seconds}
    _print(plan, summary, output_format)


def _run(
    plan: Plan,
    threads: int | None,
    until_se: float | None,
    out: str | None,
    resume: bool,
    quiet: bool,
) -> tuple[Tally, Any]:
    """Play the chunks that are not there yet; returns the merged tally and the run's folder."""
    from kasino_sim.cli.progress import Progress
    from kasino_sim.simulate import (
        LEAST_CHUNK_GAMES,
        Engine,
        chunk_size,
        chunks_of,
        default_threads,
        run_chunks,
    )
    from kasino_sim.stats.stopping import enough
    from kasino_sim.store import RunFolder

    engine, folder = Engine(plan), None
    size = (
        20_000 // plan.games if until_se else chunk_size(plan.blocks, plan.games, LEAST_CHUNK_GAMES)
    )
    if out is not None:
        folder = RunFolder(out, plan, size, resume)
        size = folder.chunk

    def work(chunk: Any) -> Tally:
        kept = folder.load([chunk]) if folder else None
        if kept:
            return kept[0]
        played = engine.tally(chunk)
        if folder:
            folder.save([chunk], [played])
        return played

    total: Any = None
    with Progress(
        plan.rules.name, None if until_se else plan.blocks * plan.games, quiet
    ) as progress:
        for _, tally in run_chunks(
            work, chunks_of(plan.blocks, size), threads or default_threads()
        ):
            total = tally if total is None else total + tally
            progress.update(total.blocks * plan.games)
            if until_se and enough(plan, total, until_se):
                break
    return total, folder


def _print(plan: Plan, summary: dict[str, Any], output_format: str) -> None:
    if output_format == "json":
        click.echo(json.dumps(summary, ensure_ascii=False))
    elif output_format == "csv":
        from kasino_sim.stats.summary import summary_frame

        click.echo(summary_frame(summary).to_csv(index=False), nl=False)
    else:
        from kasino_sim.cli.simulate_table import simulation_table

        click.echo(simulation_table(plan, summary))
