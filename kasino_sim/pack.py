"""A rule set as the one record that the kernels read."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from kasino_sim.cards import N_CARDS, parse_card
from kasino_sim.engine.layout import ITEMS, RULES, VALUE_SETS, new_record
from kasino_sim.rules import Ruleset

RULES_VERSION = 1  # of the game's meaning: raised when a fix changes what a rule set means

_RAISES = ("none", "others", "any")
_OBLIGATIONS = ("free", "forced", "must-act")
_DUTIES = ("free", "act", "resolve")
_EXCLUSIONS = ("none", "final-play", "last-batch")
_FACE = 10  # rank of the jack


@lru_cache(maxsize=64)
def pack_rules(ruleset: Ruleset) -> np.record:
    """Turn a rule set into a RULES record, the same one for the same rules: nothing writes to it.

    Parameters
    ----------
    ruleset : Ruleset
        Any valid rule set.

    Returns
    -------
    numpy.record
        One `engine.layout.RULES` record; its type is the same for every rule set.
    """
    record = new_record(RULES)
    _pack_deal(record, ruleset)
    _pack_moves(record, ruleset)
    _pack_scoring(record, ruleset)
    for card in range(N_CARDS):
        _pack_card(record, ruleset, card)
    for value in range(1, 17):
        holders = (c for c in range(N_CARDS) if record.hand_values[c] >> value & 1)
        record.value_board[value] = sum(1 << c for c in holders)
    _pack_takers(record)
    return record


def _pack_takers(record: Any) -> None:
    """Tabulate the cards that have one of several hand values, by eight values at a time."""
    for half in (0, 1):
        for mask in range(1, 256):
            value = 8 * half + mask.bit_length()
            rest = record.takers[half, mask & ~(1 << (mask.bit_length() - 1))]
            record.takers[half, mask] = rest | record.value_board[value]


def _pack_deal(record: Any, rules: Ruleset) -> None:
    record.players, record.pairs = rules.deal.players, rules.deal.teams == "pairs"
    record.sides = rules.sides
    record.hand, record.table = rules.deal.hand, rules.deal.table
    record.single, record.swap = rules.deal.draw == "single", rules.deal.swap_point_cards


def _pack_moves(record: Any, rules: Ruleset) -> None:
    faces = rules.values.faces
    record.ace14 = 14 in rules.values.ace_table
    record.sum_ranks = 13 if faces == "numeric" else 10
    record.face_sums = faces != "pairs"
    record.per_play_any = rules.values.per_play == "any"
    record.obligation = _OBLIGATIONS.index(rules.capture.obligation)
    record.maximal = rules.capture.extent == "maximal"
    clear = rules.capture.clear_card
    record.clear_card = parse_card(clear) if clear else -1
    build = rules.build
    record.build_allowed, record.one_addend = build.allowed, build.addends == "one"
    record.raise_rule, record.multiple = _RAISES.index(build.raise_), build.multiple
    record.duty, record.keep_taker = _DUTIES.index(build.duty), build.keep_taker
    record.partner = build.partner


def _pack_scoring(record: Any, rules: Ruleset) -> None:
    record.score[:] = item_weights(rules)
    record.spades_from = rules.score.each_spade_from
    record.aces = 0b1111
    record.little = 1 << parse_card(rules.values.little)
    record.big = 1 << parse_card(rules.values.big)
    record.points_board = record.aces | record.little | record.big
    sweep = rules.sweep
    record.sweep_last_hand_card = sweep.when == "last-hand-card"
    record.sweep_excluded = _EXCLUSIONS.index(sweep.excluded)
    record.sweep_cancel, record.sweep_clear_card = sweep.cancel, sweep.clear_card
    record.aim = 1 if rules.match.winner == "highest" else -1


def item_weights(rules: Ruleset) -> list[int]:
    """Return what each scoring item is worth, in points, in the order of `layout.ITEMS`."""
    score = rules.score
    return [rules.sweep.points if item == "sweeps" else getattr(score, item) for item in ITEMS]


def hand_values(rules: Ruleset, card: int) -> tuple[int, ...]:
    """Return the values that a card can have when it is played, lowest first."""
    if card // 4 == 0:
        return tuple(rules.values.ace_hand)
    if card == parse_card(rules.values.little):
        return tuple(rules.values.little_hand)
    if card == parse_card(rules.values.big):
        return tuple(rules.values.big_hand)
    return (card // 4 + 1,)


def table_values(rules: Ruleset, card: int) -> tuple[int, ...]:
    """Return the values that a card can have on the table, lowest first."""
    return tuple(rules.values.ace_table) if card // 4 == 0 else (card // 4 + 1,)


def _pack_card(record: Any, rules: Ruleset, card: int) -> None:
    values, face = hand_values(rules, card), card // 4 >= _FACE
    faces = rules.values.faces
    record.hand_set[card] = _set_code(values)
    record.hand_values[card] = sum(1 << v for v in values)
    takes_builds = not (face and faces == "pairs")
    record.taker_values[card] = record.hand_values[card] if takes_builds else 0
    special = record.points_board >> card & 1
    playable = takes_builds and (rules.build.point_cards or not special)
    in_build = values if rules.build.card_value == "hand" else table_values(rules, card)
    record.build_set[card] = _set_code(in_build) if playable else -1
    record.build_sums[card] = not face or faces == "numeric"


def _set_code(values: tuple[int, ...]) -> int:
    return VALUE_SETS.index(values if len(values) == 2 else (values[0], 0))
