"""What studies ask of a cell: one estimate a response, each said in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from kasino_sim.counted import COUNTED, aim
from kasino_sim.engine.layout import ITEMS
from kasino_sim.match import CARRIED
from kasino_sim.stats import claim_figures as claims
from kasino_sim.stats import tip_audit
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.items import item_weight
from kasino_sim.stats.match_responses import MATCH_MEASURES, MATCHES, MatchMeasure
from kasino_sim.stats.measured import Measured, ratio_of
from kasino_sim.stats.plays import KINDS
from kasino_sim.words import ITEM_NAMES

POINTS, SHARE = "points a deal", "share of deals"
ALIKE, APART = "alike", "apart"


@dataclass(frozen=True)
class Response:
    """A number that a cell has, one of `RESPONSES`.

    Attributes
    ----------
    name : str
    words : str
        What it is called.
    unit : str
    sentence : str
        What it is.
    of : callable
        From a cell's counts to an estimate; None where the cell has no such thing.
    players : str
        ``alike`` where it asks for the same player in every seat, ``apart`` where for two players,
        empty for either.
    null : float or None
        What it would be if nothing were in it; None where no value says so.
    """

    name: str
    words: str
    unit: str
    sentence: str
    of: Callable[[CellCounts], Measured | None]
    players: str = ""
    null: float | None = None

    def fits(self, alike: bool) -> bool:
        """Whether it can be asked where the players are alike, or are not."""
        return not self.players or (self.players == ALIKE) == alike

    @property
    def in_points(self) -> bool:
        """Whether it is judged by the plan's region of practical equivalence, in points."""
        return self.unit == POINTS

    def estimate(self, cell: CellCounts) -> Measured | None:
        """Estimate it, where it fits the cell."""
        return self.of(cell) if self.fits(cell.plan.alike) else None


def _counted(name: str) -> Callable[[CellCounts], Measured]:
    return lambda cell: cell.counted(COUNTED[name](cell.plan))


def _item(item: str) -> Callable[[CellCounts], Measured | None]:
    def of(cell: CellCounts) -> Measured | None:
        scores = item_weight(cell.plan.rules, item)
        return cell.counted(COUNTED[item](cell.plan)) if scores else None

    return of


def _skill(cell: CellCounts) -> Measured:
    """Estimate the edge of who is named first, who plays every deck in every seat."""
    found = cell.counted(COUNTED["skill_points"](cell.plan))
    if "joint" not in cell.tally.counts:
        return found
    joint = cell.tally.counts["joint"]
    leads = np.subtract.outer(*map(np.arange, joint.shape))
    games = float(joint.sum())
    edge, square = float((joint * leads).sum()) / games, float((joint * leads**2).sum()) / games
    # Within each seat, so that neither who plays first nor who is better counts as luck.
    apart = max(0.0, square - edge**2 - found.value**2)
    return replace(found, apart_se=(apart / games) ** 0.5)


def _if_builds(of: Callable[[CellCounts], Measured]) -> Callable[[CellCounts], Measured | None]:
    return lambda cell: of(cell) if cell.plan.rules.build.allowed else None


def _stolen(cell: CellCounts) -> Measured:
    return cell.ratio(["taken_other"], ["taken_own", "taken_other"])


def _share_of_plays(kind: str) -> Callable[[CellCounts], Measured]:
    def of(cell: CellCounts) -> Measured:
        plays = sum(cell.tally.sums[name] for name in KINDS) / cell.tally.blocks
        return cell.mean(kind, plays)

    return of


def _dry(cell: CellCounts) -> Measured:
    return cell.share((cell.ledger.takings.cards == 0).any(axis=1))


def _dry_hands(cell: CellCounts) -> Measured:
    rules = cell.plan.rules
    dry = np.sum([cell.column(f"dry.{side}") for side in range(rules.sides)], axis=0)
    return ratio_of(dry, cell.blocks * cell.plan.games * rules.sides * rules.hands, cell.blocks)


def _drawn(cell: CellCounts) -> Measured:
    totals = aim(cell.plan) * cell.outcomes.totals
    best = totals == totals.max(axis=1, keepdims=True)
    return cell.share(best.sum(axis=1) > 1)


def _tied_items(cell: CellCounts) -> Measured | None:
    scored = [i for i, item in enumerate(CARRIED) if getattr(cell.plan.rules.score, item)]
    return cell.share(cell.outcomes.tied[:, scored].mean(axis=1)) if scored else None


def _legal_moves(cell: CellCounts) -> Measured | None:
    return cell.ratio(["legal_moves"], ["decisions"]) if cell.counts("legal_moves") else None


