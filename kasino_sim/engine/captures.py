"""Which sets of loose cards a move can use: families of sets, counted, listed and drawn from.

What can be taken depends only on how many cards of each rank lie there: the *pattern*, one nibble
a rank. A family is a set of patterns, and each pattern stands for the product of binomials of card
sets. `walk` finds every pattern of a family on a table of any size; the book remembers, for small
tables, the card sets as bit masks over the loose cards in card order.

A row names a family: the captures of a value set, or the loose cards of a single build, of a
multiple build, or of an addition to a build. They are all of one shape: disjoint groups of one
value, and for builds one more group, the played card's own, whose loose cards sum to a demand.
"""

from collections import namedtuple

import numpy as np

from .bits import deposit, lowest, popcount
from .jit import kernel
from .layout import HASH_BITS, LIST_LIMIT, N_VALUE_SETS, POOL, VALUE_SETS, WORK

CAPTURES, SINGLES, MULTIPLES, ADDITIONS = range(4)
EACH = -2  # a row of its own: every card of the board by itself, and the book is not asked
SUMMARY = N_VALUE_SETS  # a set code of its own, see `summary` below
NOTHING = N_VALUE_SETS + 1  # the code of a card that counts nothing: what is left is a plain sum

LIST_CARDS = 16  # cards on the table up to which it lists them
ROOM = 1 << 19  # kept free at the start of a decision

_ROW_BITS = 11
_MIX = np.uint64(0x9E3779B97F4A7C15)
_MIX_SHIFT = np.uint64(64 - HASH_BITS)
_TOP_BITS = 0x8888888888888
_PAIRS, _FOURS = 0x5555555555555, 0x3333333333333

_FIRST_VALUE = np.array([*(v for v, _ in VALUE_SETS), 0, 0])
_SECOND_VALUE = np.array([*(w for _, w in VALUE_SETS), 0, 0])
_SET_OF_VALUE = np.array([0, *(VALUE_SETS.index((v, 0)) for v in range(1, 17))])
_BINOMIAL = np.array(
    [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]]
)
# _CHOICE[n, k, j]: the j-th way to take k of n cards, as a mask.
_CHOICE = np.zeros((5, 5, 6), np.int64)
for _n in range(5):
    for _k in range(5):
        _masks = [m for m in range(1 << _n) if m.bit_count() == _k]
        _CHOICE[_n, _k, : len(_masks)] = _masks

# Patterns over the ranks that may stand several times in a group, and those patterns by sum.
# Level l of the walk has two lists of patterns, `_pending` and `_done`, and their sizes.
_Low = namedtuple("_Low", "size pattern items start seen lists sizes")
# What is asked of a family; see `_families_of_row`.
_Ask = namedtuple("_Ask", "value other demands one_addend groups proper maximal sums ace14")

_N_PATTERNS, _N_SETS, _PICKED, _REST, _FULL, _STAMP = 1, 0, 2, 3, 4, 5


@kernel
def pattern_of(board):
    """Count the cards of each rank: nibble r is the number of cards of rank r."""
    pairs = board - ((board >> 1) & _PAIRS)
    return (pairs & _FOURS) + ((pairs >> 2) & _FOURS)


@kernel
def up_to(value):
    """Board of all cards whose rank counts at most `value`."""
    return (1 << (4 * min(value, 13))) - 1


@kernel
def ways(available, pattern):
    """Count the card sets that a pattern stands for."""
    product = 1
    while pattern:
        product *= _BINOMIAL[available & 15, pattern & 15]
        available >>= 4
        pattern >>= 4
    return product


@kernel
def nth_mask(available, pattern, index):
    """Return card set `index` of a pattern, as a mask over the available cards in card order."""
    mask, offset = 0, 0
    while pattern:
        n, k = available & 15, pattern & 15
        size = _BINOMIAL[n, k]
        mask |= _CHOICE[n, k, index % size] << offset
        index //= size
        offset += n
        available >>= 4
        pattern >>= 4
    return mask


