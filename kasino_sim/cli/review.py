"""``kasino review``: a recorded game, its costly moves marked."""

from __future__ import annotations

import json
from typing import Any

import click

from kasino_sim.cli.analyze import coach_options, read_budget, with_rules
from kasino_sim.cli.options import format_option, quiet_option, read_object, set_option
from kasino_sim.errors import KasinoError

WORLDS = 400  # for each move, unless asked for otherwise


@click.command()
@click.argument("path", metavar="GAME.json|-")
@click.option("--rules", default=None, metavar="NAME|FILE.toml", help="In place of the file's.")
@set_option
@coach_options(WORLDS)
@quiet_option
@format_option(("table", "json"))
def review(
    path: str,
    rules: str | None,
    overrides: tuple[str, ...],
    worlds: int | None,
    budget: str | None,
    player: str,
    seed: int,
    quiet: bool,
    output_format: str,
) -> None:
    """Go through a recorded game and mark the costly moves.

    The file holds one game record, as kasino show --format json writes it; it may stop in
    mid-deal. Every choice is valued from what its player could see, so that bad luck is no
    mistake. The last hand of two players is judged exactly. --budget is the time for a move.
    """
    from kasino_sim.cli.coach_table import review_record, review_text
    from kasino_sim.cli.progress import say_compiling
    from kasino_sim.coach import check_plays_on
    from kasino_sim.coach import review as go_through
    from kasino_sim.notation import parse_record
    from kasino_sim.players import load_player

    asked, chosen = read_budget(worlds, budget, seed, WORLDS), load_player(player)
    data, where = read_object(path)
    if "deck" not in data and "hands" in data:
        raise KasinoError(f"{where}: is a position, not a game record; kasino analyze values it")
    record = parse_record(with_rules(data, rules, overrides, where), where)
    check_plays_on(chosen)
    say_compiling("value_worlds")
    with _bar(len(record.moves), quiet) as bar:
        found = go_through(record, chosen, asked, lambda moves: bar.update(1), where)
    if output_format == "json":
        click.echo(json.dumps(review_record(found, chosen, asked), ensure_ascii=False))
    else:
        click.echo(review_text(found, chosen, asked))


def _bar(moves: int, quiet: bool) -> Any:
    import os
    import sys

    shown = sys.stderr if not quiet and sys.stderr.isatty() else open(os.devnull, "w")
    return click.progressbar(length=moves, label="moves", file=shown)
