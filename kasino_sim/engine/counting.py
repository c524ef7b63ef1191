"""Counting score sheets in whole numbers: columns of blocks, histograms, the ledger's keys.

A block's row holds each column's value summed over its games. Columns of sides and of named
players have MAX_PLAYERS places each, the others one.
"""

import numpy as np

from .jit import inlined, kernel
from .layout import CAPTURE_SIZES, ITEMS, MAX_PLAYERS, TRAIL_KINDS

WIN = 12  # a win in whole numbers, so that it can be shared by two, three or four
MAX_POINTS = 128  # points of a side from 0 up to this, the last bin taking more
MAX_SWEEPS = 25

SIDE_COLUMNS = ("points", "wins", "dry", *ITEMS)
NAMED_COLUMNS = ("player", "player_wins")
PLAYER_COUNTS = ("captures", "trails", "builds", "raises", "adds", "taken_own", "taken_other")
DEAL_COUNTS = (
    "tied_cards",
    "tied_spades",
    "residue",
    "builds_left",
    "builds_locked",
    "decisions",
    "crowded",
    "choices",
)
COLUMNS = (
    "difference",
    "seat_difference",
    "first_edge",
    "sweeps",
    "swept",
    *PLAYER_COUNTS,
    *DEAL_COUNTS,
    *(f"trailed_{kind}" for kind in TRAIL_KINDS),
    *(f"captures_of_{size}" for size in CAPTURE_SIZES),
)
_POINTS, _WINS, _DRY, _ITEMS = 0, MAX_PLAYERS, 2 * MAX_PLAYERS, 3 * MAX_PLAYERS
_PLAYER = len(SIDE_COLUMNS) * MAX_PLAYERS
_PLAYER_WINS = _PLAYER + MAX_PLAYERS
FIRST_COLUMN = _PLAYER_WINS + MAX_PLAYERS  # place of the first of COLUMNS in a row
N_PLACES = FIRST_COLUMN + len(COLUMNS)
_SWEEPS = FIRST_COLUMN + 3
_PLAYS = _SWEEPS + 2
_DEAL = _PLAYS + len(PLAYER_COUNTS)
_TRAILED = _DEAL + len(DEAL_COUNTS)
_SIZES = _TRAILED + len(TRAIL_KINDS)

