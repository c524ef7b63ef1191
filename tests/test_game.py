from kasino_sim.catalog import load_ruleset
from kasino_sim.game import Table, board_of, cards_of, table_of

HAND = {"to_move": 0, "hands": [["Td", "Kc"], None], "table": ["4c", "6d", "Qd", "Kh"]}


def texts(table):
    return [str(move) for move in table.legal_moves()]


def test_boards():
    assert cards_of(board_of([51, 0, 17])) == (0, 17, 51)
    assert cards_of(0) == ()


def test_two_tables_with_different_rules_at_once():
    """What the engine remembers for one rule set is not used for another."""
    numeric = table_of({"rules": "dansk-svupper", **HAND})
    pairs = table_of({"rules": {"preset": "dansk-svupper", "values": {"faces": "pairs"}}, **HAND})
    first = texts(numeric), texts(pairs)
    assert (texts(numeric), texts(pairs)) == first
    assert "Td x 4c Qd" in first[0]
    assert "Td x 4c Qd" not in first[1]


def test_the_deal_goes_round():
    """The player on the dealer's left gets the first hand and begins."""
    rules = load_ruleset("svensk", ["deal.players=3"])
    for dealer in range(3):
        table = Table.of_deck(rules, dealer, range(52))
        position = table.position()
        assert position.to_move == (dealer + 1) % 3
        assert position.hands[position.to_move] == (0, 1, 2, 3)
        assert position.hands[dealer] == (8, 9, 10, 11)
        assert position.table == (12, 13, 14, 15)
        assert position.stock == tuple(range(16, 52))
