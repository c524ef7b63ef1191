"""Deals that a tip decided, told in words: the hands, the two moves, and what came of each."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kasino_sim.cards import card_text
from kasino_sim.plan import Plan
from kasino_sim.players import Player
from kasino_sim.stats.tip_uses import Uses
from kasino_sim.transcript import Play, PlayedDeal, play_out
from kasino_sim.words import ITEM_NAMES, move_words, pile_text

WIDTH = 76
NAMES = ("Anna", "Bo")  # with the tip, or without it in the same seat, and the other
BEST, WORST = 2, 1  # deals told of each tip: where it gained most, and where it lost most


def tip_deals(
    plan: Plan, uses: Uses, tip: str, players: Sequence[Player], elsewhere: Collection[int] = ()
) -> list[tuple[str, str, int, int, str]]:
    """Tell the deals in which a tip gained and lost most by one use.

    Parameters
    ----------
    plan : Plan
        Whose deals `uses` is of.
    uses : Uses
    tip : str
    players : sequence of Player
        With the tip, and without.
    elsewhere : collection of int
        Deals that were told of other tips: told again only where there is no other.

    Returns
    -------
    list of tuple
        Tip, number of the deal, seat, points gained, and the deal in words.
    """
    games = uses.games
    single = games["uses"] == 1
    turned = np.sign(games["on"]) != np.sign(games["off"])
    gains = np.where(single & turned, games["gain"], 0)
    known = {(deal - plan.first_deal) % 2**64 for deal in elsewhere}
    chosen = _largest(gains, BEST, known)
    chosen += _largest(-gains, WORST, known | {at // 2 for at in chosen})
    found = []
    for at in chosen:
        block, seat = divmod(at, 2)
        deal = (plan.first_deal + block) % 2**64
        text = tell(plan, deal, seat, players)
        found.append((tip, str(deal), seat, int(gains.flat[at]), text))
    return found


def _largest(gains: np.ndarray, most: int, known: Collection[int]) -> list[int]:
    """Return places of the largest gains above 0, a block once, and the `known` blocks last."""
    order = np.argsort(-gains, axis=None, kind="stable")
    order = order[gains.flat[order] > 0]
    _, at = np.unique(order // 2, return_index=True)
    order = order[np.sort(at)]
    again = np.isin(order // 2, list(known))
    return [int(place) for place in np.concatenate([order[~again], order[again]])[:most]]


def tell(plan: Plan, deal: int, seat: int, players: Sequence[Player]) -> str:
    """Tell one deal with the tip and without, from where they part."""
    on, off = players
    with_tip = _played(plan, deal, seat, on, off)
    without = _played(plan, deal, seat, off, off)
    at = _parting(with_tip, without)
    return "\n".join(_lines(with_tip, without, at, seat))


def _played(plan: Plan, deal: int, seat: int, mine: Player, other: Player) -> PlayedDeal:
    named = (
        mine.model_copy(update={"name": "with tip" if mine != other else "without"}),
        other.model_copy(update={"name": "the other"}),
    )
    seats = named if seat == 0 else named[::-1]
    return play_out(replace(plan, players=seats, rotate=False), deal)


def _parting(one: PlayedDeal, other: PlayedDeal) -> int:
    pairs = zip(one.plays, other.plays, strict=True)
    return next(i for i, (a, b) in enumerate(pairs) if a.move != b.move)


def _lines(one: PlayedDeal, other: PlayedDeal, at: int, seat: int) -> Iterator[str]:
    names = NAMES if seat == 0 else NAMES[::-1]
    before = one.plays[at].before
    role = "plays first" if seat == 0 else "deals"
    where = f"Deal {one.deal}, seed {one.plan.seed}."
    yield f"{where} {NAMES[0]} {role}. Play {at + 1} of {len(one.plays)}:"
    for name, player in ((NAMES[0], seat), (NAMES[1], 1 - seat)):
        yield f"  {name:<6} {' '.join(map(card_text, before.hands[player] or ()))}"
    things = [" ".join(map(card_text, before.table))] if before.table else []
    things += [f"{pile_text(b)} = {b.value} ({names[b.owner]})" for b in before.builds]
    yield f"  table  {'; '.join(things) or 'empty'}"
    for title, played in (("With the tip", one), ("Without it", other)):
        yield from textwrap.wrap(
            f"{title}: {_story(played, at, names)}", WIDTH, subsequent_indent="  "
        )
        yield from textwrap.wrap(
            _result(played, seat), WIDTH, initial_indent="  ", subsequent_indent="  "
        )


def _story(played: PlayedDeal, at: int, names: tuple[str, ...]) -> str:
    """Tell the plays from the parting to the end of the hand, and how many the deal has beside."""
    told = []
    for play in played.plays[at : at + 8]:
        told.append(f"{names[play.seat]} {_move(play, names)}")
        if play.new_hands:
            break
    rest = len(played.plays) - at - len(told)
    if rest:
        told.append(f"... and {rest} more play{'s' if rest > 1 else ''}")
    return "; ".join(told) + "."


def _move(play: Play, names: tuple[str, ...]) -> str:
    text = move_words(play.before, play.move, names)
    return text + (" - a sweep" if play.sweep else "")


def _result(played: PlayedDeal, seat: int) -> str:
    points: dict[str, Any] = played.result["points"]
    mine, theirs = (sum(points[item][s] for item in points) for s in (seat, 1 - seat))
    items = [ITEM_NAMES[item] for item in points if points[item][seat]]
    return f"{NAMES[0]} {mine}, {NAMES[1]} {theirs}. {NAMES[0]}: {', '.join(items) or 'nothing'}."
