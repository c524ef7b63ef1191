"""The register of attempts."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from kasino_sim import attempts as a
from kasino_sim.errors import KasinoError


def attempt(plan="tips", result="above"):
    return a.Attempt("2026-01-02 03:04", plan, "abc", str(2**64 - 1), "500", result)


def test_written_and_counted(tmp_path):
    register = tmp_path / "reports" / "attempts.csv"
    assert a.earlier("tips", register) == 0
    a.append(attempt(result='0.2, "more"\nthan 0'), register)
    a.append(attempt("rules"), register)
    a.append(attempt(), register)
    assert a.earlier("tips", register) == 2
    assert a.attempts("rules", register) == [attempt("rules")]
    assert a.attempts("tips", register)[0].result == '0.2, "more" than 0'
    assert len(register.read_text().splitlines()) == 4


def test_writers_at_once_lose_nothing(tmp_path):
    register = tmp_path / "attempts.csv"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: a.append(attempt(result=str(i)), register), range(200)))
    assert sorted(int(x.result) for x in a.attempts("tips", register)) == list(range(200))


def test_another_file_is_left_alone(tmp_path):
    register = tmp_path / "attempts.csv"
    register.write_text("name,age\nanna,7\n")
    for call in (lambda: a.append(attempt(), register), lambda: a.earlier("tips", register)):
        with pytest.raises(KasinoError, match="allowed is when,plan"):
            call()
    assert register.read_text() == "name,age\nanna,7\n"
    with pytest.raises(KasinoError, match="cannot be written"):
        a.append(attempt(), register / "below")


def test_a_broken_line_is_named(tmp_path):
    register = tmp_path / "attempts.csv"
    a.append(attempt(), register)
    register.write_text(register.read_text() + "torn\n")
    with pytest.raises(KasinoError, match="line 3 has 1 fields, allowed are 6"):
        a.earlier("tips", register)


def test_fingerprint():
    assert a.fingerprint({"a": 1, "b": 2}, "x") == a.fingerprint({"b": 2, "a": 1}, "x")
    assert a.fingerprint({"a": 1}) != a.fingerprint({"a": 2})


def test_ready_for_an_attempt_that_is_never_made(tmp_path):
    """A run that is stopped leaves an empty register, in which there is no attempt."""
    register = tmp_path / "reports" / "attempts.csv"
    a.ready(register)
    assert a.earlier("tips", register) == 0
    assert [a.write_down("tips", "abc", 1, 500, "above", register) for _ in range(2)] == [1, 2]
    a.ready(register)
    assert a.attempts("tips", register)[1].blocks == "500"
    (tmp_path / "file").touch()
    with pytest.raises(KasinoError, match="is written down there"):
        a.ready(tmp_path / "file" / "attempts.csv")
