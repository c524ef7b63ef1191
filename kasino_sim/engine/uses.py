"""What every use of a tip is worth: both moves played on, without the tip, on the true cards."""

import numpy as np

from .jit import kernel
from .layout import STATE
from .moves import nth_move
from .play import make_deck
from .scoring import score
from .table import begin_game, finish, play_move
from .trace import BATCHES, decide
from .worlds import copy_state

HANDS = 9  # cards in the hand at the use, the last place for as many or more

# By hand of the deal and cards in the hand: uses, and points they gained, and their squares.
USES = np.dtype(
    [
        ("uses", np.int64, (BATCHES, HANDS)),
        ("gains", np.int64, (BATCHES, HANDS)),
        ("squares", np.int64, (BATCHES, HANDS)),
    ],
    align=True,
)

# What the tip did in one game.
GAME = np.dtype(
    [
        ("uses", np.int64),
        ("gain", np.int64),  # all uses together
        ("best", np.int64),  # the largest gain or loss of a single use
        ("play", np.int64),  # … and the number of its play in the deal, from 0
        ("on", np.int64),  # points of the tip's player less the other's, with the tip
        ("off", np.int64),  # … and where it was never followed
    ],
    align=True,
)

LINES = np.dtype([("line", STATE), ("start", STATE)], align=True)


@kernel
def _margin(state, rules, seat, points):
    """Points of a seat less the other's, towards winning, after a deal of two."""
    finish(state)
    score(state, rules, points)
    total = 0
    for i in range(8):
        total += points[seat, i] - points[1 - seat, i]
    return rules.aim * total


@kernel
def _play_on(state, rules, players, off, other, seat, book, scratch, seed, deal, left):
    """Play the rest of a deal without the tip."""
    for _ in range(left):
        player = players[off] if state.to_move == seat else players[other]
        decide(state, rules, player, book, scratch, seed, deal, scratch.move)
        play_move(state, rules, scratch.move)


@kernel
def _branch(number, state, rules, players, seat, book, scratch, seed, deal, lines, points, left):
    """Margin where the listed move `number` is played, and then the tip no more."""
    line = lines[0].line
    copy_state(state, line)
    # The list of moves is that of the decision just made: it must not be overwritten before.
    nth_move(rules, book, scratch, number, scratch.move)
    play_move(line, rules, scratch.move)
    _play_on(line, rules, players, 1, 2, seat, book, scratch, seed, deal, left)
    return _margin(line, rules, seat, points)


@kernel
def _look_again(state, rules, player, book, scratch, seed, deal):
    """Make the decision once more, so that its moves are listed."""
    decide(state, rules, player, book, scratch, seed, deal, scratch.move)


@kernel
def _one_game(rules, players, seat, book, scratch, lines, seed, deal, points, total, game):
    """Play a game with the tip in a seat, and weigh every use of it."""
    state = lines[0].start
    plays = 52 - rules.table
    for number in range(plays):
        p = state.to_move
        if p != seat:
            decide(state, rules, players[2], book, scratch, seed, deal, scratch.move)
            play_move(state, rules, scratch.move)
            continue
        scratch.chosen, scratch.without = -1, -1
        decide(state, rules, players[0], book, scratch, seed, deal, scratch.move)
        chosen, without = scratch.chosen, scratch.without
        if chosen == without:
            play_move(state, rules, scratch.move)
            continue
        left = plays - number - 1
        with_tip = _branch(
            chosen, state, rules, players, seat, book, scratch, seed, deal, lines, points, left
        )
        _look_again(state, rules, players[0], book, scratch, seed, deal)
        plain = _branch(
            without, state, rules, players, seat, book, scratch, seed, deal, lines, points, left
        )
        _count(state, rules, seat, number, with_tip - plain, total, game)
        _look_again(state, rules, players[0], book, scratch, seed, deal)
        play_move(state, rules, scratch.move)
    game.on = _margin(state, rules, seat, points)


@kernel
def _count(state, rules, seat, number, gain, total, game):
    """Count a use of the tip."""
    batch = min(state.plays[seat] // rules.hand, BATCHES - 1)
    cards, hand = 0, state.hands[seat]
    while hand and cards < HANDS - 1:
        hand &= hand - 1
        cards += 1
    total.uses[batch, cards] += 1
    total.gains[batch, cards] += gain
    total.squares[batch, cards] += gain * gain
    game.uses += 1
    game.gain += gain
    if game.uses == 1 or abs(gain) > abs(game.best):
        game.best, game.play = gain, number


@kernel
def uses_block(rules, players, fixed, seed, first_deal, book, scratch, lines, points, total, games):
    """Play blocks of deals of two, the tip's player in either seat.

    `players` : PLAYER[3], with the tip, the same without, and the opponent; `lines` : LINES[1] and
    `points` : int16[MAX_PLAYERS, 8] are work space; `total` : USES[1]; `games` : GAME[deals, 2].
    """
    for i in range(games.shape[0]):
        deal = first_deal + np.uint64(i)
        make_deck(rules, fixed, seed, deal, scratch)
        for seat in range(2):
            game, start = games[i, seat], lines[0].start
            begin_game(start, rules, scratch.deck)
            _play_on(start, rules, players, 1, 2, seat, book, scratch, seed, deal, 52 - rules.table)
            game.off = _margin(start, rules, seat, points)
            begin_game(start, rules, scratch.deck)
            _one_game(
                rules, players, seat, book, scratch, lines, seed, deal, points, total[0], game
            )
