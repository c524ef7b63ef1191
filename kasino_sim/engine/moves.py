"""Every legal move: trails, captures, builds, raises, additions, and the duties after building.

Moves that differ only in the loose cards they use, or in which of several builds of one value and
one kind of owner they take, are legal or not together. They are one *class* with a weight, so that
a crowded table costs no more than a bare one.
"""

from .bits import fetch_ahead, lowest, popcount
from .captures import (
    ADDITIONS,
    CAPTURES,
    EACH,
    MULTIPLES,
    SINGLES,
    all_sets,
    captures,
    demands_of,
    digest,
    holds_all,
    holds_set,
    lookup,
    make_row,
    n_sets,
    nth_set,
    row_top,
)
from .jit import inlined, kernel
from .layout import (
    ADD,
    BUILD,
    CAPTURE,
    CLEAR,
    DUTY_ACT,
    DUTY_RESOLVE,
    FIRST_VALUE,
    FORCED,
    MULTIPLE,
    MUST_ACT,
    RAISE,
    RAISE_OTHERS,
    SECOND_VALUE,
    SET_OF_VALUE,
    TRAIL,
)
from .patterns import up_to
from .ranking import number_of

NO_FAMILY = (-1, 0, 0, 0)  # row, board, entry and number of sets, where there are none


@kernel
def choices(n, k):
    """Return n over k."""
    product = 1
    for i in range(k):
        product = product * (n - i) // (i + 1)
    return product


@kernel
def nth_subset(board, k, index):
    """Return subset `index` of those with k members of a board."""
    chosen = 0
    n = popcount(board)
    while k > 0:
        bit = board & -board
        board ^= bit
        n -= 1
        with_bit = choices(n, k - 1)
        if index < with_bit:
            chosen |= bit
            k -= 1
        else:
            index -= with_bit
    return chosen


@kernel
def takers_in(rules, hand):
    """Bit mask of the values of builds that some card of the hand takes."""
    values = 0
    while hand:
        values |= rules.taker_values[lowest(hand)]
        hand &= hand - 1
    return values


@inlined
def _takers_twice(rules, hand):
    """Bit masks of the values of builds that some card of the hand takes, and that two do."""
    once, twice = 0, 0
    while hand:
        values = rules.taker_values[lowest(hand)]
        twice |= once & values
        once |= values
        hand &= hand - 1
    return once, twice


@kernel
def builds_of(state, value, owner):
    """Return two boards of builds of a value: the owner's and everybody else's."""
    own, others = 0, 0
    for b in range(state.n_builds):
        if state.build_value[b] == value:
            if state.build_owner[b] == owner:
                own |= 1 << b
            else:
                others |= 1 << b
    return own, others


@inlined
def _add(scratch, n, card, kind, value, family, empty):
    """Append a class that uses no build; returns the new number of classes."""
    row, board, entry, n_loose = family
    if n_loose + empty > 0:
        c = scratch.classes[n]
        c.card, c.kind, c.value = card, kind, value
        c.n_loose, c.empty, c.weight, c.legal, c.n_used = n_loose, empty, n_loose + empty, 1, 0
        if n_loose:
            c.row, c.board, c.entry = row, board, entry
        return n + 1
    return n


@kernel
def _use_builds(c, first, n_first, second, n_second, others, n_others):
    """Let a class use that many of these builds: own ones of two values, and others'."""
    c.first, c.n_first, c.second, c.n_second = first, n_first, second, n_second
    c.others, c.n_others = others, n_others
    c.n_used = n_first + n_second + n_others
    c.weight *= choices(popcount(first), n_first) * choices(popcount(second), n_second)
    c.weight *= choices(popcount(others), n_others)


@kernel
def _capture_with_builds(rules, scratch, n, card, family, first, second, others):
    """Append the captures that take builds, by how many of each owner."""
    n1, n2, n3 = popcount(first), popcount(second), popcount(others)
    if n1 + n2 + n3 == 0:
        return n
    if rules.maximal:
        n = _add(scratch, n, card, CAPTURE, 0, family, 1 if family[3] == 0 else 0)
        _use_builds(scratch.classes[n - 1], first, n1, second, n2, others, n3)
        return n
    for i in range(n1 + 1):
        for j in range(n2 + 1):
            for k in range(n3 + 1):
                if i + j + k:
                    n = _add(scratch, n, card, CAPTURE, 0, family, 1)
                    _use_builds(scratch.classes[n - 1], first, i, second, j, others, k)
    return n


