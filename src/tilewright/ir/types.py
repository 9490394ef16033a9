"""Types: immutable values, interned so that equal types are one object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from functools import cached_property
from typing import Final, TypeVar

from msgspec import Struct

from tilewright.ir.layouts import Layout, LayoutError
from tilewright.ir.swizzles import Swizzle
from tilewright.numerics.formats import FORMATS, Format

_T = TypeVar("_T")


class Type:
    """Base of all types. Subclasses are frozen records; `str()` is the assembly spelling."""

    __slots__ = ()

    @property
    def mlir(self) -> str:
        """Spelling in generic MLIR; types without a builtin counterpart become opaque `!tw.` types."""
        return f'!tw.type<"{self}">'

    @property
    def format(self) -> Format:
        """How the numbers that values of the type consist of are encoded."""
        raise TypeError(f"{self} holds no numbers")


class ScalarKind(Enum):
    """What arithmetic a scalar type takes part in."""

    BOOL = "bool"
    INT = "int"
    INDEX = "index"
    FLOAT = "float"
    COMPLEX = "complex"


_MLIR_SCALARS: Final = {"bool": "i1", "c32": "complex<f32>", "c64": "complex<f64>"}


class ScalarType(Type, Struct, frozen=True, eq=False):
    """A scalar: `bool`, `i8`..`i64`, `index`, `bf16`, `f16`, `f32`, `f64`, `c32`, `c64`, and those for storage only.

    `bits` is the width of one component; `bytes` the size in memory (bool has none and is 1 in the ABI).
    """

    name: str
    kind: ScalarKind
    bits: int
    bytes: int

    def __str__(self) -> str:
        return self.name

    @property
    def mlir(self) -> str:
        return _MLIR_SCALARS.get(self.name, self.name)

    @property
    def format(self) -> Format:
        return FORMATS[self.name]

    @property
    def is_integer(self) -> bool:
        """Signless integer or index."""
        return self.kind in (ScalarKind.INT, ScalarKind.INDEX)

    @property
    def is_float(self) -> bool:
        """Real floating point."""
        return self.kind is ScalarKind.FLOAT

    @property
    def is_complex(self) -> bool:
        """Pair of floats."""
        return self.kind is ScalarKind.COMPLEX

    @property
    def is_number(self) -> bool:
        """Anything but bool."""
        return self.kind is not ScalarKind.BOOL

    @property
    def component(self) -> ScalarType:
        """Type of the real part: `f32` for `c32`, itself for real types."""
        return {"c32": F32, "c64": F64}.get(self.name, self)

    @property
    def accumulator(self) -> ScalarType:
        """acc(T) of the language reference 1.7: the type in which collectives compute."""
        return {"i8": I32, "i16": I32, "bf16": F32, "f16": F32}.get(self.name, self)


BOOL: Final = ScalarType("bool", ScalarKind.BOOL, 1, 1)
I8: Final = ScalarType("i8", ScalarKind.INT, 8, 1)
I16: Final = ScalarType("i16", ScalarKind.INT, 16, 2)
I32: Final = ScalarType("i32", ScalarKind.INT, 32, 4)
I64: Final = ScalarType("i64", ScalarKind.INT, 64, 8)
INDEX: Final = ScalarType("index", ScalarKind.INDEX, 64, 8)
BF16: Final = ScalarType("bf16", ScalarKind.FLOAT, 16, 2)
F16: Final = ScalarType("f16", ScalarKind.FLOAT, 16, 2)
F32: Final = ScalarType("f32", ScalarKind.FLOAT, 32, 4)
F64: Final = ScalarType("f64", ScalarKind.FLOAT, 64, 8)
C32: Final = ScalarType("c32", ScalarKind.COMPLEX, 32, 8)
C64: Final = ScalarType("c64", ScalarKind.COMPLEX, 64, 16)
TF32: Final = ScalarType("tf32", ScalarKind.FLOAT, 32, 4)
F8E4M3FN: Final = ScalarType("f8E4M3FN", ScalarKind.FLOAT, 8, 1)
F8E5M2: Final = ScalarType("f8E5M2", ScalarKind.FLOAT, 8, 1)
F8E8M0FNU: Final = ScalarType("f8E8M0FNU", ScalarKind.FLOAT, 8, 1)
F4E2M1FN: Final = ScalarType("f4E2M1FN", ScalarKind.FLOAT, 4, 1)
I4: Final = ScalarType("i4", ScalarKind.INT, 4, 1)

SCALARS: Final = {t.name: t for t in (BOOL, I8, I16, I32, I64, INDEX, BF16, F16, F32, F64, C32, C64)}
"""The scalars of the tensor language."""

SMALL_FLOATS: Final = (F8E4M3FN, F8E5M2, F8E8M0FNU, F4E2M1FN)
"""Formats of a byte or less; an element of four bits has a byte of its own wherever it can be addressed."""

ALL_SCALARS: Final = {**SCALARS, **{t.name: t for t in (TF32, *SMALL_FLOATS, I4)}}
"""The scalars of every language."""


def promotable(a: ScalarType, b: ScalarType) -> bool:
    """Whether every value of `a` is exact in `b` (language reference 1.4)."""
    if a is b:
        return True
    if not (a.is_number and b.is_number):
        return False
    if a.component is b.component:
        return b.is_complex
    if a.is_complex and not b.is_complex:
        return False
    return (a.is_integer or not b.is_integer) and a.component.bytes < b.component.bytes


def promote(a: ScalarType, b: ScalarType) -> ScalarType | None:
    """The larger of two types, or None if neither holds the other."""
    if promotable(a, b):
        return b
    return a if promotable(b, a) else None


Extent = int | None
"""A static extent or stride, or None for `?`."""


def spell(extent: Extent) -> str:
    """`?` for a dynamic extent."""
    return "?" if extent is None else str(extent)


def mixed(static: Iterable[Extent], dynamic: Iterable[_T]) -> list[int | _T]:
    """The static numbers, and where they are None the dynamic ones in turn."""
    rest = iter(dynamic)
    return [next(rest) if number is None else number for number in static]


class AddressSpace(Enum):
    """Where a memref points."""

    GLOBAL = "global"
    LOCAL = "local"

    # members are equal to nothing else; what `Enum` has is a function of Python, and barriers keep much by space
    __hash__ = object.__hash__


def packed_strides(shape: tuple[Extent, ...]) -> tuple[Extent, ...]:
    """Column-major strides of a packed tensor: `S_0 = 1`, `S_i = S_{i-1} s_{i-1}` where both are known."""
    strides: list[Extent] = []
    stride: Extent = 1
    for extent in shape:
        strides.append(stride)
        stride = None if stride is None or extent is None else stride * extent
    return tuple(strides)


class MemrefType(Type, Struct, frozen=True, dict=True):
    """A strided reference to memory; extents and strides in elements, None where dynamic.

    With a `swizzle`, bytes counted from the first element lie where it says; no views are made of such a memref.
    """

    element: ScalarType
    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    space: AddressSpace = AddressSpace.GLOBAL
    swizzle: Swizzle | None = None

    def __post_init__(self) -> None:
        if self.swizzle is not None and (self.span is None or self.span * self.element.bytes % self.swizzle.block):
            raise ValueError(f"{self} is no whole number of blocks of {self.swizzle.block} bytes")

    @property
    def order(self) -> int:
        """Number of modes."""
        return len(self.shape)

    @cached_property
    def is_packed(self) -> bool:
        """Whether the strides are the default ones of the shape."""
        return self.strides == packed_strides(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether all extents and strides are known."""
        return None not in self.shape and None not in self.strides

    @property
    def span(self) -> int | None:
        """Elements from the first to one past the last: `1 + sum (s_i - 1) S_i`, 0 if empty, None if dynamic."""
        if 0 in self.shape:
            return 0
        total = 1
        for extent, stride in zip(self.shape, self.strides, strict=True):
            if extent is None or stride is None:
                return None
            total += (extent - 1) * stride
        return total

    def __str__(self) -> str:
        text = f"memref<{self.element}" + "".join(f"x{spell(s)}" for s in self.shape)
        if not self.is_packed:
            text += ",strided<" + ",".join(spell(s) for s in self.strides) + ">"
        if self.swizzle is not None:
            text += f",{self.swizzle}"
        if self.space is AddressSpace.LOCAL:
            text += ",local"
        return text + ">"


