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

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.errors import KasinoError
from kasino_sim.pack import RULES_VERSION
from kasino_sim.store import write_json, write_whole
from kasino_sim.studies.cells import chunk_blocks
from kasino_sim.study_plan import Cell, Study

SCHEMA_VERSION = 1
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


class StudyFolder:
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

    def __init__(self, folder: str | Path, study: Study, resume: bool) -> None:
        if not str(folder):
            raise KasinoError("--out: needs the name of a folder")
        self.folder, self.study = Path(folder), study
        path = self.folder / "manifest.json"
        if path.exists():
            self._check(path, resume)
        elif resume:
            raise KasinoError(f"--resume: {folder} holds no study (no manifest.json)")
        self._try(path, lambda: write_json(path, manifest_of(study)))

    def _check(self, path: Path, resume: bool) -> None:
        if not resume:
            raise KasinoError(
                f"--out {self.folder}: holds a run already; --resume goes on with it, "
                "or choose another folder"
            )
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            digest, name = known["digest"], known["plan"]["name"]
        except (OSError, ValueError, KeyError, TypeError):
            raise KasinoError(f"{path}: is no manifest of a study; choose another folder") from None
        if digest != self.study.digest:
            raise KasinoError(
                f"--resume {self.folder}: holds {name} with digest {digest}, but plan, players, "
                f"scale and engine now give {self.study.digest}; use another folder"
            )

    @property
    def finished(self) -> bool:
        """Whether the findings are there."""
        return (self.folder / "findings.parquet").exists()

    def of_cell(self, cell: Cell) -> Path:
        """Return the folder of a cell's chunks."""
        return self.folder / "cells" / cell.name

    def finish(self, outcome: Outcome, summary: str, pictures: Mapping[str, str]) -> None:
        """Write findings, tables, pictures (SVG by name), the summary and what they all are."""
        findings = outcome.findings
        tables = {f"tables/{name}": table for name, table in outcome.tables.items()}
        frames = {"findings": findings} | tables
        for name, frame in frames.items():
            self._write(f"{name}.csv", lambda p, f=frame: f.to_csv(p, index=False))
        self._write("findings.parquet", lambda p: findings.to_parquet(p, compression="zstd"))
        self._write("summary.txt", lambda p: p.write_text(summary + "\n", encoding="utf-8"))
        for name, svg in pictures.items():
            place = f"figures/{name}.svg"
            self._write(place, lambda p, text=svg: p.write_text(text, encoding="utf-8"))
        path = self.folder / "datapackage.json"
        self._try(path, lambda: write_json(path, self._package(frames)))

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

    def _write(self, name: str, write: Any) -> None:
        path = self.folder / name
        self._try(path, lambda: write_whole(path, write))

    def _try(self, path: Path, write: Any) -> None:
        try:
            write()
        except OSError as error:
            raise KasinoError(f"{path}: cannot be written ({error.strerror})") from None


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
