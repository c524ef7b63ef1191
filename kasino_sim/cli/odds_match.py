"""``kasino odds --match``: how long matches take, who wins them, and when they are decided."""

from __future__ import annotations

import json
import math
from typing import Any

from kasino_sim.cli.progress import Progress, load_engine
from kasino_sim.cli.sheets import columns, cut
from kasino_sim.ledger import Ledger
from kasino_sim.plan import Plan
from kasino_sim.simulate import Chunk, Engine, chunk_size, chunks_of, default_threads, run_chunks
from kasino_sim.stats.match_odds import EXACT, MatchOdds, match_odds, odds_json
from kasino_sim.tally import ledger_of

SHOWN = 0.0005  # lengths that are rarer are put together
_Row = dict[str, float]


def tell_matches(plan: Plan, threads: int | None, quiet: bool, output_format: str) -> str:
    """Play deals, reckon the matches that they make, and write it down."""
    load_engine(plan, quiet)
    found = match_odds(plan, _ledgers(plan, threads or default_threads(), quiet))
    if output_format == "json":
        return json.dumps(_about(found) | odds_json(found), ensure_ascii=False)
    return _table(found)


def _ledgers(plan: Plan, threads: int, quiet: bool) -> list[Ledger]:
    engine, ledgers, blocks = Engine(plan), [], 0

    def work(chunk: Chunk) -> Ledger:
        return ledger_of(plan, engine.sheets(chunk.first, chunk.n))

    with Progress(plan.rules.name, plan.blocks * plan.games, quiet) as progress:
        for chunk, ledger in run_chunks(
            work, chunks_of(plan.blocks, chunk_size(plan.blocks, plan.games)), threads
        ):
            ledgers.append(ledger)
            blocks += chunk.n
            progress.update(blocks * plan.games)
    return ledgers


def _about(found: MatchOdds) -> dict[str, Any]:
    plan = found.plan
    return {
        "rules": plan.rules.name,
        "players": [player.name for player in plan.seats],
        "seed": str(plan.seed),
        "deals": plan.blocks * plan.games,
        "blocks": plan.blocks,
        "method": found.method,
        "confidence": 0.95,
    }


# ---------------------------------------------------------------- for people


def _table(found: MatchOdds) -> str:
    plan = found.plan
    names = " v ".join(dict.fromkeys(player.name for player in plan.seats))
    how = "reckoned" if found.method == EXACT else f"{len(found.parts):,} of them played"
    lines = [
        cut(f"{plan.rules.name}: matches of {names}"),
        cut(f"{how} from {plan.blocks * plan.games:,} deals in {plan.blocks:,} blocks, seed "
            f"{plan.seed}; 95% intervals"),
        "",
    ]  # fmt: skip
    rows: list[list[str]] = [["deals in a match, on average", *_mean(found.deals_per_match)]]
    rows += [[], *_length_rows(found), [], *_win_rows(found), []]
    rows += [
        ["the last deal decides", *_share(found.decided_in_last_deal)],
        ["the winner was behind at some time", *_share(found.comeback)],
        ["changes of the lead in a match", *_mean(found.lead_changes)],
    ]
    lines += columns(rows)
    lines += [
        "",
        "The last deal decides: before it the later winner did not lead alone. Behind:",
        "after some deal before the last another side had the better total.",
    ]
    return "\n".join(lines)


def _length_rows(found: MatchOdds) -> list[list[str]]:
    often = [row for row in found.lengths if row["value"] >= SHOWN]
    rows = [[f"over after {_deals(int(row['deals']))}", *_share(row)] for row in often]
    longest = int(often[-1]["deals"]) if often else 0
    rest = sum(row["value"] for row in found.lengths if row["deals"] > longest)
    if rest > 0:
        less = f"under {SHOWN:.2%}" if rest < SHOWN / 5 else f"{rest:.2%}"
        rows.append([f"after more than {longest}", less, ""])
    return rows


def _deals(n: int) -> str:
    return f"{n} deal" if n == 1 else f"{n} deals"


def _win_rows(found: MatchOdds) -> list[list[str]]:
    plan, sides = found.plan, found.plan.rules.sides
    rows = []
    if not plan.alike:
        rows += [
            [f"won by {_player(plan, k)}", *_share(row)] for k, row in enumerate(found.by_player)
        ]
        rows.append([])
    side = "" if plan.rules.deal.teams != "pairs" else "the side of "
    for seat, row in enumerate(found.by_seat):
        who = "who plays first" if seat == 0 else f"number {seat + 1} to play"
        who = "who deals first" if seat == sides - 1 else who
        rows.append([f"won by {side}{who}", *_share(row)])
    return rows


def _player(plan: Plan, k: int) -> str:
    """Name a player, with the place in --players where two have the same name."""
    names = [player.name for player in plan.seats[: plan.rules.sides]]
    return names[k] if names.count(names[k]) == 1 else f"{names[k]} ({k + 1})"


def _share(row: _Row) -> tuple[str, str]:
    places = _places(row["se"] * 100, 1)
    value = f"{row['value']:.{places}%}"
    if math.isnan(row["low"]):
        return value, ""
    return value, f"{row['low']:.{places}%} to {row['high']:.{places}%}"


def _mean(row: _Row) -> tuple[str, str]:
    places = _places(row["se"], 2)
    value = f"{row['value']:.{places}f}"
    if math.isnan(row["low"]):
        return value, ""
    return value, f"{row['low']:.{places}f} to {row['high']:.{places}f}"


def _places(se: float, otherwise: int) -> int:
    """Decimals that a standard error leaves meaning to."""
    if math.isnan(se):
        return otherwise
    return min(4, max(1, 1 - math.floor(math.log10(se))))
