"""Products: loops over batches, around products of matrices in memory.

Where strides cannot merge the dimensions of rows, columns or terms, a large product takes several of each
(`tl.contract`); around smaller ones there are loops over all but the longest, and terms are copied together. Small
products of two matrices are formed of tiles, which stay in registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from msgspec import Struct

from tilewright.dialects import tile, tl
from tilewright.dialects.arith_integers import UCast
from tilewright.dialects.tlx import products as tlx
from tilewright.dialects.tlx.base import tensor_of
from tilewright.dialects.tlx.types import TensorType
from tilewright.ir.core import Value
from tilewright.ir.types import ScalarType, TileType, with_element
from tilewright.transforms import emit
from tilewright.transforms.lower_tlx.axes import Axis, axes, longest, merged
from tilewright.transforms.lower_tlx.context import Lowering, address_of, strides_of

_MANY_MULTIPLIES: Final = 1 << 18
_NARROWEST: Final = 16


class Factor(Struct, frozen=True):
    """A factor in memory, and whether its integers are signed."""

    view: Value
    signed: bool = True


class Roles(Struct, frozen=True):
    """Which dimensions of `a`, `b` and the result are shared by all, free in one factor, or summed over.

    Each is a list of pairs or triples of logical dimensions, in the order (a, b, c), of those that have it.
    """

    batch: Sequence[tuple[int, int, int]]
    rows: Sequence[tuple[int, int]]
    columns: Sequence[tuple[int, int]]
    terms: Sequence[tuple[int, int]]

    @staticmethod
    def of_matrices(rank: int) -> Roles:
        """[B.., M, K] times [B.., K, N]."""
        m, n = rank - 2, rank - 1
        return Roles([(d, d, d) for d in range(rank - 2)], [(m, m)], [(n, n)], [(n, m)])

    @staticmethod
    def of_contraction(op: tlx.Contract) -> Roles:
        """Free dimensions of `a`, then of `b`; pairs of axes."""
        mine, others = op.free
        rows = [(d, k) for k, d in enumerate(mine)]
        columns = [(d, len(mine) + k) for k, d in enumerate(others)]
        return Roles([], rows, columns, list(zip(op.axes_a, op.axes_b, strict=True)))


def matmul(low: Lowering, op: tlx.MatMul) -> Value:
    """A batched product."""
    a, b, out = (tensor_of(v) for v in (op.a, op.b, op.out))
    if out.rank == 2 and not any(map(low.is_large, (a, b, out))):
        return _of_tiles(low, low.tile(op.a), low.tile(op.b), None, out)
    factors = (Factor(low.memory(op.a, a)), Factor(low.memory(op.b, b)))
    return multiply(low, factors, (a, b), low.result(out), out, Roles.of_matrices(out.rank))


def contract(low: Lowering, op: tlx.Contract) -> Value:
    """A contraction over any axes."""
    a, b, out = (tensor_of(v) for v in (op.a, op.b, op.out))
    factors = (Factor(low.memory(op.a, a)), Factor(low.memory(op.b, b)))
    return multiply(low, factors, (a, b), low.result(out), out, Roles.of_contraction(op))


def multiply_accumulate(low: Lowering, op: tlx.MultiplyAccumulate) -> Value:
    """A product added to an accumulator; each factor has a sign of its own."""
    a, b, out = (tensor_of(v) for v in (op.a, op.b, op.out))
    if out.rank == 2 and not any(map(low.is_large, (a, b, out))):
        factors = [_extended(low, low.tile(v), s, out.element) for v, s in zip((op.a, op.b), op.signed, strict=True)]
        return _of_tiles(low, factors[0], factors[1], low.tile(op.acc), out)
    target, acc = low.result(out), low.values[op.acc]
    if isinstance(acc.type, TileType):
        low.write(acc, target)
    else:
        low.copy(acc, target)
    x, y = (Factor(low.memory(v, t), s) for v, t, s in zip((op.a, op.b), (a, b), op.signed, strict=True))
    return multiply(low, (x, y), (a, b), target, out, Roles.of_matrices(out.rank), accumulate=True)


def _extended(low: Lowering, value: Value, signed: bool, element: ScalarType) -> Value:
    if signed or emit.scalar_type(value.type) is element:
        return value
    return low.b(UCast(value, result_types=[with_element(value.type, element)])).out


def _of_tiles(low: Lowering, a: Value, b: Value, acc: Value | None, out: TensorType) -> Value:
    """With dimensions in reverse, the product of the factors in the other order; formed in the accumulator's type."""
    type_ = TileType(out.shape[::-1], out.element.accumulator)
    first = low.b.zero(type_) if acc is None else emit.cast(low.b, acc, type_.element)
    return emit.cast(low.b, low.b(tile.Mma(b, a, first)).out, out.element)


