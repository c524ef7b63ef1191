"""A study that is ready to be played: a plan that was checked, with its cells and its seed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from kasino_sim.attempts import fingerprint
from kasino_sim.cards import N_CARDS
from kasino_sim.engine.jit import engine_fingerprint
from kasino_sim.pack import RULES_VERSION
from kasino_sim.plan import Plan
from kasino_sim.players import Player
from kasino_sim.ranges import first_deal
from kasino_sim.rules import Ruleset
from kasino_sim.study_plan import ADAPTED, DETAILS, LEAST_BLOCKS, Deals, StudyPlan


@dataclass(frozen=True)
class Recipe:
    """How a player of a cell is tuned for its rules before the cell is played.

    Attributes
    ----------
    restart : int
        Which of the searches apart from one another, from 1; those of one number share decks and
        noise.
    held : tuple of str
        Features that weigh nothing throughout.
    """

    restart: int
    held: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """One rule set with one seating.

    Attributes
    ----------
    name : str
        Different for every cell of a study, and fit for a folder's name.
    preset : str
        The rule set before variants and factors.
    arm : str
        What was changed in it, empty for nothing.
    rules : Ruleset
    players : tuple of Player
    unchanged : Ruleset or None
        The rules without the change, where there is one to compare with.
    words : str
        The change as people say it, where the plan says so.
    known : tuple of int
        For each place of the deck the card known to lie there, or -1; empty for none.
    fix : str
        The same as it is written, such as `hand0=Ah`.
    responses : tuple of str
        What is asked of this cell; empty for all that the plan asks.
    role : tuple of str
        What a kind of study that lays out its own cells wants this one for.
    levels : tuple of int
        In a crossed design, which of the changes for its rule set are made, 1, and which not, 0.
    limit : str
        The entry of the plan's limits that holds for this cell; empty for none.
    recipes : tuple of (Recipe or None)
        For each of the players how it is tuned first; empty where nobody is. Until then `players`
        holds what the search begins at, by the name that it keeps.
    share : float
        Share of the blocks that it plays, where fewer will do.
    """

    name: str
    preset: str
    arm: str
    rules: Ruleset
    players: tuple[Player, ...]
    unchanged: Ruleset | None = None
    words: str = ""
    known: tuple[int, ...] = ()
    responses: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    role: tuple[str, ...] = ()
    limit: str = ""
    recipes: tuple[Recipe | None, ...] = ()
    share: float = 1.0
    fix: str = ""

    @property
    def arm_and_fix(self) -> str:
        """What sets it apart from its rule set: what was changed there, and the known cards."""
        return "+".join(filter(None, [self.arm, self.fix]))

    @property
    def variant(self) -> str:
        """What is the same with and without the change, empty for nothing."""
        if self.unchanged is None:
            return self.arm
        return self.unchanged.name.partition("+")[2]

    @property
    def adapted(self) -> bool:
        """Whether it is one of several that are told together: with players tuned for it."""
        return self.role[:1] == (ADAPTED,)

    @property
    def learner(self) -> str:
        """The player whose search made this one, where the cell is `adapted`; else empty."""
        return self.role[1] if self.adapted else ""

    @property
    def level(self) -> str:
        """The player named first."""
        return self.players[0].name

    @property
    def opponent(self) -> str:
        """The other player, where there is one."""
        return next((p.name for p in self.players if p.name != self.level), "")


@dataclass(frozen=True)
class Study:
    """A plan that was checked, with its cells and its seed.

    Attributes
    ----------
    plan : StudyPlan
    where : str
        The plan's file, for messages.
    cells : tuple of Cell
    baseline : Ruleset or None
    notes : tuple of str
        What was left out, and why.
    asked : object
        What the plan does not hold but asks, as JSON: part of the digest.
    """

    plan: StudyPlan
    where: str
    cells: tuple[Cell, ...]
    baseline: Ruleset | None
    notes: tuple[str, ...] = ()
    asked: Any = None

    def scaled(self, scale: float) -> Study:
        """Return the study with its blocks times `scale`."""
        return replace(self, plan=self.plan.scaled(scale))

    @property
    def compares(self) -> bool:
        """Whether cells are compared with others."""
        return self.baseline is not None or self.plan.against == "unchanged"

    @property
    def deals(self) -> Deals:
        """The deals that findings are from: the last range."""
        return self.plan.deals[-1]

    @cached_property
    def digest(self) -> str:
        """Hash of all that decides what is played and asked, 16 hex digits: plan, players, engine.

        Words (name, title, question) and the order of keys have no part in it.
        """
        asked = self.plan.model_dump(mode="json", exclude={"name", "title", "question", "rulesets"})
        played = [
            [
                cell.rules.resolved(),
                [p.model_dump(mode="json") for p in cell.players],
                cell.known,
                [recipe and asdict(recipe) for recipe in cell.recipes],
                cell.share,
            ]
            for cell in self.cells
        ]
        baseline = self.baseline.resolved() if self.baseline else None
        return fingerprint(asked, self.asked, played, baseline, engine_fingerprint(), RULES_VERSION)

    @property
    def seed(self) -> int:
        """The seed: on confirm computed from `digest`, so that nobody can choose it."""
        if self.deals.range == "confirm":
            return int(self.digest, 16)
        return 1 if self.plan.seed is None else self.plan.seed

    def cell_plan(self, cell: Cell) -> Plan:
        """Return what a cell plays."""
        start = first_deal(self.deals.range) + self.deals.first
        known = cell.known or (-1,) * N_CARDS
        # Counting legal moves takes time: a cell of which they are not asked does without.
        counts = self.plan.detail and (not cell.responses or bool(DETAILS & {*cell.responses}))
        one = Plan(cell.rules, cell.players, self.seed, 1, start, known=known, detail=counts)
        return replace(one, deals=self.blocks(cell) * one.games)

    def blocks(self, cell: Cell) -> int:
        """Return the blocks of a cell: those of the last range, unless a limit has fewer."""
        blocks = self.deals.blocks
        limit = self.plan.limits[cell.limit].blocks if cell.limit else 0
        most = min(limit or blocks, blocks)
        return max(round(cell.share * most), min(most, LEAST_BLOCKS))

    @cached_property
    def _places(self) -> dict[tuple[str, str], Cell]:
        return {(cell.rules.name, _who(cell)): cell for cell in self.cells}

    def find(self, rules: str, like: Cell) -> Cell | None:
        """Find the cell of a rule set, by its full name, with the players of another cell."""
        return self._places.get((rules, _who(like)))

    def scoring(self, cell: Cell) -> Ruleset:
        """Return what the players of a cell believe the items to be worth.

        Who was tuned for the rules knows them.
        """
        if cell.recipes:
            return cell.rules
        before = self.baseline or cell.unchanged
        return before if self.plan.beliefs == "baseline" and before else cell.rules


def _who(cell: Cell) -> str:
    return " ".join(player.model_dump_json() for player in cell.players)
