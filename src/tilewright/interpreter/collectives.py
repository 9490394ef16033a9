"""Collective instructions of the tensor language, computed in acc(T) or wider and rounded once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import tl
from tilewright.interpreter.at_once import trip_count
from tilewright.interpreter.blocks import load_box, store_box, update_box
from tilewright.interpreter.memory import View
from tilewright.interpreter.scalars import enter_spmd, leave_spmd
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.types import C64, F64, MemrefType, ScalarType
from tilewright.numerics.arrays import dtype_of
from tilewright.numerics.conversions import convert
from tilewright.numerics.updates import Update

Array = NDArray[Any]


def element(value: Value) -> ScalarType:
    """Element type of a memref."""
    assert isinstance(value.type, MemrefType)
    return value.type.element


def wide_type(type_: ScalarType) -> ScalarType:
    """A type in which sums of `type_` are at least as precise as in acc(type_)."""
    if type_.is_complex:
        return C64
    return F64 if type_.is_float else type_.accumulator


def _shape(w: WorkGroup, value: Value) -> tuple[View, tuple[int, ...]]:
    view = w.memref(value)
    assert isinstance(view, View)
    return view, tuple(int(s) for s in view.shape)


def read_all(w: WorkGroup, op: Operation, value: Value, wanted: np.dtype[Any]) -> Array:
    """A whole memref in the type of the computation; negative extents, which launches can give, are empty."""
    view, extents = _shape(w, value)
    shape = tuple(max(extent, 0) for extent in extents)
    found = load_box(w, view, (0,) * len(shape), shape, (), op.location, dtype_of(element(value).format))
    return found.astype(wanted)


def _transposed(array: Array, transpose: bool) -> Array:
    return array.T if transpose else array


def _check_extents(w: WorkGroup, op: tl.Collective) -> None:
    """Extents that only the launch knows: those that have to be the same are, whatever alpha and beta."""
    known: dict[str, int] = {}
    for tensor in op.tensor_modes():
        found = tensor.seen(_shape(w, op.operands[tensor.operand])[1])
        wanted = tuple(known.setdefault(k, extent) for k, extent in zip(tensor.letters, found, strict=True))
        if found != wanted:
            message = f"extents of operands differ where they have to agree: {list(found)} and {list(wanted)}"
            fail("R013", op.location, message)


def _update(
    w: WorkGroup,
    op: tl.Collective,
    alpha: Value,
    beta: Value,
    target: Value,
    atomic: bool,
    product: Callable[[np.dtype[Any]], Array],
) -> None:
    """`target := alpha product + beta target` with the rules for zero factors."""
    _check_extents(w, op)
    type_ = element(target)
    wide = wide_type(type_)
    wanted = dtype_of(wide.format)
    view, shape = _shape(w, target)
    if any(extent <= 0 for extent in shape):
        return
    a = w.scalar(alpha).astype(wanted)
    b = w.scalar(beta).astype(wanted)
    with np.errstate(all="ignore"):
        result = np.zeros(shape, wanted) if a == 0 else a * product(wanted)
        start = (0,) * len(shape)
        if atomic and b != 0:
            rounded = convert(wide.format, type_.format, np.asarray(result))
            update_box(w, view, start, np.asarray(rounded), (), Update.ADD, type_.format, op.location)
            return
        if b != 0:
            result = result + b * read_all(w, op, target, wanted)
        rounded = convert(wide.format, type_.format, np.asarray(result))
    store_box(w, view, start, np.asarray(rounded), (), op.location, atomic)


def _elementwise(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.ElementwiseCollective)
    _, *inputs = op.tensor_modes()

    def formed(wanted: np.dtype[Any]) -> Array:
        return op.formed([_transposed(read_all(w, op, op.operands[t.operand], wanted), t.transposed) for t in inputs])

    alpha, *_, beta, out = op.operands
    _update(w, op, alpha, beta, out, bool(op.attributes.get("atomic")), formed)


def _sum(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.Sum)

    def total(wanted: np.dtype[Any]) -> Array:
        a = _transposed(read_all(w, op, op.a, wanted), op.transpose)
        return np.asarray(a.sum(axis=-1, dtype=wanted))

    _update(w, op, op.alpha, op.beta, op.b, op.atomic, total)


def _cumsum(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.Cumsum)
    _update(
        w,
        op,
        op.alpha,
        op.beta,
        op.b,
        op.atomic,
        lambda t: read_all(w, op, op.a, t).cumsum(axis=op.mode, dtype=t),
    )


def matmul(a: Array, b: Array) -> Array:
    """Matrix product; integers wrap."""
    with np.errstate(all="ignore"):
        return np.matmul(a, b)


def _gemm(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.Gemm)

    def product(wanted: np.dtype[Any]) -> Array:
        a, b = _factor(w, op, op.a, op.unsigned_a, wanted), _factor(w, op, op.b, op.unsigned_b, wanted)
        return matmul(_transposed(a, op.transpose_a), _transposed(b, op.transpose_b))

    _update(w, op, op.alpha, op.beta, op.c, op.atomic, product)


def _contract(w: WorkGroup, op: Operation) -> None:
    """As a product of matrices."""
    assert isinstance(op, tl.Contract)
    rows, terms, _ = op.groups

    def product(wanted: np.dtype[Any]) -> Array:
        a, b = _factor(w, op, op.a, op.unsigned_a, wanted), _factor(w, op, op.b, op.unsigned_b, wanted)
        lines, columns = a.shape[:rows], b.shape[terms:]
        m, depth, n = map(prod, (lines, b.shape[:terms], columns))
        return matmul(a.reshape(m, depth), b.reshape(depth, n)).reshape(*lines, *columns)

    _update(w, op, op.alpha, op.beta, op.c, False, product)


def _factor(w: WorkGroup, op: Operation, memref: Value, is_unsigned: bool, wanted: np.dtype[Any]) -> Array:
    """A factor in the type that products are summed in, extended by its sign or by zeros."""
    found = read_all(w, op, memref, dtype_of(element(memref).format))
    return (found.view(f"u{found.itemsize}") if is_unsigned else found).astype(wanted)


def _gemv(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.Gemv)

    def product(wanted: np.dtype[Any]) -> Array:
        a, b = _transposed(read_all(w, op, op.a, wanted), op.transpose), read_all(w, op, op.b, wanted)
        return matmul(a, b)

    _update(w, op, op.alpha, op.beta, op.c, op.atomic, product)


def _ger(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.Ger)
    _update(
        w,
        op,
        op.alpha,
        op.beta,
        op.c,
        op.atomic,
        lambda t: np.outer(read_all(w, op, op.a, t), read_all(w, op, op.b, t)),
    )


class _Points(Struct, frozen=True):
    """Points of a box, numbered with the first mode fastest: `trips` of them along each mode, `step` apart."""

    lower: list[int]
    step: Sequence[int]
    trips: list[int]

    @staticmethod
    def of(lower: list[int], upper: list[int], step: Sequence[int]) -> _Points:
        return _Points(lower, step, [trip_count(*mode) for mode in zip(lower, upper, step, strict=True)])

    def starts(self, body: Block, together: int) -> range:
        """The first numbers of those that are taken together; none for a body that does nothing."""
        return range(0, 0 if body.first is None else prod(self.trips), together)

    def some(self, first: int, count: int) -> Array:
        """The points from a number on, one a row. The number fits 64 bits, as trips do; how many there are may not."""
        numbers = np.arange(min(count, prod(self.trips) - first), dtype=np.uint64) + np.uint64(first)
        columns: list[Array] = []
        for lower, step, trips in zip(self.lower, self.step, self.trips, strict=True):
            numbers, trip = np.divmod(numbers, np.uint64(trips))
            columns.append((trip * np.uint64(step)).view(np.int64) + np.int64(lower))
        return np.stack(columns, axis=1)


def _foreach(w: WorkGroup, op: Operation) -> None:
    """Work-items take the points in order, as many at a time as there are work-items."""
    assert isinstance(op, tl.Foreach)
    lower, upper = ([w.number(v) for v in vs] for vs in (op.lowers, op.uppers))
    points = _Points.of(lower, upper, [1] * len(lower))
    for first in points.starts(op.body.entry, w.items):
        chunk = points.some(first, w.items)
        active = np.arange(w.items) < len(chunk)
        padded = np.concatenate([chunk, np.zeros((w.items - len(chunk), chunk.shape[1]), np.int64)])
        enter_spmd(w, first + np.arange(w.items), active)
        for k, argument in enumerate(op.body.entry.arguments):
            w.values[argument] = padded[:, k].astype(dtype_of(_scalar(argument).format))
        w.run(op.body.entry)
        w.mask = w.who = None
    leave_spmd(w)


def _scalar(value: Value) -> ScalarType:
    assert isinstance(value.type, ScalarType)
    return value.type


def _foreach_tile(w: WorkGroup, op: Operation) -> None:
    """Subgroups take the tiles in order."""
    assert isinstance(op, tl.ForeachTile)
    lower, upper = ([w.number(v) for v in vs] for vs in (op.lowers, op.uppers))
    tiles = _Points.of(lower, upper, op.tile_shape)
    arguments = op.body.entry.arguments
    modes = len(lower)
    for first in tiles.starts(op.body.entry, w.subgroups):
        chunk = tiles.some(first, w.subgroups)
        rows = np.concatenate([chunk, np.zeros((w.subgroups - len(chunk), modes), np.int64)])
        active = np.repeat(np.arange(w.subgroups) < len(chunk), w.subgroup_size)
        enter_spmd(w, first * w.subgroup_size + np.arange(w.items), active)
        for k in range(modes):
            offset = np.repeat(rows[:, k], w.subgroup_size)
            size = np.minimum(op.tile_shape[k], upper[k] - offset)
            w.values[arguments[k]] = offset.astype(dtype_of(_scalar(arguments[k]).format))
            w.values[arguments[modes + k]] = size.astype(dtype_of(_scalar(arguments[modes + k]).format))
        w.run(op.body.entry)
        w.mask = w.who = None
    leave_spmd(w)


def handlers() -> dict[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        tl.ElementwiseCollective: _elementwise,
        tl.Sum: _sum,
        tl.Cumsum: _cumsum,
        tl.Gemm: _gemm,
        tl.Contract: _contract,
        tl.Gemv: _gemv,
        tl.Ger: _ger,
        tl.Foreach: _foreach,
        tl.ForeachTile: _foreach_tile,
    }
