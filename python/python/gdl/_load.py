"""Loading of games from names, files and texts."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from . import _gdl
from ._errors import RulesheetWarning
from ._gdl import Game, Information

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Unpack

GameLike: TypeAlias = "Game | str | os.PathLike[str]"
"""A game, the name of a built-in game, or the path of a rulesheet for `load`."""

_MAX_FILE = (16 << 20) + 1
"""One byte more than a rulesheet may have, so that the compiler reports the excess."""

_PACKAGE = os.path.dirname(__file__) + os.sep
_MOST_SHOWN = 80
"""The number of characters of a name that a message repeats."""


class Options(TypedDict, total=False):
    """The options of `load` and `loads`."""

    name: str | None
    """The name of the rulesheet in messages."""
    allow: str | Iterable[str]
    """Lints and warnings to silence."""
    deny: str | Iterable[str]
    """Lints and warnings that are errors; `warnings` stands for all warnings."""
    warn: str | Iterable[str]
    """Lints that are warnings; `lints` stands for all silent lints."""
    untrusted: bool
    """Limits for untrusted text."""
    max_bytes: int | None
    """The memory limit of each phase of the compiler, in bytes."""
    max_steps: int | None
    """The limit of steps of each phase of the compiler."""
    case_sensitive: bool
    """Spellings that differ in case alone are different symbols."""
    lifted: bool
    """The rules are interpreted in each state."""
    lenient: bool
    """Rules that the language rejects are read as ggp-base reads them."""
    seconds: float | None
    """The time limit, in seconds."""


def builtin_names(*, compiled: bool = False) -> list[str]:
    """Returns the names of the built-in games, sorted.

    Args:
        compiled: Only those that are compiled into the package. The others are loaded on first use.
    """
    return [name for name, _, is_compiled in _gdl.catalogue() if is_compiled or not compiled]


def load(source: str | os.PathLike[str], **options: Unpack[Options]) -> Game:
    """Makes a game of a built-in rulesheet or of a file. `loads` takes the text of a rulesheet.

    Each warning of the rulesheet is also a `RulesheetWarning` of Python. `Game.warnings` has all of
    them. Ctrl-C cancels the load.

    Args:
        source: The name of a built-in game (see `builtin_names`). Any other text, and every
            `os.PathLike`, is the path of a file.
        name: The name of the rulesheet in messages, by default `source`.
        allow: A lint or several to silence, by code or name, as `gdl check` takes them.
        deny: Lints to treat as errors; `warnings` stands for all warnings.
        warn: Lints to treat as warnings; `lints` stands for all silent lints.
        untrusted: Use the limits for untrusted text: about two seconds and 300 MiB.
        max_bytes: The memory limit of each phase of the compiler, in bytes.
        max_steps: The limit of steps of each phase of the compiler. A step takes about ten
            nanoseconds.
        case_sensitive: Spellings that differ in case alone are different symbols.
        lifted: Interpret the rules in each state, even if they could be grounded.
        lenient: Accept rules that the language rejects, each with a warning. Roles without goals
            have 0, and no move is made where `legal`, `goal` or `terminal` depend on `does`.
            Callers bind the variables that a rule does not bind.
        seconds: The time limit, in seconds.

    Returns:
        The game.

    Raises:
        RulesError: The rulesheet has errors or exceeds a limit.
        TimeoutError: `seconds` have passed.
        OSError: The file cannot be read, or no game and no file has this name.
        ValueError: A lint does not exist, or `seconds` is not a duration.
        TypeError: `source` is bytes.
    """
    text = _gdl.builtin_text(source) if isinstance(source, str) else None
    if text is not None:
        if all(value is None or value is False for value in options.values()):
            return _gdl.builtin(os.fspath(source))
        return _make(text, os.fspath(source), options)
    path = os.fspath(source)
    if isinstance(path, bytes):
        raise TypeError("expected a name or a path: use `gdl.loads` for the text of a rulesheet")
    if isinstance(source, str) and not os.path.exists(source):
        raise _missing(source)
    with open(path, "rb") as file:
        return _make(file.read(_MAX_FILE), path, options)


def loads(text: str | bytes, **options: Unpack[Options]) -> Game:
    """Makes a game of the text of a rulesheet.

    Args:
        text: The rulesheet; bytes are UTF-8.
        options: Those of `load`. `name` is `rules` by default.

    Returns:
        The game.

    Raises:
        RulesError: The rulesheet has errors or exceeds a limit.
        TimeoutError: `seconds` have passed.
        ValueError: A lint does not exist, or `seconds` is not a duration.
        TypeError: `text` is neither `str` nor `bytes`.
    """
    return _make(text, "rules", options)


def game_of(source: GameLike) -> Game:
    """Returns a game as it is, or loads it."""
    return source if isinstance(source, Game) else load(source)


def _make(text: str | bytes, called: str, options: Options) -> Game:
    """Loads a text, and issues each of its warnings as a Python warning."""
    rest: Any = dict(options)
    name = rest.pop("name", None)
    game = _gdl.load(text, called if name is None else name, **rest)
    for warning in game.warnings:
        warnings.warn(RulesheetWarning(game.name, warning), stacklevel=_caller())
    return game


def _caller() -> int:
    """Returns the `stacklevel` of the first frame outside the package, for the calling function."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


def _missing(source: str) -> FileNotFoundError:
    """Returns the error for a name that is neither a built-in game nor a file."""
    if "(" in source or "\n" in source:
        hint = ": the text of a rulesheet is for `gdl.loads`"
    else:
        hint = _gdl.near(source) or ": `gdl.builtin_names()` has the built-in games"
    shown = source if len(source) <= _MOST_SHOWN else source[:_MOST_SHOWN] + ".."
    return FileNotFoundError(errno.ENOENT, f"no built-in game and no file has this name{hint}", shown)


def again(text: str, name: str, options: dict[str, Any]) -> Game:
    """Restores a pickled game, without warnings."""
    return _gdl.load(text, name, **options)


def information(game: Game, role: int, steps: list[tuple[int, str]]) -> Information:
    """Restores a pickled information."""
    known = Information(game, role)
    for action, perceived in steps:
        known = known.tell(action, perceived)
    return known
