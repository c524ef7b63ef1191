"""``kasino ladder``: everybody against everybody, weakest first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from kasino_sim.cli.options import format_option, quiet_option, rules_options, threads_option

if TYPE_CHECKING:
    import pandas as pd

    from kasino_sim.players import Player
    from kasino_sim.rules import Ruleset
    from kasino_sim.studies.ladder import Ladder
    from kasino_sim.studies.ladder_folder import LadderFolder
    from kasino_sim.studies.ladder_reading import Reading

POSITION_DEALS, SEARCH_POSITION_DEALS = 60, 6  # whose positions everybody chooses a move at


@click.command()
@rules_options
@click.option(
    "--players",
    default="random,greedy,beginner,careful,tuned,expert",
    show_default=True,
    metavar="A,B,...",
    help="Who meets whom: everybody everybody.",
)
@click.option(
    "--deals", type=click.IntRange(1), default=None, help="Deals of a meeting.  [default: 20000]"
)
@click.option(
    "--search-deals",
    type=click.IntRange(1),
    default=None,
    help="The most deals of a meeting with a player who searches.  [default: 8000]",
)
@click.option(
    "--exploiter",
    "exploiters",
    multiple=True,
    metavar="PLAYER=FILE.toml",
    help="A player tuned against this one: how much does it take off it? May be repeated.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=None,
    help="Seed of decks and choices.  [default: computed from all the rest]",
)
@threads_option
@click.option("--out", default=None, metavar="DIR", help="Keep every chunk and all tables there.")
@click.option("--resume", is_flag=True, help="Go on with the ladder in --out.")
@click.option("--plot", default=None, metavar="FILE", help="Draw the ladder: .png or .svg.")
@quiet_option
@format_option(("table", "json", "csv"))
def ladder(
    ruleset: Ruleset,
    players: str,
    deals: int | None,
    search_deals: int | None,
    exploiters: tuple[str, ...],
    seed: int | None,
    threads: int | None,
    out: str | None,
    resume: bool,
    plot: str | None,
    quiet: bool,
    output_format: str,
) -> None:
    """Tell how strong players are: everybody meets everybody on the same decks.

    The order, weakest first, with the points and the matches of each step; who takes how much off
    whom; what their points are made of; and what a move costs in time.
    """
    from kasino_sim.cli.pictures import check_picture
    from kasino_sim.errors import KasinoError
    from kasino_sim.plan import read_players
    from kasino_sim.studies import ladder as studies
    from kasino_sim.studies.ladder_folder import LadderFolder

    check_picture(plot)
    if resume and not out:
        raise KasinoError("--resume: needs --out DIR, the folder of the ladder to go on with")
    chosen = studies.Ladder(
        ruleset,
        read_players(players),
        deals or studies.DEALS,
        search_deals or studies.SEARCH_DEALS,
        seed,
        tuple(_exploiter(text) for text in exploiters),
    )
    folder = LadderFolder(out, chosen, resume) if out is not None else None
    reading = _play(chosen, folder, threads, quiet)
    alike, costs = _agreement(chosen, reading, quiet), _costs(chosen)
    if plot:
        _draw(reading, costs, plot)
    if folder:
        _keep(folder, reading, alike, costs)
    click.echo(_written(reading, alike, costs, output_format), nl=output_format != "csv")


def _exploiter(text: str) -> tuple[Player, Player]:
    from kasino_sim.errors import KasinoError
    from kasino_sim.players import load_player

    victim, equals, name = (part.strip() for part in text.partition("="))
    if not (victim and equals and name):
        raise KasinoError(
            f"--exploiter {text}: write PLAYER=FILE.toml, the player and what was tuned against it"
        )
    return load_player(victim), load_player(name)


def _play(chosen: Ladder, folder: LadderFolder | None, threads: int | None, quiet: bool) -> Reading:
    from kasino_sim.cli.progress import Progress, load_engine
    from kasino_sim.simulate import Engine
    from kasino_sim.studies.ladder import play_ladder
    from kasino_sim.studies.ladder_reading import Reading

    meetings = list(chosen.meetings.values())
    # One that looks ahead, if any, and one that does not: each has its own kernels to load.
    plans = [meeting.plans[0] for meeting in meetings]
    for plan in {Engine(plan).looks_ahead: plan for plan in plans}.values():
        load_engine(plan, quiet)
    total = sum(meeting.blocks * meeting.games for meeting in meetings)
    with Progress(f"{chosen.rules.name} ladder", total, quiet) as progress:
        tallies = play_ladder(chosen, folder, threads, lambda meeting, games: progress.add(games))
        return Reading(chosen, tallies)


def _agreement(chosen: Ladder, reading: Reading, quiet: bool) -> pd.DataFrame:
    from kasino_sim.cli.progress import Progress
    from kasino_sim.plan import Plan
    from kasino_sim.ranges import Range
    from kasino_sim.studies.agreement import agreement

    deals = SEARCH_POSITION_DEALS if chosen.searching else POSITION_DEALS
    model = chosen.players[reading.strongest]
    plan = Plan(chosen.rules, (model,), chosen.played_seed, deals, Range.SELECT.first_deal)
    with Progress("positions", deals, quiet) as progress:
        return agreement(chosen.rules, chosen.players, reading.strongest, plan, progress.update)


def _costs(chosen: Ladder) -> dict[str, float]:
    """Measure milliseconds a move by player; the one thing here that differs from run to run."""
    from kasino_sim.studies.cost import move_cost

    return {player.name: move_cost(chosen.rules, player) for player in chosen.players}


def _draw(reading: Reading, costs: dict[str, float], plot: str) -> None:
    from kasino_sim.cli.pictures import write_picture
    from kasino_sim.plots.ladder import figure

    title = f"{reading.ladder.rules.name}: who beats whom, and at what cost"
    names = [reading.names[i] for i in reading.order]
    write_picture(figure(names, reading.meetings, _cost_frame(reading, costs), title), plot)


def _cost_frame(reading: Reading, costs: dict[str, float]) -> pd.DataFrame:
    shown = reading.players[["player", "elo", "elo_low", "elo_high"]]
    shown = shown.set_axis(["player", "value", "low", "high"], axis=1)
    return shown.assign(cost=[costs[name] for name in shown["player"]])


def _keep(
    folder: LadderFolder, reading: Reading, alike: pd.DataFrame, costs: dict[str, float]
) -> None:
    """Write everything; a first run goes into the register of attempts."""
    from kasino_sim.attempts import REGISTER, write_down
    from kasino_sim.cli.ladder_table import ladder_text
    from kasino_sim.plots.canvas import as_svg
    from kasino_sim.plots.ladder import figure
    from kasino_sim.studies.ladder_reading import records, summary_of

    chosen, new = reading.ladder, not folder.finished
    names = [reading.names[i] for i in reading.order]
    tables = {
        "players": reading.players,
        "steps": reading.steps,
        "meetings": reading.meetings,
        "anatomy": reading.anatomy,
        "agreement": alike,
        "timing/cost": _cost_frame(reading, costs),
    }
    title = f"{chosen.rules.name}: points a deal"
    texts = {
        "summary.txt": ladder_text(reading, alike, None) + "\n",
        "figures/meetings.svg": as_svg(figure(names, reading.meetings, None, title)),
        "timing/cost.svg": as_svg(
            figure(names, reading.meetings, _cost_frame(reading, costs), title)
        ),
    }
    folder.finish(summary_of(reading) | {"agreement": records(alike)}, tables, texts)
    plan = f"ladder {chosen.rules.name}"
    if new:
        most = max(meeting.blocks for meeting in chosen.meetings.values())
        number = write_down(plan, chosen.digest, chosen.played_seed, most, " < ".join(names))
        click.echo(f"attempt {number} of {plan}: {REGISTER}", err=True)


def _written(
    reading: Reading, alike: pd.DataFrame, costs: dict[str, float], output_format: str
) -> str:
    from kasino_sim.cli.ladder_table import ladder_text
    from kasino_sim.studies.ladder_reading import records, summary_of

    if output_format == "csv":
        return reading.meetings.to_csv(index=False)
    if output_format == "json":
        more = {"agreement": records(alike), "milliseconds_per_move": costs}
        return json.dumps(summary_of(reading) | more, ensure_ascii=False)
    return ladder_text(reading, alike, costs)
