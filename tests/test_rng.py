"""The generator is NumPy's Philox word for word, and what is drawn from it is fair."""

import numpy as np
import pytest
from scipy import stats

from kasino_sim.engine import rng

SEEDS = [0, 1, 9007199254740993, 2**64 - 1]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("deal, purpose", [(0, 0), (5, 1), (2**63, 16), (2**64 - 1, 19)])
def test_words_are_numpys(seed, deal, purpose):
    oracle = np.random.Philox(
        key=np.array([seed, 0], np.uint64), counter=np.array([0, deal, purpose, 0], np.uint64)
    )
    words = [rng.word(np.uint64(seed), np.uint64(deal), purpose, index, 0) for index in range(13)]
    assert words == list(oracle.random_raw(13))


def shuffled(seed, deal, n=52, shuffle=rng.shuffle):
    cards = np.arange(n)
    words = np.zeros(rng.SHUFFLE_ROOM, np.uint64)
    shuffle(cards, 0, words, np.uint64(seed), np.uint64(deal), rng.DECK)
    return cards


def naive_shuffle(seed, deal):
    """Fisher-Yates with Lemire's draws on 32-bit halves of NumPy's words, in plain integers."""
    philox = np.random.Philox(
        key=np.array([seed, 0], np.uint64), counter=np.array([0, deal, 0, 0], np.uint64)
    )
    words = [int(w) for w in philox.random_raw(60)]
    halves = iter([half for w in words for half in (w & 0xFFFFFFFF, w >> 32)])
    cards = list(range(52))
    for last in range(51, 0, -1):
        bound = last + 1
        while True:
            product = next(halves) * bound
            if product & 0xFFFFFFFF >= (2**32 - bound) % bound:
                break
        other = product >> 32
        cards[last], cards[other] = cards[other], cards[last]
    return cards


@pytest.mark.parametrize("deal", range(200))
def test_decks_equal_the_oracle(deal):
    assert list(shuffled(7, deal)) == naive_shuffle(7, deal)


@pytest.mark.parametrize("deal", range(50))
def test_decks_are_the_same_where_a_draw_may_be_turned_down(deal):
    assert list(shuffled(7, deal, shuffle=rng._shuffle_by_draws)) == naive_shuffle(7, deal)


@pytest.mark.parametrize("at", range(51))
def test_a_doubtful_draw_is_noticed(at):
    """Half a word of 0 gives a product of 0, which Lemire's method may have to turn down."""
    words = np.full(rng.SHUFFLE_ROOM, 0x8765432187654321, np.uint64)
    assert rng._draw_places(words, 52)
    words[at // 2] &= np.uint64(0xFFFFFFFF << (0 if at % 2 else 32) & 0xFFFFFFFFFFFFFFFF)
    assert not rng._draw_places(words, 52)


def test_every_card_is_as_likely_at_every_place():
    n = 52_000
    places = np.zeros((52, 52), np.int64)
    for deal in range(n):
        places[np.arange(52), shuffled(3, deal)] += 1
    chi2 = ((places - n / 52) ** 2 / (n / 52)).sum()
    assert 1e-4 < stats.chi2.sf(chi2, 51 * 51) < 1 - 1e-4


def test_permutations_of_three_are_as_likely():
    counts = {}
    for deal in range(60_000):
        key = tuple(shuffled(11, deal, 3))
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 6
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


def test_consecutive_seeds_are_unrelated():
    first = np.array([shuffled(seed, 0)[0] for seed in range(10_000)])
    assert stats.chisquare(np.bincount(first, minlength=52)).pvalue > 1e-4
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 4 / np.sqrt(len(first))


def test_decks_of_different_deals_and_seeds_differ():
    decks = {bytes(shuffled(s, d).astype(np.uint8)) for s in range(8) for d in range(1_000)}
    assert len(decks) == 8_000


@pytest.mark.parametrize("n", [1, 2, 3, 7, 1000, 2**40 + 1])
def test_choices_are_fair_and_in_range(n):
    draws = [int(rng.choose(np.uint64(5), np.uint64(d), 16, 3, n)) for d in range(4_000)]
    assert 0 <= min(draws) and max(draws) < n
    cells = np.bincount([d * 8 // n for d in draws], minlength=8)
    if n >= 1000:
        assert stats.chisquare(cells).pvalue > 1e-4


def test_choice_turns_down_what_would_be_unfair():
    # The largest bound for which half of all words are turned down.
    n = 2**63 + 1
    draws = [int(rng.choose(np.uint64(1), np.uint64(d), 16, 0, n // 2 + 1)) for d in range(100)]
    assert all(0 <= d <= n // 2 for d in draws)
