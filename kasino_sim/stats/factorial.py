"""Effects of factors at two levels, from all cells of a crossed design together.

An effect is what a response gains, on average over the other factors, when the factor is at its
second level; an interaction is half of what that gain gains when another factor is too. All cells
play the same decks, so an effect is a sum over cells whose chunks are known, and its standard error
holds whatever the cells have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kasino_sim.stats.measured import Measured, weighed

Effect = tuple[int, ...]  # the factors of a main effect or an interaction

_OWN = 0.1  # weight of the variances alone in an estimated covariance, so that it can be inverted


@dataclass(frozen=True)
class Fit:
    """What a crossed design came to.

    Attributes
    ----------
    effects : tuple of Effect
        Main effects, then interactions of two.
    estimates : tuple of Measured
        One for each.
    explained : float
        Share of the variance between cells that main effects explain; NaN where nothing varies.
    regular : bool
        Whether the effects are plain contrasts; else they are estimated by generalized least
        squares.
    """

    effects: tuple[Effect, ...]
    estimates: tuple[Measured, ...]
    explained: float
    regular: bool


def effect_list(factors: int) -> list[Effect]:
    """List main effects and interactions of two."""
    return [*((i,) for i in range(factors)), *combinations(range(factors), 2)]


def model_matrix(runs: np.ndarray, effects: Sequence[Effect]) -> np.ndarray:
    """Write a column of signs for each effect.

    Parameters
    ----------
    runs : numpy.ndarray
        int[runs, factors], levels 0 and 1.
    effects : sequence of Effect

    Returns
    -------
    numpy.ndarray
        float64[runs, effects].
    """
    signs = 2.0 * np.asarray(runs) - 1
    return np.column_stack([signs[:, list(effect)].prod(axis=1) for effect in effects])


def fit(runs: np.ndarray, cells: Sequence[Measured]) -> Fit:
    """Estimate main effects and interactions of two.

    Parameters
    ----------
    runs : numpy.ndarray
        int[runs, factors].
    cells : sequence of Measured
        A response of each run, from the same decks.

    Raises
    ------
    ValueError
        Where the runs cannot part the effects.
    """
    runs = np.asarray(runs)
    effects = effect_list(runs.shape[1])
    x = np.column_stack([np.ones(len(runs)), model_matrix(runs, effects)])
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise ValueError(f"{len(runs)} runs cannot part {x.shape[1]} effects")
    regular = bool(np.allclose(x.T @ x, len(runs) * np.eye(x.shape[1])))
    weights = _weights(x, cells, regular)
    estimates = [
        weighed([(2 * float(w), cell) for w, cell in zip(row, cells, strict=True)])
        for row in weights[1:]
    ]
    mains = x[:, : runs.shape[1] + 1]
    return Fit(tuple(effects), tuple(estimates), _explained(mains, cells), regular)


def _weights(x: np.ndarray, cells: Sequence[Measured], regular: bool) -> np.ndarray:
    """Return what each cell counts in each coefficient, float64[coefficients, runs]."""
    if regular:
        return x.T / len(x)
    parts = np.stack([cell.parts for cell in cells])
    covariance = parts @ parts.T
    covariance = (1 - _OWN) * covariance + _OWN * np.diag(np.diag(covariance))
    if not np.diag(covariance).all():
        return np.linalg.pinv(x)
    inverse = np.linalg.inv(covariance)
    return np.linalg.solve(x.T @ inverse @ x, x.T @ inverse)


def _explained(mains: np.ndarray, cells: Sequence[Measured]) -> float:
    y = np.array([cell.value for cell in cells])
    total = float(((y - y.mean()) ** 2).sum())
    if not total > 1e-18:
        return float("nan")
    rest = y - mains @ np.linalg.lstsq(mains, y, rcond=None)[0]
    return 1 - float(rest @ rest) / total


def aliases(runs: np.ndarray, order: int = 3) -> list[tuple[Effect, Effect, float]]:
    """List what interactions of three factors, where there are any, add to the estimated effects.

    Parameters
    ----------
    runs : numpy.ndarray
        int[runs, factors].
    order : int
        Factors of the interactions that are looked for.

    Returns
    -------
    list of (Effect, Effect, float)
        An estimated effect, an interaction, and how much of it is in the estimate.

    References
    ----------
    Box, Draper (1987), Empirical model-building: the alias matrix.
    """
    runs = np.asarray(runs)
    factors = runs.shape[1]
    effects = effect_list(factors)
    others = list(combinations(range(factors), order))
    if not others:
        return []
    x = np.column_stack([np.ones(len(runs)), model_matrix(runs, effects)])
    matrix = np.linalg.lstsq(x, model_matrix(runs, others), rcond=None)[0][1:]
    return [
        (effects[i], others[j], float(matrix[i, j]))
        for i, j in zip(*np.nonzero(np.abs(matrix) > 1e-9), strict=True)
    ]


def half_normal(values: np.ndarray) -> np.ndarray:
    """Return where the sizes of effects would lie if all were noise, in standard deviations.

    Parameters
    ----------
    values : numpy.ndarray
        float64[effects].
    """
    from scipy.stats import halfnorm

    order = np.argsort(np.argsort(np.abs(values), kind="stable"), kind="stable")
    return np.asarray(halfnorm.ppf((order + 0.5) / len(values)))
