"""Ladders: meetings counted anew, ratings found in other ways, folders, and the text."""

import json
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner

from kasino_sim.catalog import load_ruleset
from kasino_sim.cli import main
from kasino_sim.cli.ladder_table import ladder_text
from kasino_sim.errors import KasinoError
from kasino_sim.meeting import Meeting, MeetingEngine, MeetingTally
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import Chunk, simulate
from kasino_sim.stats import ratings
from kasino_sim.stats.meetings import anatomy, gap, matches
from kasino_sim.studies import ladder as studies
from kasino_sim.studies.agreement import agreement
from kasino_sim.studies.ladder_reading import Reading, summary_of
from kasino_sim.transcript import play_out


def players(*names):
    return tuple(map(load_player, names))


def meet(names, deals, *changes, rules="svensk"):
    meeting = Meeting(load_ruleset(rules, changes), players(*names), 3, deals)
    return meeting, MeetingEngine(meeting).tally(Chunk(0, 0, meeting.blocks))


# ---------------------------------------------------------------- meetings


def test_two_players_are_counted_as_a_simulation_counts_them():
    meeting, tally = meet(("careful", "greedy"), 600)
    other = simulate(Plan(meeting.rules, players("careful", "greedy"), 3, 600))
    assert tally.blocks == other.blocks == 300
    assert tally.sums["gap"] == other.sums["difference"]
    assert tally.squares["gap"] == other.squares["difference"]
    assert tally.sums["points.0"] == other.sums["player.0"]
    assert tally.sums["builds.0"] + tally.sums["builds.1"] == other.sums["builds"]
    assert (tally.ledgers[0].counts == other.ledger.counts).all()
    assert tally.results.sum() == 600
    won, drawn, _ = tally.results.sum(axis=0)
    assert tally.sums["ahead"] == 2 * won + drawn


def play_by_play(meeting, deals):
    """Gaps and results of whole blocks, from deals told move by move."""
    total, results = 0, np.zeros((2, 3), int)
    for plan, roles in zip(meeting.plans, meeting.roles, strict=True):
        for deal in range(deals):
            for game in range(plan.games):
                played = play_out(plan, deal, game)
                score = [sum(s) for s in zip(*played.result["points"].values(), strict=True)]
                seat_role = [roles[int(k)] for k in plan.seatings[game][: len(score)]]
                for a, b in combinations(range(len(score)), 2):
                    if seat_role[a] == seat_role[b]:
                        continue
                    one, other = (a, b) if seat_role[a] == 0 else (b, a)
                    by = score[one] - score[other]
                    by = -by if meeting.rules.match.winner == "lowest" else by
                    total += by
                    results[int(one > other)][1 - (by > 0) + (by < 0)] += 1
    return total, results


@pytest.mark.parametrize(
    "changes",
    [
        ["deal.players=3"],
        ["deal.players=4"],
        ["match.winner=lowest", "match.end=highest"],
    ],
)
def test_meetings_equal_deals_told_move_by_move(changes):
    meeting, tally = meet(("careful", "random"), 1, *changes)
    total, results = play_by_play(meeting, tally.blocks)
    assert tally.sums["gap"] == total
    assert (tally.results == results).all()
    assert results.sum() == meeting.comparisons * tally.blocks


def test_few_points_win_where_the_lowest_does():
    _, most = meet(("greedy", "random"), 400)
    meeting, fewest = meet(("greedy", "random"), 400, "match.winner=lowest")
    assert most.sums["gap"] > 0
    assert fewest.sums["gap"] == fewest.sums["points.1"] - fewest.sums["points.0"]
    assert gap(meeting, fewest).se > 0


def test_pairs_count_a_side_as_one():
    meeting, tally = meet(("careful", "random"), 200, "deal.players=4", "deal.teams=pairs")
    assert meeting.games == 2 and meeting.seats(0) == 2
    assert tally.results.sum() == 200
    parts = anatomy(["careful", "random"], {(0, 1): (meeting, tally)})
    value = parts.set_index(["player", "quantity"])["value"]
    both = value["careful"] + value["random"]
    assert both["captures"] + both["trails"] + both["builds"] + both["raises"] + both[
        "adds"
    ] == pytest.approx(52 - meeting.rules.deal.table)


def test_points_are_the_sum_of_their_items_and_what_one_loses_the_other_took():
    meeting, tally = meet(("careful", "beginner"), 400)
    found = anatomy(["a", "b"], {(0, 1): (meeting, tally)})
    value = found.pivot(index="quantity", columns="player", values="value")
    items = ["big", "little", "aces", "spades", "cards", "last", "sweeps"]
    assert value.loc[items].sum().to_numpy() == pytest.approx(value.loc["points"].to_numpy())
    assert value.loc["lost", "a"] == pytest.approx(value.loc["stolen", "b"])


