"""open-reports: memory of the host's is asked for, and what is reported is stored there as tiles and numbers are.

before:  team.report %t, %x {kind = print, text = "..", bits = [32, 0]}
after:   %at = team.claim {kind = print, text = "..", bits = [32, 0], shapes = [[64], []], floats = [false, true]}
         scf.if %at != 0 {
           %m = memref.from_address %at : memref<i64x64>         tile.store %t, %m[0]
           %n = memref.from_address %at + 512 : memref<f64>      memref.store %x, %n
         }

For targets whose threads share a tile: each stores what it holds.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import memref, tile
from tilewright.dialects.addresses import FromAddress
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.dialects.reports import Claim, Report
from tilewright.ir.core import Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import BOOL, F64, I64, MemrefType, TileType, element_of, packed_strides
from tilewright.transforms import emit

_WORD_BYTES = 8


class OpenReports(Pass, frozen=True):
    """Turn reports into claims and stores."""

    name: ClassVar[str] = "open-reports"

    def run(self, module: Module, context: PassContext) -> bool:
        reports = [op for kernel in module.kernels for op in kernel.walk() if isinstance(op, Report)]
        for op in reports:
            _open(op)
        return bool(reports)


def _open(op: Report) -> None:
    build = Builder.before_op(op)
    shapes = tuple(_shape(value)[::-1] for value in op.values)
    floats = tuple(element_of(value.type) is F64 for value in op.values)
    claim = build(Claim(op.kind, op.text, op.bits, shapes, floats))
    if op.values:
        there = build(Cmp(Predicate.NE, claim.out, build.constant(0, I64), result_types=[BOOL])).out
        inside, offset = emit.open_if(build, there), 0
        for value in op.values:
            if 0 not in _shape(value):
                offset += _store(inside, value, claim.out, offset)
    op.erase()


def _store(build: Builder, value: Value, address: Value, offset: int) -> int:
    """Store a value so many bytes behind an address; how many it takes."""
    shape = _shape(value)
    type_ = MemrefType(emit.scalar_type(value.type), shape, packed_strides(shape))
    place = emit.add(build, address, build.constant(offset, I64)) if offset else address
    target = build(FromAddress(place, [], [], result_types=[type_])).out
    if isinstance(value.type, TileType):
        build(tile.Store(value, target, [build.index(0) for _ in shape]))
        return value.type.size * _WORD_BYTES
    build(memref.Store(value, target, []))
    return _WORD_BYTES


def _shape(value: Value) -> tuple[int, ...]:
    return value.type.shape if isinstance(value.type, TileType) else ()
