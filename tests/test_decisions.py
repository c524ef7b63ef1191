"""What is captured, laid and looked at, play by play: score sheets and known answers."""

import numpy as np
import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.engine.layout import CAPTURE_SIZES
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import Chunk, Engine
from kasino_sim.stats.decisions import moves_by_play, tables_by_play
from kasino_sim.stats.plays import captures_by_size, dry_hands_by_side, trails_by_card

CASES = [("svensk", (), ("careful",)), ("norsk", (), ("careful", "greedy")),
         ("dansk", ("deal.players=3",), ("greedy",))]  # fmt: skip


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case[0])
def counted(request):
    rules, changes, names = request.param
    players = tuple(map(load_player, names))
    plan = Plan(load_ruleset(rules, list(changes)), players, 5, 300, detail=True)
    engine = Engine(plan)
    return plan, engine.tally(Chunk(0, 0, plan.blocks)), engine.sheets(0, plan.blocks)


def test_captures_and_trails_are_parted_without_rest(counted):
    plan, tally, sheets = counted
    deals = plan.blocks * plan.games
    captures, trails = captures_by_size(plan, tally), trails_by_card(plan, tally)
    assert captures["value"].sum() == pytest.approx(sheets["captures"].sum() / deals)
    assert trails["value"].sum() == pytest.approx(sheets["trails"].sum() / deals)
    assert list(captures["cards"]) == list(CAPTURE_SIZES)
    # Of 52 cards, those not left over were gathered; the largest size may hold larger ones.
    gathered = (captures["cards"] * captures["value"]).sum()
    assert gathered <= 52 - sheets["residue"].mean() + 1e-9
    seen = captures["value"] * deals >= 19.5
    assert captures["low"].notna().equals(seen) and not seen.all()
    assert (captures["low"] > 0)[seen].all()
    by_block = sheets["sizes"][:, :, 0].mean(axis=1)
    assert captures["se"][0] == pytest.approx(by_block.std(ddof=1) / np.sqrt(plan.blocks))


def test_dry_hands_are_those_of_the_sheets(counted):
    plan, tally, sheets = counted
    found = dry_hands_by_side(plan, tally)
    sides = plan.rules.sides
    assert list(found["value"]) == pytest.approx(list(sheets["dry"].mean(axis=(0, 1))[:sides]))
    hands = (52 - plan.rules.deal.table) / plan.rules.n_players / plan.rules.deal.hand
    assert (found["value"] <= hands).all()


def test_legal_moves_play_by_play_add_up(counted):
    plan, tally, sheets = counted
    found = moves_by_play(plan, tally)
    assert list(found["play"]) == list(range(1, 53 - plan.rules.deal.table))
    assert found["value"].sum() == pytest.approx(sheets["legal_moves"].mean())
    assert (found["value"] >= 1).all() and (found["low"] < found["high"]).any()


def test_the_first_table_is_as_dealt_and_the_largest_is_seen(counted):
    plan, tally, _ = counted
    found = tables_by_play(plan, tally)
    assert found["value"][0] == plan.rules.deal.table == found["most"][0]
    assert np.isnan(found["se"][0])  # it does not vary
    assert (found["most"] >= found["value"]).all()
    later = found.iloc[1:]
    assert (later["low"] < later["value"]).all() and (later["value"] < later["high"]).all()


def test_no_rows_without_detail():
    plan = Plan(load_ruleset("svensk"), (load_player("greedy"),), 5, 50)
    tally = Engine(plan).tally(Chunk(0, 0, 50))
    assert moves_by_play(plan, tally).empty and tables_by_play(plan, tally).empty
