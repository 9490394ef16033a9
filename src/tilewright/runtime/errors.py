"""Why a launch was refused."""

from __future__ import annotations

from tilewright.diagnostics.caller_error import CallerError


class LaunchError(CallerError, ValueError):
    """A launch that does not fit the kernel; nothing has run. The message names the argument and what would fit.

    `code` is that of the rule, which `tilewright explain` knows: V47, or the interpreter's where the kernel would be
    undefined for these sizes.
    """

    code: str = "V47"

    def __str__(self) -> str:
        return f"[{self.code}] {super().__str__()}"


class LaunchTypeError(LaunchError, TypeError):
    """A launch with an argument of the wrong kind, or with too many or too few."""


class LaunchOverflowError(LaunchError, OverflowError):
    """A launch with a number, an extent or a stride that the kernel's type for it cannot hold."""
