"""Exact chances at the start of a deal, by full enumeration in whole numbers.

The cards are sorted into kinds that play alike. Every table of kinds is looked at once, with the
number of ways to deal it; the engine says which kinds of hand card take something from it, and
how many hands hold none of those is a product of binomials.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod
from typing import NamedTuple

from kasino_sim.cards import N_CARDS, parse_card
from kasino_sim.engine.captures import (
    CAPTURES,
    clear,
    holds_all,
    lookup,
    make_row,
    n_sets,
    row_top,
    tidy,
)
from kasino_sim.engine.patterns import up_to
from kasino_sim.engine.play import new_book
from kasino_sim.errors import KasinoError
from kasino_sim.pack import pack_rules
from kasino_sim.rules import Ruleset

MOST_TABLE_CARDS = 8
"""Larger tables are too many to enumerate."""


@dataclass(frozen=True)
class FirstPlay:
    """Chances that the first player holds a card that can take, at the first play of a deal.

    Attributes
    ----------
    capture : Fraction
        At least one card of the hand can take something.
    clear : Fraction
        At least one card of the hand can take all that lies on the table.
    """

    capture: Fraction
    clear: Fraction


class _Kind(NamedTuple):
    """What matters about a card here: cards that share it play alike."""

    rank: int  # on the table
    values: int  # from the hand: the engine's code of the value set
    clears: bool  # the clear card
    point: bool  # exchanged when it is dealt to the table


def first_play(rules: Ruleset) -> FirstPlay:
    """Compute the chances of a capture and of a clear table at the first play of a deal.

    Only what can be taken counts: no obligation, and not which capture would be the largest.

    Parameters
    ----------
    rules : Ruleset
        Any rules with at most `MOST_TABLE_CARDS` cards on the table.

    Raises
    ------
    KasinoError
        Where there are too many tables to enumerate.

    Notes
    -----
    Under deal.swap_point_cards the hands are dealt first and the table ends up with cards that
    are no point cards; given the first player's hand it is then every set of such cards outside
    the hand with the same chance.
    """
    table = rules.deal.table
    if table > MOST_TABLE_CARDS:
        raise KasinoError(
            f"deal.table = {table} makes too many tables to go through one by one "
            f"(at most {MOST_TABLE_CARDS} cards)"
        )
    kinds = _count_kinds(rules)
    hand, sizes = rules.deal.hand, list(kinds.values())
    powers = _Powers(rules, list(kinds))
    no_capture, no_clear = [0] * (hand + 1), [0] * (hand + 1)
    laid_out = [0 if kind.point else size for kind, size in kinds.items()]
    for laid in _ways_to_lay(laid_out, table):
        ways = prod(map(comb, sizes, laid))
        left = [size - n for size, n in zip(sizes, laid, strict=True)]
        takes, clears = powers.of(laid)
        _count_without(no_capture, ways, left, powers.points, takes)
        _count_without(no_clear, ways, left, powers.points, clears)
    return FirstPlay(
        1 - _chance(no_capture, table, sum(laid_out)), 1 - _chance(no_clear, table, sum(laid_out))
    )


def _count_kinds(rules: Ruleset) -> Counter[_Kind]:
    """Count the cards of each kind in the deck."""
    record = pack_rules(rules)
    exchanged = int(record.points_board) if rules.deal.swap_point_cards else 0
    clear_card = rules.capture.clear_card
    clears = parse_card(clear_card) if clear_card else -1
    return Counter(
        _Kind(card // 4, int(record.hand_set[card]), card == clears, bool(exchanged >> card & 1))
        for card in range(N_CARDS)
    )


def _ways_to_lay(sizes: Sequence[int], n: int) -> Iterator[tuple[int, ...]]:
    """Yield how many cards of each kind may be among `n`: every way once."""
    if not sizes:
        yield from [()] if n == 0 else []
        return
    for here in range(min(n, sizes[0]) + 1):
        for rest in _ways_to_lay(sizes[1:], n - here):
            yield (here, *rest)


class _Powers:
    """Which kinds of hand card take something, and all, from a table: asked of the engine."""

    def __init__(self, rules: Ruleset, kinds: Sequence[_Kind]) -> None:
        self.points = [kind.point for kind in kinds]
        self._kinds = kinds
        self._record, self._book = pack_rules(rules), new_book()
        clear(self._book)
        self._rows = {kind.values: make_row(CAPTURES, 1, kind.values) for kind in kinds}
        self._known: dict[int, dict[int, tuple[bool, bool]]] = {}

    def of(self, laid: Sequence[int]) -> tuple[list[bool], list[bool]]:
        """Say of each kind whether it takes something, and whether it takes all.

        `laid` is how many cards of each kind lie on the table.
        """
        ranks = [0] * 13
        for kind, n in zip(self._kinds, laid, strict=True):
            ranks[kind.rank] += n
        board = sum(((1 << n) - 1) << 4 * rank for rank, n in enumerate(ranks))
        if board not in self._known:
            self._known[board] = {v: self._ask(row, board) for v, row in self._rows.items()}
        known = self._known[board]
        takes = [known[kind.values][0] or (kind.clears and board > 0) for kind in self._kinds]
        clears = [known[kind.values][1] or (kind.clears and board > 0) for kind in self._kinds]
        return takes, clears

    def _ask(self, row: int, board: int) -> tuple[bool, bool]:
        """Ask the engine about the family of captures `row` on a board of loose cards."""
        tidy(self._book)
        within = board & up_to(row_top(row))
        entry = lookup(self._book, self._record, row, within)
        return bool(n_sets(entry)), board == within and bool(holds_all(entry))


def _count_without(
    without: list[int], ways: int, left: Sequence[int], points: Sequence[bool], able: Sequence[bool]
) -> None:
    """Count the hands of cards that are not able; without[j] is for those with j point cards."""
    hand = len(without) - 1
    unable = [(n, point) for n, point, can in zip(left, points, able, strict=True) if not can]
    special = sum(n for n, point in unable if point)
    others = sum(n for n, point in unable if not point)
    for j in range(min(hand, special) + 1):
        without[j] += ways * comb(special, j) * comb(others, hand - j)


def _chance(without: Sequence[int], table: int, laid_out: int) -> Fraction:
    """Return the chance of what was counted.

    `laid_out` is how many cards of the deck may lie on the table. With j cards among the hand's
    that may not, hand - j of them are in the hand.
    """
    hand = len(without) - 1
    hands = comb(N_CARDS, hand)
    return sum(
        (Fraction(n, hands * comb(laid_out - hand + j, table)) for j, n in enumerate(without) if n),
        Fraction(0),
    )
