"""Types of NVIDIA's Tile IR, and what operations may ask of them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, IntEnum
from functools import cached_property
from typing import Final

from msgspec import Struct

from tilewright.ir.types import TOKEN, Constraint, TokenType, Type
from tilewright.numerics.formats import ADDRESS, FORMATS, FloatFormat, Format, IntegerFormat

MAX_ELEMENTS: Final = 1 << 24
MAX_TILE_BLOCKS: Final = (1 << 24) - 1
"""Tile blocks of a launch along an axis of the grid."""
"""Elements of a tile at most."""


class Version(IntEnum):
    """Bytecode and dialect versions 13.1 to 13.4; the number is the minor one."""

    V13_1 = 1
    V13_2 = 2
    V13_3 = 3
    V13_4 = 4

    def __str__(self) -> str:
        return f"13.{self.value}"


class ElementType(Type, Struct, frozen=True, eq=False, dict=True):
    """A number type. `bits` counts in `bitcast`, `pool_bytes` in the constant pool (i1 is packed there)."""

    name: str
    tag: int
    since: Version = Version.V13_1

    def __str__(self) -> str:
        return self.name

    @property
    def format(self) -> IntegerFormat | FloatFormat:
        found = FORMATS[self.name]
        assert isinstance(found, IntegerFormat | FloatFormat)
        return found

    @cached_property
    def bits(self) -> int:
        """Width of the pattern."""
        return self.format.bits

    @cached_property
    def is_float(self) -> bool:
        """Whether the numbers are floats."""
        return isinstance(self.format, FloatFormat)

    @property
    def floating(self) -> FloatFormat:
        """The format of a type of floats."""
        assert isinstance(self.format, FloatFormat)
        return self.format

    @property
    def integral(self) -> IntegerFormat:
        """The format of a type of integers."""
        assert isinstance(self.format, IntegerFormat)
        return self.format

    @property
    def pool_bytes(self) -> int:
        """Bytes of one element in a constant."""
        return (self.bits + 7) // 8

    @property
    def memory_bytes(self) -> int:
        """Bytes of one element in memory (one for the two elements of f4E2M1FN)."""
        return 4 if self is TF32 else self.pool_bytes


I1: Final = ElementType("i1", 0)
I4: Final = ElementType("i4", 22, Version.V13_3)
I8: Final = ElementType("i8", 1)
I16: Final = ElementType("i16", 2)
I32: Final = ElementType("i32", 3)
I64: Final = ElementType("i64", 4)
F16: Final = ElementType("f16", 5)
BF16: Final = ElementType("bf16", 6)
F32: Final = ElementType("f32", 7)
TF32: Final = ElementType("tf32", 8)
F64: Final = ElementType("f64", 9)
F8E4M3FN: Final = ElementType("f8E4M3FN", 10)
F8E5M2: Final = ElementType("f8E5M2", 11)
F8E8M0FNU: Final = ElementType("f8E8M0FNU", 18, Version.V13_2)
F4E2M1FN: Final = ElementType("f4E2M1FN", 19, Version.V13_3)
F8E5M3FNU: Final = ElementType("f8E5M3FNU", 130, Version.V13_4)

ELEMENTS: Final = {
    t.name: t
    for t in (
        *(I1, I4, I8, I16, I32, I64, F16, BF16, F32, TF32, F64),
        *(F8E4M3FN, F8E5M2, F8E8M0FNU, F4E2M1FN, F8E5M3FNU),
    )
}


class Pointer(Type, Struct, frozen=True):
    """An address of global memory that holds elements of one number type."""

    pointee: ElementType

    def __str__(self) -> str:
        return f"ptr<{self.pointee}>"

    @property
    def format(self) -> Format:
        return ADDRESS


Element = ElementType | Pointer


class Tile(Type, Struct, frozen=True, dict=True):
    """An immutable n-d value; rank 0 is a scalar."""

    shape: tuple[int, ...]
    element: Element

    @cached_property
    def size(self) -> int:
        """Number of elements."""
        total = 1
        for extent in self.shape:
            total *= extent
        return total

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @cached_property
    def text(self) -> str:
        """The short spelling."""
        return "tile<" + "".join(f"{s}x" for s in self.shape) + f"{self.element}>"

    def __str__(self) -> str:
        return self.text

    @property
    def format(self) -> Format:
        return self.element.format


Extent = int | None
"""None is `?`."""


def _spell(extents: tuple[Extent, ...], separator: str) -> str:
    return separator.join("?" if e is None else str(e) for e in extents)


class TensorView(Type, Struct, frozen=True, dict=True):
    """A strided reference to global memory; sizes and strides in elements."""

    element: ElementType
    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]

    @cached_property
    def text(self) -> str:
        """The spelling."""
        if not self.shape:
            return f"tensor_view<{self.element}>"
        return f"tensor_view<{_spell(self.shape, 'x')}x{self.element}, strides=[{_spell(self.strides, ',')}]>"

    def __str__(self) -> str:
        return self.text


class Padding(Enum):
    """What loads read beyond the edge of a view."""

    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class View(Type, Struct, frozen=True, dict=True):
    """What the views of tiles in a tensor share."""

    tile: tuple[int, ...]
    tensor: TensorView
    padding: Padding | None = None

    @property
    def tile_type(self) -> Tile:
        """Type of the tile that an index names."""
        return Tile(self.tile, self.tensor.element)

    @property
    def rank(self) -> int:
        """Number of indices."""
        return len(self.tile)

    def _spell(self, name: str, middle: str, tail: str) -> str:
        padding = "" if self.padding is None else f", padding_value = {self.padding.value}"
        return f"{name}<tile=({_spell(self.tile, 'x')}){middle}{padding}, {self.tensor}{tail}>"


def identity_map(rank: int) -> tuple[int, ...]:
    """The dim_map that a view has unless another one is written."""
    return tuple(range(rank))


def _spell_map(dim_map: tuple[int, ...]) -> str:
    return "" if dim_map == identity_map(len(dim_map)) else f", dim_map=[{', '.join(map(str, dim_map))}]"


class PartitionView(View, frozen=True):
    """A tensor cut into tiles that touch; tile dimension k walks tensor dimension `dim_map[k]`."""

    dim_map: tuple[int, ...] = ()

    @cached_property
    def text(self) -> str:
        """The spelling."""
        return self._spell("partition_view", "", _spell_map(self.dim_map))

    def __str__(self) -> str:
        return self.text


class StridedView(View, frozen=True):
    """Tiles that start every `traversal[k]` elements; they may overlap or leave gaps."""

    traversal: tuple[int, ...] = ()
    dim_map: tuple[int, ...] = ()

    @cached_property
    def text(self) -> str:
        """The spelling."""
        return self._spell(
            "strided_view", f", traversal_strides=[{_spell(self.traversal, ',')}]", _spell_map(self.dim_map)
        )

    def __str__(self) -> str:
        return self.text


class GatherScatterView(View, frozen=True):
    """Tiles whose positions along `sparse_dim` are given one by one."""

    sparse_dim: int = 0

    @cached_property
    def text(self) -> str:
        """The spelling."""
        return self._spell("gather_scatter_view", "", f", sparse_dim={self.sparse_dim}")

    def __str__(self) -> str:
        return self.text


class FunctionType(Type, Struct, frozen=True):
    """Signature of an entry."""

    inputs: tuple[Type, ...]
    results: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.results))})"


def scalar(element: Element) -> Tile:
    """The rank-0 tile of an element type."""
    return Tile((), element)


def since(type_: Type) -> Version:
    """The first version that has the type."""
    match type_:
        case ElementType():
            return type_.since
        case Pointer():
            return type_.pointee.since
        case Tile() | TensorView():
            return since(type_.element)
        case View():
            own = Version.V13_1 if isinstance(type_, PartitionView) else Version.V13_3
            return max(own, since(type_.tensor))
        case FunctionType():
            return max((since(t) for t in (*type_.inputs, *type_.results)), default=Version.V13_1)
        case _:
            return Version.V13_1


# Constraints


def tiles(description: str, accepts: Callable[[Element], bool]) -> Constraint:
    """Tiles whose element passes a test."""
    return Constraint(description, lambda t: isinstance(t, Tile) and accepts(t.element))


def scalars(description: str, accepts: Callable[[Element], bool]) -> Constraint:
    """Rank-0 tiles whose element passes a test."""
    return Constraint(description, lambda t: isinstance(t, Tile) and not t.shape and accepts(t.element))


_INTEGERS: Final = frozenset({I1, I8, I16, I32, I64})
_FLOATS: Final = frozenset({F16, BF16, F32, F64})

INTEGER: Final = tiles("a tile of i1, i8, i16, i32 or i64", lambda e: e in _INTEGERS)
INTEGER_I4: Final = tiles("a tile of i1, i4, i8, i16, i32 or i64", lambda e: e in _INTEGERS or e is I4)
FLOAT: Final = tiles("a tile of f16, bf16, f32 or f64", lambda e: e in _FLOATS)
ANY_FLOAT: Final = tiles("a tile of a floating point type", lambda e: isinstance(e, ElementType) and e.is_float)
NUMBER: Final = tiles("a tile of numbers but i4", lambda e: isinstance(e, ElementType) and e is not I4)
NUMBER_I4: Final = tiles("a tile of numbers", lambda e: isinstance(e, ElementType))
BOOLEAN: Final = tiles("a tile of i1", lambda e: e is I1)
I8_TILE: Final = tiles("a tile of i8", lambda e: e is I8)
I32_TILE: Final = tiles("a tile of i32", lambda e: e is I32)
I64_TILE: Final = tiles("a tile of i64", lambda e: e is I64)
POINTER: Final = tiles("a tile of pointers", lambda e: isinstance(e, Pointer))
TILE: Final = Constraint("a tile", lambda t: isinstance(t, Tile) and t.element is not I4)
SCALAR_I32: Final = scalars("tile<i32>", lambda e: e is I32)
SCALAR_I1: Final = scalars("tile<i1>", lambda e: e is I1)
SCALAR_INTEGER: Final = scalars("a rank-0 tile of i1, i8, i16, i32 or i64", lambda e: e in _INTEGERS)
SCALAR_POINTER: Final = scalars("a rank-0 tile of pointers", lambda e: isinstance(e, Pointer))
TOKENS: Final = Constraint("a token", lambda t: isinstance(t, TokenType))
TENSOR_VIEW: Final = Constraint("a tensor_view", lambda t: isinstance(t, TensorView))
PARTITION_VIEW: Final = Constraint("a partition_view", lambda t: isinstance(t, PartitionView))
STRIDED_VIEW: Final = Constraint("a strided_view", lambda t: isinstance(t, StridedView))
GATHER_SCATTER_VIEW: Final = Constraint("a gather_scatter_view", lambda t: isinstance(t, GatherScatterView))
VIEW: Final = Constraint("a partition_view, strided_view or gather_scatter_view", lambda t: isinstance(t, View))
INDEXED_VIEW: Final = Constraint(
    "a partition_view or strided_view", lambda t: isinstance(t, PartitionView | StridedView)
)
ASSUMABLE: Final = Constraint(
    "a tile or a tensor_view", lambda t: isinstance(t, TensorView) or (isinstance(t, Tile) and t.element is not I4)
)
TOKEN_TYPE: Final = TOKEN
