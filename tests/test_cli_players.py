import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from kasino_sim.catalog import load_ruleset
from kasino_sim.cli import main
from kasino_sim.engine.layout import FEATURES
from kasino_sim.feature_words import FEATURE_WORDS
from kasino_sim.players import for_rules, load_player, player_names


def run(*args):
    return CliRunner().invoke(main, list(args))


def test_every_feature_has_words():
    assert tuple(FEATURE_WORDS) == FEATURES
    assert all(words.strip() for words in FEATURE_WORDS.values())


def test_the_list_tells_the_idea_of_each_player_whole():
    lines = run("players").stdout.splitlines()
    assert lines[0].split() == ["name", "kind", "idea"]
    assert [line.split()[0] for line in lines[1:] if line[0] != " "] == player_names()
    assert max(map(len, lines)) <= 80
    flat = " ".join(" ".join(lines).split())
    for name in player_names():
        assert " ".join(load_player(name).idea.split()).partition(". ")[0] in flat


def test_the_list_as_json():
    known = json.loads(run("players", "--format", "json").stdout)
    assert [player["name"] for player in known] == player_names()
    assert all(player["idea"] and player["source"] for player in known)


@pytest.mark.parametrize("name", player_names())
def test_a_player_is_shown_whole(name):
    told = run("players", "show", name).stdout
    assert max(map(len, told.splitlines())) <= 80
    player, flat = load_player(name), " ".join(told.split())
    player = for_rules(player, load_ruleset("svensk"))
    assert " ".join(player.source.split()) in flat
    for feature, weight in player.weights.items():
        if weight:
            assert f" {feature} {weight:g} {FEATURE_WORDS[feature]}" in f" {flat}"
    shown = json.loads(run("players", "show", name, "--format", "json").stdout)
    assert {f: w["weight"] for f, w in shown["weights"].items()} == player.weights


def test_unknown_players_and_bad_files(tmp_path):
    result = run("players", "show", "gredy")
    assert result.exit_code == 2 and "did you mean 'greedy'" in result.stderr
    path = tmp_path / "mine.toml"
    path.write_text('idea = "x"\nsource = "y"\nkind = "weigh"\n[weights]\npoints = 1\n')
    assert "name:          mine" in run("players", "show", str(path)).stdout


def test_help_is_light():
    code = (
        "import sys\nfrom kasino_sim.cli import main\n"
        "try:\n    main(['players', '--help'])\nexcept SystemExit:\n    pass\n"
        "try:\n    main(['show', '--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numpy', 'numba', 'pydantic') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "[]"
