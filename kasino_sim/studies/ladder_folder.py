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
from kasino_sim.store import write_whole
from kasino_sim.studies.manifest_folder import ManifestFolder, text_into

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


class LadderFolder(ManifestFolder):
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

    what = "ladder"

    def __init__(self, folder: str | Path, ladder: Ladder, resume: bool) -> None:
        super().__init__(folder, manifest_of(ladder), resume)

    def _difference(self, known: dict[str, Any], manifest: dict[str, Any]) -> str:
        if known["kind"] != "ladder":
            raise KeyError("kind")
        changed = [key for key, value in manifest.items() if known.get(key) != value]
        told = ", ".join(key for key in changed if key not in ("digest", "seed")) or "seed"
        return f"another ladder ({told} differ); give the same options as then, or another folder"

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
        self._try(path, lambda: write_whole(path, text_into(text), sync=False))

    def finish(
        self, summary: dict[str, Any], tables: Mapping[str, pd.DataFrame], texts: Mapping[str, str]
    ) -> None:
        """Write tables as CSV, texts (figures and words) by file name, and the summary last."""
        for name, frame in tables.items():
            self._write_text(f"{name}.csv", frame.to_csv(index=False))
        for name, text in texts.items():
            self._write_text(name, text)
        self._write_json("summary.json", summary)
