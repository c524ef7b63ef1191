import json
import pickle
import subprocess
import sys

import pytest
from pydantic import ValidationError

from kasino_sim.catalog import data_dir, load_ruleset
from kasino_sim.errors import KasinoError
from kasino_sim.rules import (
    KEYS,
    SECTIONS,
    Layer,
    Ruleset,
    allowed_values,
    assemble,
    description,
    diff,
    even_hands,
    ruleset_json_schema,
    section_keys,
)


@pytest.fixture(scope="module")
def svensk():
    return load_ruleset("svensk")


def lines_of(rules, *overrides):
    with pytest.raises(KasinoError) as caught:
        rules.with_overrides(overrides)
    return caught.value.lines


def test_keys(svensk):
    assert list(svensk.flat()) == list(KEYS)
    assert KEYS[0] == "deal.players"
    assert "build.raise" in KEYS
    assert section_keys("capture") == ("obligation", "extent", "clear_card")


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_documented(key):
    assert description(key).endswith(".")
    assert allowed_values(key)


def test_frozen_and_hashable(svensk):
    with pytest.raises(ValidationError):
        svensk.deal.players = 3
    assert hash(svensk) == hash(load_ruleset("svensk"))
    assert pickle.loads(pickle.dumps(svensk)) == svensk


def test_sides(svensk):
    assert (svensk.n_players, svensk.sides) == (2, 2)
    assert svensk.with_overrides(["deal.players=3"]).sides == 3
    assert svensk.with_overrides(["deal.players=4"]).sides == 4
    pairs = svensk.with_overrides(["deal.players=4", "deal.teams=pairs"])
    assert (pairs.n_players, pairs.sides) == (4, 2)


@pytest.mark.parametrize(
    ("override", "section", "key", "value"),
    [
        ("sweep.points=2", "sweep", "points", 2),
        ("sweep.points = 2", "sweep", "points", 2),
        ("values.ace_hand=[14, 1]", "values", "ace_hand", [1, 14]),
        ("values.ace_hand=1", "values", "ace_hand", [1]),
        ("build.allowed=false", "build", "allowed", False),
        ("build.allowed=False", "build", "allowed", False),
        ("values.big=Ts", "values", "big", "Ts"),
        ("values.big=10S", "values", "big", "Ts"),
        ('values.big="ts"', "values", "big", "Ts"),
        ("values.little=2d", "values", "little", "2d"),
        ("capture.clear_card=5S", "capture", "clear_card", "5s"),
        ("capture.clear_card=", "capture", "clear_card", ""),
        ("build.raise=none", "build", "raise", "none"),
    ],
)
def test_overrides(svensk, override, section, key, value):
    assert svensk.with_overrides([override]).resolved()[section][key] == value


def test_the_later_override_counts(svensk):
    assert svensk.with_overrides(["match.target=21", "match.target=11"]).match.target == 11


def test_changed(svensk):
    rules = svensk.changed(sweep={"points": 2}, build={"raise": "none"})
    assert diff(svensk, rules) == [("build.raise", "any", "none"), ("sweep.points", 1, 2)]
    assert diff(svensk, svensk) == []
    assert rules.name == "svensk+build.raise=none+sweep.points=2"
    assert rules.preset == "svensk"
    with pytest.raises(KasinoError, match="change: sweep.points = 3 is not allowed"):
        svensk.changed(sweep={"points": 3})


def test_no_change_keeps_the_name(svensk):
    assert svensk.with_overrides(["match.target=16"]).name == "svensk"
    assert svensk.with_overrides([]) == svensk


def test_changes_upon_changes():
    rules = load_ruleset("norsk", ["sweep.points=2"]).with_overrides(["match.deals=3"])
    assert (rules.name, rules.preset) == ("norsk+sweep.points=2+match.deals=3", "norsk")


def test_every_missing_key_is_named():
    with pytest.raises(KasinoError) as caught:
        assemble([Layer("root.toml", {})], name="root")
    lines = caught.value.lines
    assert [line.split(" is missing")[0] for line in lines] == [f"root.toml: {key}" for key in KEYS]


