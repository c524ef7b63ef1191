"""Runs on the confirm range in the register of attempts, told on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kasino_sim.study import Study


def write_attempt(name: str, study: Study, seed: int, result: str) -> None:
    """Enter a run of a study, or of part of it by another seed, under a name."""
    from kasino_sim.attempts import REGISTER, write_down

    number = write_down(name, study.digest, seed, study.deals.blocks, result)
    click.echo(f"attempt {number} of {name}: {REGISTER}", err=True)
