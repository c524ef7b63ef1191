"""Studies that come with the program: their findings are what their own tallies say."""

import pytest

from kasino_sim.report.kept import shipped_studies

STUDIES = {str(study.plan["name"]): study for study in shipped_studies()}


def test_every_study_of_the_makefile_is_shipped():
    assert set(STUDIES) == {
        "claims", "tips", "knockouts", "house-rules-one-by-one", "house-rules-more-players",
        "house-rules-factorial",
    }  # fmt: skip
    assert all(study.confirmed for study in STUDIES.values())


@pytest.mark.parametrize("name", list(STUDIES))
def test_findings_agree_with_what_was_counted(name):
    """Means and standard errors over blocks, computed again from sums and squares."""
    study = STUDIES[name]
    tallies, findings = study.table("tallies"), study.findings.set_index("id")
    assert set(tallies["cell"]) == {cell["name"] for cell in study.manifest["cells"]}
    checked = 0
    for response, column, per_game in (
        ("captures_per_deal", "captures", True),
        ("builds_per_deal", "builds", True),
        ("sweeps_per_deal", "sweeps", True),
        ("skill_points", "difference", False),
    ):
        for row in tallies[tallies["column"] == column].to_dict("records"):
            place = f"{row['cell']}:{response}"
            if place not in findings.index:
                continue
            found, n = findings.loc[place], row["blocks"]
            # A difference is of two who differ: a half for each of a block's two games.
            per = row["games"] if per_game else 2
            assert found["n_blocks"] == n
            if not per_game and row["games"] != 2:
                continue
            assert abs(found["est"]) == pytest.approx(abs(row["sum"]) / n / per, rel=1e-5, abs=1e-6)
            variance = (row["square"] - row["sum"] ** 2 / n) / (n - 1) / per**2
            assert found["se"] == pytest.approx((variance / n) ** 0.5, rel=1e-4), place
            checked += 1
    assert checked > 5
