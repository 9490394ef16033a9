"""What the values of the IR become in the code of a CPU kernel.

In an SPMD region a subgroup is a vector: a *varying* scalar is an LLVM vector with one lane a work-item, a *uniform*
one an LLVM scalar. Outside, everything is uniform.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from tilewright.ir.types import MemrefType, TileType
from tilewright.targets.llvm.emitter import Complex, Value

Operand = Value | Complex


class Linear(Struct, frozen=True):
    """A varying integer known to be `base + stride * lane`."""

    base: Value
    stride: int


class Scalar(Struct, frozen=True):
    """A number or bool; `linear` tells how an integer depends on the lane, where that is known."""

    operand: Operand
    varying: bool = False
    linear: Linear | None = None

    @property
    def value(self) -> Value:
        """The LLVM value of a scalar that is not complex."""
        assert isinstance(self.operand, Value)
        return self.operand


class View(Struct, frozen=True):
    """A memref: element (i, ..) lies at `pointer + offset + sum i_k stride_k` (in elements).

    `pointer` is a vector of pointers if the memref varies by work-item; `base` is the pointer before any offset.
    """

    type: MemrefType
    pointer: Scalar
    offset: Scalar
    sizes: tuple[Scalar, ...]
    strides: tuple[Scalar, ...]
    base: Scalar

    @property
    def varying(self) -> bool:
        """Whether the address of its elements differs by work-item."""
        parts = (self.pointer, self.offset, *self.sizes, *self.strides)
        return any(p.varying for p in parts)


class Group(Struct, frozen=True):
    """A group: its table, its dope arrays (one a dynamic extent, then stride), its size and offset."""

    type: MemrefType
    table: Value
    extents: tuple[Value, ...]
    strides: tuple[Value, ...]
    size: Scalar
    offset: Scalar


class Tile(Protocol):
    """What the tile lowering makes of a tile; opaque to everything else."""

    @property
    def type(self) -> TileType:
        """The tile's type."""
        ...


Lowered = Scalar | View | Group | Tile
