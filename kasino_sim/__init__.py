"""Simulate and study Nordic Kasino, the fishing card game.

The names below are what a program needs; they are imported when first used, so that importing the
package costs nothing. Deals are played by `kasino_sim.simulate.simulate`.
"""

import importlib

_HOMES = {
    "KasinoError": "errors",
    "Ruleset": "rules",
    "load_ruleset": "catalog",
    "Player": "players",
    "load_player": "players",
    "Plan": "plan",
    "Tally": "tally",
    "Table": "game",
    "estimate": "stats.estimates",
    "summarize": "stats.summary",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Import a public name from its home."""
    if name == "__version__":
        from importlib.metadata import version

        return version("kasino-sim")
    if name not in _HOMES:
        raise AttributeError(f"module 'kasino_sim' has no attribute {name!r}")
    return getattr(importlib.import_module(f"kasino_sim.{_HOMES[name]}"), name)
