"""Errors: diagnostics of rulesheets, and illegal moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Diagnostic(NamedTuple):
    """An error or a warning of a rulesheet."""

    code: str
    """The code, such as `GDL012`; `gdl explain` has a page for each."""
    name: str
    """The code in words."""
    severity: str
    """`error`, `warning` or `lint`."""
    message: str
    """One plain sentence, without a full stop."""
    place: tuple[int, int, int, int] | None
    """Line and column, from 1, and the offsets of the first byte and of the one after the last.
    None for the whole rulesheet.
    """
    note: str
    """The note at the place; may be empty."""
    help: str | None
    """The correction to write instead, if there is one."""

    @property
    def line(self) -> int | None:
        """The line where it begins, from 1."""
        return None if self.place is None else self.place[0]

    @property
    def column(self) -> int | None:
        """The column where it begins, in characters, from 1."""
        return None if self.place is None else self.place[1]


class RulesError(ValueError):
    """A rulesheet has errors. The text of the exception is the whole report, each error with its
    line.
    """

    def __init__(self, report: str, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(report, diagnostics)
        self.report = report
        """All errors, as text to be printed."""
        self.diagnostics = list(diagnostics)
        """All errors and warnings as `Diagnostic`s, in the order of the text."""

    def __str__(self) -> str:
        return self.report

    @property
    def first(self) -> Diagnostic | None:
        """The first error."""
        return next((fault for fault in self.diagnostics if fault.severity == "error"), None)

    @property
    def code(self) -> str | None:
        """The code of the first error."""
        return None if self.first is None else self.first.code

    @property
    def line(self) -> int | None:
        """The line of the first error."""
        return None if self.first is None else self.first.line

    @property
    def column(self) -> int | None:
        """The column of the first error."""
        return None if self.first is None else self.first.column

    @property
    def help(self) -> str | None:
        """The correction for the first error."""
        return None if self.first is None else self.first.help


class RulesheetWarning(UserWarning):
    """A warning of the compiler: a rulesheet that has a meaning, but most likely a mistake.

    `gdl.load(.., allow=code)` silences it.
    """

    def __init__(self, name: str, diagnostic: Diagnostic) -> None:
        super().__init__(name, diagnostic)
        self.name = name
        """The name of the rulesheet."""
        self.diagnostic = diagnostic
        """The warning as a `Diagnostic`."""

    def __str__(self) -> str:
        at, fault = self.diagnostic.place, self.diagnostic
        where = self.name if at is None else f"{self.name}:{at[0]}:{at[1]}"
        help = "" if fault.help is None else f"; {fault.help}"
        return f"{where}: {fault.message} [{fault.code}]{help}"

    @property
    def code(self) -> str:
        """The code, such as `GDL102`."""
        return self.diagnostic.code

    @property
    def line(self) -> int | None:
        """The line where it begins, from 1."""
        return self.diagnostic.line

    @property
    def column(self) -> int | None:
        """The column where it begins, in characters, from 1."""
        return self.diagnostic.column


class IllegalMoveError(ValueError):
    """A move is not legal, so no game was stepped."""

    def __init__(self, message: str, index: int | None, role: str | None, legal: Sequence[str]) -> None:
        super().__init__(message, index, role, legal)
        self.index = index
        """The first game of a batch with an illegal move; None for a single state."""
        self.role = role
        """The role; None if the game is over or moves are missing."""
        self.legal = tuple(legal)
        """The legal moves of the role, as KIF text in move order."""

    def __str__(self) -> str:
        return str(self.args[0])
