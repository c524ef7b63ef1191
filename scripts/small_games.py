"""Print what players give away in the last two hands of small deals, which are solved exactly.

python scripts/small_games.py --rules svensk --players random,greedy,careful --positions 5
"""

from __future__ import annotations

import argparse

import numpy as np

from kasino_sim.catalog import load_ruleset
from kasino_sim.plan import read_players
from kasino_sim.players import load_player
from kasino_sim.studies.small_games import small_games


def main() -> None:
    """Solve, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="svensk")
    parser.add_argument("--players", default="random,greedy,careful")
    parser.add_argument("--positions", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rules = load_ruleset(given.rules, ["deal.players=2", "deal.hand=2"])
    players, host = read_players(given.players), load_player("careful")
    rows: dict[str, list[tuple[float, float]]] = {player.name: [] for player in players}
    for solved in small_games(rules, players, host, given.positions, given.seed):
        print(f"value {solved['value']:+.3f}, sequences {solved['sequences']}", flush=True)
        for name, lost in solved["losses"].items():
            rows[name].append(lost)
    print(f"{'player':<20} points lost: leading, following, mean (± standard error)")
    for name, lost in rows.items():
        both = np.array(lost)
        means = both.mean(axis=1)
        se = f"± {means.std(ddof=1) / len(means) ** 0.5:.3f}" if len(means) > 1 else "undetermined"
        lead, follow = both.mean(axis=0)
        print(f"{name:<20} {lead:.3f} {follow:.3f} {means.mean():.3f} ({se})")


if __name__ == "__main__":
    main()
