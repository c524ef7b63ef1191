"""Which sets of loose cards a move can use: families of sets, counted, listed and drawn from.

A row names a family: the captures of a value set, or the loose cards of a single build, of a
multiple build, or of an addition to a build. The book remembers, for tables of up to 16 cards, a
family's card sets as bit masks over the loose cards in card order: on a table of up to twelve
they come from `subsets`, on a larger one from `walk`. A long list is only counted and drawn from.
"""

import numpy as np

from .bits import deposit, lowest, popcount
from .jit import inlined, kernel
from .layout import (
    FIRST_VALUE,
    HASH_BITS,
    LIST_LIMIT,
    N_VALUE_SETS,
    POOL,
    SECOND_VALUE,
    SET_OF_VALUE,
)
from .patterns import count_cards, has_group, nth_mask, pattern_of, reachable, total_of, up_to, ways
from .ranking import MOST, number_of
from .subsets import MEDIUM, SMALL, medium_family, small_family
from .walk import FULL, N_PATTERNS, N_SETS, PICKED, REST, Ask, note, walk_family

CAPTURES, SINGLES, MULTIPLES, ADDITIONS = range(4)
EACH = -2  # a row of its own: every card of the board by itself, and the book is not asked
NOTHING = N_VALUE_SETS  # the code of a card that counts nothing: what is left is a plain sum

LIST_CARDS = 16  # cards on the table up to which it lists them
ROOM = 1 << 19  # kept free at the start of a decision

_ROW_BITS = 11
_MIX = np.uint64(0x9E3779B97F4A7C15)
_MIX_SHIFT = np.uint64(64 - HASH_BITS)


@kernel
def _ask(rules, value, other, demands, groups, proper, maximal):
    """Put together what is asked of a family under these rules."""
    sums = rules.sum_ranks
    if groups and 11 <= value <= 13 and rules.face_sums == 0:
        sums = 0  # a face card takes its own rank only
    return Ask(
        value,
        other,
        demands,
        rules.one_addend == 1,
        groups,
        proper,
        maximal,
        sums,
        rules.ace14 == 1,
    )


@kernel
def _n_asked(rules, row):
    """How many families a row joins: two where a card has two values, one at a time."""
    if row >> 9 != CAPTURES:
        return 1
    return 2 if SECOND_VALUE[row & 31] and not rules.per_play_any else 1


@kernel
def _asked(rules, row, which):
    """Return what a row asks; of two families that of the higher value is the first."""
    kind, values = row >> 9, row & 31
    value, other = FIRST_VALUE[values], SECOND_VALUE[values]
    if kind != CAPTURES:
        target = ((row >> 5) & 15) + 1
        demands = demands_of(target, value, other)
        return _ask(rules, target, 0, demands, kind != SINGLES, kind == MULTIPLES, False)
    maximal = rules.maximal == 1
    if other and not rules.per_play_any:
        return _ask(rules, value if which else other, 0, 0, True, False, maximal)
    return _ask(rules, value, other, 0, True, False, maximal)


@kernel
def make_row(kind, value, values):
    """Name a family: its kind, a build's value (1 … 16, else 1) and a code of a value set."""
    if kind == SINGLES and SECOND_VALUE[values] == 0:
        return kind << 9 | (value - FIRST_VALUE[values] - 1) << 5 | NOTHING
    return kind << 9 | (value - 1) << 5 | values


@kernel
def row_top(row):
    """Return the highest value that a loose card of the family can have."""
    kind, values = row >> 9, row & 31
    if kind != CAPTURES:
        return ((row >> 5) & 15) + 1  # a plain sum's value is the sum
    return max(FIRST_VALUE[values], SECOND_VALUE[values])


