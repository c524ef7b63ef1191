"""The commands that read positions, records and matches, and the odds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kasino_sim.cards import N_CARDS, card_text
from kasino_sim.cli import main
from kasino_sim.cli.sheets import WIDTH

DATA = Path(__file__).parent / "data"
DECK = [card_text(card) for card in range(N_CARDS)]


def run(*args, stdin=None):
    return CliRunner().invoke(main, list(args), input=stdin)


def ok(*args, stdin=None):
    result = run(*args, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def bad(*args, stdin=None):
    """Run a command that fails; nothing is on stdout, and every line of stderr is an error."""
    result = run(*args, stdin=stdin)
    assert result.exit_code == 2
    assert result.stdout == ""
    return [line for line in result.stderr.splitlines() if line.startswith("error: ")]


def jsonl(*objects):
    return "".join(json.dumps(thing) + "\n" for thing in objects)


def head(name, n=5):
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[:n]
    return [json.loads(line) for line in lines]


POSITION = {
    "rules": "svensk",
    "to_move": 0,
    "hands": [["5h", "9s", "4c"], None],
    "table": ["4d", "9h"],
    "builds": [{"cards": ["3d", "6s"], "value": 9, "owner": 1, "locked": False}],
}
GAME = {"rules": "svensk-utan-bygg", "dealer": 1, "deck": DECK, "moves": []}
DEALT = [*DECK[:8], *DECK[12:]]
TRAILS = [DEALT[at + i + seat] for at in range(0, 48, 8) for i in range(4) for seat in (0, 4)]
MATCH = {
    "rules": {"score": {"ties": "carry"}},
    "deals": [
        {"points": {"aces": [3, 1], "sweeps": [4, 0]}, "tied": ["spades"]},
        {"points": {"spades": [2, 0], "sweeps": [5, 2]}, "tied": ["cards"], "most": {"spades": 0}},
        {"points": {"big": [2, 0]}},
    ],
}


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("moves", "positions"),
        ("moves", "fine-positions"),
        ("moves", "prefixes"),
        ("replay", "games"),
        ("match", "matches"),
        ("match", "fine-matches"),
    ],
)
def test_answers(command, name):
    vectors = head(name)
    answers = ok(command, "-", stdin=jsonl(*vectors)).splitlines()
    assert [json.loads(line) for line in answers] == [vector["expect"] for vector in vectors]


@pytest.mark.parametrize(
    ("command", "name"),
    [("moves", "positions"), ("moves", "prefixes"), ("replay", "games"), ("match", "matches")],
)
def test_tables_fit(command, name):
    text = ok(command, "-", "--format", "table", stdin=jsonl(*head(name, 40)))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.count("standard input, line ") == 40


def test_as_a_process(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text("\n" + jsonl(POSITION), encoding="utf-8")
    command = [sys.executable, "-m", "kasino_sim", "moves", str(path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0
    assert result.stdout == (
        '{"moves": ["4c", "4c x 4d", "5h", "5h + 4d 9h = 9", '
        '"5h + 4d 9h [3d 6s] = 9", "5h + 4d = 9", "5h + 4d [3d 6s] = 9", '
        '"9s", "9s x 9h", "9s x 9h [3d 6s]", "9s x [3d 6s]"]}\n'
    )


@pytest.mark.parametrize("command", ["moves", "replay", "match"])
def test_help_is_light(command):
    code = (
        "import sys\nfrom kasino_sim.cli import main\n"
        f"try:\n    main([{command!r}, '--help'])\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('numpy', 'numba', 'pydantic') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "[]"


# ---------------------------------------------------------------- no answer without the others


@pytest.mark.parametrize("command", ["moves", "replay", "match"])
def test_one_bad_line(command):
    good = {"moves": POSITION, "replay": {**GAME, "moves": TRAILS}, "match": MATCH}[command]
    lines = jsonl(good, good) + '{"rules": "svensk", "de' + "\n" + jsonl(good)
    (line,) = bad(command, "-", stdin=lines)
    assert line.startswith("error: standard input, line 3: not valid JSON: ")
    assert line.endswith("is the line cut off?")
    answers = [json.loads(x) for x in ok(command, "-", "--keep-going", stdin=lines).splitlines()]
    assert [list(answer) == ["error"] for answer in answers] == [False, False, True, False]
    assert answers[2]["error"] == line.removeprefix("error: ")
    text = ok(command, "-", "--keep-going", "--format", "table", stdin=lines)
    assert line in text.splitlines()


def test_several_mistakes_on_a_line():
    wrong = jsonl({**POSITION, "to_move": 4, "dealer": 7})
    assert len(bad("moves", "-", stdin=wrong)) == 2
    (answer,) = ok("moves", "-", "--keep-going", stdin=wrong).splitlines()
    assert json.loads(answer)["error"].count("; standard input, line 1: ") == 1


@pytest.mark.parametrize("command", ["moves", "replay", "match"])
def test_files(command, tmp_path):
    missing = str(tmp_path / "none.jsonl")
    for options in ([], ["--keep-going"]):
        assert bad(command, missing, *options) == [f"error: {missing}: there is no such file"]
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n\n")
    assert ok(command, str(empty)) == ""


# ---------------------------------------------------------------- kasino moves


def test_moves_table():
    assert ok("moves", "-", "--format", "table", stdin=jsonl(POSITION)) == (
        "standard input, line 1: svensk\n"
        "  player 0 4c 5h 9s\n"
        "  table    4d 9h\n"
        "           [3d 6s] = 9, player 1's\n"
        "  11 legal moves\n"
        "  trail    4c, 5h, 9s\n"
        "  capture  4c x 4d, 9s x 9h, 9s x 9h [3d 6s], 9s x [3d 6s]\n"
        "  build    5h + 4d 9h = 9, 5h + 4d = 9\n"
        "  add      5h + 4d 9h [3d 6s] = 9, 5h + 4d [3d 6s] = 9\n"
        "\n"
    )


def test_moves_table_of_a_raise_and_a_lock():
    builds = [
        {"cards": ["2d", "3s"], "value": 5, "owner": 0, "locked": False},
        {"cards": ["9c", "9d"], "value": 9, "owner": 0, "locked": True},
    ]
    data = {"rules": "svensk", "to_move": 0, "hands": [["4c", "9s"], None], "builds": builds}
    lines = ok("moves", "-", "--format", "table", stdin=jsonl(data)).splitlines()
    assert lines[2:5] == [
        "  table    no loose cards",
        "           [2d 3s] = 5, player 0's",
        "           [9c 9d] = 9, player 0's, locked",
    ]
    assert "  raise    4c + [2d 3s] = 9" in lines


def test_moves_of_a_game_under_way_and_of_one_that_is_over():
    lines = jsonl(GAME, {**GAME, "moves": TRAILS})
    assert ok("moves", "-", stdin=lines).splitlines() == [
        '{"moves": ["Ac", "Ad", "Ah", "As"]}',
        '{"moves": []}',
    ]
    text = ok("moves", "-", "--format", "table", stdin=lines)
    assert text.endswith("  no moves: the hand is empty\n\n")


def test_too_many_moves():
    data = {"rules": "svensk-utan-bygg", "to_move": 0, "hands": [["Kc"], None], "table": DECK[:24]}
    message = "there are 1282669 legal moves, more than the 100000 that are listed"
    assert bad("moves", "-", stdin=jsonl(POSITION, data)) == [
        f"error: standard input, line 2: {message}"
    ]
    lines = ok("moves", "-", "--keep-going", stdin=jsonl(data)).splitlines()
    assert json.loads(lines[0]) == {"error": f"standard input, line 1: {message}"}


def test_unknown_hand():
    (line,) = bad("moves", "-", stdin=jsonl({**POSITION, "to_move": 1}))
    assert line.startswith("error: standard input, line 1: hands[1] is unknown, but player 1 is")


# ---------------------------------------------------------------- kasino replay


def test_replay_table():
    text = ok("replay", "-", "--format", "table", stdin=jsonl(*head("games", 1)))
    assert text == (
        "standard input, line 1: svensk-utan-bygg+build.point_cards=false\n"
        "  points            player 0  player 1\n"
        "  big casino Td            0         2\n"
        "  little casino 2s         0         1\n"
        "  aces                     3         1\n"
        "  most spades              0         2\n"
        "  most cards               0         1\n"
        "  last capture             0         1\n"
        "  sweeps                   4         0\n"
        "  sum                      7         8\n"
        "\n"
        "  cards taken             21        31\n"
        "  spades taken             5         8\n"
        "  sweeps made              4         0\n"
        "  player 1 captured last\n"
        "\n"
    )


def test_replay_of_a_deal_without_a_capture():
    text = ok("replay", "-", stdin=jsonl({**GAME, "moves": TRAILS}))
    assert json.loads(text) == {
        "points": dict.fromkeys(
            ["big", "little", "aces", "spades", "cards", "last", "sweeps", "each_spade"], [0, 0]
        ),
        "tied": ["spades", "cards"],
        "sweeps": [0, 0],
        "last_capturer": None,
        "captured": [[], []],
    }
    table = ok("replay", "-", "--format", "table", stdin=jsonl({**GAME, "moves": TRAILS}))
    assert "  most cards (tied)          0         0\n" in table
    assert "  nobody captured\n" in table


def test_replay_in_mid_deal():
    (line,) = bad("replay", "-", stdin=jsonl({**GAME, "moves": TRAILS[:17]}))
    assert line == (
        "error: standard input, line 1: the record stops in mid-deal, after move 17 of 48; "
        "player 1 is to move (kasino moves lists the legal moves)"
    )


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("Kc", "Kc is not legal; legal: Ac, Ad, Ah, As"),
        ("Ac x 3d", "Ac x 3d is not legal; legal: Ac, Ad, Ah, As"),
        ("Ac takes 3d", "'Ac takes 3d' is not understood: a move looks like"),
    ],
)
def test_replay_of_an_illegal_move(move, said):
    moves = [move, *TRAILS[1:]]
    (line,) = bad("replay", "-", stdin=jsonl(GAME | {"moves": TRAILS}, GAME | {"moves": moves}))
    assert line.startswith(f"error: standard input, line 2: move 1: {said}")


def test_replay_of_an_illegal_move_at_a_crowded_table():
    (line,) = bad("replay", "-", stdin=jsonl({**GAME, "moves": [*TRAILS[:8], "Kc"]}))
    assert line == (
        "error: standard input, line 1: move 9: Kc is not legal; "
        "with 4c 4d 4h 4s there are 3168 legal moves (kasino moves lists them)"
    )


def test_replay_of_a_move_too_many():
    (line,) = bad("replay", "-", stdin=jsonl(GAME | {"moves": [*TRAILS, "Ac"]}))
    assert line == "error: standard input, line 1: move 49: Ac: the deal is over"


# ---------------------------------------------------------------- kasino match


def test_match_table():
    assert ok("match", "-", "--format", "table", stdin=jsonl(MATCH)) == (
        "standard input, line 1: svensk+score.ties=carry\n"
        "  to 16\n"
        "  deal   player 0   player 1   waiting\n"
        "  1       +7    7    +1    1  spades 2\n"
        "  2       +9   16    +2    3   cards 1\n"
        "  player 0 won after 2 deals\n"
        "  1 deal after the end not counted\n"
        "\n"
    )


def test_match_json():
    assert json.loads(ok("match", "-", stdin=jsonl(MATCH))) == {
        "totals": [16, 3],
        "winners": [0],
        "deals": 2,
        "carried": {"spades": 0, "cards": 1},
    }


@pytest.mark.parametrize(
    ("match", "deals", "goal", "outcome"),
    [
        ({}, 0, "to 16", "no winner after 0 deals: the match goes on"),
        ({}, 1, "to 16", "no winner after 1 deal: the match goes on"),
        ({"goal": "deals"}, 1, "1 deal", "player 0 and player 1 shared the win after 1 deal"),
        ({"goal": "deals", "deals": 2, "winner": "lowest"}, 1, "2 deals, lowest wins", "no winner"),
        ({"end": "count-out"}, 1, "to 16, count-out", "no winner after 1 deal"),
    ],
)
def test_match_outcome(match, deals, goal, outcome):
    record = {"rules": {"match": match}, "deals": [{"points": {"sweeps": [2, 2]}}] * deals}
    lines = ok("match", "-", "--format", "table", stdin=jsonl(record)).splitlines()
    assert lines[1] == f"  {goal}"
    assert lines[-2].startswith(f"  {outcome}")


def test_match_of_pairs():
    rules = {"deal": {"players": 4, "teams": "pairs"}}
    record = {"rules": rules, "deals": [{"points": {"sweeps": [2, 17]}}]}
    text = ok("match", "-", "--format", "table", stdin=jsonl(record))
    assert "  players 1 and 3 won after 1 deal\n" in text


def test_match_of_a_bad_record():
    record = {"rules": "svensk", "deals": [{"points": {"big": [1]}}, {"points": {"gib": [1, 0]}}]}
    first, second = bad("match", "-", stdin=jsonl(record))
    assert first.startswith("error: standard input, line 1: deal 1: points.big = [1], must be 2")
    assert second.startswith("error: standard input, line 1: deal 2: points.gib is not an item")


# ---------------------------------------------------------------- kasino odds


def test_odds_json():
    assert json.loads(ok("odds", "--rules", "dansk", "--format", "json")) == {
        "rules": "dansk",
        "first_play_capture": 11345412202 / 13169417625,
        "first_play_clear": 23865601 / 516447750,
        "first_play_capture_exact": "11345412202/13169417625",
        "first_play_clear_exact": "23865601/516447750",
        "method": "exact",
    }


def test_odds_table():
    assert ok("odds") == (
        "svensk: the first player's hand at the first play of a deal\n"
        "  some card can        chance\n"
        "  capture something  86.0423%\n"
        "  clear the table     4.5356%  1 in 22\n"
    )


def test_odds_of_too_large_a_table():
    assert bad("odds", "--set", "deal.table=12", "--set", "deal.hand=5") == [
        "error: deal.table = 12 makes too many tables to go through one by one (at most 8 cards)"
    ]
