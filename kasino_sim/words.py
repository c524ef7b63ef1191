"""Moves and rules in words, as they are spoken at a card table.

A move is told from its text and the position alone: how its cards make groups is worked out here
anew, apart from the engine, and what does not come out is not a move of these rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from kasino_sim.cards import card_text
from kasino_sim.engine.layout import ITEMS
from kasino_sim.notation import Build, Move, Position
from kasino_sim.pack import hand_values, item_weights, table_values
from kasino_sim.rules import Ruleset

Group = tuple[tuple[int, int], ...]
"""Cards that together have one value, each with its own: ((card, value), ...)."""

_FIRST_FACE = 40  # number of the jack of clubs
_MANY: Mapping[int, str] = MappingProxyType({2: "double", 3: "triple", 4: "quadruple"})

# ---------------------------------------------------------------- groups


class Thing(NamedTuple):
    """A card that may go into a group: its possible values, and whether it may be in a sum."""

    card: int
    values: tuple[int, ...]
    sums: bool


ITEM_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "big": "big casino",
        "little": "little casino",
        "aces": "aces",
        "spades": "most spades",
        "cards": "most cards",
        "last": "last capture",
        "sweeps": "sweeps",
        "each_spade": "each spade",
    }
)


def item_names(rules: Ruleset) -> dict[str, str]:
    """Name the scoring items, the casinos with their cards."""
    casinos = {
        item: f"{ITEM_NAMES[item]} {getattr(rules.values, item)}" for item in ("big", "little")
    }
    return {**ITEM_NAMES, **casinos}


def split(
    things: Sequence[Thing], targets: tuple[int, ...], most_with_first: int = 52
) -> list[Group] | None:
    """Split cards into groups that each have one of the target values.

    Parameters
    ----------
    things : sequence of Thing
        All of them are used; quickest with the highest first.
    targets : tuple of int
        The values a group may have.
    most_with_first : int
        How many others the group of the first card may hold.

    Returns
    -------
    list of Group or None
        The group of the first card first; None where the cards do not come out even.
    """
    if not things:
        return []
    first, rest = things[0], things[1:]
    for target in targets:
        for own in first.values:
            for others in _sums(rest if first.sums else (), target - own):
                if len(others) > most_with_first:
                    continue
                used = {card for card, _ in others}
                found = split([t for t in rest if t.card not in used], targets)
                if found is not None:
                    return [((first.card, own), *others), *found]
    return None


def _sums(things: Sequence[Thing], missing: int) -> Iterator[Group]:
    """Yield every choice of cards and values with this sum."""
    if missing == 0:
        yield ()
    for i, thing in enumerate(things):
        for value in thing.values if thing.sums else ():
            if value <= missing:
                for others in _sums(things[i + 1 :], missing - value):
                    yield ((thing.card, value), *others)


def _on_table(rules: Ruleset, cards: Iterable[int], sums: bool = True) -> list[Thing]:
    """Return loose cards, the highest first, as they count under the rules."""
    numeric = rules.values.faces == "numeric"
    return [
        Thing(c, table_values(rules, c), sums and (numeric or c < _FIRST_FACE))
        for c in sorted(cards, reverse=True)
    ]


def capture_groups(
    rules: Ruleset, before: Position, move: Move
) -> tuple[list[Group], tuple[int, ...]] | None:
    """Say how a capture comes about.

    Returns
    -------
    (list of Group, tuple of int) or None
        The groups of loose cards, and the values that the card played has for them and for the
        builds; None where there are no such groups, and only the clear card's power does it.
    """
    values, built = hand_values(rules, move.card), {b.value for b in _used(before, move)}
    equals_only = rules.values.faces == "pairs" and move.card >= _FIRST_FACE
    things = _on_table(rules, move.loose, not equals_only)
    ways: list[tuple[int, ...]] = [(v,) for v in values]
    if rules.values.per_play == "any" and len(values) > 1:
        ways.append(values)
    for way in ways:
        found = split(things, way) if built <= set(way) else None
        if found is not None:
            return found, tuple(sorted(built | {sum(v for _, v in group) for group in found}))
    return None


def build_groups(rules: Ruleset, before: Position, move: Move) -> list[Group] | None:
    """Say how the cards of a build, or those added to one, make groups of its value.

    Returns
    -------
    list of Group or None
        The group of the card played first; None where the cards do not come out even. A raise is
        the group of the card played alone, at the value by which it raises.
    """
    in_hand = rules.build.card_value == "hand"
    values = hand_values(rules, move.card) if in_hand else table_values(rules, move.card)
    numeric = rules.values.faces == "numeric"
    played = Thing(move.card, values, numeric or move.card < _FIRST_FACE)
    step = sum(build.value for build in _used(before, move) if build.value != move.value)
    most = 1 if rules.build.addends == "one" else 52
    return split([played, *_on_table(rules, move.loose)], (move.value - step,), most)


def _used(before: Position, move: Move) -> list[Build]:
    return [build for build in before.builds if build.cards in move.builds]


# ---------------------------------------------------------------- a move


def move_words(before: Position, move: Move, names: Sequence[str]) -> str:
    """Tell a move, such as `takes 3c+5d, 8s with 8h` or `builds 9: 5h on 4d`.

    Parameters
    ----------
    before : Position
        As it was when the move was played.
    move : Move
    names : sequence of str
        The players' names, by seat.
    """
    if not move.act:
        return f"lays {card_text(move.card)}"
    return (_capture if move.act == "x" else _build)(before, move, names)


def _capture(before: Position, move: Move, names: Sequence[str]) -> str:
    found = capture_groups(before.rules, before, move)
    if found is None:
        taken = ", ".join(map(card_text, move.loose))
        power = f"{card_text(move.card)}, which takes all"
    else:
        taken = _groups_text(sorted(found[0], key=_order))
        power = _as(move.card, *found[1])
    builds = _builds_text(before, move, names)
    return f"takes {' and '.join(filter(None, [taken, builds]))} with {power}"


def _build(before: Position, move: Move, names: Sequence[str]) -> str:
    groups = build_groups(before.rules, before, move) or []
    used, value = _used(before, move), move.value
    if used:
        return _on_build(before, move, names, groups)
    if len(groups) == 1:
        (played, own), *others = groups[0]
        return f"builds {value}: {_as(played, own)} on {_group_text(tuple(others))}"
    many = _MANY.get(len(groups), f"{len(groups)}-fold")
    return f"makes a {many} build of {value}: {_groups_text(groups)}"


def _on_build(before: Position, move: Move, names: Sequence[str], groups: list[Group]) -> str:
    """Tell a raise, or an addition to a build."""
    build, what = _used(before, move)[0], _builds_text(before, move, names)
    if build.value != move.value:
        return f"raises {what} to {move.value} with {_groups_text(groups)}"
    if len(groups) == 1 and not build.locked:
        return f"doubles {what} with {_groups_text(groups)}"
    return f"adds {_groups_text(groups)} to {what}"


def _builds_text(before: Position, move: Move, names: Sequence[str]) -> str:
    """Name the builds that a move takes or uses; whose they are, where they are not the own."""
    parts = []
    for build in _used(before, move):
        own = build.owner == before.to_move
        whose = "the" if own else f"{names[build.owner]}'s"
        parts.append(f"{whose} build of {build.value} {pile_text(build)}")
    return " and ".join(parts)


def pile_text(build: Build) -> str:
    """Write the cards of a build, `[4d 5h]`."""
    return f"[{' '.join(map(card_text, build.cards))}]"


def _order(group: Group) -> tuple[int, ...]:
    return tuple(sorted(card for card, _ in group))


def _groups_text(groups: Iterable[Group]) -> str:
    return ", ".join(map(_group_text, groups))


def _group_text(group: Group) -> str:
    return "+".join(_as(card, value) for card, value in sorted(group))


def _as(card: int, *values: int) -> str:
    """Write a card, and its value where that is not its number."""
    usual = values == (card // 4 + 1,)
    return card_text(card) if usual else f"{card_text(card)} as {_and([*map(str, values)])}"


# ---------------------------------------------------------------- the rules


def item_words(rules: Ruleset) -> dict[str, str]:
    """Name the scoring items that are worth something, in the order of the score."""
    beyond = rules.score.each_spade_from
    words = item_names(rules)
    if beyond:
        words["each_spade"] = f"spades beyond {beyond}"
    weights = item_weights(rules)
    return {item: text for (item, text), w in zip(words.items(), weights, strict=True) if w}


def rules_words(rules: Ruleset) -> list[str]:
    """Tell the handful of rules that matter, a paragraph each: cards, play, builds, points."""
    paragraphs = [_value_words(rules), _play_words(rules), _build_words(rules), _score_words(rules)]
    return [" ".join(sentences) for sentences in paragraphs if sentences]


def _value_words(rules: Ruleset) -> list[str]:
    values = rules.values
    special = [("an ace", values.ace_hand), (values.little, values.little_hand)]
    special += [(values.big, values.big_hand)]
    in_hand = [
        f"{name} is {_or(v)}"
        for (name, v), usual in zip(special, (values.ace_table, (2,), (10,)), strict=True)
        if v != usual
    ]
    where = " on the table" if values.ace_hand != values.ace_table else ""
    sentences = [f"An ace is {_or(values.ace_table)}{where}."]
    if in_hand:
        sentences.append(f"From the hand {_and(in_hand)}.")
    if values.per_play == "any" and any(len(v) > 1 for _, v in special):
        sentences.append("One capture may use several values of its card.")
    faces = {"unsummable": "are in no sum", "pairs": "take, and are taken by, their equals only"}
    if values.faces in faces:
        sentences.append(f"Face cards {faces[values.faces]}.")
    return sentences


def _play_words(rules: Ruleset) -> list[str]:
    capture, sweep, deal = rules.capture, rules.sweep, rules.deal
    clear = capture.clear_card
    told = {
        "Point cards among the first table cards are replaced.": deal.swap_point_cards,
        "After each play one card is drawn.": deal.draw == "single",
        "A card that can take may not be laid.": capture.obligation == "forced",
        "Nobody lays a card who can take or build.": capture.obligation == "must-act",
        "A capture takes every further group that it can.": capture.extent == "maximal",
        f"{clear} may take all that lies on the table.": bool(clear),
        "This power makes no sweep.": bool(clear and sweep.points and not sweep.clear_card),
        "Only the last card of a hand makes a sweep.": sweep.when == "last-hand-card",
        "The last card of the deal makes no sweep.": sweep.excluded == "final-play",
        "There are no sweeps once the stock is empty.": sweep.excluded == "last-batch",
        "Sweeps cancel one another.": sweep.cancel,
    }
    return [sentence for sentence, holds in told.items() if holds]


def _build_words(rules: Ruleset) -> list[str]:
    build = rules.build
    if not build.allowed:
        return ["There are no builds."]
    loose = "one loose card" if build.addends == "one" else "any loose cards"
    raised = {"none": "never raised", "others": "raised by others", "any": "raised by anyone"}
    doubled = "doubled and then locked" if build.multiple else "never doubled"
    point_cards = f"An ace, {rules.values.little} or {rules.values.big}"
    told = {
        f"Builds are made on {loose}, {raised[build.raise_]}, {doubled}.": True,
        f"{point_cards} is not played in a build.": not build.point_cards,
        "In a build the card played counts as from the hand.": build.card_value == "hand",
        "Who owns a build may not lay a card.": build.duty == "act",
        "Who owns a build must take it, raise it or add to it.": build.duty == "resolve",
        "Who owns a build keeps a card that takes it.": build.keep_taker,
        "A partner's build is added to without a card that takes it.": build.partner,
    }
    return [sentence for sentence, holds in told.items() if holds]


def _score_words(rules: Ruleset) -> list[str]:
    weights = dict(zip(ITEMS, item_weights(rules), strict=True))
    singular = {"aces": "each ace", "sweeps": "each sweep"}
    worth = [
        f"{singular.get(item, text)} {weights[item]}" for item, text in item_words(rules).items()
    ]
    sentences = [f"Points: {', '.join(worth)}."]
    if rules.score.ties == "carry":
        sentences.append("Tied points wait for the next deal.")
    if rules.match.winner == "lowest":
        sentences.append("The fewest points win.")
    return sentences


def _or(values: Iterable[int]) -> str:
    return " or ".join(map(str, values))


def _and(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
