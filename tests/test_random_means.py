"""Uniformly random play: the engine's means against the naive twin's own count of every preset.

The twin is slow, so its count is kept in data/random_means.json; to make it anew, run
`python tests/test_random_means.py` (a minute or two).
"""

import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest
import reference

from kasino_sim.catalog import load_ruleset
from kasino_sim.plan import Plan
from kasino_sim.players import load_player
from kasino_sim.simulate import simulate
from kasino_sim.stats.estimates import estimate

FILE = Path(__file__).parent / "data" / "random_means.json"
PRESETS = sorted(reference.load_presets())
DEALS = 300


def count(preset, deals=DEALS):
    """Play deals with the twin alone; sums and sums of squares of each item, by seat."""
    rng = random.Random(f"twin {preset}")
    sums: dict[str, list[int]] = {}
    for _ in range(deals):
        swap = reference.rules_of(preset)["deal"]["swap_point_cards"]
        deck = exchanged(rng, preset) if swap else reference.shuffled_deck(rng)
        record = reference.play_random(preset, deck, 1, rng)
        points = reference.score(record)["points"]
        for item, values in points.items():
            for seat, value in enumerate(values):
                total = sums.setdefault(f"{item}.{seat}", [0, 0])
                total[0] += value
                total[1] += value * value
    return {"deals": deals, "sums": sums}


def exchanged(rng, preset):
    """Shuffle, then replace point cards on the table from the stock and shuffle the stock."""
    rules = reference.rules_of(preset)
    deck = reference.shuffled_deck(rng)
    hands, table, stock = deck[:8], deck[8:12], deck[12:]
    back = []
    for i in range(4):
        while reference.is_point_card(table[i], rules):
            back.append(table[i])
            table[i] = stock.pop(0)
    stock += back
    rng.shuffle(stock)
    return hands + table + stock


@pytest.mark.parametrize("preset", PRESETS)
def test_means_of_random_play(preset):
    twin = json.loads(FILE.read_text())[preset]
    n = twin["deals"]
    tally = simulate(Plan(load_ruleset(preset), (load_player("random"),), 21, 6_000))
    for column, (total, square) in twin["sums"].items():
        mean = total / n
        ours = estimate(tally, column)
        # Alike in law, so the larger sample tells the spread: 300 deals may hold no sweep at all.
        variance = max(square / n - mean**2, ours.se**2 * ours.blocks)
        se = np.sqrt(variance / (n - 1))
        assert abs(ours.mean - mean) <= 4.5 * np.hypot(se, ours.se) + 1e-12, column


if __name__ == "__main__":
    chosen = sys.argv[1:] or PRESETS
    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    for name in chosen:
        known[name] = count(name)
        print(name, file=sys.stderr)
    FILE.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
