"""The proof of the statistics in short, and that its checks can fail."""

import importlib.util
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from kasino_sim.report.verification import page, table
from kasino_sim.stats import intervals
from kasino_sim.studies import verification as v
from kasino_sim.studies import verification_runs as runs


@pytest.fixture(scope="module")
def people():
    return v.population(runs._plan(20_000))


@pytest.fixture(scope="module")
def script():
    path = Path(__file__).parents[1] / "scripts" / "verify.py"
    spec = importlib.util.spec_from_file_location("verify_script", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_check_passes_within_its_bounds_only():
    assert v.Check("a", "b", 0.95, 0.94, 0.96, 1).passed
    for figure in (0.93, 0.97, math.nan):
        assert not v.Check("a", "b", figure, 0.94, 0.96, 1).passed
    assert not v.holds("a", "b", False).passed
    assert not runs.Verification().passed


def test_bounds_are_94_to_96_where_there_are_many_repetitions():
    many, few = v.covers("x", 0.95, 10_000), v.covers("x", 0.95, 400)
    assert (many.least, many.most) == pytest.approx((0.94, 0.96))
    assert few.least < 0.91
    assert not v.covers("x", 0.935, 10_000).passed


def test_an_interval_that_is_too_short_is_caught(people, monkeypatch):
    assert v.mean_coverage(people, "difference", 200, 1_000).passed
    assert v.rate_coverage(0.3, 500, "x", False).passed
    monkeypatch.setattr(v, "mean_row", lambda e: {"low": e.mean - e.se, "high": e.mean + e.se})
    wrong = v.mean_coverage(people, "difference", 200, 1_000)
    assert not wrong.passed
    assert wrong.figure == pytest.approx(0.68, abs=0.06)
    row = intervals.rate_row
    monkeypatch.setattr(v, "rate_row", lambda k, n: {**row(k, n), "low": k / n})
    assert not v.rate_coverage(0.3, 500, "x", False).passed


def test_arms_that_differ_are_caught(people):
    other = v.population(runs._plan(20_000, ("greedy", "careful")))
    assert not all(check.passed for check in v.a_a(people, other, 200)[0])
    assert not v.shared_noise(people, other).passed


def test_a_run_that_depends_on_its_chunks_is_caught(monkeypatch):
    simulate = runs.simulate

    def wrong(plan, threads=None, chunk=None):
        found = simulate(plan, threads, chunk)
        return replace(found, blocks=found.blocks + 1) if chunk == 37 else found

    monkeypatch.setattr(runs, "simulate", wrong)
    failed = [check.name for check in runs.run_checks(1_000) if not check.passed]
    assert failed == ["threads and chunks change nothing"]


def test_the_script_in_short(script, tmp_path):
    done = CliRunner().invoke(script.main, ["--quick", "--out", str(tmp_path / "proof")])
    assert done.exit_code == 0, done.output
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stdout.splitlines()[-1].endswith(" 0 failed")
    text = (tmp_path / "proof" / "index.html").read_text()
    assert text.count("<svg") == 2
    assert "http" not in text.replace("http://www.w3.org", "")
    rows = (tmp_path / "proof" / "verification.csv").read_text().splitlines()
    assert len(rows) > 30
    assert "nan" not in text and "nan" not in done.stdout


def test_a_failed_check_ends_with_1(script, monkeypatch):
    found = runs.Verification([v.holds("a", "never", False)])
    monkeypatch.setattr(script, "verify", lambda scale: iter([found]))
    done = CliRunner().invoke(script.main, [])
    assert done.exit_code == 1
    assert "FAIL never" in done.stdout


def test_a_page_tells_what_failed():
    frame = v.as_frame([v.covers("mean <t>", 0.9, 10_000)])
    assert "failed" in page(frame, np.linspace(0, 1, 100))
    assert "mean &lt;t&gt;" in page(frame, np.zeros(0))
    assert table(frame).startswith("FAIL mean <t>")
