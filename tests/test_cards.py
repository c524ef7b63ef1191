import subprocess
import sys

import pytest

from kasino_sim.cards import N_CARDS, RANKS, SUITS, card_text, parse_card, parse_cards
from kasino_sim.errors import KasinoError, closest


def test_every_card_there_and_back():
    texts = [card_text(index) for index in range(N_CARDS)]
    assert texts[:5] == ["Ac", "Ad", "Ah", "As", "2c"]
    assert texts[-1] == "Ks"
    assert len(set(texts)) == 52
    assert [parse_card(text) for text in texts] == list(range(52))
    assert texts == [rank + suit for rank in RANKS for suit in SUITS]


@pytest.mark.parametrize(
    ("given", "card"),
    [("10d", "Td"), ("10D", "Td"), ("td", "Td"), ("aS", "As"), ("KH", "Kh"), ("2S", "2s")],
)
def test_other_spellings(given, card):
    assert card_text(parse_card(given)) == card


@pytest.mark.parametrize(
    "given", ["", "T", "d", "1d", "11d", "100d", "Tx", "Tdd", " Td", "T d", "dT", "A23c", None, 7]
)
def test_no_such_card(given):
    with pytest.raises(KasinoError) as caught:
        parse_card(given)
    (line,) = caught.value.lines
    assert repr(given) in line
    assert "such as Td" in line


@pytest.mark.parametrize("index", [-1, 52])
def test_no_such_number(index):
    with pytest.raises(KasinoError, match="not a card's number"):
        card_text(index)


def test_several_cards():
    assert parse_cards("Ac 10d,ks") == [0, 37, 51]
    assert parse_cards(["Ks", "Ac"]) == [51, 0]
    assert parse_cards("") == []


def test_every_wrong_card_is_named():
    with pytest.raises(KasinoError) as caught:
        parse_cards("Ac 1x Ks 2z")
    assert [line.split()[0] for line in caught.value.lines] == ["'1x'", "'2z'"]


def test_closest():
    assert closest("svenks", ["svensk", "norsk"]) == " - did you mean 'svensk'?"
    assert closest("qqq", ["svensk"]) == ""
    assert closest(3, ["svensk"]) == ""


def test_error_lines():
    assert KasinoError("one").lines == ["one"]
    assert str(KasinoError(["one", "two"])) == "one\ntwo"


def test_cards_need_no_numpy():
    code = "import sys, kasino_sim.cards; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
