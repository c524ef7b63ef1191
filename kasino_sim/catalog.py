"""Finds and reads what lies in the data folder: rule sets here, other things elsewhere."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from kasino_sim.errors import KasinoError, closest
from kasino_sim.rules import (
    METADATA,
    Layer,
    Ruleset,
    assemble,
    diff,
    override_layer,
    show_value,
)

ROOT = "svensk"
"""The rule set that spells every key and that all others are based on."""


def data_dir() -> Path:
    """Find the data folder: inside the installed package, else beside the package."""
    package = Path(str(resources.files("kasino_sim")))
    for folder in (package / "data", package.parent / "data"):
        if (folder / "rulesets").is_dir():
            return folder
    raise KasinoError(f"the data folder is missing: looked in {package} and {package.parent}")


def toml_files(folder: str | Path) -> dict[str, Path]:
    """List the TOML files of a folder by name.

    Parameters
    ----------
    folder : str or Path
        A folder inside the data folder, such as ``rulesets``, or any other by its full path.

    Returns
    -------
    dict of str to Path
        File name without ``.toml`` to path, sorted; empty if there is no such folder.
    """
    paths = (data_dir() / folder).glob("*.toml")
    return {path.stem: path for path in sorted(paths, key=lambda path: path.stem)}


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    KasinoError
        If it is missing, unreadable or not TOML; the message names file and line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise KasinoError(f"{path}: there is no such file") from None
    except UnicodeDecodeError as error:
        raise KasinoError(f"{path}: not UTF-8 text ({error.reason})") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise KasinoError(f"{path}: cannot be read ({reason})") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        if "end of document" in message:
            message = message.replace("end of document", f"the end, line {len(text.splitlines())}")
        raise KasinoError(f"{path}: not valid TOML: {message}") from None
    except (RecursionError, ValueError) as error:
        raise KasinoError(f"{path}: not valid TOML: {error}") from None


def ruleset_names() -> list[str]:
    """List the names of the rule sets in the data folder, sorted."""
    return list(toml_files("rulesets"))


def load_ruleset(name_or_path: str | Path, overrides: Sequence[str] = ()) -> Ruleset:
    """Read a rule set and check it.

    Parameters
    ----------
    name_or_path : str or Path
        A name out of `ruleset_names`, or the path of a ``.toml`` file, which says
        ``preset = "..."`` (default ``svensk``) and what differs from it.
    overrides : sequence of str
        Changes on top, such as ``sweep.points=2``, ``values.ace_hand=[1,14]``, ``values.big=Ts``.

    Raises
    ------
    KasinoError
        With a line for each mistake: file or ``--set``, key, what was given, what is allowed.
    """
    problems: list[str] = []
    changes = override_layer(overrides, problems)
    files = _read_chain(_find(str(name_or_path), "rules", Path()), problems)
    return _assemble(files, changes, problems)


def ruleset_from_object(rules: object, where: str = "rules") -> Ruleset:
    """Read the rules of a position, game or match record.

    Parameters
    ----------
    rules : str or mapping
        A preset's name, or ``{section: {key: value}}`` over the preset that its key
        ``preset`` names (default ``svensk``).
    where : str
        The place, for messages.

    Raises
    ------
    KasinoError
        With a line for each mistake.
    """
    if not isinstance(rules, str | Mapping):
        raise KasinoError(
            f"{where}: {show_value(rules)} is neither a rule set's name nor an object of sections"
        )
    problems: list[str] = []
    sections = {"preset": rules} if isinstance(rules, str) else dict(rules)
    base = _base(sections.pop("preset", ROOT), where, problems, files_too=False)
    changes = Layer(where, sections, named=True)
    return _assemble(_read_chain(base, problems), changes, problems)


def ruleset_to_object(ruleset: Ruleset) -> str | dict[str, Any]:
    """Write the rules for a record, so that `ruleset_from_object` gives them back.

    Returns
    -------
    str or dict
        A preset's name, or ``preset`` and the keys that differ from it.
    """
    names = ruleset_names()
    base = next(name for name in (ruleset.name, ruleset.preset, ROOT) if name in names)
    changes = diff(load_ruleset(base), ruleset)
    if not changes:
        return base
    written: dict[str, Any] = {"preset": base}
    for key, _, value in changes:
        section, _, name = key.partition(".")
        written.setdefault(section, {})[name] = value
    return written


def ruleset_toml(ruleset: Ruleset) -> str:
    """Write a rule file that spells every key, to start a house rule set from.

    Returns
    -------
    str
        TOML that `load_ruleset` reads back to the same rules.
    """
    about = {key: value for key, value in ruleset.metadata().items() if value}
    lines = [f"{key} = {_toml_value(value)}" for key, value in about.items()]
    for name, section in ruleset.resolved().items():
        lines += ["", f"[{name}]"]
        lines += [f"{key} = {_toml_value(value)}" for key, value in section.items()]
    return "\n".join(lines) + "\n"


def _toml_value(value: object) -> str:
    # JSON's strings, lists, whole numbers and booleans are TOML too, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# ---------------------------------------------------------------- files based on files


@dataclass(frozen=True)
class _RuleFile:
    """A rule file as it was read."""

    path: Path
    based_on: Path | None
    metadata: dict[str, Any]
    sections: dict[str, Any]


def _find(name: str, where: str, folder: Path) -> Path:
    """Find a rule file by its name, or by its path seen from a folder."""
    files = toml_files("rulesets")
    if name in files:
        return files[name]
    if name.endswith(".toml") or "/" in name or "\\" in name:
        return folder / name
    raise KasinoError(
        f"{where}: {show_value(name)} is not a rule set{closest(name, files)} "
        f"(known: {', '.join(files)}; or the path of a .toml file)"
    )


def _base(named: object, where: str, problems: list[str], *, files_too: bool) -> Path:
    """Find what rules are based on; after a mistake go on with the root, to find the others."""
    files = toml_files("rulesets")
    if isinstance(named, str) and (named in files or files_too):
        try:
            return _find(named, f"{where}: preset", Path(where).parent)
        except KasinoError as error:
            problems += error.lines
    else:
        problems.append(
            f"{where}: {show_value(named)} is not a rule set{closest(named, files)} "
            f"(known: {', '.join(files)})"
        )
    return files[ROOT]


def _read_rule_file(path: Path, problems: list[str]) -> _RuleFile:
    content = read_toml(path)
    named = content.pop("preset", ROOT)
    about = {key: content.pop(key) for key in METADATA if key in content}
    is_root = path.resolve() == toml_files("rulesets")[ROOT].resolve()
    based_on = None if is_root else _base(named, str(path), problems, files_too=True)
    return _RuleFile(path, based_on, about, content)


def _read_chain(path: Path, problems: list[str]) -> list[_RuleFile]:
    """Read a rule file and all it is based on, the root last."""
    files = [_read_rule_file(path, problems)]
    while (based_on := files[-1].based_on) is not None:
        paths = [file.path for file in files]
        if based_on.resolve() in [other.resolve() for other in paths]:
            loop = " -> ".join(map(str, [*paths, based_on]))
            raise KasinoError(f"{path}: its preset leads round in a loop: {loop}")
        files.append(_read_rule_file(based_on, problems))
    return files


def _assemble(files: Sequence[_RuleFile], changes: Layer, problems: Sequence[str]) -> Ruleset:
    layers = [Layer(str(file.path), file.sections) for file in reversed(files)]
    return assemble(
        [*layers, changes],
        name=files[0].path.stem,
        preset=files[1].path.stem if len(files) > 1 else "",
        metadata={**files[0].metadata, "assumed": _assumed(files)},
        problems=problems,
    )


def _assumed(files: Sequence[_RuleFile]) -> object:
    """Give the nearest list of assumed keys, less those that files before it set themselves."""
    settled: set[str] = set()
    for file in files:
        keys = file.metadata.get("assumed")
        if keys is not None:
            # A list with other things in it is left as it is, for the check to find.
            texts = isinstance(keys, list) and all(isinstance(key, str) for key in keys)
            return [key for key in keys if key not in settled] if texts else keys
        for name, section in file.sections.items():
            settled |= {f"{name}.{key}" for key in section} if isinstance(section, dict) else set()
    return []
