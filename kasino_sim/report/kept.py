"""Studies that were kept in a folder, for the report to tell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from kasino_sim.catalog import data_dir, read_toml, toml_files
from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.errors import KasinoError

SHIPPED = "studies"  # folder of the data folder with studies that were made beforehand


@dataclass(frozen=True)
class KeptStudy:
    """A finished study in its folder.

    Attributes
    ----------
    folder : Path
    manifest : dict
        As `studies.folder.manifest_of` wrote it.
    """

    folder: Path
    manifest: dict[str, Any]

    @property
    def plan(self) -> dict[str, Any]:
        """The plan that was played."""
        return dict(self.manifest["plan"])

    @property
    def kind(self) -> str:
        """The kind of study."""
        return str(self.plan["kind"])

    @property
    def blocks(self) -> int:
        """Decks that every cell played."""
        return int(self.plan["deals"][-1]["blocks"])

    @property
    def players(self) -> dict[str, dict[str, Any]]:
        """The players by name, without those that the study made out of them."""
        records = dict(self.manifest.get("players", {}))  # of what is shipped; else in the cells
        for cell in self.manifest["cells"]:
            records |= {p["name"]: p for p in cell["players"] if not isinstance(p, str)}
        named = {Path(name).stem for some in self.plan["players"] for name in some}
        return {n: p for n, p in records.items() if n in named or n in toml_files("players")}

    @property
    def confirmed(self) -> bool:
        """Whether the deals are those that findings may rest on."""
        return str(self.plan["deals"][-1]["range"]) == "confirm"

    @property
    def shipped(self) -> bool:
        """Whether it came with the program."""
        return self.folder.parent == data_dir() / SHIPPED

    @property
    def of_this_engine(self) -> bool:
        """Whether the engine that played it is the one that is installed."""
        return str(self.manifest["engine"]["fingerprint"]) == engine_fingerprint()

    @property
    def command(self) -> str:
        """The command that makes it anew."""
        if "command" in self.manifest:
            return str(self.manifest["command"])
        plan = self.plan
        name = str(plan["name"])
        size = " --size full" if plan.get("size") == "full" else ""
        return f"kasino study {name}{size}{self._scale}"

    @property
    def _scale(self) -> str:
        """The option that makes so many blocks of a plan that the program knows."""
        files = toml_files("plans")
        if self.plan["name"] not in files:
            return ""
        known = read_toml(files[self.plan["name"]])
        full = known.get("full", {}) if self.plan.get("size") == "full" else {}
        blocks = int({**known, **full}["deals"][-1]["blocks"])
        return "" if blocks == self.blocks else f" --scale {self.blocks / blocks:.6g}"

    @cached_property
    def findings(self) -> pd.DataFrame:
        """All findings."""
        return self.read("findings")

    def has(self, name: str) -> bool:
        """Whether it has a table."""
        try:
            return self._resource(f"tables/{name}") is not None
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def table(self, name: str) -> pd.DataFrame:
        """Read one of its tables; empty texts stay texts."""
        return self.read(f"tables/{name}")

    def read(self, name: str) -> pd.DataFrame:
        """Read a table, or the findings, as the data package describes them."""
        path = self.folder / f"{name}.csv"
        try:
            found = self._resource(name)
            if found is None:
                raise ValueError("the data package does not name it")
            fields = found["schema"]["fields"]
            texts = {field["name"]: str for field in fields if field["type"] == "string"}
            if not fields:
                return pd.DataFrame()
            frame = pd.read_csv(self.folder / found["path"], dtype=texts)
        except (OSError, ValueError, KeyError) as error:
            raise KasinoError(f"{path}: cannot be read ({error}); make the study anew") from None
        return frame.assign(**{text: frame[text].fillna("") for text in texts})

    def _resource(self, name: str) -> dict[str, Any] | None:
        """Return what describes a file, which may be packed."""
        package = json.loads((self.folder / "datapackage.json").read_text(encoding="utf-8"))
        files = (f"{name}.csv", f"{name}.csv.gz")
        return next((dict(r) for r in package["resources"] if r["path"] in files), None)


def kept_studies(folders: Sequence[str | Path], option: str = "--study") -> tuple[KeptStudy, ...]:
    """Open studies in their folders; `option` is what messages call what was given.

    Raises
    ------
    KasinoError
        Where a folder holds no finished study, or two are of one kind and plan.
    """
    found, lines = [], list[str]()
    for folder in map(Path, folders):
        path = folder / "manifest.json"
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
            kind = manifest["plan"]["kind"]
            whole = any((folder / f"findings.csv{end}").exists() for end in ("", ".gz"))
        except (OSError, ValueError, KeyError, TypeError):
            lines.append(
                f"{option} {folder}: holds no study; kasino study PLAN --out DIR makes one"
            )
            continue
        if not whole:
            lines.append(f"{option} {folder}: {kind} is not finished; --resume goes on with it")
        found.append(KeptStudy(folder, manifest))
    if lines:
        raise KasinoError(lines)
    return tuple(found)


def shipped_studies() -> tuple[KeptStudy, ...]:
    """Open the studies that came with the program."""
    place = data_dir() / SHIPPED
    return kept_studies(sorted(path.parent for path in place.glob("*/manifest.json")))
