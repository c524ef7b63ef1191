"""``kasino replay``: recorded deals, played again and scored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from kasino_sim.cli.options import answer_lines, format_option, keep_going_option
from kasino_sim.cli.sheets import columns, cut, side_names

if TYPE_CHECKING:
    from kasino_sim.rules import Ruleset


@click.command()
@click.argument("path", metavar="FILE.jsonl|-")
@format_option(("json", "table"))
@keep_going_option
def replay(path: str, output_format: str, keep_going: bool) -> None:
    """Play recorded deals again and score them, for each line of a file.

    A line is a game record that goes to the end of its deal. Every move is checked.
    """
    from kasino_sim.cli.progress import say_compiling

    say_compiling()
    answer = _json if output_format == "json" else _table
    click.echo(answer_lines(path, answer, output_format, keep_going), nl=False)


def _json(data: dict[str, Any], where: str) -> str:
    # Imported late so that --help does without the engine.
    from kasino_sim.game import whole_deal

    return json.dumps(whole_deal(data, where).result())


def _table(data: dict[str, Any], where: str) -> str:
    """Draw the score sheet: an item a line, a side a column."""
    from kasino_sim.game import whole_deal

    table = whole_deal(data, where)
    rules, result = table.rules, table.result()
    rows = [["points", *side_names(rules)], *_points(rules, result), [], *_piles(rules, result)]
    last = result["last_capturer"]
    end = "  nobody captured" if last is None else f"  player {last} captured last"
    return "\n".join([cut(f"{where}: {rules.name}"), *columns(rows), end, ""])


def _points(rules: Ruleset, result: dict[str, Any]) -> list[list[str]]:
    """Write the points of each item that is worth something, and their sum."""
    from kasino_sim.pack import item_weights
    from kasino_sim.words import item_names

    labels = item_names(rules)
    rows = []
    for (item, points), weight in zip(result["points"].items(), item_weights(rules), strict=True):
        tied = " (tied)" if item in result["tied"] else ""
        if weight:
            rows.append([labels[item] + tied, *map(str, points)])
    totals = map(sum, zip(*result["points"].values(), strict=True))
    return [*rows, ["sum", *map(str, totals)]]


def _piles(rules: Ruleset, result: dict[str, Any]) -> list[list[str]]:
    """Write what each side took."""
    sides = range(rules.sides)
    piles: list[list[str]] = [[] for _ in sides]
    sweeps = [0 for _ in sides]
    for player, cards in enumerate(result["captured"]):
        piles[player % rules.sides] += cards
        sweeps[player % rules.sides] += result["sweeps"][player]
    spades = [sum(card[1] == "s" for card in pile) for pile in piles]
    return [
        ["cards taken", *(str(len(pile)) for pile in piles)],
        ["spades taken", *map(str, spades)],
        ["sweeps made", *map(str, sweeps)],
    ]
