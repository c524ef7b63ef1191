"""`kasino warmup`: compile the engine now."""

from __future__ import annotations

import time

import click


@click.command("warmup")
def warmup() -> None:
    """Compile the engine, so that the next command need not."""
    from kasino_sim.catalog import load_ruleset
    from kasino_sim.cli.progress import load_engine
    from kasino_sim.game import Table
    from kasino_sim.plan import Plan, players_by_name

    begun = time.perf_counter()
    plan = Plan(load_ruleset("svensk"), players_by_name(["careful"]), 1, 1)
    load_engine(plan)
    table = Table.of_deck(plan.rules, 1, range(52))
    table.play(table.legal_moves()[0])
    click.echo(f"the engine is ready after {time.perf_counter() - begun:.1f} s")
