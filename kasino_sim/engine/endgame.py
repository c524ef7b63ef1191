"""The end of a deal played out exactly, where nothing is hidden any more.

With an empty stock and two players the unseen cards are the other's hand. A line of play is looked
at to its end by alpha-beta search, and its value is the *margin* of the side that asks: its points
less the points of the others, times the match's aim, so that more is always better. With more than
two sides the others are taken to play against the side that asks (paranoid search), and its points
count once for every other side.
"""

import numpy as np

from .bits import popcount
from .captures import tidy
from .features import weigh
from .jit import inlined, kernel
from .layout import (
    ACES,
    BIG,
    CAPTURE,
    CARDS,
    CLEAR,
    EACH_SPADE,
    KNOWN_BITS,
    LAST,
    LITTLE,
    MAX_LINE,
    MAX_MOVES,
    SPADES,
    STACK,
    SWEEPS,
    TRAIL,
)
from .moves import legal_classes, list_moves
from .policies import ALIKE
from .scoring import SPADE_BOARD, pile_of, side_of, side_with_most
from .table import builds_board, finish, hands_empty, is_sweep, play_move
from .view import look
from .worlds import copy_state

UNKNOWN = -(1 << 40)  # a position too wide to be played out exactly
MAX_POSITIONS = 1 << 18  # positions looked at before a question is given up
FAR = 1 << 30  # beyond every margin

_EXACT, _AT_LEAST, _AT_MOST = 1, 2, 3
_MIDDLE, _STAMP = 1 << 20, 23
_RANK = 1 << 16

_LOW_SUITS = 0x7777777777777
_ONES, _TWO_LOWEST = 0x1111111111111, 0x3333333333333
_M0, _M1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_SHIFT, _SLOT = np.uint64(32), np.uint64(64 - KNOWN_BITS)


@inlined
def _relative(rules, points, s, side):
    """Return what points of side s are to the margin of a side."""
    return (rules.sides - 1) * points if s == side else -points


@kernel
def banked(state, rules, score, side):
    """Return the margin of a side in what no later play changes: casinos, aces and sweeps."""
    margin = 0
    for s in range(rules.sides):
        pile = pile_of(state, rules, s)
        points = score[BIG] * popcount(pile & rules.big)
        points += score[LITTLE] * popcount(pile & rules.little)
        points += score[ACES] * popcount(pile & rules.aces)
        for p in range(s, rules.players, rules.sides):
            points += score[SWEEPS] * state.sweeps[p]
        margin += _relative(rules, points, s, side)
    return margin


@kernel
def _single_spades(state, rules, score, side):
    """Return the margin of a side in the points of single spades."""
    margin = 0
    for s in range(rules.sides):
        beyond = max(0, popcount(pile_of(state, rules, s) & SPADE_BOARD) - rules.spades_from)
        margin += _relative(rules, score[EACH_SPADE] * beyond, s, side)
    return margin


@kernel
def margin_of(state, rules, score, side):
    """Return the margin of a side in a finished deal, times the aim.

    `score` : int64[8], what the items are worth. The difference of points of two sides; of more,
    the sum of the differences to each of the others.
    """
    margin = banked(state, rules, score, side)
    spades, cards = side_with_most(state, rules, SPADE_BOARD), side_with_most(state, rules, -1)
    if spades >= 0:
        margin += _relative(rules, score[SPADES], spades, side)
    if cards >= 0:
        margin += _relative(rules, score[CARDS], cards, side)
    if state.last >= 0:
        margin += _relative(rules, score[LAST], side_of(rules, state.last), side)
    if score[EACH_SPADE]:
        margin += _single_spades(state, rules, score, side)
    return rules.aim * margin


@kernel
def _reach_of_most(state, rules, among, left, points, side):
    """Least and most that a side's margin can still get from having most of these cards."""
    mine, others = popcount(pile_of(state, rules, side) & among), 0
    for s in range(rules.sides):
        if s != side:
            others = max(others, popcount(pile_of(state, rules, s) & among))
    least, most = -points, (rules.sides - 1) * points
    if mine > others + left:
        return most, most
    if others > mine + left:
        return least, least if rules.sides == 2 else 0
    return least, most


