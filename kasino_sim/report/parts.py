"""What a report is made of: sections, pictures and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from kasino_sim.report.kept import KeptStudy
from kasino_sim.report.names import label
from kasino_sim.studies.profile import Profile, side_by_side


@dataclass(frozen=True)
class Material:
    """What sections draw on.

    Attributes
    ----------
    profiles : tuple of Profile
        A rule set each, in the order of the report.
    command : str
        The command that makes the same report.
    studies : tuple of KeptStudy
        Studies that the report tells.
    """

    profiles: tuple[Profile, ...]
    command: str
    studies: tuple[KeptStudy, ...] = ()

    def of_kind(self, kind: str) -> list[KeptStudy]:
        """List the studies of a kind."""
        return [study for study in self.studies if study.kind == kind]

    def with_table(self, name: str) -> list[KeptStudy]:
        """List the studies that have a table."""
        return [study for study in self.studies if study.has(name)]

    @cached_property
    def measures(self) -> pd.DataFrame:
        """The measures of all rule sets, under one another."""
        return side_by_side(self.profiles)

    @cached_property
    def labels(self) -> dict[str, str]:
        """Rule sets' names as they stand beside figures: short, and no two alike."""
        found: dict[str, str] = {}
        for profile in self.profiles:
            text, number = label(profile.rules), 1
            while text in found.values():
                number += 1
                text = f"{label(profile.rules)[:-2]}~{number}"
            found[profile.rules.name] = text
        return found

    def profile(self, name: str) -> Profile:
        """Return the profile of a rule set by its name."""
        return next(p for p in self.profiles if p.rules.name == name)


def always(profiles: Sequence[Profile]) -> bool:
    """Need nothing beyond a profile."""
    return True


def several_rule_sets(profiles: Sequence[Profile]) -> bool:
    """Need two rule sets or more."""
    return len(profiles) > 1


def different_players(profiles: Sequence[Profile]) -> bool:
    """Need different players in the seats."""
    return any(not p.run.plan.alike for p in profiles)


@dataclass(frozen=True)
class Section:
    """A part of the report; each file in `report/sections` holds one as `SECTION`.

    Attributes
    ----------
    order : int
        Its place among the others, ascending.
    anchor, title : str
    template : str
        File in `report/templates`.
    context : callable
        Makes the template's variables out of the material.
    needs : callable
        Says of the profiles whether there is anything to show.
    study : str
        The kind of study that it tells, empty for none.
    table : str
        The table of studies that it tells, empty for none.
    """

    order: int
    anchor: str
    title: str
    template: str
    context: Callable[[Material], dict[str, Any]]
    needs: Callable[[Sequence[Profile]], bool] = always
    study: str = ""
    table: str = ""

    def shows(self, material: Material) -> bool:
        """Whether there is anything to show."""
        if self.table:
            return bool(material.with_table(self.table))
        if self.study:
            return bool(material.of_kind(self.study))
        return self.needs(material.profiles)


@dataclass(frozen=True)
class Cell:
    """A cell of a table: text, a smaller line under it, what it is sorted by, where it leads."""

    text: str
    small: str = ""
    sort: str = ""
    link: str = ""


@dataclass(frozen=True)
class Table:
    """A table; the first cell of a row names the row. `intervals`: whether cells carry them."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sortable: bool = False
    intervals: bool = True


@dataclass(frozen=True)
class Picture:
    """A figure with what it shows in words and the table behind it."""

    title: str
    caption: str
    alt: str
    uri: str
    width: int
    height: int
    table: Table