def _choices(cell: CellCounts) -> Measured | None:
    return cell.ratio(["choices"], ["decisions"]) if cell.counts("choices") else None


def _nothing_to_take(cell: CellCounts) -> Measured | None:
    return cell.glimpse.idle() if cell.plan.detail and cell.glimpse else None


_DEAL = (
    Response(
        "points", "points", POINTS, "Points a deal gives, all sides together.",
        _counted("points"),
    ),
    Response(
        "points_first", "first player's points", POINTS,
        "Points a deal of the side that plays first.", _counted("points_first"),
    ),
    Response(
        "points_dealer", "dealer's points", POINTS,
        "Points a deal of the dealer's side, which plays last.", _counted("points_dealer"),
    ),
    Response(
        "first_player_advantage", "first player's edge", POINTS,
        "Points a deal, towards winning, that the side playing first has more than the others.",
        _counted("first_player_advantage"), ALIKE, 0.0,
    ),
    *(
        Response(
            item, ITEM_NAMES[item], POINTS, f"Points a deal for {ITEM_NAMES[item]}, all sides.",
            _item(item),
        )
        for item in ITEMS
    ),
    Response(
        "sweeps_per_deal", "sweeps made", "sweeps a deal", "Sweeps made in a deal by all players.",
        _counted("sweeps_per_deal"),
    ),
    Response(
        "swept_deals", "deals with a sweep", SHARE, "Share of deals with a sweep or more.",
        _counted("swept_deals"),
    ),
    Response(
        "captures_per_deal", "captures", "captures a deal", "Captures in a deal by all players.",
        _counted("captures_per_deal"),
    ),
    Response(
        "trails", "cards laid", "share of plays",
        "Share of the cards played that neither take nor build.", _share_of_plays("trails"),
    ),
    Response(
        "builds_per_deal", "builds made", "builds a deal", "Builds made in a deal.",
        _if_builds(_counted("builds_per_deal")),
    ),
    Response(
        "raises_per_deal", "builds raised", "builds a deal",
        "Builds raised to a higher value in a deal.", _if_builds(_counted("raises_per_deal")),
    ),
    Response(
        "adds_per_deal", "builds added to", "builds a deal",
        "Times in a deal that a build is added to.", _if_builds(_counted("adds_per_deal")),
    ),
    Response(
        "stolen_builds", "builds stolen", "share of builds taken",
        "Share of the builds taken that are taken by others than their owner.",
        _if_builds(_stolen),
    ),
    Response(
        "builds_left", "builds left over", "builds a deal",
        "Builds that lie on the table when the deal ends.", _if_builds(_counted("builds_left")),
    ),
    Response(
        "builds_locked", "builds locked", "builds a deal",
        "Builds made multiple in a deal, and single ones that an addition made so.",
        _if_builds(_counted("builds_locked")),
    ),
    Response(
        "dry_deals", "dry deals", SHARE,
        "Share of deals in which some side takes nothing at all.", _dry,
    ),
    Response(
        "residue", "cards left over", "cards a deal",
        "Cards left on the table at the end, for the last capturer.", _counted("residue"),
    ),
    Response(
        "tied_cards", "cards tied", SHARE, "Share of deals in which nobody has most cards.",
        _counted("tied_cards"),
    ),
    Response(
        "tied_spades", "spades tied", SHARE, "Share of deals in which nobody has most spades.",
        _counted("tied_spades"),
    ),
    Response(
        "tied_items", "items tied", "share of items",
        "Share of the majority items that score (most cards, most spades) that nobody gets.",
        _tied_items,
    ),
    Response(
        "drawn_deals", "drawn deals", SHARE,
        "Share of deals in which the best total is shared.", _drawn,
    ),
    Response(
        "legal_moves", "legal moves", "moves a play",
        "Legal moves at a play, on average over all plays.", _legal_moves,
    ),
    Response(
        "choices", "plays with a choice", "share of plays",
        "Share of plays with more than one legal move.", _choices,
    ),
    Response(
        "skill_points", "stronger player's edge", POINTS,
        "Points a deal, towards winning, that the player named first has more than the other.",
        _skill, APART, 0.0,
    ),
    Response(
        "skill_deals", "deals to the stronger", SHARE,
        "Share of deals that the player named first wins, drawn ones split.",
        _counted("skill_deals"), APART, 0.5,
    ),
)  # fmt: skip

