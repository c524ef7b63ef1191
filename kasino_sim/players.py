"""Players as data: how one chooses among the legal moves, and what it weighs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kasino_sim.catalog import read_toml, toml_files
from kasino_sim.engine.layout import FEATURE_GROUPS, FEATURES, KINDS, PLAYER, new_records
from kasino_sim.errors import KasinoError, closest
from kasino_sim.pack import item_weights
from kasino_sim.rules import Ruleset

FOLDER = "players"
MOST_WEIGHT = 1_000_000


class Player(BaseModel):
    """A player: a name, the idea in words, where it is from, a kind, and weights by feature.

    Attributes
    ----------
    kind : str
        ``random`` draws uniformly among the distinct legal moves; ``greedy`` takes the most points
        at once; ``weigh`` plays the move with the highest weighed sum of features.
    weights : dict of str to float
        What `weigh` gives each feature of `engine.layout.FEATURES`; the others weigh nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    idea: str = Field(description="How the player thinks, in a sentence or two.")
    source: str = Field(description="Where the idea is from.")
    also_known_as: tuple[str, ...] = ()
    kind: Literal["random", "greedy", "weigh"]
    weights: dict[str, float] = {}


def player_names() -> list[str]:
    """Return the names of the players in `data/players`, sorted."""
    return sorted(toml_files(FOLDER))


def load_player(name_or_path: str | Path) -> Player:
    """Read a player by name, or from a TOML file.

    Raises
    ------
    KasinoError
        With a line for each mistake: file, field, what was given, what is allowed.
    """
    text = str(name_or_path)
    if text.endswith(".toml"):
        path = Path(text)
    else:
        known = toml_files(FOLDER)
        if text not in known:
            names = ", ".join(sorted(known))
            raise KasinoError(
                f"there is no player {text!r}{closest(text, known)}; players: {names}, "
                "or a file ending in .toml"
            )
        path = known[text]
    return _read(path)


def _read(path: Path) -> Player:
    data = read_toml(path)
    lines = _weight_mistakes(path, data.get("weights"))
    if lines:
        data = {**data, "weights": {}}
    try:
        player = Player(**{**data, "name": path.stem, **_tuples(data)})
    except ValidationError as error:
        lines += [_message(path, problem) for problem in error.errors()]
    if lines:
        raise KasinoError(lines)
    return player


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    """Return the lists of a TOML file as tuples, and its whole weights as floats."""
    changed: dict[str, Any] = {}
    if isinstance(data.get("also_known_as"), list):
        changed["also_known_as"] = tuple(data["also_known_as"])
    if isinstance(data.get("weights"), dict):
        changed["weights"] = {
            k: float(v) if type(v) is int and abs(v) <= MOST_WEIGHT else v
            for k, v in data["weights"].items()
        }
    return changed


def _weight_mistakes(path: Path, weights: object) -> list[str]:
    if not isinstance(weights, dict):
        return []
    lines = [
        f"{path}: weights.{name} is not a feature{closest(name, FEATURES)}; "
        f"features: {', '.join(FEATURES)}"
        for name in weights
        if name not in FEATURES
    ]
    for name, weight in weights.items():
        number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if number and not abs(weight) <= MOST_WEIGHT:  # nan compares with nothing
            lines.append(
                f"{path}: weights.{name} must be a number from -{MOST_WEIGHT} to {MOST_WEIGHT}"
            )
    return lines


def _message(path: Path, problem: Any) -> str:
    field = ".".join(map(str, problem["loc"]))
    if problem["type"] == "missing":
        return f"{path}: {field} is missing"
    if problem["type"] == "extra_forbidden":
        return f"{path}: {field} is not a field{closest(field, Player.model_fields)}"
    if field == "kind":
        given = problem["input"]
        return f"{path}: kind = {given!r}, must be one of {', '.join(KINDS)}"
    return f"{path}: {field} = {problem['input']!r}: {problem['msg']}"


def pack_players(players: list[Player], scoring: Ruleset) -> np.ndarray:
    """Turn players into PLAYER records.

    Parameters
    ----------
    players : list of Player
        As many as there are different ones.
    scoring : Ruleset
        What the players believe the items are worth: its points go into their scoring records.

    Returns
    -------
    numpy.recarray
        PLAYER[len(players)].
    """
    records = new_records(PLAYER, len(players))
    for record, player in zip(records, players, strict=True):
        record.kind = KINDS.index(player.kind)
        record.score[:] = item_weights(scoring)
        for name, weight in player.weights.items():
            record.weights[FEATURES.index(name)] = weight
        record.uses = _groups_used(player.weights)
    return records


def _groups_used(weights: dict[str, float]) -> int:
    """Return the groups of further features that these weights ask for, a bit each."""
    return sum(
        1 << g
        for g, names in enumerate(FEATURE_GROUPS.values())
        if any(weights.get(name) for name in names)
    )
