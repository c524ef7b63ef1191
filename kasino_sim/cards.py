"""Cards as numbers and as text: ``Ac`` is 0, ``Ad`` 1, and so on to ``Ks``, 51."""

from __future__ import annotations

from collections.abc import Iterable

from kasino_sim.errors import KasinoError

RANKS = "A23456789TJQK"
SUITS = "cdhs"
N_CARDS = len(RANKS) * len(SUITS)


def card_text(index: int) -> str:
    """Write a card, such as ``Td`` for the ten of diamonds.

    Parameters
    ----------
    index : int
        0 to 51, rank by rank from the aces, within a rank c, d, h, s.

    Raises
    ------
    KasinoError
        If there is no such card.
    """
    if not 0 <= index < N_CARDS:
        raise KasinoError(f"{index} is not a card's number (0 to {N_CARDS - 1})")
    return RANKS[index // 4] + SUITS[index % 4]


def parse_card(text: str) -> int:
    """Read a card: rank and suit, also ``10d``, ``kh`` and ``KH``.

    Parameters
    ----------
    text : str
        The card.

    Returns
    -------
    int
        Its number, 0 to 51.

    Raises
    ------
    KasinoError
        If the text is no card; the message says what one looks like.
    """
    if isinstance(text, str):
        rank, suit = text[:-1].upper(), text[-1:].lower()
        rank = "T" if rank == "10" else rank
        if len(rank) == 1 and rank in RANKS and suit and suit in SUITS:
            return RANKS.index(rank) * 4 + SUITS.index(suit)
    raise KasinoError(
        f"{text!r} is not a card: a card is a rank ({' '.join(RANKS)}) and a suit "
        f"({' '.join(SUITS)}), such as Td or 2s"
    )


def parse_cards(cards: str | Iterable[str]) -> list[int]:
    """Read several cards, in the order given.

    Parameters
    ----------
    cards : str or iterable of str
        Cards separated by spaces or commas, or one card an item.

    Returns
    -------
    list of int
        Their numbers.

    Raises
    ------
    KasinoError
        With a line for each text that is no card.
    """
    texts = cards.replace(",", " ").split() if isinstance(cards, str) else cards
    numbers: list[int] = []
    lines: list[str] = []
    for text in texts:
        try:
            numbers.append(parse_card(text))
        except KasinoError as error:
            lines += error.lines
    if lines:
        raise KasinoError(lines)
    return numbers
