"""A legal move as a row of numbers, from what the player may know.

Known are the own hand, the table, and every card captured so far; the rest is *unseen*: the other
hands and the stock, which nobody can tell apart.
"""

from collections import namedtuple

from .bits import popcount
from .captures import summary
from .jit import kernel
from .layout import (
    ACES,
    BIG,
    CAPTURE,
    CARDS,
    CLEAR,
    EACH_SPADE,
    LAST,
    LITTLE,
    N_FEATURES,
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
View = namedtuple("View", "mover hand unseen n_unseen next_hand others_left last_batch")


@kernel
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
    return View(p, state.hands[p], unseen, popcount(unseen), next_hand, left, stock_empty(state))


@kernel
def tabulate_chances(book):
    """Fill in book.chances[hand, unseen, takers], the hypergeometric chances of `chance`."""
    for hand in range(5):
        for unseen in range(53):
            for takers in range(53):
                miss = 1.0
                for i in range(min(hand, unseen)):
                    miss *= max(0.0, (unseen - takers - i) / (unseen - i))
                book.chances[hand, unseen, takers] = 1.0 - miss


@kernel
def chance(book, view, n_takers):
    """Chance that the next player holds at least one of so many unseen cards.

    Hands of more than four cards count as four.
    """
    return book.chances[min(view.next_hand, 4), view.n_unseen, n_takers]


@kernel
def worth(player, rules, board):
    """Points of the cards of a board by themselves, as the player believes."""
    if board & rules.points_board == 0 and player.score[EACH_SPADE] == 0:
        return 0
    points = player.score[ACES] * popcount(board & rules.aces)
    points += player.score[BIG] * popcount(board & rules.big)
    points += player.score[LITTLE] * popcount(board & rules.little)
    return points + player.score[EACH_SPADE] * popcount(board & SPADE_BOARD)


@kernel
def _takers(rules, values):
    """Board of the cards with one of these hand values (bit v - 1)."""
    return rules.takers[0, values & 255] | rules.takers[1, values >> 8]


@kernel
def _taking(state, rules, player, move, row):
    """Fill in what the move takes at once."""
    taken = move.loose | builds_board(state, move.builds) | 1 << move.card
    row[F.capture] = 1.0
    row[F.points] = worth(player, rules, taken)
    if is_sweep(state, rules, move):
        row[F.points] += player.score[SWEEPS]
    row[F.spades] = player.score[SPADES] * popcount(taken & SPADE_BOARD)
    row[F.cards] = player.score[CARDS] * popcount(taken)


@kernel
def _trailing(rules, player, view, move, row):
    """Fill in what is laid on the table."""
    card = 1 << move.card
    rank = 15 << (move.card & ~3)
    row[F.trail] = 1.0
    row[F.trail_rank] = (move.card // 4 + 1) / 13.0
    row[F.trail_spade] = player.score[SPADES] * popcount(card & SPADE_BOARD)
    row[F.trail_points] = worth(player, rules, card)
    row[F.trail_matched] = popcount(view.hand & rank) - 1
    row[F.trail_known] = 4 - popcount((view.hand | view.unseen) & rank)


@kernel
def _building(state, rules, book, player, view, move, row):
    """Fill in the build that the move makes, and the risk of losing it."""
    pile = move.loose | builds_board(state, move.builds) | 1 << move.card
    takers = popcount(rules.value_board[move.value] & view.unseen)
    opponents = 1 if rules.players == 2 or rules.pairs else rules.players - 1
    stay = 1.0
    for _ in range(opponents):
        stay *= 1.0 - chance(book, view, takers)
    row[F.build] = 1.0
    row[F.build_risk] = 1.0 - stay
    row[F.build_points] = stay * worth(player, rules, pile)
    row[F.build_spades] = stay * player.score[SPADES] * popcount(pile & SPADE_BOARD)
    row[F.build_cards] = stay * player.score[CARDS] * popcount(pile)
    for b in range(state.n_builds):
        if (move.builds >> b) & 1 and state.build_owner[b] != view.mover:
            row[F.build_taken_over] = 1.0


@kernel
def _other_builds(state, rules, book, player, view, move):
    """Values of the builds that the move leaves alone, their number, and the points at risk."""
    values, n, risk = 0, 0, 0.0
    for b in range(state.n_builds):
        if not (move.builds >> b) & 1:
            values |= 1 << (state.build_value[b] - 1)
            n += 1
            takers = popcount(rules.value_board[state.build_value[b]] & view.unseen)
            points = worth(player, rules, state.build_cards[b])
            if points:
                risk += points * chance(book, view, takers)
    return values, n, risk


@kernel
def _leaving(state, rules, book, player, view, move, row):
    """Fill in what the next player finds, and what the player keeps against it."""
    loose = state.loose & ~move.loose
    if move.kind == TRAIL:
        loose |= 1 << move.card
    hand = view.hand & ~(1 << move.card)
    built, n_left = 0, 0
    if state.n_builds:
        built, n_left, risk = _other_builds(state, rules, book, player, view, move)
        row[F.points_risk] = risk
    makes = move.kind != TRAIL and move.kind != CAPTURE and move.kind != CLEAR
    if loose == 0 and n_left == 0 and not makes:
        row[F.table_empty] = 1.0
        return
    masks = summary(book, rules, loose)
    groups = masks & 0xFFFF
    if makes:
        built |= 1 << (move.value - 1)
    sweeping = (masks >> 16) & 0xFFFF if loose else 0xFFFF
    if built:
        sweeping &= built if built & (built - 1) == 0 else 0
    takers = _takers(rules, groups | built)
    if sweeping:
        row[F.sweep_risk] = player.score[SWEEPS] * chance(
            book, view, popcount(_takers(rules, sweeping) & view.unseen)
        )
    if loose:
        _risks(rules, book, player, view, loose, groups, row)
        aces, special = loose & rules.aces, loose & (rules.little | rules.big)
        if aces:
            takers_of = _takers(rules, (masks >> 32) & 0xFFFF)
            _point_cards(book, player, rules, view, aces, takers_of, hand, row)
        if special:
            takers_of = _takers(rules, (masks >> 48) & 0x7FFF)
            _point_cards(book, player, rules, view, special, takers_of, hand, row)
    row[F.hold_takers] = popcount(takers & hand)


@kernel
def _risks(rules, book, player, view, loose, groups, row):
    """Fill in what lies loose for the next player."""
    any_taker = chance(book, view, popcount(_takers(rules, groups) & view.unseen))
    row[F.spades_risk] = player.score[SPADES] * popcount(loose & SPADE_BOARD) * any_taker
    row[F.cards_risk] = player.score[CARDS] * popcount(loose) * any_taker


@kernel
def _point_cards(book, player, rules, view, board, takers, hand, row):
    """Add the risk and the hope for point cards that lie loose."""
    gone = chance(book, view, popcount(takers & view.unseen))
    row[F.points_risk] += gone * worth(player, rules, board)
    if takers & hand:
        row[F.hold_points] += (1.0 - gone) * worth(player, rules, board)


@kernel
def describe(state, rules, book, player, view, move, row):
    """Write the features of one legal move; the row's places are named in `layout.FEATURES`."""
    for f in range(N_FEATURES):
        row[f] = 0.0
    if move.kind == CAPTURE or move.kind == CLEAR:
        _taking(state, rules, player, move, row)
        if view.last_batch:
            row[F.last_capture] = player.score[LAST] / (1.0 + view.others_left)
    elif move.kind == TRAIL:
        _trailing(rules, player, view, move, row)
    else:
        _building(state, rules, book, player, view, move, row)
    _leaving(state, rules, book, player, view, move, row)
    hand = view.hand & ~(1 << move.card)
    pairs = hand & (hand >> 1) | hand & (hand >> 2) & 0x3333333333333 | hand & (hand >> 3) & _RANKS
    row[F.hold_pair] = 1.0 if pairs & 0x7777777777777 else 0.0
    row[F.big_spent] = 1.0 if rules.big >> move.card & 1 else 0.0
    row[F.ace_spent] = 1.0 if rules.aces >> move.card & 1 else 0.0
    for b in range(state.n_builds):
        if state.build_owner[b] == view.mover and not (move.builds >> b) & 1:
            row[F.build_left] += 1.0
