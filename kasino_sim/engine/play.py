"""One deal from shuffle to score, and blocks of deals: the engine's entry points."""

import numpy as np

from .bits import popcount
from .jit import inlined, kernel
from .layout import BOOK, CAPTURE_SIZES, MOST_LOOKED, SCRATCH, new_record
from .policies import choose_move
from .rng import DECK, EXCHANGE, FIRST_DEALER, choose, shuffle
from .scoring import SPADE_BOARD, score
from .table import begin_game, finish, play_move
from .view import tabulate_chances


def new_book():
    """Return an empty BOOK record; one book serves one rule set in one thread."""
    book = new_record(BOOK)
    tabulate_chances(book)
    book.n_masks = 1  # an entry that is known is not 0
    return book


def new_scratch():
    """Return a SCRATCH record, the work space of one thread."""
    return new_record(SCRATCH)


@kernel
def first_dealer(seed, deal, players):
    """Return the player who is drawn to deal first."""
    return choose(seed, deal, FIRST_DEALER, 0, players)


@kernel
def make_deck(rules, fixed, seed, deal, scratch):
    """Write scratch.deck, the deck of one deal in dealing order, after any exchange.

    `fixed` : int64[52], the card known to lie at a place of the deck, or -1.
    """
    deck = scratch.deck
    for i in range(52):
        deck[i] = i
    shuffle(deck, 0, scratch.words, seed, deal, DECK)
    _put_known_cards(fixed, deck, scratch.order)
    if rules.swap:
        _exchange_point_cards(rules, seed, deal, deck, scratch.words)


@kernel
def _put_known_cards(fixed, deck, order):
    """Move the known cards to their places; the others keep their order."""
    known = 0
    for i in range(52):
        if fixed[i] >= 0:
            known |= 1 << fixed[i]
    if known == 0:
        return
    n = 0
    for i in range(52):
        if not (known >> deck[i]) & 1:
            order[n] = deck[i]
            n += 1
    n = 0
    for i in range(52):
        if fixed[i] >= 0:
            deck[i] = fixed[i]
        else:
            deck[i] = order[n]
            n += 1


@kernel
def _exchange_point_cards(rules, seed, deal, deck, words):
    """Replace point cards on the table from the stock, put them back, shuffle the stock."""
    first = rules.players * rules.hand
    stock = first + rules.table
    top = stock
    for i in range(first, stock):
        while rules.points_board >> deck[i] & 1:
            deck[i], deck[top] = deck[top], deck[i]
            top += 1
    if top > stock:
        shuffle(deck, stock, words, seed, deal, EXCHANGE)


@inlined
def note_decision(state, looks, things, moves):
    """Enter the last decision: things on the table before it, and its legal moves."""
    number = state.decisions - 1
    looks.block[number] += min(moves, MOST_LOOKED)
    state.choices += 1 if moves > 1 else 0
    looks.tables[number, things] += 1


@kernel
def end_looks(looks):
    """Add up the legal moves of a block."""
    for number in range(52):
        moves, looks.block[number] = looks.block[number], 0
        looks.moves[number] += moves
        looks.squares[number] += moves * moves


@inlined
def take_turn(state, rules, player, book, scratch, seed, deal):
    """Have the player to move choose a move and play it."""
    things, moves = popcount(state.loose) + state.n_builds, state.legal_moves
    choose_move(state, rules, player, book, scratch, seed, deal, scratch.move)
    if scratch.detail:
        note_decision(state, scratch.looks, things, state.legal_moves - moves)
    play_move(state, rules, scratch.move)


@kernel
def fill_sheet(state, rules, sheet):
    """Finish the deal and write its score sheet."""
    sheet.last, sheet.builds_left, sheet.builds_locked = state.last, state.n_builds, state.locks
    sheet.residue = finish(state)
    spades, cards = score(state, rules, sheet.points)
    sheet.tied_spades, sheet.tied_cards = spades < 0, cards < 0
    sheet.decisions, sheet.crowded = state.decisions, state.crowded
    sheet.legal_moves, sheet.choices = state.legal_moves, state.choices
    sheet.big, sheet.little = -1, -1
    for p in range(rules.players):
        pile = state.captured[p]
        if pile & rules.big:
            sheet.big = p
        if pile & rules.little:
            sheet.little = p
        sheet.cards[p], sheet.spades[p] = popcount(pile), popcount(pile & SPADE_BOARD)
        sheet.aces[p], sheet.sweeps[p] = popcount(pile & rules.aces), state.sweeps[p]
        captures = popcount(state.capturing[p])
        sheet.captures[p], sheet.builds[p] = captures, state.builds[p]
        sheet.raises[p], sheet.adds[p] = state.raises[p], state.adds[p]
        sheet.taken_own[p], sheet.taken_other[p] = state.taken_own[p], state.taken_other[p]
        made = captures + state.builds[p] + state.raises[p] + state.adds[p]
        sheet.trails[p] = state.plays[p] - made
    _fill_kinds(state, rules, sheet)
    for side in range(rules.sides):
        sheet.dry[side] = _dry_hands(state, rules, side)


@kernel
def _fill_kinds(state, rules, sheet):
    """Write which kinds of card were trailed, and how many cards the captures gathered."""
    left = state.trailed
    for kind, board in enumerate((rules.aces, rules.big, rules.little, SPADE_BOARD, -1)):
        sheet.trailed[kind] = popcount(left & board)
        left &= ~board
    for size in range(len(CAPTURE_SIZES)):
        sheet.sizes[size] = state.sizes >> (8 * size) & 255


@kernel
def _dry_hands(state, rules, side):
    """Count the hands, of so many plays as are dealt at a time, in which a side takes nothing."""
    capturing, plays, dry = 0, state.plays[side], 0
    for p in range(side, rules.players, rules.sides):
        capturing |= state.capturing[p]
    for first in range(0, plays, rules.hand):
        dry += 1 if capturing >> first & ((1 << rules.hand) - 1) == 0 else 0
    return dry


@kernel
def play_block(rules, players, seatings, fixed, seed, first_deal, book, scratch, sheets):
    """Play blocks of deals: sheets[i, g] is deal first_deal + i under seatings[g].

    `players` : PLAYER[k], `seatings` : uint32[games, MAX_PLAYERS], `fixed` : int64[52],
    `seed`, `first_deal` : uint64, `sheets` : SHEET[deals, games]. Seat 0 plays first.
    """
    state, deck = scratch.state, scratch.deck
    for i in range(sheets.shape[0]):
        deal = first_deal + np.uint64(i)
        make_deck(rules, fixed, seed, deal, scratch)
        for g in range(sheets.shape[1]):
            begin_game(state, rules, deck)
            for _ in range(52 - rules.table):
                player = players[seatings[g, state.to_move]]
                take_turn(state, rules, player, book, scratch, seed, deal)
            fill_sheet(state, rules, sheets[i, g])
        if scratch.detail:
            end_looks(scratch.looks)
