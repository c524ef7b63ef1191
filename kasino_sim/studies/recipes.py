"""Players that are tuned before a cell is played: each once, and kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from kasino_sim.attempts import fingerprint
from kasino_sim.errors import KasinoError
from kasino_sim.players import Player, load_player
from kasino_sim.store import write_json
from kasino_sim.studies.tuning import Budget, Task, ready, tune
from kasino_sim.study import Cell, Recipe, Study
from kasino_sim.study_plan import Adapt

SEARCHES = ("ruleset", "variant", "arm", "player", "restart", "gain", "kept", "decks")


@dataclass(frozen=True)
class Found:
    """What a search came to.

    Attributes
    ----------
    weights : dict of str to float
    start, winner : float
        Points a deal over the pool on SELECT, of the player that it began at and of its own; the
        weights are of the better one.
    """

    weights: dict[str, float]
    start: float
    winner: float


@dataclass(frozen=True)
class Tunings:
    """What the players of a study come to, each tuned once.

    Two players that begin alike, for the same rules, with the same restart, are one.

    Attributes
    ----------
    study : Study
    folder : Path or None
        Where the weights are kept; a study that goes on reads them there.
    threads : int or None
        Changes nothing in the result.
    told : callable
        Gets the rules' and the player's name when a search begins.
    """

    study: Study
    folder: Path | None = None
    threads: int | None = None
    told: Callable[[str, str], Any] = lambda rules, player: None
    _known: dict[str, Found] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Ask for what tuning needs before anything is played."""
        if any(cell.recipes for cell in self.study.cells):
            ready()

    def settle(self, cell: Cell) -> Cell:
        """Return a cell with its players tuned; one without recipes as it is."""
        if not cell.recipes:
            return cell
        players = [
            self._tuned(cell, player, recipe) if recipe else player
            for player, recipe in zip(cell.players, cell.recipes, strict=True)
        ]
        return replace(cell, players=tuple(players), recipes=cell.recipes)

    def _tuned(self, cell: Cell, player: Player, recipe: Recipe) -> Player:
        key = tuning_key(cell, player, recipe)
        if key not in self._known:
            self._known[key] = self._kept(key) or self._search(key, cell, player, recipe)
        return player.model_copy(update={"tuned": False, "weights": self._known[key].weights})

    def table(self) -> pd.DataFrame:
        """List the searches that were made, for each cell and player.

        Returns
        -------
        pandas.DataFrame
            `ruleset`, `variant`, `arm`, `player`, `restart`, `gain` (points a deal over the pool
            more than the start's, on the decks of SELECT by which it was chosen or not), `kept`
            (whether it was, rather than the start: above 0) and `decks`, how many.
        """
        adapt = self.study.plan.adapt
        rows = []
        for cell in self.study.cells if adapt else ():
            for player, recipe in zip(cell.players, cell.recipes, strict=False):
                found = self._known.get(tuning_key(cell, player, recipe)) if recipe else None
                if adapt and recipe and found:
                    gain, start = found.winner - found.start, cell.learner or player.name
                    rows.append(
                        (cell.preset, cell.variant, cell.arm, start, recipe.restart, gain,
                         gain > 0, adapt.select)
                    )  # fmt: skip
        return pd.DataFrame(rows, columns=list(SEARCHES)).drop_duplicates(ignore_index=True)

    def _kept(self, key: str) -> Found | None:
        """Return what an earlier run found."""
        if self.folder is None or not (self.folder / f"{key}.json").exists():
            return None
        path = self.folder / f"{key}.json"
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            weights = {str(name): float(weight) for name, weight in told["weights"].items()}
            start, winner = map(float, told["selected"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise KasinoError(
                f"{path}: is damaged or holds no weights; delete it and --resume again"
            ) from None
        return Found(weights, start, winner)

    def _search(self, key: str, cell: Cell, player: Player, recipe: Recipe) -> Found:
        adapt = self.study.plan.adapt
        if adapt is None:
            raise ValueError(f"{cell.name} has players to tune, and the plan says not how")
        self.told(cell.rules.name, player.name)
        found = tune(_task(self.study, adapt, cell, player, recipe), self.threads)
        if self.folder is not None:
            told = {
                "rules": cell.rules.name,
                "player": player.name,
                "start": cell.learner or adapt.player,
                "held": list(recipe.held),
                "restart": recipe.restart,
                "selected": list(found.selected),
                "weights": found.player.weights,
            }
            path = self.folder / f"{key}.json"
            try:
                write_json(path, told)
            except OSError as error:
                raise KasinoError(f"{path}: cannot be written ({error.strerror})") from None
        return Found(dict(found.player.weights), *found.selected)


def tuning_key(cell: Cell, player: Player, recipe: Recipe) -> str:
    """Return a name for a search: the same for all cells that need its player.

    A search looks at points a deal, so that of a match only who wins it matters.
    """
    begins = player.model_dump(mode="json", exclude={"name", "idea", "source"})
    rules = cell.rules.resolved()
    rules["match"] = {"winner": rules["match"]["winner"]}
    mark = fingerprint(rules, begins, list(recipe.held))
    return f"{mark}-{recipe.restart}"


def games_searched(study: Study) -> dict[str, int]:
    """Return the games that are played to tune, by the name of the first cell that needs them."""
    adapt, seen = study.plan.adapt, set[str]()
    found: dict[str, int] = {}
    for cell in study.cells if adapt else ():
        for player, recipe in zip(cell.players, cell.recipes, strict=False):
            key = tuning_key(cell, player, recipe) if recipe else ""
            if adapt is None or not key or key in seen:
                continue
            seen.add(key)
            searched = adapt.population * adapt.generations * adapt.blocks
            judged = 2 * len(adapt.pool) * adapt.select
            sides = 2 if cell.rules.deal.teams == "pairs" else cell.rules.n_players
            found[cell.name] = found.get(cell.name, 0) + (searched + judged) * sides
    return found


def _task(study: Study, adapt: Adapt, cell: Cell, player: Player, recipe: Recipe) -> Task:
    """Return the search: restarts of one number share decks and noise, whatever the rules."""
    budget = Budget(
        adapt.population, adapt.generations, adapt.blocks, restarts=1, select=adapt.select,
        confirm=1,
    )  # fmt: skip
    seed = int(fingerprint(str(study.seed), recipe.restart), 16)
    pool = tuple(load_player(name) for name in adapt.pool)
    return Task(cell.rules, player, pool, seed, budget, recipe.held)
