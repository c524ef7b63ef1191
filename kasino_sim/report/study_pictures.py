"""Pictures of a study: for every question, the cells with their intervals."""

from __future__ import annotations

import pandas as pd

from kasino_sim.plots import forest
from kasino_sim.plots.canvas import svg
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies.conclusions import CONCLUSIONS
from kasino_sim.studies.folder import Outcome
from kasino_sim.study import Study

_ROW, _REST = 0.235, 1.05  # inches
_LABEL = 20  # letters


def study_pictures(outcome: Outcome) -> dict[str, str]:
    """Draw every response that a family asks about.

    Returns
    -------
    dict of str to str
        Name of the response to SVG.
    """
    if outcome.study.plan.kind in CONCLUSIONS:
        return {}  # what such a kind concludes is drawn in the report
    asked = outcome.findings[outcome.findings["family"] != ""]
    names = dict.fromkeys(name.partition(" ")[0] for name in asked["estimand"])
    return {name: _picture(outcome.study, asked, name) for name in names}


def _picture(study: Study, asked: pd.DataFrame, name: str) -> str:
    rows = asked[asked["estimand"].str.partition(" ")[0] == name]
    rows = rows.sort_values("est", ascending=False, kind="stable").reset_index(drop=True)
    response = RESPONSES[name]
    share = response.unit.startswith("share")
    times = 100 if share else 1
    unit = response.unit.replace("share", "%", 1) if share else response.unit
    less = f", less {study.baseline.name}" if study.baseline else ""
    several = rows["ruleset"].nunique() > 1
    frame = pd.DataFrame(
        {
            "label": [_label(r.ruleset, r.arm, several) for r in rows.itertuples()],
            "value": times * rows["est"],
            "low": times * rows["lo"],
            "high": times * rows["hi"],
            "text": [f"{times * value:+.2f}" for value in rows["est"]],
            "mark": 0,
            "kind": "",
            "unit": f"{response.words}: {unit}{less}",
            "reference": times * (0.0 if study.baseline else float(response.null or 0)),
        }
    )
    return svg(forest.draw, frame, round(_REST + _ROW * max(len(frame), 2), 2))


def _label(preset: object, arm: object, several: bool) -> str:
    changes = str(arm).replace("deal.players=", "").replace("4+deal.teams=pairs", "pairs")
    text = f"{preset} {changes}".strip() if several else changes or str(preset)
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"
