"""Values of the text emitter: a type and the text that names the value, or the text of a constant."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from tilewright.numerics.formats import FLOAT_FORMATS
from tilewright.numerics.integers import wrap
from tilewright.numerics.rounding import nearest
from tilewright.targets.llvm.types import bits_of, lanes_of, scalar_of, vector

if TYPE_CHECKING:
    from collections.abc import Sequence


_REMEMBERED: Final = 1024
"""Constants whose numbers are remembered: each builder of an instruction asks for those of its operands."""


class Value(Struct, frozen=True, gc=False):
    """One LLVM value: `type` and `text` are what an operand prints."""

    type: str
    text: str

    def __str__(self) -> str:
        # One format of plain attributes; this runs for each operand of each instruction.
        return self.type + " " + self.text

    @property
    def is_constant(self) -> bool:
        """Whether the text is a literal (an address of a global is not)."""
        return self.text[0] not in "%@"

    @property
    def integer(self) -> int | None:
        """The signed number that a scalar or splat integer constant holds, else None."""
        text = self.text
        return None if text[0] == "%" else _integer(text)


class Complex(NamedTuple):
    """A complex number: two values of the component type."""

    re: Value
    im: Value


@lru_cache(_REMEMBERED)
def _integer(text: str) -> int | None:
    if text.startswith("splat ("):
        text = text[text.index(" ", 7) + 1 : -1]
    if text == "zeroinitializer":
        return 0
    digits = text[1:] if text[0] == "-" else text
    return int(text) if digits.isdecimal() else None


_FLOATS: Final = {
    "double": ("f64", "0x", ">d"),
    "float": ("f32", "0x", ">d"),
    "half": ("f16", "0xH", ">e"),
}
"""Format, and how LLVM spells its numbers: an f32 as the double of the same value."""


def float_literal(scalar: str, number: float) -> str:
    """The exact LLVM literal of a number rounded once to a floating-point type."""
    dtype, prefix, encoding = _FLOATS[scalar]
    rounded = nearest(number, FLOAT_FORMATS[dtype])
    return prefix + struct.pack(encoding, rounded).hex().upper()


def literal(scalar: str, number: float) -> str:
    """The literal of a number in an LLVM scalar type; integers wrap."""
    if scalar == "i1":
        return "true" if number else "false"
    if scalar.startswith("i"):
        return str(wrap(int(number), bits_of(scalar)))
    return float_literal(scalar, number)


def constant(ltype: str, number: float) -> Value:
    """A constant, in all lanes if the type is a vector."""
    text = literal(scalar_of(ltype), number)
    return Value(ltype, f"splat ({scalar_of(ltype)} {text})" if ltype.startswith("<") else text)


def lane_constants(scalar: str, numbers: Sequence[float]) -> Value:
    """A vector constant with one number a lane."""
    texts = [f"{scalar} {literal(scalar, number)}" for number in numbers]
    if len(texts) == 1:
        return constant(scalar, numbers[0])
    return Value(vector(scalar, len(texts)), f"<{', '.join(texts)}>")


def zero(ltype: str) -> Value:
    """Zero (or null, or false) of any type."""
    if ltype.startswith("ptr"):
        return Value(ltype, "null")
    return constant(ltype, 0) if lanes_of(ltype) == 1 and ltype[0] not in "{[" else Value(ltype, "zeroinitializer")


def poison(ltype: str) -> Value:
    """The value that may be anything: the start of a chain of insertions."""
    return Value(ltype, "poison")


def i64(number: int) -> Value:
    """A 64-bit integer constant."""
    return Value("i64", str(number))


def i32(number: int) -> Value:
    """A 32-bit integer constant."""
    return Value("i32", str(number))


def boolean(truth: bool) -> Value:
    """An `i1` constant."""
    return Value("i1", "true" if truth else "false")
