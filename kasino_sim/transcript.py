"""One deal of a plan, play by play: an account to read along, and the record to play again.

The cards and the choices are those of the simulation of the same plan.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from kasino_sim.cards import N_CARDS, card_text
from kasino_sim.catalog import ruleset_to_object
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table
from kasino_sim.notation import Move, Position
from kasino_sim.pack import RULES_VERSION
from kasino_sim.plan import MAX_SEED, Plan
from kasino_sim.players import pack_players
from kasino_sim.rules import Ruleset
from kasino_sim.words import item_words, move_words, pile_text, rules_words

WIDTH = 80
_NAME = 12  # longest name of a player that is written in full
_LEFT = 46  # width of the column of plays; what then lies on the table stands right of it


@dataclass(frozen=True)
class Play:
    """One play: its number, from 1, the positions before and after, and the move."""

    number: int
    before: Position
    move: Move
    after: Position

    @property
    def seat(self) -> int:
        """The player who moved."""
        return self.before.to_move

    @property
    def cleared(self) -> bool:
        """Whether the move left nothing on the table."""
        return self.move.act == "x" and not self.after.table and not self.after.builds

    @property
    def sweep(self) -> bool:
        """Whether it counted as a sweep."""
        return self.after.sweeps[self.seat] > self.before.sweeps[self.seat]

    @property
    def drawn(self) -> int | None:
        """The card that the player then drew, under `deal.draw = "single"`."""
        new = set(self.after.hands[self.seat] or ()) - set(self.before.hands[self.seat] or ())
        return new.pop() if new and self.before.rules.deal.draw == "single" else None

    @property
    def new_hands(self) -> bool:
        """Whether everybody then got a new hand."""
        return _held(self.after) > _held(self.before)


@dataclass(frozen=True)
class PlayedDeal:
    """A deal of a plan, played out.

    Attributes
    ----------
    plan : Plan
    deal, game : int
        The deal's own number, and which of the plan's seatings it was played under.
    names : tuple of str
        Who sat where, no two alike; the last seat dealt.
    deck : tuple of int
        52 cards in dealing order.
    start, plays
        The position after dealing, and the plays from there.
    result : dict
        As of `game.Table.result`.
    """

    plan: Plan
    deal: int
    game: int
    names: tuple[str, ...]
    deck: tuple[int, ...]
    start: Position
    plays: tuple[Play, ...]
    result: dict[str, Any]

    @property
    def rules(self) -> Ruleset:
        """The rules of the plan."""
        return self.plan.rules

    @property
    def end(self) -> Position:
        """The position after the last play, what is left still on the table."""
        return self.plays[-1].after


def play_out(plan: Plan, deal: int = 0, game: int = 0) -> PlayedDeal:
    """Play one deal of a plan, as its simulation plays it.

    Parameters
    ----------
    plan : Plan
    deal : int
        The deal's own number, 0 … 2**64 - 1: the simulation's first one is `plan.first_deal`.
    game : int
        Which seating, 0 … `plan.games` - 1.

    Raises
    ------
    KasinoError
        Where there is no such deal or seating.
    """
    _check(plan, deal, game)
    seats = [int(k) for k in plan.seatings[game][: plan.rules.n_players]]
    records = pack_players([plan.seats[k] for k in seats], plan.rules)
    table = Table.of_deal(plan, deal)
    deck, start = tuple(map(int, table.state.deck)), table.position()
    plays: list[Play] = []
    before = start
    while not table.over:
        move = table.choose(records[before.to_move], plan.seed, deal)
        table.play(move)
        after = table.position()
        plays.append(Play(len(plays) + 1, before, move, after))
        before = after
    names = _seat_names([plan.seats[k].name for k in seats])
    return PlayedDeal(plan, deal, game, names, deck, start, tuple(plays), table.result())


def _check(plan: Plan, deal: int, game: int) -> None:
    if not 0 <= deal <= MAX_SEED:
        raise KasinoError(f"--deal {deal}: must be from 0 to 2**64 - 1")
    if not 0 <= game < plan.games:
        last = f" to {plan.games - 1}" if plan.games > 1 else ""
        raise KasinoError(
            f"--game {game}: each deck is played under {plan.games} seating"
            f"{'s' * (plan.games > 1)} of these players; choose 0{last}"
        )


def _seat_names(names: Sequence[str]) -> tuple[str, ...]:
    """Cut long names, and add the seat's number to names that sit in several."""
    short = [n if len(n) <= _NAME else n[: _NAME - 1] + "…" for n in names]
    times = Counter(short)
    return tuple(f"{n}-{seat}" if times[n] > 1 else n for seat, n in enumerate(short))