COUNTS = np.dtype(
    [
        ("sums", np.int64, N_PLACES),
        ("squares", np.int64, N_PLACES),
        ("points", np.int64, (MAX_PLAYERS, MAX_POINTS + 1)),
        ("joint", np.int64, (MAX_POINTS + 1, MAX_POINTS + 1)),
        ("sweeps", np.int64, MAX_SWEEPS + 1),
        ("totals", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),  # of one block, by game and side
        ("shares", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("faulty", np.int64),  # sheets that account for neither 52 cards nor none
    ],
    align=True,
)


@inlined
def _add_points(rules, sheet, row, totals):
    """Add the points of a game to its block's row; writes the totals by side."""
    for side in range(rules.sides):
        total = 0
        for item in range(8):
            points = sheet.points[side, item]
            row[_ITEMS + item * MAX_PLAYERS + side] += points
            total += points
        row[_POINTS + side] += total
        row[_DRY + side] += sheet.dry[side]
        totals[side] = total


@inlined
def _add_wins(rules, row, totals, shares):
    """Share the win of a game among the sides with the best total."""
    best, winners = rules.aim * totals[0], 0
    for side in range(rules.sides):
        best = max(best, rules.aim * totals[side])
    for side in range(rules.sides):
        winners += 1 if rules.aim * totals[side] == best else 0
    share = WIN // winners
    for side in range(rules.sides):
        shares[side] = share if rules.aim * totals[side] == best else 0
        row[_WINS + side] += shares[side]


@inlined
def _add_plays(rules, sheet, row):
    """Add what the cards were played for; returns the sweeps."""
    sweeps = 0
    for p in range(rules.players):
        sweeps += sheet.sweeps[p]
        row[_PLAYS] += sheet.captures[p]
        row[_PLAYS + 1] += sheet.trails[p]
        row[_PLAYS + 2] += sheet.builds[p]
        row[_PLAYS + 3] += sheet.raises[p]
        row[_PLAYS + 4] += sheet.adds[p]
        row[_PLAYS + 5] += sheet.taken_own[p]
        row[_PLAYS + 6] += sheet.taken_other[p]
    row[_SWEEPS] += sweeps
    row[_SWEEPS + 1] += 1 if sweeps else 0
    row[_DEAL] += sheet.tied_cards
    row[_DEAL + 1] += sheet.tied_spades
    row[_DEAL + 2] += sheet.residue
    row[_DEAL + 3] += sheet.builds_left
    row[_DEAL + 4] += sheet.builds_locked
    row[_DEAL + 5] += sheet.decisions
    row[_DEAL + 6] += sheet.crowded
    row[_DEAL + 7] += sheet.choices
    for kind in range(len(TRAIL_KINDS)):
        row[_TRAILED + kind] += sheet.trailed[kind]
    for size in range(len(CAPTURE_SIZES)):
        row[_SIZES + size] += sheet.sizes[size]
    return sweeps


@inlined
def _add_players(rules, turns, row, totals, shares):
    """Add what each named player came to, over the rotations, and the differences."""
    named = 2 if rules.pairs else rules.players
    for turn in range(turns.shape[0]):
        game = turns[turn, 0]
        for k in range(named):
            row[_PLAYER + k] += totals[game, turns[turn, 1 + k]]
            row[_PLAYER_WINS + k] += shares[game, turns[turn, 1 + k]]
    everybody = 0
    for side in range(rules.sides):
        everybody += row[_POINTS + side]
    row[FIRST_COLUMN] = row[_PLAYER] - row[_PLAYER + 1]
    row[FIRST_COLUMN + 1] = row[_POINTS] - row[_POINTS + 1]
    # What side 0, playing first, has beyond its share, times the sides to stay whole.
    row[FIRST_COLUMN + 2] = rules.sides * row[_POINTS] - everybody


@inlined
def _add_bins(rules, counts, totals, sweeps):
    """Enter a game into the histograms."""
    for side in range(rules.sides):
        counts.points[side, min(totals[side], MAX_POINTS)] += 1
    if rules.sides == 2:
        counts.joint[min(totals[0], MAX_POINTS), min(totals[1], MAX_POINTS)] += 1
    counts.sweeps[min(sweeps, MAX_SWEEPS)] += 1


@inlined
def _of_side(rules, counted, side):
    """Sum a count of a sheet over the players of a side."""
    n = 0
    for p in range(side, rules.players, rules.sides):
        n += counted[p]
    return n


@inlined
def _owner(rules, player):
    """Return 1 + the side of a player, 0 for nobody."""
    return 0 if player < 0 else 1 + player % rules.sides


@inlined
def ledger_key(rules, sheet):
    """Pack what the sides took into one number, digit by digit as `kasino_sim.ledger` reads it."""
    sides = rules.sides
    key = _owner(rules, sheet.big)
    key = key * (sides + 1) + _owner(rules, sheet.little)
    key = key * (sides + 1) + _owner(rules, sheet.last)
    for side in range(sides - 1):
        key = key * 5 + _of_side(rules, sheet.aces, side)
    for side in range(sides - 1):
        key = key * 14 + _of_side(rules, sheet.spades, side)
    for side in range(sides - 1):
        key = key * 53 + _of_side(rules, sheet.cards, side)
    for side in range(sides):
        key = key * (52 // sides + 1) + _of_side(rules, sheet.sweeps, side)
    return key


@inlined
def _is_faulty(rules, sheet):
    """Whether a sheet accounts for neither 52 cards nor none."""
    cards = 0
    for p in range(rules.players):
        cards += sheet.cards[p]
    return cards != (52 if sheet.last >= 0 else 0)


@kernel
def count_sheets(rules, turns, sheets, counts, rows, keys):
    """Count blocks: adds to `counts`, writes rows and the ledger's keys.

    `turns` : int64[rotations, 1 + MAX_PLAYERS], a game and the side that each named player is;
    `sheets` : SHEET[blocks, games]; `rows` : int32[1 or blocks, N_PLACES], where there is one it is
    used for every block; `keys` : int64[blocks, games].
    """
    n_rows, totals, shares = rows.shape[0], counts.totals, counts.shares
    for i in range(sheets.shape[0]):
        row = rows[i % n_rows]
        row[:] = 0
        for g in range(sheets.shape[1]):
            sheet = sheets[i, g]
            _add_points(rules, sheet, row, totals[g])
            _add_wins(rules, row, totals[g], shares[g])
            sweeps = _add_plays(rules, sheet, row)
            _add_bins(rules, counts, totals[g], sweeps)
            keys[i, g] = ledger_key(rules, sheet)
            counts.faulty += 1 if _is_faulty(rules, sheet) else 0
        _add_players(rules, turns, row, totals, shares)
        for c in range(N_PLACES):
            value = np.int64(row[c])
            counts.sums[c] += value
            counts.squares[c] += value * value