def test_a_tally_survives_json_and_merges_in_parts():
    meeting, whole = meet(("greedy", "random"), 60, "deal.players=3")
    engine = MeetingEngine(meeting)
    parts = engine.tally(Chunk(0, 0, 3)) + engine.tally(Chunk(1, 3, 7))
    kept = MeetingTally.from_json(json.loads(json.dumps(parts.as_json())))
    assert kept.as_json() == whole.as_json()


def test_shares_of_matches_turn_round():
    meeting, tally = meet(("careful", "greedy"), 2_000)
    one, other = (matches(meeting, [tally, tally], role)["value"] for role in (0, 1))
    assert one + other == pytest.approx(1) and one > 0.8
    alone, tally = meet(("careful", "greedy"), 1_200, "deal.players=3")
    one, other = (matches(alone, [tally, tally], role)["value"] for role in (0, 1))
    assert one > 1 / 3 > other


# ---------------------------------------------------------------- ratings


def expected(strengths, seat, tie, games=1e6):
    fit = ratings.Fit(np.asarray(strengths, float), seat, tie)
    counts = games * fit.chances()
    counts[np.arange(len(strengths)), np.arange(len(strengths))] = 0
    return fit, counts


def test_strengths_are_found_again():
    truth, counts = expected([-1.0, 0.2, 0.8], 0.3, -1.5)
    found = ratings.fit(counts)
    assert found.strengths == pytest.approx(truth.strengths, abs=1e-6)
    assert (found.seat, found.tie) == pytest.approx((0.3, -1.5), abs=1e-6)
    assert found.beats() + found.beats().T == pytest.approx(np.ones((3, 3)))


def bradley_terry(wins):
    """Zermelo's way: each strength its wins over what they are expected to weigh."""
    strength = np.ones(len(wins))
    games = wins + wins.T
    for _ in range(2_000):
        strength = wins.sum(axis=1) / (games / np.add.outer(strength, strength)).sum(axis=1)
        strength /= np.exp(np.log(strength).mean())
    return np.log(strength)


def test_without_ties_and_seats_it_is_bradley_and_terry():
    wins = np.array([[0, 30, 55, 70], [25, 0, 44, 60], [10, 31, 0, 52], [4, 20, 33, 0]], float)
    counts = np.zeros((4, 4, 3))
    # Each result once with either player first: the seat is worth nothing.
    counts[..., 0], counts[..., 2] = wins, wins.T
    found = ratings.fit(counts)
    assert found.strengths == pytest.approx(bradley_terry(wins), abs=1e-6)
    assert found.seat == pytest.approx(0, abs=1e-6) and found.tie == -np.inf


def test_ratings_need_somebody_to_lose():
    _, counts = expected([0.0, 1.0, 2.0], 0.0, -1.0)
    assert ratings.fit(counts) is not None
    counts[2, :2] = counts[2, :2].sum(axis=-1, keepdims=True) * [1, 0, 0]
    counts[:2, 2] = counts[:2, 2].sum(axis=-1, keepdims=True) * [0, 0, 1]
    assert ratings.fit(counts) is None


def test_errors_of_ratings_are_those_of_repeated_samples():
    truth, _ = expected([-0.4, 0.0, 0.4], 0.1, -1.0)
    random = np.random.default_rng(4)
    chances = truth.chances()

    def sample(chunks):
        found = {}
        for i, j in combinations(range(3), 2):
            first = random.multinomial(50, chances[i, j], chunks)
            later = random.multinomial(50, chances[j, i], chunks)[:, ::-1]
            found[i, j] = np.stack([first, later], axis=1)
        return found

    samples = [sample(40) for _ in range(150)]
    sums = [{pair: parts.sum(axis=0) for pair, parts in one.items()} for one in samples]
    fits = [ratings.fit(ratings._counts(one, 3)) for one in sums]
    spread = np.std([fit.beats()[2, 0] for fit in fits])
    rated = ratings.rate(samples[0], 3).beats()
    assert rated["se"][2, 0] == pytest.approx(spread, rel=0.3)
    assert rated["low"][2, 0] < rated["value"][2, 0] < rated["high"][2, 0]
    assert ratings.rate(sample(5), 3).drawn == ()


# ---------------------------------------------------------------- the ladder


def read(*names, deals=1_200, changes=(), **options):
    ladder = studies.Ladder(load_ruleset("svensk", changes), players(*names), deals, **options)
    return Reading(ladder, studies.play_ladder(ladder))


@pytest.fixture(scope="module")
def four():
    return read("careful", "random", "beginner", "greedy")


