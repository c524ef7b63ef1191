"""Verdicts on tips, out of what each stage of the protocol came to.

The levels that have a say are those whose players weigh moves, and who make another move for the
tip now and then. Who plays at random weighs nothing, and a tip makes another player of it: that is
measured and told beside, but judges no tip. To whom the tip never makes a difference it is vacuous,
which says nothing of its worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kasino_sim.stats.families import SAME, Answer
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL

TRUE, FALSE, TRUE_SMALL, NO_EFFECT = "true", "false", "true but small", "no effect"
LEVEL_DEPENDENT, UNDECIDED, VACUOUS = "level-dependent", "undecided", "vacuous"
ABSORBED, TRUE_SO_FAR = "absorbed", "true so far"
NOTHING = (INSIDE, SMALL, SAME)
LEVELS = 3  # strengths at which a tip must hold, the strongest among them
MIXED, HELPS_SOME, COSTS_SOME = (
    "helps some, costs others", "helps some, nothing to others", "costs some, nothing to others",
)  # fmt: skip
RARE = 0.05  # decisions of a deal; fewer, and a player hardly has the choice
Z_LIMIT = 4.0  # standard errors by which uses times worth may miss the total


@dataclass(frozen=True)
class Judged:
    """A verdict and, where it is not plain, why; of one by level, what it does to the levels."""

    verdict: str
    because: str = ""
    levels: str = ""


def judge(
    naive: Sequence[str], compensated: str | None = None, signs: Sequence[int] = ()
) -> Judged:
    """Judge a tip by its verdicts at each strength, the strongest last.

    Parameters
    ----------
    naive : sequence of str
        As `stats.multiplicity.verdict` gives them, from simultaneous intervals; of the levels
        that have a say.
    compensated : str, optional
        The same for players tuned anew without the idea; None where that was not played.
    signs : sequence of int, optional
        1 where a level's interval lies above 0, -1 below, 0 where it tells no sign.
    """
    found = _by_level(naive, signs) if naive else UNDECIDED
    if found == LEVEL_DEPENDENT:
        return Judged(found, levels=_direction(naive))
    if found != TRUE:
        return Judged(found, _why_open(naive, signs) if found == UNDECIDED else "")
    if compensated is None:
        return Judged(TRUE_SO_FAR, "players tuned anew without the idea were not played")
    if compensated == ABOVE:
        return Judged(TRUE)
    if compensated in NOTHING:
        return Judged(ABSORBED, "players tuned anew without the idea make up for it")
    if compensated == BELOW:
        return Judged(ABSORBED, "players tuned anew without the idea do better without the tip")
    return Judged(UNDECIDED, "it helps, but whether tuning makes up for it cannot be told")


def _why_open(verdicts: Sequence[str], signs: Sequence[int]) -> str:
    if len(verdicts) < LEVELS:
        return "fewer than three levels that weigh moves ever play otherwise for it"
    for sign, does in ((1, "helps"), (-1, "costs")):
        if signs and set(signs) == {sign}:
            return f"it {does} every level, but some perhaps too little to notice"
    return "the intervals are too wide"


def _by_level(verdicts: Sequence[str], signs: Sequence[int]) -> str:
    """Judge by levels alone; one that costs a level anything is not true but small."""
    strongest = verdicts[-1]
    counts: Mapping[str, int] = {v: list(verdicts).count(v) for v in (ABOVE, BELOW, *NOTHING)}
    small, nothing = counts[SMALL], sum(counts[v] for v in NOTHING)
    if strongest == ABOVE and counts[ABOVE] >= LEVELS:
        return TRUE
    if strongest == BELOW and counts[BELOW] >= LEVELS:
        return FALSE
    costs = counts[BELOW] or -1 in signs
    if strongest == SMALL and small + counts[ABOVE] >= LEVELS and not costs:
        return TRUE_SMALL
    noticed = counts[ABOVE] + counts[BELOW]
    if strongest in NOTHING and nothing >= LEVELS and not noticed:
        return NO_EFFECT
    decided = [counts[ABOVE], counts[BELOW], nothing]
    return LEVEL_DEPENDENT if sum(map(bool, decided)) > 1 else UNDECIDED


def _direction(verdicts: Sequence[str]) -> str:
    """Say what a tip does to the levels that it does not do the same to."""
    if ABOVE in verdicts and BELOW in verdicts:
        return MIXED
    return HELPS_SOME if ABOVE in verdicts else COSTS_SOME


def idle(says: float) -> Judged:
    """Judge a tip that changed no decision.

    Parameters
    ----------
    says : float
        Decisions of a deal where it tells moves apart.
    """
    if says:
        return Judged(VACUOUS, "every player does so anyhow")
    return Judged(VACUOUS, "it never tells two legal moves apart")


@dataclass(frozen=True)
class Opposite:
    """What doing the opposite came to.

    Attributes
    ----------
    answer : Answer
    value : float
        Points a deal that it gains.
    changes : float
        Decisions of a deal where another move was made for it; NaN where that was not counted.
    """

    answer: Answer
    value: float
    changes: float


def reverse_words(mild: Opposite, insisting: Opposite | None = None) -> str:
    """Say whether doing the opposite loses, and if not, why not.

    Parameters
    ----------
    mild : Opposite
        As strongly as the tip is followed.
    insisting : Opposite, optional
        `tip_cells.INSISTING` times as strongly.
    """
    found = mild.answer
    if found.verdict == BELOW:
        return "loses"
    if found.verdict == ABOVE:
        return "gains: the tip is wrong for this player"
    if found.verdict == SMALL:
        return "gains, too little to notice"
    if found.low > 0:
        return "gains: whether enough to notice is open"
    if found.verdict in NOTHING:
        told = "loses nothing to notice"
    elif found.high < 0:
        told = "loses, perhaps too little to notice"
    else:
        told = "loses, not clearly" if mild.value < 0 else "does not lose, as far as can be told"
    return f"{told}: {_why_not(mild, insisting)}"


def _why_not(mild: Opposite, insisting: Opposite | None) -> str:
    """Say why doing the opposite does not clearly lose."""
    if insisting is not None and insisting.answer.verdict == BELOW:
        return f"the player minds other things more; insisted on it loses {-insisting.value:.2f}"
    most = mild if insisting is None else insisting
    if not most.changes >= 0:
        return "how often it has the choice was not counted"
    often = f"{most.changes:.2f} decisions of a deal"
    if insisting is not None:
        often += ", insisted on,"
    if most.changes < RARE:
        return f"it changes only {often} for there is hardly ever the choice"
    return f"it changes {often} and these decide too little"


def uses_words(adds_up: bool, z: float | None) -> str:
    """Say whether uses times their worth are what the tip gains in all."""
    if not adds_up:
        return "does not agree: there are deals in which uses do not add up to the difference"
    if z is None:
        return "agrees in every deal"
    near = abs(z) < Z_LIMIT
    return f"{'agrees' if near else 'does not agree'} (adds up in every deal, z = {z:+.1f})"
