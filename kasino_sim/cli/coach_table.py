"""What the coach says, as text of 80 columns and as JSON."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import Any

from kasino_sim.cli.moves import drawn
from kasino_sim.cli.sheets import WIDTH, columns, cut
from kasino_sim.cli.simulate_table import digits
from kasino_sim.coach import Advice, Budget, Judged, Review
from kasino_sim.coach_words import outcome, spoken, why
from kasino_sim.players import Player
from kasino_sim.rules import Ruleset

MOVE = 30  # widest move in the table
_MOST_COSTLY = 10  # moves of a review that are explained


def advice_text(advice: Advice, player: Player, shown: int | None) -> str:
    """Return advice for a person to read.

    Parameters
    ----------
    advice : Advice
    player : Player
        Who played on.
    shown : int or None
        Moves in the table; all of them where None.
    """
    position, order = advice.position, advice.order
    lines = [
        cut(f"{position.rules.name}, player {position.to_move} to move"),
        *drawn(position),
        "",
        *_wrap(_how(advice, player)),
        "",
        *columns(_rows(advice, order[:shown])),
    ]
    left = len(order) - len(order[:shown])
    if left:
        lines.append(f"  and {left} more (--all shows them)")
    lines += ["", *_verdict(advice)]
    if position.rules.match.winner == "lowest":
        lines += ["", *_wrap("Few points win here: points ahead are points fewer.")]
    return "\n".join(line.rstrip() for line in lines)


def _wrap(text: str, first: str = "", later: str = "") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
    )


def _how(advice: Advice, player: Player) -> str:
    n = len(advice.moves)
    moves = "The only legal move" if n == 1 else f"{n} legal moves"
    if advice.exact:
        return f"{moves}, played out exactly: nothing is hidden any more."
    return (
        f"{moves}, tried in {advice.worlds:,} ways to deal the unseen cards, {player.name} playing "
        "on in every seat. ±: 95 %, for all moves together."
    )


def _rows(advice: Advice, order: list[int]) -> list[list[str]]:
    """Write a line a move: points ahead at the end, chance to win the deal, what it costs."""
    rows = [["move", "points ahead", "wins the deal", "behind the best"]]
    for i in order:
        move = cut(str(advice.moves[i]), MOVE)
        points, wins = advice.points(i), advice.wins(i)
        if advice.exact:
            cells = [f"{points['value']:+g}", _won(wins["value"])]
        else:
            cells = [_plus_minus(points, "+"), _percent(wins)]
        rows.append([move, *cells, _cost(advice, i)])
    return rows


def _won(value: float) -> str:
    return {1.0: "yes", 0.0: "no", 0.5: "shared"}.get(value, f"{100 * value:.0f} %")


def _plus_minus(found: Mapping[str, float], sign: str = "") -> str:
    half = found["high"] - found["value"]
    if math.isnan(half):
        return f"{found['value']:{sign}.2f} ± ?"
    if half < 1e-9:  # the same in every world
        return f"{found['value']:{sign}.2f}"
    places = min(digits(half / 2), 3)
    return f"{found['value']:{sign}.{places}f} ± {half:.{places}f}"


def _percent(found: Mapping[str, float]) -> str:
    if math.isnan(found["high"]):
        return f"{100 * found['value']:.0f} %"
    half = max(found["high"] - found["value"], found["value"] - found["low"])
    return f"{100 * found['value']:.0f} ± {math.ceil(100 * half):.0f} %"


def _cost(advice: Advice, i: int) -> str:
    cost = advice.costs[i]
    if i == advice.order[0]:
        return "·"
    if advice.exact:
        return f"{cost['value']:g}" if cost["value"] else "as good"
    unsure = " ?" if advice.may_be_best(i) else "  "
    return _plus_minus(cost) + unsure


def _verdict(advice: Advice) -> list[str]:
    """Say which move is best, how sure that is, and in what it differs from the second."""
    position, order = advice.position, advice.order
    best = advice.moves[order[0]]
    told = _wrap(f"Best: {best} - {spoken(position, best)}.")
    same = [str(advice.moves[i]) for i in advice.as_good]
    if same and len(same) == len(order) - 1:
        return [*told, "All other moves come to the same in the end."]
    if same:
        more = f" and {len(same) - 4} more" if len(same) > 4 else ""
        told += _wrap(f"As good: {', '.join(same[:4])}{more}.")
    if advice.second is None:
        return told
    second = advice.moves[advice.second]
    told += _wrap(f"Next: {second} - {spoken(position, second)}, {_distance(advice)}.")
    unsure = sum(advice.may_be_best(i) for i in order[1:])
    if unsure and not advice.exact:
        what = "It" if unsure == 1 else f"These {unsure}"
        told += _wrap(f"? : {what} may be as good or better; more --worlds tell.")
    return told + [line for text in _reasons(advice) for line in _wrap(text, "* ", "  ")]


def _reasons(advice: Advice) -> list[str]:
    """Say in what the best move and the next differ."""
    if advice.second is None:
        return []
    pair = (advice.moves[i] for i in (advice.order[0], advice.second))
    first, second = (outcome(advice.position, move) for move in pair)
    return why(first, second)


def _distance(advice: Advice) -> str:
    assert advice.second is not None
    cost = advice.costs[advice.second]
    if advice.exact:
        return f"{_points(cost['value'])} less" if cost["value"] else "as many points, not the win"
    if math.isnan(cost["low"]):
        return f"{cost['value']:.2f} points less"
    places = min(digits((cost["high"] - cost["low"]) / 4), 3)
    if cost["low"] > 0:
        ends = f"{cost['low']:.{places}f} to {cost['high']:.{places}f}"
        return f"{cost['value']:.{places}f} points less ({ends})"
    return f"not clearly worse ({cost['value']:.{places}f} points)"


def _points(value: float) -> str:
    return f"{value:g} point{'s' * (value != 1)}"


def advice_record(advice: Advice, player: Player, budget: Budget) -> dict[str, Any]:
    """Return advice as JSON has it, the best move first; undetermined numbers are null."""
    position, order = advice.position, advice.order
    return {
        "rules": position.rules.name,
        "to_move": position.to_move,
        "exact": advice.exact,
        "worlds": advice.worlds,
        "seed": str(budget.seed),
        "player": player.name,
        "confidence": advice.confidence,
        "moves": [
            {
                "move": str(advice.moves[i]),
                "words": spoken(position, advice.moves[i]),
                "points": _ends(advice.points(i)),
                "win": _ends(advice.wins(i)),
                "cost": _ends(advice.costs[i]),
                "may_be_best": advice.may_be_best(i),
            }
            for i in order
        ],
        "next": None if advice.second is None else str(advice.moves[advice.second]),
        "why": _reasons(advice),
    }


def _ends(found: Mapping[str, float]) -> dict[str, float | None]:
    names = {"mean": "value", "se": "se", "low": "low", "high": "high"}
    return {
        name: found[key] if math.isfinite(found[key]) else None
        for name, key in names.items()
        if key in found
    }


# ---------------------------------------------------------------- a whole game


def review_text(found: Review, player: Player, budget: Budget) -> str:
    """Return a review for a person to read: every choice a line, then the costly ones."""
    rules = found.record.rules
    costly = found.costly()
    lines = [
        cut(f"{rules.name}: {len(found.record.moves)} moves, {len(found.judged)} with a choice"),
        *_wrap(
            "Points that a move gave away against the best one, valued from what its player could "
            f"see; {_spent(budget)} a move, {player.name} playing on. *: costly for certain, all "
            "moves of the game together (95 %)."
        ),
        "",
        *columns([["    move", "gave away", "best instead"], *map(_judged_row, found.judged)]),
        "",
        *_totals(found, rules),
    ]
    for one in costly[:_MOST_COSTLY]:
        lines += ["", *_reason(one)]
    return "\n".join(line.rstrip() for line in lines)


def _spent(budget: Budget) -> str:
    if budget.seconds is not None:
        return f"{budget.seconds:g} s"
    return f"{budget.worlds:,} ways to deal the unseen cards"


def _judged_row(one: Judged) -> list[str]:
    head = f"{one.number:>3} player {one.player}  {cut(str(one.move), MOVE)}"
    cost = one.cost
    if one.move == one.best or not cost["value"]:
        return [head, "·   ", ""]
    mark = " *" if one.costly else "  "
    value = f"{cost['value']:g}" if one.advice.exact else _plus_minus(cost)
    return [head, value + mark, cut(str(one.best), 24)]


def _totals(found: Review, rules: Ruleset) -> list[str]:
    parts = []
    for player in range(rules.n_players):
        n = sum(one.costly and one.player == player for one in found.judged)
        parts.append(
            f"player {player}: {n} costly move{'s' * (n != 1)}"
            + (f", {found.given(player):.1f} points given away" if n else "")
        )
    lines = [line for part in parts for line in _wrap(part)]
    if found.crowded:
        moves = "move was" if found.crowded == 1 else "moves were"
        lines.append(f"{found.crowded} {moves} made at a table too crowded to judge it.")
    if not found.over:
        lines.append("The record stops in mid-deal.")
    return lines


def _reason(one: Judged) -> list[str]:
    """Explain a costly move: the best one, and in what the two differ."""
    position = one.advice.position
    cost = one.cost["value"]
    best, played = spoken(position, one.best), spoken(position, one.move)
    ahead = f"{cost:g}" if one.advice.exact else f"{cost:.2f}"
    head = f"Move {one.number}, player {one.player} {played}. Better by {ahead}: {best}."
    sentences = why(outcome(position, one.best), outcome(position, one.move))
    told = _wrap(_by_number(head, one))
    for text in sentences:
        told += _wrap(_by_number(_of_played(text), one), "* ", "  ")
    return told


def _by_number(text: str, one: Judged) -> str:
    """Name the other one of two players by its number."""
    two = one.advice.position.rules.n_players == 2
    return text.replace("the other player", f"player {1 - one.player}") if two else text


def _of_played(text: str) -> str:
    """Tell a sentence about the first and the second move as one about the better and this."""
    told = text.replace("The first", "The better one", 1).replace("the second", "this one", 1)
    return told.replace("your build", "their build")


def review_record(found: Review, player: Player, budget: Budget) -> dict[str, Any]:
    """Return a review as JSON has it."""
    rules = found.record.rules
    return {
        "rules": rules.name,
        "moves": len(found.record.moves),
        "over": found.over,
        "crowded": found.crowded,
        "worlds": budget.worlds if budget.seconds is None else None,
        "seconds": budget.seconds,
        "seed": str(budget.seed),
        "player": player.name,
        "judged": [
            {
                "number": one.number,
                "player": one.player,
                "move": str(one.move),
                "best": str(one.best),
                "cost": _ends(one.cost),
                "costly": one.costly,
                "exact": one.advice.exact,
                "why": why(
                    outcome(one.advice.position, one.best), outcome(one.advice.position, one.move)
                )
                if one.costly
                else [],
            }
            for one in found.judged
        ],
        "given_away": [found.given(p) for p in range(rules.n_players)],
    }
