"""Philox4x64-10, word for word numpy.random.Philox, and the draws made from it.

Chance is a pure function of (seed, deal, purpose): key = (seed, 0), counter = (word block, deal,
purpose, again). Purposes: the deck, the first dealer, the dealer's exchange, and one for the
choices of each seat. `again` is 0, and counts the rare draws that Lemire's method turns down.
Source: Salmon et al. 2011; Lemire 2019.
"""

import numpy as np

from .jit import kernel

DECK, FIRST_DEALER, EXCHANGE, SEAT = 0, 1, 2, 16

_M0 = np.uint64(0xD2E7470EE14C6C93)
_M1 = np.uint64(0xCA5A826395121157)
_W0 = np.uint64(0x9E3779B97F4A7C15)
_W1 = np.uint64(0xBB67AE8584CAA73B)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_ZERO = np.uint64(0)


@kernel
def mulhi(a, b):
    """High 64 bits of the product of two uint64."""
    a0, a1 = a & _LOW, a >> _32
    b0, b1 = b & _LOW, b >> _32
    middle = a1 * b0 + ((a0 * b0) >> _32)
    cross = a0 * b1 + (middle & _LOW)
    return a1 * b1 + (middle >> _32) + (cross >> _32)


@kernel
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


@kernel
def shuffle(cards, first, seed, deal, purpose):
    """Shuffle cards[first:] in place: Fisher-Yates with unbiased 32-bit draws."""
    lane, index = 4, 0
    half = _ZERO
    w0, w1, w2, w3 = _ZERO, _ZERO, _ZERO, _ZERO
    fresh = False
    for last in range(len(cards) - 1, first, -1):
        bound = np.uint64(last - first + 1)
        while True:
            if fresh:
                draw, fresh = half >> _32, False
            else:
                if lane == 4:
                    index += 1
                    lane = 0
                    w0, w1, w2, w3 = philox(seed, np.uint64(index), deal, np.uint64(purpose), _ZERO)
                half = w0 if lane == 0 else w1 if lane == 1 else w2 if lane == 2 else w3
                lane += 1
                draw, fresh = half & _LOW, True
            product = draw * bound
            low = product & _LOW
            if low >= bound or low >= ((_LOW + np.uint64(1)) - bound) % bound:
                break
        other = first + np.int64(product >> _32)
        cards[last], cards[other] = cards[other], cards[last]
