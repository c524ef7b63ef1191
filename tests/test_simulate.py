"""Simulations: what they depend on, the laws of the game, and a control that must be caught."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import kasino_sim.engine
from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.engine.layout import ITEMS
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table
from kasino_sim.plan import Plan, parse_known
from kasino_sim.players import load_player
from kasino_sim.simulate import (
    BOOK_FIELDS,
    Chunk,
    Engine,
    Spaces,
    chunks_of,
    run_chunks,
    simulate,
)
from kasino_sim.stats.cell_counts import CellCounts
from kasino_sim.stats.estimates import estimate
from kasino_sim.stats.summary import summarize
from kasino_sim.store import RunFolder
from kasino_sim.tally import Tally, block_columns, merge, tally_sheets
from kasino_sim.transcript import play_out


def plan_of(rules="svensk", players=("careful", "greedy"), deals=200, overrides=(), **more):
    return Plan(
        load_ruleset(rules, list(overrides)),
        tuple(load_player(p) for p in players),
        more.pop("seed", 1),
        deals,
        **more,
    )


def same(a, b):
    return a.frame().equals(b.frame())


@pytest.mark.parametrize("players", [("careful", "greedy"), ("random",)])
def test_threads_and_chunks_change_nothing(players):
    plan = plan_of(players=players, deals=601)
    first = simulate(plan, threads=1)
    for threads, chunk in [(2, 7), (5, 50), (1, 1), (3, 1000)]:
        assert same(simulate(plan, threads, chunk), first)


def test_a_deal_does_not_depend_on_what_was_played_before():
    plan = plan_of(players=("random",), deals=50)
    whole = Engine(plan).sheets(0, 50)
    for deal in (0, 13, 49):
        assert Engine(plan).sheets(deal, 1)[0, 0] == whole[deal, 0]


def test_deals_are_rounded_up_to_blocks():
    assert plan_of(deals=5).blocks == 3
    assert plan_of(players=("greedy",), deals=5).blocks == 5
    assert plan_of(deals=5, rotate=False).blocks == 5
    four = ("deal.players=4",)
    assert (
        plan_of(players=("careful", "greedy", "random", "careful"), deals=5, overrides=four).blocks
        == 2
    )


@pytest.mark.parametrize("teams, players", [("solo", 2), ("solo", 3), ("solo", 4), ("pairs", 4)])
@pytest.mark.parametrize("preset", ruleset_names())
def test_laws_of_every_deal(preset, teams, players):
    plan = plan_of(preset, ("random",), 150, (f"deal.players={players}", f"deal.teams={teams}"))
    sheets = Engine(plan).sheets(0, plan.blocks)[:, 0]
    someone = sheets["last"] >= 0
    n, sides, score = players, plan.rules.sides, plan.rules.score
    assert (sheets["cards"][:, :n].sum(axis=1)[someone] == 52).all()
    assert (sheets["spades"][:, :n].sum(axis=1)[someone] == 13).all()
    assert (sheets["aces"][:, :n].sum(axis=1)[someone] == 4).all()
    plays = sheets["captures"] + sheets["trails"] + sheets["builds"]
    plays = plays + sheets["raises"] + sheets["adds"]
    assert (plays[:, :n].sum(axis=1) == 48).all()
    points = sheets["points"][:, :sides].sum(axis=(1, 2), dtype=int)
    sweeps = sheets["points"][:, :sides, ITEMS.index("sweeps")].sum(axis=1, dtype=int)
    due = score.cards + score.spades + 4 * score.aces + score.little + score.big + score.last
    tied = score.cards * sheets["tied_cards"] + score.spades * sheets["tied_spades"]
    assert (points[someone] == (due - tied + sweeps)[someone]).all()
    made = sheets["builds"][:, :n].sum(axis=1, dtype=int)
    gone = sheets["taken_own"] + sheets["taken_other"]
    assert (gone[:, :n].sum(axis=1) + sheets["builds_left"] <= made).all()


def test_two_fit_under_svensk_eleven_points_and_sweeps():
    tally = simulate(plan_of(deals=2_000))
    dealt = tally.sums["points.0"] + tally.sums["points.1"]
    sweeps = tally.sums["sweeps"]
    assert dealt == 11 * 2_000 + sweeps - tally.sums["tied_cards"] - 2 * tally.sums["tied_spades"]


def test_like_players_differ_by_nothing_and_share_the_wins():
    plan = plan_of(players=("careful", "careful"), deals=300)
    summary = summarize(plan, simulate(plan))
    assert summary["difference"] == {"mean": 0.0, "se": 0.0}
    assert [w["mean"] for w in summary["win_share"]] == [0.5, 0.5]
    assert summary["deals"] == summary["blocks"] == 300


def test_rotation_turns_the_difference_round():
    a = summarize(p := plan_of(deals=400), simulate(p))
    b = summarize(p := plan_of(players=("greedy", "careful"), deals=400), simulate(p))
    assert a["difference"]["mean"] == pytest.approx(-b["difference"]["mean"])
    assert a["difference"]["se"] == pytest.approx(b["difference"]["se"])


def test_no_rotate_leaves_the_players_in_their_seats():
    plan = plan_of(deals=400, rotate=False)
    summary = summarize(plan, simulate(plan))
    seats = [p["mean"] for p in summary["points"]]
    assert summary["difference"]["mean"] == pytest.approx(seats[0] - seats[1])


def test_three_and_four_players_take_every_seat():
    for n in (3, 4):
        names = ("careful", "greedy", "random", "greedy")[:n]
        plan = plan_of(players=names, deals=300, overrides=(f"deal.players={n}",))
        for k in range(n):
            seats = {int(np.flatnonzero(plan.seatings[g, :n] == k)[0]) for g in range(plan.games)}
            assert seats == set(range(n))
        summary = summarize(plan, simulate(plan))
        assert sum(w["mean"] for w in summary["win_share"]) == pytest.approx(1)
        won = {w["player"]: w["mean"] for w in summary["win_share"]}
        assert min(won.values()) == won["random"]


def test_in_pairs_two_names_are_the_two_sides():
    plan = plan_of(deals=600, overrides=("deal.players=4", "deal.teams=pairs"))
    assert plan.games == 2
    tally = simulate(plan)
    assert estimate(tally, "difference", 2).mean > 0
    assert sum(tally.sums[f"player.{k}"] for k in (0, 1)) == sum(
        tally.sums[f"points.{s}"] for s in (0, 1)
    )


def test_standard_errors_are_over_blocks():
    plan = plan_of(deals=1_000)
    columns = block_columns(plan, Engine(plan).sheets(0, plan.blocks))
    values = columns["difference"] / 2
    found = estimate(simulate(plan), "difference", 2)
    assert found.mean == pytest.approx(values.mean())
    assert found.se == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)))
    low, high = found.interval()
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert (low, high) == pytest.approx(expected)


def test_one_block_has_no_standard_error():
    found = estimate(simulate(plan_of(deals=1)), "difference", 2)
    assert found.se is None and found.interval() is None


def test_merging_is_addition_in_any_order():
    plan = plan_of(deals=90)
    parts = [Engine(plan).tally(c) for c in chunks_of(plan.blocks, 7)]
    assert same(merge(parts), merge(reversed(parts)))
    assert same(merge(parts), tally_sheets(plan, Engine(plan).sheets(0, plan.blocks)))


def test_a_tally_survives_its_frame():
    plan = plan_of(deals=60)
    tally = simulate(plan)
    read = Tally.from_frame(tally.frame(), plan)
    assert same(read, tally)
    assert read.deals == tally.deals and tally.deals.number == tally.blocks == plan.blocks


def test_tallies_of_deals_in_common_do_not_merge():
    plan = plan_of(deals=60)
    engine, deals = Engine(plan), plan.first_deal
    first, second, across = (engine.tally(Chunk(0, at, 10)) for at in (0, 10, 19))
    both = first + second
    assert both.deals.spans == ((plan.seed, deals, 20),)
    for one, two in ((both, across), (across, both), (first, first)):
        with pytest.raises(KasinoError, match="are counted already"):
            _ = one + two
        read = [Tally.from_frame(tally.frame(), plan) for tally in (one, two)]
        with pytest.raises(KasinoError, match="are counted already"):
            merge(read)
    other = Engine(replace(plan, seed=plan.seed + 1)).tally(Chunk(0, 0, 10))
    assert (both + other).blocks == 30
    with pytest.raises(KasinoError, match="are counted already"):
        CellCounts(plan, (both, across))
    assert CellCounts(plan, (across, first)).tally.blocks == 20


def test_a_chunk_under_another_name_is_not_taken_for_its_own(tmp_path):
    plan = plan_of(deals=60)
    run = RunFolder(tmp_path / "run", plan, 10, resume=False)
    run.save([Chunk(1, 10, 10)], [Engine(plan).tally(Chunk(0, 0, 10))])
    with pytest.raises(KasinoError, match="000001.parquet: is of other deals"):
        run.load([Chunk(1, 10, 10)])


def test_careful_beats_greedy_in_svensk():
    """1.5 points a deal at least, two standard errors clear."""
    found = estimate(simulate(plan_of(deals=8_000)), "difference", 2)
    assert found.mean - 2 * found.se > 1.5


def test_ladder_of_the_plain_players():
    for better, worse in [("greedy", "random"), ("careful", "random")]:
        found = estimate(simulate(plan_of(players=(better, worse), deals=2_000)), "difference", 2)
        assert found.mean - 4 * found.se > 0


def test_few_points_are_sought_in_smygkasino():
    found = estimate(simulate(plan_of("smygkasino", ("greedy", "random"), 2_000)), "difference", 2)
    assert found.mean + 4 * found.se < 0


def test_known_cards_lie_where_they_are_put():
    from kasino_sim.engine.play import make_deck, new_scratch
    from kasino_sim.pack import pack_rules

    rules = load_ruleset("svensk")
    known = parse_known("hand0=Td 2s; table=8h 3c; stock=Ac", rules)
    scratch = new_scratch()
    deck, seen = scratch.deck, set()
    for deal in range(20):
        make_deck(pack_rules(rules), np.array(known), np.uint64(1), np.uint64(deal), scratch)
        assert sorted(deck) == list(range(52))
        assert [deck[i] for i in (0, 1, 8, 9, 12)] == [known[i] for i in (0, 1, 8, 9, 12)]
        seen.add(tuple(deck))
    assert len(seen) == 20


@pytest.mark.parametrize(
    "text, said",
    [
        ("hand7=Td", "is no place"),
        ("hand0=Td Td", "named twice"),
        ("table=1c", "1c"),
        ("hand0=2c 3c 4c 5c 6c", "room for 4"),
        ("hand0=Td; hand0=2s 3s 4s 5s", "room for 4"),
        ("hand0", "names no cards"),
        ("table=", "names no cards"),
    ],
)
def test_known_cards_that_cannot_be(text, said):
    with pytest.raises(KasinoError) as error:
        parse_known(text, load_ruleset("svensk"))
    assert any(said in line for line in error.value.lines)


def test_a_place_named_twice_keeps_both_cards():
    known = parse_known("hand0=Td; hand0=2s", load_ruleset("svensk"))
    assert [c for c in known if c >= 0] == [38 - 1, 7]


def test_nothing_is_known_of_a_table_that_the_dealer_changes():
    with pytest.raises(KasinoError, match="exchanges"):
        parse_known("table=8h", load_ruleset("norsk"))
    assert parse_known("hand0=8h", load_ruleset("norsk"))[0] == 30


def test_the_dealer_exchanges_point_cards():
    from kasino_sim.engine.play import make_deck, new_scratch
    from kasino_sim.pack import pack_rules

    rules = load_ruleset("norsk", ["deal.players=3"])
    record, scratch = pack_rules(rules), new_scratch()
    deck = scratch.deck
    free = np.full(52, -1)
    for deal in range(500):
        make_deck(record, free, np.uint64(1), np.uint64(deal), scratch)
        assert sorted(deck) == list(range(52))
        assert not any(record.points_board >> int(c) & 1 for c in deck[12:16])


def test_a_loaded_deck_is_caught():
    """Negative control: with the big casino always in the first hand the test must cry out."""
    fair = simulate(plan_of(players=("greedy",), deals=3_000))
    known = parse_known("hand0=Td", load_ruleset("svensk"))
    loaded = simulate(plan_of(players=("greedy",), deals=3_000, known=known))
    a, b = (estimate(t, "big.0") for t in (fair, loaded))
    assert abs(a.mean - b.mean) / np.hypot(a.se, b.se) > 8
    other = simulate(plan_of(players=("greedy",), deals=3_000, seed=2))
    c = estimate(other, "big.0")
    assert abs(a.mean - c.mean) / np.hypot(a.se, c.se) < 4


def test_a_run_goes_on_where_it_stopped(tmp_path):
    plan = plan_of(deals=200)
    chunks = list(chunks_of(plan.blocks, 30))
    engine = Engine(plan)
    folder = RunFolder(tmp_path / "run", plan, 30, resume=False)
    for chunk in chunks[:2]:
        folder.save([chunk], [engine.tally(chunk)])
    with pytest.raises(KasinoError, match="holds a run already"):
        RunFolder(tmp_path / "run", plan, 30, resume=False)
    again = RunFolder(tmp_path / "run", plan, 999, resume=True)
    assert again.chunk == 30
    parts = [(again.load([c]) or [engine.tally(c)])[0] for c in chunks]
    assert [again.load([c]) is not None for c in chunks] == [True, True, False, False]
    assert same(merge(parts), simulate(plan))
    with pytest.raises(KasinoError, match="seed was 1, now 2"):
        RunFolder(tmp_path / "run", plan_of(deals=200, seed=2), 30, resume=True)


def test_run_chunks_keeps_the_order():
    plan = plan_of(deals=40)
    engine = Engine(plan)
    chunks = list(chunks_of(plan.blocks, 1))
    got = [chunk.number for chunk, _ in run_chunks(engine.tally, iter(chunks), 3)]
    assert got == list(range(len(chunks)))


def test_a_killed_run_resumes_to_the_same_result(tmp_path):
    command = [
        sys.executable,
        "-m",
        "kasino_sim",
        "simulate",
        "--deals",
        "120000",
        "--seed",
        "4",
        "--quiet",
        "--format",
        "csv",
        "--out",
        str(tmp_path / "run"),
    ]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    chunks = tmp_path / "run" / "chunks"
    for _ in range(1_200):
        if chunks.exists() and len(list(chunks.glob("*.parquet"))) >= 3:
            break
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert not (tmp_path / "run" / "summary.json").exists()
    resumed = subprocess.run([*command, "--resume"], capture_output=True, text=True)
    assert resumed.returncode == 0, resumed.stderr
    fresh = [*command[:-1], str(tmp_path / "other")]
    other = subprocess.run(fresh, capture_output=True, text=True)
    assert resumed.stdout == other.stdout
    assert (tmp_path / "run" / "summary.json").read_bytes() == (
        tmp_path / "other" / "summary.json"
    ).read_bytes()


def test_unknown_players_and_counts_are_refused():
    with pytest.raises(KasinoError, match="did you mean 'careful'"):
        load_player("carefull")
    with pytest.raises(KasinoError, match="3 given, but 2 play"):
        plan_of(players=("careful", "greedy", "random"))


def test_a_player_file_with_mistakes_names_them_all(tmp_path):
    path = tmp_path / "odd.toml"
    path.write_text('idea = "x"\nkind = "clever"\n[weights]\npointz = 1\n')
    with pytest.raises(KasinoError) as error:
        load_player(path)
    text = "\n".join(error.value.lines)
    assert (
        "pointz" in text and "points" in text and "clever" in text and "source is missing" in text
    )


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_interrupting_exits_with_130():
    command = [sys.executable, "-m", "kasino_sim", "simulate", "--deals", "100000000"]
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests that run in the background of a shell may have been told to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(6)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert out == "" and "Traceback" not in err


def test_four_names_in_pairs_are_refused():
    overrides = ("deal.players=4", "deal.teams=pairs")
    with pytest.raises(KasinoError, match="4 given, but two sides play .* name 1 or 2"):
        plan_of(players=("careful", "greedy", "random", "beginner"), overrides=overrides)


def test_rotations_that_replay_a_game_are_played_once():
    plan = plan_of(players=("careful", "greedy") * 2, deals=40, overrides=("deal.players=4",))
    assert (plan.games, plan.blocks) == (2, 20)
    whole = simulate(plan)
    shares = summarize(plan, whole)["win_share"]
    assert sum(w["mean"] for w in shares) == pytest.approx(1)
    assert shares[0]["mean"] == shares[2]["mean"]


def test_sums_and_squares_of_any_size_are_exact():
    plan = plan_of(players=("careful", "greedy"), deals=3_000, detail=True)
    sheets = Engine(plan).sheets(0, plan.blocks)
    rng = np.random.default_rng(1)
    sheets["points"] = rng.choice([0, 2**15 - 1, 7], sheets["points"].shape)
    sheets["legal_moves"] = rng.choice([2**61, 2**52 + 1, 3], sheets["legal_moves"].shape)
    tally = tally_sheets(plan, sheets)
    points = sheets["points"].sum(axis=3, dtype=np.int64)
    by_hand = {
        "points.1": points[:, :, 1].sum(axis=1),
        "first_edge": (points[:, :, 0] - points[:, :, 1]).sum(axis=1),
        "difference": points[:, 0, 0] + points[:, 1, 1] - points[:, 0, 1] - points[:, 1, 0],
        "spades.0": sheets["points"][:, :, 0, 3].sum(axis=1, dtype=np.int64),
        "legal_moves": sheets["legal_moves"].sum(axis=1),
    }
    for name, values in by_hand.items():
        exact = values.tolist()
        assert tally.sums[name] == sum(exact), name
        assert tally.squares[name] == sum(value**2 for value in exact), name


@pytest.mark.parametrize("damage", ["cut", "empty", "foreign"])
def test_a_damaged_chunk_is_an_error_for_people(tmp_path, damage):
    import pandas as pd

    plan = plan_of(deals=60)
    folder = RunFolder(tmp_path, plan, 30, resume=False)
    chunk = next(iter(chunks_of(plan.blocks, 30)))
    folder.save([chunk], [Engine(plan).tally(chunk)])
    path = tmp_path / "chunks" / "000000.parquet"
    if damage == "foreign":
        pd.DataFrame({"x": [1]}).to_parquet(path)
    else:
        path.write_bytes(path.read_bytes()[:100] if damage == "cut" else b"")
    with pytest.raises(KasinoError, match="is damaged"):
        folder.load([chunk])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"parameters": {"blocks_per_chunk": 0}}'])
def test_a_manifest_that_is_none_is_an_error_for_people(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(KasinoError, match="is no manifest"):
        RunFolder(tmp_path, plan_of(), 30, resume=True)


def test_a_stop_before_the_standard_error_is_reached_says_so():
    from click.testing import CliRunner

    from kasino_sim.cli import main

    arguments = "simulate --quiet --players greedy,random --until-se 0.0001 --deals 3000".split()
    done = CliRunner().invoke(main, [*arguments, "--format", "json"])
    assert '"stopped_by": "deals"' in done.stdout
    assert "before the standard error reached" in done.stderr
    done = CliRunner().invoke(main, "simulate --quiet --until-se 0.09 --format json".split())
    assert '"stopped_by": "standard error"' in done.stdout


@pytest.mark.parametrize("option", ["--deals=0", "--threads=0", "--seed=-1", "--colour=red"])
def test_a_wrong_option_is_one_line(option):
    from click.testing import CliRunner

    from kasino_sim.cli import main

    done = CliRunner().invoke(main, ["simulate", option])
    assert done.exit_code == 2 and done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1 and done.stderr.startswith("error: ")


@pytest.mark.parametrize("weight", ["nan", "inf", "1" + "0" * 400, "1e300"])
def test_a_weight_that_is_no_use_is_refused(tmp_path, weight):
    path = tmp_path / "odd.toml"
    path.write_text(f'idea = "x"\nsource = "x"\nkind = "weigh"\n[weights]\npoints = {weight}\n')
    with pytest.raises(KasinoError, match="weights.points must be a number"):
        load_player(path)


@pytest.mark.parametrize("name", ["svensk", "smygkasino", "dansk-svupper", "casino"])
@pytest.mark.parametrize("player", ["random", "greedy", "careful"])
def test_counting_legal_moves_changes_no_move(name, player):
    plan = Plan(load_ruleset(name), (load_player(player),), 8, 300)
    plain = Engine(plan).sheets(0, plan.blocks)
    counted = Engine(replace(plan, detail=True)).sheets(0, plan.blocks)
    assert (counted["legal_moves"] >= 48).all() and not plain["choices"].any()
    for field in plain.dtype.names:
        if field not in ("legal_moves", "choices"):
            assert (counted[field] == plain[field]).all(), field


@pytest.mark.parametrize("players", [("careful", "greedy"), ("random",)])
def test_looks_by_number_of_the_decision(players):
    plan = plan_of(players=players, deals=300, detail=True)
    tally = simulate(plan, threads=2, chunk=37)
    moves, squares = tally.counts["legal_moves"]
    tables = tally.counts["tables"]
    assert moves.sum() == tally.sums["legal_moves"] and not tally.sums["crowded"]
    assert tables.sum() == tally.sums["decisions"]
    games = plan.blocks * plan.games
    assert (tables.sum(axis=1)[:48] == games).all() and not tables[48:].any()
    assert tables[0, 4] == games  # so many cards are dealt to the table
    assert (squares * plan.blocks >= moves**2).all() and (moves[:48] >= games).all()
    by_block = [simulate(replace(plan, deals=plan.games, first_deal=i)) for i in range(20)]
    first = simulate(replace(plan, deals=20 * plan.games)).counts["legal_moves"]
    each = np.array([one.counts["legal_moves"][0] for one in by_block])
    assert (first[0] == each.sum(axis=0)).all() and (first[1] == (each**2).sum(axis=0)).all()


def test_dry_hands_trails_and_captures_add_up():
    plan = plan_of("svensk", deals=400)
    tally = simulate(plan)
    by_size = [tally.sums[f"captures_of_{n}"] for n in range(2, 9)]
    assert sum(by_size) == tally.sums["captures"] and by_size[0] > by_size[4] > 0
    trailed = {k: tally.sums[f"trailed_{k}"] for k in ("ace", "big", "little", "spade", "plain")}
    assert sum(trailed.values()) == tally.sums["trails"] and min(trailed.values()) > 0
    # Six hands a deal for each of two.
    assert 0 < tally.sums["dry.0"] + tally.sums["dry.1"] < 12 * plan.blocks * plan.games
    nothing = simulate(plan_of("svensk", ("random",), 40, ("capture.obligation=free",)))
    assert nothing.sums["dry.0"] > 0


def test_choices_are_the_decisions_with_more_than_one_legal_move():
    plan = plan_of("dansk", ("random",), deals=60, detail=True)
    tally = simulate(plan)
    counted = decided = 0
    for deal in range(60):
        table = Table.of_deal(plan, deal)
        for play in play_out(plan, deal).plays:
            decided += 1
            counted += int(table.count_moves() > 1)
            table.play(play.move)
    assert (tally.sums["decisions"], tally.sums["choices"]) == (decided, counted)
    assert 0 < counted < decided
    assert simulate(plan_of(deals=10)).sums["choices"] == 0


@pytest.mark.parametrize("name", ["svensk", "norsk-casino"])
def test_builds_that_get_locked_are_counted(name):
    plan = plan_of(name, ("random",), deals=150)
    locked = 0
    for deal in range(150):
        for play in play_out(plan, deal).plays:
            before = {build.cards for build in play.before.builds if build.locked}
            after = [build for build in play.after.builds if build.locked]
            grown = [b for b in after if not any(set(old) <= set(b.cards) for old in before)]
            locked += len(grown)
    tally = simulate(plan)
    assert tally.sums["builds_locked"] == locked > 0
    assert locked <= tally.sums["builds"] + tally.sums["adds"]


BOOKISH = [
    ("svensk", []),
    ("svensk", ["capture.extent=maximal"]),
    ("svensk", ["values.faces=pairs"]),
    ("svensk", ["values.ace_hand=[1,14]", "values.ace_table=[1,14]"]),
    ("dansk", []),
    ("norsk-casino", []),
]


def test_spaces_that_are_shared_change_nothing():
    """A book filled under some rules serves others only where they ask the same."""
    shared = Spaces(most=3)
    for name, changes in BOOKISH * 2:
        rules = load_ruleset(name, changes)
        for player in ("random", "careful"):
            plan = Plan(rules, (load_player(player),), 5, 40)
            alone = Engine(plan).sheets(0, 40)
            assert np.array_equal(Engine(plan, spaces=shared).sheets(0, 40), alone), (name, changes)
    assert len(shared._waiting) == 3


def test_a_book_is_shared_by_all_that_it_rests_on():
    """Every rule that is read where families are made decides who shares a book."""
    folder, read = Path(kasino_sim.engine.__file__).parent, set()
    for room in ("captures", "patterns", "subsets", "walk"):
        read |= set(re.findall(r"\brules\.(\w+)", (folder / f"{room}.py").read_text("utf-8")))
    assert read == set(BOOK_FIELDS)
