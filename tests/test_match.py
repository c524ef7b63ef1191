import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.engine.layout import ITEMS, SHEET, new_record
from kasino_sim.errors import KasinoError
from kasino_sim.match import DealResult, MatchPad, count_match


def deal(tied=(), most=None, taken=None, sides=2, **points):
    """Make a deal of a match record; `points` by item, `taken` is how many spades each took."""
    data = {"points": {item: points.get(item, [0] * sides) for item in ITEMS}, "tied": list(tied)}
    if most is not None:
        data["most"] = most
    if taken is not None:
        data["spades"] = taken
    return data


def plain(*points, **more):
    """Make a deal whose points are all for sweeps."""
    return deal(sides=len(points), sweeps=list(points), **more)


def count(rules, *deals):
    return count_match({"rules": rules, "deals": list(deals)})


def won(rules, *deals):
    """Give the winners, the totals and the number of deals."""
    result = count(rules, *deals)
    return result["winners"], result["totals"], result["deals"]


def bad(rules, *deals, where="m.jsonl, line 2"):
    with pytest.raises(KasinoError) as caught:
        count_match({"rules": rules, "deals": list(deals)}, where)
    return caught.value.lines


# ---------------------------------------------------------------- when it ends and who wins


def test_points_are_added_up_not_deals_won():
    assert won("svensk", plain(9, 2), plain(3, 8)) == ([], [12, 10], 2)


def test_no_deals():
    assert count("svensk") == {
        "totals": [0, 0],
        "winners": [],
        "deals": 0,
        "carried": {"spades": 0, "cards": 0},
    }


@pytest.mark.parametrize(("points", "winner"), [((16, 3), 0), ((3, 16), 1), ((20, 17), 0)])
def test_target_reached(points, winner):
    """Side 0 wins like any other, and deals after the end are not counted."""
    assert won("svensk", plain(*points), plain(99, 99)) == ([winner], list(points), 1)


def test_shared_over_the_target_plays_on():
    assert won("svensk", plain(17, 17)) == ([], [17, 17], 1)
    assert won("svensk", plain(17, 17), plain(0, 1)) == ([1], [17, 18], 2)
    assert won("svensk", plain(17, 17), plain(1, 1), plain(3, 2)) == ([0], [21, 20], 3)


def test_a_third_player_may_still_win():
    rules = {"deal": {"players": 3}}
    assert won(rules, plain(17, 17, 12), plain(1, 1, 9)) == ([2], [18, 18, 21], 2)


def test_seats_swapped():
    deals = [(7, 4), (6, 9), (5, 3)]
    one = won("svensk", *(plain(*points) for points in deals))
    other = won("svensk", *(plain(*reversed(points)) for points in deals))
    assert (one, other) == (([0], [18, 16], 3), ([1], [16, 18], 3))


def test_fixed_number_of_deals():
    rules = {"match": {"goal": "deals", "deals": 2}}
    assert won(rules, plain(30, 2)) == ([], [30, 2], 1)
    assert won(rules, plain(9, 2), plain(1, 9)) == ([1], [10, 11], 2)
    assert won(rules, plain(9, 2), plain(2, 9)) == ([0, 1], [11, 11], 2)


def test_lowest_wins():
    to_16 = {"match": {"winner": "lowest"}}
    assert won(to_16, plain(9, 2), plain(6, 9)) == ([], [15, 11], 2)
    assert won(to_16, plain(9, 2), plain(7, 9)) == ([1], [16, 11], 2)
    assert won(to_16, plain(16, 16), plain(3, 2)) == ([1], [19, 18], 2)
    assert won("smygkasino", *[plain(1, 2)] * 4) == ([0], [4, 8], 4)
    three = {"deal": {"players": 3}, "match": {"winner": "lowest"}}
    assert won(three, plain(16, 4, 4), plain(0, 1, 0)) == ([2], [16, 5, 4], 2)


@pytest.mark.parametrize("winner", ["highest", "lowest"])
def test_spades_break_a_tie(winner):
    """Most spades win the tie, also where the lowest total wins the match."""
    rules = {"match": {"tie_break": "spades", "winner": winner}}
    assert won(rules, plain(16, 16, taken=[6, 7])) == ([1], [16, 16], 1)
    assert won(rules, plain(16, 16, taken=[6, 6])) == ([], [16, 16], 1)


def test_spades_of_those_who_share_only():
    rules = {"deal": {"players": 3}, "match": {"tie_break": "spades"}}
    assert won(rules, plain(17, 17, 2, taken=[2, 3, 8])) == ([1], [17, 17, 2], 1)


def test_spades_play_no_part_without_a_tie():
    rules = {"match": {"tie_break": "spades"}}
    assert won(rules, plain(16, 17)) == ([1], [16, 17], 1)
    (line,) = bad(rules, plain(9, 8), plain(9, 10))
    assert line.startswith("m.jsonl, line 2: deal 2: spades is missing: ")