@kernel
def has_group(available, value, sums, ace14):
    """Whether some of the available cards are one group of `value`."""
    if 1 <= value <= 13 and (available >> (4 * (value - 1))) & 15:
        return True
    reach = 1
    for x in range(2, min(sums, value) + 1):
        for _ in range((available >> (4 * (x - 1))) & 15):
            reach |= reach << x
    with_ace14 = 0
    if sums >= 1:
        for _ in range(available & 15):
            if ace14:
                with_ace14 = (with_ace14 | with_ace14 << 1) | reach << 14
            reach |= reach << 1
    return ((reach | with_ace14) >> value) & 1 == 1


@kernel
def _fits(available, one, two):
    """Whether two patterns together are no more than what is available."""
    return ((available | _TOP_BITS) - (one + two)) & _TOP_BITS == _TOP_BITS


@kernel
def _low_patterns(book, available, half, ask, depth):
    """List the patterns of ranks up to `half`, which can stand together in a group, by sum."""
    size = 1
    for x in range(1, min(half, ask.sums) + 1):
        size *= 1 + ((available >> (4 * (x - 1))) & 15)
    need = size * (5 + 2 * depth) + 18 + 2 * depth
    work = book.work[:need] if need <= WORK else np.empty(need, np.int64)
    pattern, total, seen = work[:size], work[size : 2 * size], work[2 * size : 3 * size]
    at = 3 * size
    filled = 1
    pattern[0], total[0], seen[0] = 0, 0, 0
    for x in range(1, min(half, ask.sums) + 1):
        base = filled
        for t in range(1, 1 + ((available >> (4 * (x - 1))) & 15)):
            for i in range(base):
                pattern[filled] = pattern[i] + (t << (4 * (x - 1)))
                total[filled] = total[i] + t * x
                seen[filled] = 0
                filled += 1
    items, start = work[at : at + 2 * size], work[at + 2 * size : at + 2 * size + 18]
    _by_sum(pattern, total, ask.ace14, items, start)
    at += 2 * size + 18
    lists = work[at : at + 2 * depth * size]
    return _Low(size, pattern, items, start, seen, lists, work[at + 2 * depth * size :])


@kernel
def _by_sum(pattern, total, ace14, items, start):
    """Sort the patterns by sum: items[start[s] : start[s + 1]] sum to s, an ace as 14 included."""
    start[:] = 0
    for i in range(len(pattern)):
        if total[i] <= 16:
            start[total[i]] += 1
            if ace14 and total[i] <= 3 and pattern[i] & 15:
                start[total[i] + 13] += 1
    at = 0
    for s in range(18):
        at, start[s] = at + start[s], at
    for i in range(len(pattern)):
        if total[i] <= 16:
            items[start[total[i]]] = i
            start[total[i]] += 1
            if ace14 and total[i] <= 3 and pattern[i] & 15:
                items[start[total[i] + 13]] = i
                start[total[i] + 13] += 1
    for s in range(17, 0, -1):
        start[s] = start[s - 1]
    start[0] = 0


@kernel
def _spread(available, low, source, n, target, filled, residual, stamp):
    """Add to `target` source[:n], each with each part of a group of sum `residual`, once."""
    for a in range(n):
        i = source[a]
        for b in range(low.start[residual], low.start[residual + 1]):
            p = low.items[b]
            if _fits(available, low.pattern[i], low.pattern[p]) and low.seen[i + p] != stamp:
                low.seen[i + p] = stamp
                target[filled] = i + p
                filled += 1
    return filled


@kernel
def _pending(low, level):
    """Patterns reached at a level while the played card's own group is still open."""
    return low.lists[2 * level * low.size : (2 * level + 1) * low.size]


@kernel
def _done(low, level):
    """Patterns reached at a level with every group whole."""
    return low.lists[(2 * level + 1) * low.size : (2 * level + 2) * low.size]


@kernel
def _close(available, low, ask, stamp):
    """List in level 0 every union of groups that are made of low ranks alone."""
    reach = _pending(low, 0) if ask.demands else _done(low, 0)
    reach[0], filled, at = 0, 1, 0
    low.seen[0] = stamp
    while ask.groups and at < filled:
        one = reach[at : at + 1]
        filled = _spread(available, low, one, 1, reach, filled, ask.value, stamp)
        if ask.other:
            filled = _spread(available, low, one, 1, reach, filled, ask.other, stamp)
        at += 1
    low.sizes[0] = filled if ask.demands else 0
    low.sizes[1] = 0 if ask.demands else filled


