"""Pictures that a command draws: checked before anything is played, written whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from kasino_sim.errors import KasinoError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg")


def check_picture(plot: str | None) -> None:
    """Refuse a picture that cannot be written."""
    if plot is None:
        return
    path = Path(plot)
    if path.suffix.lower() not in PICTURES:
        raise KasinoError(
            f"--plot {plot}: draws {' and '.join(PICTURES)}; end the file's name in one of these"
        )
    if path.is_dir():
        raise KasinoError(f"--plot {plot}: is a folder; name a file")
    if not path.parent.is_dir():
        raise KasinoError(f"--plot {plot}: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise KasinoError(f"--plot {plot}: cannot be written (no permission)")


def write_picture(made: Figure, plot: str) -> None:
    """Write a figure whole, in the format of the file's name."""
    from kasino_sim.plots.canvas import save
    from kasino_sim.store import write_whole

    def write(partial: Path) -> None:
        save(made, partial, Path(plot).suffix[1:].lower())

    try:
        write_whole(Path(plot), write)
    except OSError as error:
        raise KasinoError(f"--plot {plot}: cannot be written ({error.strerror})") from None
