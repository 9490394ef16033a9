"""Dot products of pairs of bf16: for each lane of f32 two products are added, each fused, to nearest even.

The accumulators are those of fused multiply-adds in f32, the second term of a pair first, but for subnormal numbers:
those of the factors, the sum before, and every sum formed count as zeros.
"""

from __future__ import annotations

from msgspec import Struct

from tilewright.ir.types import BF16, F32, ScalarType
from tilewright.targets.cpu.expressions.block_reader import BlockReader
from tilewright.targets.cpu.expressions.fragments import value_of
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.units.unit import Packing
from tilewright.targets.llvm.emitter import lanes_of
from tilewright.targets.llvm.emitter import vector as vector_type


class Bf16Unit(Struct, frozen=True):
    """`vdpbf16ps`."""

    name: str = "bf16"
    accumulator: ScalarType = F32
    vectors: Packing = Packing(BF16, 2)
    scalars: Packing = Packing(BF16, 2)

    def multiply(self, ev: BlockReader, vector: Operand, scalar: Operand, total: Operand) -> Operand:
        """One instruction."""
        accumulators = value_of(total)
        lanes = lanes_of(accumulators.type)
        # the one place where LLVM sees its own type of bf16, of which it only passes the bits on
        pairs = vector_type("bfloat", 2 * lanes)
        operands = [accumulators, *(ev.b.bitcast(value_of(operand), pairs) for operand in (vector, scalar))]
        name = f"llvm.x86.avx512bf16.dpbf16ps.{lanes * 32}"
        return ev.b.intrinsic(name, accumulators.type, operands, overload=(), hint="dot")
