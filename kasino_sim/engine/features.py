"""What a player weighs about a legal move, from what the player may know.

Known are the own hand, the table, and every card captured so far; the rest is *unseen*: the other
hands and the stock, which nobody can tell apart.
"""

from collections import namedtuple

from .bits import popcount
from .captures import summary
from .jit import inlined, kernel
from .layout import (
    ACES,
    BIG,
    CAPTURE,
    CARDS,
    CLEAR,
    EACH_SPADE,
    LAST,
    LITTLE,
    SPADES,
    SWEEPS,
    TRAIL,
    F,
)
from .scoring import SPADE_BOARD
from .table import all_builds, builds_board, is_sweep, stock_empty

_ALL = (1 << 52) - 1
_RANKS = 0x1111111111111

# What a decision's moves have in common.
# `odds` is where the chances for so many cards of the next player among the unseen begin.
View = namedtuple("View", "mover hand unseen odds others_left last_batch")


@inlined
def look(state, rules):
    """Gather what the player to move can see."""
    p = state.to_move
    out = state.loose | all_builds(state)
    left, empty_after = 0, state.hands[p] & (state.hands[p] - 1) == 0
    for q in range(rules.players):
        out |= state.captured[q]
        if q != p:
            left += popcount(state.hands[q])
            empty_after = empty_after and state.hands[q] == 0
    unseen = _ALL & ~(out | state.hands[p])
    next_hand = popcount(state.hands[(p + 1) % rules.players])
    if empty_after and not stock_empty(state):
        next_hand = rules.hand
    # Hands of more than four cards count as four.
    odds = (min(next_hand, 4) * 53 + popcount(unseen)) * 53
    return View(p, state.hands[p], unseen, odds, left, stock_empty(state))


@kernel
def tabulate_chances(book):
    """Fill in the hypergeometric chances of `chance` by hand, unseen cards and takers."""
    for hand in range(5):
        for unseen in range(53):
            for takers in range(53):
                miss = 1.0
                for i in range(min(hand, unseen)):
                    miss *= max(0.0, (unseen - takers - i) / (unseen - i))
                book.chances[(hand * 53 + unseen) * 53 + takers] = 1.0 - miss


@inlined
def chance(book, view, n_takers):
    """Chance that the next player holds at least one of so many unseen cards."""
    return book.chances[view.odds + n_takers]


@inlined
def worth(player, rules, board):
    """Points of the cards of a board by themselves, as the player believes."""
    if board & rules.points_board == 0 and player.score[EACH_SPADE] == 0:
        return 0
    points = player.score[ACES] * popcount(board & rules.aces)
    points += player.score[BIG] * popcount(board & rules.big)
    points += player.score[LITTLE] * popcount(board & rules.little)
    return points + player.score[EACH_SPADE] * popcount(board & SPADE_BOARD)


@inlined
def takers_of(rules, values):
    """Board of the cards with one of these hand values (bit v - 1)."""
    return rules.takers[0, values & 255] | rules.takers[1, values >> 8]


@inlined
def _taking(state, rules, player, view, move):
    """Weigh what the move takes at once."""
    w, score = player.weights, player.score
    taken = move.loose | builds_board(state, move.builds) | 1 << move.card
    points = worth(player, rules, taken)
    if is_sweep(state, rules, move):
        points += score[SWEEPS]
    value = w[F.capture] + w[F.points] * points
    value += w[F.spades] * (score[SPADES] * popcount(taken & SPADE_BOARD))
    value += w[F.cards] * (score[CARDS] * popcount(taken))
    if view.last_batch:
        value += w[F.last_capture] * score[LAST] / (1.0 + view.others_left)
    return value


@inlined
def _trailing(rules, player, view, card):
    """Weigh what is laid on the table."""
    w = player.weights
    board, rank = 1 << card, 15 << (card & ~3)
    value = w[F.trail] + w[F.trail_rank] * (((card >> 2) + 1) * (1.0 / 13.0))
    if board & SPADE_BOARD:
        value += w[F.trail_spade] * player.score[SPADES]
    value += w[F.trail_points] * worth(player, rules, board)
    value += w[F.trail_matched] * (popcount(view.hand & rank) - 1)
    return value + w[F.trail_known] * (4 - popcount((view.hand | view.unseen) & rank))


@inlined
def _building(state, rules, book, player, view, move):
    """Weigh the build that the move makes, and the risk of losing it."""
    w, score = player.weights, player.score
    pile = move.loose | builds_board(state, move.builds) | 1 << move.card
    takers = popcount(rules.value_board[move.value] & view.unseen)
    opponents = 1 if rules.players == 2 or rules.pairs else rules.players - 1
    stay = 1.0
    for _ in range(opponents):
        stay *= 1.0 - chance(book, view, takers)
    hope = w[F.build_points] * worth(player, rules, pile)
    hope += w[F.build_spades] * (score[SPADES] * popcount(pile & SPADE_BOARD))
    hope += w[F.build_cards] * (score[CARDS] * popcount(pile))
    value = w[F.build] + w[F.build_risk] * (1.0 - stay) + stay * hope
    for b in range(state.n_builds):
        if (move.builds >> b) & 1 and state.build_owner[b] != view.mover:
            return value + w[F.build_taken_over]
    return value