@kernel
def _grow(available, low, ask, level, x, found):
    """From `level` to the next: one more card of the high rank value x, in a group of its own."""
    pending, done = _pending(low, level), _done(low, level)
    n_pending, n_done = low.sizes[2 * level], low.sizes[2 * level + 1]
    next_pending, next_done = _pending(low, level + 1), _done(low, level + 1)
    summable = x <= ask.sums
    more_done, more_pending = 0, 0
    stamp = found[_STAMP] + 1
    found[_STAMP] += 2
    for target in (ask.value, ask.other):
        rest = target - x
        if ask.groups and target and (rest == 0 or (rest > 0 and summable)):
            more_done = _spread(available, low, done, n_done, next_done, more_done, rest, stamp)
    for d in range(x, 16):
        if (ask.demands >> d) & 1 and summable and (d == x or not ask.one_addend):
            more_done = _spread(
                available, low, pending, n_pending, next_done, more_done, d - x, stamp
            )
    for target in (ask.value, ask.other):
        rest = target - x
        if ask.groups and target and (rest == 0 or (rest > 0 and summable)):
            more_pending = _spread(
                available,
                low,
                pending,
                n_pending,
                next_pending,
                more_pending,
                rest,
                stamp + 1,
            )
    low.sizes[2 * level + 2], low.sizes[2 * level + 3] = more_pending, more_done
    return more_pending + more_done > 0


@kernel
def _is_demand(pattern, ask):
    """Whether the pattern as a whole is the played card's own group and nothing else."""
    total = 0
    for x in range(1, 14):
        total += x * ((pattern >> (4 * (x - 1))) & 15)
    if total < 16 and (ask.demands >> total) & 1:
        return True
    return ask.ace14 and pattern & 15 > 0 and total < 3 and (ask.demands >> (total + 13)) & 1 == 1


@kernel
def _note(available, pattern, ask, out, skip, found):
    """Count a pattern of the family; keep it, and see whether the set asked for is in it."""
    if pattern == 0 or (ask.proper and _is_demand(pattern, ask)):
        return
    if ask.maximal:
        rest = available - pattern
        if has_group(rest, ask.value, ask.sums, ask.ace14):
            return
        if ask.other and has_group(rest, ask.other, ask.sums, ask.ace14):
            return
    n = ways(available, pattern)
    if found[_N_SETS] <= skip < found[_N_SETS] + n:
        found[_PICKED], found[_REST] = pattern, skip - found[_N_SETS]
    if found[_N_PATTERNS] < len(out):
        out[found[_N_PATTERNS]] = pattern
    found[_N_PATTERNS] += 1
    found[_N_SETS] += n
    if pattern == available:
        found[_FULL] = 1


@kernel
def _note_level(available, low, ask, level, high, out, skip, found):
    """Count every pattern with these high cards."""
    found[_STAMP] += 1
    stamp = found[_STAMP]
    pending, done = _pending(low, level), _done(low, level)
    for a in range(low.sizes[2 * level + 1]):
        low.seen[done[a]] = stamp
        _note(available, high + low.pattern[done[a]], ask, out, skip, found)
    for a in range(low.sizes[2 * level]):
        i = pending[a]
        for d in range(16):
            if not (ask.demands >> d) & 1:
                continue
            for b in range(low.start[d], low.start[d + 1]):
                p = low.items[b]
                if ask.one_addend and _cards(low.pattern[p]) > 1:
                    continue
                if _fits(available, low.pattern[i], low.pattern[p]) and low.seen[i + p] != stamp:
                    low.seen[i + p] = stamp
                    _note(available, high + low.pattern[i + p], ask, out, skip, found)


@kernel
def _cards(pattern):
    """Count the cards in a pattern."""
    n = 0
    while pattern:
        n += pattern & 15
        pattern >>= 4
    return n


