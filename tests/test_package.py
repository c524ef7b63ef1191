"""The package's public names."""

import pytest

import kasino_sim


def test_every_public_name_has_a_home():
    for name in kasino_sim.__all__:
        assert getattr(kasino_sim, name).__doc__, name
    assert kasino_sim.__version__
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = kasino_sim.nonsense


def test_the_readme_s_program_runs():
    """The lines under "From Python" in README.md, with fewer deals."""
    from pathlib import Path

    text = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    program = text.split("```python\n")[1].split("```")[0].replace("100_000", "400")
    names: dict = {}
    exec(program, names)
    assert names["summary"]["deals"] == 400
    assert names["table"].legal_moves()
