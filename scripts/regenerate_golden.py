"""Write the golden transcripts in tests/golden anew: `python scripts/regenerate_golden.py`.

A golden file begins with the command that prints it, and may say in a second line which words it
is there to show; where they are gone, the first deal that has them takes the place. To add one,
write a file with these lines only. A rule set without a file gets one.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from kasino_sim.catalog import ruleset_names
from kasino_sim.cli import main as kasino

FOLDER = Path(__file__).parent.parent / "tests" / "golden"
PLAIN = "$ kasino show --rules {name} --players careful,greedy --seed 1 --deal 0\n"
MOST_DEALS = 20_000


def output(command: str) -> str:
    """Return what `$ kasino ...` prints."""
    result = CliRunner().invoke(kasino, shlex.split(command)[2:])
    if result.exit_code:
        raise SystemExit(f"{command}: {result.output}")
    return result.output


def golden(old: str) -> str:
    """Return a golden file's text anew."""
    command, *rest = old.split("\n", 2)
    wanted = rest[0].removeprefix("shows: ") if rest and rest[0].startswith("shows: ") else ""
    told = output(command)
    for deal in range(MOST_DEALS):
        if wanted in told:
            break
        command = re.sub(r"--deal \d+", f"--deal {deal}", command)
        told = output(command)
    else:
        raise SystemExit(f"{command}: no deal shows {wanted!r}")
    return f"{command}\n" + (f"shows: {wanted}\n" if wanted else "") + f"\n{told}"


def main() -> None:
    """Write every golden file anew, and those that are missing."""
    FOLDER.mkdir(exist_ok=True)
    for name in ruleset_names():
        path = FOLDER / f"{name}.txt"
        if not path.exists():
            path.write_text(PLAIN.format(name=name), encoding="utf-8")
    for path in sorted(FOLDER.rglob("*.txt")):
        path.write_text(golden(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(path.relative_to(FOLDER.parent.parent))


if __name__ == "__main__":
    main()