def test_pairs_are_two_sides():
    rules = {"deal": {"players": 4, "teams": "pairs"}}
    assert won(rules, plain(9, 2), plain(8, 3)) == ([0], [17, 5], 2)


# ---------------------------------------------------------------- count-out

# 15-15 at 16: side 0 takes big and little, side 1 four aces and the spades.
FIFTEEN = plain(15, 15)
RACE = deal(big=[2, 0], little=[1, 0], aces=[0, 4], spades=[0, 2])
COUNT_OUT = {"match": {"end": "count-out"}}


def test_first_at_the_target():
    assert won(COUNT_OUT, FIFTEEN, RACE) == ([0], [18, 21], 2)
    assert won("svensk", FIFTEEN, RACE) == ([1], [18, 21], 2)


def test_the_higher_of_two_that_arrive_together():
    aces = deal(aces=[1, 3], last=[9, 0])
    assert won(COUNT_OUT, FIFTEEN, aces) == ([1], [25, 18], 2)


def test_later_items_part_those_who_arrive_together():
    together = deal(aces=[2, 2], spades=[0, 2], last=[5, 0])
    assert won(COUNT_OUT, FIFTEEN, together) == ([1], [22, 19], 2)


def test_only_those_who_share_are_compared():
    rules = {"deal": {"players": 3}, **COUNT_OUT}
    race = deal(sides=3, aces=[1, 1, 0], spades=[0, 0, 9], sweeps=[0, 1, 0])
    assert won(rules, plain(15, 15, 12), race) == ([1], [16, 17, 21], 2)


def test_another_deal_for_all():
    """Nobody parted: the next deal is counted in the same way, spades break nothing."""
    rules = {"match": {"end": "count-out", "tie_break": "spades"}}
    shared = deal(aces=[2, 2], spades=[1, 1])
    again = deal(big=[0, 2], aces=[4, 0])
    assert won(rules, FIFTEEN, shared) == ([], [18, 18], 2)
    assert won(rules, FIFTEEN, shared, again) == ([1], [22, 20], 3)


def test_sweeps_come_late():
    deals = [FIFTEEN, deal(sweeps=[5, 0], last=[0, 1])]
    assert won(COUNT_OUT, *deals) == ([1], [20, 16], 2)


def test_carried_points_count_inside_their_item():
    rules = {"match": {"end": "count-out"}, "score": {"ties": "carry"}}
    tied = deal(tied=["spades"], sweeps=[13, 14])
    race = deal(spades=[2, 0], cards=[0, 1], most={"spades": 0, "cards": 1}, last=[0, 2])
    assert won(rules, tied, race) == ([0], [17, 17], 2)


# ---------------------------------------------------------------- ties carried over

CARRY = {"score": {"ties": "carry"}}
BOTH_TIED = deal(tied=["spades", "cards"], most={})
TAKEN = deal(spades=[0, 2], cards=[1, 0], most={"spades": 1, "cards": 0})


def test_carry_twice_then_a_winner():
    """Two tied deals, then a winner: cards 3 x 1 and spades 3 x 2."""
    assert count(CARRY, BOTH_TIED, BOTH_TIED)["carried"] == {"spades": 4, "cards": 2}
    assert count(CARRY, BOTH_TIED, BOTH_TIED, TAKEN) == {
        "totals": [3, 6],
        "winners": [],
        "deals": 3,
        "carried": {"spades": 0, "cards": 0},
    }


def test_each_item_carries_by_itself():
    cards_tied = deal(tied=["cards"], spades=[2, 0])
    assert count(CARRY, BOTH_TIED, cards_tied)["totals"] == [4, 0]
    assert count(CARRY, BOTH_TIED, cards_tied)["carried"] == {"spades": 0, "cards": 2}


def test_nothing_is_carried_without_the_rule():
    result = count("svensk", BOTH_TIED, BOTH_TIED, TAKEN)
    assert (result["totals"], result["carried"]) == ([1, 2], {"spades": 0, "cards": 0})


def test_what_waits_at_the_end_is_told():
    result = count(CARRY, deal(tied=["cards"], sweeps=[16, 0]))
    assert (result["winners"], result["carried"]) == ([0], {"spades": 0, "cards": 1})


def test_most_decides_who_gets_what_waits():
    """Where the points do not tell it, `most` must."""
    unclear = deal(cards=[1, 1])
    (line,) = bad(CARRY, BOTH_TIED, {**unclear, "most": {"spades": 0}})
    assert line.startswith("m.jsonl, line 2: deal 2: most.cards is missing: ")
    told = {**unclear, "most": {"spades": 0, "cards": 1}}
    assert count(CARRY, BOTH_TIED, told)["totals"] == [3, 2]


# ---------------------------------------------------------------- the pad