@kernel
def _family(rules, book, row, board):
    """Row, board, entry and number of sets of a family."""
    entry = lookup(book, rules, row, board)
    return row, board, entry, n_sets(entry)


@inlined
def _captures_by(state, rules, book, values):
    """Return the family of the loose cards that a card of this value set takes."""
    if not state.groups & (1 << FIRST_VALUE[values] | 1 << SECOND_VALUE[values]):
        return NO_FAMILY
    row = make_row(CAPTURES, 1, values)
    board, entry = captures(book, rules, state.table, state.loose, row)
    return row, board, entry, n_sets(entry)


@kernel
def _singles(state, rules, book, value, values):
    """Return the family of the loose cards that make a single build."""
    demands = demands_of(value, FIRST_VALUE[values], SECOND_VALUE[values])
    if not state.sums & demands & ~1:
        return NO_FAMILY
    if rules.one_addend:
        board = state.loose & _of_values(rules, demands & ~1)
        return EACH, board, 0, popcount(board)
    row = make_row(SINGLES, value, values)
    return _family(rules, book, row, state.loose & up_to(row_top(row)))


@kernel
def _of_values(rules, values):
    """Board of the cards that have one of these values on the table and may be summed."""
    board = 15 if rules.ace14 and (values >> 14) & 1 else 0
    values &= (2 << rules.sum_ranks) - 2
    while values:
        board |= 15 << (4 * (lowest(values) - 1))
        values &= values - 1
    return board


@kernel
def _joined(state, rules, book, kind, value, values):
    """Return the family of the loose cards of a multiple build or an addition."""
    demands = demands_of(value, FIRST_VALUE[values], SECOND_VALUE[values])
    more = (state.groups >> value) & 1
    highest = max(FIRST_VALUE[values], SECOND_VALUE[values])
    if kind == MULTIPLES and demands & 1 == 0 and state.total < 2 * value - highest:
        more = 0  # there are not cards enough for two groups
    if not (demands & 1 or state.sums & demands) or (kind == MULTIPLES and not more):
        return NO_FAMILY
    if not more:
        return _singles(state, rules, book, value, values)
    if demands == 1 and not rules.maximal:
        return _captures_by(state, rules, book, SET_OF_VALUE[value])
    return _family(rules, book, make_row(kind, value, values), state.loose & up_to(value))


@kernel
def _captures_of(state, rules, book, scratch, n, card, values):
    """Append the captures by `card` with one value set, its groups and builds freely mixed."""
    family = _captures_by(state, rules, book, values)
    if state.n_builds == 0 or rules.taker_values[card] == 0:
        return _add(scratch, n, card, CAPTURE, 0, family, 0)
    first, others = builds_of(state, FIRST_VALUE[values], state.to_move)
    second = 0
    if SECOND_VALUE[values]:
        second, more = builds_of(state, SECOND_VALUE[values], state.to_move)
        others |= more
    if not rules.maximal or first | second | others == 0:
        n = _add(scratch, n, card, CAPTURE, 0, family, 0)
    return _capture_with_builds(rules, scratch, n, card, family, first, second, others)


@kernel
def _captures_by_value(state, rules, book, scratch, n, card, value, other):
    """Append the captures by a card of two values that may use one of them at a time."""
    one, two = SET_OF_VALUE[value], SET_OF_VALUE[other]
    own, others = builds_of(state, value, state.to_move)
    own_other, others_other = builds_of(state, other, state.to_move)
    if own | others == 0 and own_other | others_other == 0:
        return _captures_of(state, rules, book, scratch, n, card, rules.hand_set[card])
    if rules.maximal:
        n = _captures_of(state, rules, book, scratch, n, card, one)
        return _captures_of(state, rules, book, scratch, n, card, two)
    both = _captures_by(state, rules, book, rules.hand_set[card])
    n = _add(scratch, n, card, CAPTURE, 0, both, 0)
    for values in (one, two):
        family = _captures_by(state, rules, book, values)
        first, rest = (own, others) if values == one else (own_other, others_other)
        n = _capture_with_builds(rules, scratch, n, card, family, first, 0, rest)
    return n


