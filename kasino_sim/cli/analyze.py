"""``kasino analyze``: what every legal move of a position is worth, and why the best is best."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

import click

from kasino_sim.cli.options import format_option, read_object, seed_option, set_option
from kasino_sim.errors import KasinoError

if TYPE_CHECKING:
    from kasino_sim.coach import Advice, Budget
    from kasino_sim.notation import Position
    from kasino_sim.players import Player

SHOWN = 12  # moves in the table, unless all are asked for
WORLDS = 3_000  # unless asked for otherwise
_UNITS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0}


def coach_options(worlds: int) -> Any:
    """Add ``--worlds`` (with this default), ``--budget``, ``--player`` and ``--seed``."""

    def add(command: Any) -> Any:
        options = (
            click.option(
                "--worlds",
                type=click.IntRange(1, 200_000),
                default=None,
                help="Ways to deal the unseen cards that every move is tried in.  "
                f"[default: {worlds}]",
            ),
            click.option(
                "--budget",
                default=None,
                metavar="TIME",
                help="Instead of --worlds: as many as fit into 2s, 500ms or 1m.",
            ),
            click.option(
                "--player",
                default="tuned",
                show_default=True,
                metavar="NAME|FILE.toml",
                help="Who plays on after the move, in every seat, by its weights.",
            ),
            seed_option,
        )
        for option in reversed(options):
            command = option(command)
        return command

    return add


def read_budget(worlds: int | None, text: str | None, seed: int, otherwise: int) -> Budget:
    """Return the budget that the options ask for."""
    from kasino_sim.coach import Budget

    if text is None:
        return Budget(worlds or otherwise, None, seed)
    if worlds is not None:
        raise KasinoError("--budget: not together with --worlds; give one of them")
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*(ms|s|m|)", text.strip())
    seconds = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if not 0 < seconds <= 3_600:
        raise KasinoError(
            f"--budget {text}: must be a time such as 2s, 500ms or 1m, above 0 and up to an hour"
        )
    return Budget(otherwise, seconds, seed)


@click.command()
@click.argument("position", metavar="POSITION.json|TEXT|-")
@click.option(
    "--rules",
    default=None,
    metavar="NAME|FILE.toml",
    help="The rules.  [default: those of the file; of a text svensk]",
)
@set_option
@coach_options(WORLDS)
@click.option("--all", "every", is_flag=True, help="Show all moves, not the best dozen.")
@format_option(("table", "json", "csv"))
def analyze(
    position: str,
    rules: str | None,
    overrides: tuple[str, ...],
    worlds: int | None,
    budget: str | None,
    player: str,
    seed: int,
    every: bool,
    output_format: str,
) -> None:
    """Value every legal move of a position, and say why the best differs from the next.

    A position is a file with one JSON object (see the README; unknown hands are null; a game
    record stands for the position after its last move), or a text such as
    "hand=2s 7h 9d Td; table=5d 2c 8h 3s". The unseen cards are dealt in many ways and every move
    is tried in each. With two players the last hand is worked out exactly.
    """
    from kasino_sim.cli.progress import say_compiling
    from kasino_sim.coach import advise, kernel_of
    from kasino_sim.players import load_player

    asked = read_budget(worlds, budget, seed, WORLDS)
    found, where = _position(position, rules, overrides)
    chosen = load_player(player)
    try:
        say_compiling(kernel_of(found, chosen))
        advice = advise(found, chosen, asked)
    except KasinoError as error:
        lines = [re.sub(r"^position\b", where, line) for line in error.lines]
        raise KasinoError(lines) from None
    click.echo(_written(advice, chosen, asked, every, output_format), nl=output_format != "csv")


def _position(
    text: str, rules: str | None, overrides: tuple[str, ...]
) -> tuple[Position, str]:  # fmt: skip
    """Read what was given: a file or a text; returns the position and its name in errors."""
    from kasino_sim.catalog import load_ruleset, ruleset_to_object
    from kasino_sim.game import table_of
    from kasino_sim.notation import parse_position
    from kasino_sim.position_text import position_from_text

    if "=" in text:
        ruleset = load_ruleset(rules or "svensk", overrides)
        data, where = position_from_text(text, ruleset), "position"
        data["rules"] = ruleset_to_object(ruleset)
    else:
        data, where = read_object(text)
        data = with_rules(data, rules, overrides, where)
    table = table_of(data, where)
    if table.over:
        raise KasinoError(f"{where}: the deal is over, there is no move to value")
    found = table.position() if "deck" in data else parse_position(data, where)
    return found, where


def with_rules(
    data: dict[str, Any], rules: str | None, overrides: tuple[str, ...], where: str
) -> dict[str, Any]:
    """Return an object with the rules asked for in place of its own."""
    from kasino_sim.catalog import load_ruleset, ruleset_to_object

    if rules is None and not overrides:
        return data
    if rules is None and not isinstance(data.get("rules"), str):
        raise KasinoError(f"--set: {where} gives its rules in full; name a rule set with --rules")
    ruleset = load_ruleset(rules or data["rules"], overrides)
    rest = {key: value for key, value in data.items() if rules is None or key != "players"}
    return {**rest, "rules": ruleset_to_object(ruleset)}


def _written(
    advice: Advice, player: Player, budget: Budget, every: bool, output_format: str
) -> str:  # fmt: skip
    from kasino_sim.cli.coach_table import advice_record, advice_text

    if output_format == "table":
        return advice_text(advice, player, None if every else SHOWN)
    record = advice_record(advice, player, budget)
    if output_format == "json":
        return json.dumps(record, ensure_ascii=False)
    rows = [
        {"move": one["move"], "words": one["words"]}
        | {
            name if end == "mean" else f"{name}_{end}": one[name][end]
            for name in ("points", "win", "cost")
            for end in one[name]
        }
        for one in record["moves"]
    ]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
