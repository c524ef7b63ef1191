"""Puts a report together: one HTML file that needs nothing else and says nothing of when."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import jinja2
from markupsafe import Markup

from kasino_sim.catalog import ROOT
from kasino_sim.report import sections, words
from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.parts import Material, Section
from kasino_sim.studies.profile import Profile, Run

TEMPLATES = Path(__file__).parent / "templates"


def all_sections() -> list[Section]:
    """Find the sections, in the order of the report."""
    names = sorted(module.name for module in iter_modules(sections.__path__))
    found = [import_module(f"{sections.__name__}.{name}").SECTION for name in names]
    return sorted(found, key=lambda section: section.order)


def build_report(runs: Sequence[Run], command: str, studies: Sequence[KeptStudy] = ()) -> str:
    """Write a report.

    Parameters
    ----------
    runs : sequence of Run
        A rule set each, all by the same players, seed and number of deals.
    command : str
        The command that makes the same report, which the report prints.
    studies : sequence of KeptStudy
        Studies that it tells too.

    Returns
    -------
    str
        HTML. The same runs and command give the same text.
    """
    material = Material(tuple(Profile(run) for run in in_order(runs)), command, tuple(studies))
    environment = _environment()
    contents = [
        (
            section,
            Markup(environment.get_template(section.template).render(section.context(material))),
        )
        for section in all_sections()
        if section.shows(material)
    ]
    script = environment.get_template("script.js").render()
    text = environment.get_template("page.html").render(
        contents=contents,
        script=Markup(script),
        script_hash=_hash(script),
        rule_sets=words.plural(len(runs), "rule set"),
        all_deals=words.count(sum(run.deals for run in runs)),
    )
    return text.rstrip() + "\n"


def in_order(runs: Sequence[Run]) -> list[Run]:
    """Put rule sets of one region together: the root's region first, then the larger ones."""
    regions = [run.rules.region for run in runs]
    root = {run.rules.region for run in runs if run.rules.name == ROOT}

    def place(run: Run) -> tuple[bool, int, str, bool]:
        region = run.rules.region
        return region not in root, -regions.count(region), region, run.rules.name != ROOT

    return sorted(runs, key=place)


def _hash(script: str) -> str:
    """Return what the page's policy calls the one script that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
