"""Tensors: a flat row of stored elements, which a shape, a layout and padding give a meaning.

Extents and padding stand in memory order, outermost first; `layout[i]` is the logical dimension that lies at memory
position i. What is in padding is no data: no operation reads it, and in a result it may be anything.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import gcd, prod
from typing import Final

from msgspec import Struct

from tilewright.ir.types import BF16, F16, F32, F64, I8, I16, I32, I64, Constraint, ScalarType, TileType, Type
from tilewright.numerics.formats import Format

ELEMENTS: Final = (I8, I16, I32, I64, F16, BF16, F32, F64)
"""What tensors are made of: LLVM packs narrower elements, so they have no addresses."""


class Fault(Struct, frozen=True):
    """What is wrong, under the code of its rule."""

    code: str
    message: str


@dataclass(frozen=True)
class TensorType(Type):
    """A tensor value. It may be unsound, as a program wrote it; what it derives from its parts holds of sound ones."""

    element: ScalarType
    extents: tuple[int, ...]
    layout: tuple[int, ...]
    padding: tuple[int, ...]

    def __reduce__(self) -> tuple[type[TensorType], tuple[object, ...]]:
        """What it is made of: what is derived of that may name objects of this process."""
        return TensorType, (self.element, self.extents, self.layout, self.padding)

    @classmethod
    def dense(cls, element: ScalarType, shape: Sequence[int]) -> TensorType:
        """Row-major and without padding."""
        rank = len(shape)
        return cls(element, tuple(shape), tuple(range(rank)), (0,) * rank)

    @property
    def rank(self) -> int:
        """Number of dimensions; 0 is one element."""
        return len(self.extents)

    @cached_property
    def size(self) -> int:
        """Stored elements, those of the padding too."""
        return prod(self.extents)

    @cached_property
    def valid(self) -> tuple[int, ...]:
        """Extents without padding, in memory order."""
        return tuple(s - p for s, p in zip(self.extents, self.padding, strict=True))

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """For each logical dimension the memory position where it lies."""
        found = [0] * self.rank
        for position, dim in enumerate(self.layout):
            found[dim] = position
        return tuple(found)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Logical extents: valid ones, in logical order."""
        return tuple(self.valid[p] for p in self.positions)

    @cached_property
    def dims(self) -> tuple[Dim, ...]:
        """Stored extent and padding of each logical dimension."""
        return tuple(Dim(self.extents[p], self.padding[p]) for p in self.positions)

    @property
    def flat(self) -> TileType:
        """The type of the stored elements as a bare vector."""
        return TileType((self.size,), self.element)

    @property
    def is_dense(self) -> bool:
        """Whether every stored element is data."""
        return not any(self.padding)

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """The rules that the parts break; none if the type is sound."""
        return tuple(_faults(self))

    @cached_property
    def results(self) -> dict[Hashable, tuple[TensorType, tuple[Type, ...]]]:
        """What operations whose first operand is of this type were found to give (`TensorOperation.inferred`)."""
        return {}

    @property
    def is_sound(self) -> bool:
        """Whether the parts make a type."""
        return not self.faults

    def relaid(self, layout: Sequence[int]) -> TensorType:
        """The same logical tensor in another memory order; extents and padding move along."""
        return self if tuple(layout) == self.layout else of_dims(self.element, self.dims, layout)

    def with_element(self, element: ScalarType) -> TensorType:
        """The same tensor of other elements."""
        if element is self.element:
            return self
        return TensorType(element, self.extents, self.layout, self.padding)

    def __str__(self) -> str:
        text = f"tensor<{'x'.join(map(str, self.extents))}{'x' if self.extents else ''}{self.element}"
        if self.layout != tuple(range(len(self.extents))):
            text += f", layout {_listed(self.layout)}"
        if any(self.padding):
            text += f", padding {_listed(self.padding)}"
        return text + ">"

    @property
    def format(self) -> Format:
        return self.element.format


class Dim(Struct, frozen=True):
    """A logical dimension: how many elements of it are stored, and how many of those, at its end, are no data."""

    stored: int
    padding: int = 0

    @property
    def valid(self) -> int:
        """Extent without padding."""
        return self.stored - self.padding


