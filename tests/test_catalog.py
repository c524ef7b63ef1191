import json
import shutil
from pathlib import Path

import pytest

from kasino_sim import catalog
from kasino_sim.catalog import (
    data_dir,
    load_ruleset,
    read_toml,
    ruleset_from_object,
    ruleset_names,
    ruleset_to_object,
    ruleset_toml,
    toml_files,
)
from kasino_sim.errors import KasinoError
from kasino_sim.rules import KEYS, diff

DATA = Path(__file__).parent / "data"
PRESETS = json.loads((DATA / "presets.json").read_text(encoding="utf-8"))


def lines_of(call, *args, **kwargs):
    with pytest.raises(KasinoError) as caught:
        call(*args, **kwargs)
    return caught.value.lines


@pytest.fixture
def rule_file(tmp_path):
    def write(text, name="house.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_names():
    assert ruleset_names() == sorted(PRESETS)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_preset(name):
    rules = load_ruleset(name)
    assert rules.resolved() == PRESETS[name]
    assert rules.name == name
    assert rules.title and rules.region and rules.source
    assert set(rules.assumed) <= set(KEYS)
    assert len(set(rules.assumed)) == len(rules.assumed)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_preset_file(name):
    """A file says every key if it is the root, else only what differs, in the rules' order."""
    content = read_toml(toml_files("rulesets")[name])
    given = [f"{s}.{key}" for s in content if isinstance(content[s], dict) for key in content[s]]
    assert given == [key for key in KEYS if key in given]
    rules = load_ruleset(name)
    if rules.preset:
        assert given == [key for key, _, _ in diff(load_ruleset(rules.preset), rules)]
    else:
        assert (name, given) == ("svensk", list(KEYS))


def test_presets_may_stand_on_one_another():
    assert load_ruleset("smygkasino").preset == "norsk"
    assert load_ruleset("norsk").preset == "svensk"
    assert load_ruleset("svensk").preset == ""


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_objects_there_and_back(name):
    rules = load_ruleset(name)
    assert ruleset_from_object(name) == rules
    assert ruleset_to_object(rules) == name
    assert ruleset_from_object(PRESETS[name]).resolved() == PRESETS[name]
    changed = rules.with_overrides(["deal.players=3", "values.little=2d"])
    written = ruleset_to_object(changed)
    assert written == {"preset": name, "deal": {"players": 3}, "values": {"little": "2d"}}
    assert ruleset_from_object(written) == changed


@pytest.mark.parametrize("name", ["positions", "games", "matches", "prefixes"])
def test_rules_of_records(name):
    with (DATA / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in list(lines)[:50]:
            given = json.loads(line)["rules"]
            given = {"preset": given} if isinstance(given, str) else given
            expected = json.loads(json.dumps(PRESETS[given.pop("preset", "svensk")]))
            for section, entries in given.items():
                expected[section].update(entries)
            assert ruleset_from_object(json.loads(line)["rules"]).resolved() == expected


def test_bad_object():
    rules = {
        "preset": "norks",
        "swep": {"points": 1},
        "deal": 3,
        "match": {"target": "16"},
    }
    lines = lines_of(ruleset_from_object, rules, where="games.jsonl, line 3")
    assert len(lines) == 4
    assert all(line.startswith("games.jsonl, line 3: ") for line in lines)
    assert "did you mean 'norsk'?" in lines[0]
    assert "did you mean 'sweep'?" in lines[1]
    assert "deal = 3 is not a section" in lines[2]
    assert 'match.target = "16" is not allowed' in lines[3]


@pytest.mark.parametrize("rules", [3, None, ["svensk"], "house.toml", "../x", {"preset": ["a"]}])
def test_no_rules_object(rules):
    (line,) = lines_of(ruleset_from_object, rules)
    assert line.startswith("rules: ")


def test_rule_file(rule_file):
    path = rule_file('preset = "norsk"\ntitle = "Ours"\n[sweep]\npoints = 2\n')
    rules = load_ruleset(path)
    assert (rules.name, rules.title, rules.preset) == ("house", "Ours", "norsk")
    assert diff(load_ruleset("norsk"), rules) == [("sweep.points", 1, 2)]
    changed = load_ruleset(str(path), ["match.deals=3"])
    assert changed.name == "house+match.deals=3"
    assert changed.title == "Ours with match.deals=3"


def test_rule_file_over_svensk_by_default(rule_file):
    assert load_ruleset(rule_file("")).resolved() == PRESETS["svensk"]


def test_rule_file_on_rule_file(rule_file):
    rule_file("[match]\ntarget = 11\n", "base.toml")
    rules = load_ruleset(rule_file('preset = "base.toml"\n[sweep]\npoints = 2\n'))
    assert (rules.match.target, rules.sweep.points, rules.preset) == (11, 2, "base")


def test_assumed_is_inherited_unless_settled(rule_file):
    rules = load_ruleset(rule_file('[build]\nduty = "resolve"\n'))
    assert rules.assumed == ("build.keep_taker", "match.tie_break")
    assert load_ruleset(rule_file("assumed = []\n")).assumed == ()


def test_three_mistakes_three_lines(rule_file):
    path = rule_file('[match]\ntarget = 0\n[deal]\nplayers = 5\n[values]\nbig = "Tx"\n')
    lines = lines_of(load_ruleset, path)
    assert len(lines) == 3
    for said in ("match.target = 0", "deal.players = 5", 'values.big = "Tx"'):
        assert sum(line.startswith(f"{path}: {said} is not allowed") for line in lines) == 1


def test_every_kind_of_mistake_at_once(rule_file):
    path = rule_file(
        'preset = "norks"\ntitel = "x"\nregion = 3\nassumed = ["build.dutty"]\npoints = 2\n'
        "[sweep]\npionts = 2\n[build]\npartner = true\n"
    )
    lines = lines_of(load_ruleset, path, ["match.target=0"])
    said = [
        "did you mean 'norsk'?",
        "did you mean 'title'?",
        "region = 3 is not allowed (allowed: text)",
        "did you mean 'build.duty'?",
        "did you mean 'sweep.points'?",
        "sweep.pionts is not known",
        "build.partner = true needs",
        "--set: match.target = 0 is not allowed",
    ]
    assert len(lines) == len(said)
    for text in said:
        assert sum(text in line for line in lines) == 1


def test_a_mistake_is_told_of_the_file_it_is_in(rule_file):
    base = rule_file("[match]\ntarget = 0\n", "base.toml")
    path = rule_file('preset = "base.toml"\n[deal]\nplayers = 9\n')
    lines = lines_of(load_ruleset, path)
    assert any(line.startswith(f"{base}: match.target") for line in lines)
    assert any(line.startswith(f"{path}: deal.players") for line in lines)


@pytest.mark.parametrize("text", ["assumed = [[1], 2]", "assumed = 3", "assumed = 'x'"])
def test_assumed_of_a_wrong_kind(rule_file, text):
    (line,) = lines_of(load_ruleset, rule_file(text))
    assert "assumed = " in line
    assert "(allowed: a list of texts)" in line


@pytest.mark.parametrize("text", ["preset = 3", "preset = ['svensk']", "preset = ''"])
def test_preset_of_a_wrong_kind(rule_file, text):
    (line,) = lines_of(load_ruleset, rule_file(text))
    assert "is not a rule set" in line


def test_loop(rule_file):
    one = rule_file('preset = "two.toml"', "one.toml")
    rule_file('preset = "one.toml"', "two.toml")
    (line,) = lines_of(load_ruleset, one)
    assert "leads round in a loop" in line
    (line,) = lines_of(load_ruleset, rule_file('preset = "self.toml"', "self.toml"))
    assert "leads round in a loop" in line


def test_unknown_name():
    (line,) = lines_of(load_ruleset, "svenks")
    assert "did you mean 'svensk'?" in line
    assert "smygkasino" in line


def test_missing_file(tmp_path):
    (line,) = lines_of(load_ruleset, tmp_path / "none.toml")
    assert line == f"{tmp_path / 'none.toml'}: there is no such file"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[match]\ntarget = [1,", "line 2"),
        ("[match]\ntarget = = 3\n", "line 2"),
        ("[match\n", "line 1"),
        ('title = "cut', "line 1"),
        ("[match]\ntarget = 1\ntarget = 2\n", "line 3"),
        ("", ""),
    ],
)
def test_toml_syntax(rule_file, text, place):
    path = rule_file(text)
    if place:
        (line,) = lines_of(read_toml, path)
        assert line.startswith(f"{path}: not valid TOML")
        assert place in line
    else:
        assert read_toml(path) == {}


def test_unreadable(tmp_path):
    (line,) = lines_of(read_toml, tmp_path)
    assert "cannot be read" in line
    path = tmp_path / "latin.toml"
    path.write_bytes(b'title = "Sm\xf6r"')
    (line,) = lines_of(read_toml, path)
    assert "not UTF-8" in line


def test_toml_files(tmp_path):
    for name in ("b.toml", "a.toml", "a-c.toml", "x.json"):
        (tmp_path / name).touch()
    assert list(toml_files(tmp_path)) == ["a", "a-c", "b"]
    assert toml_files("no-such-folder") == {}


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_written_out_and_read_again(name, rule_file):
    rules = load_ruleset(name)
    again = load_ruleset(rule_file(ruleset_toml(rules)))
    assert again.resolved() == rules.resolved()
    assert again.metadata() == rules.metadata()


def test_data_inside_the_package_comes_first(tmp_path, monkeypatch):
    package = tmp_path / "kasino_sim"
    shutil.copytree(data_dir() / "rulesets", package / "data" / "rulesets")
    monkeypatch.setattr(catalog.resources, "files", lambda name: package)
    assert data_dir() == package / "data"
    assert load_ruleset("svensk").resolved() == PRESETS["svensk"]


def test_no_data(tmp_path, monkeypatch):
    monkeypatch.setattr(catalog.resources, "files", lambda name: tmp_path / "kasino_sim")
    assert "the data folder is missing" in lines_of(data_dir)[0]
