from fractions import Fraction
from itertools import combinations
from math import comb, sqrt
from random import Random

import pytest

from kasino_sim.cards import N_CARDS, parse_card
from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table
from kasino_sim.odds import first_play
from kasino_sim.pack import hand_values, table_values
from kasino_sim.plan import Plan
from kasino_sim.players import load_player

POINT_CARDS = {parse_card(card) for card in ("Ac", "Ad", "Ah", "As", "2s", "Td")}


@pytest.mark.parametrize(
    ("name", "capture", "clear"),
    [("svensk", 0.860423, 0.045356), ("dansk", 0.861497, 0.046211)],
)
def test_known_chances(name, capture, clear):
    chances = first_play(load_ruleset(name))
    assert round(float(chances.capture), 6) == capture
    assert round(float(chances.clear), 6) == clear


def takes(rules, card, laid):
    """Say whether a hand card takes something of one or two table cards, and whether all."""
    values = set(hand_values(rules, card))
    alone = [values & set(table_values(rules, other)) for other in laid]
    pair = [{a + b for a in table_values(rules, laid[0]) for b in table_values(rules, laid[1])}]
    together = bool(values & pair[0])
    return any(alone) or together, together or bool(alone[0] & alone[1])


@pytest.mark.parametrize("name", ["svensk", "norsk"])
def test_one_hand_card_and_two_on_the_table(name):
    """Every hand and table one by one; norsk exchanges the point cards on the table."""
    rules = load_ruleset(name, ["deal.hand=1", "deal.table=2"])
    outside = POINT_CARDS if rules.deal.swap_point_cards else set()
    capture = clear = Fraction(0)
    for card in range(N_CARDS):
        others = [c for c in range(N_CARDS) if c != card and c not in outside]
        found = [takes(rules, card, laid) for laid in combinations(others, 2)]
        capture += Fraction(sum(some for some, _ in found), len(found) * N_CARDS)
        clear += Fraction(sum(everything for _, everything in found), len(found) * N_CARDS)
    assert (first_play(rules).capture, first_play(rules).clear) == (capture, clear)


def dealt(rules, random):
    """Deal a shuffled deck and exchange point cards on the table, card by card, as people do."""
    deck = random.sample(range(N_CARDS), N_CARDS)
    at, end = (
        rules.n_players * rules.deal.hand,
        rules.n_players * rules.deal.hand + rules.deal.table,
    )
    table, stock, back = deck[at:end], deck[end:], []
    while rules.deal.swap_point_cards and POINT_CARDS & set(table):
        worst = next(i for i, card in enumerate(table) if card in POINT_CARDS)
        back.append(table[worst])
        table[worst] = stock.pop(0)
    stock = random.sample(stock + back, len(stock + back))
    return deck[:at] + table + stock


@pytest.mark.parametrize(
    ("name", "overrides"), [("norsk", []), ("dansk-svupper", []), ("casino", ["deal.players=3"])]
)
def test_random_deals(name, overrides):
    """The chances agree with dealt tables, at which the engine lists the legal moves."""
    rules, random, deals = load_ruleset(name, overrides), Random(17), 3000
    captures = clears = 0
    for _ in range(deals):
        table = Table.of_deck(rules, 1, dealt(rules, random))
        everything = set(table.position().table)
        taken = [set(move.loose) for move in table.legal_moves() if move.act == "x"]
        captures += bool(taken)
        clears += everything in taken
    chances = first_play(rules)
    for seen, chance in ((captures, chances.capture), (clears, chances.clear)):
        error = sqrt(chance * (1 - chance) / deals)
        assert abs(seen / deals - chance) < 4 * error


def test_obligation_and_extent_play_no_part():
    plain = first_play(load_ruleset("svensk"))
    strict = ["capture.obligation=forced", "capture.extent=maximal", "build.allowed=false"]
    assert first_play(load_ruleset("svensk", strict)) == plain


def test_clear_card_takes_whatever_lies_there():
    """With one card in the hand: the chance of the clear card, and of the others as before."""
    small = ["deal.hand=1", "deal.players=2"]
    without = first_play(load_ruleset("svensk", small))
    with_it = first_play(load_ruleset("svensk", [*small, "capture.clear_card=5s"]))
    assert with_it.clear > without.clear
    assert with_it.clear - without.clear < Fraction(1, N_CARDS)


def test_the_values_of_a_card_may_be_mixed():
    """A ten that counts 10 and 16 at once clears tables that it does not clear with either."""
    big = ["values.big_hand=[10,16]"]
    one = first_play(load_ruleset("svensk", big))
    both = first_play(load_ruleset("svensk", [*big, "values.per_play=any"]))
    assert (both.capture, both.clear > one.clear) == (one.capture, True)


def test_an_empty_table():
    chances = first_play(load_ruleset("svensk", ["deal.table=0", "deal.hand=13"]))
    assert (chances.capture, chances.clear) == (0, 0)


def test_hands_are_not_enumerated():
    """A hand of half the deck, and one card on the table, is no more work."""
    rules = load_ruleset("svensk", ["deal.hand=17", "deal.table=1", "deal.players=3"])
    # Nothing is taken only if the hand holds no card of the table card's rank; a lone ace is
    # worth 1 or 14, and so is an ace in the hand.
    assert first_play(rules).capture == 1 - Fraction(comb(48, 17), comb(51, 17))


def test_too_large_a_table():
    with pytest.raises(KasinoError, match="deal.table = 12 makes too many tables"):
        first_play(load_ruleset("svensk", ["deal.table=12", "deal.hand=5"]))


@pytest.mark.parametrize("name", ruleset_names())
def test_the_simulated_decks_agree(name):
    """What the simulation deals is what is enumerated, exchange and all: within 4 SE."""
    rules = load_ruleset(name)
    plan = Plan(rules, (load_player("random"),), seed=11, deals=1)
    exact, n = first_play(rules), 1_200
    takes = [
        [m for m in Table.of_deal(plan, deal).legal_moves() if m.act == "x"] for deal in range(n)
    ]
    captures = sum(bool(moves) for moves in takes)
    clears = sum(any(len(m.loose) == rules.deal.table for m in moves) for moves in takes)
    for count, chance in [(captures, exact.capture), (clears, exact.clear)]:
        se = (float(chance) * (1 - float(chance)) / n) ** 0.5
        assert abs(count / n - float(chance)) < 4 * se
