"""Progress for a person, on stderr, in one place."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kasino_sim.plan import Plan

QUIET_SECONDS = 30  # between lines where stderr is no terminal


def say_compiling(kernel: str = "") -> None:
    """Tell that the first run of an engine compiles it, or of one kernel beside it."""
    from kasino_sim.engine.jit import JIT_OFF, is_compiled

    if not JIT_OFF and not is_compiled(kernel):
        what = "the engine" if kernel in ("", "play_block") else "what looks ahead"
        click.echo(f"compiling {what}, once, about half a minute ...", err=True)


def load_engine(plan: Plan, quiet: bool = False) -> None:
    """Play a deal before a clock runs: the first one loads or compiles the engine."""
    from kasino_sim.simulate import Engine

    engine = Engine(plan)
    if not quiet:
        say_compiling("search_block" if engine.looks_ahead else "play_block")
    engine.sheets(0, 1)


class Progress:
    """Counts deals: a line that renews itself on a terminal, else one every half minute.

    Parameters
    ----------
    label : str
        What is being played.
    total : int or None
        Deals in all, where that is known.
    quiet : bool
        Whether to keep silent.
    """

    def __init__(self, label: str, total: int | None, quiet: bool = False) -> None:
        self.label, self.total, self.quiet = label, total, quiet
        self.terminal = sys.stderr.isatty()
        self.begun = self.shown = time.monotonic()
        self.done = 0

    def __enter__(self) -> Progress:
        """Start the clock."""
        return self

    def add(self, deals: int) -> None:
        """Show that so many more deals are played."""
        self.done += deals
        self.update(self.done)

    def update(self, deals: int, note: str = "") -> None:
        """Show that so many deals are played."""
        now = time.monotonic()
        if self.quiet or now - self.shown < (0.2 if self.terminal else QUIET_SECONDS):
            return
        self.shown = now
        line = f"{self.label}: {deals:,} deals, {deals / (now - self.begun):,.0f} a second{note}"
        if self.total:
            left = (self.total - deals) * (now - self.begun) / deals
            line += f", {left:.0f} s left"
        if self.terminal:
            click.echo(f"\r{line:<78}", err=True, nl=False)
        else:
            click.echo(line, err=True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the line clean."""
        if self.terminal and not self.quiet:
            click.echo("\r" + " " * 78 + "\r", err=True, nl=False)
