"""cut-foreach: large boxes of points are loops over parts of rows, which blocks can share.

before:  tl.foreach (%i, %j) = (0, 0) to (4096, %n) { body(%i, %j) }
after:   scf.for %j = 0 to %n parallel { scf.for %c = 0 to 4096 step 1024 parallel {
             tl.foreach (%k) = (0) to (1024) { body(%c + %k, %j) } } }

Points come in no order, so that parts may be anywhere. Only of kernels that a launch runs on a grid of one, as
functions of MLIR are: on others there are work-groups enough, and what one of them does is small. Boxes of which a
block has little to do stay whole.
"""

from __future__ import annotations

from math import prod
from typing import ClassVar, Final

from tilewright.dialects import tl
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import INDEX
from tilewright.transforms import emit
from tilewright.transforms.schedule.request import ScheduleRequest

_PART: Final = 1024
"""Points of a part at most: a few for each thread of a block."""
_LEAST: Final = 8192
"""Points of a box that is worth several blocks."""


class CutForeach(Pass, frozen=True):
    """Cut what stands between the instructions of a kernel."""

    name: ClassVar[str] = "cut-foreach"
    request: ScheduleRequest = ScheduleRequest()
    part: int = _PART
    least: int = _LEAST

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            if kernel.max_groups == 1 and self.request.of(kernel).spread is not False:
                changed |= self._cut_all(kernel)
        return changed

    def _cut_all(self, kernel: Kernel) -> bool:
        found = [op for op in kernel.body.entry if isinstance(op, tl.Foreach) and self._is_large(op)]
        for op in found:
            _cut(op, self.part)
        return bool(found)

    def _is_large(self, op: tl.Foreach) -> bool:
        """Whether a box has so many points, or how many is not known."""
        if any(value.type is not INDEX for value in (*op.lowers, *op.uppers)):
            return False
        extents = [_extent(*bounds) for bounds in zip(op.lowers, op.uppers, strict=True)]
        return None in extents or prod(extent or 0 for extent in extents) >= self.least


def _extent(lower: Value, upper: Value) -> int | None:
    """Points along a mode, if that is known."""
    first, end = emit.integer_of(lower), emit.integer_of(upper)
    return None if first is None or end is None else max(end - first, 0)


def _cut(op: tl.Foreach, most: int) -> None:
    """Loops over all modes, and parts of the first one."""
    at, variables = Builder.before_op(op), list[Value]()
    for lower, upper in reversed(list(zip(op.lowers[1:], op.uppers[1:], strict=True))):
        loop = emit.open_loop(at, lower, upper, at.index(1), parallel=True)
        at = loop.body
        variables.insert(0, loop.index)
    lower, upper = op.lowers[0], op.uppers[0]
    part = _part(_extent(lower, upper), most)
    loop = emit.open_loop(at, lower, upper, at.index(part), parallel=True)
    at, begin = loop.body, loop.index
    extent = _extent(lower, upper)
    count = at.index(part)
    if extent is None or extent % part:
        count = emit.minimum(at, emit.sub(at, upper, begin), count)
    region, block = new_region([INDEX])
    inner = Builder.at_end(block, op.location)
    first = emit.add(inner, begin, block.arguments[0])
    mapping: dict[Value, Value] = dict(zip(op.body.entry.arguments, [first, *variables], strict=True))
    for each in op.body.entry:
        copy = inner(each.clone(mapping))
        mapping |= zip(each.results, copy.results, strict=True)
    at(tl.Foreach([at.index(0)], [count], region, location=op.location))
    op.erase()


def _part(extent: int | None, most: int) -> int:
    """Points of a part: the most that divide the extent, if these are not few."""
    if extent is None or extent <= most:
        return most if extent is None else max(extent, 1)
    return next((part for part in range(most, most // 8, -1) if extent % part == 0), most)
