"""``kasino odds``: chances that can be told exactly, without playing."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from kasino_sim.cli.options import format_option, rules_options
from kasino_sim.cli.sheets import columns, cut

if TYPE_CHECKING:
    from kasino_sim.odds import FirstPlay
    from kasino_sim.rules import Ruleset


@click.command()
@rules_options
@format_option(("table", "json"))
def odds(ruleset: Ruleset, output_format: str) -> None:
    """Tell the chances of the first player at the first play of a deal.

    They are exact: every hand and table is counted, nothing is drawn at random.
    """
    # Imported late so that --help does without the engine.
    from kasino_sim.cli.progress import say_compiling
    from kasino_sim.odds import first_play

    say_compiling()
    answer = _json if output_format == "json" else _table
    click.echo(answer(ruleset, first_play(ruleset)))


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