@kernel
def walk(book, rules, row, available, out, skip, found):
    """Visit a family on a table of any size.

    found[N_SETS] number of card sets, [N_PATTERNS] of patterns (the first len(out) stand in `out`),
    [PICKED] the pattern that holds card set number `skip` and [REST] its number there, [FULL]
    whether all available cards together are in the family.
    """
    found[:] = 0
    first = _asked(rules, row, 0)
    if _n_asked(rules, row) == 1:
        walk_family(book, available, first, out, skip, found)
        return
    second = _asked(rules, row, 1)
    inner, nothing = book.inner, book.work[:0]
    inner[:] = 0
    walk_family(book, available, second, nothing, -1, inner)
    patterns = np.empty(inner[N_PATTERNS], np.int64)
    inner[:] = 0
    walk_family(book, available, second, patterns, -1, inner)
    walk_family(book, available, first, out, skip, found)
    for pattern in patterns:
        inner[:] = 0
        walk_family(book, pattern, first, nothing, -1, inner)  # nothing is left over here
        known = inner[FULL] == 1
        if known and first.maximal:
            known = not has_group(available - pattern, first.value, first.sums, first.ace14)
        if not known:
            note(available, pattern, second, out, skip, found)


@kernel
def demands_of(target, value, other):
    """Bit d: the played card's group wants loose cards of sum d."""
    demands = 0
    if value <= target:
        demands |= 1 << (target - value)
    if other and other <= target:
        demands |= 1 << (target - other)
    return demands


@inlined
def _home(key):
    """Return the first place of the book's hash table to look for a key."""
    return np.int64((np.uint64(key) * _MIX) >> _MIX_SHIFT)


@kernel
def _slot(book, key):
    """Return the key's place in the book's hash table: its own or a free one."""
    at = _home(key)
    while book.slots[at, 0] != key and book.slots[at, 0] != 0:
        at = (at + 1) & ((1 << HASH_BITS) - 1)
    return at


@kernel
def lookup(book, rules, row, board):
    """Return the entry of a family on the loose cards of `board`, which are at most `row_top`.

    An entry is read with `n_sets`, `holds_all` and `nth_set`.
    """
    if board == 0:
        return 0
    if row < N_VALUE_SETS and popcount(board) <= MOST:
        return _on_table(book, rules, row, number_of(board), board)
    available = pattern_of(board)
    key = available << _ROW_BITS | row
    at = _home(key)
    if book.slots[at, 0] == key:
        return book.slots[at, 1]
    at = _slot(book, key)
    if book.slots[at, 0] != key:
        book.slots[at, 1] = _look_up_anew(book, rules, row, available)
        book.slots[at, 0] = key
        book.n_keys += 1
    return book.slots[at, 1]


@inlined
def _on_table(book, rules, row, table, board):
    """Return the entry of a family of captures on a numbered table."""
    entry = np.int64(book.captures[table, row])
    if entry == 0:
        entry = _look_up_anew(book, rules, row, pattern_of(board))
        book.captures[table, row] = entry
    return entry


@inlined
def captures(book, rules, table, loose, row):
    """Board and entry of a family of captures where `loose` lies, which has this number.

    A numbered table is asked about as a whole, so that all it is asked lies together; one without
    a number (-1) about the cards that are low enough.
    """
    if table >= 0:
        return loose, _on_table(book, rules, row, table, loose)
    board = loose & up_to(row_top(row))
    return board, lookup(book, rules, row, board)


@kernel
def _look_up_anew(book, rules, row, available):
    """Make the entry of a family, with its card sets where they are few."""
    cards = count_cards(available)
    if cards <= SMALL:
        sets = small_family(book, available, _asked(rules, row, 0))
        if _n_asked(rules, row) == 2:
            sets |= small_family(book, available, _asked(rules, row, 1))
        book.seen[0] = sets  # subset m is bit m - 1
        return _entry(book, cards, 1)
    if cards <= MEDIUM:
        medium_family(book, available, _asked(rules, row, 0), book.seen)
        if _n_asked(rules, row) == 2:
            medium_family(book, available, _asked(rules, row, 1), book.seen)
        return _entry(book, cards, 0)
    return _walked_entry(book, rules, row, available, cards)


@kernel
def _entry(book, cards, offset):
    """Make an entry of the subsets marked in book.seen, and take the marks away."""
    seen, full, n, one = book.seen, (1 << cards) - 1, 0, 0
    first = book.n_masks
    holds = np.int64(seen[(full - offset) >> 6] >> np.uint64((full - offset) & 63)) & 1
    for i in range((full >> 6) + 1):
        left, seen[i] = np.int64(seen[i]), 0
        while left:
            one = 64 * i + lowest(left) + offset
            left &= left - 1
            if n < LIST_LIMIT:
                book.masks[first + n] = one
            n += 1
    if n > LIST_LIMIT:
        return -(n << 1 | holds) - 1
    if n == 1:
        return one << 9 | 1 << 1 | holds
    book.n_masks = first + n
    return first << 9 | n << 1 | holds


