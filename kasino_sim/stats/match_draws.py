"""Matches played with the deals of a ledger, each deal once: where too much is to be reckoned."""

from __future__ import annotations

import numpy as np

from kasino_sim.ledger import Ledger
from kasino_sim.plan import Plan
from kasino_sim.rules import Ruleset
from kasino_sim.stats.match_figures import Asked, Figures
from kasino_sim.stats.match_states import Deals, add_deals, alone, best_of, kinds_of_deal

_WAVES = 20  # as many lots of matches, about; the last one is begun while there are deals for it


class _Pack:
    """Kinds of deal in shuffled order, for each game of a block, dealt out from the top."""

    def __init__(self, deals: Deals, ledger: Ledger, seed: int) -> None:
        random = np.random.Generator(np.random.Philox(seed))
        self.games = ledger.games
        self._kinds = [
            random.permutation(np.repeat(deals.kind, ledger.counts[:, game]))
            for game in range(ledger.games)
        ]
        self._used = [0] * ledger.games

    @property
    def left(self) -> int:
        """Deals left of the game of which there are fewest."""
        return min(map(len, self._kinds)) - max(self._used)

    def deal(self, game: int, n: int) -> np.ndarray:
        """Return the next n deals of a game, beginning anew where they run out."""
        kinds = self._kinds[game]
        places = np.arange(self._used[game], self._used[game] + n) % len(kinds)
        self._used[game] += n
        return kinds[places]


def play_matches(plan: Plan, ledger: Ledger, asked: Asked) -> tuple[tuple[str, ...], np.ndarray]:
    """Play matches of shuffled deals, about as many as the ledger has deals for.

    Parameters
    ----------
    plan : Plan
        Its seed shuffles the deals.
    ledger : Ledger
    asked : Asked

    Returns
    -------
    (names, float[matches, figures])
        Figures as `match_figures.Figures` names them, match by match; no matches where some do
        not come to their end.
    """
    deals = kinds_of_deal(ledger, plan.rules)
    pack = _Pack(deals, ledger, plan.seed)
    lot = max(1, pack.left // _WAVES // 2)
    lots: list[_Lot] = []
    need = 0
    while pack.left > need:
        before = pack.left
        for opener in range(ledger.games):
            lots.append(_play_lot(plan.rules, deals, pack, opener, (lot, asked.most_deals)))
        if any(len(found.lengths) < lot for found in lots):
            return asked.figures(plan.rules.sides, ledger.games, 0).names, np.zeros((0, 0))
        need = before - pack.left
    longest = max(int(found.lengths.max()) for found in lots)
    figures = asked.figures(plan.rules.sides, ledger.games, longest)
    return figures.names, np.concatenate([found.values(figures) for found in lots])


class _Lot:
    """Matches played side by side: how those stand that go on, and what the others came to."""

    def __init__(self, opener: int, n: int, sides: int) -> None:
        self.opener = opener
        self.totals = np.zeros((n, sides), np.int64)
        self.waiting = np.zeros((n, 2), np.int64)
        self.held = np.ones((n, sides), bool)
        self.changes = np.zeros(n, np.int64)
        self._over: list[tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []

    def end(self, number: int, over: np.ndarray, won: np.ndarray, kept: np.ndarray) -> None:
        """Put down those that are over, and keep the others."""
        ended = won[over], self.held[over], kept[over], self.changes[over]
        self._over.append((number + 1, *ended))
        for name in ("totals", "waiting", "held", "changes"):
            setattr(self, name, getattr(self, name)[~over])

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
    rules: Ruleset, deals: Deals, pack: _Pack, opener: int, size: tuple[int, int]
) -> _Lot:
    """Play some matches, of at most some deals: `size`; those not over by then are left out."""
    matches, most_deals = size
    lot = _Lot(opener, matches, rules.sides)
    for number in range(most_deals):
        if len(lot.totals) == 0:
            break
        dealt = pack.deal(-(number + opener) % pack.games, len(lot.totals))
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
