import io
import json
import subprocess
import sys
import time
from importlib.metadata import version

import click
import pytest
from click.testing import CliRunner

from kasino_sim.catalog import load_ruleset, ruleset_names
from kasino_sim.cli import COMMANDS, main
from kasino_sim.cli.options import format_option, read_jsonl, rules_options
from kasino_sim.errors import KasinoError
from kasino_sim.rules import KEYS, ruleset_json_schema

HEAVY = ("numpy", "numba", "pandas", "matplotlib", "scipy", "pyarrow", "pydantic")


def run(*args, **kwargs):
    return CliRunner().invoke(main, list(args), **kwargs)


def ok(*args):
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def bad(*args):
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    return result.stderr.splitlines()


def kasino(*args, **kwargs):
    command = [sys.executable, "-m", "kasino_sim", *args]
    return subprocess.run(command, capture_output=True, text=True, **kwargs)


# ---------------------------------------------------------------- the group


def test_help_lists_every_command_quickly_and_lightly():
    code = (
        "import sys\n"
        "from kasino_sim.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    started = time.perf_counter()
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert time.perf_counter() - started < 3  # 0.05 s; room for a busy machine
    assert result.stdout.splitlines()[-1] == "[]"
    for name, (_, line) in COMMANDS.items():
        assert f"  {name}" in result.stdout
        assert line in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_python_m():
    result = kasino("--help")
    assert result.returncode == 0
    assert result.stdout.startswith("Usage: kasino ")
    assert result.stdout == ok("--help")


def test_version():
    assert ok("--version") == f"kasino, version {version('kasino-sim')}\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["ruleset"], "did you mean 'rulesets'?"),
        (["mvoes"], "did you mean 'moves'?"),
        (["qqq"], "No such command 'qqq'"),
        (["--nope"], "No such option"),
        (["rulesets", "shw"], "show"),
        (["rulesets", "show"], "Missing argument"),
        (["rulesets", "--format", "xml"], "'xml' is not one of"),
    ],
)
def test_usage(args, said):
    (line,) = bad(*args)
    assert line.startswith("error: ") and "--help)" in line
    assert said in line


def test_error_lines_and_no_traceback():
    result = kasino("rulesets", "show", "svensk", "--set", "match.target=0", "--set", "x=1")
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 2
    assert all(line.startswith("error: --set") for line in result.stderr.splitlines())


def test_closed_pipe():
    command = f"{sys.executable} -m kasino_sim rulesets schema"
    pipe = subprocess.run(
        ["bash", "-c", f"{command} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True
    )
    assert pipe.stdout.strip() in ("0", "141")
    assert pipe.stderr == ""


@pytest.fixture
def raising(monkeypatch):
    def install(error):
        @click.command()
        def moves():
            raise error

        monkeypatch.setattr("kasino_sim.cli.rulesets.rulesets", moves)

    return install


def test_interrupt(raising):
    raising(KeyboardInterrupt())
    result = run("rulesets")
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")


def test_error_in_a_command(raising):
    raising(KasinoError(["one", "two"]))
    result = run("rulesets")
    assert (result.exit_code, result.stderr) == (2, "error: one\nerror: two\n")


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}])
def test_no_color(monkeypatch, variable):
    @click.command()
    def rulesets():
        click.secho("red", fg="red")

    monkeypatch.setattr("kasino_sim.cli.rulesets.rulesets", rulesets)
    environment = {"NO_COLOR": None, "TERM": "xterm", **variable}
    result = run("rulesets", color=True, env=environment)
    assert (result.stdout == "red\n") is bool(variable)


# ---------------------------------------------------------------- rulesets


def test_list():
    lines = ok("rulesets").splitlines()
    assert lines[0].split() == ["name", "title", "region", "players", "builds", "target"]
    assert [line.split()[0] for line in lines[1:]] == ruleset_names()
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)
    (smyg,) = [line for line in lines if line.startswith("smygkasino")]
    assert smyg.split() == ["smygkasino", "Smygkasino", "Norway", "2", "yes", "4", "deals"]


def test_list_json():
    rows = json.loads(ok("rulesets", "--format", "json"))
    assert [row["name"] for row in rows] == ruleset_names()
    (dansk,) = [row for row in rows if row["name"] == "dansk"]
    assert (dansk["players"], dansk["builds"], dansk["target"]) == (2, False, "16")
    assert "match.target" in dansk["assumed"]


@pytest.mark.parametrize("name", ruleset_names())
def test_show_json(name):
    assert json.loads(ok("rulesets", "show", name, "--format", "json")) == (
        load_ruleset(name).resolved()
    )


