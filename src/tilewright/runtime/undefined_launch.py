"""Launches whose kernels would certainly do what their language leaves undefined."""

from __future__ import annotations

from tilewright.diagnostics import CompileError, Diagnostic
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.runtime.errors import LaunchError


class UndefinedLaunch(LaunchError, KernelError):
    """Sizes with which the kernel is undefined; nothing has run.

    `diagnostics` holds one error, with the code that the interpreter has for it and the range of the instruction.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__([diagnostic])
        self.diagnostics = [diagnostic]
        self.code = diagnostic.code

    def __str__(self) -> str:
        return CompileError.__str__(self)
