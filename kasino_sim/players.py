"""Players as data: how one chooses among the legal moves, and what it weighs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kasino_sim.catalog import ROOT, read_toml, toml_files
from kasino_sim.engine.layout import (
    FEATURE_GROUPS,
    FEATURES,
    KINDS,
    PLAYER,
    TIP_FORMS,
    TIPS,
    new_records,
)
from kasino_sim.errors import KasinoError, closest
from kasino_sim.pack import item_weights
from kasino_sim.rules import Ruleset
from kasino_sim.tips import Tip, read_tips

FOLDER = "players"
TUNED_FOLDER = "players/tuned"
MOST_WEIGHT = 1_000_000

_SEARCHING = ("rollout", "mcts", "cheat")
_THINKING = ("ending", *_SEARCHING)

# What a player that thinks ahead can be told, the least and most of it, and which kinds use it.
THINKING: Mapping[str, tuple[float, float, tuple[str, ...]]] = MappingProxyType(
    {
        "last_cards": (0, 16, _THINKING),
        "splits": (0, 1_000, ("ending",)),
        "playouts": (1, 1_000_000, _SEARCHING),
        "candidates": (2, 64, _SEARCHING),
        "threshold": (0, 100, _SEARCHING),
        "explore": (0, 100, ("mcts",)),
        "playout_cards": (0, 8, _SEARCHING),
    }
)


class Player(BaseModel):
    """A player: a name, the idea in words, where it is from, a kind, and weights by feature.

    Attributes
    ----------
    kind : str
        ``random`` draws uniformly among the distinct legal moves; ``greedy`` takes the most points
        at once; ``weigh`` plays the move with the highest weighed sum of features. The others weigh
        too, but think ahead: ``ending`` plays the last hand exactly; ``rollout`` and ``mcts`` play
        that so too, and before it leave the move that they would weigh most where many deals played
        out show another one to be better; ``cheat`` does so with all cards open.
    base : str
        Name of a player whose weights these are, but for those that `weights` gives itself.
    tuned : bool
        Whether the weights are those tuned for the rules that the player goes by, `weights` holding
        only what differs; see `for_rules`.
    edition : str
        Of a tuned player: hash of all the weights that it may have.
    weights : dict of str to float
        What the player gives each feature of `engine.layout.FEATURES`; the others weigh nothing.
    playouts : int
        Deals played out for a move, at most.
    candidates : int
        Moves that are looked at, the best by weight.
    threshold : float
        Standard errors by which another move must be better before it is played.
    explore : float
        How eagerly a tree search tries what it hardly knows, in points.
    last_cards : int
        Cards in all hands, the stock being empty, from which the deal is played exactly.
    playout_cards : int
        The same within what is played out.
    splits : int
        Ways of dealing the unseen last cards that are played out exactly with three and four
        players, who cannot know them; 0: that is not done.
    memory : bool
        Whether the player has kept in mind which cards were captured; without, any of them may
        still be in the others' hands. Players who think ahead remember in any case.
    tips : dict of str to Tip
        The tips of `engine.layout.TIPS` that the player follows, and how; see `tips`.
    tip_margin : float
        Points by which a move may be worth less than the best for a tie-break to choose it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    idea: str = Field(description="How the player thinks, in a sentence or two.")
    source: str = Field(description="Where the idea is from.")
    also_known_as: tuple[str, ...] = ()
    kind: Literal["random", "greedy", "weigh", "ending", "rollout", "mcts", "cheat"]
    base: str = ""
    tuned: bool = False
    edition: str = ""
    weights: dict[str, float] = {}
    playouts: int = 1_000
    candidates: int = 8
    threshold: float = 1.0
    explore: float = 2.0
    last_cards: int = 8
    playout_cards: int = 0
    splits: int = 8
    memory: bool = True
    tips: dict[str, Tip] = {}
    tip_margin: float = Field(default=0.1, ge=0, le=MOST_WEIGHT)

    @property
    def weighs(self) -> bool:
        """Whether it has weights: its own, or those of the rule set."""
        return bool(self.weights or self.tuned)

    @property
    def thinking(self) -> dict[str, float]:
        """What of `THINKING` the kind of this player uses."""
        return {name: getattr(self, name) for name, (*_, k) in THINKING.items() if self.kind in k}

    def with_tip(
        self, name: str, form: str, strength: float = 1.0, reverse: bool = False
    ) -> Player:
        """Return the same player following one more tip, and named so: ``careful+save_big``.

        Raises
        ------
        KasinoError
            Where there is no such tip or form, or the player is of a kind that follows none.
        """
        lines = [_no_tips(self.name, self.kind)] if self.kind in _SEARCHING else []
        said = {"form": form, "strength": strength, "reverse": reverse}
        tips = read_tips(self.name, {name: said}, lines)
        if lines:
            raise KasinoError(lines)
        sign = "-" if reverse else "+"
        changed = {"name": f"{self.name}{sign}{name}", "tips": {**self.tips, **tips}}
        return self.model_copy(update=changed)