@kernel
def _walk_family(book, available, ask, out, skip, found):
    """Visit every pattern of one family: high ranks by odometer, low ranks by what they reach.

    Two cards above half the value never share a group, so the high cards are laid one by one, and
    each is completed by low cards; what the low cards can then be is a list of patterns.
    """
    top = max(ask.value, ask.other)
    half = top // 2
    high_ranks, n_high, depth = 0, 0, 1
    for x in range(half + 1, min(top, 13) + 1):
        n = (available >> (4 * (x - 1))) & 15
        if n and (x <= ask.sums or x == ask.value or x == ask.other):
            high_ranks |= x << (4 * n_high)
            n_high += 1
            depth += n
    low = _low_patterns(book, available, half, ask, depth)
    found[_STAMP] = 1
    _close(available, low, ask, 1)
    level, high = 0, 0
    while True:
        _note_level(available, low, ask, level, high, out, skip, found)
        j = n_high - 1
        while j >= 0:
            x = (high_ranks >> (4 * j)) & 15
            place = 4 * (x - 1)
            laid = (high >> place) & 15
            if laid < (available >> place) & 15 and _grow(available, low, ask, level, x, found):
                level += 1
                high += 1 << place
                break
            level -= laid
            high -= laid << place
            j -= 1
        if j < 0:
            return


