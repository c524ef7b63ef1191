"""One strength for every player, from who beat whom: the model of Davidson with a seat term.

Of two players with strengths s and t, the first of them to play wins with a chance that goes as
g s, loses as t and ties as d √(s t). g is what playing first is worth, d how common ties are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kasino_sim.stats.bootstrap import LEAST_CHUNKS
from kasino_sim.stats.intervals import CONFIDENCE, UNDETERMINED

DRAWS = 400  # sets of chunks for the standard errors
ELO = 400 / math.log(10)  # points of Elo of a strength's natural logarithm
_FAR = 10.0  # a strength of e**10 times the average is no estimate but a lack of defeats


@dataclass(frozen=True)
class Fit:
    """The likeliest strengths.

    Attributes
    ----------
    strengths : numpy.ndarray
        Natural logarithms, float64[players], their mean 0.
    seat : float
        Natural logarithm of g.
    tie : float
        Natural logarithm of d; -inf where nothing was tied.
    """

    strengths: np.ndarray
    seat: float
    tie: float

    def chances(self) -> np.ndarray:
        """Return the chances that i, playing before j, wins, ties and loses, float64[k, k, 3]."""
        own, other = self.strengths[:, None], self.strengths[None, :]
        logs = np.stack(
            [own + self.seat + 0 * other, self.tie + (own + other) / 2, other + 0 * own], axis=-1
        )
        shares = np.exp(logs - logs.max(axis=-1, keepdims=True))
        return shares / shares.sum(axis=-1, keepdims=True)

    def beats(self) -> np.ndarray:
        """Return P(i > j), float64[k, k]: the share of deals, ties split, each first as often."""
        first = self.chances() @ [1, 0.5, 0]
        return (first + 1 - first.T) / 2


def fit(counts: np.ndarray, start: Fit | None = None) -> Fit | None:
    """Find the likeliest strengths.

    Parameters
    ----------
    counts : numpy.ndarray
        [players, players, 3]: deals that i, playing before j, won, tied and lost against j.
    start : Fit, optional
        Where to look first.

    Returns
    -------
    Fit or None
        None where the results do not fix the strengths: one group of players never lost to
        another, or one seat never lost.

    References
    ----------
    Davidson (1970), On extending the Bradley-Terry model to accommodate ties; Davidson and Beaver
    (1977) on the order of play; Ford (1957) on when the strengths are fixed.
    """
    if not _connected(counts):
        return None
    from scipy.optimize import minimize

    model = _Model.of(np.asarray(counts, float))
    found = minimize(
        model.loss, model.begin(start), jac=True, hess=model.curvature, method="trust-exact",
        options={"gtol": 1e-9},
    )  # fmt: skip
    if not np.isfinite(found.x).all() or np.abs(found.x).max() > _FAR:
        return None
    return model.read(found.x)


def _connected(counts: np.ndarray) -> bool:
    """Whether every player beat or tied every other one, directly or by way of others."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    won, tied, lost = np.moveaxis(counts, -1, 0)
    unbeaten = won + tied + (lost + tied).T
    return bool(connected_components(csr_matrix(unbeaten), connection="strong")[0] == 1)


