"""The instructions of a product: all of a stage, whose factors lie in shared memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.llvm.types import ELEMENTS
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.products.fragments import digit_of
from tilewright.targets.nvidia.products.reading import Parts, Reader
from tilewright.transforms.schedule.products.plan import ProductPlan


class Multiplier:
    """Multiplies stages of one product; addresses of this thread are computed where it is made."""

    def __init__(self, ctx: KernelContext, plan: ProductPlan) -> None:
        self._ctx, self._plan = ctx, plan
        word = plan.instruction.word
        rows, columns = plan.rows, plan.columns
        # as the layout of the sums numbers warps
        self._rows = Reader(ctx, rows, digit_of(ctx, ctx.warp, 1, rows.warps), word)
        self._columns = Reader(ctx, columns, digit_of(ctx, ctx.warp, rows.warps, columns.warps), word)

    def multiply(self, lhs: Value, rhs: Value, sums: Sequence[Value], meanwhile: Callable[[], None]) -> list[Value]:
        """The sums with the product of two factors added, which begin at these addresses.

        `meanwhile` emits what the threads begin before they multiply.
        """
        meanwhile()
        plan, b = self._plan, self._ctx.b
        rows, columns = (rhs, lhs) if plan.swapped else (lhs, rhs)
        at_rows, at_columns = self._rows.at(rows), self._columns.at(columns)
        count = plan.steps_a_trip
        if count == plan.steps:
            return self._trip(at_rows, at_columns, list(sums))
        unroll = self._ctx.not_unrolled()
        deep = count * plan.instruction.shape[2]
        with b.loop(i64(0), i64(plan.steps // count), 1, list(sums), loop_metadata=unroll, hint="k") as loop:
            moved = [
                b.offset(base, b.mul(loop.index, i64(deep * factor.steps[1])))
                for base, factor in ((at_rows, plan.rows), (at_columns, plan.columns))
            ]
            loop.yield_(*self._trip(moved[0], moved[1], list(loop.carried)))
        return list(loop.results)

    def _trip(self, rows: Value, columns: Value, sums: list[Value]) -> list[Value]:
        """The steps that are read together, group by group."""
        plan = self._plan
        together = max(plan.rows.depth_scale, plan.columns.depth_scale)
        groups = [range(first, first + together) for first in range(0, plan.steps_a_trip, together)]
        read = [(self._rows.read(rows, groups[0]), self._columns.read(columns, groups[0]))]
        for number, steps in enumerate(groups):
            if number + 1 < len(groups):
                following = groups[number + 1]
                read.append((self._rows.read(rows, following), self._columns.read(columns, following)))
            for step in steps:
                self._step(step, *read[number], sums)
        return sums

    def _step(self, step: int, left: Parts, right: Parts, sums: list[Value]) -> None:
        plan = self._plan
        each = len(sums) // (plan.rows.repeats * plan.columns.repeats)
        for column in range(plan.columns.repeats):
            for row in range(plan.rows.repeats):
                at = each * (row + plan.rows.repeats * column)
                mine = slice(at, at + each)
                sums[mine] = self._instruction(left[row, step], right[column, step], sums[mine])

    def _instruction(self, left: Sequence[Value], right: Sequence[Value], sums: Sequence[Value]) -> list[Value]:
        b, instruction = self._ctx.b, self._plan.instruction
        if instruction.is_scalar:
            (x,), (y,), (total,) = left, right, sums
            found = self._ctx.arith.lower("fma", instruction.sum.name, x, y, total)
            assert isinstance(found, Value)
            return [found]
        ltype = ELEMENTS[instruction.sum.name].llvm
        struct = f"{{ {', '.join([ltype] * len(sums))} }}"
        found = b.intrinsic(instruction.intrinsic, struct, [*left, *right, *sums], overload=[])
        return [b.extract_value(found, ltype, k) for k in range(len(sums))]
