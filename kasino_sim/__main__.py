"""Lets ``python -m kasino_sim`` do what ``kasino`` does."""

from kasino_sim.cli import main

if __name__ == "__main__":
    main(prog_name="kasino")
