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
        By seat, seat 0 playing first: one for each player (in pairs one for each side), or a single
        one for every seat.
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
        fitting = {1, 2} if self.rules.deal.teams == "pairs" else {1, n}
        if len(self.players) not in fitting:
            names = ",".join(p.name for p in self.players)
            wanted = " or ".join(map(str, sorted(fitting)))
            who = "two sides" if self.rules.deal.teams == "pairs" else str(n)
            raise KasinoError(
                f"--players {names}: {len(self.players)} given, but {who} play under "
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

    @cached_property
    def rotations(self) -> int:
        """Rotations of the players over the seats that count as one block."""
        return self.named if self.rotate else 1

    @cached_property
    def seatings(self) -> np.ndarray:
        """Players by seat, uint32[games, 4]: entry (g, s) is the place in `seats` of seat s.

        Rotations that bring the same players to the same seats would replay a game: they are
        played once.
        """
        n = self.rules.n_players
        names = [p.model_dump_json() for p in self.seats]
        period = next(k for k in range(1, n + 1) if names == names[k:] + names[:k])
        games = min(period, self.rotations)
        seatings = np.zeros((games, MAX_PLAYERS), np.uint32)
        for g in range(games):
            for seat in range(n):
                seatings[g, seat] = (seat - g) % n
        return seatings

    @cached_property
    def turns(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """For each rotation: the game that plays it, and the side that each named player is."""
        sides = self.rules.sides
        return tuple(
            (g % self.games, tuple((k + g) % sides for k in range(self.named)))
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
    filled = dict.fromkeys(places, 0)
    for part in filter(str.strip, text.split(";")):
        name, equals, cards = (piece.strip() for piece in part.partition("="))
        if name not in places:
            lines.append(f"--fix {name!r} is no place; places: {', '.join(places)}")
        elif not equals or not cards:
            lines.append(
                f"--fix {part.strip()!r} names no cards; write for instance '{name}=Td 2s'"
            )
        elif rules.deal.swap_point_cards and not name.startswith("hand"):
            lines.append(
                f"--fix {name}: under {rules.name} the dealer exchanges table cards from the "
                "stock, so none is known there; add --set deal.swap_point_cards=false"
            )
        else:
            for card in _read_cards(cards, lines):
                if card in known:
                    lines.append(f"--fix {card_text(card)} is named twice")
                elif filled[name] == len(places[name]):
                    lines.append(f"--fix {name} has room for {len(places[name])} cards")
                else:
                    known[places[name][filled[name]]] = card
                    filled[name] += 1
    if lines:
        raise KasinoError(lines)
    return tuple(known)


def _read_cards(cards: str, lines: list[str]) -> list[int]:
    """Read cards, with a line for each that is none."""
    read = []
    for text in cards.split():
        try:
            read.append(parse_card(text))
        except KasinoError as error:
            lines += [f"--fix {line}" for line in error.lines]
    return read


def _places(rules: Ruleset) -> dict[str, range]:
    hand, n = rules.deal.hand, rules.n_players
    places = {f"hand{p}": range(p * hand, (p + 1) * hand) for p in range(n)}
    places["table"] = range(n * hand, n * hand + rules.deal.table)
    places["stock"] = range(n * hand + rules.deal.table, N_CARDS)
    return places


def read_players(text: str) -> tuple[Player, ...]:
    """Load players named with commas, with a line for each name that is none."""
    return players_by_name([name.strip() for name in text.split(",")])


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
