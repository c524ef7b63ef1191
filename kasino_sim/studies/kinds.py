"""Kinds of study: what each asks by itself, and which tables it leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from kasino_sim.errors import KasinoError, closest
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.match_responses import MATCH_MEASURES
from kasino_sim.stats.responses import ALIKE, RESPONSES
from kasino_sim.stats.tip_audit import tip_tables
from kasino_sim.studies.profile_tables import profile_tables
from kasino_sim.study import Cell, Study


@dataclass(frozen=True)
class Kind:
    """How a study is read.

    Attributes
    ----------
    name : str
    words : str
        What it is about, in a few words.
    responses : tuple of str
        What it tells of every cell, unless the plan names its own.
    tables : callable
        From a cell's counts to tidy frames by name.
    compares : bool
        Whether it needs a baseline.
    once : bool
        Whether what can be asked of any seating is told only of players alike, where the plan has
        such cells.
    chief : tuple of str
        The responses that are printed, where all would be too many; empty for all.
    """

    name: str
    words: str
    responses: tuple[str, ...]
    tables: Callable[[CellCounts], dict[str, pd.DataFrame]] = lambda counts: {}
    compares: bool = False
    once: bool = False
    chief: tuple[str, ...] = ()


_PROFILE = (
    "points", "points_first", "points_dealer", "first_player_advantage",
    "big", "little", "aces", "spades", "cards", "last", "sweeps", "each_spade",
    "sweeps_per_deal", "swept_deals", "captures_per_deal", "trails",
    "builds_per_deal", "raises_per_deal", "adds_per_deal", "stolen_builds", "builds_left",
    "builds_locked", "dry_deals", "residue", "tied_cards", "tied_spades", "drawn_deals",
    "legal_moves", "choices",
)  # fmt: skip
_PROFILE_CHIEF = (
    "points_first", "points_dealer", "first_player_advantage", "sweeps_per_deal", "tied_cards",
    "builds_per_deal", "stolen_builds", "builds_left", "dry_deals", "legal_moves",
)  # fmt: skip
_MATCHES = tuple(measure.name for measure in MATCH_MEASURES)
_QUALITY = (
    "first_player_advantage", "tied_items", "drawn_deals", "skill_points", "skill_deals",
    *_MATCHES, "legal_moves", "choices",
)  # fmt: skip
_COMPARE = (*(name for name in _PROFILE if name != "choices"), *_MATCHES)

_HOUSE_RULES = (
    "points", "points_first", "points_dealer", "first_player_advantage",
    "big", "little", "aces", "spades", "cards", "last", "sweeps",
    "sweeps_per_deal", "captures_per_deal", "builds_per_deal", "trails", "tied_items",
    "drawn_deals", "deals_per_match", "decided_in_last_deal", "legal_moves", "nothing_to_take",
    "skill_points", "skill_deals",
)  # fmt: skip
_HOUSE_CHIEF = (
    "points", "first_player_advantage", "skill_points", "sweeps_per_deal", "deals_per_match",
)  # fmt: skip

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Kind(
                "profile",
                "what a deal gives, and to whom",
                _PROFILE,
                profile_tables,
                chief=_PROFILE_CHIEF,
            ),
            Kind("quality", "how good a game it is", _QUALITY, compares=True, once=True),
            Kind("compare", "what changes with a rule", _COMPARE, compares=True),
            Kind("matches", "how a match goes", _MATCHES),
            Kind(
                "house-rules",
                "what a house rule changes",
                _HOUSE_RULES,
                compares=True,
                once=True,
                chief=_HOUSE_CHIEF,
            ),
            Kind("factorial", "which house rules go together", _HOUSE_RULES, once=True),
            Kind("knock-outs", "what a skill is worth", ()),
            Kind("tips", "what a tip is worth", (), tip_tables),
            Kind("claims", "what rule guides claim", ()),
        )
    }
)
"""Every kind that a plan may name."""


def kind_of(study: Study) -> Kind:
    """Return what reads a study.

    Raises
    ------
    KasinoError
        With a line for each mistake: an unknown kind or response, a question that nothing answers,
        several questions without a correction.
    """
    plan, where = study.plan, study.where
    kind = KINDS.get(plan.kind)
    if kind is None:
        raise KasinoError(
            f"{where}: kind = {plan.kind!r} is not a kind of study{closest(plan.kind, KINDS)} "
            f"(kinds: {', '.join(KINDS)})"
        )
    lines = list(_response_mistakes(study))
    if kind.compares and not study.compares:
        lines.append(f'{where}: kind = "{kind.name}" needs baseline, the rule set to compare with')
    if len(plan.deals) > 1:
        lines.append(
            f'{where}: deals: kind = "{kind.name}" plays one range of deals, not {len(plan.deals)}'
        )
    lines = lines or list(_family_mistakes(study))
    if lines:
        raise KasinoError(dict.fromkeys(lines))
    return kind


def responses_of(study: Study) -> list[str]:
    """List the responses of a study, those of its families with them, in the order of the book."""
    wanted = set(study.plan.responses or KINDS[study.plan.kind].responses)
    wanted |= {name for cell in study.cells for name in cell.responses}
    wanted |= {name for family in study.plan.families for name in family.responses}
    return [name for name in RESPONSES if name in wanted]


def rope_of(study: Study, response: str) -> float:
    """Return what nobody would notice of a response: 0 for what is not in points."""
    return study.plan.rope if RESPONSES[response].in_points else 0.0


def partner(study: Study, cell: Cell) -> Cell | None:
    """Return the cell that a cell is compared with, None for none.

    That is the baseline under the same change with the same players, or else the bare baseline; or
    the cell's own rule set without its change, where the plan compares with that.
    """
    if study.plan.against == "unchanged":
        return study.find(cell.unchanged.name, cell) if cell.unchanged else None
    if study.baseline is None:
        return None
    alike = [
        c for c in study.cells if c.players == cell.players and c.preset == study.plan.baseline
    ]
    same_arm = [c for c in alike if c.arm == cell.arm and c.preset != cell.preset]
    bare = [c for c in alike if not c.arm and c != cell]
    return next(iter(same_arm or (bare if cell.preset == study.plan.baseline else [])), None)


def questions(study: Study, responses: Sequence[str]) -> Iterator[tuple[Cell, str]]:
    """Yield the cells and responses that a family asks about."""
    for cell in study.cells:
        if cell.adapted:
            continue
        for name in responses:
            if asks(study, cell, name) and (not study.compares or partner(study, cell)):
                yield cell, name


def asks(study: Study, cell: Cell, name: str) -> bool:
    """Tell whether a response is told of a cell."""
    if cell.responses:
        return name in cell.responses
    response = RESPONSES[name]
    if KINDS[study.plan.kind].once and not response.players and cell.opponent:
        return all(other.opponent for other in study.cells)
    return response.fits(not cell.opponent)


def _response_mistakes(study: Study) -> Iterator[str]:
    named = [("responses", name) for name in study.plan.responses]
    named += [
        (f"families: {family.name}", name)
        for family in study.plan.families
        for name in family.responses
    ]
    for place, name in named:
        if name not in RESPONSES:
            yield (
                f"{study.where}: {place}: {name} is not a response{closest(name, RESPONSES)} "
                f"(responses: {', '.join(RESPONSES)})"
            )


def _family_mistakes(study: Study) -> Iterator[str]:
    for family in study.plan.families:
        place = f"{study.where}: families: {family.name}"
        asked = list(questions(study, family.responses))
        for name in family.responses:
            if all(name != one for _, one in asked):
                who = (
                    "one player in every seat"
                    if RESPONSES[name].players == ALIKE
                    else ("two players")
                )
                yield f"{place}: {name} is asked in no cell; it needs a seating of {who}"
            if not study.compares and RESPONSES[name].null is None:
                known = [r.name for r in RESPONSES.values() if r.null is not None]
                yield (
                    f"{place}: {name} has no value to be tested against; give a baseline, or ask "
                    f"about {', '.join(known)}"
                )
        if family.correction == "none" and len(asked) > 1:
            yield (
                f'{place}: correction = "none" with {len(asked)} questions; several need max-t, '
                "holm or bh"
            )
