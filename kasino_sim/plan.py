"""What a simulation plays: rules, players, seatings, deals and the seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kasino_sim.cards import N_CARDS, card_text, parse_card
from kasino_sim.engine.layout import MAX_PLAYERS
from kasino_sim.errors import KasinoError
from kasino_sim.players import Player
from kasino_sim.rules import Ruleset

MAX_SEED = 2**64 - 1


@dataclass(frozen=True)
class Plan:
    """Blocks of deals: each deck is played once for every seating.

    Attributes
    ----------
    rules : Ruleset
    players : tuple of Player
        By seat, seat 0 playing first: one for each player, or one for each side in pairs, or a
        single one for every seat.
    seed : int
        0 … 2**64 - 1. Deal i is a pure function of (seed, i).
    deals : int
        Deals wanted, at least; `blocks` rounds up to whole blocks.
    first_deal : int
        Number of the first deal.
    rotate : bool
        Whether every deck is played under all rotations of the players over the seats. With the
        same player in every seat a block is one deal, since rotating would replay it.
    known : tuple of int
        For each place of the deck the card known to lie there, or -1.
    detail : bool
        Whether legal moves are counted at every decision, which takes time.
    """

    rules: Ruleset
    players: tuple[Player, ...]
    seed: int
    deals: int
    first_deal: int = 0
    rotate: bool = True
    known: tuple[int, ...] = field(default=(-1,) * N_CARDS)
    detail: bool = False

    def __post_init__(self) -> None:
        """Check what the parts alone cannot."""
        n = self.rules.n_players
        fitting = {1, n, 2} if self.rules.deal.teams == "pairs" else {1, n}
        if len(self.players) not in fitting:
            names = ",".join(p.name for p in self.players)
            wanted = " or ".join(map(str, sorted(fitting)))
            raise KasinoError(
                f"--players {names}: {len(self.players)} given, but {n} play under "
                f"{self.rules.name}; name {wanted}"
            )
        if not 0 <= self.seed <= MAX_SEED:
            raise KasinoError(f"--seed {self.seed}: must be from 0 to 2**64 - 1")
        if self.deals < 1:
            raise KasinoError(f"--deals {self.deals}: must be 1 or more")

    @cached_property
    def seats(self) -> tuple[Player, ...]:
        """The player as named for each seat of the first game."""
        n = self.rules.n_players
        return tuple(self.players[p % len(self.players)] for p in range(n))

    @property
    def named(self) -> int:
        """How many players count as named: one a side in pairs, else one a seat."""
        return 2 if self.rules.deal.teams == "pairs" else self.rules.n_players

    @cached_property
    def alike(self) -> bool:
        """Whether the same player sits in every seat."""
        return len(set(p.model_dump_json() for p in self.seats)) == 1

    @property
    def rotations(self) -> int:
        """Rotations of the players over the seats that count as one block."""
        if not self.rotate:
            return 1
        two = self.rules.deal.teams == "pairs" and len(self.players) <= 2
        return 2 if two else self.rules.n_players

    @cached_property
    def seatings(self) -> np.ndarray:
        """Players by seat, int64[games, 4]: entry (g, s) is the place in `seats` of seat s."""
        n = self.rules.n_players
        games = 1 if self.alike else self.rotations
        seatings = np.zeros((games, MAX_PLAYERS), np.int64)
        for g in range(games):
            for seat in range(n):
                seatings[g, seat] = (seat - g) % n
        return seatings

    @cached_property
    def turns(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """For each rotation: the game that plays it, and the side that each named player is."""
        sides = self.rules.sides
        return tuple(
            (0 if self.alike else g, tuple((k + g) % sides for k in range(self.named)))
            for g in range(self.rotations)
        )

    @property
    def games(self) -> int:
        """Games played for each deck."""
        return len(self.seatings)

    @property
    def blocks(self) -> int:
        """Whole blocks that hold the deals wanted."""
        return -(-self.deals // self.games)


def parse_known(text: str, rules: Ruleset) -> tuple[int, ...]:
    """Read known cards, such as `hand0=Td 2s; table=8h 3c; stock=Ac`.

    Parameters
    ----------
    text : str
        Places `hand0` … (the first hand of seat 0 …), `table`, `stock` (top first), each with the
        cards that lie there; the rest is dealt at random.

    Returns
    -------
    tuple of int
        For each place of the deck the card, or -1.

    Raises
    ------
    KasinoError
        Where a place or card does not exist, a card is named twice or there is no room for it.
    """
    places, lines = _places(rules), []
    known = [-1] * N_CARDS
    for part in filter(str.strip, text.split(";")):
        name, _, cards = part.partition("=")
        room = places.get(name.strip())
        if room is None:
            lines.append(f"--fix {name.strip()!r} is no place; places: {', '.join(places)}")
            continue
        given = [parse_card(c) for c in cards.split()]
        if len(given) > len(room):
            lines.append(f"--fix {name.strip()} has room for {len(room)} cards, given {len(given)}")
        for place, card in zip(room, given, strict=False):
            if card in known:
                lines.append(f"--fix {card_text(card)} is named twice")
            if rules.deal.swap_point_cards and name.strip() == "table" and _is_point(rules, card):
                lines.append(f"--fix table {card_text(card)}: the dealer exchanges point cards")
            known[place] = card
    if lines:
        raise KasinoError(lines)
    return tuple(known)


def _places(rules: Ruleset) -> dict[str, range]:
    hand, n = rules.deal.hand, rules.n_players
    places = {f"hand{p}": range(p * hand, (p + 1) * hand) for p in range(n)}
    places["table"] = range(n * hand, n * hand + rules.deal.table)
    places["stock"] = range(n * hand + rules.deal.table, N_CARDS)
    return places


def _is_point(rules: Ruleset, card: int) -> bool:
    special = (parse_card(rules.values.little), parse_card(rules.values.big))
    return card // 4 == 0 or card in special


def players_by_name(names: Sequence[str]) -> tuple[Player, ...]:
    """Load several players, with a line for each name that is none."""
    from kasino_sim.players import load_player

    players, lines = [], []
    for name in names:
        try:
            players.append(load_player(name))
        except KasinoError as error:
            lines += error.lines
    if lines:
        raise KasinoError(lines)
    return tuple(players)
