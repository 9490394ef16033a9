"""Definitions: `$name = ..` in a text or from outside, their scopes, and `!calc`.

They live in the parser only and are expanded while reading; printing a program gives it with definitions expanded.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from msgspec import Struct, field

from tilewright.diagnostics import Location
from tilewright.ir.core import Attribute
from tilewright.ir.types import Type

INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1


class Kind(Enum):
    """What a definition stands for; the value is the phrase that messages use."""

    BOOL = "a bool"
    INT = "an integer"
    FLOAT = "a float"
    COMPLEX = "a complex number"
    TYPE = "a type"
    ARRAY = "an array"
    DICTIONARY = "a dictionary"
    STRING = "a string"
    UNKNOWN = "something broken"


class Definition(Struct):
    """A `$name` with its value. `size` counts the entries of nested arrays and dictionaries."""

    name: str
    kind: Kind
    value: Attribute
    location: Location
    size: int = 1
    used: bool = False


def kind_of(value: Attribute) -> Kind:
    """The kind of a value."""
    match value:
        case bool():
            return Kind.BOOL
        case int():
            return Kind.INT
        case float():
            return Kind.FLOAT
        case complex():
            return Kind.COMPLEX
        case str():
            return Kind.STRING
        case tuple():
            return Kind.ARRAY
        case dict():
            return Kind.DICTIONARY
        case Type():
            return Kind.TYPE
        case _:
            return Kind.UNKNOWN


class Definitions(Struct):
    """The definitions visible at a point of the text, by name; a chain of scopes without shadowing."""

    visible: dict[str, Definition] = field(default_factory=dict[str, Definition])
    scopes: list[list[str]] = field(default_factory=lambda: [[]])

    def open(self) -> None:
        """Enter a region."""
        self.scopes.append([])

    def close(self) -> None:
        """Leave a region and forget its definitions."""
        for name in self.scopes.pop():
            del self.visible[name]

    def add(self, definition: Definition) -> Definition | None:
        """Make a definition visible; the one in its way if the name is taken."""
        taken = self.visible.get(definition.name)
        if taken is None:
            self.visible[definition.name] = definition
            self.scopes[-1].append(definition.name)
        return taken


class CalcError(Exception):
    """Why a `!calc` has no value; `index` is the position of the item in it, or None for the whole."""

    def __init__(self, message: str, index: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.index = index


OPERATORS: Final = frozenset({"+", "-", "*", "/", "%", "^", "min", "max"})


def calculate(items: Sequence[int | str]) -> int:
    """Value of integers and operators in reverse Polish notation, 64 bit. Raises `CalcError`."""
    stack: list[int] = []
    for index, item in enumerate(items):
        if isinstance(item, int):
            stack.append(item)
            continue
        if len(stack) < 2:
            raise CalcError(f"`{item}` needs two values before it, but there are {len(stack)}", index)
        right = stack.pop()
        value = _apply(item, stack.pop(), right, index)
        if not INT64_MIN <= value <= INT64_MAX:
            raise CalcError(f"the result of `{item}` does not fit in 64 bits", index)
        stack.append(value)
    if len(stack) != 1:
        raise CalcError("!calc is empty" if not stack else f"!calc leaves {len(stack)} values; one is needed", None)
    return stack[0]


def _apply(operator: str, left: int, right: int, index: int) -> int:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "min":
            return min(left, right)
        case "max":
            return max(left, right)
        case "^":
            return _power(left, right, index)
        case _:
            return _divide(operator, left, right, index)


def _divide(operator: str, left: int, right: int, index: int) -> int:
    """Quotient or remainder of the division that truncates towards zero."""
    if right == 0:
        raise CalcError(f"`{operator}` by zero", index)
    quotient = abs(left) // abs(right)
    if (left < 0) != (right < 0):
        quotient = -quotient
    return quotient if operator == "/" else left - quotient * right


def _power(base: int, exponent: int, index: int) -> int:
    if exponent < 0:
        raise CalcError("`^` with a negative exponent", index)
    if abs(base) > 1 and exponent > 64:
        raise CalcError("the result of `^` does not fit in 64 bits", index)
    # With a base of -1, 0 or 1 only the parity of a huge exponent matters.
    return base ** (exponent if abs(base) > 1 or exponent < 2 else 2 + exponent % 2)
