"""Tallies that are kept together, in one file, come back as they were."""

import numpy as np
import pandas as pd
import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.errors import KasinoError
from kasino_sim.plan import Plan, players_by_name
from kasino_sim.simulate import Chunk, Engine, chunks_of
from kasino_sim.store import RunFolder
from kasino_sim.studies.cells import FEWEST_SHEAVES, MOST_TOGETHER, sheaves_of
from kasino_sim.tally import frame_of, merge, tallies_of

CASES = {
    "two": (("careful", "greedy"), [], {}),
    "alike": (("random",), [], {"detail": True}),
    "three": (("careful", "greedy", "random"), ["deal.players=3"], {}),
    "pairs": (("careful", "greedy"), ["deal.players=4", "deal.teams=pairs"], {}),
    "nobody captures": (("random",), ["capture.obligation=free"], {"deals": 8}),
}


def played(case):
    """Return a plan and three tallies of it: of no chunk alike, one of a single block."""
    names, changes, more = CASES[case]
    plan = Plan(
        load_ruleset("svensk", changes), players_by_name(names), **{"seed": 3, "deals": 80} | more
    )
    engine = Engine(plan)
    return plan, [engine.tally(Chunk(i, *at)) for i, at in enumerate([(0, 9), (9, 1), (10, 20)])]


@pytest.mark.parametrize("case", CASES)
def test_they_come_back_as_they_were(case, tmp_path):
    plan, tallies = played(case)
    frame_of(tallies).to_parquet(tmp_path / "kept.parquet", compression="zstd")
    back = tallies_of(pd.read_parquet(tmp_path / "kept.parquet"), plan)
    assert len(back) == 3
    for one, other in zip(tallies, back, strict=True):
        assert one.frame().equals(other.frame())
        assert (one.blocks, one.sums, one.squares, one.deals) == (
            other.blocks,
            other.sums,
            other.squares,
            other.deals,
        )
        assert all(np.array_equal(a, other.counts[name]) for name, a in one.counts.items())
    assert merge(back).frame().equals(merge(tallies).frame())


@pytest.mark.parametrize("case", CASES)
def test_one_by_one_they_are_the_same(case):
    plan, tallies = played(case)
    together = frame_of(tallies)
    for at, tally in enumerate(tallies):
        mine = together[together["tally"] == at].drop(columns="tally").reset_index(drop=True)
        assert mine.equals(tally.frame())


def test_a_file_of_other_chunks_is_not_taken(tmp_path):
    plan, tallies = played("two")
    folder = RunFolder(tmp_path, plan, 9, resume=False)
    chunks = [Chunk(0, 0, 9), Chunk(1, 9, 1), Chunk(2, 10, 20)]
    folder.save(chunks, tallies)
    assert folder.load(chunks) is not None
    assert folder.load(chunks[:2]) is None
    assert folder.load([*chunks[:2], Chunk(2, 10, 21)]) is None
    assert folder.load([Chunk(1, 9, 1)]) is None
    folder.save(chunks, [tallies[0], tallies[2], tallies[1]])
    with pytest.raises(KasinoError, match="000000.parquet: is of other deals"):
        folder.load(chunks)


def test_a_frame_in_which_a_row_is_missing_is_no_tally(tmp_path):
    plan, tallies = played("two")
    frame = frame_of(tallies)
    for kind in ("sum", "square", "blocks", "deals"):
        damaged = frame.drop(index=frame.index[frame["kind"] == kind][-1])
        folder = RunFolder(tmp_path / kind, plan, 9, resume=False)
        (tmp_path / kind / "chunks").mkdir()
        damaged.to_parquet(tmp_path / kind / "chunks" / "000000.parquet")
        with pytest.raises(KasinoError, match=r"damaged|other deals"):
            if folder.load([Chunk(0, 0, 9), Chunk(1, 9, 1), Chunk(2, 10, 20)]) is None:
                raise KasinoError("damaged")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 20, 53, 200, 1999])
def test_sheaves_hold_every_chunk_once(n):
    chunks = list(chunks_of(n * 5, 5))
    sheaves = sheaves_of(chunks)
    assert [chunk for sheaf in sheaves for chunk in sheaf] == chunks
    assert max(map(len, sheaves)) <= MOST_TOGETHER
    assert len(sheaves) >= min(n, FEWEST_SHEAVES) - 1
