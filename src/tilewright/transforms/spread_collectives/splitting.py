"""split-sums: few sums of many terms are added up in parts, which blocks can share, and the parts in order.

before:  tl.sum %alpha, %A, %beta, %b                                       (%A is a memref<f16x64x?>)
after:   %p = memref.alloca : memref<f32x64x128,local>
         scf.for %s = 0 to 128 parallel { tl.sum 1, %A[:, part %s], 0, %p[:, %s] }    tl.sum %alpha, %p, %beta, %b

Parts are whole tiles, as many as there are, and are the same in every run: so are the sums. Of `tl.gemv` and `tl.sum`
whose results have a known extent, if there are any; where those of a kernel are many, blocks share the results instead.
Instructions inside of loops or conditions stay, so do those on a block's own memory, and those of kernels whose
work-groups are numbered, which are not alone.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from msgspec import Struct, field

from tilewright.dialects import memref, team, tl
from tilewright.dialects.arith_integers import UDiv
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.ir import types
from tilewright.ir.core import Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace, MemrefType, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.policy import SpreadPolicy, TilePolicy
from tilewright.transforms.schedule.request import ScheduleRequest

_Sum: TypeAlias = tl.Sum | tl.Gemv


class SplitSums(Pass, frozen=True):
    """Add up in parts where results are too few for blocks to share."""

    name: ClassVar[str] = "split-sums"
    tiles: TilePolicy = field(default_factory=GenericTilePolicy)
    policy: SpreadPolicy = field(default_factory=SpreadPolicy)
    request: ScheduleRequest = ScheduleRequest()

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            if self.request.of(kernel).spread is False or any(isinstance(op, team.GroupId) for op in kernel.walk()):
                continue
            for op in list(kernel.body.entry):
                if isinstance(op, tl.Sum | tl.Gemv) and emit.constant_of(op.alpha) != 0:
                    changed |= self._split(op, self.tiles.of(kernel))
        return changed

    def _split(self, op: _Sum, tiles: TilePolicy) -> bool:
        """Write an instruction as parts and their sum, if that is worth it."""
        build = Builder.before_op(op)
        type_ = emit.memref_type(op.a)
        if op.transpose:
            type_ = MemrefType(type_.element, type_.shape[::-1], type_.strides[::-1], type_.space)
        dim = type_.order - 1
        lengths = tiles.reduction_tile(type_, dim)
        results, terms = type_.shape[:dim], type_.shape[dim]
        if type_.space is AddressSpace.LOCAL or not all(results):
            return False
        strips = 1
        for extent, length in zip(results, lengths, strict=False):
            strips *= -(-(extent or 0) // length)
        most = self.policy.sum_blocks // max(strips, 1) if strips < self.policy.sum_tiles else 1
        if terms is not None:
            most = min(most, terms // (lengths[dim] * self.policy.tiles_of_part))
        if most < 2:
            return False
        count = 1 << most.bit_length() - 1
        source = emit.permuted(build, op.a, op.transpose)
        _write(build, op, source, _Parts(emit.extent(build, source, dim), lengths[dim], count))
        op.erase()
        return True


class _Parts(Struct, frozen=True):
    """So many parts of some terms, each of whole tiles but the last that has any."""

    terms: emit.Length
    tile: int
    count: int

    def length(self, build: Builder) -> Value:
        """Terms of a part."""
        if isinstance(self.terms, int):
            return build.index(-(-self.terms // (self.tile * self.count)) * self.tile)
        whole = build.index(self.tile * self.count)
        rounded = emit.add(build, self.terms, build.index(self.tile * self.count - 1))
        return emit.mul(build, build(UDiv(rounded, whole)).out, build.index(self.tile))

    def extent(self, build: Builder, begin: Value, length: Value) -> Value:
        """Terms of the part that begins there: none behind the end."""
        whole = emit.integer_of(length)
        if isinstance(self.terms, int) and whole is not None and whole * self.count == self.terms:
            return length
        rest = emit.sub(build, emit.as_value(build, self.terms), begin)
        return emit.maximum(build, emit.minimum(build, rest, length), build.index(0))


def _write(build: Builder, op: _Sum, source: Value, parts: _Parts) -> None:
    target = emit.memref_type(op.c if isinstance(op, tl.Gemv) else op.b)
    element = target.element.accumulator
    results = emit.memref_type(source).shape[:-1]
    sums = build(memref.Alloca(result_types=[types.memref(element, (*results, parts.count), space=AddressSpace.LOCAL)]))
    one, zero = (build.constant(emit.literal(number, element), element) for number in (1, 0))
    length = parts.length(build)
    loop = emit.open_loop(build, build.index(0), build.index(parts.count), build.index(1), parallel=True)
    at = loop.body
    begin = emit.mul(at, loop.index, length)
    extent = parts.extent(at, begin, length)
    a, goal = _part(at, source, begin, extent), _column(at, sums.out, loop.index, element)
    if isinstance(op, tl.Gemv):
        at(tl.Gemv(one, a, _part(at, op.b, begin, extent), zero, goal))
    else:
        at(tl.Sum(one, a, zero, goal))
    loop.finish([])
    whole = tl.Sum(op.alpha, sums.out, op.beta, op.c if isinstance(op, tl.Gemv) else op.b)
    whole.atomic = op.atomic
    build(whole)


def _part(build: Builder, view: Value, begin: Value, extent: Value) -> Value:
    """A vector or the columns of a matrix from there on."""
    type_ = emit.memref_type(view)
    kept = type_.shape[:-1]
    known = emit.integer_of(extent)
    offsets, sizes = (*(0 for _ in kept), None), (*kept, known)
    result = MemrefType(type_.element, sizes, type_.strides, type_.space)
    given = [] if known is not None else [extent]
    return build(memref.Subview(view, [begin], given, offsets, sizes, result_types=[result])).out


def _column(build: Builder, sums: Value, index: Value, element: ScalarType) -> Value:
    """Where a part's sums are."""
    kept = emit.memref_type(sums).shape[:-1]
    result = types.memref(element, kept, space=AddressSpace.LOCAL)
    offsets, sizes = (*(0 for _ in kept), None), (*kept, 0)
    return build(memref.Subview(sums, [index], [], offsets, sizes, result_types=[result])).out
