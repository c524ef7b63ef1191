"""``kasino match``: recorded deals, added up to a match and its winners."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from kasino_sim.cli.options import answer_lines, format_option, keep_going_option
from kasino_sim.cli.sheets import columns, cut, side_names

if TYPE_CHECKING:
    from kasino_sim.match import MatchState
    from kasino_sim.rules import Ruleset


@click.command()
@click.argument("path", metavar="FILE.jsonl|-")
@format_option(("json", "table"))
@keep_going_option
def match(path: str, output_format: str, keep_going: bool) -> None:
    """Add up recorded deals to a match and its winners, for each line of a file.

    A line is a match record. Deals after the one that ends the match are not counted.
    """
    answer = _json if output_format == "json" else _table
    click.echo(answer_lines(path, answer, output_format, keep_going), nl=False)


def _json(data: dict[str, Any], where: str) -> str:
    # Imported late so that --help is fast.
    from kasino_sim.match import count_match

    return json.dumps(count_match(data, where))


def _table(data: dict[str, Any], where: str) -> str:
    """Draw the pad: a deal a line, for each side what it gained and its new total."""
    from kasino_sim.match import MatchPad, play_match, read_match

    rules, deals = read_match(data, where)
    states = [MatchPad(rules).state, *play_match(rules, deals, where)]
    carry = rules.score.ties == "carry"
    head = ["deal", *side_names(rules), *(["waiting"] if carry else [])]
    rows = [_row(before, after, carry) for before, after in zip(states, states[1:], strict=False)]
    left = len(deals) - states[-1].deals
    lines = [
        cut(f"{where}: {rules.name}"),
        f"  {_goal(rules)}",
        *columns([head, *rows]),
        f"  {_outcome(rules, states[-1])}",
    ]
    lines += [f"  {_deals(left)} after the end not counted"] if left else []
    return "\n".join([*lines, ""])


def _row(before: MatchState, after: MatchState, carry: bool) -> list[str]:
    sides = zip(before.totals, after.totals, strict=True)
    cells = [f"{'+' + str(new - old):>4} {new:>4}" for old, new in sides]
    waiting = ", ".join(f"{item} {n}" for item, n in after.carried.items() if n)
    return [str(after.deals), *cells, *([waiting or "-"] if carry else [])]


def _goal(rules: Ruleset) -> str:
    """Say what the match is played to."""
    lowest = ", lowest wins" if rules.match.winner == "lowest" else ""
    if rules.match.goal == "deals":
        return _deals(rules.match.deals) + lowest
    count = ", count-out" if rules.match.end == "count-out" else ""
    return f"to {rules.match.target}{count}{lowest}"


def _deals(n: int) -> str:
    return "1 deal" if n == 1 else f"{n} deals"


def _outcome(rules: Ruleset, state: MatchState) -> str:
    after = f"after {_deals(state.deals)}"
    if not state.winners:
        return f"no winner {after}: the match goes on"
    names = [side_names(rules)[side] for side in state.winners]
    if len(names) == 1:
        return f"{names[0]} won {after}"
    return f"{', '.join(names[:-1])} and {names[-1]} shared the win {after}"