@kernel
def _takes_all(state, rules, book, card, values):
    """Whether an ordinary capture with this value set takes all that lies on the table."""
    known = 0
    for b in range(state.n_builds):
        known |= 1 << state.build_value[b]
    allowed = 1 << FIRST_VALUE[values]
    if SECOND_VALUE[values]:
        allowed |= 1 << SECOND_VALUE[values]
    if known & ~(allowed & rules.taker_values[card]):
        return False
    row = make_row(CAPTURES, 1, values)
    if state.loose & ~up_to(row_top(row)):
        return False
    return state.loose == 0 or holds_all(lookup(book, rules, row, state.loose)) == 1


@kernel
def _clear(state, rules, book, scratch, n, card):
    """Append the clear card's own capture where no ordinary one takes the same."""
    if state.loose == 0 and state.n_builds == 0:
        return n
    values = rules.hand_set[card]
    value, other = FIRST_VALUE[values], SECOND_VALUE[values]
    if other == 0 or rules.per_play_any:
        ordinary = _takes_all(state, rules, book, card, values)
    else:
        ordinary = _takes_all(state, rules, book, card, SET_OF_VALUE[value])
        ordinary = ordinary or _takes_all(state, rules, book, card, SET_OF_VALUE[other])
    if ordinary:
        return n
    own, others = 0, 0
    for b in range(state.n_builds):
        if state.build_owner[b] == state.to_move:
            own |= 1 << b
        else:
            others |= 1 << b
    n = _add(scratch, n, card, CLEAR, 0, NO_FAMILY, 1)
    scratch.classes[n - 1].board = state.loose
    _use_builds(scratch.classes[n - 1], own, popcount(own), 0, 0, others, popcount(others))
    return n


@inlined
def _values_from(rules, card, parts):
    """Bit mask: what the card makes with loose cards of one of these sums (bit 0: with none)."""
    values = rules.build_set[card]
    if not rules.build_sums[card]:
        parts &= 1
    made = parts << FIRST_VALUE[values]
    return made | parts << SECOND_VALUE[values] if SECOND_VALUE[values] else made


@inlined
def _new_builds(state, rules, book, scratch, n, card, takers):
    """Append the builds that `card` starts, single and multiple."""
    values = rules.build_set[card]
    single = takers & _values_from(rules, card, state.sums)
    multiple = 0
    if rules.multiple:
        multiple = takers & state.groups & _values_from(rules, card, state.sums | 1)
    left = single | multiple
    while left:
        value = lowest(left)
        left &= left - 1
        if (single >> value) & 1:
            family = _singles(state, rules, book, value, values)
            n = _add(scratch, n, card, BUILD, value, family, 0)
        if (multiple >> value) & 1:
            family = _joined(state, rules, book, MULTIPLES, value, values)
            n = _add(scratch, n, card, MULTIPLE, value, family, 0)
    return n


@kernel
def _on_build(scratch, n, state, b):
    """Let the last class use build b."""
    if state.build_owner[b] == state.to_move:
        _use_builds(scratch.classes[n - 1], 1 << b, 1, 0, 0, 0, 0)
    else:
        _use_builds(scratch.classes[n - 1], 0, 0, 0, 0, 1 << b, 1)


@kernel
def _additions(state, rules, book, scratch, n, card, takers):
    """Append the additions of `card`, alone or in a group, to builds that lie there."""
    values = rules.build_set[card]
    partner = (state.to_move + 2) % 4 if rules.partner else -1
    for b in range(state.n_builds):
        value = state.build_value[b]
        if not (takers >> value) & 1 and state.build_owner[b] != partner:
            continue
        alone = value == FIRST_VALUE[values] or value == SECOND_VALUE[values]
        if not rules.build_sums[card] and not alone:
            continue
        family = _joined(state, rules, book, ADDITIONS, value, values)
        before = n
        n = _add(scratch, n, card, ADD, value, family, 1 if alone else 0)
        if n > before:
            _on_build(scratch, n, state, b)
    return n


@kernel
def _raises(state, rules, scratch, n, card, takers):
    """Append the raises of unlocked builds by `card`."""
    values = rules.build_set[card]
    for b in range(state.n_builds):
        if state.build_locked[b]:
            continue
        if rules.raise_rule == RAISE_OTHERS and state.build_owner[b] == state.to_move:
            continue
        for own in (FIRST_VALUE[values], SECOND_VALUE[values]):
            value = state.build_value[b] + own
            if own and value <= 16 and (takers >> value) & 1:
                n = _add(scratch, n, card, RAISE, value, NO_FAMILY, 1)
                _on_build(scratch, n, state, b)
    return n