_DECISIONS = "decisions a deal"
_OF_TIPS = (
    Response(
        "tip_says", "decisions where a tip has a say", _DECISIONS,
        "Decisions of a deal where the first player's tip tells moves apart.",
        tip_audit.tip_says, APART,
    ),
    Response(
        "tip_changes", "decisions changed by a tip", _DECISIONS,
        "Decisions of a deal where the first player makes another move for the tip.",
        tip_audit.tip_changes, APART,
    ),
    Response(
        "tip_share", "share of decisions changed by a tip", "share of decisions",
        "Share of the first player's decisions where another move is made for the tip.",
        tip_audit.tip_share, APART,
    ),
)  # fmt: skip

_BUILDS = "share of builds"
_OF_CLAIMS = (
    Response(
        "points_without_sweeps", "points without sweeps", POINTS,
        "Points a deal gives, all sides together, without those for sweeps.",
        claims.points_without_sweeps,
    ),
    Response(
        "points_to_share", "points at stake", POINTS,
        "Points a deal has to give without sweeps, ties and what nobody takes included.",
        claims.points_to_share,
    ),
    Response(
        "last_to_dealer", "last capture to the dealer", SHARE,
        "Share of deals whose last capture is made by the dealer's side, which plays last.",
        claims.last_to_dealer,
    ),
    Response(
        "last_elsewhere", "last capture elsewhere", SHARE,
        "Share of deals whose last capture is not that of the side which plays last.",
        claims.last_elsewhere,
    ),
    Response(
        "two_or_three_deals", "matches of 2 or 3 deals", MATCHES,
        "Share of matches that last two or three deals.", claims.two_or_three_deals,
    ),
    Response(
        "plays_per_match", "cards played in a match", "cards a match",
        "Cards played in a match, on average.", claims.plays_per_match,
    ),
    Response(
        "lost_builds", "builds lost", _BUILDS,
        "Share of builds that others take or take over, of those that somebody ends.",
        claims.traced_builds(lambda trace: trace.lost()),
    ),
    Response(
        "lost_early", "early builds lost", _BUILDS,
        "The same of builds made in the first half of a deal's hands.",
        claims.traced_builds(lambda trace: claims.in_half(trace, False)),
    ),
    Response(
        "lost_late", "late builds lost", _BUILDS,
        "The same of builds made in the second half.",
        claims.traced_builds(lambda trace: claims.in_half(trace, True)),
    ),
    Response(
        "lost_held_3", "lost with three cards held", _BUILDS,
        "The same of builds made with three cards or more still in the hand.",
        claims.traced_builds(lambda trace: trace.lost(held=[3])),
    ),
    Response(
        "lost_held_1", "lost with one card held", _BUILDS,
        "The same of builds made with one card, the taker, still in the hand.",
        claims.traced_builds(lambda trace: trace.lost(held=[1])),
    ),
    Response(
        "stolen_single", "single builds stolen", "share of builds taken",
        "Share of the builds of one group that are taken by others, of those that are taken.",
        claims.traced_builds(lambda trace: trace.stolen(False)),
    ),
    Response(
        "stolen_double", "multiple builds stolen", "share of builds taken",
        "The same of multiple builds.", claims.traced_builds(lambda trace: trace.stolen(True)),
    ),
    Response(
        "cards_single", "cards in a single build", "cards a build",
        "Cards in a build of one group that its owner takes.",
        claims.traced_builds(lambda trace: trace.cards_in_builds(False)),
    ),
    Response(
        "cards_double", "cards in a multiple build", "cards a build",
        "Cards in a multiple build that its owner takes.",
        claims.traced_builds(lambda trace: trace.cards_in_builds(True)),
    ),
    Response(
        "dry_hands", "dry hands", "share of hands",
        "Share of hands (so many plays as are dealt at a time) in which a side takes nothing.",
        _dry_hands,
    ),
    Response(
        "idle_turns", "turns with nothing to take", "share of turns",
        "Share of turns on which no card of the hand takes anything.",
        claims.traced(lambda trace: trace.idle()),
    ),
    Response(
        "nothing_to_take", "turns with nothing to take", "share of turns",
        "The same, in some of the decks of each chunk; where the plan wants detail.",
        _nothing_to_take,
    ),
)  # fmt: skip


def _of_matches(measure: MatchMeasure) -> Response:
    return Response(
        measure.name,
        measure.words,
        measure.unit,
        measure.sentence,
        measure.estimate,
        measure.players,
        measure.null,
    )


RESPONSES: Mapping[str, Response] = MappingProxyType(
    {r.name: r for r in (*_DEAL, *_OF_TIPS, *map(_of_matches, MATCH_MEASURES), *_OF_CLAIMS)}
)
"""All responses by name, in the order in which they are told."""