@dataclass(frozen=True)
class _Model:
    """Log odds of every result as sums of parameters: all strengths but the last, seat, tie.

    `counts` : float64[pairs, 3] of the pairs that met; `design` : float64[pairs, 3, parameters].
    """

    counts: np.ndarray
    design: np.ndarray
    players: int
    ties: bool

    @classmethod
    def of(cls, counts: np.ndarray) -> _Model:
        k = len(counts)
        met = np.argwhere(counts.sum(axis=-1) > 0)
        basis = np.vstack([np.eye(k - 1), -np.ones(k - 1)])  # strengths add up to 0
        design = np.zeros((len(met), 3, k + 1))
        first, second = basis[met[:, 0]], basis[met[:, 1]]
        design[:, 0, : k - 1], design[:, 1, : k - 1] = first, (first + second) / 2
        design[:, 2, : k - 1] = second
        design[:, 0, k - 1], design[:, 1, k] = 1, 1
        ties = bool(counts[..., 1].sum())
        of_pairs = counts[met[:, 0], met[:, 1]]
        if not ties:
            design, of_pairs = design[:, [0, 2], :k], of_pairs[:, [0, 2]]
        return cls(of_pairs / of_pairs.sum(), design, k, ties)

    def begin(self, start: Fit | None) -> np.ndarray:
        if start is None:
            return np.zeros(self.design.shape[-1])
        found = [*start.strengths[:-1], start.seat, start.tie]
        whole = np.array(found[: self.design.shape[-1]])
        return np.where(np.isfinite(whole), whole, 0.0)

    def _shares(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logs = self.design @ x
        top = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - top)
        total = shares.sum(axis=1, keepdims=True)
        return shares / total, logs - top - np.log(total)

    def loss(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        shares, logs = self._shares(x)
        games = self.counts.sum(axis=1, keepdims=True)
        slope = np.einsum("pr,prx->x", games * shares - self.counts, self.design)
        return -float((self.counts * logs).sum()), slope

    def curvature(self, x: np.ndarray) -> np.ndarray:
        shares, _ = self._shares(x)
        games = self.counts.sum(axis=1)
        mean = np.einsum("pr,prx->px", shares, self.design)
        square = np.einsum("p,pr,prx,pry->xy", games, shares, self.design, self.design)
        return square - np.einsum("p,px,py->xy", games, mean, mean)

    def read(self, x: np.ndarray) -> Fit:
        free = x[: self.players - 1]
        strengths = np.append(free, -free.sum())
        return Fit(strengths, float(x[self.players - 1]), float(x[-1]) if self.ties else -math.inf)


# ---------------------------------------------------------------- with intervals


@dataclass(frozen=True)
class Ratings:
    """Strengths of players and how sure they are.

    Attributes
    ----------
    fit : Fit
    drawn : tuple of Fit
        The same from sets of chunks drawn again; empty where there are too few chunks.
    chunks : int
        The fewest chunks of a meeting.
    """

    fit: Fit
    drawn: tuple[Fit, ...]
    chunks: int

    def elo(self) -> dict[str, np.ndarray]:
        """Return value, se, low, high of each player's Elo above the weakest's, float64[k]."""
        base = int(self.fit.strengths.argmin())
        return self._rows(lambda found: ELO * (found.strengths - found.strengths[base]))

    def seat_elo(self) -> dict[str, np.ndarray]:
        """Return what playing first is worth in Elo, float64[1] each."""
        return self._rows(lambda found: np.array([ELO * found.seat]))

    def beats(self) -> dict[str, np.ndarray]:
        """Return value, se, low, high of P(i > j), float64[k, k] each."""
        found = self._rows(lambda fitted: fitted.beats())
        return found | {name: np.clip(found[name], 0, 1) for name in ("low", "high")}

    def _rows(self, figure: Callable[[Fit], np.ndarray]) -> dict[str, np.ndarray]:
        value = figure(self.fit)
        if not self.drawn:
            unknown = np.full_like(value, UNDETERMINED)
            return {"value": value, "se": unknown, "low": unknown, "high": unknown}
        from scipy.stats import t

        spread = np.std([figure(found) for found in self.drawn], axis=0)
        se = spread * math.sqrt(self.chunks / (self.chunks - 1))
        half = float(t.ppf(0.5 + CONFIDENCE / 2, self.chunks - 1)) * se
        return {"value": value, "se": se, "low": value - half, "high": value + half}


def rate(results: dict[tuple[int, int], np.ndarray], players: int) -> Ratings | None:
    """Rate players from the chunks of their meetings.

    Parameters
    ----------
    results : dict
        (i, j) -> int64[chunks, 2, 3]: in each chunk, comparisons won, tied and lost by i, where i
        plays before j and where after it. Chunks of the same number are of the same decks.
    players : int

    Returns
    -------
    Ratings or None
        None where the results do not fix the strengths.
    """
    whole = fit(_counts({pair: parts.sum(axis=0) for pair, parts in results.items()}, players))
    if whole is None:
        return None
    fewest = min(len(parts) for parts in results.values())
    drawn = _draw(results, players, whole) if fewest >= LEAST_CHUNKS else []
    return Ratings(whole, tuple(drawn), fewest)


def _draw(
    results: dict[tuple[int, int], np.ndarray], players: int, whole: Fit
) -> list[Fit]:  # fmt: skip
    """Fit sets of chunks drawn again; none where some set does not fix the strengths."""
    from kasino_sim.stats.bootstrap import weights

    taken = {n: weights(n, DRAWS) for n in {len(parts) for parts in results.values()}}
    drawn = []
    for draw in range(DRAWS):
        sums = {
            pair: np.tensordot(taken[len(parts)][draw], parts, axes=1)
            for pair, parts in results.items()
        }
        found = fit(_counts(sums, players), whole)
        if found is None:
            return []
        drawn.append(found)
    return drawn


def _counts(sums: dict[tuple[int, int], np.ndarray], players: int) -> np.ndarray:
    counts = np.zeros((players, players, 3))
    for (i, j), (before, after) in sums.items():
        counts[i, j] += before
        counts[j, i] += after[::-1]
    return counts
