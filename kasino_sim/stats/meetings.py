"""What a meeting of two players comes to: points, deals and matches, and where the points are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from kasino_sim.engine.layout import ITEMS
from kasino_sim.errors import KasinoError
from kasino_sim.meeting import Meeting, MeetingTally
from kasino_sim.stats.estimates import Estimate
from kasino_sim.stats.intervals import UNDETERMINED, mean_row, row
from kasino_sim.stats.match_figures import Asked
from kasino_sim.stats.match_odds import match_odds
from kasino_sim.stats.sequential import Running, sequence

_FIELDS: Mapping[str, str] = MappingProxyType({"kept": "taken_own", "stolen": "taken_other"})


def per(tally: MeetingTally, column: str, scale: int) -> Estimate:
    """Estimate a column's mean over blocks, divided by `scale`."""
    sums = Running(tally.blocks, tally.sums[column], tally.squares[column], scale)
    if tally.blocks < 2:
        return Estimate(sums.mean, None, tally.blocks)
    return Estimate(sums.mean, math.sqrt(sums.variance / tally.blocks), tally.blocks)


def gap(meeting: Meeting, tally: MeetingTally) -> Estimate:
    """Estimate the points a deal by which the first player is better than the second."""
    return per(tally, "gap", meeting.comparisons)


def gap_sums(meeting: Meeting, tally: MeetingTally) -> Running:
    """Return the same as running sums, for sequential tests."""
    return Running(tally.blocks, tally.sums["gap"], tally.squares["gap"], meeting.comparisons)


def ahead(meeting: Meeting, tally: MeetingTally) -> dict[str, float]:
    """Estimate the share of deals in which the first player is ahead, ties split."""
    return mean_row(per(tally, "ahead", 2 * meeting.comparisons))


def stopped_row(
    sums: Running, planned: int, alpha: float = 0.05, shift: float = 0.0
) -> dict[str, float]:
    """Put a mean of a run that was stopped into a row: its confidence sequence.

    Returns
    -------
    dict of str to float
        No standard error, which does not hold after a stop.
    """
    found = sequence(sums, planned, alpha)
    low, high = found or (UNDETERMINED, UNDETERMINED)
    return row(sums.mean + shift, UNDETERMINED, low + shift, high + shift)


def matches(meeting: Meeting, chunks: Sequence[MeetingTally], role: int = 0) -> dict[str, float]:
    """Reckon the share of matches that one of the two wins, from the deals' ledger.

    Where more than two sides play, it is alone among others like the other one. The row is
    undetermined where no match comes to an end.
    """
    alone = role if len(meeting.plans) > 1 else 0
    ledgers = [chunk.ledgers[alone] for chunk in chunks]
    try:
        found = match_odds(meeting.plans[alone], ledgers, Asked(drama=False))
    except KasinoError:
        return row(UNDETERMINED, UNDETERMINED, UNDETERMINED, UNDETERMINED)
    return found.by_player[role if alone == 0 else 0]


# ---------------------------------------------------------------- where points come from


def anatomy(
    names: Sequence[str], meetings: dict[tuple[int, int], tuple[Meeting, MeetingTally]]
) -> pd.DataFrame:
    """Tell where each player's points come from, all its meetings counting alike.

    Parameters
    ----------
    names : sequence of str
        Players.
    meetings : dict
        (i, j) -> the meeting of players i and j, and its tally.

    Returns
    -------
    pandas.DataFrame
        A row a player and quantity: player, quantity, value, se; per deal and side. Quantities are
        the items with points, `points`, `swept`, `captures`, `trails`, `builds`, `raises`, `adds`,
        `kept` (own builds taken), `stolen` (others' builds taken), and where two sides play `lost`
        (builds that the other side took from somebody else than the taker).
    """
    rows = []
    for number, name in enumerate(names):
        found = [
            (meeting, tally, pair.index(number))
            for pair, (meeting, tally) in meetings.items()
            if number in pair
        ]
        for quantity in _quantities(found):
            parts = [_part(*one, quantity) for one in found]
            known = all(part.se is not None for part in parts)
            rows.append(
                {
                    "player": name,
                    "quantity": quantity,
                    "value": sum(part.mean for part in parts) / len(parts),
                    "se": math.sqrt(sum((p.se or 0) ** 2 for p in parts)) / len(parts)
                    if known
                    else UNDETERMINED,
                }
            )
    return pd.DataFrame(rows, columns=["player", "quantity", "value", "se"])


def _quantities(found: Sequence[tuple[Meeting, MeetingTally, int]]) -> list[str]:
    rules = found[0][0].rules
    items = [i for i in ITEMS if any(t.sums[f"{i}.{r}"] for _, t, r in found)]
    builds = ["builds", "raises", "adds", "kept", "stolen", *["lost"] * (rules.sides == 2)]
    return ["points", *items, "swept", "captures", "trails", *builds * rules.build.allowed]


def _part(meeting: Meeting, tally: MeetingTally, role: int, quantity: str) -> Estimate:
    """Estimate a quantity of one of the two, per deal and side."""
    if quantity == "lost":  # what the other one took that was not its own
        return per(tally, f"taken_other.{1 - role}", meeting.seats(1 - role))
    field = _FIELDS.get(quantity, quantity)
    return per(tally, f"{field}.{role}", meeting.seats(role))
