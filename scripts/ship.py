"""Copy what reports need of finished studies into data/studies: `python scripts/ship.py RUN ...`.

Each RUN is a folder of `kasino study --out`. What is shipped tells its command in manifest.json.
"""

from __future__ import annotations

import sys

from kasino_sim.errors import KasinoError
from kasino_sim.report.shipping import MOST_BYTES, ship, size_of


def main() -> None:
    """Ship the studies named on the command line."""
    if not sys.argv[1:]:
        raise SystemExit(__doc__)
    try:
        made = ship(sys.argv[1:])
    except KasinoError as error:
        raise SystemExit("\n".join(error.lines)) from None
    for place in made:
        print(f"{place}: {size_of(place):,} bytes")
    print(f"{size_of(made[0].parent):,} bytes in all, {MOST_BYTES:,} at most")


if __name__ == "__main__":
    main()
