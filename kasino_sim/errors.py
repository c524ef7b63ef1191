"""The one error that is meant for a person, and the guess at what was meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class KasinoError(Exception):
    """Bad input, told in lines that say where, what was given, and what is allowed.

    Parameters
    ----------
    lines : str or iterable of str
        One message a line; several where several things are wrong at once.

    Attributes
    ----------
    lines : list of str
        The messages.
    """

    def __init__(self, lines: str | Iterable[str]) -> None:
        self.lines: list[str] = [lines] if isinstance(lines, str) else list(lines)
        super().__init__("\n".join(self.lines))

    def __reduce__(self) -> tuple[type[KasinoError], tuple[list[str]]]:
        return type(self), (self.lines,)


def closest(name: object, allowed: Iterable[str]) -> str:
    """Guess which of the allowed names was meant.

    Parameters
    ----------
    name : object
        What was given; anything but a string has no close name.
    allowed : iterable of str
        The names there are.

    Returns
    -------
    str
        `` - did you mean 'x'?``, or an empty string where nothing comes close.
    """
    if not isinstance(name, str):
        return ""
    found = get_close_matches(name.lower(), list(allowed), n=1, cutoff=0.6)
    return f" - did you mean '{found[0]}'?" if found else ""
