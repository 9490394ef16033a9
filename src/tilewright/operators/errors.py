"""What the operators cannot do with what they are given."""

from __future__ import annotations

from tilewright.diagnostics.caller_error import CallerError


class OperatorError(CallerError, ValueError):
    """Arguments that do not fit each other; nothing has run. The message names the argument and what would fit."""


class OperatorTypeError(OperatorError, TypeError):
    """Element types, or kinds of arguments, for which there is no operation; the message names those for which is."""
