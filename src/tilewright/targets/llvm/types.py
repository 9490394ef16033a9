"""Types as LLVM writes them, and how tilewright's element types map to them.

LLVM types are plain strings (`"i64"`, `"<8 x float>"`, `"ptr addrspace(3)"`), printed far more often than inspected.
An element type is one of the names in `ELEMENTS`. In values a bool is `i1`, an index `i64`, a float that is only stored
(bf16 and below) the integer with its bits, and a complex number is a pair of values of its component type
(`values.Complex`), so `llvm_type` refuses it.

bf16 is no `bfloat`: where LLVM has nothing better for one (a select, say), it goes by way of f32 and, with AVX512_BF16,
loses subnormal numbers.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from msgspec import Struct


class Kind(Enum):
    """The family of an element type; it selects the instructions."""

    BOOL = "bool"
    INTEGER = "integer"
    FLOAT = "float"
    COMPLEX = "complex"


class Element(Struct, frozen=True):
    """What code generation must know about an element type; `component` is the type of the parts of a complex one."""

    name: str
    kind: Kind
    llvm: str
    bits: int
    component: str
    mantissa: int = 0

    @property
    def bytes(self) -> int:
        """Size in memory; a bool takes a byte."""
        return (self.bits + 7) // 8 * (2 if self.kind is Kind.COMPLEX else 1)


ELEMENTS: dict[str, Element] = {
    e.name: e
    for e in (
        Element("bool", Kind.BOOL, "i1", 1, "bool"),
        Element("i8", Kind.INTEGER, "i8", 8, "i8"),
        Element("i16", Kind.INTEGER, "i16", 16, "i16"),
        Element("i32", Kind.INTEGER, "i32", 32, "i32"),
        Element("i64", Kind.INTEGER, "i64", 64, "i64"),
        Element("index", Kind.INTEGER, "i64", 64, "index"),
        Element("bf16", Kind.FLOAT, "i16", 16, "bf16", 8),
        Element("f16", Kind.FLOAT, "half", 16, "f16", 11),
        Element("f32", Kind.FLOAT, "float", 32, "f32", 24),
        Element("tf32", Kind.FLOAT, "float", 32, "tf32", 11),
        Element("f8E4M3FN", Kind.FLOAT, "i8", 8, "f8E4M3FN", 4),
        Element("f8E5M2", Kind.FLOAT, "i8", 8, "f8E5M2", 3),
        Element("f8E8M0FNU", Kind.FLOAT, "i8", 8, "f8E8M0FNU", 1),
        Element("f4E2M1FN", Kind.FLOAT, "i8", 4, "f4E2M1FN", 2),
        Element("i4", Kind.INTEGER, "i4", 4, "i4"),
        Element("f64", Kind.FLOAT, "double", 64, "f64", 53),
        Element("c32", Kind.COMPLEX, "float", 32, "f32", 24),
        Element("c64", Kind.COMPLEX, "double", 64, "f64", 53),
    )
}

MAX_LANES = 4096

_MANGLED = {"half": "f16", "float": "f32", "double": "f64", "ptr": "p0"}


@cache
def vector(scalar: str, lanes: int) -> str:
    """The LLVM type of `lanes` values of an LLVM scalar type; one lane is the scalar itself."""
    if not 1 <= lanes <= MAX_LANES:
        raise ValueError(f"a vector of {lanes} lanes is outside 1..{MAX_LANES}")
    return scalar if lanes == 1 else f"<{lanes} x {scalar}>"


@cache
def llvm_type(dtype: str, lanes: int = 1) -> str:
    """The LLVM type of `lanes` values of an element type that is not complex."""
    element = ELEMENTS[dtype]
    if element.kind is Kind.COMPLEX:
        raise ValueError(f"{dtype} is a pair of {element.component} values, not one LLVM value")
    return vector(element.llvm, lanes)


@cache
def scalar_of(ltype: str) -> str:
    """`"float"` of `"<8 x float>"`; a scalar type is its own."""
    return ltype[ltype.index(" x ") + 3 : -1] if ltype.startswith("<") else ltype


@cache
def lanes_of(ltype: str) -> int:
    """8 of `"<8 x float>"`, 1 of a scalar."""
    return int(ltype[1 : ltype.index(" x ")]) if ltype.startswith("<") else 1


@cache
def mangle(ltype: str) -> str:
    """The suffix by which an overloaded intrinsic names this type: `v8f32`, `i64`, `p3`."""
    if ltype.startswith("<"):
        return f"v{lanes_of(ltype)}{mangle(scalar_of(ltype))}"
    if ltype.startswith("ptr addrspace("):
        return f"p{ltype[len('ptr addrspace(') : -1]}"
    return _MANGLED.get(ltype, ltype)


@cache
def bits_of(ltype: str) -> int:
    """Width of one lane of an integer or float type."""
    scalar = scalar_of(ltype)
    if scalar.startswith("i"):
        return int(scalar[1:])
    return {"half": 16, "float": 32, "double": 64}[scalar]
