"""Crowded tables: exact counts, found at once, checked against a count of another kind."""

import time
from math import comb

import numpy as np
import pytest

from kasino_sim.cards import N_CARDS, card_text
from kasino_sim.catalog import load_ruleset
from kasino_sim.errors import KasinoError
from kasino_sim.game import LIST_LIMIT, Table, whole_deal
from kasino_sim.notation import Position, parse_position

DECK = [card_text(card) for card in range(N_CARDS)]
NO_BUILDS = "svensk-utan-bygg"


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Compile, or read from the cache, what the timed tests use."""
    set_out("svensk", ["Kc", "2s"], ["Qc", "Ac"]).legal_moves()


def set_out(rules, hand, table):
    data = {"rules": rules, "to_move": 0, "hands": [hand, None], "table": table}
    return Table.of_position(parse_position(data))


def seconds(call):
    """Time the fastest of three calls."""
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)


# ---------------------------------------------------------------- the independent count

# cards[r] cards of rank r + 1 lie on the table. A pattern is how many of each rank are taken.


def groups(cards, value):
    """List the patterns whose ranks sum to a value."""
    patterns = [((), value)]
    for rank, n in enumerate(cards, start=1):
        patterns = [
            ((*pattern, k), left - k * rank)
            for pattern, left in patterns
            for k in range(min(n, left // rank) + 1)
        ]
    return [pattern for pattern, left in patterns if left == 0]


def unions(cards, value):
    """Mark every pattern that is a union of disjoint groups of a value, the empty one too."""
    marked = np.zeros([n + 1 for n in cards], bool)
    marked[(0,) * len(cards)] = True
    for group in groups(cards, value):
        onto = tuple(slice(k, None) for k in group)
        of = tuple(slice(0, n + 1 - k) for n, k in zip(cards, group, strict=True))
        for _ in range(max(cards)):
            marked[onto] |= marked[of].copy()
    return marked


def count_sets(marked, cards):
    """Count the card sets of the marked patterns, the empty one too."""
    sets = marked.astype(np.int64)
    for axis, n in enumerate(cards):
        choices = np.array([comb(n, k) for k in range(n + 1)])
        sets = sets * choices.reshape([-1 if i == axis else 1 for i in range(len(cards))])
    return int(sets.sum())


def count_captures(cards, value):
    return count_sets(unions(cards, value), cards) - 1


def count_svensk(cards):
    """Count the moves of Kc Ks Qc Qd under svensk, where there is no king, queen or jack.

    Trails and captures; a king beside groups of 13, a queen beside groups of 12; a queen and an
    ace, which make 13, by themselves or beside groups of 13.
    """
    of_13 = unions(cards, 13)
    kings, queens = count_sets(of_13, cards) - 1, count_captures(cards, 12)
    with_ace = np.zeros_like(of_13)
    with_ace[1:] = of_13[:-1]
    with_ace[(1,) + (0,) * (len(cards) - 1)] = False
    mixed = cards[0] + count_sets(with_ace, cards)
    return 4 + 2 * (kings + queens) + 2 * (kings + queens + mixed)


# ---------------------------------------------------------------- captures by a king


def test_four_each_of_ace_to_four():
    table = set_out(NO_BUILDS, ["Kc"], DECK[:16])
    assert count_captures([4] * 4, 13) == 4868
    assert unions([4] * 4, 13).sum() - 1 == 46
    assert table.count_moves() == 4868 + 1
    moves = table.legal_moves()
    assert len(set(map(str, moves))) == 4868 + 1
    assert max(len(move.loose) for move in moves) == 15
    assert all(sum(card // 4 + 1 for card in move.loose) % 13 == 0 for move in moves)


def test_four_each_of_ace_to_four_at_once():
    # A new rule set each time: the engine remembers nothing of the last one.
    targets = iter((101, 102, 103))

    def anew():
        rules = {"preset": NO_BUILDS, "match": {"target": next(targets)}}
        set_out(rules, ["Kc"], DECK[:16]).count_moves()

    assert seconds(anew) < 0.05
    table = set_out(NO_BUILDS, ["Kc"], DECK[:16])
    assert seconds(table.legal_moves) < 0.2  # 0.02 s; room for a busy machine


def test_too_many_to_list():
    table = set_out(NO_BUILDS, ["Kc"], DECK[:24])
    captures = count_captures([4] * 6, 13)
    assert captures == 1_282_668
    assert table.count_moves() == captures + 1
    with pytest.raises(KasinoError) as caught:
        table.legal_moves()
    assert caught.value.lines == [
        f"there are {captures + 1} legal moves, more than the {LIST_LIMIT} that are listed"
    ]


@pytest.mark.parametrize("n", [22, 29, 33, 36])
def test_exact_counts(n):
    cards = [4] * (n // 4) + [n % 4] * (n % 4 > 0)
    table = set_out(NO_BUILDS, ["Kc"], DECK[:n])
    begun = time.perf_counter()
    assert table.count_moves() == count_captures(cards, 13) + 1
    assert time.perf_counter() - begun < 5


def test_moves_of_a_crowded_table_can_be_played():
    """Too many to list, yet each one is judged by itself."""
    table = set_out(NO_BUILDS, ["Kc"], DECK[:36])
    with pytest.raises(KasinoError, match=r"is not legal; with Kc there are \d+ legal moves"):
        table.play("Kc x " + " ".join(DECK[:36]))
    taken = " ".join(DECK[card] for card in range(36) if card not in (0, 1))
    with pytest.raises(KasinoError, match="is not legal"):
        table.play("Kc x " + taken)
    table.play("Kc x 4c 9c 5d 8d 6h 7h Ac Ad 2c 9d")
    assert len(table.position().captured[0]) == 11


# ---------------------------------------------------------------- 44 loose cards and a hand


def test_builds_on_a_crowded_table():
    cards, hand = [4] * 9, ["Kc", "Ks", "Qc", "Qd"]
    assert set_out("svensk", hand, DECK[:36]).count_moves() == count_svensk(cards)


@pytest.mark.parametrize(
    ("rules", "moves"),
    [
        ("svensk", 4_023_551_386_208),  # count_svensk([4] * 11), which takes seconds
        ("finsk", 4 + 2 * (518_147_724_820 + 297_319_995_527)),
        ("casino", 4),  # faces take their equals only
    ],
)
def test_forty_four_loose_cards(rules, moves):
    table = set_out(rules, ["Kc", "Ks", "Qc", "Qd"], DECK[:44])
    begun = time.perf_counter()
    assert table.count_moves() == moves
    assert time.perf_counter() - begun < 10  # 0.2 s


def test_a_table_of_all_others():
    """All cards but the hand lie there, aces of two values, builds of all values."""
    hand = ["As", "2s", "Td", "Kc"]
    values = {"ace_table": [1, 14], "per_play": "any"}
    rules = {"preset": "norsk", "values": values, "build": {"card_value": "hand"}}
    table = set_out(rules, hand, [card for card in DECK if card not in hand])
    begun = time.perf_counter()
    assert table.count_moves() > 10**13
    assert time.perf_counter() - begun < 60  # 4 s


# ---------------------------------------------------------------- a deal without a capture


def test_nobody_ever_captures():
    rules = load_ruleset(NO_BUILDS)
    deck = [card_text(card * 5 % N_CARDS) for card in range(N_CARDS)]
    assert len(set(deck)) == N_CARDS
    order = trail_order(deck, rules)
    record = {"rules": NO_BUILDS, "dealer": 1, "deck": deck, "moves": order}
    begun = time.perf_counter()
    table = whole_deal(record)
    assert time.perf_counter() - begun < 10  # 0.5 s
    result = table.result()
    assert {tuple(points) for points in result["points"].values()} == {(0, 0)}
    assert result["tied"] == ["spades", "cards"]
    assert (result["last_capturer"], result["captured"]) == (None, [[], []])
    assert isinstance(table.position(), Position)
    assert len(table.position().table) == N_CARDS


def trail_order(deck, rules):
    """List the cards as they are trailed, each hand from its first card on."""
    hand, first_stock = rules.deal.hand, 2 * rules.deal.hand + rules.deal.table
    dealt = deck[: 2 * hand] + deck[first_stock:]
    order = []
    for at in range(0, len(dealt), 2 * hand):
        one, other = dealt[at : at + hand], dealt[at + hand : at + 2 * hand]
        order += [card for pair in zip(one, other, strict=True) for card in pair]
    return order
