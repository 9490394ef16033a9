"""contiguous-accesses: gathers and scatters of neighbouring elements become loads and stores of memrefs.

before:  %a = arith.add %base, %positions_times_4   %x = tile.gather %a, %mask
after:   %m = memref.from_address %start, %left -> memref<f32x?>   %x = tile.load %m[0] {check = [true]}

Addresses must be `start + sum r_k stride_k` with a unit stride among them, and a mask the conjunction of bounds from
above along dimensions. Positions in narrow integers wrap; where that cannot be ruled out now it is tested at run time,
and the gather stays for the case that they do.

With `apart`, tiles that the mask leaves whole are accessed without bounds, behind a test for all of the tile: no access
waits for a test of its own then, so that all are under way at a time.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from tilewright.dialects import addresses, arith, scf, tile
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Value
from tilewright.ir.index_map import along
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import I64, INDEX, MemrefType, TileType
from tilewright.transforms.affine_tiles import Analysis, Coefficient

Access = addresses.Gather | addresses.Scatter


class ContiguousAccesses(Pass, frozen=True):
    """Recognise contiguous accesses through addresses."""

    name: ClassVar[str] = "contiguous-accesses"
    apart: bool = False

    def run(self, module: Module, context: PassContext) -> bool:
        plain = [op for op in module.walk() if isinstance(op, Access) and op.semantics is None]
        for op in plain:
            _rewrite(op, self.apart)
        return bool(plain)


class _Box(Struct, frozen=True):
    """Where the elements lie: byte strides by dimension, how many exist (None: all), and when that holds."""

    start: Value
    strides: tuple[Coefficient, ...]
    limits: tuple[Value | None, ...]
    condition: Value | None


def _rewrite(op: Access, apart: bool) -> None:
    type_ = op.elements().data.type
    assert isinstance(type_, TileType)
    b = Builder.before_op(op)
    box = _box(Analysis(b), op, type_)
    if box is None:
        return
    whole = _is_whole(b, type_, box) if apart else None
    if whole is not None:
        free = _Box(box.start, box.strides, (None,) * type_.rank, whole)
        _in_front(b, op, type_, free)
        b = Builder.before_op(op)
    if box.condition is not None:
        _in_front(b, op, type_, box)
        return
    found = _access(b, op, type_, box)
    if found is not None:
        op.results[0].replace_all_uses_with(found)
    op.erase()


def _in_front(b: Builder, op: Access, type_: TileType, box: _Box) -> None:
    """Do what the box allows where its condition holds, and only else the access itself."""
    assert box.condition is not None
    arms = [new_region() for _ in range(2)]
    inner = Builder.at_end(arms[0][1], op.location)
    found = _access(inner, op, type_, box)
    inner(scf.Yield([] if found is None else [found]))
    types = [] if found is None else [type_]
    branch = b(scf.If(box.condition, arms[0][0], arms[1][0], result_types=types))
    if found is not None:
        op.results[0].replace_all_uses_with(branch.outs[0])
    op.detach()
    arms[1][1].insert(op, None)
    Builder.at_end(arms[1][1], op.location)(scf.Yield(list(op.results)))


def _is_whole(b: Builder, type_: TileType, box: _Box) -> Value | None:
    """Whether no element lies beyond a limit, and the box is as it says; None if there are no limits."""
    found: Value | None = None
    for extent, limit in zip(type_.shape, box.limits, strict=True):
        if limit is not None:
            fits = b(arith.Cmp(Predicate.GE, limit, b.constant(extent, I64))).out
            found = fits if found is None else b(arith.And(found, fits)).out
    if found is None or box.condition is None:
        return found
    return b(arith.And(box.condition, found)).out


def _box(analysis: Analysis, op: Access, type_: TileType) -> _Box | None:
    form = analysis.affine(op.addresses)
    if form is None:
        return None
    size, conditions = type_.element.bytes, list(form.conditions)
    limits: list[Value | None] = [None] * type_.rank
    if op.mask is not None and not _limits(analysis, op.mask, limits, conditions):
        return None
    writes = isinstance(op, addresses.Scatter)
    for extent, stride, limit in zip(type_.shape, form.strides, limits, strict=True):
        if stride.factor < 0 or stride.factor % size or (stride.factor == 0 and extent > 1 and (writes or limit)):
            return None
    if not any(s.scale is None and s.factor == size and n > 1 for s, n in zip(form.strides, type_.shape, strict=True)):
        return None
    condition: Value | None = None
    for part in dict.fromkeys(conditions):
        condition = part if condition is None else analysis.b(arith.And(condition, part)).out
    return _Box(form.start, form.strides, tuple(limits), condition)


def _limits(analysis: Analysis, mask: Value, limits: list[Value | None], conditions: list[Value]) -> bool:
    """Collect the bounds that a mask is made of; False if it is made of anything else."""
    op = mask.defining_op
    match op:
        case arith.And():
            return all(_limits(analysis, part, limits, conditions) for part in (op.lhs, op.rhs))
        case arith.Cmp() if op.predicate in (Predicate.LT, Predicate.LE, Predicate.GT, Predicate.GE):
            flipped = op.predicate in (Predicate.GT, Predicate.GE)
            low, high = (op.rhs, op.lhs) if flipped else (op.lhs, op.rhs)
            closed = op.predicate in (Predicate.LE, Predicate.GE)
            return _limit(analysis, low, high, closed, limits, conditions)
        case MovesElements():
            move, *others = op.moves()
            inner: list[Value | None] = [None] * len(move.coordinates)
            if others or not _limits(analysis, op.operands[move.operand], inner, conditions):
                return False
            limited = [(c, limit) for c, limit in zip(move.coordinates, inner, strict=True) if limit is not None]
            if any(c.dim is None or c != along(c.dim, len(limits)) for c, _ in limited):
                return False
            return all(_tighten(analysis, limits, c.factors.index(1), limit) for c, limit in limited)
        case arith.Constant():
            return op.value is True
        case _:
            return False


def _limit(
    analysis: Analysis, low: Value, high: Value, closed: bool, limits: list[Value | None], conditions: list[Value]
) -> bool:
    """`position < bound` with one dimension in the position, at unit stride, and none in the bound."""
    position, bound = analysis.exact(low), analysis.bound(high)
    if position is None or bound is None or any(s.factor for s in bound.strides):
        return False
    along = [dim for dim, stride in enumerate(position.strides) if stride.factor]
    if len(along) != 1 or position.strides[along[0]] != Coefficient(1):
        return False
    conditions += [*position.conditions, *bound.conditions]
    left = analysis.b(arith.Sub(bound.start, position.start)).out
    if closed:
        left = analysis.b(arith.Add(left, analysis.constant(1))).out
    return _tighten(analysis, limits, along[0], left)


def _tighten(analysis: Analysis, limits: list[Value | None], dim: int, limit: Value) -> bool:
    known = limits[dim]
    limits[dim] = limit if known is None else analysis.b(arith.Min(known, limit)).out
    return True


def _access(b: Builder, op: Access, type_: TileType, box: _Box) -> Value | None:
    """The load's value, or None for a store."""
    size = type_.element.bytes
    spread = tuple(s.factor == 0 for s in box.strides)
    shape = tuple(1 if one else extent for one, extent in zip(spread, type_.shape, strict=True))
    extents = tuple(None if limit is not None else n for limit, n in zip(box.limits, shape, strict=True))
    # what lies in front of a tile's start leaves none of it: an extent is not negative
    nothing = b.constant(0, I64)
    sizes = [_index(b, b(arith.Max(limit, nothing)).out) for limit in box.limits if limit is not None]
    static = tuple(
        (s.factor // size or n) if s.scale is None else None for s, n in zip(box.strides, shape, strict=True)
    )
    dynamic = [_index(b, _scaled(b, s, size)) for s in box.strides if s.scale is not None]
    memref_type = MemrefType(type_.element, extents, static)
    view = b(addresses.FromAddress(box.start, sizes, dynamic, result_types=[memref_type])).out
    check = tuple(limit is not None for limit in box.limits)
    zeros = [b.index(0) for _ in shape]
    if isinstance(op, addresses.Scatter):
        b(tile.Store(op.value, view, zeros, check))
        return None
    loaded = b(tile.Load(view, zeros, check, result_types=[TileType(shape, type_.element)])).out
    return loaded if shape == type_.shape else b(tile.Broadcast(loaded, result_types=[type_])).out


def _scaled(b: Builder, stride: Coefficient, size: int) -> Value:
    assert stride.scale is not None
    factor = stride.factor // size
    return stride.scale if factor == 1 else b(arith.Mul(stride.scale, b.constant(factor, I64))).out


def _index(b: Builder, value: Value) -> Value:
    return b(arith.Cast(value, result_types=[INDEX])).out
