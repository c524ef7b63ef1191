"""``kasino show``: one deal, move by move."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from kasino_sim.cli.options import format_option, players_option, rules_options, seed_option

if TYPE_CHECKING:
    from kasino_sim.rules import Ruleset


@click.command()
@rules_options
@players_option()
@seed_option
@click.option(
    "--deal",
    type=click.IntRange(0, 2**64 - 1),
    default=0,
    show_default=True,
    help="Number of the deal under this seed.",
)
@click.option(
    "--game",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seating: the players moved on by so many seats.",
)
@format_option(("text", "json"))
def show(
    ruleset: Ruleset, players: str, seed: int, deal: int, game: int, output_format: str
) -> None:
    """Show one deal of a simulation, to read along or to play again.

    Seat 0 plays first and the last seat deals. With --format json it is a game record for
    kasino replay.
    """
    from kasino_sim.plan import Plan, read_players
    from kasino_sim.transcript import play_out, transcript, transcript_record

    named = read_players(players)
    played = play_out(Plan(ruleset, named, seed, deals=1), deal, game)
    if output_format == "json":
        click.echo(json.dumps(transcript_record(played)))
    else:
        click.echo(transcript(played))
