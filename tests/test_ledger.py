"""Ledgers: what they keep, that they can be added up, and scoring again as if played again."""

import numpy as np
import pytest

from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.engine.layout import ITEMS
from kasino_sim.errors import KasinoError
from kasino_sim.ledger import (
    Ledger,
    Takings,
    merge_ledgers,
    outcomes,
    score_sheets,
    score_takings,
    scoring_only,
)
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import Engine, chunk_size, chunks_of
from kasino_sim.tally import Tally, ledger_of

SEATINGS = {
    "two": (),
    "three": ("deal.players=3",),
    "four": ("deal.players=4",),
    "pairs": ("deal.players=4", "deal.teams=pairs"),
}
# Every rule of scoring, so that a rule that this file forgets cannot slip through.
HOUSE_RULES = {
    "sweep.points": ("sweep.points=2", "sweep.points=0"),
    "sweep.cancel": ("sweep.cancel=true",),
    "score.cards": ("score.cards=3", "score.cards=0"),
    "score.spades": ("score.spades=1",),
    "score.aces": ("score.aces=0",),
    "score.little": ("score.little=0",),
    "score.big": ("score.big=0",),
    "score.last": ("score.last=0",),
    "score.each_spade": ("score.each_spade=1", "score.each_spade=2,score.each_spade_from=4"),
    "score.each_spade_from": ("score.each_spade=1,score.each_spade_from=6",),
    "score.ties": ("score.ties=carry",),
    "match.goal": ("match.goal=deals,match.deals=3",),
    "match.target": ("match.target=21",),
    "match.deals": ("match.deals=4",),
    "match.end": ("match.end=count-out",),
    "match.tie_break": ("match.tie_break=spades",),
}


def plan_of(rules="svensk", players=("careful", "greedy"), deals=300, seats="two", overrides=()):
    n = {"three": 3, "four": 4}.get(seats, 2)
    players = players if len(players) == 1 else [players[i % 2] for i in range(n)]
    ruleset = load_ruleset(rules, [*SEATINGS[seats], *overrides])
    return Plan(ruleset, tuple(map(load_player, players)), 5, deals)


def played_as(plan, rules):
    """Play the plan by other rules with the same players, who believe in the plan's own."""
    other = Plan(rules, plan.players, plan.seed, plan.deals)
    return other, Engine(other, scoring=plan.rules).sheets(0, other.blocks)


def points_of(sheets, rules):
    points = sheets["points"][:, :, : rules.sides].astype(np.int64)
    return points.reshape(-1, rules.sides, len(ITEMS)).transpose(0, 2, 1)


def same_as_played(plan, sheets, rules):
    """Check scored again against played again, deal by deal and as ledgers."""
    other, again = played_as(plan, rules)
    found = score_sheets(plan.rules, sheets, rules)
    np.testing.assert_array_equal(found.points, points_of(again, rules))
    for at, item in enumerate(("spades", "cards")):
        np.testing.assert_array_equal(found.tied[:, at], again[f"tied_{item}"].ravel())
    ours, theirs = ledger_of(plan, sheets), ledger_of(other, again)
    assert ours.frame().equals(theirs.frame())
    np.testing.assert_array_equal(outcomes(ours, rules).points, outcomes(theirs, rules).points)


def test_every_rule_of_scoring_is_among_the_house_rules():
    a = load_ruleset("svensk")
    for key, settings in HOUSE_RULES.items():
        for setting in settings:
            b = a.with_overrides(setting.split(","))
            assert scoring_only(a, b) and scoring_only(b, a), setting
            assert a.flat()[key] != b.flat()[key]
    scored = {key for key in a.flat() if key.startswith(("score.", "match."))}
    assert set(HOUSE_RULES) == scored - {"match.winner"} | {"sweep.points", "sweep.cancel"}


@pytest.mark.parametrize("seats", SEATINGS)
def test_scored_again_is_played_again_for_every_house_rule(seats):
    plan = plan_of(seats=seats)
    sheets = Engine(plan).sheets(0, plan.blocks)
    for settings in HOUSE_RULES.values():
        for setting in settings:
            same_as_played(plan, sheets, plan.rules.with_overrides(setting.split(",")))


@pytest.mark.parametrize("seats", SEATINGS)
def test_scored_again_from_where_casinos_are_worth_nothing(seats):
    plan = plan_of(seats=seats, overrides=("score.big=0", "score.little=0"))
    sheets = Engine(plan).sheets(0, plan.blocks)
    assert not sheets["points"][..., :2].any()
    same_as_played(plan, sheets, load_ruleset("svensk", SEATINGS[seats]))
    same_as_played(plan, sheets, load_ruleset("svensk", [*SEATINGS[seats], "score.big=7"]))


@pytest.mark.parametrize("name", ruleset_names())
def test_scored_again_from_every_preset(name):
    plan = plan_of(name, deals=120)
    sheets = Engine(plan).sheets(0, plan.blocks)
    changes = ["score.spades=5", "score.last=2", "sweep.points=2", "score.cards=0"]
    same_as_played(plan, sheets, plan.rules.with_overrides(changes))
    same_as_played(plan, sheets, plan.rules)


def test_presets_that_play_alike_are_scored_from_one_another():
    rules = {name: load_ruleset(name) for name in ruleset_names()}
    alike = [(a, b) for a in rules for b in rules if a != b and scoring_only(rules[a], rules[b])]
    assert ("svensk-utan-bygg", "svensk") not in alike
    for a, b in alike:
        plan = plan_of(a, deals=120)
        same_as_played(plan, Engine(plan).sheets(0, plan.blocks), rules[b])