@kernel
def _reach(state, rules, score, side):
    """Least and most that is still to come for a side's margin, before the aim."""
    captured, mine, theirs = 0, 0, 0
    for p in range(rules.players):
        captured |= state.captured[p]
        if side_of(rules, p) == side:
            mine += popcount(state.hands[p])
        else:
            theirs += popcount(state.hands[p])
    left = ~captured & ((1 << 52) - 1)
    points = score[BIG] * popcount(left & rules.big) + score[LITTLE] * popcount(left & rules.little)
    points += score[ACES] * popcount(left & rules.aces) + score[LAST]
    spades = popcount(left & SPADE_BOARD)
    points += score[EACH_SPADE] * spades
    n = rules.sides - 1
    least = -points - score[SWEEPS] * theirs
    most = n * (points + score[SWEEPS] * mine)
    low, high = _reach_of_most(state, rules, SPADE_BOARD, spades, score[SPADES], side)
    least, most = least + low, most + high
    low, high = _reach_of_most(state, rules, -1, popcount(left), score[CARDS], side)
    least, most = least + low, most + high
    if score[EACH_SPADE]:
        now = _single_spades(state, rules, score, side)
        least, most = least + now, most + now
    return least, most


@inlined
def _mix(h, x):
    """Take another number into a hash."""
    h = (h ^ np.uint64(x)) * _M0
    return h ^ (h >> _SHIFT)


@kernel
def plain_cards(rules):
    """Board of the cards that only their rank tells apart: no spades and no casinos."""
    plain = _LOW_SUITS & ~(rules.little | rules.big)
    return plain & ~(1 << rules.clear_card) if rules.clear_card >= 0 else plain


@inlined
def _mix_board(h, board, plain):
    """Take a board into a hash; plain cards of a rank only by their number."""
    b = board & plain
    one, two, three = b & _ONES, (b >> 1) & _ONES, (b >> 2) & _ONES
    some, all_ = one | two | three, one & two & three
    pairs = one & two | one & three | two & three
    return _mix(_mix(h, board & ~plain), some | pairs << 1 | all_ << 2)


@kernel
def _key_of(state, rules, plain):
    """Hash all that the rest of the deal depends on."""
    h = _mix_board(_M1, state.loose, plain)
    for p in range(rules.players):
        h = _mix_board(h, state.hands[p], plain)
    last = side_of(rules, state.last) + 1 if state.last >= 0 else 0
    counts = np.int64(state.to_move) << 3 | last
    for side in range(rules.sides):
        pile = pile_of(state, rules, side)
        counts = counts << 10 | popcount(pile) << 4 | popcount(pile & SPADE_BOARD)
    h = _mix(h, counts)
    piles = np.uint64(0)
    for b in range(state.n_builds):
        one = _mix_board(_M0, state.build_cards[b], plain)
        tail = state.build_value[b] << 3 | state.build_owner[b] << 1 | state.build_locked[b]
        piles += _mix(one, tail)
    return (h ^ piles) * _M1 | np.uint64(1)


@inlined
def _passes_over(chosen, available):
    """Whether a choice of plain cards leaves a lower one of the same rank."""
    left = available & ~chosen
    return ((left & _TWO_LOWEST) << 1 | (left & _ONES) << 2) & chosen != 0


@kernel
def _rank_of(state, rules, score, move):
    """Rank how promising a move looks, for the order of search alone; 0 … 65535."""
    if move.kind == TRAIL:
        board = 1 << move.card
    else:
        board = 1 << move.card | move.loose | builds_board(state, move.builds)
    worth = score[BIG] * popcount(board & rules.big) + score[LITTLE] * popcount(
        board & rules.little
    )
    worth += score[ACES] * popcount(board & rules.aces)
    worth = 16 * worth + 4 * min(score[SPADES], 4) * popcount(board & SPADE_BOARD)
    if move.kind == TRAIL:
        return 32_768 + rules.aim * (-2_000 - 4 * worth - (move.card >> 2))
    worth += popcount(board)
    if move.kind != CAPTURE and move.kind != CLEAR:
        return 32_768 + rules.aim * (worth - 1_000)
    if is_sweep(state, rules, move):
        worth += 16 * score[SWEEPS]
    return 32_768 + rules.aim * (200 + 8 * worth)


