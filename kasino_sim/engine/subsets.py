"""The families of a small table, by bit sets over all subsets of its cards.

Of up to six cards there are 63 subsets that are not empty: subset m is bit m - 1 of a word, and a
card that is added to every subset of a set is one shift.
"""

from .bits import lowest
from .jit import kernel

SMALL = 6  # cards; the subsets of seven would not fit a word


@kernel
def sums_of(book, available, ask):
    """Fill book.sums[v], the subsets that sum to v, and book.singles[v], the cards that are v."""
    for v in range(17):
        book.sums[v], book.singles[v] = 0, 0
    shift, x = 1, 1
    while available:
        for _ in range(available & 15):
            _add_card(book, shift, x, x <= ask.sums, x == 1 and ask.ace14)
            shift <<= 1
        available >>= 4
        x += 1


@kernel
def _add_card(book, shift, x, summable, as_14):
    """Add one card, of value x, to the subsets; `shift` is the subset of the card alone."""
    alone = 1 << (shift - 1)
    book.singles[x] |= alone
    if not summable:
        return
    for v in range(16, 0, -1):
        more = book.sums[v - x] << shift if v > x else 0
        if as_14 and v > 14:
            more |= book.sums[v - 14] << shift
        book.sums[v] |= more
    book.sums[x] |= alone
    if as_14:
        book.sums[14] |= alone


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
    groups = 0
    if ask.groups:
        groups = book.sums[ask.value] | book.singles[ask.value]
        if ask.other:
            groups |= book.sums[ask.other] | book.singles[ask.other]
    unions = _unions(groups)
    if ask.demands == 0:
        return _maximal(unions, groups) if ask.maximal else unions
    own = 0
    for d in range(1, 16):
        if (ask.demands >> d) & 1:
            own |= _single_cards(book, d, ask) if ask.one_addend else book.sums[d]
    family = _joins(own, unions)
    if ask.demands & 1:
        family |= unions
    return family if ask.proper else family | own


@kernel
def _single_cards(book, d, ask):
    """Return the cards that count d and may be summed."""
    cards = book.singles[d] if d <= min(ask.sums, 13) else 0
    return cards | book.singles[1] if d == 14 and ask.ace14 else cards