def memref(
    element: ScalarType,
    shape: tuple[Extent, ...] = (),
    strides: tuple[Extent, ...] | None = None,
    space: AddressSpace = AddressSpace.GLOBAL,
) -> MemrefType:
    """A memref type; packed column-major unless `strides` are given."""
    return MemrefType(element, shape, packed_strides(shape) if strides is None else strides, space)


class GroupType(Type, Struct, frozen=True):
    """A table of `size` pointers to memrefs, each displaced by `offset` elements."""

    memref: MemrefType
    size: Extent
    offset: Extent = 0

    def __str__(self) -> str:
        offset = "" if self.offset == 0 else f", offset: {spell(self.offset)}"
        return f"group<{self.memref}x{spell(self.size)}{offset}>"


class MatrixUse(Enum):
    """Position of a cooperative matrix in a product."""

    A = "matrix_a"
    B = "matrix_b"
    ACC = "matrix_acc"


class CoopMatrixType(Type, Struct, frozen=True):
    """A matrix of `rows` x `columns` held by one subgroup together."""

    element: ScalarType
    rows: int
    columns: int
    use: MatrixUse

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return (self.rows, self.columns)

    def __str__(self) -> str:
        return f"coopmatrix<{self.element}x{self.rows}x{self.columns},{self.use.value}>"

    @property
    def format(self) -> Format:
        return self.element.format


