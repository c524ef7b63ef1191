import json

from click.testing import CliRunner

from kasino_sim.cli import main


def run(*args, **kwargs):
    return CliRunner().invoke(main, list(args), **kwargs)


def test_the_record_is_what_replay_reads():
    shown = run("show", "--rules", "norsk", "--seed", str(2**64 - 1), "--format", "json")
    assert shown.exit_code == 0, shown.stderr
    record = json.loads(shown.stdout)
    assert record["rules"] == "norsk" and record["seed"] == str(2**64 - 1)
    assert len(record["moves"]) == 48 and len(set(record["deck"])) == 52
    again = run("replay", "-", input=shown.stdout)
    assert again.exit_code == 0, again.stderr
    assert sum(map(len, json.loads(again.stdout)["captured"])) == 52


def test_text_by_default():
    told = run("show").stdout
    assert told == run(*"show --players careful,greedy --seed 1 --deal 0 --game 0".split()).stdout
    assert "careful plays first, greedy deals." in told
    assert "greedy plays first, careful deals." in run("show", "--game", "1").stdout


def test_rules_may_be_changed():
    told = run("show", "--set", "deal.players=3", "--players", "random").stdout
    assert "In order of play: random-0, random-1, random-2, who deals." in told
    record = json.loads(run("show", "--set", "sweep.points=2", "--format", "json").stdout)
    assert record["rules"] == {"preset": "svensk", "sweep": {"points": 2}}


def test_what_cannot_be_shown():
    for args, said in (
        (["--players", "carefull"], "did you mean 'careful'"),
        (["--players", "greedy,random,careful"], "3 given, but 2 play"),
        (["--game", "2"], "choose 0 to 1"),
        (["--players", "greedy", "--game", "1"], "under 1 seating of these players; choose 0"),
        (["--deal", "-1"], "'--deal'"),
    ):
        result = run("show", *args)
        assert result.exit_code == 2 and result.stdout == "", args
        assert said in result.stderr