def of_dims(element: ScalarType, dims: Sequence[Dim], layout: Sequence[int]) -> TensorType:
    """The tensor of these logical dimensions in a memory order."""
    placed = [dims[dim] for dim in layout]
    return TensorType(element, tuple(d.stored for d in placed), tuple(layout), tuple(d.padding for d in placed))


def row_major(element: ScalarType, dims: Sequence[Dim]) -> TensorType:
    """The tensor of these logical dimensions with the last one innermost."""
    return of_dims(element, dims, range(len(dims)))


def not_a_permutation(layout: Sequence[int], rank: int) -> str | None:
    """Why numbers are no permutation of 0 .. rank-1, None if they are."""
    if sorted(layout) == list(range(rank)):
        return None
    outside = sorted({k for k in layout if not 0 <= k < rank})
    missing = [k for k in range(rank) if k not in layout]
    repeated = sorted({k for k in layout if list(layout).count(k) > 1})
    words = (("out of range", outside), ("missing", missing), ("repeated", repeated))
    found = ", ".join(f"{', '.join(map(str, ks))} is {word}" for word, ks in words if ks)
    return f"layout {_listed(layout)} is no permutation of 0..{rank - 1}: {found}"


def _faults(type_: TensorType) -> Iterator[Fault]:
    rank = type_.rank
    for name, entries in (("layout", type_.layout), ("padding", type_.padding)):
        if len(entries) != rank:
            yield Fault("TLX301", f"shape has {rank} {_entries(rank)}, {name} {len(entries)}")
    permuted = not_a_permutation(type_.layout, rank) if len(type_.layout) == rank else None
    if permuted is not None:
        yield Fault("TLX302", permuted)
    for position, extent in enumerate(type_.extents):
        padding = type_.padding[position] if position < len(type_.padding) else 0
        if extent <= 0:
            yield Fault("TLX304", f"extent {extent} at position {position} is not positive")
        elif padding < 0:
            yield Fault("TLX304", f"padding {padding} at position {position} is negative")
        elif padding >= extent:
            yield Fault("TLX304", f"padding {padding} leaves nothing of extent {extent} at position {position}")


def _entries(count: int) -> str:
    return "entry" if count == 1 else "entries"


def _listed(numbers: Sequence[int]) -> str:
    return f"<{','.join(map(str, numbers))}>"


def dense_distances(type_: TensorType) -> tuple[int, ...]:
    """Elements between neighbours along each memory position where nothing lies between the stored ones."""
    found = [1] * type_.rank
    for position in reversed(range(type_.rank - 1)):
        found[position] = found[position + 1] * type_.extents[position + 1]
    return tuple(found)


def distances_of(strides: Sequence[int], extents: Sequence[int]) -> tuple[int, ...]:
    """The distance along each memory position that strides as the RFC writes them mean (decision 11).

    The last entry is that of rows, the one before it that of columns, each earlier one that of its own position; 0 is
    dense. Of rank 1 the one entry is that of elements.
    """
    rank = len(extents)
    given = tuple(strides) if rank < 2 else (*strides[:-2], strides[-1], strides[-2])
    found = [0] * rank
    for position in reversed(range(rank)):
        behind = 1 if position == rank - 1 else extents[position + 1] * found[position + 1]
        found[position] = given[position] or behind
    return tuple(found)


def surely_collide(valid: Sequence[int], distances: Sequence[int | None]) -> tuple[int, int] | None:
    """Two memory positions along which elements certainly share an address, or one twice; None if none is known.

    Exact for one and two positions of known distance; of more together nothing is claimed.
    """
    known = [(d, n, k) for k, (d, n) in enumerate(zip(distances, valid, strict=True)) if d is not None and n > 1]
    for distance, _, position in known:
        if distance == 0:
            return position, position
    for (near, short, i), (far, long, j) in combinations(known, 2):
        common = gcd(near, far)
        if far // common < short and near // common < long:
            return i, j
    return None


def is_element(type_: Type) -> bool:
    """Whether tensors may be made of it."""
    return isinstance(type_, ScalarType) and type_ in ELEMENTS


TENSOR: Final = Constraint("a tensor", lambda t: isinstance(t, TensorType))
ELEMENT: Final = Constraint("an element of tensors", is_element)
VECTOR: Final = Constraint("a vector", lambda t: isinstance(t, TileType) and t.rank == 1 and is_element(t.element))