class TileType(Type, Struct, frozen=True, dict=True):
    """An immutable n-d value of static shape, owned by the team of the enclosing region.

    On the gpu level `layout` says which of its threads hold which elements. It may cover a larger box, where digits
    do not come out even; what threads hold beyond the tile is nothing.
    """

    shape: tuple[int, ...]
    element: ScalarType
    layout: Layout | None = None

    def __post_init__(self) -> None:
        if self.layout is not None and not self.layout.covers(self.shape):
            raise LayoutError(f"a layout of {self.layout.shape} is none of a tile of {self.shape}")

    @property
    def rank(self) -> int:
        """Number of dimensions; 0 holds one element."""
        return len(self.shape)

    @cached_property
    def size(self) -> int:
        """Number of elements."""
        total = 1
        for extent in self.shape:
            total *= extent
        return total

    def __str__(self) -> str:
        layout = "" if self.layout is None else f", {self.layout}"
        return "tile<" + "".join(f"{s}x" for s in self.shape) + f"{self.element}{layout}>"

    @property
    def format(self) -> Format:
        return self.element.format


class FragmentType(Type, Struct, frozen=True):
    """What one thread holds of a tile: elements in `size` registers. A value of the lane level."""

    size: int
    element: ScalarType

    def __str__(self) -> str:
        return f"fragment<{self.size}x{self.element}>"

    @property
    def format(self) -> Format:
        return self.element.format


class PointerType(Type, Struct, frozen=True):
    """The address of elements of one type, as a kernel parameter; inside of kernels addresses are `i64`."""

    element: ScalarType

    def __str__(self) -> str:
        return f"ptr<{self.element}>"


class TokenType(Type, Struct, frozen=True):
    """Orders memory operations; has no run-time value."""

    def __str__(self) -> str:
        return "token"


TOKEN: Final = TokenType()


def element_of(type_: Type) -> ScalarType | None:
    """Scalar type behind a scalar, tile, fragment, cooperative matrix or memref; None for anything else."""
    if isinstance(type_, ScalarType):
        return type_
    if isinstance(type_, TileType | FragmentType | CoopMatrixType | MemrefType):
        return type_.element
    return None


