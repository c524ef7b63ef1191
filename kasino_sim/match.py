"""Matches: deals added up on a pad until somebody has won.

`MatchPad` is the core and takes deals one by one, from a record or out of the engine. `read_match`
reads a match record with all its mistakes, and `count_match` does both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kasino_sim.engine.layout import ITEMS
from kasino_sim.errors import KasinoError, closest
from kasino_sim.notation import Reader, read_rules
from kasino_sim.rules import Ruleset

CARRIED = ("spades", "cards")
"""The items whose points wait when they are tied, under score.ties = "carry"."""

_MATCH_KEYS = "rules players deals expect".split()
_DEAL_KEYS = "points tied most spades".split()
_ALL_SPADES = 13

# ---------------------------------------------------------------- what is added up


@dataclass(frozen=True)
class DealResult:
    """What one deal gave each side.

    Attributes
    ----------
    points : tuple of tuple of int
        Points[item][side], items in the order of `engine.layout.ITEMS`, nothing carried in them.
    tied : tuple of str
        The tied ones of spades and cards, also where they are worth 0.
    most : mapping of str to int
        The side with most spades and with most cards, as far as told; the points tell it too.
    spades : tuple of int, optional
        How many spades each side took, what was left on the table included.
    """

    points: tuple[tuple[int, ...], ...]
    tied: tuple[str, ...] = ()
    most: Mapping[str, int] = field(default_factory=dict)
    spades: tuple[int, ...] | None = None

    @classmethod
    def of_sheet(cls, sheet: Any, rules: Ruleset) -> DealResult:
        """Read a score sheet of the engine.

        Parameters
        ----------
        sheet : numpy.record
            A record of `engine.layout.SHEET`.
        rules : Ruleset
            The rules that the deal was played by.
        """
        sides = rules.sides
        points = tuple(tuple(int(x) for x in sheet.points[:sides, i]) for i in range(len(ITEMS)))
        spades = [0] * sides
        for player in range(rules.n_players):
            spades[player % sides] += int(sheet.spades[player])
        tied = tuple(item for item in CARRIED if sheet[f"tied_{item}"])
        return cls(points, tied, {}, tuple(spades))

    def side_with_most(self, item: str) -> int | None:
        """Return the side that has strictly most spades or cards, None where nothing tells."""
        if item in self.most:
            return self.most[item]
        scorers = [side for side, n in enumerate(self.points[ITEMS.index(item)]) if n]
        return scorers[0] if len(scorers) == 1 else None


@dataclass(frozen=True)
class MatchState:
    """How a match stands after a deal.

    Attributes
    ----------
    totals : tuple of int
        Points per side, with the whole of the last deal.
    winners : tuple of int
        The sides that have won; empty while the match goes on.
    deals : int
        How many deals were played.
    carried : mapping of str to int
        What waits for most spades and for most cards.
    """

    totals: tuple[int, ...]
    winners: tuple[int, ...]
    deals: int
    carried: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return the result of a match record."""
        return {
            "totals": list(self.totals),
            "winners": list(self.winners),
            "deals": self.deals,
            "carried": dict(self.carried),
        }


# ---------------------------------------------------------------- the pad


