"""How many blocks a question takes, and what a number of blocks can answer."""

from __future__ import annotations

import math

from kasino_sim.errors import KasinoError

_FAR = 4.0  # standard errors: beyond 0 lies less than 0.00004
_NORMAL = 5_000  # blocks above which the noncentral t law is the normal one


def blocks_needed(difference: float, sd: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Return the blocks that find a difference.

    Parameters
    ----------
    difference : float
        The smallest that is worth finding, of a block.
    sd : float
        Standard deviation of a block's difference.
    alpha, power : float
        Chance of finding what is not there (two-sided), and of finding what is.

    Raises
    ------
    KasinoError
        Where no number of blocks can do it.
    """
    _check(sd, alpha)
    if not (math.isfinite(difference) and difference):
        raise KasinoError(f"difference: {difference} given, allowed is a number other than 0")
    if not alpha < power < 1:
        raise KasinoError(f"power: {power} given, allowed is between alpha ({alpha}) and 1")
    from scipy.optimize import brentq

    high = 4.0
    while power_of(high, difference, sd, alpha) < power:
        high *= 2
    if high == 4:
        return 4
    found = brentq(lambda n: power_of(n, difference, sd, alpha) - power, high / 2, high, xtol=1e-3)
    return math.ceil(found)


def power_of(blocks: float, difference: float, sd: float, alpha: float = 0.05) -> float:
    """Return the chance that blocks find a difference, by the noncentral t law, or the normal."""
    _check(sd, alpha)
    if blocks < 2:
        raise KasinoError(f"blocks: {blocks} given, allowed is 2 or more")
    from scipy.stats import norm, t

    reach = float(t.ppf(1 - alpha / 2, blocks - 1))
    shift = abs(difference) / sd * math.sqrt(blocks)
    if blocks > _NORMAL:
        return float(norm.sf(reach - shift) + norm.cdf(-reach - shift))
    from scipy.stats import nct

    # Far from 0 there is no other tail, and the library's value of it is not a number.
    other = 0.0 if shift > _FAR else float(nct.cdf(-reach, blocks - 1, shift))
    return float(nct.sf(reach, blocks - 1, shift)) + other


def findable(blocks: int, sd: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest difference that blocks find with a given chance."""
    if not alpha < power < 1:
        raise KasinoError(f"power: {power} given, allowed is between alpha ({alpha}) and 1")
    from scipy.optimize import brentq

    least, high = 0.0, sd / math.sqrt(blocks)
    while power_of(blocks, high, sd, alpha) < power:
        least, high = high, 2 * high
    return float(brentq(lambda d: power_of(blocks, d, sd, alpha) - power, least, high))


def blocks_for_se(se: float, sd: float) -> int:
    """Return the blocks that bring a standard error down to `se`."""
    if not se > 0:
        raise KasinoError(f"standard error: {se} given, allowed is above 0")
    _check(sd, 0.05)
    return max(2, math.ceil((sd / se) ** 2 - 1e-9))


def _check(sd: float, alpha: float) -> None:
    if not (math.isfinite(sd) and sd > 0):
        raise KasinoError(f"standard deviation: {sd} given, allowed is a number above 0")
    if not 0 < alpha < 1:
        raise KasinoError(f"alpha: {alpha} given, allowed is between 0 and 1")
