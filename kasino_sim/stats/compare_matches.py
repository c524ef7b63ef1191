"""Matches of two rule sets, reckoned from the ledgers of a contrast: no match is played.

What each part of the blocks does to the figures of both gives the standard errors of a difference.
"""

from __future__ import annotations

import numpy as np

from kasino_sim.contrast import Contrast, ContrastTally
from kasino_sim.ledger import Ledger, merge_ledgers
from kasino_sim.plan import Plan
from kasino_sim.stats.compare import Comparison, Influences, compare, differences, joined
from kasino_sim.stats.match_figures import Asked, Reckoned
from kasino_sim.stats.match_odds import mean_influence, reckon

MATCH_RESPONSES = ("deals_per_match", "first_dealer_match_edge")
_ASKED = Asked(drama=False)


def match_responses(plan: Plan, ledger: Ledger) -> Reckoned | None:
    """Reckon `MATCH_RESPONSES` of the matches that deals such as those of a ledger make.

    Returns
    -------
    Reckoned or None
        Its values and the last axis of its influence are in the order of `MATCH_RESPONSES`. None
        where a match may never end, or where there is too much to reckon.
    """
    found = reckon(plan, ledger, _ASKED)
    if found is None:
        return None
    sides = plan.rules.sides
    places = [found.figures.at("deals"), found.figures.at(f"seat.{sides - 1}")]
    values = found.values[places] - [0, 1 / sides]
    return Reckoned(found.figures, values, found.influence[..., places])


def match_influences(contrast: Contrast, tally: ContrastTally) -> Influences:
    """Reckon the matches of both rule sets, and what each part of the blocks does to them."""
    undetermined = np.full(2, np.nan)
    values, influences = [], []
    for which, plan in enumerate((contrast.a, contrast.b)):
        parts = [part.ledgers[which] for part in tally.parts]
        whole = merge_ledgers(parts)
        found = match_responses(plan, whole)
        values.append(undetermined if found is None else found.values)
        influences.append(
            np.zeros((len(parts), 2))
            if found is None
            else np.stack([mean_influence(whole, found, part) for part in parts])
        )
    return Influences(MATCH_RESPONSES, values[0], values[1], influences[1] - influences[0])


def compare_tally(contrast: Contrast, tally: ContrastTally) -> Comparison:
    """Compare two rule sets by all that was counted of them, matches included."""
    found = joined(contrast, tally, differences(contrast, tally), match_influences(contrast, tally))
    return compare(found, tally.blocks)
