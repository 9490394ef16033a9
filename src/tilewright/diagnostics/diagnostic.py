"""Diagnostics as values: collected by parsers, verifiers and passes, shown only at the edge (CLI, Python API)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from msgspec import Struct, field

from tilewright.diagnostics.nearest import did_you_mean
from tilewright.diagnostics.source import UNKNOWN, Location


class Severity(Enum):
    """How bad it is: only an `ERROR` stops a compilation, a `WARNING` does not."""

    ERROR = "error"
    WARNING = "warning"


class Label(Struct, frozen=True):
    """A secondary `location` with a word on it (`message`), for example where an operand was defined."""

    location: Location
    message: str


class Fix(Struct, frozen=True):
    """A `replacement` for the text at `location` that would repair the program; `message` says how."""

    location: Location
    replacement: str
    message: str


class Diagnostic(Struct):
    """One finding: how bad it is (`severity`), a stable `code` for `tilewright explain`, a `message`, the `location`
    that it is about, and what helps: `labels` on other places, `hints`, and `fixes` that an editor can apply."""

    severity: Severity
    code: str
    message: str
    location: Location = UNKNOWN
    labels: list[Label] = field(default_factory=list["Label"])
    hints: list[str] = field(default_factory=list[str])
    fixes: list[Fix] = field(default_factory=list["Fix"])

    def label(self, location: Location, message: str) -> Diagnostic:
        """Point at a second place, for example `defined here`."""
        self.labels.append(Label(location, message))
        return self

    def hint(self, message: str) -> Diagnostic:
        """Say what would be right."""
        self.hints.append(message)
        return self

    def fix(self, location: Location, replacement: str, message: str) -> Diagnostic:
        """Offer a replacement for a range."""
        self.fixes.append(Fix(location, replacement, message))
        return self

    def suggest(self, location: Location, words: Sequence[str], mark: str = "") -> Diagnostic:
        """Ask whether one of some words was meant, if there are any, and offer each as a replacement for a range.

        The question has them between two marks.
        """
        if words:
            self.hint(did_you_mean(words, mark))
        for word in words:
            self.fix(location, word, f"write {mark}{word}{mark}")
        return self

    def __str__(self) -> str:
        return f"{self.location}: {self.severity.value} [{self.code}]: {self.message}"
