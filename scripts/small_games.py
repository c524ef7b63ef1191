"""Print what players give away in the last two hands of small deals, which are solved exactly.

python scripts/small_games.py --rules svensk --players careful,tuned --positions 5
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from kasino_sim.catalog import load_ruleset
from kasino_sim.plan import read_players
from kasino_sim.players import load_player
from kasino_sim.stats.estimates import Estimate
from kasino_sim.studies.small_games import small_games


def main() -> None:
    """Solve, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="svensk")
    parser.add_argument("--players", default="careful,tuned,rollout")
    parser.add_argument("--positions", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rules = load_ruleset(given.rules, ["deal.players=2", "deal.hand=2"])
    players, host = read_players(given.players), load_player("careful")
    rows: dict[str, list[tuple[float, float]]] = {player.name: [] for player in players}
    for solved in small_games(rules, players, host, given.positions, given.seed):
        lost = {name: f"{sum(both) / 2:.3f}" for name, both in solved["losses"].items()}
        told = f"value {solved['value']:+.3f}, sequences {solved['sequences']}, lost {lost}"
        print(told, file=sys.stderr, flush=True)
        for name, both in solved["losses"].items():
            rows[name].append(both)
    print(f"{rules.name}, {given.positions} positions: points lost to the best opponent")
    print(f"{'player':<16} leading  following  mean  95 % over positions")
    for name, lost in rows.items():
        lead, follow = np.mean(lost, axis=0)
        mean, within = interval(np.mean(lost, axis=1))
        print(f"{name:<16} {lead:7.3f}  {follow:9.3f}  {mean:.3f}  {within}")


def interval(values: np.ndarray) -> tuple[float, str]:
    """Return the mean of values and its interval in words."""
    mean, n = float(values.mean()), len(values)
    se = float(values.std(ddof=1)) / n**0.5 if n > 1 else None
    ends = Estimate(mean, se, n).interval() if se else None
    return mean, f"{ends[0]:.3f} to {ends[1]:.3f}" if ends else "undetermined"


if __name__ == "__main__":
    main()
