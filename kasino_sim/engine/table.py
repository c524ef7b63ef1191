"""What a move does to the table, the hands and the piles: the state's only changes."""

from .bits import popcount
from .jit import inlined, kernel
from .layout import (
    ADD,
    CAPTURE,
    CAPTURE_SIZES,
    CLEAR,
    FINAL_PLAY,
    LAST_BATCH,
    MULTIPLE,
    RAISE,
    TRAIL,
)

_MOST_SIZE = len(CAPTURE_SIZES) - 1


@kernel
def set_out(state, rules, dealer):
    """Deal first hands and table from state.deck; the player on the dealer's left begins."""
    state.dealer, state.to_move = dealer, (dealer + 1) % rules.players
    state.next_card, state.n_cards, state.loose, state.n_builds = 0, 52, 0, 0
    state.last, state.decisions, state.legal_moves, state.crowded = -1, 0, 0, 0
    state.sizes, state.trailed, state.choices, state.locks = 0, 0, 0, 0
    for p in range(rules.players):
        state.hands[p], state.captured[p], state.sweeps[p] = 0, 0, 0
        state.plays[p], state.capturing[p], state.builds[p] = 0, 0, 0
        state.raises[p], state.adds[p] = 0, 0
        state.taken_own[p], state.taken_other[p] = 0, 0
    _deal_hands(state, rules)
    for _ in range(rules.table):
        state.loose |= 1 << state.deck[state.next_card]
        state.next_card += 1


@kernel
def begin_game(state, rules, deck):
    """Set out a game of a deck in which seat 0 plays first."""
    for place in range(52):
        state.deck[place] = deck[place]
    set_out(state, rules, rules.players - 1)


@kernel
def _deal_hands(state, rules):
    """Give every player a whole hand, from the dealer's left."""
    p, at = state.dealer, state.next_card
    for _ in range(rules.players):
        p = p + 1 if p + 1 < rules.players else 0
        hand = 0
        for i in range(at, at + rules.hand):
            hand |= 1 << state.deck[i]
        state.hands[p] = hand
        at += rules.hand
    state.next_card = at


@inlined
def hands_empty(state, rules):
    """Whether nobody holds a card."""
    held = 0
    for p in range(rules.players):
        held |= state.hands[p]
    return held == 0


@inlined
def stock_empty(state):
    """Whether the stock is used up."""
    return state.next_card >= state.n_cards


@kernel
def is_over(state, rules):
    """Whether the deal is played out."""
    return hands_empty(state, rules) and stock_empty(state)


@kernel
def all_builds(state):
    """Board of all cards in builds."""
    board = 0
    for b in range(state.n_builds):
        board |= state.build_cards[b]
    return board


@inlined
def builds_board(state, builds):
    """Board of all cards in these builds."""
    board = 0
    for b in range(state.n_builds):
        if (builds >> b) & 1:
            board |= state.build_cards[b]
    return board


@inlined
def is_sweep(state, rules, move):
    """Whether a move, not played yet, is a sweep that counts."""
    if move.kind != CAPTURE and move.kind != CLEAR:
        return False
    if state.loose != move.loose or popcount(move.builds) != state.n_builds:
        return False
    if move.kind == CLEAR and not rules.sweep_clear_card:
        return False
    hand = state.hands[state.to_move] & ~(1 << move.card)
    if rules.sweep_last_hand_card and hand:
        return False
    if rules.sweep_excluded == LAST_BATCH:
        return not stock_empty(state)
    if rules.sweep_excluded == FINAL_PLAY and stock_empty(state) and hand == 0:
        for p in range(rules.players):
            if p != state.to_move and state.hands[p]:
                return True
        return False
    return True


@kernel
def _remove_builds(state, builds):
    """Take builds off the table; the others keep their order."""
    kept = 0
    for b in range(state.n_builds):
        if not (builds >> b) & 1:
            state.build_cards[kept] = state.build_cards[b]
            state.build_value[kept] = state.build_value[b]
            state.build_owner[kept] = state.build_owner[b]
            state.build_locked[kept] = state.build_locked[b]
            kept += 1
    state.n_builds = kept


@inlined
def _capture(state, rules, move):
    """Move the played card and what it takes to the player's pile."""
    p = state.to_move
    if is_sweep(state, rules, move):
        state.sweeps[p] += 1
    for b in range(state.n_builds):
        if (move.builds >> b) & 1:
            if state.build_owner[b] == p:
                state.taken_own[p] += 1
            else:
                state.taken_other[p] += 1
    taken = 1 << move.card | move.loose | builds_board(state, move.builds)
    state.captured[p] |= taken
    state.loose &= ~move.loose
    _remove_builds(state, move.builds)
    state.capturing[p] |= 1 << state.plays[p]
    state.sizes += 1 << (8 * min(popcount(taken) - 2, _MOST_SIZE))
    state.last = p


@kernel
def _build(state, move):
    """Lay the played card, and what it uses, in one pile that the player now owns."""
    p = state.to_move
    pile = 1 << move.card | move.loose | builds_board(state, move.builds)
    state.loose &= ~move.loose
    locks, was_locked = move.kind == MULTIPLE or move.kind == ADD, False
    for b in range(state.n_builds):
        if (move.builds >> b) & 1 and state.build_locked[b]:
            was_locked = True
    if locks and not was_locked:
        state.locks += 1
    _remove_builds(state, move.builds)
    b = state.n_builds
    state.build_cards[b], state.build_value[b], state.build_owner[b] = pile, move.value, p
    state.build_locked[b] = 1 if locks else 0
    state.n_builds += 1
    if move.kind == RAISE:
        state.raises[p] += 1
    elif move.kind == ADD:
        state.adds[p] += 1
    else:
        state.builds[p] += 1


@inlined
def play_move(state, rules, move):
    """Play a legal move: lay or take cards, draw or deal anew, and pass the turn."""
    p = state.to_move
    if move.kind == CAPTURE or move.kind == CLEAR:
        _capture(state, rules, move)
    elif move.kind == TRAIL:
        state.loose |= 1 << move.card
        state.trailed |= 1 << move.card
    else:
        _build(state, move)
    state.hands[p] &= ~(1 << move.card)
    state.plays[p] += 1
    if rules.single and not stock_empty(state):
        state.hands[p] |= 1 << state.deck[state.next_card]
        state.next_card += 1
    if state.hands[p] == 0 and not stock_empty(state) and hands_empty(state, rules):
        _deal_hands(state, rules)
    state.to_move = p + 1 if p + 1 < rules.players else 0


@kernel
def finish(state):
    """Give what is left on the table to the last capturer; returns how many cards that is."""
    left = state.loose | all_builds(state)
    if state.last >= 0:
        state.captured[state.last] |= left
    return popcount(left)
