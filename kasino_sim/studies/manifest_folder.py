"""A folder with a manifest of what made it, which can be gone on with by the same only."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from kasino_sim.errors import KasinoError
from kasino_sim.store import write_json, write_whole


def text_into(text: str) -> Callable[[Path], None]:
    """Return what writes a text into a file."""

    def write(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    return write


class ManifestFolder:
    """What the folders of studies and of ladders have in common.

    Parameters
    ----------
    folder : path
    manifest : dict
        All that its content depends on, with a `digest` of it.
    resume : bool
        Whether to go on with what is there.

    Attributes
    ----------
    what : str
        What such a folder is called in messages.

    Raises
    ------
    KasinoError
        Where the folder holds something that is not to be resumed, or something else.
    """

    what: ClassVar[str]

    def __init__(self, folder: str | Path, manifest: dict[str, Any], resume: bool) -> None:
        if not str(folder):
            raise KasinoError("--out: needs the name of a folder")
        self.folder = Path(folder)
        path = self.folder / "manifest.json"
        if path.exists():
            self._check(path, manifest, resume)
        elif resume:
            raise KasinoError(f"--resume: {folder} holds no {self.what} (no manifest.json)")
        self._try(path, lambda: write_json(path, manifest))

    def _check(self, path: Path, manifest: dict[str, Any], resume: bool) -> None:
        if not resume:
            raise KasinoError(
                f"--out {self.folder}: holds a run already; --resume goes on with it, "
                "or choose another folder"
            )
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            other = known["digest"] != manifest["digest"] and self._difference(known, manifest)
        except (OSError, ValueError, KeyError, TypeError):
            raise KasinoError(
                f"{path}: is no manifest of a {self.what}; choose another folder"
            ) from None
        if other:
            raise KasinoError(f"--resume {self.folder}: holds {other}")

    def _difference(self, known: dict[str, Any], manifest: dict[str, Any]) -> str:
        """Say what the folder holds instead, and what to do; KeyError where it is no such thing."""
        raise NotImplementedError

    def _write(self, name: str, write: Callable[[Path], None]) -> None:
        path = self.folder / name
        self._try(path, lambda: write_whole(path, write))

    def _write_text(self, name: str, text: str) -> None:
        self._write(name, text_into(text))

    def _write_json(self, name: str, data: dict[str, Any]) -> None:
        path = self.folder / name
        self._try(path, lambda: write_json(path, data))

    def _try(self, path: Path, write: Callable[[], Any]) -> None:
        try:
            write()
        except OSError as error:
            raise KasinoError(f"{path}: cannot be written ({error.strerror})") from None
