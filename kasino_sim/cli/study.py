"""``kasino study``: play a plan out of a file and say what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kasino_sim.cli.options import format_option, quiet_option, scale_option, threads_option

if TYPE_CHECKING:
    from kasino_sim.studies.run import Outcome
    from kasino_sim.study import Study


@click.command("study")
@click.argument("plan", required=False, metavar="PLAN|FILE.toml")
@click.option("--out", default=None, metavar="DIR", help="Keep everything there.")
@scale_option("plan")
@click.option(
    "--size",
    type=click.Choice(["default", "full"]),
    default="default",
    show_default=True,
    help="Play the plan as it is, or as its table full has it.",
)
@click.option("--resume", is_flag=True, help="Go on with the study in --out.")
@click.option(
    "--plan-only",
    is_flag=True,
    help="Say what would be played, how long it takes and what it can find.",
)
@threads_option
@quiet_option
@format_option(("table", "csv", "json"))
def study(
    plan: str | None,
    out: str | None,
    scale: float,
    size: str,
    resume: bool,
    plan_only: bool,
    threads: int | None,
    quiet: bool,
    output_format: str,
) -> None:
    """Play a study's plan, by name or file, and print what was found.

    Without PLAN the plans are listed. --out keeps every chunk as soon as it is played, and at the
    end findings.csv, findings.parquet, the tables, figures and a data package.
    """
    from kasino_sim.errors import KasinoError
    from kasino_sim.studies.kinds import kind_of
    from kasino_sim.study_file import load_study

    if plan is None:
        from kasino_sim.cli.study_table import plans_table

        click.echo(plans_table())
        return
    chosen = load_study(plan, size).scaled(scale)
    kind_of(chosen)
    if resume and not out:
        raise KasinoError("--resume: needs --out DIR, the folder of the study to go on with")
    if plan_only:
        _preview(chosen, threads, out is not None, quiet)
        return
    outcome, text = _play(chosen, out, resume, threads, quiet)
    click.echo(text if output_format == "table" else _written(outcome, output_format))


def _preview(study: Study, threads: int | None, keeps: bool, quiet: bool) -> None:
    from kasino_sim.cli.progress import load_engine
    from kasino_sim.cli.study_table import preview_table
    from kasino_sim.studies.pilot import preview

    load_engine(study.cell_plan(study.cells[0]), quiet)
    with click.progressbar(
        length=len(study.cells), label="timing", file=_stderr(quiet)
    ) as bar:  # fmt: skip
        found = preview(study, threads, keeps, lambda cell: bar.update(1))
    click.echo(preview_table(found))


def _stderr(quiet: bool) -> Any:
    import os
    import sys

    return open(os.devnull, "w") if quiet or not sys.stderr.isatty() else sys.stderr


def _play(
    study: Study, out: str | None, resume: bool, threads: int | None, quiet: bool
) -> tuple[Outcome, str]:
    """Play a study; returns what it came to, and that in words."""
    from kasino_sim.attempts import ready
    from kasino_sim.cli.progress import Progress, load_engine
    from kasino_sim.cli.register import write_attempt
    from kasino_sim.cli.study_kinds import outcome_table
    from kasino_sim.studies.folder import StudyFolder
    from kasino_sim.studies.run import run_study

    counts = study.deals.range == "confirm"
    if counts:
        ready()
    folder = StudyFolder(out, study, resume) if out is not None else None
    again = folder is not None and folder.finished
    load_engine(study.cell_plan(study.cells[0]), quiet)
    plans = [study.cell_plan(cell) for cell in study.cells]
    total = sum(plan.blocks * plan.games for plan in plans)
    with Progress(study.plan.name, total, quiet) as progress:
        outcome = run_study(study, folder, resume, threads, lambda cell, games: progress.add(games))
    text = outcome_table(outcome)
    if folder:
        from kasino_sim.report.study_pictures import study_pictures

        folder.finish(outcome, text, study_pictures(outcome))
    if counts and not again:
        # Whether or not the run is kept.
        write_attempt(study.plan.name, study, study.seed, outcome.in_short)
    return outcome, text


def _written(outcome: Outcome, output_format: str) -> str:
    """Return the findings as data; undetermined numbers are empty, or null."""
    if output_format == "csv":
        return outcome.findings.to_csv(index=False).rstrip("\n")
    return outcome.findings.to_json(orient="records", force_ascii=False)
