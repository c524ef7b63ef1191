import base64
import hashlib
import html as entities
import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from kasino_sim.catalog import load_ruleset
from kasino_sim.cli import main
from kasino_sim.players import load_player
from kasino_sim.report import words
from kasino_sim.report.build import all_sections, build_report
from kasino_sim.report.findings import findings
from kasino_sim.report.kept import shipped_studies
from kasino_sim.report.parts import Material
from kasino_sim.studies.profile import Profile, plan_profile, play_profile

VOID = {"meta", "img", "br", "hr", "link", "input"}
NAN = float("nan")


def kasino(*args):
    return CliRunner().invoke(main, ["report", *map(str, args)])


def run_of(rules, players=("careful",), deals=300):
    if isinstance(rules, str):
        rules = load_ruleset(rules)
    return play_profile(plan_profile(rules, [load_player(p) for p in players], 1, deals), 1)


class Page(HTMLParser):
    """Reads a page, and minds that every tag that opens also closes, in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.text = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


def visible(text):
    """Return the text of a page as it is read, alternative texts included."""
    text = re.sub(r"<(style|script)>.*?</\1>", "", text, flags=re.S)
    text = re.sub(r'<img src="[^"]*"[^>]*alt="([^"]*)">', r" \1 ", text)
    return " ".join(entities.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def fold_of(text, name):
    """Cut out the part of a page on one rule set."""
    start = text.index(f'<span class="name">{name}</span>')
    ends = [text.find(end, start) for end in ('<details class="rules"', "</section>")]
    return text[start : min(end for end in ends if end >= 0)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "new" / "page.html"
    result = kasino(
        "--deals", 300, "--rules", "svensk,smygkasino", "--rules", "dansk", "--out", out
    )
    assert result.exit_code == 0, result.output
    return out, result


@pytest.fixture(scope="module")
def text(made):
    return made[0].read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


# ---------------------------------------------------------------- the command


def test_says_where_and_how_fast(made):
    out, result = made
    assert result.stdout == f"{out}\n"
    for name in ("svensk", "smygkasino", "dansk"):
        assert re.search(rf"^{name}: 300 deals, \d+ matches, [\d,]+ deals/s$", result.stderr, re.M)
    assert [path.name for path in out.parent.iterdir()] == ["page.html"]


def test_the_same_again_to_the_byte(made, tmp_path):
    out = tmp_path / "again.html"
    args = ["--deals", 300, "--rules", "svensk,smygkasino", "--rules", "dansk"]
    assert kasino(*args, "--threads", 1, "--out", out).exit_code == 0
    assert out.read_bytes() == made[0].read_bytes()


def test_another_seed_makes_another_report(made, tmp_path):
    out = tmp_path / "other.html"
    args = ["--deals", 300, "--rules", "svensk,smygkasino,dansk", "--seed", 2]
    assert kasino(*args, "--out", out).exit_code == 0
    assert out.read_bytes() != made[0].read_bytes()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--rules", "svenks,dansk,finks"], ["svenks", "svensk", "finks", "finsk"]),
        (["--players", "carefull,careful"], ["carefull", "careful"]),
        (["--players", "careful,greedy,random"], ["svensk", "3 given"]),
        (["--seed", "-1"], ["--seed -1", "2**64"]),
        (["--deals", "0"], ["--deals"]),
    ],
)
def test_bad_input(args, words, tmp_path):
    out = tmp_path / "page.html"
    result = kasino("--deals", 10, "--rules", "svensk", *args, "--out", out)
    assert result.exit_code == 2
    assert result.stdout == ""
    for word in words:
        assert word in result.stderr
    assert not out.exists()


def test_bad_place(tmp_path):
    (tmp_path / "file").write_text("")
    result = kasino("--rules", "svensk", "--out", tmp_path / "file" / "page.html")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --out ")


def test_two_rule_sets_of_one_name(tmp_path):
    (tmp_path / "svensk.toml").write_text('preset = "svensk"\n')
    result = kasino("--rules", f"svensk,{tmp_path / 'svensk.toml'}", "--out", tmp_path / "x.html")
    assert result.exit_code == 2
    assert "two rule sets are named svensk" in result.stderr


# ---------------------------------------------------------------- the page


def test_needs_no_network(text, page):
    assert "http" not in text
    for _, attrs in page.tags:
        for name in ("src", "href"):
            assert not urlsplit(attrs.get(name) or "").netloc
            assert (attrs.get(name) or "#").startswith(("#", "data:image/svg+xml;base64,"))
    for found in re.findall(r"url\(([^)]*)\)|@import", text):
        raise AssertionError(found)


def without_studies(text):
    """The page but for the sections of studies that came with the program."""
    for section in all_sections():
        if section.study or section.table:
            text = re.sub(f'<section id="{section.anchor}">.*?</section>', "", text, flags=re.S)
    return text


def test_pictures(page, text):
    pictures = page.all("img")
    own = Page(without_studies(text)).all("img")
    assert len(own) == 9 + 4 + 4 + 3  # side by side, and smygkasino has a fixed length
    assert len({attrs["alt"] for attrs in pictures}) == len(pictures)
    for attrs in pictures:
        assert len(attrs["alt"]) > 60
        assert re.search(r"\d", attrs["alt"])
        svg = base64.b64decode(attrs["src"].partition("base64,")[2]).decode()
        assert {"www.w3.org"} == {urlsplit(x).netloc for x in re.findall(r'http[^"]*', svg)}
        assert not re.search(r'href="(?!#)', svg)
        width, height = int(attrs["width"]), int(attrs["height"])
        highest = 800 if attrs in own else 1000  # house rules are a row each
        assert width == 360 and 120 < height < highest


def test_structure(page):
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == 1
    assert all(attrs.get("scope") in ("col", "row") for attrs in page.all("th"))
    assert len(page.all("table")) == len(page.all("caption"))
    anchors = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(set(anchors)) == len(anchors)
    for attrs in page.all("a"):
        assert attrs["href"][1:] in anchors
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_policy_allows_the_one_script(text, page):
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv"))
    script = re.search(r"<script>(.*?)</script>", text, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert len(script.splitlines()) <= 40


def test_every_section_is_there(text):
    """Sections of studies are there where the program came with such a study."""
    kept = shipped_studies()
    kinds = {study.plan["kind"] for study in kept}
    for section in all_sections():
        wanted = section.anchor != "players"
        if section.study:
            wanted = section.study in kinds
        elif section.table:
            wanted = any(study.has(section.table) for study in kept)
        assert (f'<section id="{section.anchor}">' in text) == wanted, section.anchor
    orders = [section.order for section in all_sections()]
    assert orders == sorted(set(orders))


def test_says_how_to_make_it_again(text):
    assert (
        "kasino report --deals 300 --seed 1 --players careful,careful "
        "--rules svensk,smygkasino --rules dansk" in text
    )
    assert "engine fingerprint" in text


def test_nothing_is_nan(text):
    assert not re.search(r"\b(nan|inf|None|NaN|-0\.0+)\b", visible(text))


def test_lowest_wins_in_words(text):
    low, usual = (visible(fold_of(text, name)) for name in ("smygkasino", "svensk"))
    assert "a match is 4 deals, the lowest total wins" in low
    assert "Points are what one avoids here" in low
    for word in ("Points taken in a deal", "Who is stuck with which points", "points avoided"):
        assert word in low and word not in usual
    for word in ("Points in a deal", "Who gets which points", "the highest total wins"):
        assert word in usual and word not in low
    assert "In smygkasino the lowest total wins." in visible(text)


def test_assumed_rules_are_marked(text):
    for name in ("svensk", "smygkasino", "dansk"):
        fold = fold_of(text, name)
        for key in load_ruleset(name).assumed:
            assert re.search(rf">{re.escape(key)}</th>\s*<td>[^<]*<small>assumed</small>", fold)


# ---------------------------------------------------------------- other runs


def test_one_rule_set_has_nothing_beside_it():
    text = build_report([run_of("norsk")], "kasino report")
    Page(text)
    assert 'id="compare"' not in text
    assert "the same decks for all" not in visible(text)
    assert '<details class="rules" id="rules-1" open>' in text


def test_one_deal_is_undetermined():
    text = build_report([run_of("svensk", deals=1), run_of("finsk", deals=1)], "kasino report")
    Page(text)
    assert words.UNDETERMINED in text
    assert not re.search(r"\b(nan|inf|None|NaN)\b", visible(text))


def test_different_players():
    runs = [run_of(name, ("careful", "random")) for name in ("svensk", "smygkasino")]
    text = build_report(runs, "kasino report")
    Page(text)
    assert 'id="players"' in text
    assert "careful over random" in text


@pytest.mark.parametrize("players", [("careful",), ("careful", "greedy")])
def test_pairs_and_three(players):
    svensk = load_ruleset("svensk")
    pairs = svensk.changed(
        deal={"players": 4, "teams": "pairs"},
        build={"partner": True},
        score={"each_spade": 1, "each_spade_from": 6, "ties": "carry"},
    )
    runs = [run_of(pairs, players, 60), run_of("svensk", players, 60)]
    if len(players) == 1:
        runs.append(run_of(svensk.changed(deal={"players": 3}), players, 60))
    text = build_report(runs, "kasino report")
    Page(text)
    assert "first player&#39;s pair" in text
    assert not re.search(r"\b(nan|inf|None|NaN)\b", visible(text))


def test_long_names_stay_apart():
    rules = load_ruleset("svensk")
    both = [rules.changed(score={"cards": n}, sweep={"points": 2}) for n in (2, 3)]
    labels = Material(tuple(Profile(run_of(r, deals=20)) for r in both), "").labels
    assert len(set(labels.values())) == 2
    Page(build_report([run_of(r, deals=20) for r in both], "kasino report"))


# ---------------------------------------------------------------- sentences


def test_sentences_do_not_claim_too_much():
    """With 30 deals each, two rule sets that are much alike cannot be told apart."""
    few = Material(tuple(Profile(run_of(name, deals=30)) for name in ("dansk", "finsk")), "")
    told = {found.head: found.text for found in findings(few)}
    assert told["Playing first"].startswith("Whether it is better to play first")
    assert "with finsk too close to part from it" in told["Trailing"]


def test_sentences_name_what_stands_clear():
    names = ("svensk", "dansk-casino", "dragkasino")
    many = Material(tuple(Profile(run_of(name, deals=2000)) for name in names), "")
    told = {found.head: found.text for found in findings(many)}
    assert "most common in dragkasino: " in told["Sweeps"]
    assert "rarest in dansk-casino: " in told["Sweeps"]
    assert "too close" not in told["Sweeps"]
    assert "spades cannot be tied" in told["Ties"]


# ---------------------------------------------------------------- numbers in words


def row(value, se=NAN, low=NAN, high=NAN):
    return {"value": value, "se": se, "low": low, "high": high}


@pytest.mark.parametrize(
    ("found", "value", "interval"),
    [
        (row(0.4777, 0.0828, 0.3154, 0.6401), "0.48", "0.31 to 0.65"),
        (row(0.4777, 0.0128, 0.4526, 0.5028), "0.478", "0.452 to 0.503"),
        (row(-0.002, 0.04, -0.08, 0.076), "0.00", f"{words.MINUS}0.08 to 0.08"),
        (row(12345.6, 40.0, 12267.2, 12424.0), f"12{words.GAP}346", None),
        (row(4.0), "4", words.UNDETERMINED),
        (row(2.5), "2.50", words.UNDETERMINED),
        (row(-1.0, NAN, -1.0, -1.0), f"{words.MINUS}1", None),
        (row(NAN), words.UNDETERMINED, words.UNDETERMINED),
        (row(0.0, 0.0, 0.0, 0.000922), "0", "0.000 to 0.001"),
        (row(3.140741, 0.00028, 3.140192, 3.141289), "3.141", "3.140 to 3.142"),
        (row(20.17191, 0.003, 20.16611, 20.17771), "20.172", "20.166 to 20.178"),
    ],
)
def test_rounding(found, value, interval):
    assert words.value(found) == value
    assert interval is None or words.interval(found) == interval


def test_sentences_are_rounded_more():
    found = row(0.90744, 0.00065, 0.90617, 0.90871)
    assert words.about_percent(found) == f"90.7{words.GAP}% (90.6 to 90.9)"
    assert words.percent(found) == f"90.7{words.GAP}%"
    assert words.about(row(1.0, 0.012, 0.976, 1.024), "points") == "1.00 points (0.97 to 1.03)"


def test_lists_and_counts():
    assert words.listed(["a"]) == "a"
    assert words.listed(["a", "b", "c"]) == "a, b and c"
    assert words.share_of(2, 2, "rule set") == "both rule sets"
    assert words.share_of(3, 3, "rule set") == "all three rule sets"
    assert words.share_of(0, 3, "rule set") == "none of the three rule sets"
    assert words.plural(1, "match", "matches") == "1 match"
    assert words.count(1234567) == f"1{words.GAP}234{words.GAP}567"
