"""How to make this report again."""

from __future__ import annotations

import hashlib
import json
import platform
from importlib.metadata import version
from typing import Any

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.report import tables
from kasino_sim.report.parts import Material, Section

PACKAGES = ("kasino-sim", "numba", "numpy", "pandas", "scipy", "matplotlib", "jinja2")


def context(material: Material) -> dict[str, Any]:
    """Collect the command and the versions."""
    runs = [profile.run for profile in material.profiles]
    rules = [(run.rules.name, run.rules.resolved()) for run in runs]
    players = [player.model_dump(mode="json") for player in runs[0].plan.seats]
    facts = [
        ("engine fingerprint", engine_fingerprint()),
        ("rules digest", _digest(rules)),
        ("players digest", _digest(players)),
        ("Python", platform.python_version()),
        *((name, version(name)) for name in PACKAGES),
    ]
    return {
        "command": material.command,
        "facts": tables.rows_of(("what", "which"), facts, "Versions and fingerprints"),
    }


def _digest(thing: object) -> str:
    return hashlib.sha256(json.dumps(thing, sort_keys=True).encode()).hexdigest()[:16]


SECTION = Section(50, "rebuild", "How to make it again", "rebuild.html", context)
