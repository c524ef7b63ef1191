"""Ranges of deals do not meet, and deals that overlap are found."""

import itertools

import pytest

from kasino_sim.errors import KasinoError
from kasino_sim.ranges import BLOCKS_PER_RANGE, Deals, Range, deals_from, first_deal, overlap


def test_what_a_range_is_for_stands_in_the_high_word():
    assert {r: r.first_deal >> 32 for r in Range} == {
        Range.TUNE: 1,
        Range.SELECT: 2,
        Range.CONFIRM: 3,
    }
    assert all(r.first_deal & 0xFFFFFFFF == 0 for r in Range)
    assert first_deal("confirm") == Range.CONFIRM.first_deal
    with pytest.raises(KeyError):
        first_deal("publish")


def test_whole_ranges_do_not_meet():
    for a, b in itertools.combinations(Range, 2):
        assert not overlap(a.first_deal, BLOCKS_PER_RANGE, b.first_deal, BLOCKS_PER_RANGE)
        assert overlap(a.first_deal, 2 * BLOCKS_PER_RANGE + 1, b.first_deal, 1)


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("n", range(1, 4))
def test_overlap_is_a_deal_in_common(first, n):
    for other, m in itertools.product(range(7), range(1, 4)):
        common = set(range(first, first + n)) & set(range(other, other + m))
        assert overlap(first, n, other, m) == bool(common)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_neighbouring_deals_become_one_span_in_any_order(order):
    parts = [deals_from(7, 0, 10), deals_from(7, 10, 5), deals_from(7, 15, 1), deals_from(8, 3, 2)]
    found = Deals()
    for at in order:
        found = found + parts[at]
    assert found.spans == ((7, 0, 16), (8, 3, 2))
    assert found.number == 18
    assert found + deals_from(7, 2**40, 0) == found


@pytest.mark.parametrize(("first", "n"), [(4, 1), (0, 20), (9, 3), (5, 5), (19, 1)])
def test_deals_in_common_are_not_put_together(first, n):
    there = deals_from(1, 4, 6) + deals_from(1, 18, 2)
    for seed, other in ((1, True), (2, False)):
        more = deals_from(seed, first, n)
        for one, two in ((there, more), (more, there)):
            if not other:
                assert (one + two).number == 8 + n
                continue
            with pytest.raises(KasinoError, match="of seed 1 are counted already"):
                _ = one + two