def with_element(type_: Type, element: ScalarType) -> Type:
    """The same shape of another element type: scalar to scalar, tile to tile, matrix to matrix."""
    if isinstance(type_, TileType):
        return TileType(type_.shape, element, type_.layout)
    if isinstance(type_, FragmentType):
        return FragmentType(type_.size, element)
    if isinstance(type_, CoopMatrixType):
        return CoopMatrixType(element, type_.rows, type_.columns, type_.use)
    return element


class Constraint(Struct, frozen=True):
    """A predicate on types with the words that an error message uses for it."""

    description: str
    accepts: Callable[[Type], bool]

    def __or__(self, other: Constraint) -> Constraint:
        return Constraint(f"{self.description} or {other.description}", lambda t: self.accepts(t) or other.accepts(t))


def _scalar(description: str, test: Callable[[ScalarType], bool]) -> Constraint:
    return Constraint(description, lambda t: isinstance(t, ScalarType) and test(t))


def _shaped(description: str, test: Callable[[ScalarType], bool]) -> Constraint:
    """Scalars, tiles, fragments and cooperative matrices whose element passes `test`."""

    def accepts(type_: Type) -> bool:
        if isinstance(type_, MemrefType):
            return False
        element = element_of(type_)
        return element is not None and test(element)

    return Constraint(description, accepts)


ANY: Final = Constraint("any type", lambda t: True)
BOOLEAN: Final = _scalar("bool", lambda t: t is BOOL)
INTEGER: Final = _scalar("an integer type", lambda t: t.is_integer)
INDEX_ONLY: Final = _scalar("index", lambda t: t is INDEX)
INT32: Final = _scalar("i32", lambda t: t is I32)
NUMBER: Final = _scalar("a number type", lambda t: t.is_number)
REAL: Final = _scalar("an integer or floating point type", lambda t: t.is_number and not t.is_complex)
SCALAR: Final = _scalar("a scalar type", lambda t: True)
MEMREF: Final = Constraint("a memref", lambda t: isinstance(t, MemrefType))
ORDERED_MEMREF: Final = Constraint("a memref without swizzle", lambda t: isinstance(t, MemrefType) and not t.swizzle)
GROUP: Final = Constraint("a group", lambda t: isinstance(t, GroupType))
COOPMATRIX: Final = Constraint("a cooperative matrix", lambda t: isinstance(t, CoopMatrixType))
POINTER: Final = Constraint("a pointer", lambda t: isinstance(t, PointerType))
ADDRESS: Final = _scalar("i64", lambda t: t is I64)
TILE: Final = Constraint("a tile", lambda t: isinstance(t, TileType))
FRAGMENT: Final = Constraint("a fragment", lambda t: isinstance(t, FragmentType))
TILE_OR_FRAGMENT: Final = TILE | FRAGMENT
CARRIED: Final = Constraint(
    "bool, a number, a cooperative matrix or a tile",
    lambda t: isinstance(t, ScalarType | CoopMatrixType | TileType | FragmentType),
)
SHAPED_NUMBER: Final = _shaped("a number, or a tile or cooperative matrix of numbers", lambda t: t.is_number)
SHAPED_REAL: Final = _shaped(
    "an integer or floating point number, or a tile or cooperative matrix of them",
    lambda t: t.is_number and not t.is_complex,
)
SHAPED_INTEGER: Final = _shaped("an integer, or a tile or cooperative matrix of integers", lambda t: t.is_integer)
SHAPED_FLOAT: Final = _shaped("a floating point number, or a tile or cooperative matrix of them", lambda t: t.is_float)
SHAPED_FLOAT_OR_COMPLEX: Final = _shaped(
    "a floating point or complex number, or a tile or cooperative matrix of them",
    lambda t: t.is_float or t.is_complex,
)
SHAPED_COMPLEX: Final = _shaped("a complex number, or a tile or cooperative matrix of them", lambda t: t.is_complex)
SHAPED_BOOLEAN: Final = _shaped("bool or a tile of bool", lambda t: t is BOOL)
SHAPED_BOOL_OR_INTEGER: Final = _shaped(
    "bool, an integer, or a tile or cooperative matrix of them", lambda t: t is BOOL or t.is_integer
)
SHAPED: Final = _shaped("a scalar, tile or cooperative matrix", lambda t: True)
