"""Exact endings against brute force on the naive twin, over all presets and random rule sets."""

import random

import numpy as np
import pytest
import reference

from kasino_sim.catalog import ruleset_from_object
from kasino_sim.notation import parse_position
from kasino_sim.players import load_player
from kasino_sim.thinking import value_moves

PRESETS = reference.load_presets()
CAREFUL = load_player("careful")


def copied(state):
    return reference.State(
        state.R,
        state.rules,
        state.dealer,
        state.to_move,
        [list(hand) for hand in state.hands],
        list(state.table),
        list(state.builds),
        list(state.stock),
        [list(pile) for pile in state.captured],
        list(state.sweeps),
        state.last_capturer,
    )


def margin(state, side):
    """Points of a side less those of the other, more being better."""
    points = reference.score_state(state)["points"].values()
    difference = sum(p[side] - p[1 - side] for p in points)
    return difference if state.rules["match"]["winner"] == "highest" else -difference


def after(state, move):
    child = copied(state)
    reference.play(child, move)
    return child


def brute(state, side):
    """The margin with best play, by plain minimax."""
    if state.is_over():
        return margin(state, side)
    values = [brute(after(state, m), side) for m in reference.moves_of(state).values()]
    return max(values) if state.to_move == side else min(values)


def rules_of(rng, preset=None):
    """A rule set for two players, hands and tables of four."""
    if preset:
        return {"preset": preset, "deal": {"players": 2, "teams": "solo"}}
    rules = reference.random_rules(rng, PRESETS, sizes=False)
    deal = {k: v for k, v in rules.get("deal", {}).items() if k == "draw"}
    rules = {**rules, "deal": {**deal, "players": 2, "teams": "solo"}}
    rules.get("build", {}).pop("partner", None)
    return rules


def small_ending(rng, rules, most_lines):
    """A position with an empty stock and few lines of play from it."""
    while True:
        if rng.random() < 0.5:
            plays = 48 - rng.randint(2, 4)
            record = reference.play_random(rules, reference.shuffled_deck(rng), 1, rng, plays)
            position = reference.replay(record)
        else:
            position = reference.synthetic_position(rng, rules)
        state = reference.read_position(position)
        held = sum(map(len, state.hands))
        if state.stock or held > 4 or not state.hands[state.to_move]:
            continue
        if lines(state, most_lines) <= most_lines:
            return position


def lines(state, most):
    """The number of lines of play, counted on until they are too many."""
    if state.is_over():
        return 1
    moves, total = list(reference.moves_of(state).values()), 0
    if len(moves) > most:
        return len(moves)
    for move in moves:
        total += lines(after(state, move), most - total)
        if total > most:
            break
    return total


def differences(position):
    """Values of all legal moves less what brute force says."""
    state = reference.read_position(position)
    side = state.to_move
    moves = reference.moves_of(state)
    parsed = parse_position(position)
    ours = value_moves(parsed.rules, parsed, CAREFUL, worlds=1, seed=0)
    assert ours.exact
    assert [str(m) for m in ours.moves] == sorted(moves)
    brutal = [brute(after(state, moves[text]), side) for text in sorted(moves)]
    return ours.margins[0] - np.array(brutal)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_presets_against_brute_force(preset):
    rng = random.Random(preset)
    for _ in range(10):
        position = small_ending(rng, rules_of(rng, preset), 60)
        assert not differences(position).any(), position


def test_random_rules_against_brute_force():
    rng = random.Random(2)
    for _ in range(150):
        position = small_ending(rng, rules_of(rng), 60)
        assert not differences(position).any(), position


def test_other_points_are_told_apart():
    """Negative control: brute force by other points for sweeps and spades does not agree."""
    rng, different = random.Random(3), 0
    for _ in range(20):
        position = small_ending(rng, rules_of(rng, "svensk"), 60)
        state = reference.read_position(position)
        moves = reference.moves_of(state)
        parsed = parse_position(position)
        other = ruleset_from_object(
            {"preset": "svensk", "score": {"last": 3, "cards": 3}, "sweep": {"points": 2}}
        )
        ours = value_moves(other, parsed, CAREFUL, worlds=1, seed=0)
        brutal = [brute(after(state, moves[t]), state.to_move) for t in sorted(moves)]
        different += bool((ours.margins[0] != np.array(brutal)).any())
    assert different > 10
