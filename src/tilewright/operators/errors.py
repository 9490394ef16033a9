"""What the operators cannot do with what they are given."""

from __future__ import annotations

from tilewright.diagnostics.caller_error import CallerError
from tilewright.runtime.errors import LaunchError


class OperatorError(CallerError, ValueError):
    """Arguments that do not fit each other; nothing has run. The message names the argument and what would fit."""


class OperatorTypeError(OperatorError, TypeError):
    """Element types, or kinds of arguments, for which there is no operation; the message names those for which is."""


def refused(error: LaunchError, **names: str) -> OperatorError:
    """What a launch refuses of the arguments of an operator; `names` are those that its kernel calls otherwise."""
    kind = OperatorTypeError if isinstance(error, TypeError) else OperatorError
    name, colon, said = str(error).partition(", argument ")[2].partition(":")
    return kind(f"{names.get(name, name)}:{said}" if colon else str(error))
