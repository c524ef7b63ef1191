"""The proof of intervals over searches can fail: each check sees a spread that is left out."""

from dataclasses import replace

import pytest

from kasino_sim.stats.restarts import over_restarts
from kasino_sim.studies import verification_restarts as restarts


def test_intervals_over_searches_hold():
    checks = restarts.restart_checks(25)
    assert all(check.passed for check in checks), [c.name for c in checks if not c.passed]
    assert {check.name.partition(":")[0].rpartition(", ")[2] for check in checks} == {
        "each", "together",
    }  # fmt: skip


@pytest.mark.parametrize("wrong", ["decks alone", "freedom of decks"])
def test_searches_left_out_are_caught(monkeypatch, wrong):
    """Without what searches do, or as if there had been as many searches as chunks."""

    def short(found, pooled=None):
        right = over_restarts(found, None)
        if wrong == "freedom of decks":
            return replace(right, freedom=float(restarts.CHUNKS))
        return replace(right, block_se=found[0].chunk_se)

    monkeypatch.setattr(restarts, "over_restarts", short)
    checks = restarts.restart_checks(25)
    most = [check for check in checks if "together: searches count for most" in check.name]
    if wrong == "freedom of decks":  # of twelve searches it differs little
        most = [check for check in most if "12 searches" not in check.name]
    assert len(most) > 1 and not any(check.passed for check in most)
