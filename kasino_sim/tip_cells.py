"""What the study of tips plays: each tip switched on in several ways, in several hands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from kasino_sim.engine.layout import TIPS
from kasino_sim.players import Player, load_player
from kasino_sim.tips import TIP_WORDS

DOSES = (0.5, 2.0, 4.0)  # besides 1 and, which is no tip at all, 0
NAIVE, HARD, REVERSE, DOSE, DENIED, POOL, RULES, BASE = (
    "naive", "hard", "reverse", "dose", "denied", "pool", "rules", "base",
)  # fmt: skip

UNITS: Mapping[str, float] = MappingProxyType(
    {
        "count_spades": 0.15,
        "count_spades_in_race": 0.15,
        "spade_before_plain": 0.15,
        "leave_no_sweep": 1.0,
    }
)
"""Points that a tip's preference counts at dose 1, by tip; `UNIT` for the others."""
UNIT = 0.5


@dataclass(frozen=True)
class TipCell:
    """A seating that a stage of the study plays.

    Attributes
    ----------
    stage : str
        ``naive`` on against off; ``hard``, ``reverse`` and ``dose`` the same in another form;
        ``denied`` the same where both lack all of their own that amounts to the idea;
        ``rules`` the same in another rule set; ``pool`` on against another player, and ``base``
        off against that player.
    tip : str
        Empty for ``base``.
    ruleset : str
    dose : float
    players : tuple of Player
    """

    stage: str
    tip: str
    ruleset: str
    dose: float
    players: tuple[Player, Player]


def with_tip(player: Player, tip: str, form: str = "soft", dose: float = 1.0) -> Player:
    """Return a player who follows a tip: a dose below 0 is the opposite."""
    strength = abs(dose) * UNITS.get(tip, UNIT)
    found = player.with_tip(tip, form, strength, dose < 0)
    mark = "" if form == "soft" else "!"
    size = "" if abs(dose) == 1 else f"*{abs(dose):g}"
    name = f"{player.name}{'-' if dose < 0 else '+'}{tip}{mark}{size}"
    return found.model_copy(update={"name": name})


def denied(player: Player, tip: str) -> Player:
    """Return a player without all that amounts to a tip's idea; not fitted anew to the lack."""
    weights = {**player.weights, **dict.fromkeys(TIP_WORDS[tip].proxies, 0.0)}
    changed = {"name": f"{player.name}~{tip}", "weights": weights}
    return player.model_copy(update=changed)


def tip_cells(
    rulesets: Sequence[str], levels: Sequence[str], tips: Sequence[str] = TIPS
) -> Iterator[TipCell]:
    """Lay out the study: the first rule set in full, the others for the strongest level.

    Parameters
    ----------
    rulesets : sequence of str
    levels : sequence of str
        Players, the weakest first.
    tips : sequence of str
    """
    players = [load_player(name) for name in levels]
    strongest, home = players[-1], rulesets[0]
    for tip in tips:
        for player in players:
            yield TipCell(NAIVE, tip, home, 1.0, (with_tip(player, tip), player))
            yield TipCell(REVERSE, tip, home, -1.0, (with_tip(player, tip, dose=-1.0), player))
        yield TipCell(HARD, tip, home, 1.0, (with_tip(strongest, tip, "hard"), strongest))
        for dose in DOSES:
            yield TipCell(DOSE, tip, home, dose, (with_tip(strongest, tip, dose=dose), strongest))
        lacking = denied(strongest, tip)
        yield TipCell(DENIED, tip, home, 1.0, (with_tip(lacking, tip), lacking))
        for other in players[:-1]:
            yield TipCell(POOL, tip, home, 1.0, (with_tip(strongest, tip), other))
        for name in rulesets[1:]:
            yield TipCell(RULES, tip, name, 1.0, (with_tip(strongest, tip), strongest))
    for other in players[:-1]:
        yield TipCell(BASE, "", home, 1.0, (strongest, other))
