"""Findings tried again: on other decks, and with other players; what of them survives.

A finding that surprises was looked for among many. It is put together anew out of the cells that it
rests on, played with a seed that no study has had, and once more with other players in the places
of some. Nothing else of the study is played.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from kasino_sim.attempts import fingerprint
from kasino_sim.errors import KasinoError, closest
from kasino_sim.players import Player, load_player
from kasino_sim.simulate import Spaces
from kasino_sim.stats.families import SAME, Answer, Question, answer
from kasino_sim.stats.measured import Measured, quotient, weighed
from kasino_sim.stats.multiplicity import ABOVE, BELOW, INSIDE, SMALL, UNDECIDED, UNDETERMINED
from kasino_sim.stats.responses import RESPONSES
from kasino_sim.studies import claims, knockouts
from kasino_sim.studies.cells import CellRunner
from kasino_sim.studies.differences import NOT_FOUND
from kasino_sim.studies.kinds import partner
from kasino_sim.study import Cell, Study
from kasino_sim.tip_cells import BASE, COMPENSATED, POOL
from kasino_sim.tips import TIP_WORDS

SURVIVED, DID_NOT, OPEN, SAME_PLAYERS = "survived", "did not", "cannot be told", "not tried"
ONLY_SIGN = "only its sign"
TABLE = "again"  # its name in the study's folder
ALIKE = 1.96  # standard errors by which two estimates of the same may lie apart
NUMBERS = ("est", "se", "lo", "hi")
FIRST = (
    "id", "estimand", "arm", "ruleset", "level", "opponent", "unit", "verdict", *NUMBERS,
)  # fmt: skip
COLUMNS = (
    *FIRST, *(f"again_{name}" for name in NUMBERS), "again_says",
    *(f"others_{name}" for name in NUMBERS), "others_say", "players", "survived",
    "attempt", "blocks",
)  # fmt: skip
_NEVER = "it is put together from all cells of the study; play the plan again instead"


@dataclass(frozen=True)
class Term:
    """A response of a cell, and how many times it counts."""

    times: float
    cell: Cell
    response: str


@dataclass(frozen=True)
class Combination:
    """What a finding is made of: the sum of its terms and `plus`, over that of `per` if any.

    Attributes
    ----------
    terms, per : tuple of Term
    plus, null : float
        `null` is what it would be if nothing were in it.
    least, most : float or None
        Where a claim wants it.
    """

    terms: tuple[Term, ...]
    per: tuple[Term, ...] = ()
    plus: float = 0.0
    null: float = 0.0
    least: float | None = None
    most: float | None = None

    @property
    def every(self) -> tuple[Term, ...]:
        """All terms."""
        return (*self.terms, *self.per)

    @property
    def in_points(self) -> bool:
        """Whether it is judged by the region that nobody would notice."""
        return not self.per and all(RESPONSES[term.response].in_points for term in self.terms)

    def estimate(self, of: Callable[[Cell, str], Measured | None]) -> Measured | None:
        """Put the estimate together; None where a part of it is not there."""
        sums = []
        for terms in (self.terms, self.per):
            found = [(term.times, of(term.cell, term.response)) for term in terms]
            if any(part is None for _, part in found):
                return None
            sums.append([(times, part) for times, part in found if part is not None])
        above = weighed(sums[0], self.plus)
        return quotient(above, weighed(sums[1])) if sums[1] else above

    def seated(self, study: Study, instead: Mapping[str, str]) -> Combination:
        """Return the same with other players."""

        def terms(some: Sequence[Term]) -> tuple[Term, ...]:
            return tuple(replace(one, cell=other_players(study, one.cell, instead)) for one in some)

        return replace(self, terms=terms(self.terms), per=terms(self.per))


# ---------------------------------------------------------------- what a finding is made of


def combination_of(study: Study, finding: str) -> Combination:
    """Return what a finding is made of.

    Parameters
    ----------
    study : Study
    finding : str
        Its id.

    Raises
    ------
    KasinoError
        Where it is none of the study's, or one that no few cells make.
    """
    for make in _MAKERS:
        found = make(study, finding)
        if found is not None:
            return found
    raise KasinoError(f"--finding {finding}: {_NEVER}")


def _of_cells(study: Study, finding: str) -> Combination | None:
    """Read ``cell:response`` and ``cell:response:less:rules``."""
    name, _, rest = finding.partition(":")
    response, _, less = rest.partition(":")
    cell = _cell(study, name)
    if cell is None or response not in RESPONSES:
        return None
    if not less:
        return Combination((Term(1.0, cell, response),), null=float(RESPONSES[response].null or 0))
    base = partner(study, cell)
    if base is None or less != f"less:{base.rules.name}":
        return None
    return Combination((Term(1.0, cell, response), Term(-1.0, base, response)))


def _of_tips(study: Study, finding: str) -> Combination | None:
    name, _, stage = finding.rpartition(":")
    cell = _cell(study, name)
    if study.plan.kind != "tips" or cell is None or cell.role[0] != stage:
        return None
    if stage == COMPENSATED:
        raise KasinoError(f"--finding {finding}: is about players tuned anew; {_NEVER}")
    terms = [Term(1.0, cell, "skill_points")]
    if stage == POOL:
        base = next(c for c in study.cells if c.role[0] == BASE and c.players[1] == cell.players[1])
        terms.append(Term(-1.0, base, "skill_points"))
    return Combination(tuple(terms))


def _of_skills(study: Study, finding: str) -> Combination | None:
    name, _, kind = finding.rpartition(":")
    cell = _cell(study, name)
    kinds = (knockouts.SINGLE, knockouts.PAIR, knockouts.INTERACTION)
    if study.plan.kind != "knock-outs" or cell is None or kind not in kinds:
        return None
    terms = [Term(1.0, cell, "skill_points")]
    if kind == knockouts.INTERACTION:
        terms += [
            Term(-1.0, other, "skill_points")
            for other in study.cells
            if other.preset == cell.preset and len(other.role) == 1 and other.role[0] in cell.role
        ]
    return Combination(tuple(terms))


def _of_claims(study: Study, finding: str) -> Combination | None:
    if study.plan.kind != "claims":
        return None
    measure = next((m for m in claims.study_measures(study) if m.id == finding), None)
    if measure is None or not measure.parts:
        return None

    def terms(parts: Sequence[Any]) -> Iterator[Term]:
        for part in parts:
            rules, players = part.cell.rules.name, part.cell.players
            cell = next(
                c
                for c in study.cells
                if (c.rules.name, c.players, c.known) == (rules, players, part.cell.known)
            )
            yield Term(part.times, cell, part.response)

    check = measure.check
    ends = (None, None) if measure.claim.question else (check.least, check.most)
    return Combination(
        tuple(terms(measure.parts)),
        tuple(terms(measure.per)),
        check.plus,
        least=ends[0],
        most=ends[1],
    )


_MAKERS = (_of_tips, _of_claims, _of_cells, _of_skills)


def _cell(study: Study, name: str) -> Cell | None:
    return next((cell for cell in study.cells if cell.name == name), None)


# ---------------------------------------------------------------- other players


def parse_instead(text: str) -> dict[str, str]:
    """Read who plays instead of whom: ``careful=tuned,greedy=beginner``.

    Raises
    ------
    KasinoError
        With a line for each part that is none, and each player that does not exist.
    """
    found, lines = dict[str, str](), list[str]()
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        old, equals, new = (piece.strip() for piece in part.partition("="))
        if not equals:
            lines.append(f"--instead {part!r}: must be two players, as in careful=tuned")
            continue
        for name in (old, new):
            try:
                load_player(name)
            except KasinoError as error:
                lines += [f"--instead: {line}" for line in error.lines]
        found[old] = new
    if lines:
        raise KasinoError(lines)
    return found


def other_players(study: Study, cell: Cell, instead: Mapping[str, str]) -> Cell:
    """Return a cell with other players in some places: with the same tips, and lacking the same."""
    players = tuple(_other(study, cell, player, instead) for player in cell.players)
    return replace(cell, players=players)


def _other(study: Study, cell: Cell, player: Player, instead: Mapping[str, str]) -> Player:
    """Return who plays instead, with all by which the player differs from its own file."""
    name = max((n for n in instead if _is(player, n)), key=len, default="")
    if not name:
        return player
    known, new, more = load_player(name), load_player(instead[name]), player.name[len(name) :]
    changed = {k: w for k, w in player.weights.items() if w != known.weights.get(k)}
    changed |= _lacking(study, cell, more)
    return new.model_copy(
        update={
            "name": instead[name] + more,
            "weights": {**new.weights, **changed},
            "memory": new.memory and player.memory,
            "tips": {**new.tips, **player.tips},
        }
    )


def _lacking(study: Study, cell: Cell, more: str) -> dict[str, float]:
    """Return what a player who lacks an idea or a skill weighs, by what the name says more."""
    if study.plan.kind == "tips" and more.startswith("~"):
        return dict.fromkeys(TIP_WORDS[cell.role[1]].proxies, 0.0)
    if study.plan.kind == "knock-outs" and more:
        lost = [skill.weights for skill in study.plan.skills if skill.name in cell.role]
        return {name: weight for weights in lost for name, weight in weights.items()}
    return {}


def _is(player: Player, name: str) -> bool:
    return player.name == name or player.name.startswith(
        tuple(f"{name}{mark}" for mark in ("+", "-", "~"))
    )


# ---------------------------------------------------------------- playing


@dataclass(frozen=True)
class Again:
    """What is tried again.

    Attributes
    ----------
    study : Study
    findings : pandas.DataFrame
        The findings of the study.
    chosen : tuple of str
        Their ids.
    instead : dict of str to str
        Player to who plays in its place, the second time.
    attempt : int
        From 2: hashed into the seed, so that each has decks of its own.
    """

    study: Study
    findings: pd.DataFrame
    chosen: tuple[str, ...]
    instead: Mapping[str, str]
    attempt: int

    def __post_init__(self) -> None:
        """Refuse findings that there are not, and attempts that were made."""
        known = list(self.findings["id"])
        lines = [
            f"--finding {one}: is none of the study's{closest(one, known)}; findings.csv has them "
            "in its column id"
            for one in self.chosen
            if one not in known
        ]
        if not self.chosen:
            lines.append("--finding: names none; findings.csv has them in its column id")
        if self.attempt < 2:
            lines.append(f"--attempt {self.attempt}: must be 2 or more; the study itself was 1")
        if lines:
            raise KasinoError(lines)

    @cached_property
    def seed(self) -> int:
        """The seed of both times."""
        return int(fingerprint(self.study.digest, "again", self.attempt), 16)

    @cached_property
    def combined(self) -> dict[str, Combination]:
        """What each finding is made of."""
        return {one: combination_of(self.study, one) for one in self.chosen}

    @cached_property
    def others(self) -> dict[str, Combination]:
        """The same with other players, of findings in which somebody is replaced."""
        swapped = {
            one: made.seated(self.study, self.instead) for one, made in self.combined.items()
        }
        return {one: made for one, made in swapped.items() if made != self.combined[one]}

    @cached_property
    def cells(self) -> list[tuple[Cell, tuple[str, ...]]]:
        """The cells that are played, each once, and what is asked of them."""
        asked: dict[tuple[str, str], tuple[Cell, dict[str, None]]] = {}
        for combined in (*self.combined.values(), *self.others.values()):
            for term in combined.every:
                cell = term.cell
                asked.setdefault(_key(cell), (cell, {}))[1][term.response] = None
        return [(cell, tuple(names)) for cell, names in asked.values()]

    @property
    def games(self) -> int:
        """Games that are played."""
        plans = [self.study.cell_plan(cell) for cell, _ in self.cells]
        return sum(plan.blocks * plan.games for plan in plans)

    def play(
        self, threads: int | None = None, told: Callable[[int], Any] = lambda games: None
    ) -> pd.DataFrame:
        """Play all that the findings rest on.

        Parameters
        ----------
        threads : int, optional
            Changes nothing in the result.
        told : callable
            Gets the games of each chunk when it is done.

        Returns
        -------
        pandas.DataFrame
            `COLUMNS`: a finding a row. Intervals hold for all of them together.
        """
        known: dict[tuple[str, str, str], Measured | None] = {}
        spaces = Spaces()
        for cell, responses in self.cells:
            plan = replace(self.study.cell_plan(cell), seed=self.seed)
            runner = CellRunner(plan, self.study.scoring(cell), spaces)
            counts = runner.play(None, False, threads, told)
            for name in responses:
                known[(*_key(cell), name)] = RESPONSES[name].estimate(counts)

        def of(cell: Cell, response: str) -> Measured | None:
            return known[(*_key(cell), response)]

        again = self._answered({one: made.estimate(of) for one, made in self.combined.items()})
        others = self._answered({one: made.estimate(of) for one, made in self.others.items()})
        rows = [self._row(one, again, others) for one in self.chosen]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def _answered(self, found: Mapping[str, Measured | None]) -> dict[str, tuple[Measured, Answer]]:
        known = {one: of for one, of in found.items() if of is not None}
        questions = []
        for one, of in known.items():
            combined = self.combined[one]
            rope = self.study.plan.rope if combined.in_points else 0.0
            questions.append(Question(replace(of, value=of.value - combined.null), rope))
        told = answer(questions, "max-t", self.study.plan.alpha) if questions else []
        return {one: (of, got) for (one, of), got in zip(known.items(), told, strict=True)}

    def _row(
        self,
        one: str,
        again: Mapping[str, tuple[Measured, Answer]],
        others: Mapping[str, tuple[Measured, Answer]],
    ) -> dict[str, object]:
        first = self.findings[self.findings["id"] == one].iloc[0]
        combined = self.combined[one]
        says = _says(first, combined, again.get(one))
        tried = one in self.others
        say = _says(first, combined, others.get(one)) if tried else SAME_PLAYERS
        swapped = [f"{new} for {old}" for old, new in self.instead.items()] if tried else []
        return {
            **{name: first[name] for name in FIRST},
            **_numbers("again_", again.get(one), combined.null),
            "again_says": says,
            **_numbers("others_", others.get(one), combined.null),
            "others_say": say,
            "players": ", ".join(swapped),
            "survived": survived(says, say),
            "attempt": self.attempt,
            "blocks": self.study.deals.blocks,
        }


def _key(cell: Cell) -> tuple[str, str]:
    return cell.name, " ".join(player.name for player in cell.players)


def _numbers(prefix: str, found: tuple[Measured, Answer] | None, null: float) -> dict[str, float]:
    if found is None:
        return {f"{prefix}{name}": float("nan") for name in NUMBERS}
    of, got = found
    se = float("nan") if of.se is None else of.se
    values = (of.value, se, got.low + null, got.high + null)
    return {f"{prefix}{name}": x for name, x in zip(NUMBERS, values, strict=True)}


def _says(first: Any, combined: Combination, found: tuple[Measured, Answer] | None) -> str:
    """Say whether a second estimate bears out what the first one said."""
    if found is None or pd.isna(found[1].low):
        return OPEN
    low, high = found[1].low, found[1].high
    verdict, new = _plain(str(first["verdict"])), found[1].verdict
    if verdict in (UNDECIDED, UNDETERMINED) or first["verdict"] == knockouts.CONTAINS:
        return OPEN  # it said nothing
    if combined.least is not None or combined.most is not None:
        return _as_claimed(str(first["verdict"]), combined, low, high)
    if not verdict:
        return _as_described(first, found[0])
    if verdict in (INSIDE, SMALL, SAME, NOT_FOUND):
        within = new in (INSIDE, SMALL, SAME)
        return SURVIVED if within else DID_NOT if new in (ABOVE, BELOW) else OPEN
    seen = float(first["est"]) - combined.null
    if seen < 0:
        seen, low, high = -seen, -high, -low
    if low > 0:
        return ONLY_SIGN if new in (INSIDE, SMALL) else SURVIVED
    return DID_NOT if new in (INSIDE, SAME) or high < seen else OPEN


def _plain(verdict: str) -> str:
    """Return a verdict without what is said behind it, such as that it was explored."""
    known = (ABOVE, BELOW, INSIDE, SMALL, SAME, NOT_FOUND, UNDECIDED, UNDETERMINED)
    return next((one for one in known if verdict.startswith(one)), verdict)


def _as_described(first: Any, again: Measured) -> str:
    """Say of a number without a verdict whether it came out alike, as far as errors tell."""
    error = math.hypot(float(first["se"]), again.se or math.nan)
    if not math.isfinite(error):
        return OPEN
    return SURVIVED if abs(again.value - float(first["est"])) <= ALIKE * error else DID_NOT


def with_earlier(found: pd.DataFrame, earlier: pd.DataFrame | None) -> pd.DataFrame:
    """Put what was tried again behind what was tried before: no attempt is forgotten.

    Parameters
    ----------
    found : pandas.DataFrame
        `COLUMNS`.
    earlier : pandas.DataFrame or None
        The same; of an attempt that was made just so once more only the last is kept.
    """
    if earlier is None or not set(COLUMNS) <= set(earlier):
        return found
    both = pd.concat([earlier[list(COLUMNS)], found], ignore_index=True)
    same = ["id", "players", "attempt", "blocks"]
    return both.drop_duplicates(same, keep="last").reset_index(drop=True)


def _as_claimed(verdict: str, combined: Combination, low: float, high: float) -> str:
    least = float("-inf") if combined.least is None else combined.least
    most = float("inf") if combined.most is None else combined.most
    holds = low >= least and high <= most
    fails = high < least or low > most
    if not holds and not fails:
        return OPEN
    return SURVIVED if (claims.HOLDS if holds else claims.FAILS) == verdict else DID_NOT


def survived(again: str, others: str) -> str:
    """Say what is left of a finding that was tried on other decks and with other players."""
    if again != SURVIVED:
        return again
    if others in (SURVIVED, SAME_PLAYERS):
        return SURVIVED
    if others == ONLY_SIGN:
        return f"{SURVIVED}; for others {ONLY_SIGN}"
    return "only for these players" if others == DID_NOT else f"{SURVIVED}; for others {OPEN}"
