"""From a name, a file or a text to a game."""

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
"""A game; or the name of a built-in game or the path of a rulesheet, for `load`."""

_MAX_FILE = (16 << 20) + 1
"""One byte more than a rulesheet may have: the compiler says so then."""

_PACKAGE = os.path.dirname(__file__) + os.sep
_MOST_SHOWN = 80
"""Characters of a name that a message repeats."""


class Options(TypedDict, total=False):
    """How a rulesheet is read: the options of `load` and `loads`."""

    name: str | None
    """What the rulesheet is called in messages."""
    allow: str | Iterable[str]
    """Lints and warnings to keep silent about."""
    deny: str | Iterable[str]
    """Lints and warnings that are errors; `warnings` stands for all warnings."""
    warn: str | Iterable[str]
    """Lints that are warnings; `lints` stands for all silent lints."""
    untrusted: bool
    """Limits for untrusted text."""
    max_bytes: int | None
    """The most bytes that a phase of the compiler may take."""
    max_steps: int | None
    """The most steps that a phase of the compiler may take."""
    case_sensitive: bool
    """Spellings that differ in case alone are different symbols."""
    lifted: bool
    """The rules are evaluated state by state."""
    lenient: bool
    """Rules that the language refuses are read as ggp-base reads them."""
    seconds: float | None
    """No game comes later than that."""


def builtin_names(*, compiled: bool = False) -> list[str]:
    """The names of the built-in games, sorted.

    compiled: only those that are compiled into the package; the others are loaded when they are asked for.
    """
    return [name for name, _, is_compiled in _gdl.catalogue() if is_compiled or not compiled]


def load(source: str | os.PathLike[str], **options: Unpack[Options]) -> Game:
    """Makes a game of a built-in rulesheet or one in a file; `loads` takes the text of one.

    `source` is the name of a built-in game if there is one (see `builtin_names`); otherwise, like
    every `os.PathLike`, the path of a file.

    name: what the rulesheet is called in messages, instead of its name or path.
    allow, deny, warn: a lint or several, by code or name, as `gdl check` takes them. Allowed ones
    are silent, denied ones errors; `deny="warnings"` makes all warnings errors, `warn="lints"` all
    silent lints warnings.
    untrusted: limits for untrusted text: some two seconds and a hundred megabytes at most.
    max_bytes, max_steps: the most that a phase of the compiler may take; a step is some ten nanoseconds.
    case_sensitive: spellings that differ in case alone are different symbols.
    lifted: the rules are evaluated state by state, even if they could be grounded.
    lenient: roles without goals have 0, no move is made where `legal`, `goal` or `terminal` ask for
    `does`, and callers bind variables that a rule does not; each such reading is a warning.
    seconds: no game comes later than that.

    Each warning of the rulesheet is a `RulesheetWarning` of Python too, and `Game.warnings` has all
    of them.

    Raises `RulesError` if the rulesheet has faults or exceeds a limit, `TimeoutError` if it took
    too long, `OSError` if the file cannot be read, and `ValueError` for a lint that does not exist.
    Ctrl-C ends it.
    """
    text = _gdl.builtin_text(source) if isinstance(source, str) else None
    if text is not None:
        if all(value is None or value is False for value in options.values()):
            return _gdl.builtin(os.fspath(source))
        return _make(text, os.fspath(source), options)
    path = os.fspath(source)
    if isinstance(path, bytes):
        raise TypeError("a name or a path is expected: `gdl.loads` takes the text of a rulesheet")
    if isinstance(source, str) and not os.path.exists(source):
        raise _missing(source)
    with open(path, "rb") as file:
        return _make(file.read(_MAX_FILE), path, options)


def loads(text: str | bytes, **options: Unpack[Options]) -> Game:
    """Makes a game of the text of a rulesheet. Options, warnings and errors are those of `load`; it
    is called `rules` unless `name` says otherwise."""
    return _make(text, "rules", options)


def game_of(source: GameLike) -> Game:
    """A game as it is, or loaded."""
    return source if isinstance(source, Game) else load(source)


def _make(text: str | bytes, called: str, options: Options) -> Game:
    """Loads a text, and warns of what the compiler warns of."""
    rest: Any = dict(options)
    name = rest.pop("name", None)
    game = _gdl.load(text, called if name is None else name, **rest)
    for warning in game.warnings:
        warnings.warn(RulesheetWarning(game.name, warning), stacklevel=_caller())
    return game


def _caller() -> int:
    """The `stacklevel` of the first frame outside the package, for the function that calls this one."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


def _missing(source: str) -> FileNotFoundError:
    """The error of a name that is neither a built-in game nor a file."""
    if "(" in source or "\n" in source:
        hint = ": the text of a rulesheet is for `gdl.loads`"
    else:
        hint = _gdl.near(source) or ": `gdl.builtin_names()` has the built-in games"
    shown = source if len(source) <= _MOST_SHOWN else source[:_MOST_SHOWN] + ".."
    return FileNotFoundError(errno.ENOENT, f"no built-in game and no file has this name{hint}", shown)


def again(text: str, name: str, options: dict[str, Any]) -> Game:
    """Loads a game that was pickled, without warnings."""
    return _gdl.load(text, name, **options)


def information(game: Game, role: int, steps: list[tuple[int, str]]) -> Information:
    """Makes an information that was pickled."""
    known = Information(game, role)
    for action, perceived in steps:
        known = known.tell(action, perceived)
    return known