def test_a_key_that_was_set_is_no_longer_assumed(svensk):
    assert "build.duty" in svensk.assumed
    assert "build.duty" not in svensk.with_overrides(["build.duty=resolve"]).assumed


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("match.target=0", "match.target = 0 is not allowed (allowed: a whole number from 1 "),
        ("match.deals=0", "match.deals = 0 is not allowed"),
        ("deal.players=5", "deal.players = 5 is not allowed (allowed: a whole number from 2 to 4)"),
        ("deal.players=1", "deal.players = 1 is not allowed"),
        ("deal.players=2.0", "deal.players = 2.0 is not allowed"),
        ("deal.players=true", "deal.players = true is not allowed"),
        ("deal.players=two", 'deal.players = "two" is not allowed'),
        ("deal.hand=0", "deal.hand = 0 is not allowed"),
        (
            "score.cards=-1",
            "score.cards = -1 is not allowed (allowed: a whole number from 0 to 100",
        ),
        ("score.cards=1.5", "score.cards = 1.5 is not allowed"),
        ("score.spades=101", "score.spades = 101 is not allowed"),
        ("sweep.points=3", "sweep.points = 3 is not allowed"),
        ("build.allowed=1", "build.allowed = 1 is not allowed (allowed: true or false)"),
        ("build.raise=other", "is not allowed - did you mean 'others'?"),
        ("values.ace_hand=[]", "values.ace_hand = [] is not allowed"),
        ("values.ace_hand=[1,1]", "values.ace_hand = [1, 1] is not allowed"),
        ("values.ace_hand=[true]", "values.ace_hand = [true] is not allowed"),
        ("values.ace_table=14", "values.ace_table = 14 is not allowed (allowed: [1], [1, 14]"),
        ("values.little_hand=[1,2]", "values.little_hand = [1, 2] is not allowed"),
        ("values.big=Tx", 'values.big = "Tx" is not allowed (allowed: "Tc", "Td", "Th", "Ts")'),
        ("values.big=9d", 'values.big = "9d" is not allowed'),
        ("values.little=3s", 'values.little = "3s" is not allowed'),
        ("capture.clear_card=1s", 'capture.clear_card = "1s" is not allowed (allowed: "" or'),
        ("capture.clear_card=5", "capture.clear_card = 5 is not allowed"),
        ("sweep.pionts=1", "sweep.pionts is not known - did you mean 'points'?"),
        ("build.raise_=any", "build.raise_ is not known - did you mean 'raise'?"),
        ("score.target=1", "score.target is not known - did you mean 'match.target'?"),
        ("swep.points=1", "'swep' is not known - did you mean 'sweep'?"),
        ("points=1", "--set points=1: expected section.key=value - did you mean 'sweep.points'?"),
        ("sweep.points", "--set sweep.points: expected section.key=value"),
        (
            "clear_card=5s",
            "did you mean 'capture.clear_card' or 'sweep.clear_card'?",
        ),
    ],
)
def test_bad_override(svensk, override, said):
    (line,) = lines_of(svensk, override)
    assert line.startswith("--set")
    assert said in line


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["deal.teams=pairs"], 'deal.teams = "pairs" needs deal.players = 4, not 2'),
        (["build.partner=true"], 'build.partner = true needs deal.teams = "pairs"'),
        (["match.end=count-out", "match.goal=deals"], 'match.end = "count-out" needs'),
        (["match.end=count-out", "match.winner=lowest"], 'match.end = "count-out" needs'),
        (["deal.hand=5"], "deal.hand = 5 with 2 players and 4 table cards does not come out even"),
        (["deal.table=5"], "does not come out even"),
        (["deal.table=50", "deal.hand=2"], "(hands that do: 1)"),
        (["deal.draw=single", "deal.table=5"], "(hands that do: none, change deal.table)"),
        (["deal.draw=single", "deal.hand=25"], "does not come out even"),
        (["deal.swap_point_cards=true", "deal.hand=24"], "needs a stock of 6 cards or more, not 0"),
    ],
)
def test_keys_that_do_not_go_together(svensk, overrides, said):
    (line,) = lines_of(svensk, *overrides)
    assert line.startswith("--set: ")
    assert said in line


@pytest.mark.parametrize(
    "overrides",
    [
        ["deal.hand=6"],
        ["deal.hand=24"],
        ["deal.hand=12", "deal.players=4"],
        ["deal.table=0", "deal.hand=13"],
        ["deal.draw=single", "deal.hand=5"],
        ["deal.draw=single", "deal.hand=24"],
        ["deal.players=4", "deal.teams=pairs", "build.partner=true"],
        ["match.end=count-out"],
        ["match.goal=deals", "match.winner=lowest"],
    ],
)
def test_keys_that_go_together(svensk, overrides):
    svensk.with_overrides(overrides)


def test_even_hands():
    assert even_hands(2, 4, "batch") == [1, 2, 3, 4, 6, 8, 12, 24]
    assert even_hands(3, 4, "batch") == [1, 2, 4, 8, 16]
    assert even_hands(4, 4, "batch") == [1, 2, 3, 4, 6, 12]
    assert even_hands(3, 4, "single") == list(range(1, 17))


def test_all_mistakes_at_once(svensk):
    lines = lines_of(
        svensk, "match.target=0", "values.big=Tx", "build.partner=true", "x", "sweep.pionts=2"
    )
    assert len(lines) == 5
    for said in ("match.target", "values.big", "build.partner", "--set x", "sweep.pionts"):
        assert sum(said in line for line in lines) == 1


def test_made_by_hand_it_is_checked_too(svensk):
    sections = svensk.resolved()
    assert Ruleset(name="x", **sections).resolved() == sections
    sections["build"]["partner"] = True
    with pytest.raises(ValidationError, match="build.partner"):
        Ruleset(name="x", **sections)
    del sections["build"]["partner"]
    with pytest.raises(ValidationError):
        Ruleset(name="x", **sections)


def test_schema_file_is_up_to_date():
    """Rebuild it by: kasino rulesets schema > data/rulesets/ruleset.schema.json."""
    path = data_dir() / "rulesets" / "ruleset.schema.json"
    assert json.loads(path.read_text(encoding="utf-8")) == ruleset_json_schema()


def test_schema_has_every_key_and_requires_none():
    schema = ruleset_json_schema()
    for section in SECTIONS:
        part = schema["properties"][section]
        assert tuple(part["properties"]) == section_keys(section)
        assert part["additionalProperties"] is False
        assert "required" not in part
    assert schema["properties"]["values"]["properties"]["ace_table"]["enum"] == [
        [1],
        [1, 14],
        [14, 1],
        1,
    ]


def test_rules_need_no_numpy():
    code = (
        "import sys, kasino_sim.catalog;"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'numba', 'pandas')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
