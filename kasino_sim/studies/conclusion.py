"""What a kind of study concludes beyond its cells: findings of its own, and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pandas as pd

from kasino_sim.stats.measured import Measured
from kasino_sim.study import Study

Estimates = Mapping[str, Mapping[str, Measured]]
"""Cell's name to response to estimate."""


@dataclass(frozen=True)
class Conclusion:
    """What was concluded.

    Attributes
    ----------
    findings : pandas.DataFrame
        Rows as `studies.findings.COLUMNS`, to be put behind those of the cells.
    tables : dict of str to pandas.DataFrame
        Tidy frames.
    """

    findings: pd.DataFrame = field(default_factory=pd.DataFrame)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)


Conclude = Callable[[Study, Estimates, pd.DataFrame], Conclusion]
"""From a study, what its cells came to, and the findings about them."""