def test_show_json_with_changes():
    text = ok("rulesets", "show", "dansk", "--set", "score.last=1", "--format", "json")
    shown = json.loads(text)
    assert shown == load_ruleset("dansk", ["score.last=1"]).resolved()


@pytest.mark.parametrize("name", ruleset_names())
def test_show_table(name):
    lines = ok("rulesets", "show", name).splitlines()
    assert max(map(len, lines)) <= 80
    rules, usual = load_ruleset(name), load_ruleset("svensk").flat()
    rows = {line.split()[0]: line for line in lines if line.split() and line.split()[0] in KEYS}
    assert list(rows) == list(KEYS)
    for key, value in rules.flat().items():
        assert rows[key].endswith("assumed") is (key in rules.assumed)
        cells = rows[key].removesuffix("assumed").split("  ")
        expected = [key, json.dumps(value)]
        expected += [json.dumps(usual[key])] if value != usual[key] else []
        assert [cell.strip() for cell in cells if cell.strip()] == expected


def test_show_toml(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(ok("rulesets", "show", "casino", "--format", "toml"), encoding="utf-8")
    text = ok("rulesets", "show", str(path), "--format", "json")
    assert json.loads(text) == load_ruleset("casino").resolved()


def test_diff():
    lines = ok("rulesets", "diff", "svensk", "dragkasino").splitlines()
    assert [line.split() for line in lines] == [
        ["key", "svensk", "dragkasino"],
        ["deal.draw", '"batch"', '"single"'],
    ]
    assert ok("rulesets", "diff", "svensk", "svensk") == "no difference\n"
    text = ok("rulesets", "diff", "svensk", "dragkasino", "--format", "json")
    assert json.loads(text) == [{"key": "deal.draw", "a": "batch", "b": "single"}]
    assert json.loads(ok("rulesets", "diff", "norsk", "norsk", "--format", "json")) == []


def test_schema():
    assert json.loads(ok("rulesets", "schema")) == ruleset_json_schema()


def test_bad_rule_file(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("[match]\ntarget = 0\n[deal]\nplayers = 5\n[sweep]\npionts = 1\n")
    lines = bad("rulesets", "show", str(path))
    assert len(lines) == 3
    assert all(line.startswith(f"error: {path}: ") for line in lines)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["show", "svenks"], "did you mean 'svensk'?"),
        (["show", "none.toml"], "there is no such file"),
        (["diff", "svensk", "nrsk"], "did you mean 'norsk'?"),
        (["show", "svensk", "--set", "deal.hand=5"], "does not come out even"),
    ],
)
def test_bad_input(args, said):
    (line,) = bad("rulesets", *args)
    assert line.startswith("error: ")
    assert said in line


# ---------------------------------------------------------------- shared options


@click.command()
@rules_options
@format_option(("table", "json"))
@click.argument("path", default="-")
def probe(path, ruleset, output_format):
    click.echo(f"{path} {ruleset.name} {output_format}")


def test_rules_options():
    result = CliRunner().invoke(probe, [])
    assert result.output == "- svensk table\n"
    args = ["x", "--rules", "norsk", "--set", "sweep.points=2", "--set", "match.deals=2"]
    result = CliRunner().invoke(probe, [*args, "--format", "json"])
    assert result.output == "x norsk+sweep.points=2+match.deals=2 json\n"
    assert "NAME|FILE.toml" in CliRunner().invoke(probe, ["--help"]).output


def test_read_jsonl(tmp_path, monkeypatch):
    content = '{"a": 1}\n\n  \n{"b": 2}'
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    assert list(read_jsonl(str(path))) == [(1, {"a": 1}), (4, {"b": 2})]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    assert list(read_jsonl("-")) == [(1, {"a": 1}), (4, {"b": 2})]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"a": 1, "b', "is the line cut off?"),
        (b'{"a": [1, 2', "is the line cut off?"),
        (b'{"a": }', "not valid JSON"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b"[1]", "expected one JSON object"),
        (b"{} {}", "not valid JSON"),
        (b'"\xff"', "not UTF-8"),
    ],
)
def test_bad_jsonl(tmp_path, line, said):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"{}\n" + line)
    with pytest.raises(KasinoError) as caught:
        list(read_jsonl(str(path)))
    assert caught.value.lines[0].startswith(f"{path}, line 2: ")
    assert said in caught.value.lines[0]


def test_missing_jsonl(tmp_path):
    with pytest.raises(KasinoError, match="there is no such file"):
        list(read_jsonl(str(tmp_path / "none.jsonl")))
    with pytest.raises(KasinoError, match="cannot be read"):
        list(read_jsonl(str(tmp_path)))