def multiply(
    low: Lowering,
    factors: tuple[Factor, Factor],
    types: tuple[TensorType, TensorType],
    target: Value,
    out: TensorType,
    roles: Roles,
    accumulate: bool = False,
) -> Value:
    """The product of two tensors in memory into, or added to, a view, which overlaps neither."""
    (a, b), (x, y) = factors, types
    left, right = [p for p, _ in roles.terms], [p for _, p in roles.terms]
    rows = merged(_shared((a.view, x, [p for p, _ in roles.rows]), (target, out, [p for _, p in roles.rows])))
    columns = merged(_shared((b.view, y, [p for p, _ in roles.columns]), (target, out, [p for _, p in roles.columns])))
    terms = merged(_shared((a.view, x, left), (b.view, y, right)))
    views = ((a.view, x), (b.view, y), (target, out))
    shared = _shared(*((view, type_, [p[k] for p in roles.batch]) for k, (view, type_) in enumerate(views)))
    loops = [axis for axis in shared if axis.extent > 1]
    addresses = [address_of(view) for view, _ in views]
    if max(map(len, (rows, columns, terms))) > 1 and is_large(types, out, roles):
        _loops(low, loops, Tensors(a, b, target, rows, columns, terms, accumulate), addresses)
        return target
    if len(terms) > 1:
        a, b = _relaid(low, a, x, left), _relaid(low, b, y, right)
        return multiply(low, (a, b), (x, y), target, out, roles, accumulate)
    (m, outer_rows), (n, outer_columns) = longest(rows, 2), longest(columns, 2)
    loops += [Axis(r.extent, (r.strides[0], 0, r.strides[1])) for r in outer_rows]
    loops += [Axis(c.extent, (0, *c.strides)) for c in outer_columns]
    _loops(low, loops, Matrices(a, b, target, m, n, longest(terms, 2)[0], accumulate), addresses)
    return target


def is_large(types: tuple[TensorType, TensorType], out: TensorType, roles: Roles) -> bool:
    """Whether targets gain by copying the factors of a product into panels, in any order of their elements."""
    x, _ = types
    rows, columns = prod(x.shape[d] for d, _ in roles.rows), prod(out.shape[d] for _, d in roles.columns)
    terms = prod(x.shape[d] for d, _ in roles.terms)
    return rows * columns * terms >= _MANY_MULTIPLIES and min(rows, columns, terms) >= _NARROWEST


class Tensors(Struct, frozen=True):
    """One product of tensors over several dimensions: what varies between its runs are the three addresses."""

    a: Factor
    b: Factor
    target: Value
    rows: Sequence[Axis]
    columns: Sequence[Axis]
    terms: Sequence[Axis]
    accumulate: bool

    def emit(self, low: Lowering, addresses: Sequence[Value]) -> None:
        """`C := A B` or `C += A B`, the nearest modes of the result and of the larger factor first."""
        rows, columns = (_nearest(axes, 1) for axes in (self.rows, self.columns))
        tall = prod(r.extent for r in rows) >= prod(c.extent for c in columns)
        terms = _nearest(self.terms, 0 if tall else 1)
        factors = [(self.a.view, rows, 0, terms, 0), (self.b.view, terms, 1, columns, 0)]
        views = [
            low.view(
                address,
                emit.memref_type(view).element,
                [axis.extent for axis in (*first, *second)],
                [*(axis.strides[i] for axis in first), *(axis.strides[k] for axis in second)],
            )
            for address, (view, first, i, second, k) in zip(
                addresses, [*factors, (self.target, rows, 1, columns, 1)], strict=True
            )
        ]
        element = emit.memref_type(self.target).element
        one, beta = _factors_of(low, element, self.accumulate)
        a, b, c = views
        low.b(tl.Contract(one, a, b, beta, c, unsigned_a=not self.a.signed, unsigned_b=not self.b.signed))