def test_the_order_is_found_whatever_was_named_first(four):
    assert [four.names[i] for i in four.order] == ["random", "greedy", "beginner", "careful"]
    assert list(four.steps["upper"]) == ["greedy", "beginner", "careful"]
    assert (four.steps["points_low"] > 0).all() and not four.upsets
    assert four.misfit < 0.05
    frame = four.meetings.set_index(["player", "against"])
    assert frame.loc[("careful", "greedy"), "points"] == pytest.approx(
        -frame.loc[("greedy", "careful"), "points"]
    )
    assert four.most_given(0)[1]["high"] < 0 and four.most_given(1)[0] == "careful"


def test_meetings_of_other_players_of_the_same_names_are_kept_apart():
    one, other = players("careful", "greedy")
    meeting = Meeting(load_ruleset("svensk"), (one, other), 1, 2)
    changed = one.model_copy(update={"weights": {**one.weights, "points": 9.0}})
    names = one.model_copy(update={"name": "a-b"}), other.model_copy(update={"name": "c"})
    turned = one.model_copy(update={"name": "a"}), other.model_copy(update={"name": "b-c"})
    keys = {
        Meeting(meeting.rules, pair, 1, 2).key
        for pair in ((one, other), (changed, other), names, turned)
    }
    assert len(keys) == 4


def test_threads_change_nothing():
    ladder = studies.Ladder(load_ruleset("svensk"), players("greedy", "careful"), 400)
    one, two = (studies.play_ladder(ladder, threads=n)[0, 1].tally for n in (1, 2))
    assert one.as_json() == two.as_json()


def test_the_seed_follows_from_all_that_is_played():
    rules = load_ruleset("svensk")
    one = studies.Ladder(rules, players("greedy", "careful"), 400)
    assert one.played_seed == int(one.digest, 16)
    assert one.digest != studies.Ladder(rules, players("greedy", "careful"), 402).digest
    assert studies.Ladder(rules, players("greedy", "careful"), 400, seed=7).played_seed == 7
    first = {m.first_deal for m in one.meetings.values()}
    assert first == {3 * 2**32}  # deals that nobody was tuned on


def test_whoever_searches_stops_when_it_is_decided(monkeypatch):
    monkeypatch.setattr(studies, "QUICK", ("random", "greedy"))
    found = read("random", "greedy", "careful", deals=6_000, search_deals=4_000)
    by_pair = {found.played[p].meeting.key[:-9]: found.played[p] for p in found.played}
    assert by_pair["random-greedy"].result is None
    decided = by_pair["greedy-careful"]
    assert decided.result == "lower" and decided.tally.blocks == 500
    shown = found.meetings.set_index(["player", "against"])
    row = shown.loc[("careful", "greedy")]
    assert (row["run"], row["test"]) == ("stopped", "higher")
    assert np.isnan(row["points_se"]) and row["points_low"] > 0
    fixed = gap(decided.meeting, decided.tally).interval(found.confidence)
    assert row["points_high"] - row["points_low"] > fixed[1] - fixed[0]
    assert "confidence sequences" in ladder_text(found, alike(found), None)


def cycle():
    """Three players in a ring, made up: each beats the next by a point."""
    ladder = studies.Ladder(load_ruleset("svensk"), players("random", "greedy", "careful"), 2_000)
    meeting, tally = meet(("greedy", "greedy"), 1_000)
    played = {}
    for pair, sign in (((0, 1), 1), ((1, 2), 1), ((0, 2), -1)):
        sums = dict(tally.sums) | {"gap": 2 * sign * tally.blocks}
        squares = dict(tally.squares) | {"gap": 40 * tally.blocks}
        ring = MeetingTally(tally.blocks, sums, squares, tally.results, tally.ledgers)
        played[pair] = studies.Played(ladder.meetings[pair], (ring,), None)
    return Reading(ladder, played)


def test_a_ring_is_no_ladder():
    found = cycle()
    assert len(found.upsets) >= 1
    assert "Not in line" in ladder_text(found, alike(found), None)


def alike(reading, deals=2):
    ladder = reading.ladder
    plan = Plan(ladder.rules, (ladder.players[0],), 1, deals)
    return agreement(ladder.rules, ladder.players, reading.strongest, plan)


def test_a_twin_agrees_always_and_random_seldom():
    rules = load_ruleset("svensk")
    twin = load_player("careful").model_copy(update={"name": "twin"})
    crowd = (*players("careful", "random"), twin)
    found = agreement(rules, crowd, 0, Plan(rules, (twin,), 5, 12)).set_index("player")["value"]
    assert found["careful"] == found["twin"] == 1
    assert found["random"] < 0.5


# ---------------------------------------------------------------- what is written


@pytest.mark.parametrize(
    "changes", [(), ("deal.players=3",), ("match.goal=deals", "match.deals=2")]
)
def test_text_fits_a_terminal(changes, four):
    found = read("random", "greedy", deals=200, changes=changes) if changes else four
    text = ladder_text(found, alike(found), dict.fromkeys(found.names, 12.3))
    assert max(map(len, text.splitlines())) <= 80
    assert "nan" not in text and "inf" not in text
    json.dumps(summary_of(found), allow_nan=False)


