"""Designs of experiments: which levels of several factors are tried together."""

from __future__ import annotations

from itertools import combinations, product

FULL = 6  # factors up to which every combination is tried


def resolution_v(factors: int) -> list[tuple[int, ...]]:
    """Choose combinations of two levels that keep main effects and interactions of two apart.

    Parameters
    ----------
    factors : int

    Returns
    -------
    list of tuple of int
        The level of each factor, 0 or 1, in every run: all runs for up to `FULL` factors, else the
        smallest regular fraction of resolution V.

    References
    ----------
    Box, Hunter (1961), The 2^(k-p) fractional factorial designs.
    """
    if factors <= FULL:
        return list(product((0, 1), repeat=factors))
    import pydoe

    signs = pydoe.fracfact_by_res(factors, 5)
    return [tuple(int(sign > 0) for sign in run) for run in signs]


def defining_words(runs: list[tuple[int, ...]], longest: int = 5) -> list[tuple[int, ...]]:
    """List the sets of factors whose product of signs is the same in every run.

    Parameters
    ----------
    runs : list of tuple of int
        Levels 0 or 1.
    longest : int
        Factors in a set, at most.
    """
    k = len(runs[0])
    signs = [tuple(2 * level - 1 for level in run) for run in runs]
    found = []
    for size in range(1, min(longest, k) + 1):
        for word in combinations(range(k), size):
            if len({_product(run, word) for run in signs}) == 1:
                found.append(word)
    return found


def _product(run: tuple[int, ...], word: tuple[int, ...]) -> int:
    sign = 1
    for at in word:
        sign *= run[at]
    return sign
