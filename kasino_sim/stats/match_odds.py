"""Matches out of a ledger of deals: how long they take, who wins them, and how close they are.

No match is played: every way that a match can stand is followed with its chance, deal by deal, and
backwards from the end what one more deal of each kind would do to the figures, which gives their
standard errors. Where there is too much to follow, matches are played with the ledger's own deals.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kasino_sim.errors import KasinoError
from kasino_sim.ledger import Ledger, merge_ledgers, outcomes
from kasino_sim.plan import Plan
from kasino_sim.rules import Ruleset
from kasino_sim.stats.intervals import CONFIDENCE, FEW, UNDETERMINED, row
from kasino_sim.stats.match_figures import RAREST, Asked, Reckoned
from kasino_sim.stats.match_grid import grid_of, reckon_on_grid
from kasino_sim.stats.match_states import reckon_states

EXACT = "exact from the deals' ledger"
PLAYED = "matches played with the ledger's deals"
GROUP_BLOCKS = 20  # at least, in chunks that matches are played from
_NOTHING = 1e-12  # a standard error below this is none: the rules alone fix the figure


def reckon(plan: Plan, ledger: Ledger, asked: Asked | None = None) -> Reckoned | None:
    """Reckon the matches that deals such as those of a ledger make.

    The deal passes to the left. With players of several kinds each opens as often as any other.

    Parameters
    ----------
    plan : Plan
        Its rules may differ from those that were played as `ledger.scoring_only` allows.
    ledger : Ledger
    asked : Asked, optional
        All figures unless given.

    Returns
    -------
    Reckoned or None
        Its influence is float[rows of the ledger, games, figures]. None where a match may never
        end, or where there is too much to reckon.
    """
    asked = asked or Asked()
    found = _on_grid(plan.rules, ledger, asked)
    return found or reckon_states(ledger, plan.rules, asked)


def _on_grid(rules: Ruleset, ledger: Ledger, asked: Asked) -> Reckoned | None:
    totals = outcomes(ledger, rules).totals
    grid = grid_of(rules, int(totals.max(initial=0)))
    if grid is None:
        return None
    chances = np.zeros((ledger.games, *[grid.most] * grid.sides))
    places = tuple(totals.T)
    for game in range(ledger.games):
        np.add.at(chances[game], places, ledger.counts[:, game] / ledger.blocks)
    found = reckon_on_grid(grid, chances, asked)
    if found is None:
        return None
    of_rows = found.influence[(slice(None), *places)].swapaxes(0, 1)
    return Reckoned(found.figures, found.values, of_rows)


# ---------------------------------------------------------------- with intervals


@dataclass(frozen=True)
class MatchOdds:
    """Figures of the matches of a plan, with their standard errors.

    Attributes
    ----------
    plan : Plan
    names : tuple of str
        Figures as `match_figures.Figures` names them.
    values : numpy.ndarray
        float[figures].
    parts : numpy.ndarray
        float[units, figures]: how far each chunk of blocks moved the figure (or each group of
        chunks, where matches were played and chunks are small). They add up to 0, and those of two
        rule sets on the same chunks may be subtracted.
    method : str
        `EXACT` or `PLAYED`.
    """

    plan: Plan
    names: tuple[str, ...]
    values: np.ndarray
    parts: np.ndarray
    method: str

    @cached_property
    def errors(self) -> np.ndarray:
        """Standard errors, float[figures]; NaN with fewer than two units."""
        n = len(self.parts)
        if n < 2:
            return np.full(len(self.names), UNDETERMINED)
        return np.sqrt((self.parts**2).sum(axis=0) * n / (n - 1))

    def row(self, name: str, sign: int = 1, base: float = 0.0) -> dict[str, float]:
        """Return value, se, low, high of `base` + `sign` x a figure: a t interval over the units.

        The interval stays between 0 and 1 for shares, and at 1 deal or more for the length. Where
        the rules alone fix the figure, or there is one unit, or a few units alone moved it, as with
        a length that hardly occurs, se, low and high are undetermined.
        """
        at = self.names.index(name)
        value, se = base + sign * float(self.values[at]), float(self.errors[at])
        if name != "lead_changes" and name != "deals":
            value = min(max(value, 0.0), 1.0)  # rounding of the last digits
        if not se > _NOTHING or self._rests_on_few(at):
            return row(value, UNDETERMINED, UNDETERMINED, UNDETERMINED)
        from scipy.stats import t

        half = float(t.ppf(0.5 + CONFIDENCE / 2, len(self.parts) - 1)) * se
        least = 1.0 if name == "deals" else 0.0
        most = np.inf if name in ("deals", "lead_changes") else 1.0
        return row(value, se, max(value - half, least), min(value + half, most))

    def _rests_on_few(self, at: int) -> bool:
        """Whether so few units moved a figure that their spread says little of its error.

        As many units as would spread it so if all moved it alike: a third of them where the units
        are normal, the number of events where these are rare.
        """
        squares, n = self.parts[:, at] ** 2, len(self.parts)
        return float(squares.sum()) ** 2 < min(FEW, n / 10) * float(squares @ squares)

    @property
    def deals_per_match(self) -> dict[str, float]:
        """Deals in a match, on average."""
        return self.row("deals")

    @property
    def lengths(self) -> list[dict[str, float]]:
        """Share of matches of each number of deals, from the shortest that occurs."""
        names = [name for name in self.names if name.startswith("length.")]
        rows = [{"deals": int(name.partition(".")[2]), **self.row(name)} for name in names]
        seen = [i for i, found in enumerate(rows) if found["value"] >= RAREST]
        return rows[seen[0] : seen[-1] + 1] if seen else []

    @property
    def by_seat(self) -> list[dict[str, float]]:
        """Share of wins by seat of the first deal: the opener first, the first dealer last."""
        return [self.row(f"seat.{side}") for side in range(self.plan.rules.sides)]

    @property
    def by_player(self) -> list[dict[str, float]]:
        """Share of wins by named player."""
        sides = self.plan.rules.sides
        if "player.0" in self.names:
            return [self.row(f"player.{player}") for player in range(sides)]
        # The same player in every seat.
        return [row(1 / sides, UNDETERMINED, UNDETERMINED, UNDETERMINED)] * sides

    @property
    def decided_in_last_deal(self) -> dict[str, float]:
        """Share of matches whose winner was not alone in the lead before the last deal."""
        return self.row("kept", -1, 1.0)

    @property
    def comeback(self) -> dict[str, float]:
        """Share of matches whose winner was behind somebody after some earlier deal."""
        return self.row("held", -1, 1.0)

    @property
    def lead_changes(self) -> dict[str, float]:
        """Deals in a match after which another side leads alone than the one before."""
        return self.row("lead_changes")

    @property
    def first_dealer_edge(self) -> dict[str, float]:
        """Share of wins of the side that deals first, beyond its fair share."""
        sides = self.plan.rules.sides
        found = self.row(f"seat.{sides - 1}")
        return {k: v if k == "se" else v - 1 / sides for k, v in found.items()}


def match_odds(plan: Plan, chunks: Sequence[Ledger], asked: Asked | None = None) -> MatchOdds:
    """Reckon the matches of a plan, with standard errors from its chunks of blocks.

    Parameters
    ----------
    plan : Plan
        Its rules may differ from those that were played as `ledger.scoring_only` allows.
    chunks : sequence of Ledger
        Ledgers of disjoint chunks of blocks, of about the same size.
    asked : Asked, optional
        All figures unless given.

    Raises
    ------
    KasinoError
        Where no match comes to an end, or the players do not sit in every seat.
    """
    if not plan.rotate and not plan.alike:
        raise KasinoError("matches need the players in every seat: leave --no-rotate out")
    whole = merge_ledgers(chunks)
    found = reckon(plan, whole, asked)
    if found is None:
        return _played(plan, chunks, asked or Asked())
    blocks = np.array([chunk.blocks for chunk in chunks])
    influences = np.stack([mean_influence(whole, found, chunk) for chunk in chunks])
    weights = blocks / blocks.sum()
    parts = weights[:, None] * (influences - weights @ influences)
    return MatchOdds(plan, found.figures.names, found.values, parts, EXACT)


def mean_influence(whole: Ledger, found: Reckoned, chunk: Ledger) -> np.ndarray:
    """Return the mean influence of a chunk's blocks, float[figures], before it is centred.

    Parameters
    ----------
    whole : Ledger
        What was reckoned.
    found : Reckoned
    chunk : Ledger
        Some of its blocks.
    """
    rows = np.searchsorted(whole.keys, chunk.keys)
    return np.einsum("rg,rgf->f", chunk.counts / chunk.blocks, found.influence[rows])


def _played(plan: Plan, chunks: Sequence[Ledger], asked: Asked) -> MatchOdds:
    from kasino_sim.stats.match_draws import play_matches

    names, values = play_matches(plan, _groups(chunks), asked)
    if len(values) == 0:
        raise KasinoError(
            f"{plan.rules.name}: no match came to an end within {asked.most_deals} deals; "
            "lower match.target, or give something points"
        )
    return MatchOdds(
        plan, names, values.mean(axis=0), (values - values.mean(axis=0)) / len(values), PLAYED
    )


def _groups(chunks: Sequence[Ledger]) -> list[Ledger]:
    """Merge neighbouring chunks where they are too small to play matches from."""
    blocks = sum(chunk.blocks for chunk in chunks)
    number = max(1, min(len(chunks), blocks // GROUP_BLOCKS))
    ends = [round(len(chunks) * i / number) for i in range(number + 1)]
    return [merge_ledgers(chunks[a:b]) for a, b in itertools.pairwise(ends)]


def odds_json(odds: MatchOdds) -> dict[str, Any]:
    """Return the figures as JSON has them: undetermined numbers are null."""
    plan = odds.plan
    roles = {0: "plays first", plan.rules.sides - 1: "deals"}
    return {
        "deals_per_match": {
            **_numbers(odds.deals_per_match, "mean"),
            "distribution": [
                {"deals": found["deals"], **_numbers(found, "share")} for found in odds.lengths
            ],
        },
        "win_share": {
            "by_player": [
                {"player": plan.seats[k].name, **_numbers(found, "share")}
                for k, found in enumerate(odds.by_player)
            ],
            "by_seat": [
                {"seat": seat, "first_deal": roles.get(seat, ""), **_numbers(found, "share")}
                for seat, found in enumerate(odds.by_seat)
            ],
        },
        "decided_in_last_deal": _numbers(odds.decided_in_last_deal, "share"),
        "comeback": _numbers(odds.comeback, "share"),
        "lead_changes": _numbers(odds.lead_changes, "mean"),
        "first_dealer_match_edge": _numbers(odds.first_dealer_edge, "mean"),
    }


def _numbers(found: dict[str, float], value: str) -> dict[str, float | None]:
    names = {value: "value", "se": "se", "lo": "low", "hi": "high"}
    return {name: None if np.isnan(found[k]) else float(found[k]) for name, k in names.items()}
