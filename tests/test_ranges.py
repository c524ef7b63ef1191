"""Ranges of deals do not meet, and deals that overlap are found."""

import itertools

import pytest

from kasino_sim.ranges import BLOCKS_PER_RANGE, Range, first_deal, overlap


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
