"""The families of a table of up to twelve cards, by bit sets over all subsets of its cards.

Of up to six cards there are 63 subsets that are not empty: subset m is bit m - 1 of a word, and a
card that is added to every subset of a set is one shift. A larger table is two halves of up to six
cards; a group of the whole is a subset of one joined with one of the other. Subsets of the whole
are masks: bit i is the i-th card.
"""

import numpy as np

from .bits import lowest
from .jit import kernel

SMALL = 6  # cards; the subsets of seven would not fit a word
MEDIUM = 2 * SMALL


@kernel
def sums_of(book, available, ask):
    """Fill book.sums[half, v], subsets that sum to v, and book.singles, cards that are v."""
    key = available << 5 | ask.sums << 1 | (1 if ask.ace14 else 0)
    if book.summed == key:
        return
    book.summed = key
    for v in range(17):
        book.sums[0, v], book.sums[1, v], book.singles[0, v], book.singles[1, v] = 0, 0, 0, 0
    n, half, shift, x = 0, 0, 1, 1
    while available:
        for _ in range(available & 15):
            if n == SMALL:
                half, shift = 1, 1
            _add_card(book.sums[half], book.singles[half], shift, x, ask)
            shift <<= 1
            n += 1
        available >>= 4
        x += 1


@kernel
def _add_card(sums, singles, shift, x, ask):
    """Add one card, of value x, to the subsets; `shift` is the subset of the card alone."""
    alone = 1 << (shift - 1)
    singles[x] |= alone
    if x > ask.sums:
        return
    as_14 = x == 1 and ask.ace14
    for v in range(16, 0, -1):
        more = sums[v - x] << shift if v > x else 0
        if as_14 and v > 14:
            more |= sums[v - 14] << shift
        sums[v] |= more
    sums[x] |= alone
    if as_14:
        sums[14] |= alone


@kernel
def _unions(groups):
    """Return every union of disjoint groups."""
    reached, waiting = 0, groups
    while waiting:
        one = lowest(waiting) + 1
        waiting &= waiting - 1
        reached |= 1 << (one - 1)
        left = groups
        while left:
            other = lowest(left) + 1
            left &= left - 1
            if one & other == 0:
                both = 1 << ((one | other) - 1)
                waiting |= both & ~reached
    return reached


@kernel
def _joins(ones, others):
    """Return every union of two subsets, one of each kind, without a card in common."""
    joined = 0
    while ones:
        one = lowest(ones) + 1
        ones &= ones - 1
        left = others
        while left:
            other = lowest(left) + 1
            left &= left - 1
            if one & other == 0:
                joined |= 1 << ((one | other) - 1)
    return joined


@kernel
def _maximal(unions, groups):
    """Return the unions that leave no group over."""
    kept, waiting = 0, unions
    while waiting:
        one = lowest(waiting) + 1
        waiting &= waiting - 1
        free, left = True, groups
        while left:
            if (lowest(left) + 1) & one == 0:
                free = False
            left &= left - 1
        if free:
            kept |= 1 << (one - 1)
    return kept


@kernel
def small_family(book, available, ask):
    """Return a family of at most SMALL cards as a word of subsets."""
    sums_of(book, available, ask)
    sums, singles = book.sums[0], book.singles[0]
    groups = 0
    if ask.groups:
        groups = sums[ask.value] | singles[ask.value]
        if ask.other:
            groups |= sums[ask.other] | singles[ask.other]
    unions = _unions(groups) if groups & (groups - 1) else groups
    if ask.demands == 0:
        return _maximal(unions, groups) if ask.maximal else unions
    own = 0
    for d in range(1, 16):
        if (ask.demands >> d) & 1:
            own |= _single_cards(singles, d, ask) if ask.one_addend else sums[d]
    family = _joins(own, unions)
    if ask.demands & 1:
        family |= unions
    return family if ask.proper else family | own


