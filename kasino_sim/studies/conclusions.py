"""Kinds of study that conclude more than their cells say, each by a function of its own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kasino_sim.studies import claims, factorial, house_rules, knockouts, tips
from kasino_sim.studies.conclusion import Conclude

CONCLUSIONS: Mapping[str, Conclude] = MappingProxyType(
    {
        "claims": claims.conclude,
        "house-rules": house_rules.conclude,
        "factorial": factorial.conclude,
        "tips": tips.conclude,
        "knock-outs": knockouts.conclude,
    }
)
"""Kind to what concludes it."""