@inlined
def _moves_of_card(state, rules, book, scratch, n, card, takers):
    """Append the captures and builds of `card`, duties aside."""
    values = rules.hand_set[card]
    if state.n_builds == 0:
        if state.groups & rules.hand_values[card]:
            n = _add(scratch, n, card, CAPTURE, 0, _captures_by(state, rules, book, values), 0)
    elif SECOND_VALUE[values] == 0 or rules.per_play_any:
        n = _captures_of(state, rules, book, scratch, n, card, values)
    else:
        value, other = FIRST_VALUE[values], SECOND_VALUE[values]
        n = _captures_by_value(state, rules, book, scratch, n, card, value, other)
    if card == rules.clear_card:
        n = _clear(state, rules, book, scratch, n, card)
    if rules.build_allowed and rules.build_set[card] >= 0:
        if takers and state.loose:
            n = _new_builds(state, rules, book, scratch, n, card, takers)
        if state.n_builds and rules.multiple:
            n = _additions(state, rules, book, scratch, n, card, takers)
        if state.n_builds and rules.raise_rule and rules.build_sums[card]:
            n = _raises(state, rules, scratch, n, card, takers)
    return n


@kernel
def _leaves_untakeable(state, rules, c, own):
    """Whether a move of class c leaves an own build without a taker in the hand."""
    left = own
    if c.n_used and c.n_first == popcount(c.first):
        left &= ~c.first
    if c.n_used and c.n_second == popcount(c.second):
        left &= ~c.second
    if left == 0:
        return False
    takers = takers_in(rules, state.hands[state.to_move] & ~(1 << c.card))
    for b in range(state.n_builds):
        if (left >> b) & 1 and not (takers >> state.build_value[b]) & 1:
            return True
    return False


@kernel
def _keep_takers(state, rules, scratch, n, own):
    """Forbid moves that leave an own build without a taker; void where nothing else is left."""
    kept = 0
    for i in range(n):
        if _leaves_untakeable(state, rules, scratch.classes[i], own):
            scratch.classes[i].legal = 0
        else:
            kept += 1
    if kept == 0:
        for i in range(n):
            scratch.classes[i].legal = 1


@kernel
def _oblige(rules, scratch, n):
    """Forbid the trails that capture.obligation forbids."""
    acting, capturing = False, 0
    for i in range(n):
        if scratch.classes[i].legal and scratch.classes[i].kind != TRAIL:
            acting = True
            if scratch.classes[i].kind == CAPTURE or scratch.classes[i].kind == CLEAR:
                capturing |= 1 << scratch.classes[i].card
    for i in range(n):
        if scratch.classes[i].kind == TRAIL:
            if rules.obligation == MUST_ACT and acting:
                scratch.classes[i].legal = 0
            if rules.obligation == FORCED and (capturing >> scratch.classes[i].card) & 1:
                scratch.classes[i].legal = 0


@kernel
def _does_duty(rules, c):
    """Whether a move of class c does what build.duty asks of the owner of a build."""
    if rules.duty == DUTY_ACT:
        return c.kind != TRAIL
    return c.n_used > 0 and c.n_first + c.n_second > 0


@kernel
def _do_duty(rules, scratch, n):
    """Forbid what build.duty forbids; void where nothing else is left."""
    possible = False
    for i in range(n):
        possible = possible or (scratch.classes[i].legal and _does_duty(rules, scratch.classes[i]))
    for i in range(n):
        if possible and not _does_duty(rules, scratch.classes[i]):
            scratch.classes[i].legal = 0


@inlined
def look_at_table(state, rules, book):
    """Note the number of the table, what its groups and sums can be, and the most they come to."""
    state.table = number_of(state.loose)
    if state.table >= 0:
        row = book.captures[state.table]
        fetch_ahead(row, 0)  # it lies on two lines of the processor's cache
        fetch_ahead(row, 16)
    state.groups, state.sums, state.total = digest(book, rules, state.table, state.loose)


@kernel
def legal_classes(state, rules, book, scratch):
    """Write the classes of legal moves; returns how many classes and how many moves there are."""
    look_at_table(state, rules, book)
    n, hand = 0, state.hands[state.to_move]
    once, twice = 0, 0  # values that cards of the hand take in a build: some card, some two
    if rules.build_allowed:
        once, twice = _takers_twice(rules, hand)
    left = hand
    while left:
        n = _add(scratch, n, lowest(left), TRAIL, 0, NO_FAMILY, 1)
        left &= left - 1
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        takers = twice | once & ~rules.taker_values[card]
        n = _moves_of_card(state, rules, book, scratch, n, card, takers)
    own = 0
    for b in range(state.n_builds):
        if state.build_owner[b] == state.to_move:
            own |= 1 << b
    if rules.keep_taker and own:
        _keep_takers(state, rules, scratch, n, own)
    if rules.obligation:
        _oblige(rules, scratch, n)
    if own and (rules.duty == DUTY_ACT or rules.duty == DUTY_RESOLVE):
        _do_duty(rules, scratch, n)
    return _drop_illegal(scratch, n)


