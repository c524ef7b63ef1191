"""Why one move is better than another, in plain sentences: what it takes, leaves and risks.

What is told is worked out from the position by the rules, with what the player to move can see; it
describes the two moves, it does not value them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kasino_sim.cards import N_CARDS, card_text, parse_card
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table
from kasino_sim.notation import Build, Move, Position
from kasino_sim.rules import Ruleset
from kasino_sim.thinking import complete
from kasino_sim.words import move_words, pile_text

SUIT_SPADES = 3
_CLEAR = 0.03  # of chance: a risk that differs by less is not worth a sentence
_MOST_MOVES = 2_000  # of one card; where there are more, risks are not counted


@dataclass(frozen=True)
class Outcome:
    """What a move does, as far as the player to move can see.

    Attributes
    ----------
    before, after : Position
        `after` may hold new hands, which nothing here looks at.
    move : Move
    """

    before: Position
    move: Move
    after: Position

    @property
    def taken(self) -> tuple[int, ...]:
        """Cards taken, with the card played."""
        if self.move.act != "x":
            return ()
        piles = [card for pile in self.move.builds for card in pile]
        return tuple(sorted([self.move.card, *self.move.loose, *piles]))

    @property
    def sweep(self) -> bool:
        """Whether it is a sweep that counts."""
        mover = self.before.to_move
        return self.after.sweeps[mover] > self.before.sweeps[mover]

    @property
    def kept(self) -> tuple[int, ...]:
        """The cards kept in the hand."""
        hand = self.before.hands[self.before.to_move] or ()
        return tuple(card for card in hand if card != self.move.card)

    @property
    def own_builds(self) -> tuple[Build, ...]:
        """Builds of the player to move that lie there afterwards."""
        return tuple(b for b in self.after.builds if b.owner == self.before.to_move)

    @cached_property
    def risks(self) -> dict[str, tuple[int, ...]]:
        """Unseen cards by what the next player could do with each.

        Keys `sweep`, `points` (take a point card that lies loose), `build` (take a build of the
        player to move), `take` (take anything). Empty where there is no next player, or too much
        to look through.
        """
        if self.after.to_move == self.before.to_move or _over(self.after):
            return {}
        try:
            found = {card: _threats(self, card) for card in self.unseen}
        except KasinoError:
            return {}
        return {
            threat: tuple(card for card in self.unseen if threat in found[card])
            for threat in ("sweep", "points", "build", "take")
        }

    @property
    def unseen(self) -> tuple[int, ...]:
        """Cards that the player to move has not seen."""
        seen = {*(self.before.hands[self.before.to_move] or ()), *self.before.table}
        for pile in (*self.before.captured, *(b.cards for b in self.before.builds)):
            seen.update(pile)
        return tuple(card for card in range(N_CARDS) if card not in seen)

    def chance(self, threat: str) -> float:
        """Return the chance that the next player holds a card for something."""
        cards, unseen, hand = len(self.risks.get(threat, ())), len(self.unseen), self.next_hand
        return 1 - math.comb(unseen - cards, hand) / math.comb(unseen, hand) if unseen else 0.0

    @property
    def next_hand(self) -> int:
        """How many cards the next player holds."""
        return len(self.after.hands[self.after.to_move] or ())


def outcome(position: Position, move: Move) -> Outcome:
    """Play a move of a position, the unseen cards anywhere."""
    whole = complete(position)
    table = Table.of_position(whole)
    table.play(move)
    return Outcome(position, move, table.position())


def _over(position: Position) -> bool:
    return not any(position.hands)


def _threats(found: Outcome, card: int) -> set[str]:
    """Say what the next player could do with a card."""
    after = found.after
    others = [c for c in found.unseen if c != card][: max(found.next_hand - 1, 0)]
    hands = list(after.hands)
    hands[after.to_move] = tuple(sorted([card, *others]))
    position = replace(after, hands=tuple(hands))
    threats = set()
    points = set(point_cards(after.rules)) & set(after.table)
    own = {build.cards for build in found.own_builds}
    for move in Table.of_position(position).legal_moves(_MOST_MOVES):
        if move.card != card or move.act != "x":
            continue
        threats.add("take")
        if points & set(move.loose):
            threats.add("points")
        if own & set(move.builds):
            threats.add("build")
        all_taken = len(move.loose) + len(move.builds) == len(after.table) + len(after.builds)
        if all_taken and after.rules.sweep.points:
            table = Table.of_position(position)
            table.play(move)
            if table.position().sweeps[after.to_move] > after.sweeps[after.to_move]:
                threats.add("sweep")
    return threats


def point_cards(rules: Ruleset) -> tuple[int, ...]:
    """List the cards that are worth points by themselves, spades left aside."""
    casinos = [parse_card(getattr(rules.values, c)) for c in ("big", "little")
               if getattr(rules.score, c)]  # fmt: skip
    return tuple(dict.fromkeys([*casinos, *(range(4) if rules.score.aces else ())]))


# ---------------------------------------------------------------- sentences


def names_of(position: Position) -> list[str]:
    """Name the players as they are spoken of to the one who is to move."""
    n = position.rules.n_players
    if n == 2:
        return ["you" if p == position.to_move else "the other player" for p in range(n)]
    return ["you" if p == position.to_move else f"player {p}" for p in range(n)]


def spoken(position: Position, move: Move) -> str:
    """Tell a move of a position, such as `lays 9d`."""
    return move_words(position, move, names_of(position))


def why(first: Outcome, second: Outcome) -> list[str]:
    """Say in what two moves differ: what they take, leave and risk, a sentence each.

    Returns
    -------
    list of str
        From none to four sentences about the first and the second.
    """
    takes = _pair(_takes(first), _takes(second))
    leaves = _pair(_leaves(first), _leaves(second))
    sentences = [text for text in (takes, leaves, _risk_sentence(first, second)) if text]
    if len(sentences) < 3 and first.move.card != second.move.card and first.kept:
        kept = " ".join(map(card_text, first.kept))
        other = " ".join(map(card_text, second.kept))
        sentences.append(f"The first keeps {kept}, the second {other}.")
    return sentences


def _pair(first: str, second: str) -> str:
    """Put what two moves do into one sentence, or none where they do the same."""
    if first == second:
        return ""
    verb, _, rest = second.partition(" ")
    shared = first.partition(" ")[0] == verb
    return f"The first {first}, the second {rest if shared else second}."


def _takes(found: Outcome) -> str:
    rules = found.before.rules
    if not found.taken:
        if found.move.act == "+":
            return f"builds {found.move.value} for a later turn"
        return "takes nothing"
    worth = _worth(rules, found.taken)
    text = f"takes {len(found.taken)} cards" + (f" ({worth})" if worth else "")
    return text + (" and sweeps" if found.sweep and rules.sweep.points else "")


def _worth(rules: Ruleset, cards: Iterable[int]) -> str:
    """Name what counts among cards: casinos, aces, the number of spades."""
    cards = set(cards)
    special = [card_text(card) for card in point_cards(rules) if card in cards]
    spades = sum(card % 4 == SUIT_SPADES for card in cards)
    weights = rules.score.spades or rules.score.each_spade
    told = special + ([_many(spades, "spade")] if spades and weights else [])
    return _and(told)


def _leaves(found: Outcome) -> str:
    loose, builds = found.after.table, found.after.builds
    if not loose and not builds:
        return "leaves nothing on the table"
    things = [" ".join(map(card_text, loose))] if loose else []
    mover = found.before.to_move
    for build in builds:
        whose = "your" if build.owner == mover else f"{names_of(found.before)[build.owner]}'s"
        things.append(f"{whose} build {pile_text(build)} = {build.value}")
    return f"leaves {_and(things)}"


_RISKS = ("sweep", "build", "points", "take")  # what is told first where several differ


def _risk_sentence(first: Outcome, second: Outcome) -> str:
    """Say in what the risks differ, the gravest that does; "" where none differs clearly.

    Where few points win, nothing that another takes is a loss.
    """
    told = first.risks and second.risks and first.before.rules.match.winner == "highest"
    for threat in _RISKS if told else ():
        if abs(first.chance(threat) - second.chance(threat)) > _CLEAR:
            named = {
                "sweep": "a sweep",
                "build": "your build",
                "points": _and(
                    list(dict.fromkeys(filter(None, map(_loose_points, (first, second)))))
                ),
                "take": "what lies there",
            }[threat]
            lost = f"{_odds(first, threat)}, the second {_odds(second, threat)}"
            return f"The first risks {named} {lost}."
    return ""


def _loose_points(found: Outcome) -> str:
    cards = [card_text(c) for c in point_cards(found.before.rules) if c in found.after.table]
    return _and(cards)


def _odds(found: Outcome, threat: str) -> str:
    """Say to how many unseen cards, and how likely the next player holds one of them."""
    cards = found.risks[threat]
    if not cards:
        return "to no card"
    few = _and([card_text(c) for c in cards]) if len(cards) <= 3 else f"{len(cards)} unseen cards"
    if found.next_hand >= len(found.unseen):
        return f"to {few}, in the next hand"
    return f"to {few} ({100 * found.chance(threat):.0f} %)"


def _many(n: int, thing: str) -> str:
    return f"{n} {thing}{'s' * (n != 1)}"


def _and(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]])) if texts else ""
