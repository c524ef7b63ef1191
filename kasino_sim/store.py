"""A run's folder: a manifest in JSON, and Parquet files of a chunk of blocks or of several.

Such a file is written whole and then renamed into place, so what is there is complete: a run that
was stopped goes on with the chunks that are missing, to the same result.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from kasino_sim.cards import card_text
from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.errors import KasinoError
from kasino_sim.pack import RULES_VERSION
from kasino_sim.plan import Plan
from kasino_sim.ranges import deals_from
from kasino_sim.simulate import Chunk
from kasino_sim.tally import Tally, frame_of, tallies_of

SCHEMA_VERSION = 4
_LIBRARIES = ("numpy", "pandas", "numba", "pyarrow")


def manifest_of(plan: Plan, chunk: int) -> dict[str, Any]:
    """Return what a run depends on, and what it was made with.

    Everything under `parameters` and `engine` must agree for a run to be resumed, but for `deals`.
    """
    known = {str(i): card_text(c) for i, c in enumerate(plan.known) if c >= 0}
    return {
        "schema_version": SCHEMA_VERSION,
        "software": {"name": "kasino-sim", "version": version("kasino-sim")},
        "parameters": {
            "rules_name": plan.rules.name,
            "rules": plan.rules.resolved(),
            "players": [p.model_dump(mode="json") for p in plan.players],
            "seed": str(plan.seed),
            "first_deal": str(plan.first_deal),
            "deals": plan.deals,
            "rotate": plan.rotate,
            "detail": plan.detail,
            "known_cards": known,
            "blocks_per_chunk": chunk,
        },
        "engine": {
            "fingerprint": engine_fingerprint(),
            "tallies": _tally_fingerprint(),
            "rules_version": RULES_VERSION,
        },
        "libraries": {name: version(name) for name in _LIBRARIES},
    }


def _tally_fingerprint() -> str:
    """Hash of what packs rules and players and counts score sheets, 16 hex digits."""
    digest = hashlib.sha256()
    for name in ("pack", "players", "plan", "ledger", "tally"):
        digest.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]


def write_whole(path: Path, write: Callable[[Path], None], sync: bool = True) -> None:
    """Let `write` make a file beside `path`, then rename it into place.

    Without `sync` it is left to the system when it reaches the disk: a loss of power, but no kill,
    may then leave it damaged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write(partial)
        if sync:
            with open(partial, "rb+") as file:
                os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_json(path: Path, data: object) -> None:
    """Write JSON whole, with a line end."""
    text = json.dumps(data, indent=2) + "\n"

    def write(partial: Path) -> None:
        partial.write_text(text, encoding="utf-8")

    write_whole(path, write)


class RunFolder:
    """The folder of one run.

    Parameters
    ----------
    folder : path
    plan : Plan
    chunk : int
        Blocks in a chunk; an earlier run's, where one is resumed.
    resume : bool
        Whether to go on with what is there.
    sync : bool
        Whether every chunk is brought to the disk at once; see `write_whole`.

    Raises
    ------
    KasinoError
        Where the folder holds a run that is not to be resumed, or another run.
    """

    def __init__(
        self, folder: str | Path, plan: Plan, chunk: int, resume: bool, sync: bool = True
    ) -> None:
        self.folder, self.plan, self._sync = Path(folder), plan, sync
        path = self.folder / "manifest.json"
        if not str(folder):
            raise KasinoError("--out: needs the name of a folder")
        if path.exists():
            if not resume:
                raise KasinoError(
                    f"--out {folder}: holds a run already; --resume goes on with it, "
                    "or choose another folder"
                )
            known = _read_manifest(path)
            chunk = known["parameters"]["blocks_per_chunk"]
            _same_run(folder, known, manifest_of(plan, chunk))
        elif resume:
            raise KasinoError(f"--resume: {folder} holds no run (no manifest.json)")
        self.chunk = chunk
        try:
            write_json(path, manifest_of(plan, chunk))
        except OSError as error:
            raise KasinoError(f"--out {folder}: cannot be written ({error.strerror})") from None

    def _path(self, chunks: Sequence[Chunk]) -> Path:
        return self.folder / "chunks" / f"{chunks[0].number:06d}.parquet"

    def load(self, chunks: Sequence[Chunk]) -> list[Tally] | None:
        """Return the tallies of chunks that are kept together, if all were played already."""
        path = self._path(chunks)
        if not path.exists():
            return None
        try:
            tallies = tallies_of(pd.read_parquet(path), self.plan)
        except (OSError, ValueError, KeyError, IndexError):
            raise KasinoError(
                f"{path}: is damaged or no tally of this run; delete it and --resume again"
            ) from None
        for chunk, tally in zip(chunks, tallies, strict=False):
            first = self.plan.first_deal + chunk.first
            if tally.deals != deals_from(self.plan.seed, first, tally.blocks):
                raise KasinoError(f"{path}: is of other deals than its name says; delete it")
        played = [tally.blocks for tally in tallies]
        return tallies if played == [chunk.n for chunk in chunks] else None

    def save(self, chunks: Sequence[Chunk], tallies: Sequence[Tally]) -> None:
        """Keep the tallies of consecutive chunks together, in a file named by the first."""
        self._write(self._path(chunks), frame_of(tallies))

    def _write(self, path: Path, frame: pd.DataFrame) -> None:
        try:
            write_whole(path, lambda p: frame.to_parquet(p, compression="zstd"), self._sync)
        except OSError as error:
            raise KasinoError(f"{path}: cannot be written ({error.strerror})") from None

    def finish(self, tally: Tally, summary: dict[str, Any]) -> None:
        """Write the merged tally and the summary."""
        self._write(self.folder / "tally.parquet", tally.frame())
        try:
            write_json(self.folder / "summary.json", summary)
        except OSError as error:
            place = self.folder / "summary.json"
            raise KasinoError(f"{place}: cannot be written ({error.strerror})") from None


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        chunk = known["parameters"]["blocks_per_chunk"]
        if type(chunk) is int and chunk > 0 and isinstance(known["engine"], dict):
            return known
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise KasinoError(f"{path}: is no manifest of a run; choose another folder")


def _same_run(folder: object, known: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to resume a run of other parameters or another engine."""
    lines = []
    for part in ("parameters", "engine"):
        for key, value in now[part].items():
            before = known.get(part, {}).get(key)
            if key != "deals" and before != value:
                short = "differ" if isinstance(value, dict | list) else f"was {before}, now {value}"
                lines.append(f"--resume {folder}: {part}.{key} {short}; use another folder")
    if lines:
        raise KasinoError(lines)
