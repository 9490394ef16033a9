"""What the interpreter finds wrong while a kernel runs: a located diagnostic, as an exception."""

from __future__ import annotations

from typing import NoReturn

from tilewright.diagnostics import CompileError, Diagnostic, Location, Severity


class KernelError(CompileError):
    """A kernel did what its language leaves undefined; `diagnostics` holds one error with the source range."""


def fail(code: str, location: Location, message: str) -> NoReturn:
    """Stop the kernel with a diagnostic."""
    raise KernelError([Diagnostic(Severity.ERROR, code, message, location)])