@kernel
def _walked_entry(book, rules, row, available, cards):
    """Make the entry of a family on a large table."""
    found, patterns, first = book.found, book.patterns, book.n_masks
    walk(book, rules, row, available, patterns, -1, found)
    n = found[N_SETS]
    if n > LIST_LIMIT or n == 1 or cards > LIST_CARDS:
        return -(n << 1 | found[FULL]) - 1
    for a in range(found[N_PATTERNS]):
        for i in range(ways(available, patterns[a])):
            book.masks[book.n_masks] = nth_mask(available, patterns[a], i)
            book.n_masks += 1
    return first << 9 | n << 1 | found[FULL]


@kernel
def groups_with(rules, available, rank):
    """Bit mask over values: what some group that holds a card of this rank can be worth."""
    if not (available >> (4 * rank)) & 15:
        return 0
    _, sums = reachable(rules, available - (1 << (4 * rank)))
    groups = (sums | 1) << (rank + 1)
    if rank == 0 and rules.ace14:
        _, plain = reachable(rules, available & ~15)
        for _ in range((available & 15) - 1):
            plain |= (plain | 1) << 1
        groups |= (plain | 1) << 14
    if not rules.face_sums:
        groups &= ~0x3800
    return groups & 0x1FFFE


@kernel
def _takes_everything(book, rules, available, value, total, highest):
    """Whether one capture with `value` takes all, cards of this sum and highest value."""
    if highest > value:
        return False
    if rules.ace14 and value >= 14 and available & 15:
        row = make_row(CAPTURES, 1, SET_OF_VALUE[value])
        return _holds_all_plainly(book, rules, row, available)
    if value <= 13:
        equal = (available >> (4 * (value - 1))) & 15
        total -= value * equal
        available &= ~(15 << (4 * (value - 1)))
    if total == 0:
        return True
    summable = rules.sum_ranks if rules.face_sums or value <= 10 or value >= 14 else 0
    if total % value or available >> (4 * summable):
        return False
    if total == value:
        return True
    if total == 2 * value:  # one half makes the value: so does the other
        _, sums = reachable(rules, available)
        return (sums >> value) & 1 == 1
    row = make_row(CAPTURES, 1, SET_OF_VALUE[value])
    return _holds_all_plainly(book, rules, row, available)


@kernel
def _holds_all_plainly(book, rules, row, available):
    """Whether all available cards together are in a family, by walking it."""
    found = book.inner
    walk(book, rules, row, available, book.work[:0], -1, found)
    return found[FULL] == 1


@kernel
def _summarize(book, rules, available):
    """Pack four bit masks over values 1 … 16, 16 bits each; see `summary`."""
    groups, _ = reachable(rules, available)
    ace = groups_with(rules, available, 0)
    special = groups_with(rules, available, 1) | groups_with(rules, available, 9)
    everything, total, highest, left, x = 0, 0, 0, available, 1
    while left:
        total += x * (left & 15)
        highest = x if left & 15 else highest
        left >>= 4
        x += 1
    # Whether one capture takes all of a crowded table is not asked: nothing there comes to that.
    values = groups >> highest << highest if count_cards(available) <= LIST_CARDS else 0
    while values:
        value = lowest(values)
        values &= values - 1
        if _takes_everything(book, rules, available, value, total, highest):
            everything |= 1 << value
    # The last mask has 15 bits, so that the number stays positive: the big casino's 16 is left out.
    return groups >> 1 | everything >> 1 << 16 | ace >> 1 << 32 | (special >> 1 & 0x7FFF) << 48


