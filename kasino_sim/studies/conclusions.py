"""Kinds of study that conclude more than their cells say, each by a function of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from kasino_sim.studies import claims
from kasino_sim.studies.conclusion import Conclusion, Estimates
from kasino_sim.study_plan import Study

CONCLUSIONS: Mapping[str, Callable[[Study, Estimates], Conclusion]] = MappingProxyType(
    {"claims": claims.conclude}
)
"""Kind to what concludes it."""
