"""Building small kernels of Tile IR and running them in the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Report
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.cuda_tile import control, core, memory
from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.attributes import MemoryOrdering, Overflow, dense
from tilewright.dialects.cuda_tile.numbers import float_bits, integer_bits
from tilewright.interpreter.tile_ir import run_entry
from tilewright.interpreter.tile_ir.values import dtype_of
from tilewright.ir.core import Value
from tilewright.ir.types import Type
from tilewright.ir.verifier import verify

Array = NDArray[Any]
Body = Callable[["Kernel"], object]
WEAK = MemoryOrdering.WEAK


class Kernel:
    """A module with one entry under construction; `b` inserts operations."""

    def __init__(self, *parameters: Type) -> None:
        body, block = new_region(parameters)
        self.entry = core.Entry("k", body)
        items, module_block = new_region()
        self.module = core.TileModule("m", items, version=4)
        module_block.append(self.entry)
        self.b = Builder.at_end(block)
        self.arguments: list[Value] = list(block.arguments)

    def inside(self, *types: Type) -> tuple[Any, Builder, list[Value]]:
        """A region, a builder in it, its arguments."""
        body, block = new_region(types)
        return body, Builder.at_end(block), list(block.arguments)

    def scalar(self, value: float, element: t.ElementType, shape: tuple[int, ...] = ()) -> Value:
        """A constant with equal elements."""
        bits = float_bits(value, element) if element.is_float else integer_bits(int(value), element)
        type_ = t.Tile(shape, element)
        return self.b(core.Constant(dense(element, [bits], type_.size), result_types=[type_])).out

    def pointers(self, base: Value, shape: tuple[int, ...]) -> Value:
        """Pointers to consecutive elements, row major."""
        assert isinstance(base.type, t.Tile)
        flat = t.Tile((int(np.prod(shape)),), t.I64)
        counted: Value = self.b(core.Iota(result_types=[flat])).out
        if shape != flat.shape:
            counted = self.b(core.Reshape(counted, result_types=[t.Tile(shape, t.I64)])).out
        element = base.type.element
        ones = self.b(core.Reshape(base, result_types=[t.Tile((1,) * len(shape), element)])).out if shape else base
        wide = self.b(core.Broadcast(ones, result_types=[t.Tile(shape, element)])).out if shape else base
        return self.b(core.Offset(wide, counted)).out if shape else base

    def load(self, base: Value, shape: tuple[int, ...]) -> Value:
        """The first elements of an array."""
        at = self.pointers(base, shape)
        assert isinstance(at.type, t.Tile)
        assert isinstance(at.type.element, t.Pointer)
        out = t.Tile(shape, at.type.element.pointee)
        return self.b(memory.LoadPtr(WEAK, at, result_types=[out, t.TOKEN_TYPE])).out

    def store(self, base: Value, value: Value) -> None:
        """To the first elements of an array."""
        assert isinstance(value.type, t.Tile)
        self.b(memory.StorePtr(WEAK, self.pointers(base, value.type.shape), value))

    def run(self, arguments: Sequence[Any], grid: tuple[int, int, int] = (1, 1, 1), **options: Any) -> None:
        """Verify and run."""
        last = self.entry.body.entry.last
        if not isinstance(last, control.Return):
            self.b(control.Return([]))
        report = Report()
        verify(self.module, report)
        assert not report.has_errors, [str(d) for d in report.diagnostics]
        run_entry(self.entry, arguments, grid, **options)


def pointer(element: t.ElementType) -> t.Tile:
    """A scalar pointer."""
    return t.Tile((), t.Pointer(element))


def array_of(values: Any, element: t.ElementType) -> Array:
    """Values as the array that a pointer to such elements stands for."""
    found = np.ascontiguousarray(values)
    assert found.dtype.itemsize == element.memory_bytes
    return found


def blank(count: int | tuple[int, ...], element: t.ElementType) -> Array:
    """Poisoned elements for results."""
    dtype = dtype_of(element)
    shape = count if isinstance(count, tuple) else (count,)
    return np.full(int(np.prod(shape)) * dtype.itemsize, 0xA5, np.uint8).view(dtype).reshape(shape)


def apply(
    build: Callable[[Any, Any], Value],
    inputs: Sequence[tuple[Array, t.ElementType]],
    output: t.ElementType,
    **options: Any,
) -> Array:
    """Run one operation on arrays: `build(builder, values)` makes it on tiles of their shapes, its result is stored."""
    kernel = Kernel(*[pointer(e) for _, e in inputs], pointer(output))
    values = [kernel.load(a, x.shape) for a, (x, _) in zip(kernel.arguments, inputs, strict=False)]
    found = build(kernel.b, values)
    assert isinstance(found.type, t.Tile)
    kernel.store(kernel.arguments[-1], found)
    out = blank(found.type.shape, output)
    kernel.run([*(array_of(x, e) for x, e in inputs), out], **options)
    return out


__all__ = ["Kernel", "Overflow", "apply", "array_of", "blank", "pointer"]