class MatchPad:
    """The pad on which a match is kept, deal by deal.

    Parameters
    ----------
    rules : Ruleset
        The rules of the match.

    Attributes
    ----------
    state : MatchState
        How the match stands.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.state = MatchState((0,) * rules.sides, (), 0, dict.fromkeys(CARRIED, 0))

    @property
    def totals(self) -> tuple[int, ...]:
        """Points per side."""
        return self.state.totals

    @property
    def winners(self) -> tuple[int, ...]:
        """The sides that have won; empty while the match goes on."""
        return self.state.winners

    @property
    def over(self) -> bool:
        """Whether somebody has won."""
        # Not the winner's number: side 0 wins too.
        return len(self.state.winners) > 0

    @property
    def deals(self) -> int:
        """How many deals were added."""
        return self.state.deals

    @property
    def carried(self) -> Mapping[str, int]:
        """What waits for most spades and for most cards."""
        return self.state.carried

    def add(self, deal: DealResult) -> MatchState:
        """Add a deal and see whether it ends the match.

        Raises
        ------
        KasinoError
            Where the match is over, or where the deal does not tell what the rules ask: who has
            most of a carried item, or the spades that break a tie.
        """
        if self.over:
            raise KasinoError(f"the match is over after {self.deals} deals")
        before = self.totals
        gains, carried = with_carried(self.rules, deal, self.carried)
        totals = tuple(map(sum, zip(before, *gains, strict=True)))
        winners = winners_of(self.rules, self.deals + 1, before, gains, deal)
        self.state = MatchState(totals, tuple(winners), self.deals + 1, carried)
        return self.state


def with_carried(
    rules: Ruleset, deal: DealResult, waiting: Mapping[str, int]
) -> tuple[list[Sequence[int]], dict[str, int]]:
    """Add what waits to the items that are not tied; let the tied items' points wait.

    Returns
    -------
    gains : list of sequence of int
        Points[item][side], the carried ones inside their item.
    carried : dict of str to int
        What waits after the deal.
    """
    gains: list[Sequence[int]] = list(deal.points)
    carried = dict(waiting)
    if rules.score.ties == "none":
        return gains, carried
    for item in CARRIED:
        if item in deal.tied:
            carried[item] += getattr(rules.score, item)
        elif carried[item]:
            at, side = ITEMS.index(item), deal.side_with_most(item)
            if side is None:
                raise KasinoError(
                    f"most.{item} is missing: it says which side gets the {carried[item]} points "
                    f"that wait for most {item}"
                )
            gains[at] = [n + carried[item] * (s == side) for s, n in enumerate(gains[at])]
            carried[item] = 0
    return gains, carried


def winners_of(
    rules: Ruleset,
    deals: int,
    before: Sequence[int],
    gains: Sequence[Sequence[int]],
    deal: DealResult,
) -> list[int]:
    """List the sides that have won once a deal is added, none where the match goes on.

    Parameters
    ----------
    rules : Ruleset
        The rules of the match.
    deals : int
        How many deals there were, this one counted.
    before : sequence of int
        Totals before this deal.
    gains : sequence of sequence of int
        Points[item][side] of this deal, the carried ones included.
    deal : DealResult
        The deal, for the spades that may break a tie.
    """
    match = rules.match
    if match.end == "count-out":
        return _only(count_out(before, gains, match.target))
    totals = [sum(side) for side in zip(before, *gains, strict=True)]
    best = best_of(totals, range(len(totals)), match.winner)
    if match.goal == "deals":
        return best if deals >= match.deals else []
    if max(totals) < match.target:
        return []
    if len(best) > 1 and match.tie_break == "spades":
        best = most_spades(deal, best)
    return _only(best)


def count_out(before: Sequence[int], gains: Iterable[Sequence[int]], target: int) -> list[int]:
    """Add a deal item by item and find who is first at the target.

    Parameters
    ----------
    before : sequence of int
        Totals before the deal.
    gains : iterable of sequence of int
        Points[item][side], in the order in which the items are counted.
    target : int
        The target, in points.

    Returns
    -------
    list of int
        The highest among those who reach it at the same item, after the later items have parted
        as many of them as they can. Empty where nobody reaches it.
    """
    totals = list(before)
    leaders: list[int] = []
    for gain in gains:
        totals = [total + n for total, n in zip(totals, gain, strict=True)]
        there = leaders or [side for side, total in enumerate(totals) if total >= target]
        leaders = best_of(totals, there, "highest")
        if len(leaders) == 1:
            break
    return leaders


def best_of(totals: Sequence[int], among: Iterable[int], winner: str) -> list[int]:
    """List the sides with the best total: the highest, or the lowest."""
    sides = list(among)
    if not sides:
        return []
    choose = max if winner == "highest" else min
    best = choose(totals[side] for side in sides)
    return [side for side in sides if totals[side] == best]


def most_spades(deal: DealResult, among: Sequence[int]) -> list[int]:
    """List those among some sides who took most spades in a deal."""
    if deal.spades is None:
        raise KasinoError(
            'spades is missing: under match.tie_break = "spades" it parts sides '
            f"{' and '.join(map(str, among))}, who share the best total"
        )
    return best_of(deal.spades, among, "highest")


def _only(sides: list[int]) -> list[int]:
    """Keep a lone winner; several must play on."""
    return sides if len(sides) == 1 else []


# ---------------------------------------------------------------- match records


def count_match(record: Mapping[str, Any], where: str = "match") -> dict[str, Any]:
    """Count a match record.

    Parameters
    ----------
    record : mapping
        ``rules`` and ``deals``. Deals after the one that ends the match are not counted.
    where : str
        What an error names as its place.

    Returns
    -------
    dict
        ``totals`` per side, ``winners`` (sides, none while it goes on), ``deals`` used, and
        ``carried``, what waits for most spades and most cards.

    Raises
    ------
    KasinoError
        With a line for each mistake: place, deal (from 1), field, what was given, what is allowed.
    """
    rules, deals = read_match(record, where)
    states = play_match(rules, deals, where)
    return (states[-1] if states else MatchPad(rules).state).as_json()


def play_match(
    rules: Ruleset, deals: Iterable[DealResult], where: str = "match"
) -> list[MatchState]:
    """Add deals to a pad until the match is over; list how it stands after each."""
    pad, states = MatchPad(rules), []
    for number, deal in enumerate(deals, start=1):
        try:
            states.append(pad.add(deal))
        except KasinoError as error:
            raise KasinoError(f"{where}: deal {number}: {line}" for line in error.lines) from None
        if pad.over:
            break
    return states


def read_match(record: Mapping[str, Any], where: str = "match") -> tuple[Ruleset, list[DealResult]]:
    """Read a match record.

    Raises
    ------
    KasinoError
        With a line for each mistake.
    """
    rules = read_rules(record, where)
    read = Reader(record, where, _MATCH_KEYS)
    given = record.get("deals")
    if not isinstance(given, list):
        read.fault("deals", f"{_given(given)}, must be a list of deals")
        given = []
    deals = []
    for number, data in enumerate(given, start=1):
        part = _read_deal(data, f"{where}: deal {number}", rules.sides)
        read.lines += part if isinstance(part, list) else []
        deals += [part] if isinstance(part, DealResult) else []
    read.check()
    return rules, deals


def _given(value: object) -> str:
    return "is missing" if value is None else f"= {value!r}"


def _read_deal(data: object, where: str, sides: int) -> DealResult | list[str]:
    """Read a deal, or list its mistakes."""
    if not isinstance(data, dict):
        return [f"{where}: {data!r} is not an object with {', '.join(_DEAL_KEYS)}"]
    read = Reader(data, where, _DEAL_KEYS)
    points = _read_points(read, sides)
    tied = _read_tied(read)
    most = _read_most(read, sides)
    spades = _read_spades(read, sides)
    deal = DealResult(points, tied, most, spades)
    if not read.lines:
        _check_ties(read, deal)
    return read.lines or deal


def _per_side(read: Reader, key: str, value: object, sides: int, high: int | None) -> list[int]:
    """Read a list of whole numbers, one for each side."""
    good = isinstance(value, list) and len(value) == sides
    good = good and all(type(n) is int and n >= 0 for n in value)  # type: ignore[attr-defined]
    if good and (high is None or max(value) <= high):  # type: ignore[call-overload]
        return list(value)  # type: ignore[call-overload]
    bounds = "0 or more" if high is None else f"0 to {high}"
    read.fault(
        key, f"{_given(value)}, must be {sides} whole numbers of {bounds}, one for each side"
    )
    return [0] * sides


def _read_points(read: Reader, sides: int) -> tuple[tuple[int, ...], ...]:
    """Read the points of each item; an item that is not there gave nobody any."""
    points = read.data.get("points")
    if not isinstance(points, dict):
        read.fault("points", f"{_given(points)}, must be an object of items: {', '.join(ITEMS)}")
        points = {}
    for key in points:
        if key not in ITEMS:
            known = f"{closest(key, ITEMS)} (items: {', '.join(ITEMS)})"
            read.fault(f"points.{key}", f"is not an item{known}")
    none = [0] * sides
    return tuple(
        tuple(_per_side(read, f"points.{item}", points.get(item, none), sides, None))
        for item in ITEMS
    )


def _read_tied(read: Reader) -> tuple[str, ...]:
    tied = read.data.get("tied")
    if tied is None:
        return ()
    if not isinstance(tied, list) or any(item not in CARRIED for item in tied):
        read.fault("tied", f'= {tied!r}, must be a list of none, one or both of "spades", "cards"')
        return ()
    return tuple(item for item in CARRIED if item in tied)


def _read_most(read: Reader, sides: int) -> dict[str, int]:
    most = read.data.get("most")
    if most is None:
        return {}
    if not isinstance(most, dict):
        read.fault("most", f'= {most!r}, must be an object such as {{"spades": 1, "cards": 0}}')
        return {}
    for key in most:
        if key not in CARRIED:
            read.fault(f"most.{key}", f"is not an item that can be tied ({', '.join(CARRIED)})")
    told: dict[str, int] = {}
    for item in CARRIED:
        side = most.get(item)
        if type(side) is int and 0 <= side < sides:
            told[item] = side
        elif side is not None:
            read.fault(f"most.{item}", f"= {side!r}, must be a side, 0 to {sides - 1}")
    return told


def _read_spades(read: Reader, sides: int) -> tuple[int, ...] | None:
    spades = read.data.get("spades")
    if spades is None:
        return None
    return tuple(_per_side(read, "spades", spades, sides, _ALL_SPADES))


def _check_ties(read: Reader, deal: DealResult) -> None:
    """Report where a deal says of spades or cards both that they are tied and that they are not."""
    for item in CARRIED:
        points = deal.points[ITEMS.index(item)]
        scorers = [side for side, n in enumerate(points) if n]
        most = deal.most.get(item)
        if item in deal.tied and scorers:
            read.fault(f"points.{item}", f"= {list(points)}, but {item} are among the tied")
        if item in deal.tied and most is not None:
            read.fault(f"most.{item}", f"= {most}, but {item} are among the tied")
        elif most is not None and len(scorers) == 1 and scorers != [most]:
            read.fault(f"most.{item}", f"= {most}, but side {scorers[0]} has the points for them")
