"""What a ladder says: the order of its players, each step, and what every meeting came to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from kasino_sim.meeting import Meeting
from kasino_sim.rules import Ruleset
from kasino_sim.stats.intervals import CONFIDENCE, UNDETERMINED, row
from kasino_sim.stats.meetings import ahead, anatomy, gap, gap_sums, matches, stopped_row
from kasino_sim.stats.ratings import Ratings, rate
from kasino_sim.stats.sequential import Running
from kasino_sim.studies.ladder import Ladder, Pair, Played, results_by_chunk

FIXED, STOPPED = "fixed", "stopped"
_ENDS = ("value", "se", "low", "high")
_FIGURES = ("points", "ahead", "matches")


@dataclass(frozen=True)
class Reading:
    """What the meetings of a ladder came to.

    Attributes
    ----------
    ladder : Ladder
    played : dict
        (i, j) -> the meeting of players i and j, exploiters behind the players.
    """

    ladder: Ladder
    played: dict[Pair, Played]

    @property
    def names(self) -> list[str]:
        """The players on the ladder, as they were named."""
        return [player.name for player in self.ladder.players]

    @cached_property
    def ratings(self) -> Ratings | None:
        """Joint strengths, None where the results do not fix them."""
        return rate(results_by_chunk(self.played, len(self.names)), len(self.names))

    @property
    def confidence(self) -> float:
        """Confidence of each interval of points, such that all hold together (Šidák 1967)."""
        return float(CONFIDENCE ** (1 / len(self.played)))

    @cached_property
    def order(self) -> list[int]:
        """Numbers of the players, weakest first: by rating, or where there is none by points."""
        k = len(self.names)
        if self.ratings is not None:
            by = self.ratings.fit.strengths
        else:
            by = np.array([np.mean([self.gap(i, j)["value"] for j in range(k) if j != i])
                           for i in range(k)])  # fmt: skip
        return [int(i) for i in np.argsort(by, kind="stable")]

    @property
    def strongest(self) -> int:
        """The number of the strongest player."""
        return self.order[-1]

    def gap(self, i: int, j: int) -> dict[str, float]:
        """Return value, se, low, high of the points a deal by which i is better than j."""
        return self._figures(i, j)["points"]

    def _figures(self, i: int, j: int) -> dict[str, dict[str, float]]:
        """Return value, se, low, high of each of `_FIGURES`, of i against j."""
        if i < j:
            found = self._rows[i, j]
            return {name: found[name] for name in _FIGURES}
        found = self._rows[j, i]
        return {
            "points": _turned(found["points"], 0.0),
            "ahead": _turned(found["ahead"], 1.0),
            "matches": found["matches of the other"],
        }

    @cached_property
    def _rows(self) -> dict[Pair, dict[str, dict[str, float]]]:
        return {pair: self._estimates(found) for pair, found in self.played.items()}

    def _estimates(self, found: Played) -> dict[str, dict[str, float]]:
        meeting, tally = found.meeting, found.tally
        won = [matches(meeting, found.chunks, role) for role in (0, 1)]
        if found.result is None:
            estimate = gap(meeting, tally)
            interval = estimate.interval(self.confidence) if estimate.se else None
            ends = interval or (UNDETERMINED, UNDETERMINED)
            points = row(estimate.mean, estimate.se or UNDETERMINED, *ends)
            share = ahead(meeting, tally)
        else:
            won = [row(one["value"], *[UNDETERMINED] * 3) for one in won]
            planned, alpha = meeting.blocks, 1 - self.confidence
            points = stopped_row(gap_sums(meeting, tally), planned, alpha)
            share = stopped_row(_ahead_sums(meeting, found), planned)
        return {
            "points": points,
            "ahead": share,
            "matches": won[0],
            "matches of the other": won[1],
        }

    # ------------------------------------------------------------ tidy frames

    @cached_property
    def meetings(self) -> pd.DataFrame:
        """A row for each of two players: player, against, deals, run, test, and the figures."""
        everybody = [player.name for player in self.ladder.everybody]
        beats = None if self.ratings is None else self.ratings.beats()
        rows = []
        for i, j in [(i, j) for a, b in self.played for i, j in ((a, b), (b, a))]:
            found = self.played[min(i, j), max(i, j)]
            one: dict[str, object] = {
                "player": everybody[i],
                "against": everybody[j],
                "blocks": found.tally.blocks,
                "deals": found.tally.blocks * found.meeting.games,
                "run": FIXED if found.result is None else STOPPED,
                "test": _test(found, i < j),
            }
            for name, values in self._figures(i, j).items():
                one |= {name if end == "value" else f"{name}_{end}": values[end] for end in _ENDS}
            on_ladder = beats is not None and max(i, j) < len(self.names)
            for end in _ENDS:
                name = "model" if end == "value" else f"model_{end}"
                one[name] = float(beats[end][i, j]) if on_ladder and beats else UNDETERMINED
            rows.append(one)
        return pd.DataFrame(rows)

    @cached_property
    def players(self) -> pd.DataFrame:
        """A row a player, weakest first: player, kind, elo…, gives (points) and to whom."""
        elo = None if self.ratings is None else self.ratings.elo()
        rows = []
        for place, i in enumerate(self.order):
            one: dict[str, object] = {
                "place": place + 1,
                "player": self.names[i],
                "kind": self.ladder.players[i].kind,
            }
            for end in _ENDS:
                name = "elo" if end == "value" else f"elo_{end}"
                one[name] = float(elo[end][i]) if elo else UNDETERMINED
            giver, given = self.most_given(i)
            one |= {"gives_to": giver, "gives": given["value"]}
            one |= {f"gives_{end}": given[end] for end in _ENDS[1:]}
            rows.append(one)
        return pd.DataFrame(rows)

    def most_given(self, i: int) -> tuple[str, dict[str, float]]:
        """Return who takes most off a player, and how much: it gives away at least as much."""
        others = [a if b == i else b for a, b in self.played if i in (a, b)]
        worst = max(others, key=lambda j: self.gap(j, i)["value"])
        return self.ladder.everybody[worst].name, self.gap(worst, i)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """A row a step of the ladder: upper, lower, and what their meeting came to."""
        table = self.meetings.set_index(["player", "against"])
        pairs = zip(self.order[1:], self.order[:-1], strict=True)
        steps = [(self.names[i], self.names[j]) for i, j in pairs]
        return table.loc[steps].rename_axis(["upper", "lower"]).reset_index()

    @cached_property
    def upsets(self) -> list[tuple[str, str, dict[str, float]]]:
        """Pairs in which the lower player of the two beats the higher one for certain."""
        found = []
        for place, i in enumerate(self.order):
            for j in self.order[place + 1 :]:
                low = self.gap(i, j)
                if low["low"] > 0:
                    found.append((self.names[i], self.names[j], low))
        return found

    @cached_property
    def misfit(self) -> float | None:
        """The most by which a share of deals ahead differs from what the ratings expect."""
        shown = self.meetings.dropna(subset=["model", "ahead"])
        return float((shown["model"] - shown["ahead"]).abs().max()) if len(shown) else None

    @cached_property
    def anatomy(self) -> pd.DataFrame:
        """Where points come from; see `stats.meetings.anatomy`."""
        among = {
            pair: (found.meeting, found.tally)
            for pair, found in self.played.items()
            if max(pair) < len(self.names)
        }
        return anatomy(self.names, among)


def _ahead_sums(meeting: Meeting, found: Played) -> Running:
    tally = found.tally
    return Running(
        tally.blocks, tally.sums["ahead"], tally.squares["ahead"], 2 * meeting.comparisons
    )


def _turned(found: dict[str, float], whole: float) -> dict[str, float]:
    """Return what is left of a whole for the other one."""
    return row(whole - found["value"], found["se"], whole - found["high"], whole - found["low"])


def _test(found: Played, first: bool) -> str:
    words = {"higher": ("higher", "lower"), "lower": ("lower", "higher")}
    if found.result is None:
        return ""
    return words.get(found.result, (found.result,) * 2)[0 if first else 1]


def match_words(rules: Ruleset) -> str:
    """Say how long a match is: `to 16`, or `of 3 deals`."""
    match = rules.match
    if match.goal == "points":
        return f"to {match.target}"
    return f"of {match.deals} deal{'s' * (match.deals != 1)}"


def summary_of(reading: Reading) -> dict[str, object]:
    """Return a ladder as JSON has it: undetermined numbers are null."""
    ladder = reading.ladder
    ratings = reading.ratings
    seat = None
    if ratings is not None:
        seat = {end: _plain(float(values[0])) for end, values in ratings.seat_elo().items()}
    return {
        "rules": ladder.rules.name,
        "seed": str(ladder.played_seed),
        "range": "confirm",
        "digest": ladder.digest,
        "match": match_words(ladder.rules),
        "confidence": CONFIDENCE,
        "confidence_each_points": reading.confidence,
        "order": [reading.names[i] for i in reading.order],
        "upsets": [[lower, upper] for lower, upper, _ in reading.upsets],
        "first_seat_elo": seat,
        "largest_misfit": reading.misfit,
        "players": records(reading.players),
        "steps": records(reading.steps),
        "meetings": records(reading.meetings),
        "anatomy": records(reading.anatomy),
    }


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Return a frame's rows as JSON has them."""
    return [{str(k): _plain(v) for k, v in one.items()} for one in frame.to_dict("records")]


def _plain(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
