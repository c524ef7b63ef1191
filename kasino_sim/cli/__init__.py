"""The command line. A command's module is imported only when the command is used.

A command named ``x`` is the click command ``x`` in ``kasino_sim/cli/x.py`` and has a line
in `COMMANDS`.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, cast

import click

from kasino_sim.errors import KasinoError, closest

COMMANDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "rulesets": ("kasino_sim.cli.rulesets", "List, show and compare the rule sets."),
        "moves": ("kasino_sim.cli.moves", "List every legal move of positions."),
        "replay": ("kasino_sim.cli.replay", "Play recorded deals again and score them."),
        "match": ("kasino_sim.cli.match", "Keep the score of a match, deal by deal."),
        "odds": ("kasino_sim.cli.odds", "Tell chances of the first play, or of matches."),
        "analyze": ("kasino_sim.cli.analyze", "Value every move of a position, and say why."),
        "review": ("kasino_sim.cli.review", "Go through a recorded game, mark costly moves."),
        "show": ("kasino_sim.cli.show", "Show a deal move by move, to read along."),
        "simulate": ("kasino_sim.cli.simulate", "Play many deals and count what happens."),
        "compare": ("kasino_sim.cli.compare", "Tell what changes if a rule is changed."),
        "ladder": ("kasino_sim.cli.ladder", "Tell how strong players are, one against another."),
        "study": ("kasino_sim.cli.study", "Play a plan of many rule sets and tell what it found."),
        "again": ("kasino_sim.cli.again", "Try findings again, on other decks and with others."),
        "report": ("kasino_sim.cli.report", "Simulate every rule set and write a report."),
        "players": ("kasino_sim.cli.players", "List and show the players."),
        "tune": ("kasino_sim.cli.tune", "Find a player's weights by trial."),
        "bench": ("kasino_sim.cli.bench", "Measure how fast it is on this machine."),
        "warmup": ("kasino_sim.cli.warmup", "Compile the engine, once, before it is needed."),
    }
)
"""Name of each command to its module and its line in ``kasino --help``."""

FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
CLOSED_PIPE = 141


class LazyGroup(click.Group):
    """The group of all commands, which also turns errors into lines and exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        return cast(click.Command, getattr(importlib.import_module(module), cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with, or say which comes close."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"No such command '{name}'{closest(name, COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands in the help, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_line) for name, (_, help_line) in COMMANDS.items()])

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the group's own options; colours only where they are wanted."""
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            extra.setdefault("color", False)
        with _exit_codes():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="backslashreplace")
        with _exit_codes():
            result = super().invoke(ctx)
            # Here, not at exit, a closed pipe can still be met quietly.
            if sys.stdout is not None:
                sys.stdout.flush()
            return result


@contextmanager
def _exit_codes() -> Iterator[None]:
    """Turn bad input, Ctrl-C and a closed pipe into a message and an exit code."""
    try:
        yield
    except KasinoError as error:
        for line in error.lines:
            click.echo(f"error: {line}", err=True)
        raise click.exceptions.Exit(BAD_INPUT) from None
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "kasino"
        click.echo(f"error: {error.format_message()} (see {command} --help)", err=True)
        raise click.exceptions.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # What is left in the buffer would raise once more when Python shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(CLOSED_PIPE) from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EBADF):
            raise
        click.echo(f"error: the result cannot be written ({error.strerror})", err=True)
        raise click.exceptions.Exit(FAILED) from None


@click.group(
    name="kasino",
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "KASINO"},
)
@click.version_option(package_name="kasino-sim", prog_name="kasino")
def main() -> None:
    """Simulate and study Kasino, the Nordic fishing card game."""
