"""Worlds: ways to deal the cards that a player has not seen, in line with what it has seen.

Everybody knows the table, what was captured, and how many cards the others hold. Whoever owns a
build held a card that takes it when it was made; under `build.keep_taker` the owner still does, and
elsewhere hardly anybody gives it away: a world deals every owner a taker, where one is unseen.
"""

import numpy as np

from .bits import lowest
from .jit import kernel
from .moves import takers_in
from .rng import WORLD, shuffle, word
from .table import all_builds

TRIES = 64  # deals of the unseen cards before a taker is put into the owner's hand
_LUCK = 255  # in place of the number of a try
_ALL = (1 << 52) - 1


@kernel
def copy_state(source, target):
    """Copy what a later play can change or look at."""
    target.dealer, target.to_move = source.dealer, source.to_move
    target.loose, target.n_builds, target.last = source.loose, source.n_builds, source.last
    for b in range(source.n_builds):
        target.build_cards[b], target.build_value[b] = source.build_cards[b], source.build_value[b]
        target.build_owner[b] = source.build_owner[b]
        target.build_locked[b] = source.build_locked[b]
    for p in range(len(source.hands)):
        target.hands[p], target.captured[p] = source.hands[p], source.captured[p]
        target.sweeps[p], target.plays[p] = source.sweeps[p], source.plays[p]
    target.next_card, target.n_cards = source.next_card, source.n_cards
    for i in range(source.next_card, source.n_cards):
        target.deck[i] = source.deck[i]


@kernel
def unseen_by(state, rules, mover):
    """Board of the cards in the other hands and the stock."""
    seen = state.loose | all_builds(state) | state.hands[mover]
    for p in range(rules.players):
        seen |= state.captured[p]
    return _ALL & ~seen


@kernel
def _purpose(mover, play, world, again):
    """Name the stream of one world of one decision."""
    return world << 24 | play << 16 | again << 8 | (WORLD + np.int64(mover))


@kernel
def luck_of(state, world, seed, deal):
    """Return the number of the deal whose draws are the luck of all that is tried in a world."""
    mover = state.to_move
    return word(seed, deal, _purpose(mover, state.plays[mover], world, _LUCK), 0, 0)


@kernel
def missing_values(state, rules, owner, hand):
    """Bit mask over values: builds of an owner that no card of this hand takes."""
    values = 0
    for b in range(state.n_builds):
        # With `build.partner` a locked build may be of a player who never held a taker.
        if state.build_owner[b] == owner and not (rules.partner and state.build_locked[b]):
            values |= 1 << state.build_value[b]
    return values & ~takers_in(rules, hand)


@kernel
def _split(state, rules, mover, cards, world):
    """Deal the hands from the front of `cards`, the rest to the stock; whether all fits."""
    at, fits = 0, True
    for p in range(rules.players):
        if p == mover:
            continue
        hand, left, own = 0, state.hands[p], 0
        while left:
            own = 1 << cards[at]
            hand |= own
            at += 1
            left &= left - 1
        world.hands[p] = hand
        if world.n_builds and hand and missing_values(world, rules, p, hand):
            fits = False
    for i in range(world.next_card, world.n_cards):
        world.deck[i] = cards[at]
        at += 1
    return fits


@kernel
def _put_takers(rules, mover, world, cards, n):
    """Swap takers from the stock into the hands of owners who have none, where there are some."""
    for p in range(rules.players):
        if p == mover:
            continue
        missing = missing_values(world, rules, p, world.hands[p])
        for i in range(world.next_card, world.n_cards):
            card = world.deck[i]
            if missing & rules.taker_values[card]:
                given = _spare(world, rules, p)
                if given < 0:
                    break
                world.hands[p] ^= 1 << card | 1 << given
                world.deck[i] = given
                missing = missing_values(world, rules, p, world.hands[p])


@kernel
def _spare(world, rules, p):
    """Return a card that takes none of the player's own builds, or -1."""
    values, left = missing_values(world, rules, p, 0), world.hands[p]
    while left:
        card = lowest(left)
        if not rules.taker_values[card] & values:
            return card
        left &= left - 1
    return -1


@kernel
def deal_world(state, rules, number, seed, deal, mind, world):
    """Write one world as the player to move may imagine it.

    The world is a function of what the player has seen, of (seed, deal) and of the `number`.
    """
    mover = state.to_move
    copy_state(state, world)
    left, n = unseen_by(state, rules, mover), 0
    while left:
        mind.unseen[n] = lowest(left)
        left &= left - 1
        n += 1
    cards = mind.unseen[:n]
    for again in range(TRIES):
        purpose = _purpose(mover, state.plays[mover], number, again)
        shuffle(cards, 0, mind.words, seed, deal, np.uint64(purpose))
        if _split(state, rules, mover, cards, world):
            return
    _put_takers(rules, mover, world, cards, n)