@inlined
def _other_builds(state, rules, book, player, view, move):
    """Values of the builds that the move leaves alone, their number, and what they weigh."""
    values, n, value = 0, 0, 0.0
    for b in range(state.n_builds):
        if not (move.builds >> b) & 1:
            values |= 1 << (state.build_value[b] - 1)
            n += 1
            if state.build_owner[b] == view.mover:
                value += player.weights[F.build_left]
            points = worth(player, rules, state.build_cards[b])
            if points:
                takers = popcount(rules.value_board[state.build_value[b]] & view.unseen)
                value += player.weights[F.points_risk] * points * chance(book, view, takers)
    return values, n, value


@inlined
def _leaving(state, rules, book, player, view, move):
    """Weigh what the next player finds, and what the player keeps against it."""
    w = player.weights
    loose, built, n_left, value = state.loose & ~move.loose, 0, 0, 0.0
    if move.kind == TRAIL:
        loose |= 1 << move.card
    if state.n_builds:
        built, n_left, value = _other_builds(state, rules, book, player, view, move)
    makes = move.kind != TRAIL and move.kind != CAPTURE and move.kind != CLEAR
    if makes:
        built |= 1 << (move.value - 1)
    elif loose == 0 and n_left == 0:
        return w[F.table_empty]
    masks = summary(book, rules, loose)
    groups = masks & 0xFFFF
    takers = takers_of(rules, groups | built)
    sweeping = (masks >> 16) & 0xFFFF if loose else 0xFFFF
    if built:
        sweeping &= built if built & (built - 1) == 0 else 0
    if sweeping:
        sweepers = popcount(takers_of(rules, sweeping) & view.unseen)
        value += w[F.sweep_risk] * (player.score[SWEEPS] * chance(book, view, sweepers))
    hand = view.hand & ~(1 << move.card)
    if loose:
        value += _risks(
            rules, book, player, view, loose, takers if not built else takers_of(rules, groups)
        )
        aces, special = loose & rules.aces, loose & (rules.little | rules.big)
        if aces:
            able = takers_of(rules, (masks >> 32) & 0xFFFF)
            value += _point_cards(book, player, rules, view, aces, able, hand)
        if special:
            able = takers_of(rules, (masks >> 48) & 0x7FFF)
            value += _point_cards(book, player, rules, view, special, able, hand)
    return value + w[F.hold_takers] * popcount(takers & hand)


@inlined
def _risks(rules, book, player, view, loose, takers):
    """Weigh what lies loose for the next player."""
    w, score = player.weights, player.score
    risk = w[F.spades_risk] * (score[SPADES] * popcount(loose & SPADE_BOARD))
    risk += w[F.cards_risk] * (score[CARDS] * popcount(loose))
    return risk * chance(book, view, popcount(takers & view.unseen))


@inlined
def _point_cards(book, player, rules, view, board, takers, hand):
    """Weigh the risk and the hope for point cards that lie loose."""
    gone = chance(book, view, popcount(takers & view.unseen))
    points = worth(player, rules, board)
    value = player.weights[F.points_risk] * gone * points
    if takers & hand:
        value += player.weights[F.hold_points] * (1.0 - gone) * points
    return value


@inlined
def _spending(rules, player, view, card):
    """Weigh the card that is played, and the pairs kept in the hand."""
    w, value = player.weights, 0.0
    hand = view.hand & ~(1 << card)
    pairs = hand & (hand >> 1) | hand & (hand >> 2) & 0x3333333333333 | hand & (hand >> 3) & _RANKS
    if pairs & 0x7777777777777:
        value += w[F.hold_pair]
    if (rules.big | rules.aces) >> card & 1:
        value += w[F.big_spent] if rules.big >> card & 1 else w[F.ace_spent]
    return value


@inlined
def weigh(state, rules, book, player, view, move):
    """Return the sum of the player's weights times the features of one legal move.

    The features are named in `layout.FEATURES`; the sum with a weight of 1 for one of them alone
    is that feature.
    """
    if move.kind == TRAIL:
        value = _trailing(rules, player, view, move.card)
    elif move.kind == CAPTURE or move.kind == CLEAR:
        value = _taking(state, rules, player, view, move)
    else:
        value = _building(state, rules, book, player, view, move)
    value += _leaving(state, rules, book, player, view, move)
    return value + _spending(rules, player, view, move.card)