@inlined
def digest(book, rules, table, loose):
    """Return `patterns.reachable` and `patterns.total_of` of the loose cards of this number."""
    if loose == 0:
        return 0, 0, 0
    if table < 0:
        available = pattern_of(loose)
        groups, sums = reachable(rules, available)
        return groups, sums, total_of(rules, available)
    found = book.digests[table]
    if found == 0:
        available = pattern_of(loose)
        groups, sums = reachable(rules, available)
        found = groups | sums << 17 | total_of(rules, available) << 34
        book.digests[table] = found
    return found & 0x1FFFF, found >> 17 & 0x1FFFF, found >> 34


@inlined
def summary(book, rules, loose):
    """Four bit masks over values (bit v - 1): takes something, everything, an ace, a two or ten.

    They are packed in 16 bits each, lowest first.
    """
    if loose == 0:
        return 0
    table = number_of(loose)
    if table < 0:
        return _summarize(book, rules, pattern_of(loose))
    if book.summaries[table] == 0:
        book.summaries[table] = _summarize(book, rules, pattern_of(loose))
    return book.summaries[table]


@inlined
def n_sets(entry):
    """Count the card sets of a family."""
    return (entry & 511) >> 1 if entry >= 0 else (-entry - 1) >> 1


@kernel
def holds_all(entry):
    """Whether all loose cards of the board together are a set of the family (0 or 1)."""
    return entry & 1 if entry >= 0 else (-entry - 1) & 1


@inlined
def _nth_mask_of(book, entry, index):
    """Return card set `index` of a listed family, as a mask; an only one is the entry's own."""
    if entry & 510 == 2:
        return entry >> 9
    return np.int64(book.masks[(entry >> 9) + index])


@inlined
def nth_set(book, rules, row, board, entry, index):
    """Return card set `index` of a family, as a board."""
    if row == EACH:
        return deposit(1 << index, board)
    if entry >= 0:
        return deposit(_nth_mask_of(book, entry, index), board)
    found, nothing = book.found, book.work[:0]
    available = pattern_of(board)
    walk(book, rules, row, available, nothing, index, found)
    return deposit(nth_mask(available, found[PICKED], found[REST]), board)


@kernel
def all_sets(book, rules, row, board, entry, out):
    """Write every card set of a family, as boards, in the order of `nth_set`."""
    if row == EACH:
        for i in range(popcount(board)):
            out[i] = deposit(1 << i, board)
        return
    n = n_sets(entry)
    if entry >= 0:
        for i in range(n):
            out[i] = deposit(_nth_mask_of(book, entry, i), board)
        return
    found, patterns = book.found, np.empty(n, np.int64)
    available = pattern_of(board)
    walk(book, rules, row, available, patterns, -1, found)
    i = 0
    for a in range(found[N_PATTERNS]):
        for j in range(ways(available, patterns[a])):
            out[i] = deposit(nth_mask(available, patterns[a], j), board)
            i += 1


@kernel
def _clear_slots(book):
    """Forget all but the captures of numbered tables."""
    book.slots[:] = 0
    book.n_keys = 0


@kernel
def clear(book):
    """Forget everything; needed whenever a book is to serve other rules."""
    _clear_slots(book)
    book.digests[:] = 0
    book.summaries[:] = 0
    book.captures[:] = 0
    book.summed, book.n_masks = 0, 1  # an entry that is known is not 0


@inlined
def tidy(book):
    """Forget what can be found anew when the book is nearly full; between decisions."""
    if book.n_keys > 1 << (HASH_BITS - 1):
        _clear_slots(book)
    if book.n_masks > POOL - ROOM:
        clear(book)


@kernel
def holds_set(book, rules, row, board, loose):
    """Whether these loose cards, of all that a family can use, are one of its sets.

    Works on a table of any size: only the cards in question are walked.
    """
    if row == EACH:
        return loose & ~board == 0 and popcount(loose) == 1
    if loose & ~board or loose == 0:
        return False
    rest, found = pattern_of(board & ~loose), book.found
    for which in range(_n_asked(rules, row)):
        ask = _asked(rules, row, which)
        found[:] = 0
        walk_family(book, pattern_of(loose), ask, book.work[:0], -1, found)
        more = ask.maximal and has_group(rest, ask.value, ask.sums, ask.ace14)
        if ask.maximal and ask.other:
            more = more or has_group(rest, ask.other, ask.sums, ask.ace14)
        if found[FULL] and not more:
            return True
    return False