def _held(position: Position) -> int:
    """Count the cards in all hands."""
    return sum(len(hand or ()) for hand in position.hands)


# ---------------------------------------------------------------- the record


def transcript_record(played: PlayedDeal) -> dict[str, Any]:
    """Return the game record of a deal, a JSON object that `kasino replay` accepts.

    Seed and deal are text, since they may be larger than what JSON readers keep exactly.
    """
    return {
        "rules": ruleset_to_object(played.rules),
        "rules_version": RULES_VERSION,
        "seed": str(played.plan.seed),
        "deal": str(played.deal),
        "dealer": played.start.dealer,
        "deck": [card_text(card) for card in played.deck],
        "moves": [str(play.move) for play in played.plays],
    }


# ---------------------------------------------------------------- the account


def transcript(played: PlayedDeal) -> str:
    """Tell a deal from the first hands to the score, in at most 80 columns."""
    return "\n".join(line.rstrip() for line in _lines(played))


def _lines(played: PlayedDeal) -> Iterator[str]:
    yield from _heading(played)
    for paragraph in rules_words(played.rules):
        yield from _wrap(paragraph, "  ", "  ")
    yield ""
    yield from _all_plays(played)
    yield ""
    yield from _ending(played)
    yield ""
    yield from _score(played)


def _wrap(text: str, first: str = "", later: str = "", width: int = WIDTH) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
    )


def _heading(played: PlayedDeal) -> list[str]:
    rules, names = played.rules, played.names
    title = f"{rules.title or rules.name} ({rules.preset if '+' in rules.name else rules.name})"
    if len(names) == 2:
        who = f"{names[0]} plays first, {names[1]} deals."
    else:
        who = f"In order of play: {', '.join(names)}, who deals."
    if rules.sides < len(names):
        who += f" {names[0]} and {names[2]} are partners, and so are {names[1]} and {names[3]}."
    seating = f", seating {played.game}" if played.game else ""
    where = f"Seed {played.plan.seed}, deal {played.deal}{seating}."
    return [line for text in (title, f"{where} {who}") for line in _wrap(text)]


def _all_plays(played: PlayedDeal) -> Iterator[str]:
    """Tell the hands and the plays, the table beside each play."""
    single = played.rules.deal.draw == "single"
    hands = (N_CARDS - played.rules.deal.table) // (len(played.names) * played.rules.deal.hand)
    number = 1
    yield "Hands" if single else f"Hands, 1 of {hands}"
    yield from _hands(played.names, played.start)
    yield from _labelled("table", " ".join(map(card_text, played.start.table)) or "empty")
    yield from ("", f"{'':4}{'Plays':<{_LEFT - 4}}  Then on the table")
    for play in played.plays:
        yield from _play(played, play)
        if play.new_hands:
            number += 1
            yield from ("", f"New hands, {number} of {hands}", *_hands(played.names, play.after))
            yield ""


def _hands(names: Sequence[str], position: Position) -> Iterator[str]:
    for p in range(len(names)):
        seat = (position.dealer + 1 + p) % len(names)
        yield from _labelled(names[seat], " ".join(map(card_text, position.hands[seat] or ())))


def _labelled(label: str, text: str) -> list[str]:
    head = f"    {label:<{_NAME + 2}}  "
    return _wrap(text, head, " " * len(head))


def _play(played: PlayedDeal, play: Play) -> Iterator[str]:
    """Tell a play, and beside it what then lies on the table."""
    wide = max(map(len, played.names))
    text = move_words(play.before, play.move, played.names)
    if play.sweep:
        text += " - a sweep!"
    elif play.cleared and played.rules.sweep.points:
        text += " (no sweep)"
    if play.drawn is not None:
        text += f", draws {card_text(play.drawn)}"
    left = _wrap(text, later="  ", width=_LEFT - 6 - wide)
    right = _wrap_things(_things(play.after, played.names), WIDTH - _LEFT - 2)
    who = f"{play.number:>2}  {played.names[play.seat]:<{wide}}  "
    for words, things in zip_longest(left, right, fillvalue=""):
        yield f"{f'{who}{words}':<{_LEFT}}  {things}"
        who = " " * len(who)


