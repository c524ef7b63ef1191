"""When to stop a run that goes on until a standard error is small enough."""

from __future__ import annotations

from kasino_sim.plan import Plan
from kasino_sim.stats.estimates import estimate
from kasino_sim.tally import Tally

LEAST_BLOCKS = 1_000  # before that many the standard error itself is not to be trusted


def enough(plan: Plan, tally: Tally, se: float) -> bool:
    """Whether the standard error of the points difference has come down to `se`.

    Between players that are alike the difference is 0 by construction; theirs is the first seat's
    points minus the second's. Stopping on the standard error alone leaves fixed-size
    intervals valid.
    """
    if tally.blocks < LEAST_BLOCKS:
        return False
    column = "seat_difference" if plan.alike else "difference"
    per = plan.games if plan.alike else len(plan.turns)
    reached = estimate(tally, column, per).se
    return reached is not None and reached <= se
