"""From text, a file or a name to a game."""

from __future__ import annotations

import os

from . import _gdl
from ._gdl import Game, Information

_MAX_FILE = (16 << 20) + 1
"""One byte more than a rulesheet may have: the compiler says so then."""


def builtin_names(*, compiled: bool = False) -> list[str]:
    """The names of the built-in games, sorted.

    compiled: only those that are compiled into the package; the others are loaded when they are asked for.
    """
    return [name for name, _, is_compiled in _gdl.catalogue() if is_compiled or not compiled]


def load(
    source: str | os.PathLike[str],
    *,
    name: str | None = None,
    strangers: bool = False,
    max_bytes: int | None = None,
    max_steps: int | None = None,
    case_sensitive: bool = False,
    lifted: bool = False,
    seconds: float | None = None,
) -> Game:
    """Makes a game of a rulesheet.

    `source` is the text of a rulesheet if it has a parenthesis; else the name of a built-in game if there is one (see
    `builtin_names`); else, like every `os.PathLike`, the path of a file.

    name: what the rulesheet is called in messages, instead of its path or `rules`.
    strangers: limits for text from strangers: some two seconds and a hundred megabytes at most.
    max_bytes, max_steps: the most that a phase of the compiler may take; a step is some ten nanoseconds.
    case_sensitive: spellings that differ in case alone are different symbols.
    lifted: the rules are evaluated state by state, even if they could be grounded.
    seconds: no game comes later than that.

    Raises `RulesError` if the rulesheet has faults or exceeds a limit, `TimeoutError` if it took too long, and `OSError` if the
    file cannot be read. Ctrl-C ends it.
    """
    text: str | bytes
    if isinstance(source, str) and "(" in source:
        text, called = source, "rules"
    elif isinstance(source, str) and source in builtin_names():
        plain = name is None and max_bytes is None and max_steps is None and seconds is None
        game = _gdl.builtin(source)
        if plain and not (strangers or case_sensitive or lifted):
            return game
        text, called = game.kif, source
    elif isinstance(source, str) and not os.path.exists(source):
        names = ", ".join(builtin_names())
        raise FileNotFoundError(f"no text of rules, no file and no built-in game: {source!r}; built in are {names}")
    else:
        with open(source, "rb") as file:
            text, called = file.read(_MAX_FILE), os.fspath(source)
    return _gdl.load(
        text,
        called if name is None else name,
        strangers=strangers,
        max_bytes=max_bytes,
        max_steps=max_steps,
        case_sensitive=case_sensitive,
        lifted=lifted,
        seconds=seconds,
    )


def again(
    text: str,
    name: str,
    strangers: bool,
    max_bytes: int | None,
    max_steps: int | None,
    case_sensitive: bool,
    lifted: bool,
) -> Game:
    """Loads a game that was pickled."""
    return _gdl.load(
        text,
        name,
        strangers=strangers,
        max_bytes=max_bytes,
        max_steps=max_steps,
        case_sensitive=case_sensitive,
        lifted=lifted,
    )


def information(game: Game, role: int, steps: list[tuple[int, str]]) -> Information:
    """Makes an information that was pickled."""
    known = Information(game, role)
    for action, perceived in steps:
        known = known.tell(action, perceived)
    return known
