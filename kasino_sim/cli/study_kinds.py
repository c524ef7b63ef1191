"""How a study is told, by its kind."""

from __future__ import annotations

from kasino_sim.cli import (
    claims_table,
    factorial_table,
    house_rules_table,
    knockouts_table,
    tips_table,
)
from kasino_sim.cli.study_table import study_table
from kasino_sim.studies.folder import Outcome


def outcome_table(outcome: Outcome) -> str:
    """Return what a study found, as text of 80 columns."""
    tells = {
        "claims": claims_table.table,
        "house-rules": house_rules_table.table,
        "factorial": factorial_table.table,
        "tips": tips_table.table,
        "knock-outs": knockouts_table.table,
    }
    return tells.get(outcome.study.plan.kind, study_table)(outcome)
