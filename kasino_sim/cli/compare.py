"""`kasino compare`: what changes if a rule is changed."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kasino_sim.cli.options import (
    format_option,
    players_option,
    quiet_option,
    seed_option,
    set_option,
    threads_option,
)
from kasino_sim.cli.pictures import check_picture, write_picture

if TYPE_CHECKING:
    from kasino_sim.contrast import Contrast, ContrastTally
    from kasino_sim.rules import Ruleset
    from kasino_sim.stats.compare import Comparison

DEALS = 125_000  # a standard error of 0.02 where differences have a standard deviation of 7
MOST_DEALS = 1_000_000_000  # with --until-se, unless --deals says otherwise


@click.command()
@click.argument("rules_a", metavar="RULES_A")
@click.argument("rules_b", metavar="[RULES_B]", required=False)
@set_option
@click.option(
    "--set-a",
    "overrides_a",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a rule of A; --set changes B. May be repeated.",
)
@players_option("careful")
@click.option(
    "--deals",
    type=click.IntRange(1),
    default=None,
    help=f"Deals by each rule set, rounded up to whole blocks.  [default: {DEALS}]",
)
@seed_option
@click.option(
    "--until-se",
    type=click.FloatRange(0, min_open=True),
    default=None,
    metavar="X",
    help="Go on until every difference in points has a standard error of X.",
)
@click.option(
    "--adapt",
    is_flag=True,
    help="Let the players weigh the items by B's points under B; else by A's under both.",
)
@click.option("--plot", default=None, metavar="FILE", help="Draw the differences: .png or .svg.")
@threads_option
@quiet_option
@format_option(("table", "json", "csv"))
def compare(
    rules_a: str,
    rules_b: str | None,
    overrides: Sequence[str],
    overrides_a: Sequence[str],
    players: str,
    deals: int | None,
    seed: int,
    until_se: float | None,
    adapt: bool,
    plot: str | None,
    threads: int | None,
    quiet: bool,
    output_format: str,
) -> None:
    """Tell what changes between two rule sets, played on the same deals.

    Without RULES_B it is RULES_A with the changes of --set, as in
    kasino compare svensk --set sweep.points=2.
    """
    from kasino_sim.cli.progress import load_engine
    from kasino_sim.contrast import Contrast
    from kasino_sim.plan import Plan, read_players

    check_picture(plot)
    a, b = _rulesets(rules_a, rules_b, overrides_a, overrides)
    named = read_players(players)
    wanted = deals or (MOST_DEALS if until_se else DEALS)
    contrast = Contrast(Plan(a, named, seed, wanted), Plan(b, named, seed, wanted), adapt)
    load_engine(contrast.a, quiet)
    found, stopped = _run(contrast, threads, until_se, quiet)
    if until_se and stopped == "deals":
        click.echo(
            f"stopped at {found.blocks} blocks, before the standard error reached {until_se}",
            err=True,
        )
    if plot:
        _draw(contrast, found, plot)
    _print(contrast, found, stopped, output_format)


def _rulesets(
    rules_a: str, rules_b: str | None, overrides_a: Sequence[str], overrides: Sequence[str]
) -> tuple[Ruleset, Ruleset]:
    """Read both rule sets, with a line for each mistake in either."""
    from kasino_sim.catalog import load_ruleset
    from kasino_sim.errors import KasinoError
    from kasino_sim.rules import diff

    lines: list[str] = []
    try:
        a = load_ruleset(rules_a, overrides_a)
    except KasinoError as error:
        lines += [line.replace("--set", "--set-a", 1) for line in error.lines]
        a = load_ruleset("svensk")
    try:
        b = load_ruleset(rules_b, overrides) if rules_b else a.with_overrides(overrides)
    except KasinoError as error:
        lines += error.lines
    if lines:
        raise KasinoError(lines)
    if not diff(a, b):
        raise KasinoError(_nothing_changed(a, b, rules_b, overrides_a, overrides))
    return a, b


def _nothing_changed(
    a: Ruleset,
    b: Ruleset,
    rules_b: str | None,
    overrides_a: Sequence[str],
    overrides: Sequence[str],
) -> str:
    if rules_b is None and overrides:
        return f"--set {overrides[0]}: changes nothing, for {a.name} has it so; name another value"
    if rules_b is None and overrides_a:
        return (
            f"nothing changed: without RULES_B, --set-a changes both; name RULES_B or "
            f"--set KEY=VALUE, such as kasino compare {a.name.partition('+')[0]} --set ..."
        )
    if rules_b is None:
        return (
            f"nothing to compare {a.name} with; name a second rule set, "
            "or a change such as --set sweep.points=2"
        )
    return (
        f"nothing changed: {a.name} and {b.name} have the same rules; "
        "name another rule set or a change such as --set sweep.points=2"
    )


def _run(
    contrast: Contrast, threads: int | None, until_se: float | None, quiet: bool
) -> tuple[Comparison, str]:
    """Play the contrast; returns what it came to, and what ended it."""
    from kasino_sim.cli.progress import Progress
    from kasino_sim.contrast import OPEN_CHUNK_BLOCKS, PairedEngine
    from kasino_sim.simulate import chunk_size, chunks_of, default_threads, run_chunks
    from kasino_sim.stats.compare import close_enough, compare_tally

    engine = PairedEngine(contrast)
    size = OPEN_CHUNK_BLOCKS if until_se else chunk_size(contrast.blocks, contrast.games)
    chunks = chunks_of(contrast.blocks, size)
    total: ContrastTally | None = None
    reached = False
    deals = None if until_se else contrast.blocks * contrast.games_played
    with Progress(_label(contrast), deals, quiet) as progress:
        for _, tally in run_chunks(engine.tally, chunks, threads or default_threads()):
            total = tally if total is None else total + tally
            progress.update(total.blocks * contrast.games_played)
            reached = bool(until_se) and close_enough(contrast, total, until_se or 0)
            if reached:
                break
    assert total is not None  # a plan has at least one block
    return compare_tally(contrast, total), "standard error" if reached else "deals"


def _label(contrast: Contrast) -> str:
    from kasino_sim.cli.sheets import cut

    return cut(f"{contrast.a.rules.name} and {contrast.b.rules.name}", 30)


def _draw(contrast: Contrast, found: Comparison, plot: str) -> None:
    from kasino_sim.cli.compare_table import picture_frame, picture_title
    from kasino_sim.plots.compare import figure

    write_picture(figure(picture_frame(contrast, found), picture_title(contrast)), plot)


def _print(contrast: Contrast, found: Comparison, stopped: str, output_format: str) -> None:
    if output_format == "json":
        click.echo(json.dumps(_record(contrast, found, stopped), ensure_ascii=False))
    elif output_format == "csv":
        click.echo(found.rows.to_csv(index=False), nl=False)
    else:
        from kasino_sim.cli.compare_table import comparison_text

        click.echo(comparison_text(contrast, found, stopped))


def _record(contrast: Contrast, found: Comparison, stopped: str) -> dict[str, Any]:
    """Put a comparison into plain Python; None where something is undetermined."""
    from kasino_sim.rules import diff
    from kasino_sim.stats.compare import ROPE
    from kasino_sim.stats.intervals import CONFIDENCE

    a, b = contrast.a, contrast.b
    return {
        "a": a.rules.name,
        "b": b.rules.name,
        "blocks": found.blocks,
        "rows": [
            {key: _plain(value) for key, value in row.items()}
            for row in found.rows.to_dict("records")
        ],
        "shift": found.shift
        and {
            "of": "points_first",
            **{
                name: {key: _plain(value) for key, value in row.items()}
                for name, row in found.shift.items()
            },
        },
        "variance_reduction": dict(found.reduction),
        "changed": [
            {"key": key, "a": before, "b": after} for key, before, after in diff(a.rules, b.rules)
        ],
        "players": [player.name for player in a.players],
        "seed": str(a.seed),
        "deal_range": {
            "first": str(a.first_deal),
            "last": str(a.first_deal + found.blocks - 1),
        },
        "deals": {"a": found.blocks * a.games, "b": found.blocks * b.games},
        "play": "adapted" if contrast.adapt else "mechanical",
        "re_scored": contrast.re_scored,
        "stopped_by": stopped,
        "confidence": CONFIDENCE,
        "rope": ROPE,
        "family": {"correction": "max-T", "rows": found.family, "reach": found.reach},
    }


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
