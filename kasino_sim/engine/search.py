"""Players that think ahead: an exact end, paired rollouts, and the same with open cards.

Budgets are counts, and chance is drawn from streams of `worlds`: a choice depends on (rules,
players, seed, deal) alone.
"""

from .endgame import (
    FAR,
    UNKNOWN,
    cards_held,
    list_weighed,
    margin_of,
    new_question,
    solve,
    try_move,
)
from .jit import kernel
from .layout import CHEAT, MAX_OUTCOMES, MIND, new_record
from .policies import choose_move
from .scoring import side_of
from .table import finish, is_over, play_move, stock_empty
from .worlds import copy_state, deal_world, luck_of


def new_mind():
    """Return a MIND record, what one thread needs to think ahead."""
    return new_record(MIND)


@kernel
def base_move(state, rules, player, book, scratch, seed, deal, move):
    """Write the move that the player makes without thinking ahead."""
    choose_move(state, rules, player, book, scratch, seed, deal, move)


@kernel
def best_share(state, rules, score, side):
    """Return in twelfths which share of a finished deal's win a side has: a tie is shared."""
    mine = margin_of(state, rules, score, side)
    level = 1
    for s in range(rules.sides):
        if s != side:
            theirs = margin_of(state, rules, score, s)
            if theirs > mine:
                return 0
            if theirs == mine:
                level += 1
    return 12 // level


@kernel
def playout(state, rules, player, book, scratch, mind, side, seed, luck):
    """Return a side's margin, and its share of the win in twelfths, when all play on like `player`.

    Nobody thinks ahead, but that the last cards are played exactly where `player` says so.
    """
    copy_state(state, mind.playout)
    now = mind.playout
    while not is_over(now, rules):
        if player.playout_cards and stock_empty(now) and rules.sides == 2:
            if cards_held(now, rules) <= player.playout_cards:
                new_question(mind)
                value = solve(now, rules, player.score, book, scratch, mind, side, -FAR, FAR)
                if value != UNKNOWN:
                    return value, 6 if value == 0 else 12 if value > 0 else 0
        base_move(now, rules, player, book, scratch, seed, luck, scratch.move)
        play_move(now, rules, scratch.move)
    finish(now)
    margin = margin_of(now, rules, player.score, side)
    return margin, best_share(now, rules, player.score, side)


@kernel
def imagine(state, rules, number, open_cards, seed, deal, mind):
    """Write world `number` to mind.world, the true one with open cards; returns its luck."""
    if open_cards:
        copy_state(state, mind.world)
    else:
        deal_world(state, rules, number, seed, deal, mind, mind.world)
    return luck_of(state, number, seed, deal)


@kernel
def try_moves(state, rules, player, book, scratch, mind, n, first, worlds, seed, deal):
    """Play out the n moves of mind.alive in some worlds.

    mind.margins[w * n + k] is the margin after move alive[k] in world first + w: the same cards
    and the same luck for all moves of a world.
    """
    side = side_of(rules, state.to_move)
    for w in range(worlds):
        luck = imagine(state, rules, first + w, player.kind == CHEAT, seed, deal, mind)
        for k in range(n):
            try_move(mind.world, rules, mind.moves[mind.alive[k]], mind)
            margin, won = playout(mind.trial, rules, player, book, scratch, mind, side, seed, luck)
            mind.margins[w * n + k], mind.won[w * n + k] = margin, won


@kernel
def list_candidates(state, rules, player, book, scratch, mind):
    """Write all legal moves to mind, all of them to be tried; returns how many, 0: crowded."""
    n = list_weighed(state, rules, player, book, scratch, mind)
    for k in range(n):
        mind.alive[k] = k
    return n


@kernel
def value_worlds(state, rules, player, book, scratch, mind, first, worlds, seed, deal):
    """Try every legal move in some worlds; returns how many moves there are, 0 where too many.

    mind.moves are the moves, mind.margins[w * n + k] and mind.won[…] what came of them.
    """
    n = list_candidates(state, rules, player, book, scratch, mind)
    if n * worlds <= MAX_OUTCOMES:
        try_moves(state, rules, player, book, scratch, mind, n, first, worlds, seed, deal)
    return n


@kernel
def value_endings(state, rules, player, book, scratch, mind):
    """Work out every legal move of an open ending; returns how many moves, 0 where too much.

    mind.margins[k] is the margin that move k leads to with best play.
    """
    n = list_candidates(state, rules, player, book, scratch, mind)
    new_question(mind)
    side = side_of(rules, state.to_move)
    for k in range(n):
        try_move(state, rules, mind.moves[k], mind)
        value = solve(mind.trial, rules, player.score, book, scratch, mind, side, -FAR, FAR)
        if value == UNKNOWN:
            return 0
        mind.margins[k] = value
    return n