def _things(position: Position, names: Sequence[str]) -> list[str]:
    """Name what lies on the table: loose cards, then builds with their owners."""
    things = [" ".join(map(card_text, position.table))] if position.table else []
    for build in position.builds:
        lock = ", locked" if build.locked else ""
        things.append(f"{pile_text(build)} = {build.value} ({names[build.owner]}{lock})")
    return things or ["-"]


def _wrap_things(things: Iterable[str], width: int) -> list[str]:
    """Wrap each thing by itself, so that every build begins a line."""
    return [line for thing in things for line in _wrap(thing, later="  ", width=width)]


def _ending(played: PlayedDeal) -> list[str]:
    end, last = played.end, played.result["last_capturer"]
    left = [*end.table, *(card for build in end.builds for card in build.cards)]
    if not left:
        swept = ": the last card sweeps the table" if played.plays[-1].sweep else ""
        text = f"Nothing is left{swept}."
    elif last is None:
        text = "Nobody took anything: what lies on the table goes to nobody."
    else:
        cards = " ".join(map(card_text, sorted(left)))
        text = f"What is left, {cards}, goes to {played.names[last]}, who took last."
    return _wrap(text)


# ---------------------------------------------------------------- the score


def _score(played: PlayedDeal) -> list[str]:
    """Write the score, an item a line and a side a column, and then what it means."""
    rules, points = played.rules, played.result["points"]
    labels = {i: text + _counted(played, i) for i, text in item_words(rules).items()}
    totals = [sum(points[item][side] for item in points) for side in range(rules.sides)]
    rows = [(label, points[item]) for item, label in labels.items()]
    heads = _side_names(played)
    wide = max(len(label) for label in [*labels.values(), "Score"])
    widths = [max(len(head), 5) for head in heads]
    lines = []
    for label, cells in [("Score", heads), *rows, ("total", totals)]:
        cells_text = (f"  {cell!s:>{width}}" for cell, width in zip(cells, widths, strict=True))
        indent = "" if label == "Score" else "  "
        lines.append(f"{indent + label:<{wide + 2}}" + "".join(cells_text))
    comments = [*_tie_words(played), _verdict(rules, heads, totals)]
    return [*lines, "", *(line for text in comments for line in _wrap(text))]


def _side_names(played: PlayedDeal) -> list[str]:
    names = list(played.names)
    if played.rules.sides == len(names):
        return names
    return [_pair_name(names[side], names[side + 2], side) for side in range(2)]


def _pair_name(one: str, other: str, side: int) -> str:
    name = one.removesuffix(f"-{side}")
    alike = (one, other) == (f"{name}-{side}", f"{name}-{side + 2}")
    return f"{name}-{side}+{side + 2}" if alike else f"{one} + {other}"


def _counted(played: PlayedDeal, item: str) -> str:
    """Say beside an item what was counted for it, side by side."""
    counts = _counts(played, item)
    return f" ({', '.join(map(str, counts))})" if counts else ""


def _counts(played: PlayedDeal, item: str) -> list[int]:
    result, sides = played.result, played.rules.sides
    counts = [0] * sides
    if item == "sweeps" and not played.rules.sweep.cancel:
        return []
    for player, cards in enumerate(result["captured"]):
        found = {
            "spades": sum(card[1] == "s" for card in cards),
            "cards": len(cards),
            "sweeps": result["sweeps"][player],
        }
        counts[player % sides] += found.get(item, 0)
    return counts if item in ("spades", "cards", "sweeps") else []


def _tie_words(played: PlayedDeal) -> list[str]:
    worth = item_words(played.rules)
    waits = played.rules.score.ties == "carry"
    what = "their points wait for the next deal" if waits else "nobody scores them"
    return [
        f"Most {item} are tied at {max(_counts(played, item))}: {what}."
        for item in played.result["tied"]
        if item in worth
    ]


def _verdict(rules: Ruleset, sides: Sequence[str], totals: Sequence[int]) -> str:
    """Say who did best; where few points win, say that."""
    lowest = rules.match.winner == "lowest"
    best = min(totals) if lowest else max(totals)
    winners = [name for name, total in zip(sides, totals, strict=True) if total == best]
    rest = sorted((t for t in totals if t != best), reverse=not lowest)
    why = "The lowest total is best: " if lowest else ""
    if len(winners) == len(sides):
        return f"{why or 'Even: '}everybody has {best}."
    score = f"{best} to {' and '.join(map(str, rest))}"
    if len(winners) == 1:
        return f"{why}{winners[0]} wins the deal, {score}."
    return f"{why}{' and '.join(winners)} share the deal, {score}."
