"""Options and input that several commands share."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, NoReturn, TypeVar

import click

from kasino_sim.errors import KasinoError

_Command = TypeVar("_Command", bound=Callable[..., Any])


def set_option(command: _Command) -> _Command:
    """Add ``--set section.key=value``, which may be repeated, as the argument ``overrides``."""
    return click.option(
        "--set",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        help="Change a rule, such as sweep.points=2. May be repeated.",
    )(command)


def rules_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--rules`` and ``--set``; the command gets one argument, ``ruleset : Ruleset``."""

    @click.option(
        "--rules",
        default="svensk",
        show_default=True,
        metavar="NAME|FILE.toml",
        help="The rules: a rule set's name (see kasino rulesets) or a rule file.",
    )
    @set_option
    @functools.wraps(command)
    def with_ruleset(*args: Any, rules: str, overrides: Sequence[str], **options: Any) -> Any:
        # Imported late so that --help does without it.
        from kasino_sim.catalog import load_ruleset

        return command(*args, ruleset=load_ruleset(rules, overrides), **options)

    return with_ruleset


def players_option(default: str = "careful,greedy") -> Callable[[_Command], _Command]:
    """Add ``--players``, names by seat with commas, as the argument ``players``."""
    return click.option(
        "--players",
        default=default,
        show_default=True,
        metavar="A[,B,C,D]",
        help="Who plays, by seat; one name for everybody. In pairs A,B are the sides.",
    )


def threads_option(command: _Command) -> _Command:
    """Add ``--threads`` as the argument ``threads``, None for all processors."""
    return click.option(
        "--threads",
        type=click.IntRange(1),
        default=None,
        help="Threads; changes nothing in the result.  [default: all processors]",
    )(command)


def scale_option(whose: str) -> Callable[[_Command], _Command]:
    """Add ``--scale``, which times somebody's blocks, as the argument ``scale``."""
    return click.option(
        "--scale",
        type=float,
        default=1.0,
        show_default=True,
        metavar="X",
        help=f"Play X times the {whose}'s blocks.",
    )


def quiet_option(command: _Command) -> _Command:
    """Add ``--quiet`` as the argument ``quiet``."""
    return click.option("--quiet", is_flag=True, help="No progress on stderr.")(command)


def seed_option(command: _Command) -> _Command:
    """Add ``--seed`` as the argument ``seed``."""
    return click.option(
        "--seed",
        type=click.IntRange(0, 2**64 - 1),
        default=1,
        show_default=True,
        help="Seed of the decks and of all choices.",
    )(command)


def format_option(
    choices: Sequence[str] = ("table", "json"),
) -> Callable[[_Command], _Command]:
    """Add ``--format``, the first choice being the default, as the argument ``output_format``."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(list(choices)),
        default=choices[0],
        show_default=True,
        help="How to write the result.",
    )


def keep_going_option(command: _Command) -> _Command:
    """Add ``--keep-going`` as the argument ``keep_going``."""
    return click.option(
        "--keep-going",
        is_flag=True,
        help="Write a bad line's error in its place and go on with the next line.",
    )(command)


def answer_lines(
    path: str, answer: Callable[[dict[str, Any], str], str], output_format: str, keep_going: bool
) -> str:
    """Answer every line of a file of JSON objects.

    Parameters
    ----------
    path : str
        The file, or ``-`` for standard input.
    answer : callable
        Gets a line's object and its place, such as ``games.jsonl, line 3``; returns text.
    output_format : str
        ``json`` or ``table``, for the errors among the answers.
    keep_going : bool
        Whether an error is the answer to its line and no more.

    Returns
    -------
    str
        The answers, one after another, for all lines: there is no answer without all others.

    Raises
    ------
    KasinoError
        At the first bad line, unless `keep_going`; always where the file cannot be read.
    """
    answers = []
    for number, line in _lines(path):
        where = f"{_name(path)}, line {number}"
        try:
            answers.append(answer(_json_object(line, where), where))
        except KasinoError as error:
            if not keep_going:
                raise
            answers.append(_answer_error(error, output_format))
    return "".join(f"{text}\n" for text in answers)


def _answer_error(error: KasinoError, output_format: str) -> str:
    if output_format == "json":
        return json.dumps({"error": "; ".join(error.lines)})
    return "".join(f"error: {line}\n" for line in error.lines)


def read_jsonl(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read a file of JSON objects, one a line.

    Parameters
    ----------
    path : str
        The file, or ``-`` for standard input.

    Yields
    ------
    (int, dict)
        The line's number, from 1, and its object. Blank lines are skipped.

    Raises
    ------
    KasinoError
        If the file cannot be read, or a line is no JSON object; the message names file and line.
    """
    for number, line in _lines(path):
        yield number, _json_object(line, f"{_name(path)}, line {number}")


def read_object(path: str) -> tuple[dict[str, Any], str]:
    """Read a file with one JSON object, on one line or on many.

    Parameters
    ----------
    path : str
        The file, or ``-`` for standard input.

    Returns
    -------
    (dict, str)
        The object, and what an error names as its place.

    Raises
    ------
    KasinoError
        If the file cannot be read, or holds anything but one JSON object.
    """
    where = _name(path)
    lines = [line for _, line in _lines(path)]
    if not lines:
        raise KasinoError(f"{where}: is empty; expected one JSON object, {{...}}")
    if len(lines) > 1 and all(line.strip().startswith(b"{") for line in lines[:2]):
        raise KasinoError(f"{where}: has {len(lines)} lines with an object each; give it one")
    return _json_object(b"".join(lines), where), where


def _name(path: str) -> str:
    return "standard input" if path == "-" else path


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the content of each line that is not blank."""
    name = _name(path)
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, line
    except FileNotFoundError:
        raise KasinoError(f"{name}: there is no such file") from None
    except OSError as error:
        raise KasinoError(f"{name}: cannot be read ({error.strerror})") from None


def _json_object(line: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line.decode("utf-8-sig"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise KasinoError(f"{where}: not UTF-8 text ({error.reason})") from None
    except json.JSONDecodeError as error:
        cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        hint = " - is the line cut off?" if cut else ""
        raise KasinoError(
            f"{where}: not valid JSON: {error.msg} (column {error.colno}){hint}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise KasinoError(f"{where}: not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise KasinoError(f"{where}: expected one JSON object, {{...}}, on the line")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")
