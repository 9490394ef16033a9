"""Points of a foreach that loop over neighbouring elements, one after another: lanes would have elements far apart.

before:  tl.foreach (%i) = (%lo) to (%hi) { %s = scf.for %j .. { memref.load %A[%j, %i] .. } memref.store %s, %v[%i] }
after:   scf.for %i = %lo to %hi { the same } in parallel, whose inner loops run on tiles
"""

from __future__ import annotations

from typing import Final

from tilewright.dialects import memref, scf, tl
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import INDEX
from tilewright.transforms import emit
from tilewright.transforms.loops_on_tiles.lanes import lanes_of, trips

_FEWEST: Final = 32
"""Iterations of an inner loop: where there are fewer, lanes are busier with a point each."""


def is_for_tiles(op: tl.Foreach, floats: bool) -> bool:
    """Whether the points of a foreach are better done by loops on tiles, one point after another."""
    loops = [inner for inner in op.body.entry if isinstance(inner, scf.For)]
    others = [
        inner for inner in op.body.entry if not isinstance(inner, scf.For | memref.Load | memref.Store | scf.Yield)
    ]
    if not loops or any(inner.effects() != () or inner.regions for inner in others):
        return False
    if any(variable.type is not INDEX for variable in op.body.entry.arguments):
        return False
    return all(trips(loop) not in range(_FEWEST) and lanes_of(loop, floats) is not None for loop in loops)


def as_loops(op: tl.Foreach) -> scf.For:
    """Loops over the points, the first variable innermost as where points are dealt to lanes; the outermost loop."""
    build, outermost = Builder.before_op(op), list[scf.For]()
    variables = list[Value]()
    for lower, upper in reversed(list(zip(op.lowers, op.uppers, strict=True))):
        loop = emit.open_loop(build, lower, upper, parallel=True)
        build = loop.body
        variables.append(loop.index)
        outermost.append(loop.op)
    for argument, variable in zip(op.body.entry.arguments, reversed(variables), strict=True):
        argument.replace_all_uses_with(variable)
    for inner in list(op.body.entry):
        if not isinstance(inner, scf.Yield):
            inner.detach()
            build.block.append(inner)
    op.erase()
    return outermost[0]
