"""Measuring speed: every case is there and runs, and the yardstick's lines are read right."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kasino_sim.cli import main
from kasino_sim.cli.bench_table import bench_markdown, bench_table, short
from kasino_sim.engine.jit import JIT_OFF
from kasino_sim.errors import KasinoError
from kasino_sim.plan import players_by_name
from kasino_sim.simulate import simulate
from kasino_sim.studies import speed, stopwatch
from kasino_sim.studies.speed import CASES, Case, Racer, Settings, measure, measure_case

pytestmark = pytest.mark.skipif(JIT_OFF, reason="nothing is compiled")

SCRIPT = Path(__file__).parent.parent / "scripts" / "bench.py"
TINY = Settings(repeats=2, seconds=0.01, chunk_games=10, runs=(500,), threads=2)
PRINTED = """\
automaton: NX 13.0 MB, built in 0.237 s
shuffle only, plain FY             per CPU-s: best   20649.7 k median   20640.5 k (48 ns) | wall
random v random, automaton x1      per CPU-s: best    2567.0 k median    2566.0 k (390 ns) | wall
random v random, automaton x8      per CPU-s: best    2533.1 k median    2530.5 k (395 ns) | wall \
best    1949.3 k median    1949.3 k | pts 5.7026/5.9859
greedy v greedy, automaton x8      per CPU-s: best     810.0 k median     805.0 k (1235 ns) | wall
greedy(0) v random(1), automaton x8 per CPU-s: best    910.0 k median     905.0 k (1235 ns) | wall
greedy v greedy, automaton x8, 2 thr best 578.973 k/s  median 578.0 k/s  (2 threads; per CPU-s b)
"""


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("bench_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*args):
    return CliRunner().invoke(main, ["bench", "--quick", "--quiet", *args])


# ---------------------------------------------------------------- cases


def test_the_fixed_list():
    names = {case.name for case in CASES}
    assert len(names) == len(CASES) == 28
    tables = ["svensk-utan-bygg", "svensk", "dansk", "norsk", "smygkasino", "norsk-casino"]
    tables += ["svensk, 3 seats", "svensk, 4 seats", "svensk, in pairs"]
    for table in tables:
        for player in ("random", "greedy", "careful"):
            assert f"{table}: {player} v {player}" in names
    assert "svensk: careful v greedy" in names


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_is_what_it_says(case):
    plan = case.plan()
    assert plan.rules.n_players == case.seats and plan.rules.deal.teams == case.teams
    assert plan.rotate and plan.games == (1 if len(case.players) == 1 else 2)
    assert not plan.detail
    assert players_by_name(case.players)[0] == plan.seats[0]


def test_a_case_runs_and_plays_new_deals_in_every_sample():
    case = Case("svensk", ("careful", "greedy"))
    racer = Racer(case, 2, 20)
    samples = [racer.play(3), racer.play(1)]
    assert [s.deals for s in samples] == [120, 40]
    assert all(s.wall > 0 and s.cpu > 0 for s in samples)
    plan = case.plan()
    whole = simulate(type(plan)(plan.rules, plan.players, plan.seed, deals=200))
    assert racer.total.frame().equals(whole.frame())


def test_the_strength_is_told_where_players_differ():
    strength = measure_case(Case("svensk", ("careful", "greedy")), TINY)["strength"]
    assert strength["se"] > 0 and strength["deals"] > 0
    assert measure_case(Case("svensk", ("greedy",)), TINY)["strength"] is None


# ---------------------------------------------------------------- everything


@pytest.fixture(scope="module")
def found():
    """Everything, tiny, with processes that are not started but for one run."""

    def timing(command, environment=None):
        if "--deals" in command and "--out" in command:
            return stopwatch.time_command(command, environment)
        return stopwatch.Timing(0.5, None if "--help" in command else 0.4, 2**20, "")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speed, "time_command", timing)
        told = []
        result = measure(TINY, CASES[-2:], tell=told.append)
    assert told[0] == CASES[-2].name and len(told) == 4
    return json.loads(json.dumps(result | {"command": "kasino bench --large"}))


def test_the_json_has_its_schema(found):
    assert found["schema_version"] == 1
    assert {"processor", "cores", "cores_usable", "load", "python", "numpy", "numba"} <= set(
        found["machine"]
    )
    assert found["settings"]["repeats"] == 2 and found["settings"]["threads"] == 2
    assert [case["name"] for case in found["cases"]] == [case.name for case in CASES[-2:]]
    for case in found["cases"]:
        for part, threads in (("one_thread", 1), ("all_threads", 2)):
            assert case[part]["threads"] == threads and case[part]["core_share"] > 0
            for key in ("deals_per_second", "deals_per_cpu_second"):
                low, median, high = (case[part][key][k] for k in ("min", "median", "max"))
                assert 0 < low <= median <= high
        assert case["gain"]["median"] > 0
    assert [at["name"] for at in found["starts"]][0] == "kasino warmup, nothing compiled"
    assert set(speed.STARTS) < {at["name"] for at in found["starts"]}
    (ran,) = found["runs"]
    assert ran["deals"] == 500 and ran["bytes_kept_per_deal"] > 0 and ran["strength"]["se"] > 0
    assert ran["peak_bytes"] is None or ran["peak_bytes"] > 2**25


def test_it_reads_well_as_text_and_as_a_page(found):
    text, page = bench_table(found), bench_markdown(found)
    for written in (text, page):
        assert found["machine"]["processor"] in written
        assert "careful minus greedy in svensk: +" in written
        assert "kasino simulate --deals 1000" in written
    assert max(map(len, text.splitlines())) <= 100
    assert page.startswith("# How fast\n")
    assert "\nkasino bench --large --format markdown > docs/SPEED.md\n" in page
    assert "| svensk, in pairs | careful v careful |" in page
    grids = [line for line in page.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in grids} == {4, 6}


def test_three_digits():
    values = (1234.5, 123.45, 12.345, 1.2345, 0.12345, 0.012345)
    assert [short(v) for v in values] == ["1,234", "123", "12.3", "1.23", "0.12", "0.012"]


def test_the_command():
    done = run("--only", "careful v greedy", "--seconds-per-case", "0.02", "--format", "json")
    assert done.exit_code == 0 and done.stderr == ""
    result = json.loads(done.stdout)
    assert [case["name"] for case in result["cases"]] == ["svensk: careful v greedy"]
    again = "kasino bench --seconds-per-case=0.02 --quick '--only=careful v greedy'"
    assert result["command"] == again
    assert "starts" not in result and result["settings"]["repeats"] == 2


def test_a_case_that_does_not_exist():
    done = run("--only", "poker")
    assert done.exit_code == 2 and "svensk: greedy v greedy" in done.stderr


# ---------------------------------------------------------------- the stopwatch


def test_the_stopwatch_weighs_the_command_alone():
    ballast = bytearray(200 * 2**20)
    ballast[:: 2**12] = b"x" * len(ballast[:: 2**12])
    small = stopwatch.time_command([sys.executable, "-c", "print('å')"])
    large = stopwatch.time_command([sys.executable, "-c", "bytes(b'x' * 80 * 2**20)"])
    assert small.output.strip() == "å" and 0 < small.wall < 30
    if small.peak is not None:
        assert small.peak < 60 * 2**20 < large.peak


def test_a_command_that_fails():
    with pytest.raises(KasinoError, match="failed: no luck"):
        stopwatch.time_command([sys.executable, "-c", "import sys; sys.exit('no luck')"])


# ---------------------------------------------------------------- the yardstick


def test_the_lines_of_a_yardstick_are_read(script):
    assert script.read_rates(PRINTED, "limit") == {"random": 2_530_500, "greedy": 805_000}


@pytest.mark.parametrize("text", ["", "hello\n", PRINTED.replace("greedy v greedy", "nobody")])
def test_a_yardstick_that_prints_nothing_of_use(script, text):
    with pytest.raises(KasinoError) as error:
        script.read_rates(text, "limit")
    assert error.value.lines[-1].startswith("--yardstick limit: printed no line such as 'greedy v")


def test_ours_beside_theirs(tmp_path):
    program = tmp_path / "fake.py"
    program.write_text(f"print({PRINTED!r})")
    command = [sys.executable, str(SCRIPT), "--yardstick", sys.executable, "--repeats", "2"]
    command += ["--arguments", f"'{program}'", "--seconds", "0.05", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for case in json.loads(done.stdout)["cases"]:
        ratio = case["ours"]["median"] / case["theirs"]["median"]
        assert ratio == pytest.approx(case["ratio"]["median"])
        assert case["theirs"]["median"] in (2_530_500, 805_000)


@pytest.mark.parametrize(
    "arguments, told",
    [
        (("no-such-program", "x"), "cannot be run"),
        ((sys.executable, "-c 'exit(3)'"), "ended with exit code 3"),
        ((sys.executable, "-c pass"), "printed no line"),
    ],
)
def test_a_program_that_will_not_do(script, arguments, told):
    with pytest.raises(KasinoError, match=told):
        script.run_yardstick(*arguments)
