"""Studies small enough for tests: few tips, few claims."""

from kasino_sim.claims import load_claims
from kasino_sim.tip_cells import tip_cells


def claims_plan(blocks):
    return f"""
title = "Claims"
question = "Are they true?"
kind = "claims"
rulesets = ["svensk"]
players = [["greedy"]]

[[deals]]
range = "tune"
blocks = {blocks}
"""


def shrink(patch, tips=(), claims=()):
    """Let studies have these tips and claims alone, as long as `patch` holds."""
    wanted = tuple(claim for claim in load_claims() if claim.id in claims)

    def few(rulesets, levels, restarts=0):
        return tip_cells(rulesets, levels, tips, restarts)

    patch.setattr("kasino_sim.study_file.tip_cells", few)
    for room in ("study_file", "studies.claims"):
        patch.setattr(f"kasino_sim.{room}.load_claims", lambda: wanted)
