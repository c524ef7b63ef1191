"""Prove the statistics: coverage of intervals, errors of tests, sameness of runs.

`python scripts/verify.py --out DIR` leaves `verification.csv` and `index.html` there, prints the
table and ends with 1 where a check fails. `--scale 0.1` takes a tenth of the repetitions.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from kasino_sim.report.verification import page, table
from kasino_sim.studies.verification import as_frame
from kasino_sim.studies.verification_runs import Verification, verify


@click.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=None)
@click.option("--scale", type=click.FloatRange(0, 10, min_open=True), default=1.0)
@click.option("--quick", is_flag=True, help="The fewest repetitions, with wide bounds.")
def main(out: Path | None, scale: float, quick: bool) -> None:
    """Check the statistics against the law of deals played."""
    begun, found = time.perf_counter(), Verification()
    for found in verify(0.001 if quick else scale):
        click.echo(f"{len(found.checks)} checks, {time.perf_counter() - begun:.0f} s", err=True)
    frame = as_frame(found.checks)
    click.echo(table(frame))
    if out:
        out.mkdir(parents=True, exist_ok=True)
        frame.to_csv(out / "verification.csv", index=False)
        (out / "index.html").write_text(page(frame, found.p_values), encoding="utf-8")
    sys.exit(0 if found.passed else 1)


if __name__ == "__main__":
    main()
