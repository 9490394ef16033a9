"""Findings collected while a program is read and compiled, and the exception that refuses it."""

from __future__ import annotations

from tilewright.diagnostics.diagnostic import Diagnostic, Severity
from tilewright.diagnostics.source import Location


class Report:
    """Collects diagnostics so that one run shows all of them.

    `limit` bounds the number of errors kept and, apart from them, that of warnings; further ones are counted in
    `suppressed`.
    """

    def __init__(self, limit: int = 100) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.limit = limit
        self.errors = 0
        self.suppressed = 0
        self._room = dict.fromkeys(Severity, limit)

    def error(self, code: str, location: Location, message: str) -> Diagnostic:
        """Add an error and return it for labels, hints and fixes."""
        diagnostic = Diagnostic(Severity.ERROR, code, message, location)
        self.errors += 1
        self._add(diagnostic)
        return diagnostic

    def warning(self, code: str, location: Location, message: str) -> Diagnostic:
        """Add a warning and return it for labels, hints and fixes."""
        diagnostic = Diagnostic(Severity.WARNING, code, message, location)
        self._add(diagnostic)
        return diagnostic

    def take(self, other: Report) -> None:
        """Add everything that another report collected."""
        for diagnostic in other.diagnostics:
            self._add(diagnostic)
        self.errors += other.errors
        self.suppressed += other.suppressed

    def _add(self, diagnostic: Diagnostic) -> None:
        if self._room[diagnostic.severity]:
            self._room[diagnostic.severity] -= 1
            self.diagnostics.append(diagnostic)
        else:
            self.suppressed += 1

    @property
    def in_order(self) -> list[Diagnostic]:
        """What was collected, in the order of the source, whoever found it; what has no place comes first."""
        return sorted(self.diagnostics, key=_position)

    @property
    def has_errors(self) -> bool:
        """Whether anything collected stops the compilation."""
        return self.errors > 0

    def raise_if_errors(self) -> None:
        """Raise `CompileError` with everything collected if any of it is an error."""
        if self.has_errors:
            raise CompileError(self.in_order)


def _position(diagnostic: Diagnostic) -> int:
    place = diagnostic.location.primary
    return -1 if place is None else place.start


class CompileError(Exception):
    """A kernel was refused; `diagnostics` says why, with ranges; as text it is what `tilewright check` shows."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        # for what seldom happens: nothing that starts has to import it
        from tilewright.diagnostics.render import render_text

        return render_text(self.diagnostics)