@kernel
def expand(state, rules, score, book, scratch, mind, frame, first):
    """List the moves of a position from stack[first] on, ranked; whether there is room for them.

    Of moves that differ in plain cards of one rank, the one with the lowest is enough.
    """
    tidy(book)
    n, total = legal_classes(state, rules, book, scratch)
    if total > MAX_MOVES or first + total > STACK:
        return False
    list_moves(rules, book, scratch, n, mind.stack[first : first + total], mind.sets)
    plain = plain_cards(rules)
    hand, loose, end = state.hands[state.to_move] & plain, state.loose & plain, first
    for i in range(first, first + total):
        move = mind.stack[i]
        if _passes_over(1 << move.card & plain, hand) or _passes_over(move.loose & plain, loose):
            continue
        mind.ranks[end] = _rank_of(state, rules, score, move) * _RANK + i
        end += 1
    frame.at, frame.end, frame.top = first, end, first + total
    return True


@inlined
def _next_move(mind, frame):
    """Return the place on the stack of the best move that is left."""
    best = frame.at
    for i in range(frame.at + 1, frame.end):
        if mind.ranks[i] > mind.ranks[best]:
            best = i
    rank = mind.ranks[best]
    mind.ranks[best] = mind.ranks[frame.at]
    frame.at += 1
    return rank & (_RANK - 1)


@kernel
def _recall(mind, key, low, high):
    """Return what is known of a position, less what is banked, and whether that is enough."""
    slot = np.int64(key >> _SLOT)
    if mind.known_keys[slot] != key:
        return 0, False
    known = mind.known_values[slot]
    if known >> _STAMP != mind.question:
        return 0, False
    value, kind = (known >> 2 & (2 * _MIDDLE - 1)) - _MIDDLE, known & 3
    if kind == _EXACT:
        return value, True
    return value, (kind == _AT_LEAST and value >= high) or (kind == _AT_MOST and value <= low)


@kernel
def _remember(mind, frame):
    """Keep what was found of a position."""
    kind = _EXACT
    if frame.best <= frame.asked_low:
        kind = _AT_MOST
    elif frame.best >= frame.asked_high:
        kind = _AT_LEAST
    slot = np.int64(frame.key >> _SLOT)
    mind.known_keys[slot] = frame.key
    value = frame.best - frame.banked + _MIDDLE
    mind.known_values[slot] = mind.question << _STAMP | value << 2 | kind


@kernel
def _enter(rules, score, book, scratch, mind, depth, side, low, high):
    """Look at the position at this depth: its value and whether that is all there is to it.

    The value is UNKNOWN where the search has to be given up.
    """
    state, frame = mind.line[depth], mind.frames[depth]
    mind.nodes += 1
    if hands_empty(state, rules):
        finish(state)
        return margin_of(state, rules, score, side), True
    if state.hands[state.to_move] == 0 or mind.nodes > MAX_POSITIONS or depth == MAX_LINE - 1:
        return UNKNOWN, True
    frame.banked = rules.aim * banked(state, rules, score, side)
    least, most = _reach(state, rules, score, side)
    if rules.aim < 0:
        least, most = -most, -least
    if frame.banked + most <= low:
        return frame.banked + most, True
    if frame.banked + least >= high:
        return frame.banked + least, True
    frame.key = _key_of(state, rules, plain_cards(rules))
    value, known = _recall(mind, frame.key, low - frame.banked, high - frame.banked)
    if known:
        return value + frame.banked, True
    first = mind.frames[depth - 1].top if depth else 0
    if not expand(state, rules, score, book, scratch, mind, frame, first):
        return UNKNOWN, True
    frame.low, frame.high, frame.asked_low, frame.asked_high = low, high, low, high
    frame.best = -FAR if side_of(rules, state.to_move) == side else FAR
    return 0, False


