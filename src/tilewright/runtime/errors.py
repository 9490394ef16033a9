"""Why a launch was refused."""

from __future__ import annotations


class LaunchError(ValueError):
    """A launch that does not fit the kernel; nothing has run. The message names the argument and what would fit."""


class LaunchTypeError(LaunchError, TypeError):
    """A launch with an argument of the wrong kind, or with too many or too few."""