def result(*points, tied=()):
    at = ITEMS.index("sweeps")
    empty = (0,) * len(points)
    return DealResult(tuple(points if i == at else empty for i in range(len(ITEMS))), tied)


def test_pad():
    pad = MatchPad(load_ruleset("svensk", ["score.ties=carry"]))
    assert (pad.totals, pad.winners, pad.over, pad.deals) == ((0, 0), (), False, 0)
    state = pad.add(result(9, 2, tied=("spades",)))
    assert (state.totals, state.winners, state.deals) == ((9, 2), (), 1)
    assert state is pad.state
    assert pad.carried == {"spades": 2, "cards": 0}
    pad.add(result(7, 2, tied=("spades",)))
    assert (pad.totals, pad.winners, pad.over, pad.deals) == ((16, 4), (0,), True, 2)
    with pytest.raises(KasinoError, match="the match is over after 2 deals"):
        pad.add(result(1, 1))


def test_deal_of_a_score_sheet():
    rules = load_ruleset("svensk", ["deal.players=4", "deal.teams=pairs"])
    sheet = new_record(SHEET)
    sheet.points[0], sheet.points[1] = [2, 0, 1, 0, 1, 1, 0, 0], [0, 1, 3, 0, 0, 0, 2, 0]
    sheet.spades[:], sheet.tied_spades = [4, 1, 2, 5], 1
    deal_result = DealResult.of_sheet(sheet, rules)
    assert deal_result.points[ITEMS.index("aces")] == (1, 3)
    assert (deal_result.spades, deal_result.tied) == ((6, 6), ("spades",))
    assert deal_result.side_with_most("cards") == 0
    assert MatchPad(rules).add(deal_result).totals == (5, 6)


# ---------------------------------------------------------------- bad records


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("x", "'x' is not an object with points, tied, most, spades"),
        ({}, "points is missing, must be an object of items: big, little, aces"),
        ({"points": {"bigs": [1, 0]}}, "points.bigs is not an item - did you mean 'big'?"),
        ({"points": {"big": [1]}}, "points.big = [1], must be 2 whole numbers of 0 or more"),
        ({"points": {"big": [1, -1]}}, "points.big = [1, -1], must be 2 whole numbers"),
        ({"points": {"big": [1, 0.5]}}, "points.big = [1, 0.5], must be 2 whole numbers"),
        ({"points": {"big": [True, 0]}}, "points.big = [True, 0], must be 2 whole numbers"),
        ({"points": {"big": 2}}, "points.big = 2, must be 2 whole numbers"),
        ({"points": {}, "tied": ["aces"]}, "tied = ['aces'], must be a list of none, one or both"),
        ({"points": {}, "tied": "spades"}, "tied = 'spades', must be a list"),
        ({"points": {}, "most": 1}, "most = 1, must be an object such as"),
        ({"points": {}, "most": {"spades": 2}}, "most.spades = 2, must be a side, 0 to 1"),
        ({"points": {}, "most": {"aces": 1}}, "most.aces is not an item that can be tied"),
        ({"points": {}, "spades": [5]}, "spades = [5], must be 2 whole numbers of 0 to 13"),
        ({"points": {}, "spades": [0, 14]}, "spades = [0, 14], must be 2 whole numbers of 0 to 13"),
        ({"points": {"cards": [1, 0]}, "tied": ["cards"]}, "points.cards = [1, 0], but cards are"),
        ({"points": {}, "tied": ["cards"], "most": {"cards": 1}}, "most.cards = 1, but cards are"),
        ({"points": {"cards": [1, 0]}, "most": {"cards": 1}}, "most.cards = 1, but side 0 has"),
        ({"points": {}, "tide": []}, "tide is not a field - did you mean 'tied'?"),
    ],
)
def test_bad_deal(data, said):
    (line,) = bad("svensk", plain(1, 2), data)
    assert line.startswith(f"m.jsonl, line 2: deal 2: {said}")


def test_every_mistake_is_told():
    lines = bad("svensk", {"points": {"big": [1], "x": [1, 2]}}, plain(1, 2), {"points": 3})
    assert [line.split(": ")[1] for line in lines] == ["deal 1", "deal 1", "deal 3"]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"deals": []}, "rules is missing"),
        ({"rules": "svensk"}, "deals is missing, must be a list of deals"),
        ({"rules": "svensk", "deals": {}}, "deals = {}, must be a list of deals"),
        ({"rules": "svenks", "deals": []}, "is not a rule set - did you mean 'svensk'?"),
        ({"rules": {"match": {"end": "count-out", "goal": "deals"}}, "deals": []}, "count-out"),
    ],
)
def test_bad_record(record, said):
    with pytest.raises(KasinoError) as caught:
        count_match(record, "m.jsonl, line 2")
    (line,) = caught.value.lines
    assert line.startswith("m.jsonl, line 2: ")
    assert said in line
