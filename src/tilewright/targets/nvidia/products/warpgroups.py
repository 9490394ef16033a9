"""Products of groups of four warps, whose instruction reads both factors from shared memory by itself (`wgmma`).

An instruction finds a factor by a descriptor of 64 bits: bits 0 to 13 the address, 16 to 29 the distance of slabs, 32
to 45 that of eight rows, all in units of 16 bytes; bit 62 says that 128 bytes are swizzled. Only the address changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tilewright.targets.llvm.emitter import Value, i32, i64
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.products.fragments import digit_of
from tilewright.transforms.schedule.products.factors import SLAB, Factor
from tilewright.transforms.schedule.products.plan import ProductPlan

_UNIT: Final = 16
_ADDRESSES: Final = (1 << 18) - 1
_EIGHT_ROWS: Final = 8 * SLAB
_SWIZZLED: Final = 1 << 62


class WarpgroupMultiplier:
    """Multiplies stages of one product."""

    def __init__(self, ctx: KernelContext, plan: ProductPlan) -> None:
        self._ctx, self._plan = ctx, plan

    def multiply(self, lhs: Value, rhs: Value, sums: Sequence[Value], meanwhile: Callable[[], None]) -> list[Value]:
        """The sums with the product of two factors added, which begin at these addresses.

        `meanwhile` emits what the threads do while the unit multiplies.
        """
        plan, b = self._plan, self._ctx.b
        warps = plan.instruction.warps
        rows, columns = (rhs, lhs) if plan.swapped else (lhs, rhs)
        at_rows = self._descriptor(plan.rows, rows, warps)
        at_columns = self._descriptor(plan.columns, columns, warps * plan.rows.warps)
        b.intrinsic_void("llvm.nvvm.wgmma.fence.sync.aligned", [])
        each = len(sums) // plan.rows.repeats
        parts = [list(sums[k : k + each]) for k in range(0, len(sums), each)]
        for step in range(plan.steps):
            right = b.add(at_columns, i64(_offset(plan.columns, 0, step) // _UNIT))
            for row in range(plan.rows.repeats):
                left = b.add(at_rows, i64(_offset(plan.rows, row, step) // _UNIT))
                parts[row] = self._instruction(left, right, parts[row])
        b.intrinsic_void("llvm.nvvm.wgmma.commit_group.sync.aligned", [])
        meanwhile()
        return self._awaited([part for found in parts for part in found])

    def _descriptor(self, factor: Factor, base: Value, weight: int) -> Value:
        """Of the part of this thread's group; `weight` warps have the same."""
        b = self._ctx.b
        group = digit_of(self._ctx, self._ctx.warp, weight, factor.warps)
        own = _offset(factor, factor.repeats, 0)
        address = b.add(b.cast("ptrtoint", base, "i64"), b.zext(b.mul(group, i32(own)), "i64"))
        units = b.lshr(b.and_(address, i64(_ADDRESSES)), i64(_UNIT.bit_length() - 1))
        slabs = factor.slab_bytes // _UNIT if factor.along_outer else 1
        return b.or_(units, i64(_SWIZZLED | _EIGHT_ROWS // _UNIT << 32 | slabs << 16))

    def _instruction(self, left: Value, right: Value, sums: Sequence[Value]) -> list[Value]:
        """One product; which factor runs along m or n is said by bits behind the signs."""
        plan, count = self._plan, len(sums)
        turned = ", ".join(str(int(factor.along_outer)) for factor in (plan.rows, plan.columns))
        text = (
            "{ .reg .pred p; setp.ne.b32 p, 1, 0; "
            f"{plan.instruction.intrinsic} {{{_names(count)}}}, ${count}, ${count + 1}, p, 1, 1, {turned}; }}"
        )
        tied = ",".join(map(str, range(count)))
        return self._assembly(text, f"{_outputs(count)},l,l,{tied}", [left, right, *sums], count)

    def _awaited(self, sums: Sequence[Value]) -> list[Value]:
        """All sums, when they are there: nothing that uses them may move in front."""
        count = len(sums)
        tied = ",".join(map(str, range(count)))
        return self._assembly("wgmma.wait_group.sync.aligned 0;", f"{_outputs(count)},{tied}", sums, count)

    def _assembly(self, text: str, constraints: str, operands: Sequence[Value], count: int) -> list[Value]:
        b = self._ctx.b
        struct = f"{{ {', '.join(['float'] * count)} }}"
        found = b.inline_asm(struct, text, constraints, operands, side_effect=True)
        return [b.extract_value(found, "float", k) for k in range(count)]


def _offset(factor: Factor, repeat: int, step: int) -> int:
    """Bytes from the beginning of a factor to a part of it."""
    outer, deep = repeat * factor.part.shape[0], step * factor.part.shape[1]
    near, row = (outer, deep) if factor.along_outer else (deep, outer)
    slab, inside = divmod(near * factor.element.bytes, SLAB)
    return slab * factor.slab_bytes + row * SLAB + inside


def _names(count: int) -> str:
    return ",".join(f"${k}" for k in range(count))


def _outputs(count: int) -> str:
    return ",".join(["=f"] * count)
