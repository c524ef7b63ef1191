"""``kasino again``: try findings of a study again, and tell what survives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kasino_sim.cli.options import format_option, quiet_option, scale_option, threads_option

if TYPE_CHECKING:
    import pandas as pd

    from kasino_sim.studies.again import Again


@click.command("again")
@click.argument("run", metavar="DIR")
@click.option(
    "--finding",
    "chosen",
    multiple=True,
    metavar="ID",
    help="A finding by its id in findings.csv; may be repeated.",
)
@click.option(
    "--instead",
    default="",
    metavar="A=B[,C=D]",
    help="Once more with other players: B in the place of A. With the same tips, lacking the same.",
)
@click.option(
    "--attempt",
    type=int,
    default=2,
    show_default=True,
    help="Hashed into the seed: every attempt has decks that no other has.",
)
@scale_option("study")
@threads_option
@quiet_option
@format_option(("table", "csv", "json"))
def again(
    run: str,
    chosen: tuple[str, ...],
    instead: str,
    attempt: int,
    scale: float,
    threads: int | None,
    quiet: bool,
    output_format: str,
) -> None:
    """Try findings of the study kept in DIR again, on other decks and with other players.

    What was picked among many because it surprises is put to the test anew. The table is kept in
    DIR as tables/again.csv, behind those of earlier attempts, and a report tells all of them.
    """
    from kasino_sim.attempts import ready
    from kasino_sim.cli.again_table import table
    from kasino_sim.cli.register import write_attempt
    from kasino_sim.studies.again import TABLE, with_earlier
    from kasino_sim.studies.folder import add_table

    asked = _asked(run, chosen, instead, attempt, scale)
    registered = asked.study.deals.range == "confirm"
    if registered:
        ready()
    found = _play(asked, threads, quiet)
    add_table(run, TABLE, with_earlier(found, _earlier(run)))
    if registered:
        counts = found["survived"].value_counts()
        result = ", ".join(f"{n} {says}" for says, n in counts.items())
        write_attempt(f"{asked.study.plan.name} again", asked.study, asked.seed, result)
    if output_format == "table":
        click.echo(table(asked.study.plan.title, found))
    elif output_format == "csv":
        click.echo(found.to_csv(index=False).rstrip("\n"))
    else:
        click.echo(found.to_json(orient="records", force_ascii=False))


def _asked(run: str, chosen: tuple[str, ...], instead: str, attempt: int, scale: float) -> Again:
    from kasino_sim.report.kept import kept_studies
    from kasino_sim.studies.again import Again, parse_instead
    from kasino_sim.study_file import study_again

    (kept,) = kept_studies([run], "DIR")
    study = study_again(kept.manifest, str(Path(run) / "manifest.json"))
    others = parse_instead(instead)
    found = Again(study, kept.findings, tuple(dict.fromkeys(chosen)), others, attempt)
    _ = found.combined  # what cannot be put together is told before anything is played
    return Again(study.scaled(scale), kept.findings, found.chosen, others, attempt)


def _earlier(run: str) -> pd.DataFrame | None:
    from kasino_sim.report.kept import kept_studies
    from kasino_sim.studies.again import TABLE

    (kept,) = kept_studies([run], "DIR")
    return kept.table(TABLE) if kept.has(TABLE) else None


def _play(asked: Again, threads: int | None, quiet: bool) -> pd.DataFrame:
    from kasino_sim.cli.progress import Progress, load_engine

    load_engine(asked.study.cell_plan(asked.cells[0][0]), quiet)
    with Progress(f"{asked.study.plan.name} again", asked.games, quiet) as progress:
        return asked.play(threads, progress.add)