@inlined
def _take_in(frame, value, mine):
    """Take the value of a move into the position that it was made in."""
    if mine:
        frame.best = max(frame.best, value)
        frame.low = max(frame.low, value)
    else:
        frame.best = min(frame.best, value)
        frame.high = min(frame.high, value)


@kernel
def solve(state, rules, score, book, scratch, mind, side, low, high):
    """Return the margin that a side gets from here with best play, UNKNOWN where it is too much.

    Values outside of (low, high) are bounds only. The stock must be empty.
    """
    copy_state(state, mind.line[0])
    value, known = _enter(rules, score, book, scratch, mind, 0, side, low, high)
    if known:
        return value
    depth = 0
    while True:
        frame = mind.frames[depth]
        if frame.at < frame.end and frame.low < frame.high:
            move = mind.stack[_next_move(mind, frame)]
            copy_state(mind.line[depth], mind.line[depth + 1])
            play_move(mind.line[depth + 1], rules, move)
            low, high = frame.low, frame.high
            value, known = _enter(rules, score, book, scratch, mind, depth + 1, side, low, high)
            if not known:
                depth += 1
                continue
            if value == UNKNOWN:
                return UNKNOWN
        else:
            _remember(mind, frame)
            value = frame.best
            depth -= 1
            if depth < 0:
                return value
        mine = side_of(rules, mind.line[depth].to_move) == side
        _take_in(mind.frames[depth], value, mine)


@kernel
def new_question(mind):
    """Forget the values of earlier positions: they may have been of other rules or another side."""
    mind.nodes = 0
    mind.question += 1


@kernel
def cards_held(state, rules):
    """Count the cards in all hands."""
    n = 0
    for p in range(rules.players):
        n += popcount(state.hands[p])
    return n


@kernel
def list_weighed(state, rules, player, book, scratch, mind, listed):
    """Write every legal move and what the player weighs it; returns how many, 0: crowded.

    `listed` : a LISTED record, in which the moves are put in order, the heaviest first.
    """
    tidy(book)
    n, total = legal_classes(state, rules, book, scratch)
    if total > MAX_MOVES:
        return 0
    list_moves(rules, book, scratch, n, listed.moves, mind.sets)
    view = look(state, rules)
    for i in range(total):
        value = rules.aim * weigh(state, rules, book, player, view, listed.moves[i])
        listed.weighed[i] = value
        at = i
        while at > 0 and listed.weighed[listed.order[at - 1]] < value - ALIKE:
            listed.order[at] = listed.order[at - 1]
            at -= 1
        listed.order[at] = i
    return total


@kernel
def try_move(state, rules, move, mind):
    """Play a move on a copy of a position, mind.trial."""
    copy_state(state, mind.trial)
    play_move(mind.trial, rules, move)


@kernel
def best_endings(state, rules, player, book, scratch, mind, n):
    """Collect in scratch.ties the best of n listed moves; returns how many, 0 where too much.

    Of the moves with the highest value those that weigh most are taken.
    """
    new_question(mind)
    side, score = side_of(rules, state.to_move), player.score
    best, weight, ties = -FAR, 0.0, 0
    for i in range(n):
        at = mind.listed.order[i]
        alike = ties > 0 and mind.listed.weighed[at] >= weight - ALIKE
        low = best - 1 if alike else best
        try_move(state, rules, mind.listed.moves[at], mind)
        value = solve(mind.trial, rules, score, book, scratch, mind, side, low, FAR)
        if value == UNKNOWN:
            return 0
        if value > best:
            best, weight, ties = value, mind.listed.weighed[at], 0
        elif value < best or not alike:
            continue
        scratch.ties[ties] = at
        ties += 1
    return ties
