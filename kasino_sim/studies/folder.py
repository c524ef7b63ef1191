"""The folder of a study: manifest, cells with their chunks, findings, tables and what they mean.

Nothing in it depends on when or how fast it was made: a study that was stopped and resumed leaves
the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from kasino_sim.attempts import fingerprint
from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.errors import KasinoError
from kasino_sim.pack import RULES_VERSION
from kasino_sim.store import write_json, write_whole
from kasino_sim.studies.cells import chunk_blocks
from kasino_sim.studies.manifest_folder import ManifestFolder, text_into
from kasino_sim.study import Cell, Study

SCHEMA_VERSION = 1
LONGEST_NAME = 150  # of a cell's folder
_TYPES = {"O": "string", "U": "string", "i": "integer", "f": "number", "b": "boolean"}


def manifest_of(study: Study) -> dict[str, Any]:
    """Return all that a study depends on."""
    return {
        "schema_version": SCHEMA_VERSION,
        "software": {"name": "kasino-sim", "version": version("kasino-sim")},
        "plan": study.plan.model_dump(mode="json"),
        "digest": study.digest,
        "seed": str(study.seed),
        "blocks_per_chunk": chunk_blocks(study.deals.blocks),
        "engine": {"fingerprint": engine_fingerprint(), "rules_version": RULES_VERSION},
        "cells": [
            {
                "name": cell.name,
                "preset": cell.preset,
                "arm": cell.arm,
                "rules": cell.rules.resolved(),
                "players": [player.model_dump(mode="json") for player in cell.players],
            }
            for cell in study.cells
        ],
    }


@dataclass(frozen=True)
class Outcome:
    """What a study came to.

    Attributes
    ----------
    study : Study
    findings : pandas.DataFrame
        Columns as `studies.findings.COLUMNS`.
    tables : dict of str to pandas.DataFrame
        Tidy frames, the cell named in their first columns.
    """

    study: Study
    findings: pd.DataFrame
    tables: dict[str, pd.DataFrame]

    @property
    def in_short(self) -> str:
        """The verdicts and how many there are of each, the commonest first."""
        counts = self.findings.loc[self.findings["family"] != "", "verdict"].value_counts()
        return (
            ", ".join(
                f"{n} {verdict}"
                for verdict, n in sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
            )
            or "described"
        )


def add_table(folder: str | Path, name: str, frame: pd.DataFrame) -> None:
    """Put a further table into the folder of a finished study, and describe it there.

    Parameters
    ----------
    folder : path
    name : str
    frame : pandas.DataFrame

    Raises
    ------
    KasinoError
        Where the folder cannot be written, or holds no finished study.
    """
    place = Path(folder) / "datapackage.json"
    described = _resource(f"tables/{name}", frame)
    try:
        package = json.loads(place.read_text(encoding="utf-8"))
        kept = [one for one in package["resources"] if one["path"] != described["path"]]
        text = frame.to_csv(index=False)
        write_whole(Path(folder) / "tables" / f"{name}.csv", text_into(text))
        write_json(place, {**package, "resources": [*kept, described]})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise KasinoError(f"{place}: {error}; is it the folder of a finished study?") from None


class StudyFolder(ManifestFolder):
    """The folder of one study.

    Parameters
    ----------
    folder : path
    study : Study
    resume : bool
        Whether to go on with what is there.

    Raises
    ------
    KasinoError
        Where the folder holds a study that is not to be resumed, or another one.
    """

    what = "study"

    def __init__(self, folder: str | Path, study: Study, resume: bool) -> None:
        self.study = study
        super().__init__(folder, manifest_of(study), resume)

    def _difference(self, known: dict[str, Any], manifest: dict[str, Any]) -> str:
        return (
            f"{known['plan']['name']} with digest {known['digest']}, but plan, players, scale and "
            f"engine now give {manifest['digest']}; use another folder"
        )

    @property
    def finished(self) -> bool:
        """Whether the findings are there."""
        return (self.folder / "findings.parquet").exists()

    def of_cell(self, cell: Cell) -> Path:
        """Return the folder of a cell's chunks."""
        name = cell.name
        if len(name) > LONGEST_NAME:  # file systems take 255 bytes
            name = f"{name[: LONGEST_NAME - 17]}-{fingerprint(name)}"
        return self.folder / "cells" / name

    @property
    def tuned(self) -> Path:
        """The folder of the weights that were tuned for cells."""
        return self.folder / "tuned"

    def finish(self, outcome: Outcome, summary: str, pictures: Mapping[str, str]) -> None:
        """Write findings, tables, pictures (SVG by name), the summary and what they all are."""
        findings = outcome.findings
        tables = {f"tables/{name}": table for name, table in outcome.tables.items()}
        frames = {"findings": findings} | tables
        for name, frame in frames.items():
            self._write_text(f"{name}.csv", frame.to_csv(index=False))
        self._write("findings.parquet", lambda p: findings.to_parquet(p, compression="zstd"))
        self._write_text("summary.txt", summary + "\n")
        for name, svg in pictures.items():
            self._write_text(f"figures/{name}.svg", svg)
        self._write_json("datapackage.json", self._package(frames))

    def _package(self, frames: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
        plan = self.study.plan
        return {
            "profile": "tabular-data-package",
            "name": _slug(plan.name),
            "title": plan.title,
            "description": plan.question,
            "licenses": [{"name": "MIT"}],
            "resources": [_resource(name, frame) for name, frame in frames.items()],
        }


def _slug(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-._" else "-" for c in name.lower())


def _resource(name: str, frame: pd.DataFrame) -> dict[str, Any]:
    """Describe a CSV file as the Data Package standard has it."""
    fields = [
        {"name": str(column), "type": _TYPES.get(kind.kind, "string")}
        for column, kind in frame.dtypes.items()
    ]
    return {
        "name": _slug(name.rpartition("/")[2].replace("_", "-")),
        "path": f"{name}.csv",
        "profile": "tabular-data-resource",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "schema": {"fields": fields, "missingValues": [""]},
    }
