"""What a player weighs about a legal move, from what the player may know.

Further features that few players weigh are in `finer`. A feature that is 0 for most moves is added
all the same: asking costs more than adding, where the answer cannot be foreseen.
"""

from .bits import popcount
from .captures import summary
from .finer import weigh_finer
from .jit import inlined
from .layout import CAPTURE, CARDS, CLEAR, LAST, SPADES, SWEEPS, TRAIL, F
from .scoring import SPADE_BOARD
from .table import builds_board, is_sweep
from .view import chance, takers_of, worth

_RANKS = 0x1111111111111


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
    value += w[F.trail_spade] * (player.score[SPADES] * popcount(board & SPADE_BOARD))
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
    w = player.weights
    hand = view.hand & ~(1 << card)
    pairs = hand & (hand >> 1) | hand & (hand >> 2) & 0x3333333333333 | hand & (hand >> 3) & _RANKS
    value = w[F.hold_pair] * (1 if pairs & 0x7777777777777 else 0)
    value += w[F.big_spent] * (rules.big >> card & 1)
    return value + w[F.ace_spent] * (rules.aces >> card & 1)


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
    if player.uses:
        value += weigh_finer(state, rules, book, player, view, move)
    return value + _spending(rules, player, view, move.card)
