"""Matches played with the deals of a ledger: where too much is to be reckoned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kasino_sim.ledger import Ledger, merge_ledgers
from kasino_sim.plan import Plan
from kasino_sim.rules import Ruleset
from kasino_sim.stats.match_figures import Asked, Figures
from kasino_sim.stats.match_states import Deals, add_deals, alone, best_of, kinds_of_deal

_LOTS = 12  # a lot of matches is begun with one for as many deals of a group
MOST_SHUFFLES, MOST_DEALT = 16, 500_000  # deals are shuffled and played again, up to as many


class _Pack:
    """Kinds of deal in shuffled order, for each game of a block, dealt out from the top.

    Every group of blocks has a heap of its own.
    """

    def __init__(
        self, deals: Deals, whole: Ledger, groups: Sequence[Ledger], seed: tuple[int, int]
    ) -> None:
        random = np.random.Generator(np.random.Philox(seed))
        self.games, self.groups = whole.games, len(groups)
        kinds = [deals.kind[np.searchsorted(whole.keys, group.keys)] for group in groups]
        heaps = [
            [
                random.permutation(np.repeat(kind, group.counts[:, game]))
                for kind, group in zip(kinds, groups, strict=True)
            ]
            for game in range(self.games)
        ]
        self._sizes = np.array([[len(heap) for heap in of_game] for of_game in heaps])
        self._kinds = [np.concatenate(of_game) for of_game in heaps]
        self._starts = np.cumsum(self._sizes, axis=1) - self._sizes
        self._used = np.zeros(self._sizes.shape, np.int64)

    @property
    def left(self) -> int:
        """Deals left of the game and group of which there are fewest."""
        return int((self._sizes - self._used).min())

    def deal(self, game: int, groups: np.ndarray) -> np.ndarray:
        """Return the next deal of a game for matches of some groups, int64[matches].

        A heap begins anew where it runs out.
        """
        wanted = np.bincount(groups, minlength=self.groups)
        order = np.argsort(groups, kind="stable")
        among = np.empty(len(groups), np.int64)
        among[order] = np.arange(len(groups)) - np.repeat(np.cumsum(wanted) - wanted, wanted)
        places = (self._used[game][groups] + among) % self._sizes[game][groups]
        self._used[game] += wanted
        return self._kinds[game][self._starts[game][groups] + places]


def play_matches(
    plan: Plan, groups: Sequence[Ledger], asked: Asked
) -> tuple[tuple[str, ...], np.ndarray]:
    """Play matches of shuffled deals, over again where they are not very many.

    The deals of a match are of one group of blocks. What the groups come to is independent, and
    two rule sets on the same groups may be compared group by group.

    Parameters
    ----------
    plan : Plan
        Its seed shuffles the deals. Shuffling again makes for less noise of the matches; what the
        deals themselves leave open stays in the spread among groups.
    groups : sequence of Ledger
    asked : Asked

    Returns
    -------
    (names, float[groups, figures])
        Figures as `match_figures.Figures` names them, means of each group's matches, of which all
        have as many; no groups where some matches do not come to their end.
    """
    whole = merge_ledgers(groups)
    deals, lots = kinds_of_deal(whole, plan.rules), []
    for shuffle in range(max(1, min(MOST_SHUFFLES, MOST_DEALT // whole.blocks))):
        pack = _Pack(deals, whole, groups, (plan.seed, shuffle))
        lots += _play_pack(plan.rules, deals, pack, asked.most_deals)
        if any(len(found.lengths) < found.begun for found in lots):
            return asked.figures(plan.rules.sides, whole.games, 0).names, np.zeros((0, 0))
    longest = max(int(found.lengths.max()) for found in lots)
    figures = asked.figures(plan.rules.sides, whole.games, longest)
    values = np.concatenate([found.values(figures) for found in lots])
    of = np.concatenate([found.owners for found in lots])
    means = [np.bincount(of, column, len(groups)) / np.bincount(of) for column in values.T]
    return figures.names, np.stack(means, axis=1)


def _play_pack(rules: Ruleset, deals: Deals, pack: _Pack, most_deals: int) -> list[_Lot]:
    """Play lots of matches as long as there are deals for another, for every opener as many."""
    owners = np.repeat(np.arange(pack.groups), max(1, pack.left // _LOTS))
    lots: list[_Lot] = []
    need = 0
    while pack.left > need:
        before = pack.left
        lots += [
            _play_lot(rules, deals, pack, opener, (owners, most_deals))
            for opener in range(pack.games)
        ]
        need = before - pack.left
    return lots


class _Lot:
    """Matches played side by side: how those stand that go on, and what the others came to."""

    def __init__(self, opener: int, groups: np.ndarray, sides: int) -> None:
        n = len(groups)
        self.opener, self.groups, self.begun = opener, groups, n
        self.totals = np.zeros((n, sides), np.int64)
        self.waiting = np.zeros((n, 2), np.int64)
        self.held = np.ones((n, sides), bool)
        self.changes = np.zeros(n, np.int64)
        self._over: list[tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
        self._owners: list[np.ndarray] = []

    def end(self, number: int, over: np.ndarray, won: np.ndarray, kept: np.ndarray) -> None:
        """Put down those that are over, and keep the others."""
        ended = won[over], self.held[over], kept[over], self.changes[over]
        self._over.append((number + 1, *ended))
        self._owners.append(self.groups[over])
        for name in ("totals", "waiting", "held", "changes", "groups"):
            setattr(self, name, getattr(self, name)[~over])

    @property
    def owners(self) -> np.ndarray:
        """The group of each match that is over."""
        return np.concatenate(self._owners)

    @property
    def lengths(self) -> np.ndarray:
        """Deals of each match that is over."""
        return np.concatenate([np.full(len(won), n) for n, won, *_ in self._over])

    def values(self, figures: Figures) -> np.ndarray:
        """Return float[matches, figures]."""
        won = np.concatenate([won for _, won, *_ in self._over])
        held = np.concatenate([held for _, _, held, *_ in self._over])
        shares = won / won.sum(axis=1, keepdims=True)
        values = shares @ figures.win_weights(self.opener).T
        values[:, figures.at("deals")] = self.lengths
        if figures.drama:
            values[:, figures.at("kept")] = np.concatenate([kept for *_, kept, _ in self._over])
            values[:, figures.at("held")] = (shares * held).sum(axis=1)
            changes = np.concatenate([changes for *_, changes in self._over])
            values[:, figures.at("lead_changes")] = changes
            values[np.arange(len(won)), figures.at("length.1") + self.lengths - 1] = 1
        return values


def _play_lot(
    rules: Ruleset, deals: Deals, pack: _Pack, opener: int, size: tuple[np.ndarray, int]
) -> _Lot:
    """Play a match for each group named, of at most some deals; those not over are left out."""
    groups, most_deals = size
    lot = _Lot(opener, groups, rules.sides)
    for number in range(most_deals):
        if len(lot.totals) == 0:
            break
        dealt = pack.deal(-(number + opener) % pack.games, lot.groups)
        some = Deals(deals.gains[dealt], deals.most[dealt], deals.spades[dealt], dealt)
        turn = add_deals(rules, some, number, lot.totals, lot.waiting)
        before = alone(best_of(lot.totals, rules))
        winner = alone(turn.winners)
        standing = best_of(turn.totals, rules)
        after = np.where(turn.over, winner, alone(standing))
        lot.changes = lot.changes + ((before >= 0) & (after >= 0) & (before != after))
        lot.totals, lot.waiting = turn.totals, turn.waiting
        held = lot.held
        lot.held = np.where(turn.over[:, None], held, held & standing)
        lot.end(number, turn.over, turn.winners, (winner >= 0) & (winner == before))
    return lot
