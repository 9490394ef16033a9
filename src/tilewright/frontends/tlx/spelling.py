"""How LLVM spells types and constants of the IR."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Final

from tilewright.dialects.arith import Constant
from tilewright.dialects.cf import Undefined
from tilewright.dialects.tile import Cat
from tilewright.ir.core import Operation
from tilewright.ir.mlir.float_text import LAYOUTS, pattern_of_double
from tilewright.ir.types import BOOL, INDEX, ScalarType, TileType, Type, element_of

_FLOATS: Final = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double"}
_OWN_PATTERNS: Final = {"f16": "0xH", "bf16": "0xR"}


def scalar_text(type_: ScalarType) -> str:
    """A number."""
    if type_ is BOOL:
        return "i1"
    return "i64" if type_ is INDEX else _FLOATS.get(type_.name, type_.name)


def type_text(type_: Type) -> str:
    """A number or a vector."""
    if isinstance(type_, TileType):
        return f"<{type_.size} x {scalar_text(type_.element)}>"
    assert isinstance(type_, ScalarType)
    return scalar_text(type_)


def component_text(type_: Type) -> str:
    """A type in the suffix of a name."""
    element = element_of(type_)
    assert element is not None
    name = "i1" if element is BOOL else element.name
    return f"v{type_.size}{name}" if isinstance(type_, TileType) else name


def number_text(number: bool | int | float | complex, element: ScalarType) -> str:
    """A scalar constant."""
    if element is BOOL:
        return "true" if number else "false"
    if not element.is_float:
        assert isinstance(number, int)
        return str(number)
    assert isinstance(number, int | float)
    return _float_text(float(number), element)


def _float_text(number: float, element: ScalarType) -> str:
    layout = LAYOUTS[element.name]
    short = repr(number)
    if math.isfinite(number) and "e" not in short and len(short) < 12 and _is_exact(number, element):
        return short
    if math.isfinite(number):
        bits = pattern_of_double(number, layout)
    else:
        top = ((1 << layout.exponent) - 1) << layout.mantissa
        bits = top | (1 << layout.mantissa - 1 if math.isnan(number) else 0)
        bits |= (math.copysign(1, number) < 0) << layout.width - 1
    prefix = _OWN_PATTERNS.get(element.name)
    if prefix is not None:
        return f"{prefix}{bits:04X}"
    if element.name == "f64":
        return f"0x{bits:016X}"
    # floats are written as the doubles that they are
    (single,) = struct.unpack("<f", struct.pack("<I", bits))
    return f"0x{struct.unpack('<Q', struct.pack('<d', single))[0]:016X}"


def _is_exact(number: float, element: ScalarType) -> bool:
    """Whether a type has a number, so that LLVM takes its decimals."""
    if element.name == "f64":
        return True
    bits = pattern_of_double(number, LAYOUTS[element.name])
    if element.name == "f32":
        return struct.unpack("<f", struct.pack("<I", bits))[0] == number
    if element.name == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0] == number
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0] == number


def constant_text(op: Operation) -> str | None:
    """A constant without its type; None if an operation is none."""
    match op:
        case Constant():
            return _filled(op.value, op.out.type)
        case Undefined():
            element = element_of(op.out.type)
            return _filled(0.0 if element is not None and element.is_float else 0, op.out.type)
        case Cat(tiles=tiles):
            parts = [_single(tile.defining_op) for tile in tiles]
            known = [part for part in parts if part is not None]
            return f"<{', '.join(known)}>" if len(known) == len(parts) else None
        case _:
            return None


def _single(op: Operation | None) -> str | None:
    """A constant of one element as it stands in a vector's literal."""
    if not isinstance(op, Constant) or not isinstance(op.out.type, TileType) or op.out.type.size != 1:
        return None
    element = op.out.type.element
    return f"{scalar_text(element)} {number_text(op.value, element)}"


def _filled(number: bool | int | float | complex, type_: Type) -> str:
    element = element_of(type_)
    assert element is not None
    text = number_text(number, element)
    if not isinstance(type_, TileType):
        return text
    if not number and math.copysign(1, float(number.real)) > 0:
        return "zeroinitializer"
    return f"<{', '.join([f'{scalar_text(element)} {text}'] * type_.size)}>"


def vector_text(numbers: Sequence[int], bits: int = 32) -> str:
    """A constant vector of integers with its type."""
    inner = ", ".join(f"i{bits} {n}" for n in numbers)
    value = "zeroinitializer" if not any(numbers) else f"<{inner}>"
    return f"<{len(numbers)} x i{bits}> {value}"