@pytest.mark.parametrize(
    "change", ["build.allowed=false", "match.winner=lowest", "values.big=Ts", "sweep.when=any"]
)
def test_a_change_of_play_is_not_scored_again(change):
    a = load_ruleset("norsk-casino" if change.startswith("sweep") else "svensk")
    b = a.with_overrides([change])
    assert scoring_only(a, b) == (a.flat() == b.flat())
    if change == "build.allowed=false":
        plan = plan_of()
        sheets = Engine(plan).sheets(0, plan.blocks)
        _, again = played_as(plan, b)
        assert (score_sheets(plan.rules, sheets, b).points != points_of(again, b)).any()


def test_a_ledger_tells_what_the_sheets_tell():
    plan = plan_of(seats="pairs", deals=500)
    sheets = Engine(plan).sheets(0, plan.blocks)
    frame = ledger_of(plan, sheets).frame()
    for game in range(plan.games):
        deals = frame[f"game_{game}"]
        assert deals.sum() == plan.blocks
        for name in ("aces", "spades", "cards", "sweeps"):
            for side in (0, 1):
                taken = sheets[name][:, game, side::2].sum()
                assert (frame[f"{name}_{side}"] * deals).sum() == taken
        for name, worth in (("big", 2), ("little", 1), ("last", 1)):
            for side in (0, 1):
                points = sheets["points"][:, game, side, ITEMS.index(name)].sum()
                assert deals[frame[name] == side].sum() * worth == points


@pytest.mark.parametrize("seats", SEATINGS)
def test_ledgers_add_up_in_any_order_and_survive_their_frame(seats):
    plan = plan_of(seats=seats)
    engine = Engine(plan)
    parts = [ledger_of(plan, engine.sheets(c.first, c.n)) for c in chunks_of(plan.blocks, 13)]
    whole = ledger_of(plan, engine.sheets(0, plan.blocks))
    for order in (parts, parts[::-1], [merge_ledgers(parts[5:]), *parts[:5]]):
        assert merge_ledgers(order).frame().equals(whole.frame())
    assert Ledger.from_frame(whole.frame()).frame().equals(whole.frame())
    assert whole.blocks == merge_ledgers(parts).blocks == plan.blocks
    empty = Ledger(plan.rules.sides, plan.games)
    assert (empty + whole + empty).frame().equals(whole.frame())
    assert Ledger.from_frame(empty.frame()).frame().equals(empty.frame())
    assert empty.blocks == 0 and outcomes(empty, plan.rules).points.shape[0] == 0


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_the_fullest_takings_keep_apart(sides):
    """The largest of every count, and nothing taken at all, come back as they were."""
    everything = np.zeros((2, sides), np.int64)
    everything[0, -1] = 1
    owner = np.array([sides - 1, -1])
    sweeps = np.array([[52 // sides] * sides, [0] * sides])
    counts = (4 * everything, 13 * everything, 52 * everything, sweeps)
    takings = Takings(owner, owner, owner, *counts)
    from kasino_sim.ledger import _pack, _unpack

    keys = _pack(takings)
    assert (keys >= 0).all() and keys[1] == 0 and keys.max() < 2**60
    for name, value in vars(_unpack(keys, sides)).items():
        np.testing.assert_array_equal(value, getattr(takings, name))


def test_nobody_took_anything():
    nobody, none = np.array([-1]), np.zeros((1, 3), np.int64)
    found = score_takings(
        Takings(nobody, nobody, nobody, none, none, none, none), load_ruleset("svensk")
    )
    assert not found.points.any() and found.tied.all()


def test_tallies_carry_their_ledger():
    plan = plan_of()
    engine = Engine(plan)
    total = sum_of = None
    for chunk in chunks_of(plan.blocks, 40):
        tally = engine.tally(chunk)
        read = Tally.from_frame(tally.frame(), plan)
        assert read.ledger.frame().equals(tally.ledger.frame())
        total = tally if total is None else total + tally
        sum_of = read.ledger if sum_of is None else sum_of + read.ledger
    assert total.ledger.frame().equals(sum_of.frame())
    assert total.ledger.blocks == plan.blocks


def test_sheets_that_are_not_of_whole_deals_are_refused():
    plan = plan_of()
    sheets = Engine(plan).sheets(0, 10)
    sheets["cards"][3, 0, 0] += 1
    with pytest.raises(KasinoError, match="52 cards"):
        ledger_of(plan, sheets)


@pytest.mark.parametrize("seats", SEATINGS)
def test_sheets_tell_the_owner_of_a_casino_that_is_worth_nothing(seats):
    worthy, bare = plan_of(seats=seats), plan_of(seats=seats, overrides=("score.big=0",))
    sheets = Engine(worthy).sheets(0, worthy.blocks)
    points = sheets["points"][..., ITEMS.index("big")]
    owner = np.where(points.any(axis=-1), points.argmax(axis=-1), -1)
    assert (np.where(sheets["big"] < 0, -1, sheets["big"] % worthy.rules.sides) == owner).all()
    again = Engine(bare, worthy.rules).sheets(0, bare.blocks)
    assert (again["big"] == sheets["big"]).all() and not again["points"][..., 0].any()


def test_a_run_is_cut_in_many_chunks_that_are_not_too_small():
    for deals, least, most in [(1_000, 20, 20), (100_000, 45, 55), (2_000_000, 200, 300)]:
        plan = plan_of(deals=deals)
        assert (
            least
            <= len(list(chunks_of(plan.blocks, chunk_size(plan.blocks, plan.games, 2_000))))
            <= most
        )
