"""split-subgroup-products: what a subgroup multiplies is multiplied part by part along k if the whole is too long.

before:  %d = tile.mma %a, %b, %c
after:   tile.store %a, %m[0, k0]  tile.store %b, %n[0, n0]
         %s = scf.for %k = 0 to K step P (%t = %c) {
             %x = tile.load %m[0, k0 + %k]  %y = tile.load %n[%k, n0]  scf.yield tile.mma %x, %y, %t
         }

Each multiply-add of a thread is an instruction of its own: products of thousands of them would take compilers minutes.
Factors lie in memory of the work-group, where each subgroup has columns of its own.
"""

from __future__ import annotations

from math import prod
from typing import ClassVar, Final

from tilewright.dialects import arith, memref, scf, team, tile
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import INDEX, AddressSpace, MemrefType, TileType, packed_strides
from tilewright.transforms import emit
from tilewright.transforms.tile_values import tile_type

_SHARE: Final = 4
"""Of what would be too long a part has no more than one in so many: LLVM takes seconds for the whole."""


class SplitSubgroupProducts(Pass, frozen=True):
    """Of kernels whose subgroups multiply by themselves, where a work-item would take more than `most` steps."""

    most: int
    name: ClassVar[str] = "split-subgroup-products"

    def run(self, module: Module, context: PassContext) -> bool:
        found = [
            (op, kernel, region, steps)
            for kernel in module.kernels
            for region in kernel.walk()
            if isinstance(region, team.Spmd)
            for op in region.walk()
            if isinstance(op, tile.Mma)
            and (steps := _steps_of_a_term(op, kernel)) <= self.most < steps * tile_type(op.lhs).shape[1]
        ]
        for op, kernel, region, steps in found:
            _split(op, kernel, region, _part(tile_type(op.lhs).shape[1], self.most // (_SHARE * steps)))
        return bool(found)


def _steps_of_a_term(op: tile.Mma, kernel: Kernel) -> int:
    """Multiply-adds of a work-item for one term of each sum."""
    return -(-tile_type(op.out).size // (kernel.subgroup_size or 1))


def _part(terms: int, most: int) -> int:
    """The terms that are added up at a time: the largest part of all that is no more, or one."""
    return max(part for part in range(1, terms + 1) if terms % part == 0 and part <= max(most, 1))


def _split(op: tile.Mma, kernel: Kernel, region: team.Spmd, part: int) -> None:
    outside, build = Builder.before_op(region), Builder.before_op(op)
    assert kernel.work_group_size is not None
    count = prod(kernel.work_group_size) // (kernel.subgroup_size or 1)
    number = build(arith.Cast(build(team.SubgroupLinearId()).out, result_types=[INDEX])).out
    (rows, terms), columns = tile_type(op.lhs).shape, tile_type(op.rhs).shape[1]
    zero = build.index(0)
    left, right = (_memory(outside, value, count) for value in (op.lhs, op.rhs))
    first, beside = (emit.mul(build, number, build.index(extent)) for extent in (terms, columns))
    build(tile.Store(op.lhs, left, [zero, first]))
    build(tile.Store(op.rhs, right, [zero, beside]))
    body, block = new_region([INDEX, op.out.type])
    index, carried = block.arguments
    inner = Builder(block, location=op.location)
    x = inner(_load(left, [zero, emit.add(inner, first, index)], op.lhs, (rows, part))).out
    y = inner(_load(right, [index, beside], op.rhs, (part, columns))).out
    inner(scf.Yield([inner(tile.Mma(x, y, carried, fast=op.fast)).out]))
    loop = scf.For(zero, build.index(terms), body, build.index(part), [op.acc], result_types=[op.out.type])
    op.out.replace_all_uses_with(build(loop).outs[0])
    op.erase()


def _memory(build: Builder, factor: Value, count: int) -> Value:
    """Memory of the work-group for as many tiles beside each other."""
    type_ = tile_type(factor)
    shape = (type_.shape[0], type_.shape[1] * count)
    local = MemrefType(type_.element, shape, packed_strides(shape), AddressSpace.LOCAL)
    return build(memref.Alloca(None, result_types=[local])).out


def _load(memory: Value, at: list[Value], factor: Value, shape: tuple[int, int]) -> tile.Load:
    return tile.Load(memory, at, result_types=[TileType(shape, tile_type(factor).element)])
