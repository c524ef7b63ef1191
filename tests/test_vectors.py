"""Every line of the vectors through the library: moves, replays, matches and presets."""

import json
from pathlib import Path

import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.game import table_of, whole_deal
from kasino_sim.match import count_match

DATA = Path(__file__).parent / "data"
CHUNK = 250


def lines_of(name):
    return (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


def chunks(*names):
    """List (name, first line) so that no test takes long and they spread over workers."""
    return [(name, at) for name in names for at in range(0, len(lines_of(name)), CHUNK)]


def disagreements(name, start, answer):
    wrong = []
    for number, line in enumerate(lines_of(name)[start : start + CHUNK], start=start + 1):
        data = json.loads(line)
        expected = data.pop("expect")
        found = answer(data, f"{name}.jsonl, line {number}")
        if found != expected:
            wrong.append((number, found, expected))
    return wrong


def moves(data, where):
    return {"moves": [str(move) for move in table_of(data, where).legal_moves()]}


@pytest.mark.parametrize(("name", "start"), chunks("positions", "fine-positions", "prefixes"))
def test_moves(name, start):
    assert disagreements(name, start, moves) == []


@pytest.mark.parametrize(("name", "start"), chunks("games"))
def test_games(name, start):
    def result(data, where):
        return whole_deal(data, where).result()

    assert disagreements(name, start, result) == []


@pytest.mark.parametrize(("name", "start"), chunks("matches", "fine-matches"))
def test_matches(name, start):
    assert disagreements(name, start, count_match) == []


def test_presets():
    presets = json.loads((DATA / "presets.json").read_text(encoding="utf-8"))
    assert {name: load_ruleset(name).resolved() for name in presets} == presets
