"""What the study of tips plays: each tip switched on in several ways, in several hands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from kasino_sim.engine.layout import TIPS
from kasino_sim.players import Player, load_player
from kasino_sim.tips import TIP_WORDS

DOSES = (0.5, 2.0, 4.0)  # besides 1 and, which is no tip at all, 0
INSISTING = -4.0  # the opposite, for the player at home, where it may be too weak to be noticed
NAIVE, HARD, TIE, REVERSE, DOSE, DENIED, POOL, RULES, BASE, COMPENSATED = (
    "naive", "hard", "tie-break", "reverse", "dose", "denied", "pool", "rules", "base",
    "compensated",
)  # fmt: skip
SHARES: Mapping[str, float] = MappingProxyType({NAIVE: 1.0, RULES: 0.25, COMPENSATED: 0.25})
"""Share of the blocks that a stage plays: half, but for these. Of several searches each plays."""

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
AT_SIGHT = ("random", "greedy", "weigh")  # kinds that play tens of thousands of deals a second


@dataclass(frozen=True)
class TipCell:
    """A seating that a stage of the study plays.

    Attributes
    ----------
    stage : str
        ``naive`` on against off; ``hard``, ``tie-break``, ``reverse`` and ``dose`` the same in
        another form;
        ``denied`` the same where both lack all of their own that amounts to the idea;
        ``compensated`` that again, both tuned anew to make up for it; ``rules`` the same as naive
        in another rule set; ``pool`` on against another player, and ``base`` off against that
        player.
    tip : str
        Empty for ``base``.
    level : str
        The player who follows the tip, by its name without it.
    ruleset : str
    dose : float
    players : tuple of Player
    restart : int
        Which of the searches found the players, from 1; 0 where they are as they are.
    """

    stage: str
    tip: str
    level: str
    ruleset: str
    dose: float
    players: tuple[Player, Player]
    restart: int = 0

    @property
    def held(self) -> tuple[str, ...]:
        """What the players must not weigh while they are tuned."""
        return TIP_WORDS[self.tip].proxies if self.restart else ()


_MARKS: Mapping[str, str] = MappingProxyType({"soft": "", HARD: "!", TIE: "="})


def with_tip(player: Player, tip: str, form: str = "soft", dose: float = 1.0) -> Player:
    """Return a player who follows a tip: a dose below 0 is the opposite."""
    strength = abs(dose) * UNITS.get(tip, UNIT)
    found = player.with_tip(tip, form, strength, dose < 0)
    mark = _MARKS[form]
    size = "" if abs(dose) == 1 else f"*{abs(dose):g}"
    name = f"{player.name}{'-' if dose < 0 else '+'}{tip}{mark}{size}"
    return found.model_copy(update={"name": name})


def denied(player: Player, tip: str) -> Player:
    """Return a player without all that amounts to a tip's idea; not fitted anew to the lack."""
    weights = {**player.weights, **dict.fromkeys(TIP_WORDS[tip].proxies, 0.0)}
    changed = {"name": f"{player.name}~{tip}", "weights": weights}
    return player.model_copy(update=changed)


@dataclass(frozen=True)
class Levels:
    """The players of the study, the weakest first.

    Attributes
    ----------
    players : tuple of Player
    """

    players: tuple[Player, ...]

    @property
    def home(self) -> Player:
        """The strongest who chooses at sight: the one with whom all of the protocol is played."""
        at_sight = [player for player in self.players if player.kind in AT_SIGHT]
        return (at_sight or list(self.players))[-1]

    @property
    def chief(self) -> tuple[Player, ...]:
        """Who plays other rule sets, and the opposite, too: `home`, and the strongest."""
        strongest = self.players[-1]
        return (self.home,) if strongest == self.home else (self.home, strongest)

    @property
    def others(self) -> list[Player]:
        """Opponents of `home`."""
        return [player for player in self.players if player != self.home]


def tip_cells(
    rulesets: Sequence[str],
    levels: Sequence[str],
    tips: Sequence[str] = TIPS,
    restarts: int = 0,
) -> Iterator[TipCell]:
    """Lay out the study: the first rule set in full, the others for the strongest levels.

    Parameters
    ----------
    rulesets : sequence of str
    levels : sequence of str
        Players, the weakest first.
    tips : sequence of str
    restarts : int
        Searches for weights of each arm of the compensated stage; 0: it is not played.
    """
    who = Levels(tuple(load_player(name) for name in levels))
    home = rulesets[0]
    for tip in tips:
        for player in who.players:
            yield _against_itself(NAIVE, tip, player, home)
        for player in who.chief:
            yield _against_itself(REVERSE, tip, player, home, -1.0)
        yield _against_itself(REVERSE, tip, who.home, home, INSISTING)
        for form in (HARD, TIE):
            yield _against_itself(form, tip, who.home, home, form=form)
        for dose in DOSES:
            yield _against_itself(DOSE, tip, who.home, home, dose)
        yield _against_itself(DENIED, tip, denied(who.home, tip), home)
        for other in who.others:
            players = with_tip(who.home, tip), other
            yield TipCell(POOL, tip, who.home.name, home, 1.0, players)
        for name in rulesets[1:]:
            for player in who.chief:
                yield _against_itself(RULES, tip, player, name)
        for restart in range(1, restarts + 1):
            yield _compensated(tip, who.home, home, restart)
    for other in who.others:
        yield TipCell(BASE, "", who.home.name, home, 1.0, (who.home, other))


def _against_itself(
    stage: str, tip: str, player: Player, ruleset: str, dose: float = 1.0, form: str = "soft"
) -> TipCell:
    players = with_tip(player, tip, form, dose), player
    level = player.name.partition("~")[0]
    return TipCell(stage, tip, level, ruleset, dose, players)


def _compensated(tip: str, player: Player, ruleset: str, restart: int) -> TipCell:
    lacking = denied(player, tip)
    off = lacking.model_copy(update={"name": f"{lacking.name}@{restart}"})
    on = with_tip(off, tip)
    return TipCell(COMPENSATED, tip, player.name, ruleset, 1.0, (on, off), restart)
