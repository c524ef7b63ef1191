"""Philox4x64-10, word for word numpy.random.Philox, and the draws made from it.

Chance is a pure function of (seed, deal, purpose): key = (seed, 0), counter = (word block, deal,
purpose, again). Purposes: the deck, the first dealer, the dealer's exchange, one for the choices of
each seat, and many for what each seat imagines (see `worlds`). `again` is 0, and counts the rare
draws that Lemire's method turns down.
Source: Salmon et al. 2011; Lemire 2019.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .jit import JIT_OFF, inlined, kernel

DECK, FIRST_DEALER, EXCHANGE, SEAT, WORLD = 0, 1, 2, 16, 32

N_WORDS = 28  # drawn at a time for a shuffle: two draws of 32 bits a word, 51 draws a deck
SHUFFLE_ROOM = N_WORDS + 52  # and a place for each card

_M0 = np.uint64(0xD2E7470EE14C6C93)
_M1 = np.uint64(0xCA5A826395121157)
_W0 = np.uint64(0x9E3779B97F4A7C15)
_W1 = np.uint64(0xBB67AE8584CAA73B)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_ZERO = np.uint64(0)


@intrinsic
def _mulhi(typingctx, a, b):
    def codegen(context, builder, signature, args):
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


if JIT_OFF:

    def mulhi(a, b):
        """Return the high 64 bits of the product of two uint64."""
        return np.uint64(int(a) * int(b) >> 64)
else:

    @kernel
    def mulhi(a, b):
        """Return the high 64 bits of the product of two uint64."""
        return _mulhi(a, b)


@inlined
def philox(seed, block, deal, purpose, again):
    """Return the four uint64 words of one counter value (all arguments uint64)."""
    c0, c1, c2, c3 = block, deal, purpose, again
    k0, k1 = seed, _ZERO
    for _ in range(10):
        h0, l0 = mulhi(_M0, c0), _M0 * c0
        h1, l1 = mulhi(_M1, c2), _M1 * c2
        c0, c1, c2, c3 = h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0
        k0, k1 = k0 + _W0, k1 + _W1
    return c0, c1, c2, c3


@kernel
def word(seed, deal, purpose, index, again):
    """Return word `index` (from 0) of the stream (seed, deal, purpose)."""
    block = np.uint64(index // 4 + 1)
    words = philox(seed, block, deal, np.uint64(purpose), np.uint64(again))
    lane = index % 4
    if lane == 0:
        return words[0]
    if lane == 1:
        return words[1]
    return words[2] if lane == 2 else words[3]


@kernel
def choose(seed, deal, purpose, index, n):
    """Unbiased draw from 0 … n-1 (int64) with word `index` of the stream."""
    bound = np.uint64(n)
    again = 0
    while True:
        raw = word(seed, deal, purpose, index, again)
        low = raw * bound
        if low >= bound or low >= (_ZERO - bound) % bound:
            return np.int64(mulhi(raw, bound))
        again += 1


@inlined
def _fill(words, first, seed, deal, purpose):
    """Write the words of N_WORDS // 4 word blocks of a stream, from block `first`."""
    for i in range(N_WORDS // 4):
        w = philox(seed, np.uint64(first + i), deal, np.uint64(purpose), _ZERO)
        words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3] = w


@inlined
def _draw_places(words, n):
    """Draw a place among the lowest n, n - 1, … 2 of them; returns whether all draws count.

    The places follow the words.
    """
    doubtful = False
    for i in range(n - 1):
        bound = np.uint64(n - i)
        product = (words[i >> 1] >> (_32 * np.uint64(i & 1)) & _LOW) * bound
        words[N_WORDS + i] = product >> _32
        doubtful |= product & _LOW < bound
    return not doubtful


@inlined
def shuffle(cards, first, words, seed, deal, purpose):
    """Shuffle cards[first:] in place: Fisher-Yates with unbiased 32-bit draws.

    `words` : uint64[SHUFFLE_ROOM], work space. A word gives two draws, its low half first.
    """
    n = len(cards) - first
    _fill(words, 1, seed, deal, purpose)
    if not _draw_places(words, n):
        _shuffle_by_draws(cards, first, words, seed, deal, purpose)
        return
    for i in range(n - 1):
        last, other = len(cards) - 1 - i, first + np.int64(words[N_WORDS + i])
        cards[last], cards[other] = cards[other], cards[last]


@kernel
def _shuffle_by_draws(cards, first, words, seed, deal, purpose):
    """Shuffle as `shuffle` does where a draw may have to be turned down, once in millions."""
    block, at = 1, 0
    _fill(words, block, seed, deal, purpose)
    for last in range(len(cards) - 1, first, -1):
        bound = np.uint64(last - first + 1)
        while True:
            if at == 2 * N_WORDS:
                block, at = block + N_WORDS // 4, 0
                _fill(words, block, seed, deal, purpose)
            word_ = words[at >> 1]
            product = (word_ >> _32 if at & 1 else word_ & _LOW) * bound
            at += 1
            low = product & _LOW
            if low >= bound or low >= ((_LOW + np.uint64(1)) - bound) % bound:
                break
        other = first + np.int64(product >> _32)
        cards[last], cards[other] = cards[other], cards[last]
