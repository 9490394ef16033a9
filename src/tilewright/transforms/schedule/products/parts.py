"""Products of a stage by warps, as parts that are read into registers and multiplied: one read ahead of the other."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import TileType
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.plan import ProductPlan

Parts: TypeAlias = tuple[Value, Value]
"""What threads have of both factors."""
Stages: TypeAlias = tuple[Value, Value]
"""Which stage of each factor is read."""


class Multiplication(Struct, frozen=True):
    """A product whose warps multiply from registers, and where its factors lie."""

    plan: ProductPlan
    memory: tuple[Value, Value]

    @property
    def _depth(self) -> int:
        """What is read at once along k."""
        plan = self.plan
        return plan.instruction.shape[2] * max(plan.rows.depth_scale, plan.columns.depth_scale)

    @property
    def _scales(self) -> tuple[int, int, int]:
        plan = self.plan
        return (plan.lhs.outer_scale, plan.rhs.outer_scale, plan.lhs.depth_scale)

    @property
    def _warps(self) -> tuple[int, int]:
        return (self.plan.lhs.warps, self.plan.rhs.warps)

    def read(self, build: Builder, stages: Stages, deep: Value) -> Parts:
        """Read what is multiplied at once."""
        lhs, rhs = (self._read(build, side, stages[side], deep, self._depth) for side in range(2))
        return lhs, rhs

    def read_rows(self, build: Builder, stages: Stages, first: int, depth: int) -> Value:
        """Read so much of a stage along k of the rows of a group of warps."""
        side = int(self.plan.swapped)
        return self._read(build, side, stages[side], build.index(first), depth)

    def _read(self, build: Builder, side: int, stage: Value, deep: Value, depth: int) -> Value:
        plan, name = self.plan, self.plan.instruction.name
        factor = (plan.lhs, plan.rhs)[side]
        shape = (factor.outer, depth) if side == 0 else (depth, factor.outer)
        attributes = (name, self._warps, self._scales, factor.along_outer, plan.swapped, side)
        out = TileType(shape, factor.element)
        return build(gpu.ReadParts(self.memory[side], stage, deep, *attributes, result_types=[out])).out

    def multiply(self, build: Builder, total: Value, parts: Parts) -> Value:
        """The accumulators with the products of what has been read added."""
        plan = self.plan
        return build(gpu.MmaParts(*parts, total, plan.instruction.name, self._warps, self._scales, plan.swapped)).out

    def all_but_last(self, build: Builder, stages: Stages, total: Value, parts: Parts) -> tuple[Value, Parts]:
        """The accumulators with those of a stage added but for the last parts, and these; `parts` are the first
        ones."""
        plan, depth = self.plan, self._depth
        trip, trips = plan.steps_a_trip * plan.instruction.shape[2], plan.steps // plan.steps_a_trip
        if trips > 1:
            bounds = (build.index(0), build.index((trips - 1) * trip), build.index(trip))
            loop = emit.open_loop(build, *bounds, [total, *parts])
            loop.op.unroll = False
            total, *carried = loop.carried
            total, carried = self._ahead(loop.body, stages, total, (carried[0], carried[1]), loop.index, trip // depth)
            total, *found = loop.finish([total, *carried])
            parts = found[0], found[1]
        return self._ahead(build, stages, total, parts, build.index((trips - 1) * trip), trip // depth - 1)

    def _ahead(
        self, build: Builder, stages: Stages, total: Value, parts: Parts, deep: Value, count: int
    ) -> tuple[Value, Parts]:
        """So many times read what follows, then multiply what is there."""
        for number in range(count):
            at = emit.add(build, deep, build.index((number + 1) * self._depth))
            following = self.read(build, stages, at)
            total, parts = self.multiply(build, total, parts), following
        return total, parts
