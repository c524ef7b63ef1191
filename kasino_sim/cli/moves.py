"""``kasino moves``: every legal move of positions and of games under way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from kasino_sim.cli.options import answer_lines, format_option, keep_going_option
from kasino_sim.cli.sheets import cut, listed
from kasino_sim.errors import KasinoError

if TYPE_CHECKING:
    from kasino_sim.game import Table
    from kasino_sim.notation import Move, Position

KINDS = ("trail", "capture", "build", "add", "raise")


@click.command()
@click.argument("path", metavar="FILE.jsonl|-")
@format_option(("json", "table"))
@keep_going_option
def moves(path: str, output_format: str, keep_going: bool) -> None:
    """List every legal move, for each line of a file.

    A line is a position, or a game record, which stands for the position after its last move.
    """
    from kasino_sim.cli.progress import say_compiling

    say_compiling()
    answer = _json if output_format == "json" else _table
    click.echo(answer_lines(path, answer, output_format, keep_going), nl=False)


def _set_out(data: dict[str, Any], where: str) -> tuple[Table, list[Move]]:
    """Set out a line's position and list its moves."""
    # Imported late so that --help does without the engine.
    from kasino_sim.game import table_of

    table = table_of(data, where)
    try:
        return table, table.legal_moves()
    except KasinoError as error:
        raise KasinoError(f"{where}: {line}" for line in error.lines) from None


def _json(data: dict[str, Any], where: str) -> str:
    _, found = _set_out(data, where)
    return json.dumps({"moves": [str(move) for move in found]})


def _table(data: dict[str, Any], where: str) -> str:
    """Draw the table and the hand, and the moves below, sorted by what they do."""
    table, found = _set_out(data, where)
    position = table.position()
    lines = [cut(f"{where}: {position.rules.name}"), *drawn(position)]
    if not found:
        return "\n".join([*lines, "  no moves: the hand is empty", ""])
    lines.append(f"  {len(found)} legal move{'s' * (len(found) > 1)}")
    for kind in KINDS:
        of_kind = [str(move) for move in found if _kind(move, position) == kind]
        lines += listed(kind, of_kind) if of_kind else []
    return "\n".join([*lines, ""])


def drawn(position: Position) -> list[str]:
    """Draw the hand of the player to move, and the table."""
    from kasino_sim.cards import card_text

    hand = position.hands[position.to_move] or ()
    lines = listed(f"player {position.to_move}", [" ".join(map(card_text, hand)) or "no cards"])
    lines += listed("table", [" ".join(map(card_text, position.table)) or "no loose cards"])
    for build in position.builds:
        cards = " ".join(map(card_text, build.cards))
        lock = ", locked" if build.locked else ""
        lines += listed("", [f"[{cards}] = {build.value}, player {build.owner}'s{lock}"])
    return lines


def _kind(move: Move, position: Position) -> str:
    """Say what a move does: a build at the same value is added to, at another one raised."""
    if move.act != "+":
        return "capture" if move.act else "trail"
    used = [build for build in position.builds if build.cards in move.builds]
    if not used:
        return "build"
    return "add" if used[0].value == move.value else "raise"
