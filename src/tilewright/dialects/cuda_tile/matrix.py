"""Tile IR: matrix products, of rank 2 or (with a batch in front) 3. The order of sums is free."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules_matrix
from tilewright.dialects.cuda_tile.attributes import Signedness
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.types import ANY_FLOAT, I8_TILE, I32_TILE, Version
from tilewright.ir.definition import PURE, Value, attribute, operand, optional_attribute, result


class MmaF(
    TileOperation,
    name="cuda_tile.mmaf",
    traits=(PURE,),
    opcode=0x49,
    newer={"fast_acc": Version.V13_3},
    assembly="$lhs , $rhs , $acc fast_acc? : @lhs , @rhs , @T",
):
    """Floating point product plus accumulator. `fast_acc` allows sums less precise than f32 for 8-bit types."""

    lhs: Value = operand(ANY_FLOAT)
    rhs: Value = operand(ANY_FLOAT)
    acc: Value = operand(ANY_FLOAT, var="T")
    fast_acc: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        rules_matrix.product(self, report, self.lhs, self.rhs, self.acc)
        rules_matrix.float_elements(self, report, self.lhs, self.rhs, self.acc)


class MmaI(
    TileOperation,
    name="cuda_tile.mmai",
    traits=(PURE,),
    opcode=0x4A,
    assembly="$lhs , $rhs , $acc signedness_lhs signedness_rhs : @lhs , @rhs , @T",
):
    """Product of 8-bit integers plus a 32-bit accumulator that wraps."""

    lhs: Value = operand(I8_TILE)
    rhs: Value = operand(I8_TILE)
    acc: Value = operand(I32_TILE, var="T")
    signedness_lhs: Signedness = attribute(Signedness)
    signedness_rhs: Signedness = attribute(Signedness)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        rules_matrix.product(self, report, self.lhs, self.rhs, self.acc)


class MmaFScaled(
    TileOperation,
    name="cuda_tile.mmaf_scaled",
    traits=(PURE,),
    opcode=0x72,
    since=Version.V13_3,
    assembly="$lhs , $rhs , $acc , $lhs_scale , $rhs_scale : @lhs , @rhs , @T , @lhs_scale , @rhs_scale",
):
    """Product of blocks that share a scale, plus accumulator."""

    lhs: Value = operand(ANY_FLOAT)
    rhs: Value = operand(ANY_FLOAT)
    acc: Value = operand(ANY_FLOAT, var="T")
    lhs_scale: Value = operand(ANY_FLOAT)
    rhs_scale: Value = operand(ANY_FLOAT)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        rules_matrix.product(self, report, self.lhs, self.rhs, self.acc)
        rules_matrix.scales(self, report, self.lhs, self.rhs, self.acc, self.lhs_scale, self.rhs_scale)
