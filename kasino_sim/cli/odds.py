"""``kasino odds``: chances that can be told without playing them out."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from kasino_sim.cli.options import (
    format_option,
    players_option,
    quiet_option,
    rules_options,
    seed_option,
    threads_option,
)
from kasino_sim.cli.sheets import columns, cut

if TYPE_CHECKING:
    from kasino_sim.odds import FirstPlay
    from kasino_sim.rules import Ruleset

DEALS = 100_000  # a standard error of less than 0.01 deals a match
_OF_MATCHES = ("players", "deals", "seed", "threads", "quiet")


@click.command()
@rules_options
@click.option(
    "--match", "of_matches", is_flag=True, help="Chances of whole matches, from simulated deals."
)
@players_option("careful")
@click.option(
    "--deals",
    type=click.IntRange(1),
    default=DEALS,
    show_default=True,
    help="Deals that the match is reckoned from, rounded up to whole blocks.",
)
@seed_option
@threads_option
@quiet_option
@format_option(("table", "json"))
@click.pass_context
def odds(
    context: click.Context,
    ruleset: Ruleset,
    of_matches: bool,
    players: str,
    deals: int,
    seed: int,
    threads: int | None,
    quiet: bool,
    output_format: str,
) -> None:
    """Tell chances without playing them out.

    Of the first player at the first play of a deal: exact, every hand and table is counted. With
    --match of whole matches: how many deals they take, who wins, how often the last deal decides;
    exact for the deals that are played to find out how a deal ends.
    """
    if of_matches:
        from kasino_sim.cli.odds_match import tell_matches
        from kasino_sim.plan import Plan, read_players

        named = read_players(players)
        plan = Plan(ruleset, named, seed, deals)
        click.echo(tell_matches(plan, threads, quiet, output_format))
        return
    _only_of_matches(context)
    # Imported late so that --help does without the engine.
    from kasino_sim.cli.progress import say_compiling
    from kasino_sim.odds import first_play

    say_compiling()
    answer = _json if output_format == "json" else _table
    click.echo(answer(ruleset, first_play(ruleset)))


def _only_of_matches(context: click.Context) -> None:
    """Refuse options that say nothing about the first play."""
    from click.core import ParameterSource

    from kasino_sim.errors import KasinoError

    given = [
        f"--{name}: only together with --match; the first play needs no players and no simulation"
        for name in _OF_MATCHES
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise KasinoError(given)


def _json(rules: Ruleset, chances: FirstPlay) -> str:
    return json.dumps(
        {
            "rules": rules.name,
            "first_play_capture": float(chances.capture),
            "first_play_clear": float(chances.clear),
            "first_play_capture_exact": str(chances.capture),
            "first_play_clear_exact": str(chances.clear),
            "method": "exact",
        },
        indent=2,
    )


def _table(rules: Ruleset, chances: FirstPlay) -> str:
    rows = [
        ["some card can", "chance", ""],
        ["capture something", *_chance(chances.capture)],
        ["clear the table", *_chance(chances.clear)],
    ]
    head = cut(f"{rules.name}: the first player's hand at the first play of a deal")
    return "\n".join([head, *columns(rows)])


def _chance(chance: Fraction) -> tuple[str, str]:
    """Write a chance in per cent, and as one in so many where that reads well."""
    often = f"1 in {float(1 / chance):.3g}" if 0 < chance < Fraction(1, 2) else ""
    return f"{float(chance):.4%}", often