def _nearest(given: Sequence[Axis], which: int) -> list[Axis]:
    """Dimensions in the order of their strides in one of the tensors; one of extent 1 if there are none."""
    return sorted(given, key=lambda axis: axis.distance(which)) or [Axis(1, (1, 1))]


def _factors_of(low: Lowering, element: ScalarType, accumulate: bool) -> tuple[Value, Value]:
    """alpha and beta of `C := A B` or `C += A B`."""
    one = low.b.constant(1.0 if element.is_float else 1, element)
    return one, one if accumulate else low.b.zero(element)


class Matrices(Struct, frozen=True):
    """One product of matrices: what varies between its runs are the three addresses."""

    a: Factor
    b: Factor
    target: Value
    rows: Axis
    columns: Axis
    terms: Axis
    accumulate: bool

    def emit(self, low: Lowering, addresses: Sequence[Value]) -> None:
        """`C := A B` or `C += A B`, turned round if that makes the result's first mode the near one."""
        m, n, k = self.rows, self.columns, self.terms
        x, y, z = (emit.memref_type(v).element for v in (self.a.view, self.b.view, self.target))
        one, beta = _factors_of(low, z, self.accumulate)
        if m.strides[1] == 1 and m.extent > 1:
            a = low.view(addresses[0], x, (m.extent, k.extent), (m.strides[0], k.strides[0]))
            b = low.view(addresses[1], y, (k.extent, n.extent), (k.strides[1], n.strides[0]))
            c = self._result(low, addresses[2], (m, n))
            signs = (not self.a.signed, not self.b.signed)
        else:
            a = low.view(addresses[1], y, (n.extent, k.extent), (n.strides[0], k.strides[1]))
            b = low.view(addresses[0], x, (k.extent, m.extent), (k.strides[0], m.strides[0]))
            c = self._result(low, addresses[2], (n, m))
            signs = (not self.b.signed, not self.a.signed)
        low.b(tl.Gemm(one, a, b, beta, c, unsigned_a=signs[0], unsigned_b=signs[1]))

    def _result(self, low: Lowering, address: Value, axes_: tuple[Axis, Axis]) -> Value:
        """The matrix that is written; where that is all of the target, the very view of it."""
        shape, strides = tuple(axis.extent for axis in axes_), [axis.strides[1] for axis in axes_]
        whole = address is address_of(self.target) and emit.memref_type(self.target).shape == shape
        if whole and strides_of(self.target) == strides:
            return self.target
        return low.view(address, emit.memref_type(self.target).element, shape, strides)


def _loops(low: Lowering, loops: Sequence[Axis], product: Matrices | Tensors, addresses: list[Value]) -> None:
    """Parallel loops, the outermost first, around a product of matrices."""
    if not loops:
        product.emit(low, addresses)
        return
    axis, *rest = loops
    loop = emit.open_loop(low.b, low.b.index(0), low.b.index(axis.extent), parallel=True)
    inner = low.inside(loop.body)
    sizes = [emit.memref_type(v).element.bytes for v in (product.a.view, product.b.view, product.target)]
    moved = [
        inner.further(address, inner.product(loop.index, stride), size)
        for address, stride, size in zip(addresses, axis.strides, sizes, strict=True)
    ]
    _loops(inner, rest, product, moved)


def _shared(*views: tuple[Value, TensorType, Sequence[int]]) -> list[Axis]:
    """Logical dimensions that all views have, under a number of its own in each, and their strides there."""
    _, first, dims = views[0]
    modes = [(view, [type_.rank - 1 - d for d in own]) for view, type_, own in views]
    return axes([first.shape[d] for d in dims], modes)


def _relaid(low: Lowering, factor: Factor, type_: TensorType, inner: Sequence[int]) -> Factor:
    """A copy with the dimensions that are summed over innermost, in this order."""
    outer = [d for d in type_.layout if d not in inner]
    view = low.fresh(type_.relaid([*outer, *inner]))
    low.copy(factor.view, view)
    return Factor(view, factor.signed)
