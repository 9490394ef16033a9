"""lower-cooperative-matrices: matrices of a subgroup become tiles.

before:  %a = tl.cooperative_matrix_load %A, %x, %y {transpose = true, checked = "rows_checked"} -> coopmatrix<..>
after:   %v = memref.permute %A {order = [1, 0]}    %a = tile.load %v, %y, %x {check = [true, false]} -> tile<..>

Types change in place everywhere, so constants, arithmetic and carried values follow along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from msgspec import Struct

from tilewright.dialects import tile, tl
from tilewright.dialects.arith import Mul
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.dialects.memref import AtomicKind
from tilewright.ir.core import Operation, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import CoopMatrixType, TileType
from tilewright.transforms import emit
from tilewright.transforms.emit import scalar_type


class LowerCooperativeMatrices(Pass, frozen=True):
    """Replace `coopmatrix` types and `tl.cooperative_matrix_*`."""

    name: ClassVar[str] = "lower-cooperative-matrices"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for value in _values(module):
            if isinstance(value.type, CoopMatrixType):
                value.type = TileType(value.type.shape, value.type.element)
                changed = True
        for op in list(module.walk()):
            lower = _LOWERINGS.get(type(op))
            if lower is not None:
                _replace(op, lower(op, Builder.before_op(op)))
                changed = True
        return changed


def _values(module: Module) -> Iterator[Value]:
    for op in module.walk():
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.arguments


def _replace(op: Operation, value: Value | None) -> None:
    if value is not None:
        op.result.replace_all_uses_with(value)
    op.erase()


class _Access(Struct, frozen=True):
    """Where and how an access touches memory, in the matrix's own row and column order."""

    view: Value
    indices: list[Value]
    check: tuple[bool, ...]


AccessOp = tl.CoopLoad | tl.CoopStore | tl.CoopAtomicLoad | tl.CoopAtomicStore | tl.CoopAtomicRmw


def _access(op: AccessOp, build: Builder) -> _Access:
    rows = op.checked in (tl.Checked.ROWS, tl.Checked.BOTH)
    columns = op.checked in (tl.Checked.COLUMNS, tl.Checked.BOTH)
    indices = [op.y, op.x] if op.transpose else [op.x, op.y]
    view = emit.permuted(build, op.memref, op.transpose)
    return _Access(view, indices, (rows, columns) if rows or columns else ())


def _load(op: tl.CoopLoad, build: Builder) -> Value:
    at = _access(op, build)
    return build(tile.Load(at.view, at.indices, at.check, result_types=[op.out.type])).out


def _store(op: tl.CoopStore, build: Builder) -> None:
    at = _access(op, build)
    build(tile.Store(op.matrix, at.view, at.indices, at.check))


def _atomic_load(op: tl.CoopAtomicLoad, build: Builder) -> Value:
    at = _access(op, build)
    load = tile.AtomicLoad(at.view, at.indices, at.check, op.scope, op.semantics, result_types=[op.out.type])
    return build(load).out


def _atomic_store(op: tl.CoopAtomicStore, build: Builder) -> None:
    at = _access(op, build)
    build(tile.AtomicStore(op.matrix, at.view, at.indices, at.check, op.scope, op.semantics))


def _atomic_rmw(op: tl.CoopAtomicRmw, build: Builder) -> Value:
    at = _access(op, build)
    return build(tile.AtomicRmw(op.matrix, at.view, at.indices, op.kind, at.check, op.scope, op.semantics)).out


def _prefetch(op: tl.CoopPrefetch, build: Builder) -> None:
    build(tile.Prefetch(op.memref, [op.x, op.y], op.level, (op.rows, op.columns)))


def _construct(op: tl.CoopConstruct, build: Builder) -> Value:
    return emit.shaped(build, op.value, op.out.type)


def _scale(op: tl.CoopScale, build: Builder) -> Value:
    return build(Mul(emit.shaped(build, op.scalar, op.out.type), op.matrix)).out


def _extract(op: tl.CoopExtract, build: Builder) -> Value:
    return build(tile.ShareExtract(op.matrix, op.index)).out


def _insert(op: tl.CoopInsert, build: Builder) -> Value:
    return build(tile.ShareInsert(op.value, op.matrix, op.index)).out


def _mul_add(op: tl.CoopMulAdd, build: Builder) -> Value:
    """Computes in acc of C's component; integers wrap to C's component before a final cast."""
    own, out = scalar_type(op.c.type), scalar_type(op.out.type)
    total: Value = build(tile.Mma(op.a, op.b, emit.cast(build, op.c, own.accumulator))).out
    if own.is_integer:
        total = emit.cast(build, total, own)
    return emit.cast(build, total, out)


def _reduce(op: tl.CoopReduce, build: Builder) -> Value:
    """Sums of floats are rounded once, as those of the collective instructions."""
    own = scalar_type(op.out.type)
    summed = op.kind is AtomicKind.ADD and not own.is_integer
    wide = emit.cast(build, op.matrix, own.accumulator if summed else own)
    flat = build(tile.Reduce(wide, op.kind, 1 if op.row else 0)).out
    return build(tile.Reshape(emit.cast(build, flat, own), result_types=[op.out.type])).out


def _apply(op: tl.CoopApply, build: Builder) -> Value:
    body = op.body
    op.regions = ()
    return build(tile.Map(op.matrix, body)).out


_LOWERINGS: dict[type[Operation], Callable[[Any, Builder], Value | None]] = {
    tl.CoopLoad: _load,
    tl.CoopStore: _store,
    tl.CoopAtomicLoad: _atomic_load,
    tl.CoopAtomicStore: _atomic_store,
    tl.CoopAtomicRmw: _atomic_rmw,
    tl.CoopPrefetch: _prefetch,
    tl.CoopConstruct: _construct,
    tl.CoopScale: _scale,
    tl.CoopExtract: _extract,
    tl.CoopInsert: _insert,
    tl.CoopMulAdd: _mul_add,
    tl.CoopReduce: _reduce,
    tl.CoopApply: _apply,
}
