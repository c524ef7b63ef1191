"""Every pattern of a family on a table of any size.

A family is a set of patterns, all of one shape: disjoint groups of one value, and for builds one
more group, the played card's own, whose loose cards sum to a demand.
"""

from collections import namedtuple

import numpy as np

from .jit import kernel
from .layout import WORK
from .patterns import count_cards, fits, has_group, ways

# What is asked of a family: groups of `value` or `other`; bit d of `demands`: the played card's own
# group may want loose cards of sum d (`one_addend`: a single card); `groups`: whether there are
# groups besides it, `proper`: whether there must be; `maximal`: whether none may be left over;
# `sums`: the highest value that may be summed; `ace14`: whether a loose ace may count 14.
Ask = namedtuple("Ask", "value other demands one_addend groups proper maximal sums ace14")

# Patterns over the ranks that may stand several times in a group, and those patterns by sum.
# Level l of the walk has two lists of patterns, `_pending` and `_done`, and their sizes.
_Low = namedtuple("_Low", "size pattern items start seen lists sizes")

# Places in `found`: number of card sets and of patterns, the pattern picked and the number of the
# card set in it, whether all available cards together are in the family; the last is for the walk.
N_SETS, N_PATTERNS, PICKED, REST, FULL, _STAMP = range(6)


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
            if fits(available, low.pattern[i], low.pattern[p]) and low.seen[i + p] != stamp:
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
def note(available, pattern, ask, out, skip, found):
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
    if found[N_SETS] <= skip < found[N_SETS] + n:
        found[PICKED], found[REST] = pattern, skip - found[N_SETS]
    if found[N_PATTERNS] < len(out):
        out[found[N_PATTERNS]] = pattern
    found[N_PATTERNS] += 1
    found[N_SETS] += n
    if pattern == available:
        found[FULL] = 1


@kernel
def _note_level(available, low, ask, level, high, out, skip, found):
    """Count every pattern with these high cards."""
    found[_STAMP] += 1
    stamp = found[_STAMP]
    pending, done = _pending(low, level), _done(low, level)
    for a in range(low.sizes[2 * level + 1]):
        low.seen[done[a]] = stamp
        note(available, high + low.pattern[done[a]], ask, out, skip, found)
    for a in range(low.sizes[2 * level]):
        i = pending[a]
        for d in range(16):
            if not (ask.demands >> d) & 1:
                continue
            for b in range(low.start[d], low.start[d + 1]):
                p = low.items[b]
                if ask.one_addend and count_cards(low.pattern[p]) > 1:
                    continue
                if fits(available, low.pattern[i], low.pattern[p]) and low.seen[i + p] != stamp:
                    low.seen[i + p] = stamp
                    note(available, high + low.pattern[i + p], ask, out, skip, found)


@kernel
def walk_family(book, available, ask, out, skip, found):
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