@kernel
def _ask(rules, value, other, demands, groups, proper, maximal):
    """Put together what is asked of a family under these rules."""
    sums = rules.sum_ranks
    if groups and 11 <= value <= 13 and rules.face_sums == 0:
        sums = 0  # a face card takes its own rank only
    return _Ask(
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
def make_row(kind, value, values):
    """Name a family: its kind, a build's value (1 … 16, else 1) and a code of a value set."""
    if kind == SINGLES and _SECOND_VALUE[values] == 0:
        return kind << 9 | (value - _FIRST_VALUE[values] - 1) << 5 | NOTHING
    return kind << 9 | (value - 1) << 5 | values


@kernel
def reachable(rules, pattern):
    """Two bit masks over values: what some group can be worth, and what some sum can be.

    They differ in the face cards where these are in no sums.
    """
    sums, reach, groups = rules.sum_ranks, 1, 0
    aces, x = pattern & 15, 2
    pattern >>= 4
    while pattern:
        for _ in range(pattern & 15):
            if x <= sums:
                reach |= reach << x
            groups |= 1 << x
        pattern >>= 4
        x += 1
    with_ace14 = 0
    for _ in range(aces):
        groups |= 2
        if rules.ace14:
            with_ace14 = (with_ace14 | with_ace14 << 1) | reach << 14
        reach |= reach << 1
    reach = (reach | with_ace14) & 0x1FFFE
    if rules.face_sums:
        return groups | reach, reach
    return groups | reach & ~0x3800, reach


@kernel
def row_top(row):
    """Return the highest value that a loose card of the family can have."""
    kind, values = row >> 9, row & 31
    if kind != CAPTURES:
        return ((row >> 5) & 15) + 1  # a plain sum's value is the sum
    return max(_FIRST_VALUE[values], _SECOND_VALUE[values])


@kernel
def walk(book, rules, row, available, out, skip, found):
    """Visit a family on a table of any size.

    found[0] number of card sets, [1] of patterns (the first len(out) stand in `out`), [2] the
    pattern that holds card set number `skip` and [3] its number there, [4] whether all available
    cards together are in the family.
    """
    found[:] = 0
    kind, values = row >> 9, row & 31
    value, other = _FIRST_VALUE[values], _SECOND_VALUE[values]
    maximal = kind == CAPTURES and rules.maximal == 1
    if kind == CAPTURES and (other == 0 or rules.per_play_any):
        _walk_family(
            book, available, _ask(rules, value, other, 0, True, False, maximal), out, skip, found
        )
    elif kind == CAPTURES:
        _walk_either(book, rules, value, other, available, maximal, out, skip, found)
    else:
        target = ((row >> 5) & 15) + 1
        demands = _demands(target, value, other)
        groups, proper = kind != SINGLES, kind == MULTIPLES
        if demands:
            _walk_family(
                book,
                available,
                _ask(rules, target, 0, demands, groups, proper, False),
                out,
                skip,
                found,
            )


@kernel
def _demands(target, value, other):
    """Bit d: the played card's group wants loose cards of sum d."""
    demands = 0
    if value <= target:
        demands |= 1 << (target - value)
    if other and other <= target:
        demands |= 1 << (target - other)
    return demands


@kernel
def _walk_either(book, rules, value, other, available, maximal, out, skip, found):
    """Visit the captures of one value or of the other, each card set once."""
    first = _ask(rules, other, 0, 0, True, False, maximal)
    second = _ask(rules, value, 0, 0, True, False, maximal)
    free = _ask(rules, other, 0, 0, True, False, False)
    inner, nothing = book.inner, book.work[:0]
    inner[:] = 0
    _walk_family(book, available, second, nothing, -1, inner)
    patterns = np.empty(inner[_N_PATTERNS], np.int64)
    inner[:] = 0
    _walk_family(book, available, second, patterns, -1, inner)
    _walk_family(book, available, first, out, skip, found)
    for pattern in patterns:
        inner[:] = 0
        _walk_family(book, pattern, free, nothing, -1, inner)
        known = inner[_FULL] == 1
        if known and maximal:
            known = not has_group(available - pattern, other, first.sums, first.ace14)
        if not known:
            _note(available, pattern, second, out, skip, found)


@kernel
def _slot(book, key):
    """Return the key's place in the book's hash table: its own or a free one."""
    at = np.int64((np.uint64(key) * _MIX) >> _MIX_SHIFT)
    while book.keys[at] != key and book.keys[at] != 0:
        at = (at + 1) & ((1 << HASH_BITS) - 1)
    return at


@kernel
def lookup(book, rules, row, board):
    """Return the entry of a family on the loose cards of `board`, which are at most `row_top`.

    An entry is read with `n_sets`, `holds_all` and `nth_set`.
    """
    if board == 0 or row < 0:
        return 0
    available = pattern_of(board)
    key = available << _ROW_BITS | row
    at = _slot(book, key)
    if book.keys[at] != key:
        book.values[at] = _look_up_anew(book, rules, row, available)
        book.keys[at] = key
        book.n_keys += 1
    return book.values[at]


@kernel
def _look_up_anew(book, rules, row, available):
    """Walk a family for the book and list its card sets where they are few."""
    found, patterns = book.found, book.patterns
    walk(book, rules, row, available, patterns, -1, found)
    n, first = found[_N_SETS], book.n_masks
    if n > LIST_LIMIT or _cards(available) > LIST_CARDS or first + n > POOL:
        return -(n << 1 | found[_FULL]) - 1
    for a in range(found[_N_PATTERNS]):
        for i in range(ways(available, patterns[a])):
            book.masks[book.n_masks] = nth_mask(available, patterns[a], i)
            book.n_masks += 1
    return first << 14 | n << 1 | found[_FULL]


@kernel
def _groups_with(rules, available, rank):
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
        row = make_row(CAPTURES, 1, _SET_OF_VALUE[value])
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
    row = make_row(CAPTURES, 1, _SET_OF_VALUE[value])
    return _holds_all_plainly(book, rules, row, available)


@kernel
def total_of(rules, pattern):
    """Return the most that the cards of a pattern can sum to."""
    total, x = (pattern & 15) * (13 if rules.ace14 else 0), 1
    while pattern:
        total += x * (pattern & 15)
        pattern >>= 4
        x += 1
    return total


@kernel
def _holds_all_plainly(book, rules, row, available):
    """Whether all available cards together are in a family, by walking it."""
    found = book.inner
    walk(book, rules, row, available, book.work[:0], -1, found)
    return found[_FULL] == 1


@kernel
def _summarize(book, rules, available):
    """Pack four bit masks over values 1 … 16, 16 bits each; see `summary`."""
    groups, _ = reachable(rules, available)
    ace = _groups_with(rules, available, 0)
    special = _groups_with(rules, available, 1) | _groups_with(rules, available, 9)
    everything, total, highest, left, x = 0, 0, 0, available, 1
    while left:
        total += x * (left & 15)
        highest = x if left & 15 else highest
        left >>= 4
        x += 1
    values = groups >> highest << highest
    while values:
        value = lowest(values)
        values &= values - 1
        if _takes_everything(book, rules, available, value, total, highest):
            everything |= 1 << value
    # The last mask has 15 bits, so that the number stays positive: the big casino's 16 is left out.
    return groups >> 1 | everything >> 1 << 16 | ace >> 1 << 32 | (special >> 1 & 0x7FFF) << 48


@kernel
def summary(book, rules, loose):
    """Four bit masks over values (bit v - 1): takes something, everything, an ace, a two or ten.

    They are packed in 16 bits each, lowest first.
    """
    if loose == 0:
        return 0
    available = pattern_of(loose)
    key = available << _ROW_BITS | SUMMARY
    at = _slot(book, key)
    if book.keys[at] != key:
        book.values[at] = _summarize(book, rules, available)
        book.keys[at] = key
        book.n_keys += 1
    return book.values[at]


@kernel
def n_sets(entry):
    """Count the card sets of a family."""
    return (entry & 0x3FFF) >> 1 if entry >= 0 else (-entry - 1) >> 1


@kernel
def holds_all(entry):
    """Whether all loose cards of the board together are a set of the family (0 or 1)."""
    return entry & 1 if entry >= 0 else (-entry - 1) & 1


@kernel
def nth_set(book, rules, row, board, entry, index):
    """Return card set `index` of a family, as a board."""
    if row == EACH:
        return deposit(1 << index, board)
    if entry >= 0:
        return deposit(np.int64(book.masks[(entry >> 14) + index]), board)
    found, nothing = book.found, book.work[:0]
    available = pattern_of(board)
    walk(book, rules, row, available, nothing, index, found)
    return deposit(nth_mask(available, found[_PICKED], found[_REST]), board)


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
            out[i] = deposit(np.int64(book.masks[(entry >> 14) + i]), board)
        return
    found, patterns = book.found, np.empty(n, np.int64)
    available = pattern_of(board)
    walk(book, rules, row, available, patterns, -1, found)
    i = 0
    for a in range(found[_N_PATTERNS]):
        for j in range(ways(available, patterns[a])):
            out[i] = deposit(nth_mask(available, patterns[a], j), board)
            i += 1


@kernel
def clear(book):
    """Forget everything; needed whenever a book is to serve other rules."""
    for at in range(1 << HASH_BITS):
        book.keys[at] = 0
    book.n_keys, book.n_masks = 0, 0


@kernel
def tidy(book):
    """Forget everything when the book is nearly full; to be called between decisions."""
    if book.n_keys > 1 << (HASH_BITS - 1) or book.n_masks > POOL - ROOM:
        clear(book)


@kernel
def holds_set(book, rules, row, board, loose):
    """Whether these loose cards, of all that a family can use, are one of its sets.

    Works on a table of any size: only the cards in question are walked.
    """
    if row == EACH:
        return loose & ~board == 0 and popcount(loose) == 1
    if loose & ~board or row < 0 or loose == 0:
        return False
    kind, values = row >> 9, row & 31
    rest = pattern_of(board & ~loose)
    found, nothing = book.found, book.work[:0]
    value, other = _FIRST_VALUE[values], _SECOND_VALUE[values]
    if kind != CAPTURES or not rules.maximal:
        walk(book, rules, row, pattern_of(loose), nothing, -1, found)
        return found[_FULL] == 1
    either = other > 0 and not rules.per_play_any
    for target in (value, other):
        ask = _ask(rules, target, 0 if either else other, 0, True, False, False)
        if target == 0 or (target == other and not either):
            continue
        found[:] = 0
        _walk_family(book, pattern_of(loose), ask, nothing, -1, found)
        more = has_group(rest, target, ask.sums, ask.ace14)
        if not either and other:
            more = more or has_group(rest, other, ask.sums, ask.ace14)
        if found[_FULL] and not more:
            return True
    return False
