"""What was measured as text, and as the page docs/SPEED.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kasino_sim.cli.simulate_table import number

_BUSY = 0.95  # a thread that got less of a core shared it with other programs
_PAGE = """\
# How fast

This page is written by

```
{command} --format markdown > docs/SPEED.md
```

and its last section, a comparison with a program that can play one rule set only, by

```
python scripts/bench.py --yardstick PROGRAM --format markdown >> docs/SPEED.md
```"""


@dataclass(frozen=True)
class Table:
    """Rows of text under a title, with a line that explains them.

    Attributes
    ----------
    title, note : str
    head : tuple of str
    rows : sequence of tuple of str
    words : int
        How many columns, the first ones, are words; the others are numbers.
    """

    title: str
    note: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    words: int = 1

    def text(self) -> str:
        """Write in columns."""
        lines = [self.head, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.head))]
        columns = [
            "  ".join(
                cell.ljust(width) if i < self.words else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in lines
        ]
        return "\n".join([self.title, *filter(None, [self.note]), "", *columns])

    def markdown(self) -> str:
        """Write as a section of a page."""
        rule = [*["---"] * self.words, *["---:"] * (len(self.head) - self.words)]
        grid = [f"| {' | '.join(line)} |" for line in (self.head, rule, *self.rows)]
        return "\n\n".join([f"## {self.title}", *filter(None, [self.note]), "\n".join(grid)])


def bench_table(found: dict[str, Any]) -> str:
    """Return the measures for a person to read."""
    tables = [table.text() for table in _tables(found)]
    return "\n\n".join([machine_line(found["machine"]), *tables, *_strengths(found)])


def bench_markdown(found: dict[str, Any]) -> str:
    """Return the measures as the page docs/SPEED.md, whole."""
    first, *others = (table.markdown() for table in _tables(found))
    measured = f"Measured on {machine_line(found['machine'])}."
    page = _PAGE.format(command=found["command"])
    return "\n\n".join([page, measured, first, *_strengths(found), *others])


def machine_line(machine: dict[str, Any]) -> str:
    """Name the machine and the versions."""
    load = "" if machine["load"] is None else f"; load at the start {machine['load']:.1f}"
    return (
        f"{machine['processor']}, {machine['cores_usable']} of {machine['cores']} cores, "
        f"{machine['system']},\n"
        f"Python {machine['python']}, numpy {machine['numpy']}, numba {machine['numba']}{load}"
    )


def _tables(found: dict[str, Any]) -> Iterator[Table]:
    yield _speeds(found)
    if "starts" in found:
        yield _starts(found)
        yield _runs(found)


def _speeds(found: dict[str, Any]) -> Table:
    settings = found["settings"]
    rows = [
        (
            case["table"],
            case["match_up"],
            spread_text(case["one_thread"]["deals_per_cpu_second"], 1000),
            short(case["all_threads"]["deals_per_second"]["median"] / 1000),
            spread_text(case["gain"]),
        )
        for case in found["cases"]
    ]
    return Table(
        "Thousands of deals a second",
        f"Medians of {settings['repeats']} samples (least–most). One core: by the processor time\n"
        f"of one thread. Threads: all {settings['threads']}, by the clock; gain: over one thread, "
        "by the clock." + _busy(found["cases"]),
        ("rules", "players", "one core", "threads", "gain"),
        rows,
        words=2,
    )


def _busy(cases: list[dict[str, Any]]) -> str:
    """Say so where other programs used the cores at the same time."""
    share = min(
        case[part]["core_share"] for case in cases for part in ("one_thread", "all_threads")
    )
    if share > _BUSY:
        return ""
    return f"\nThe machine was not idle: at times a thread got {100 * share:.0f} % of a core."


def _starts(found: dict[str, Any]) -> Table:
    return Table(
        "Seconds a command takes, whole",
        "",
        ("command", "by the clock", "of processors"),
        [(at["name"], spread_text(at["wall"]), spread_text(at["cpu"])) for at in found["starts"]],
    )


def _runs(found: dict[str, Any]) -> Table:
    rows = [
        (
            f"{run['deals']:,}",
            f"{run['wall']:.1f}",
            short(run["deals_per_second"] / 1000),
            "-" if run["peak_bytes"] is None else f"{run['peak_bytes'] / 2**20:.0f}",
            short(run["bytes_kept_per_deal"]),
        )
        for run in found["runs"]
    ]
    return Table(
        "Whole runs",
        "kasino simulate --deals N --out DIR, from start to end, with all threads.",
        ("deals", "seconds", "thousands a second", "peak memory, MiB", "bytes kept a deal"),
        rows,
        words=0,
    )


def _strengths(found: dict[str, Any]) -> Iterator[str]:
    for case in found["cases"]:
        if case["strength"]:
            yield (
                f"{' minus '.join(case['players'])} in {case['table']}: "
                f"{number(case['strength'], signed=True)} points a deal\n"
                f"(mean ± standard error, the first {case['strength']['deals']:,} deals "
                f"of seed {found['settings']['seed']})."
            )


def spread_text(values: dict[str, float] | None, unit: float = 1) -> str:
    """Write a median with the least and the most."""
    if values is None:
        return "-"
    median, low, high = (short(values[key] / unit) for key in ("median", "min", "max"))
    return f"{median} ({low}–{high})"


def short(value: float) -> str:
    """Write three digits, but no more than three decimals, and all before the point."""
    places = sum(value < limit for limit in (99.95, 9.995, 0.09995))
    return f"{value:,.{places}f}"
