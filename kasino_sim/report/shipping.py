"""Shipping a study: what a report needs of its folder, small enough to come with the program.

Chunks, tuned weights and pictures stay behind: the command that is named in the manifest makes them
anew. Tables are packed, and numbers have six digits.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from kasino_sim.catalog import data_dir
from kasino_sim.errors import KasinoError
from kasino_sim.report.kept import SHIPPED, KeptStudy, kept_studies

MOST_BYTES = 5_000_000  # of all studies together
_PACKED = {"method": "gzip", "mtime": 0}  # the same bytes whenever it is done


def ship(folders: Sequence[str | Path], place: Path | None = None) -> list[Path]:
    """Copy finished studies to those that come with the program, each under its plan's name.

    Parameters
    ----------
    folders : sequence of path
        As `kasino study --out` left them.
    place : Path, optional
        Where to; the data folder's unless given. A study of the same plan there is replaced.

    Returns
    -------
    list of Path
        The folders made.

    Raises
    ------
    KasinoError
        Where a folder holds no finished study, findings may not rest on its deals, two are of one
        plan, or all together take more than `MOST_BYTES`; nothing is changed then.
    """
    target = data_dir() / SHIPPED if place is None else place
    studies = kept_studies(folders, "ship")
    names = [str(study.plan["name"]) for study in studies]
    lines = [
        f"ship {study.folder}: its deals are those of {study.plan['deals'][-1]['range']}; only "
        "what was found on confirm is shipped"
        for study in studies
        if not study.confirmed
    ]
    lines += [f"ship: two are of the plan {n}" for n in sorted(set(names)) if names.count(n) > 1]
    if lines:
        raise KasinoError(lines)
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        if target.exists():
            shutil.copytree(target, part)
        for name, study in zip(names, studies, strict=True):
            shutil.rmtree(part / name, ignore_errors=True)
            _ship_one(study, part / name)
        _check_size(part)
        shutil.rmtree(target, ignore_errors=True)
        part.replace(target)
    except OSError as error:
        raise KasinoError(f"{target}: cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return [target / name for name in names]


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _check_size(folder: Path) -> None:
    size = size_of(folder)
    if size > MOST_BYTES:
        each = ", ".join(f"{one.name} {size_of(one) / 1e6:.1f}" for one in sorted(folder.iterdir()))
        raise KasinoError(
            f"ship: {size / 1e6:.1f} MB in all, at most {MOST_BYTES / 1e6:g} are shipped (MB: "
            f"{each}); ship fewer studies, or play fewer rule sets"
        )


def _ship_one(study: KeptStudy, place: Path) -> None:
    (place / "tables").mkdir(parents=True)
    package = json.loads((study.folder / "datapackage.json").read_text(encoding="utf-8"))
    package["resources"] = [_packed(study, one, place) for one in package["resources"]]
    _write(place / "datapackage.json", package)
    _write(place / "manifest.json", _short(study))


def _packed(study: KeptStudy, resource: dict[str, Any], place: Path) -> dict[str, Any]:
    """Write a table packed, and say so in what describes it."""
    name = str(resource["path"]).removesuffix(".csv")
    frame: pd.DataFrame = study.read(name)
    packed = f"{name}.csv.gz"
    frame.to_csv(place / packed, index=False, float_format="%.6g", compression=_PACKED)
    return {**resource, "path": packed, "compression": "gz"}


def _short(study: KeptStudy) -> dict[str, Any]:
    """Return a manifest with the command, and with every player and preset in full but once.

    What a cell changes in its preset is its arm.
    """
    cells = study.manifest["cells"]
    players = {player["name"]: player for cell in cells for player in cell["players"]}
    plainest: dict[str, Any] = {}
    for cell in sorted(cells, key=lambda one: len(one["arm"])):
        plainest.setdefault(cell["preset"], cell)
    rulesets = {
        "+".join(filter(None, [preset, cell["arm"]])): cell["rules"]
        for preset, cell in plainest.items()
    }
    brief = [
        {
            "name": cell["name"],
            "preset": cell["preset"],
            "arm": cell["arm"],
            "players": [player["name"] for player in cell["players"]],
        }
        for cell in cells
    ]
    about = {**study.manifest, "command": study.command}
    return about | {"rulesets": rulesets, "players": players, "cells": brief}


def _write(path: Path, data: object) -> None:
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