def test_many_long_names_fit_too():
    names = [f"a-player-of-a-long-name-{i}" for i in range(7)]
    crowd = tuple(load_player("greedy").model_copy(update={"name": name}) for name in names)
    ladder = studies.Ladder(load_ruleset("svensk"), crowd, 40)
    found = Reading(ladder, studies.play_ladder(ladder))
    text = ladder_text(found, alike(found), dict.fromkeys(names, 1e-4))
    assert max(map(len, text.splitlines())) <= 80
    assert "Not told apart" in text


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Few common positions, and costs measured in a moment."""
    monkeypatch.setattr("kasino_sim.cli.ladder.POSITION_DEALS", 2)
    monkeypatch.setattr("kasino_sim.studies.cost.LEAST_SECONDS", 0.01)


def run(*args):
    return CliRunner().invoke(main, ["ladder", *map(str, args)])


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "timing" not in path.parts
    }


def test_a_resumed_ladder_leaves_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    args = ["--players", "random,greedy,beginner", "--deals", 400, "--out", "run", "--quiet"]
    done = run(*args)
    assert done.exit_code == 0, done.stderr
    before = files(tmp_path / "run")
    assert (tmp_path / "reports/attempts.csv").read_text().count("ladder svensk") == 1
    (tmp_path / "run/summary.json").unlink()
    (folder,) = (tmp_path / "run/meetings").glob("random-beginner-*")
    chunks = sorted(folder.iterdir())
    for path in chunks[3:]:
        path.unlink()
    assert run(*args).exit_code == 2
    assert run(*args, "--resume").exit_code == 0
    assert files(tmp_path / "run") == before
    changed = run(*args[:2], "--deals", 600, *args[4:], "--resume")
    assert changed.exit_code == 2 and "another ladder (deals differ)" in changed.stderr
    chunks[0].write_text("{}")
    assert "is damaged" in run(*args, "--resume").stderr


def test_formats_and_picture(tmp_path):
    args = ["--players", "random,greedy", "--deals", 200, "--quiet"]
    found = json.loads(run(*args, "--format", "json").stdout)
    assert found["order"] == ["random", "greedy"]
    assert set(found["milliseconds_per_move"]) == {"random", "greedy"}
    csv = run(*args, "--format", "csv", "--plot", tmp_path / "ladder.png")
    assert csv.stdout.startswith("player,against,blocks") and csv.stdout.count("\n") == 3
    assert (tmp_path / "ladder.png").stat().st_size > 5_000


def test_an_exploiter_meets_its_victim_alone(tmp_path):
    path = tmp_path / "hunter.toml"
    path.write_text(
        'idea = "Takes cards."\nsource = "a test"\nkind = "weigh"\n'
        "[weights]\npoints = 1.0\ncards = 1.0\nspades = 1.0\n"
    )
    args = ["--players", "random,greedy", "--deals", 600, "--quiet"]
    done = run(*args, "--exploiter", f"random={path}", "--format", "json")
    found = json.loads(done.stdout)
    assert {m["player"] for m in found["meetings"] if m["against"] == "hunter"} == {"random"}
    assert found["order"] == ["random", "greedy"]
    taken = {m["player"]: m["points"] for m in found["meetings"] if m["against"] == "random"}
    given = {p["player"]: p for p in found["players"]}
    assert given["random"]["gives_to"] == max(taken, key=taken.get)
    assert given["random"]["gives"] == max(taken["hunter"], taken["greedy"])
    assert given["greedy"]["gives_to"] == "random"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--players", "greedy"], "needs two players or more"),
        (["--players", "greedy,greedy"], "greedy is named twice"),
        (["--players", "greedy,carful"], "did you mean 'careful'"),
        (["--resume"], "needs --out DIR"),
        (["--plot", "a.gif"], "end the file's name"),
        (["--exploiter", "greedy"], "write PLAYER=FILE.toml"),
        (["--players", "random,greedy", "--exploiter", "careful=random"], "is not on the ladder"),
        (["--players", "random,greedy", "--exploiter", "greedy=random"], "of this name meets"),
        (["--out", ""], "needs the name of a folder"),
    ],
)
def test_errors_are_one_line(args, words):
    done = run(*args)
    assert done.exit_code == 2 and words in done.stderr and not done.stdout
    assert done.stderr.startswith("error: ")


def test_search_needs_enough_deals(monkeypatch):
    monkeypatch.setattr(studies, "QUICK", ("random",))
    with pytest.raises(KasinoError, match="needs 1000 or more"):
        studies.Ladder(load_ruleset("svensk"), players("random", "greedy"), search_deals=999)