def player_names() -> list[str]:
    """Return the names of the players in `data/players`, sorted."""
    return sorted(toml_files(FOLDER))


def load_player(name_or_path: str | Path) -> Player:
    """Read a player by name, or from a TOML file.

    One that searches takes another number of playouts behind a colon: ``rollout:6000``.

    Raises
    ------
    KasinoError
        With a line for each mistake: file, field, what was given, what is allowed.
    """
    text = str(name_or_path)
    name, colon, count = text.rpartition(":")
    if colon and not text.endswith(".toml"):
        return _with_playouts(_find(name), text, count)
    return _find(text)


def _find(text: str) -> Player:
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


def _with_playouts(player: Player, text: str, count: str) -> Player:
    """Return a player with another number of playouts, called by it."""
    least, most, kinds = THINKING["playouts"]
    if player.kind not in kinds:
        raise KasinoError(
            f"player {text}: playouts behind a colon are for kinds {', '.join(kinds)}; "
            f"{player.name} is of kind {player.kind}"
        )
    given = int(count) if count.isdecimal() and len(count) < 10 else 0
    if not least <= given <= most:
        raise KasinoError(
            f"player {text}: playouts = {count!r}, must be a whole number from {least} to {most}, "
            f"as in {player.name}:{player.playouts}"
        )
    return player.model_copy(update={"name": f"{player.name}:{given}", "playouts": given})


def _read(path: Path) -> Player:
    data = read_toml(path)
    lines = _weight_mistakes(path, data.get("weights"))
    if lines:
        data = {**data, "weights": {}}
    lines += _thinking_mistakes(path, data)
    if "tips" in data:
        if data.get("kind") in _SEARCHING:
            lines.append(_no_tips(str(path), data["kind"]))
        data = {**data, "tips": read_tips(str(path), data["tips"], lines)}
    try:
        player = Player(**{**data, "name": path.stem, **_tuples(data)})
    except ValidationError as error:
        lines += [_message(path, problem) for problem in error.errors()]
    if lines:
        raise KasinoError(lines)
    if player.tuned:
        player = player.model_copy(update={"edition": _edition()})
    return _on_base(path, player) if player.base else player


def _no_tips(where: str, kind: str) -> str:
    return f"{where}: tips are for players that choose at sight or play the last hand, not {kind}"


def _on_base(path: Path, player: Player) -> Player:
    """Return a player with the weights of its base under its own."""
    if player.base == player.name:
        raise KasinoError(f"{path}: base = {player.base!r} is the player itself")
    try:
        base = load_player(player.base)
    except KasinoError as error:
        raise KasinoError([f"{path}: base: {line}" for line in error.lines]) from None
    if not base.weighs:
        raise KasinoError(
            f"{path}: base = {base.name!r} weighs nothing (kind {base.kind}); "
            "a base is a player with weights"
        )
    changed: dict[str, Any] = {"weights": {**base.weights, **player.weights}}
    changed |= {"tuned": base.tuned, "edition": base.edition}
    return player.model_copy(update=changed)


