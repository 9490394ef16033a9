"""Tiles of the work-group whose elements stay where they are needed: in the registers of the thread that stores them.

A tile is *distributed* by giving each thread runs of adjacent elements, `width` at a time: run r of thread t begins at
the element with column-major number `(r * threads + t) * width`. A loaded tile that is only stored again, maybe after
elementwise arithmetic, needs no shared memory then: every reader asks for its own elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Final

from msgspec import Struct

from tilewright.dialects import tile
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, TileType
from tilewright.targets.nvidia.deferral import collective_ops, is_undisturbed, readers

_VECTOR_BYTES: Final = 16
_MOST_HELD: Final = 32
"""Elements of a tile that a thread holds: registers are what runs out first."""

Shape = tuple[int, ...]


class Distribution(Struct, frozen=True):
    """How a shape is spread over the threads of a work-group."""

    shape: Shape
    threads: int
    width: int

    @property
    def size(self) -> int:
        """Elements of the shape."""
        return prod(self.shape)

    @property
    def rounds(self) -> int:
        """Runs that a thread has at most."""
        return -(-self.size // (self.threads * self.width))


class Distributions(Struct, frozen=True):
    """The shapes that are distributed in a kernel, and the loaded tiles that stay in registers."""

    of_shape: Mapping[Shape, Distribution]
    held: frozenset[Value]

    @staticmethod
    def of(kernel: Kernel, threads: int, waiting: frozenset[Value]) -> Distributions:
        """Decide for the collective regions of a kernel; `waiting` are tiles that are computed when asked for."""
        ops = list(collective_ops(kernel.body.entry))
        moved: dict[Shape, list[int]] = {}
        for op in ops:
            found = op.value if isinstance(op, tile.Store) else op.out if isinstance(op, tile.Load) else None
            if found is not None:
                type_ = found.type
                assert isinstance(type_, TileType)
                bytes_ = _VECTOR_BYTES if type_.element is BOOL or type_.element.is_complex else type_.element.bytes
                moved.setdefault(type_.shape, []).append(bytes_)
        shapes = {shape: Distribution(shape, threads, _width(shape, threads, min(b))) for shape, b in moved.items()}
        loads = [op for op in ops if isinstance(op, tile.Load) and op.out not in waiting]
        held = {op.out for op in loads if _few(shapes[_shape(op.out)]) and _stays(op, waiting) and is_undisturbed(op)}
        return Distributions(shapes, frozenset(held))


def _shape(value: Value) -> Shape:
    assert isinstance(value.type, TileType)
    return value.type.shape


def _width(shape: Shape, threads: int, least_bytes: int) -> int:
    """Adjacent elements that fill 16 bytes of the smallest type, fewer where the first dimension or the threads ask."""
    width = max(_VECTOR_BYTES // least_bytes, 1)
    while width > 1 and (not shape or shape[0] % width or width * threads > prod(shape)):
        width //= 2
    return width


def _few(found: Distribution) -> bool:
    return found.rounds * found.width <= _MOST_HELD


def _stays(load: tile.Load, waiting: frozenset[Value]) -> bool:
    """Whether each element is only stored at its own coordinates, by itself or computed into another."""
    found = list(readers(load.out, waiting, True))
    return bool(found) and all(
        pointwise and isinstance(op, tile.Store) and _is_collective(op, load) for op, pointwise in found
    )


def _is_collective(store: Operation, load: Operation) -> bool:
    """A store behind the load, in the same block or one inside of what follows."""
    return store.block is load.block or load.block in [ancestor.block for ancestor in store.ancestors()]
