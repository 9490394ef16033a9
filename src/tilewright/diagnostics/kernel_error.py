"""What is found wrong while a kernel runs: a located diagnostic, as an exception."""

from __future__ import annotations

from typing import NoReturn

from tilewright.diagnostics import CompileError, Diagnostic, Location, Severity


class KernelError(CompileError):
    """A kernel did what its language leaves undefined, or an assertion of its own failed; each of `diagnostics` says
    what, with its code and the source range. The interpreter raises it, and launches of checked code."""


def fail(code: str, location: Location, message: str) -> NoReturn:
    """Stop the kernel with a diagnostic."""
    raise KernelError([Diagnostic(Severity.ERROR, code, message, location)])