def for_rules(player: Player, rules: Ruleset) -> Player:
    """Return a player with the weights that it goes by under these rules.

    Only a tuned player changes: it gets the weights tuned for the rule set, else for the preset
    that this is based on, else for svensk; and of these the ones for as many players, else for two.
    """
    if not player.tuned:
        return player
    weights = {**tuned_player(rules).weights, **player.weights}
    return player.model_copy(update={"weights": weights, "tuned": False})


def unweighed(player: Player) -> tuple[str, ...]:
    """List the features that a player gives no weight, not even 0; none for a tuned player."""
    return () if player.tuned else tuple(name for name in FEATURES if name not in player.weights)


def tuned_player(rules: Ruleset) -> Player:
    """Read the player tuned for a rule set or what is nearest to it; see `for_rules`.

    Raises
    ------
    KasinoError
        Where none is there at all.
    """
    known = toml_files(TUNED_FOLDER)
    teams, n = rules.deal.teams == "pairs", rules.n_players
    shape = "-pairs" if teams else f"-{n}" if n != 2 else ""
    bases = (rules.name.partition("+")[0], rules.preset, ROOT)
    for name in (name for base in bases for name in (base + shape, base)):
        if name in known:
            return load_player(known[name])
    raise KasinoError(f"there are no tuned weights in data/{TUNED_FOLDER}; see kasino tune")


def _edition() -> str:
    digest = hashlib.sha256()
    for name, path in toml_files(TUNED_FOLDER).items():
        digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _thinking_mistakes(path: Path, data: dict[str, Any]) -> list[str]:
    lines, kind = [], data.get("kind")
    for name, (least, most, kinds) in THINKING.items():
        if name not in data:
            continue
        value, whole = data[name], name not in ("threshold", "explore")
        number = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        if not number or not least <= value <= most:
            what = "a whole number" if whole else "a number"
            lines.append(f"{path}: {name} = {value!r}, must be {what} from {least} to {most}")
            del data[name]
        elif kind in KINDS and kind not in kinds:
            lines.append(f"{path}: {name} is for players of kind {', '.join(kinds)}, not {kind}")
    if "base" in data and kind in ("random", "greedy"):
        lines.append(f"{path}: base is for players that weigh moves, not {kind}")
    return lines


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    """Return the lists of a TOML file as tuples, and its whole weights as floats."""
    changed: dict[str, Any] = {}
    if isinstance(data.get("also_known_as"), list):
        changed["also_known_as"] = tuple(data["also_known_as"])
    for name in ("threshold", "explore"):
        if type(data.get(name)) is int:
            changed[name] = float(data[name])
    if type(data.get("tip_margin")) is int:
        changed["tip_margin"] = float(min(data["tip_margin"], 2 * MOST_WEIGHT))
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
        What the players believe the items are worth: its points go into their scoring records. A
        tuned player goes by the weights for these rules.

    Returns
    -------
    numpy.recarray
        PLAYER[len(players)].
    """
    records = new_records(PLAYER, len(players))
    settled = [for_rules(player, scoring) for player in players]
    for number, (record, player) in enumerate(zip(records, settled, strict=True)):
        record.kind = KINDS.index(player.kind)
        record.score[:] = item_weights(scoring)
        for name, weight in player.weights.items():
            record.weights[FEATURES.index(name)] = weight
        for name in THINKING:
            record[name] = getattr(player, name)
        record.uses, record.number = _groups_used(player.weights), number
        record.tip_margin, record.forgets = player.tip_margin, not player.memory
        for name, tip in player.tips.items():
            t = TIPS.index(name)
            record.tips |= 1 << t
            record.tip_forms[t] = 1 + TIP_FORMS.index(tip.form)
            record.tip_strengths[t] = tip.signed
    return records


def _groups_used(weights: dict[str, float]) -> int:
    """Return the groups of further features that these weights ask for, a bit each."""
    return sum(
        1 << g
        for g, names in enumerate(FEATURE_GROUPS.values())
        if any(weights.get(name) for name in names)
    )