@kernel
def _single_cards(singles, d, ask):
    """Return the cards that count d and may be summed."""
    cards = singles[d] if d <= min(ask.sums, 13) else 0
    return cards | singles[1] if d == 14 and ask.ace14 else cards


@kernel
def _join_halves(lows, highs, out, n):
    """Append every subset of the whole made of one subset of each half."""
    while lows:
        low = lowest(lows) + 1
        lows &= lows - 1
        left = highs
        while left:
            out[n] = low | (lowest(left) + 1) << SMALL
            left &= left - 1
            n += 1
    return n


@kernel
def _within_halves(lows, highs, out, n):
    """Append every subset of the low half and every subset of the high half."""
    while lows:
        out[n] = lowest(lows) + 1
        lows &= lows - 1
        n += 1
    while highs:
        out[n] = (lowest(highs) + 1) << SMALL
        highs &= highs - 1
        n += 1
    return n


@kernel
def _list_sums(book, value, out, n):
    """Append the subsets of the whole that sum to a value."""
    n = _within_halves(book.sums[0, value], book.sums[1, value], out, n)
    for low in range(1, value):
        if book.sums[0, low] and book.sums[1, value - low]:
            n = _join_halves(book.sums[0, low], book.sums[1, value - low], out, n)
    return n


@kernel
def _list_groups(book, ask, out):
    """List the groups of the ask's values."""
    n = 0
    for value in (ask.value, ask.other):
        if value:
            n = _list_sums(book, value, out, n)
            if value > ask.sums:  # in no sum, but equal cards are groups
                n = _within_halves(book.singles[0, value], book.singles[1, value], out, n)
    return n


@kernel
def _list_own(book, ask, out):
    """List the loose cards that the played card's own group may want."""
    n = 0
    for d in range(1, 16):
        if (ask.demands >> d) & 1:
            if ask.one_addend:
                low = _single_cards(book.singles[0], d, ask)
                n = _within_halves(low, _single_cards(book.singles[1], d, ask), out, n)
            else:
                n = _list_sums(book, d, out, n)
    return n


@kernel
def _mark(seen, mask):
    """Mark a subset; returns whether it was not marked."""
    bit = np.uint64(1) << np.uint64(mask & 63)
    if seen[mask >> 6] & bit:
        return False
    seen[mask >> 6] |= bit
    return True


@kernel
def _wipe(seen, masks):
    """Take the marks of these subsets away."""
    for mask in masks:
        seen[mask >> 6] = 0


@kernel
def _close(groups, seen, out):
    """List every union of disjoint groups, each marked."""
    n, at = 0, 0
    for group in groups:
        if _mark(seen, group):
            out[n] = group
            n += 1
    while at < n:
        one = out[at]
        at += 1
        for group in groups:
            if one & group == 0 and _mark(seen, one | group):
                out[n] = one | group
                n += 1
    return n


@kernel
def _leaves_group(groups, mask):
    """Whether some group is left over."""
    for group in groups:
        if group & mask == 0:
            return True
    return False


@kernel
def medium_family(book, available, ask, seen):
    """Mark in `seen` the subsets of a family of at most MEDIUM cards."""
    sums_of(book, available, ask)
    lists, marks = book.lists, book.marks
    n_groups = _list_groups(book, ask, lists[0]) if ask.groups else 0
    groups = lists[0, :n_groups]
    unions = lists[1, : _close(groups, marks, lists[1])]
    _wipe(marks, unions)
    if ask.demands == 0:
        for union in unions:
            if not (ask.maximal and _leaves_group(groups, union)):
                _mark(seen, union)
        return
    own = lists[2, : _list_own(book, ask, lists[2])]
    for one in own:
        if not ask.proper:
            _mark(seen, one)
        for union in unions:
            if one & union == 0:
                _mark(seen, one | union)
    if ask.demands & 1:
        for union in unions:
            _mark(seen, union)
