"""``kasino players``: list and show the players."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

import click

from kasino_sim.cli.options import format_option, rules_options
from kasino_sim.cli.sheets import WIDTH

if TYPE_CHECKING:
    from kasino_sim.players import Player
    from kasino_sim.rules import Ruleset


@click.group(invoke_without_command=True)
@format_option()
@click.pass_context
def players(ctx: click.Context, output_format: str) -> None:
    """List the players; the command below shows one of them."""
    if ctx.invoked_subcommand is None:
        # Imported late so that --help does without the engine's numbers.
        from kasino_sim.players import load_player, player_names

        known = [load_player(name) for name in player_names()]
        write = _list_json if output_format == "json" else _list_table
        click.echo(write(known))


@players.command()
@click.argument("player", metavar="NAME|FILE.toml")
@rules_options
@format_option()
def show(player: str, ruleset: Ruleset, output_format: str) -> None:
    """Show how a player thinks, and what it weighs.

    What tuned and expert weigh depends on --rules.
    """
    from kasino_sim.players import for_rules, load_player, tuned_player

    found = load_player(player)
    if found.tuned:
        fitted = tuned_player(ruleset)
        source = f"{found.source}; {fitted.name}: {fitted.source}"
        found = for_rules(found, ruleset).model_copy(update={"source": source})
    write = _sheet_json if output_format == "json" else _sheet
    click.echo(write(found))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _idea(player: Player) -> str:
    """Return the idea without the line breaks of its file."""
    return " ".join(player.idea.split())


def _about(player: Player) -> dict[str, Any]:
    return {
        "name": player.name,
        "kind": player.kind,
        "idea": _idea(player),
        "source": player.source,
        "also_known_as": list(player.also_known_as),
    }


def _list_json(known: list[Player]) -> str:
    return _json([_about(player) for player in known])


def _list_table(known: list[Player]) -> str:
    ideas = [_idea(player).partition(". ")[0] for player in known]
    rows = [("name", "kind", "idea")]
    rows += [(p.name, p.kind, idea) for p, idea in zip(known, ideas, strict=True)]
    name, kind = (max(len(row[i]) for row in rows) for i in (0, 1))
    room = WIDTH - name - kind - 4
    lines = []
    for row in rows:
        first, *rest = textwrap.wrap(row[2], room)
        lines.append(f"{row[0]:<{name}}  {row[1]:<{kind}}  {first}")
        lines += [" " * (WIDTH - room) + more for more in rest]
    return "\n".join(lines)


def _sheet_json(player: Player) -> str:
    from kasino_sim.feature_words import FEATURE_WORDS

    weights = {
        name: {"weight": weight, "meaning": FEATURE_WORDS[name]}
        for name, weight in player.weights.items()
    }
    return _json({**_about(player), **player.thinking, "tips": _tips(player), "weights": weights})


def _sheet(player: Player) -> str:
    """Write all that there is to say about a player."""
    facts = [
        ("name", player.name),
        ("also known as", ", ".join(player.also_known_as)),
        ("kind", player.kind),
        ("base", player.base),
        ("idea", _idea(player)),
        ("source", player.source),
    ]
    facts.append(("tips", ", ".join(_tips(player))))
    facts += [(name.replace("_", " "), f"{value:g}") for name, value in player.thinking.items()]
    lines = [_hung(f"{name + ':':<15}", text) for name, text in facts if text]
    if player.weights:
        lines += ["", *_weights(player), "", "What has no line weighs nothing."]
    return "\n".join(lines)


def _tips(player: Player) -> list[str]:
    """Name the tips that a player follows, and how."""
    return [
        f"{'not ' if tip.reverse else ''}{name} ({tip.form}, {tip.strength:g})"
        for name, tip in player.tips.items()
    ]


def _weights(player: Player) -> list[str]:
    """Write each weight that is not 0, and what it is a weight of."""
    from kasino_sim.feature_words import FEATURE_WORDS

    rows = [(name, f"{w:g}", FEATURE_WORDS[name]) for name, w in player.weights.items() if w]
    if not rows:
        return ["It weighs nothing: every move is as good to it."]
    name, weight = (max(len(row[i]) for row in rows) for i in (0, 1))
    weight = max(weight, len("weight"))
    return [
        f"{'feature':<{name}}  {'weight':>{weight}}  meaning",
        *(_hung(f"{a:<{name}}  {b:>{weight}}  ", text) for a, b, text in rows),
    ]


def _hung(head: str, text: str) -> str:
    """Wrap a text beside its head; below it where a word, as of a command, is longer than that."""
    fits = max(map(len, text.split())) <= WIDTH - len(head)
    indent = " " * (len(head) if fits else 2)
    return textwrap.fill(text, WIDTH, initial_indent=head, subsequent_indent=indent)