@inlined
def _drop_illegal(scratch, n):
    """Close the gaps that illegal classes leave."""
    kept, total = 0, 0
    for i in range(n):
        if scratch.classes[i].legal:
            if kept < i:
                scratch.classes[kept] = scratch.classes[i]
            total += scratch.classes[kept].weight
            kept += 1
    return kept, total


@kernel
def _set_move(move, c, loose, builds):
    """Write the move of class c with these loose cards and builds."""
    move.card, move.kind, move.value = c.card, c.kind, c.value
    move.loose = c.board if c.kind == CLEAR else loose
    move.builds = builds


@inlined
def n_builds_of(c):
    """Count the choices of builds of a class."""
    return 1 if c.n_used == 0 else c.weight // (c.n_loose + c.empty)


@inlined
def nth_builds(c, index):
    """Return choice `index` of the builds that a class uses."""
    if c.n_used == 0:
        return 0
    n1 = choices(popcount(c.first), c.n_first)
    n2 = choices(popcount(c.second), c.n_second)
    builds = nth_subset(c.first, c.n_first, index % n1)
    builds |= nth_subset(c.second, c.n_second, index // n1 % n2)
    return builds | nth_subset(c.others, c.n_others, index // n1 // n2)


@kernel
def nth_move(rules, book, scratch, index, move):
    """Write legal move number `index`."""
    at = 0
    while index >= scratch.classes[at].weight:
        index -= scratch.classes[at].weight
        at += 1
    move_of(rules, book, scratch.classes[at], index, move)


@inlined
def move_of(rules, book, c, index, move):
    """Write move `index` of a class."""
    builds, which = 0, index - c.empty
    if c.n_used:
        n_loose = c.n_loose + c.empty
        builds, which = nth_builds(c, index // n_loose), index % n_loose - c.empty
    loose = nth_set(book, rules, c.row, c.board, c.entry, which) if which >= 0 else 0
    _set_move(move, c, loose, builds)


@kernel
def list_moves(rules, book, scratch, n, moves, sets):
    """Write every legal move, in the order of `nth_move`; `sets` is scratch of the same length."""
    filled = 0
    for i in range(n):
        c = scratch.classes[i]
        if c.n_loose:
            all_sets(book, rules, c.row, c.board, c.entry, sets)
        for j in range(n_builds_of(c)):
            builds = nth_builds(c, j)
            if c.empty:
                _set_move(moves[filled], c, 0, builds)
                filled += 1
            for k in range(c.n_loose):
                _set_move(moves[filled], c, sets[k], builds)
                filled += 1
    return filled


@kernel
def _uses(board, k, builds):
    """Whether a choice of builds holds exactly k of those on a board."""
    return popcount(board & builds) == k


@kernel
def _uses_builds(c, builds):
    """Whether a choice of builds is one of a class."""
    if c.n_used == 0 or popcount(builds) != c.n_used:
        return builds == 0 and c.n_used == 0
    if not (_uses(c.first, c.n_first, builds) and _uses(c.second, c.n_second, builds)):
        return False
    return _uses(c.others, c.n_others, builds)


@kernel
def class_of(book, rules, scratch, n, move, acts):
    """Return the class that a move as written belongs to, or -1 where it is not legal.

    `acts`: 0 a trail, 1 a capture, 2 anything that makes a build.
    """
    for i in range(n):
        c = scratch.classes[i]
        act = 0 if c.kind == TRAIL else 1 if c.kind == CAPTURE or c.kind == CLEAR else 2
        if c.card != move.card or act != acts or (act == 2 and c.value != move.value):
            continue
        if not _uses_builds(c, move.builds):
            continue
        if c.kind == CLEAR:
            if move.loose == c.board:
                return i
        elif move.loose == 0:
            if c.empty:
                return i
        elif c.n_loose and holds_set(book, rules, c.row, c.board, move.loose):
            return i
    return -1
