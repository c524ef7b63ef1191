"""The folder of a ladder: manifest, the chunks of every meeting, tables and figures.

Nothing in it but `timing/` depends on when or how fast it was made: a ladder that was stopped and
resumed leaves the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.errors import KasinoError
from kasino_sim.meeting import Meeting, MeetingTally
from kasino_sim.pack import RULES_VERSION
from kasino_sim.simulate import Chunk
from kasino_sim.store import write_json, write_whole

if TYPE_CHECKING:
    from kasino_sim.studies.ladder import Ladder

SCHEMA_VERSION = 1


def manifest_of(ladder: Ladder) -> dict[str, Any]:
    """Return all that a ladder depends on."""
    return {
        "schema_version": SCHEMA_VERSION,
        "software": {"name": "kasino-sim", "version": version("kasino-sim")},
        "kind": "ladder",
        "digest": ladder.digest,
        "seed": str(ladder.played_seed),
        "range": "confirm",
        "deals": ladder.deals,
        "search_deals": ladder.search_deals,
        "rules_name": ladder.rules.name,
        "rules": ladder.rules.resolved(),
        "players": [player.model_dump(mode="json") for player in ladder.players],
        "exploiters": [
            {"of": victim.name, "player": exploiter.model_dump(mode="json")}
            for victim, exploiter in ladder.exploiters
        ],
        "engine": {"fingerprint": engine_fingerprint(), "rules_version": RULES_VERSION},
    }


class LadderFolder:
    """The folder of one ladder.

    Parameters
    ----------
    folder : path
    ladder : Ladder
    resume : bool
        Whether to go on with what is there.

    Raises
    ------
    KasinoError
        Where the folder holds something that is not to be resumed, or another ladder.
    """

    def __init__(self, folder: str | Path, ladder: Ladder, resume: bool) -> None:
        if not str(folder):
            raise KasinoError("--out: needs the name of a folder")
        self.folder = Path(folder)
        path = self.folder / "manifest.json"
        if path.exists():
            self._check(path, ladder, resume)
        elif resume:
            raise KasinoError(f"--resume: {folder} holds no ladder (no manifest.json)")
        self._try(path, lambda: write_json(path, manifest_of(ladder)))

    def _check(self, path: Path, ladder: Ladder, resume: bool) -> None:
        if not resume:
            raise KasinoError(
                f"--out {self.folder}: holds a run already; --resume goes on with it, "
                "or choose another folder"
            )
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            if known["kind"] != "ladder":
                raise KeyError
            digest = known["digest"]
        except (OSError, ValueError, KeyError, TypeError):
            raise KasinoError(
                f"{path}: is no manifest of a ladder; choose another folder"
            ) from None
        if digest != ladder.digest:
            now = manifest_of(ladder)
            changed = [key for key, value in now.items() if known.get(key) != value]
            told = ", ".join(key for key in changed if key not in ("digest", "seed")) or "seed"
            raise KasinoError(
                f"--resume {self.folder}: holds another ladder ({told} differ); give the same "
                "options as then, or use another folder"
            )

    @property
    def finished(self) -> bool:
        """Whether the summary is there."""
        return (self.folder / "summary.json").exists()

    def _path(self, meeting: Meeting, chunk: Chunk) -> Path:
        return self.folder / "meetings" / meeting.key / f"{chunk.number:06d}.json"

    def load(self, meeting: Meeting, chunk: Chunk) -> MeetingTally | None:
        """Return a chunk's tally if it was played already."""
        path = self._path(meeting, chunk)
        if not path.exists():
            return None
        try:
            tally = MeetingTally.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            raise KasinoError(
                f"{path}: is damaged or no tally of this ladder; delete it and --resume again"
            ) from None
        return tally if tally.blocks == chunk.n else None

    def save(self, meeting: Meeting, chunk: Chunk, tally: MeetingTally) -> None:
        """Keep a chunk's tally; it is left to the system when it reaches the disk."""
        path, text = self._path(meeting, chunk), json.dumps(tally.as_json()) + "\n"
        self._try(path, lambda: write_whole(path, lambda p: _put(p, text), sync=False))

    def finish(
        self, summary: dict[str, Any], tables: Mapping[str, pd.DataFrame], texts: Mapping[str, str]
    ) -> None:
        """Write tables as CSV, texts (figures and words) by file name, and the summary last."""
        for name, frame in tables.items():
            self._write(f"{name}.csv", frame.to_csv(index=False))
        for name, text in texts.items():
            self._write(name, text)
        path = self.folder / "summary.json"
        self._try(path, lambda: write_json(path, summary))

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        self._try(path, lambda: write_whole(path, lambda p: _put(p, text)))

    def _try(self, path: Path, write: Any) -> None:
        try:
            write()
        except OSError as error:
            raise KasinoError(f"{path}: cannot be written ({error.strerror})") from None


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
