"""``kasino rulesets``: list, show and compare the rule sets."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import Any

import click

from kasino_sim.catalog import ROOT, load_ruleset, ruleset_names, ruleset_toml
from kasino_sim.cli.options import format_option, set_option
from kasino_sim.rules import Ruleset, diff, ruleset_json_schema, show_value

WIDTH = 80


@click.group(invoke_without_command=True)
@format_option(("table", "json"))
@click.pass_context
def rulesets(ctx: click.Context, output_format: str) -> None:
    """List the rule sets; the commands below show and compare them."""
    if ctx.invoked_subcommand is None:
        known = [load_ruleset(name) for name in ruleset_names()]
        write = _list_json if output_format == "json" else _list_table
        click.echo(write(known))


@rulesets.command()
@click.argument("ruleset", metavar="NAME|FILE.toml")
@set_option
@format_option(("table", "json", "toml"))
def show(ruleset: str, overrides: Sequence[str], output_format: str) -> None:
    """Show every rule of a rule set."""
    rules = load_ruleset(ruleset, overrides)
    if output_format == "json":
        click.echo(_json(rules.resolved()))
    else:
        click.echo(_sheet(rules) if output_format == "table" else ruleset_toml(rules).rstrip())


@rulesets.command("diff")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@format_option(("table", "json"))
def diff_command(a: str, b: str, output_format: str) -> None:
    """Show the rules on which two rule sets differ: names or rule files."""
    left, right = load_ruleset(a), load_ruleset(b)
    differences = diff(left, right)
    if output_format == "json":
        click.echo(_json([{"key": key, "a": one, "b": other} for key, one, other in differences]))
    elif differences:
        rows = [(key, show_value(one), show_value(other)) for key, one, other in differences]
        click.echo(_table(("key", left.name, right.name), rows))
    else:
        click.echo("no difference")


@rulesets.command()
def schema() -> None:
    """Print the JSON Schema of rule files, for editors."""
    click.echo(_json(ruleset_json_schema()))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _target(rules: Ruleset) -> str:
    if rules.match.goal == "points":
        return str(rules.match.target)
    return "1 deal" if rules.match.deals == 1 else f"{rules.match.deals} deals"


def _list_json(known: Sequence[Ruleset]) -> str:
    return _json(
        [
            {
                "name": rules.name,
                "preset": rules.preset,
                **rules.metadata(),
                "players": rules.n_players,
                "builds": rules.build.allowed,
                "target": _target(rules),
            }
            for rules in known
        ]
    )


def _list_table(known: Sequence[Ruleset]) -> str:
    head = ("name", "title", "region", "players", "builds", "target")
    rows = [
        (
            rules.name,
            rules.title,
            rules.region,
            str(rules.n_players),
            "yes" if rules.build.allowed else "no",
            _target(rules),
        )
        for rules in known
    ]
    return _table(head, rows)


def _sheet(rules: Ruleset) -> str:
    """Write all that there is to say about a rule set, and its keys."""
    usual, now = load_ruleset(ROOT).flat(), rules.flat()
    rows = [
        (
            key,
            show_value(value),
            show_value(usual[key]) if value != usual[key] else "",
            "assumed" if key in rules.assumed else "",
        )
        for key, value in now.items()
    ]
    about = [
        ("name", rules.name),
        ("title", rules.title),
        ("region", rules.region),
        ("also known as", ", ".join(rules.also_known_as)),
        ("based on", rules.preset),
        ("source", rules.source),
        ("notes", " ".join(rules.notes.split())),
    ]
    facts = [_fact(name, text) for name, text in about if text]
    legend = (
        f"{ROOT}: its value where it differs. assumed: the source is silent or leaves a choice."
    )
    table = _table(("key", "value", ROOT, ""), rows)
    return "\n".join([*facts, "", table, "", textwrap.fill(legend, WIDTH)])


def _fact(name: str, text: str) -> str:
    return textwrap.fill(f"{name + ':':<15}{text}", WIDTH, subsequent_indent=" " * 15)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Line up columns; where they are too wide the second gives way."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    room = WIDTH - sum(widths) - 2 * (len(widths) - 1)
    widths[1] = max(widths[1] + min(room, 0), len(head[1]))
    lines = []
    for row in [head, *rows]:
        cells = [_cut(cell, width).ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _cut(cell: str, width: int) -> str:
    return cell if len(cell) <= width else cell[: width - 1] + "…"
