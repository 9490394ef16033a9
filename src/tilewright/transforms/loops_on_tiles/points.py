"""Points of a foreach that loop over neighbouring elements, one after another: lanes would have elements far apart.

before:  tl.foreach (%i) = (%lo) to (%hi) { %s = scf.for %j .. { memref.load %A[%j, %i] .. } memref.store %s, %v[%i] }
after:   scf.for %i = %lo to %hi { the same } in parallel, whose inner loops run on tiles
"""

from __future__ import annotations

from tilewright.dialects import memref, scf, tl
from tilewright.dialects.builder import Builder, new_region
from tilewright.ir.core import Value
from tilewright.ir.types import INDEX
from tilewright.transforms import emit
from tilewright.transforms.index_ranges import home_of
from tilewright.transforms.loops_on_tiles.lanes import lanes_of, trips


def is_for_tiles(op: tl.Foreach, floats: bool, fewest: int) -> bool:
    """Whether the points of a foreach are better done by loops on tiles, one point after another, if these have
    `fewest` iterations: where there are fewer, lanes are busier with a point each."""
    loops = [inner for inner in op.body.entry if isinstance(inner, scf.For)]
    others = [
        inner for inner in op.body.entry if not isinstance(inner, scf.For | memref.Load | memref.Store | scf.Yield)
    ]
    if not loops or any(inner.effects() != () or inner.regions for inner in others):
        return False
    if any(variable.type is not INDEX for variable in op.body.entry.arguments):
        return False
    return all(trips(loop) not in range(fewest) and lanes_of(loop, floats, fewest) is not None for loop in loops)


def as_loops(op: tl.Foreach, fewest: int) -> scf.For:
    """Loops over the points, the first variable innermost as where points are dealt to lanes; the outermost loop.

    Where the first inner loop has a length that is known in front of the foreach, that stays for shorter ones.
    """
    first = next(inner for inner in op.body.entry if isinstance(inner, scf.For))
    is_known = _is_in_front(first.lower, op) and _is_in_front(first.upper, op)
    build = Builder.before_op(op)
    if trips(first) is None and is_known:
        (many, inside), (few, otherwise) = new_region(), new_region()
        length = emit.sub(build, emit.maximum(build, first.upper, first.lower), first.lower)
        build(scf.If(emit.not_less(build, length, build.index(fewest)), many, few))
        Builder.at_end(otherwise, op.location)(op.clone())
        build = Builder.at_end(inside, op.location)
    made: list[scf.For] = []
    variables: list[Value] = []
    for lower, upper in reversed(list(zip(op.lowers, op.uppers, strict=True))):
        loop = emit.open_loop(build, lower, upper, parallel=True)
        build = loop.body
        variables.append(loop.index)
        made.append(loop.op)
    for argument, variable in zip(op.body.entry.arguments, reversed(variables), strict=True):
        argument.replace_all_uses_with(variable)
    for inner in list(op.body.entry):
        if not isinstance(inner, scf.Yield):
            inner.detach()
            build.block.append(inner)
    op.erase()
    return made[0]


def _is_in_front(value: Value, op: tl.Foreach) -> bool:
    """Whether a value is the same for all points; what computes it is moved in front of them then."""
    home, inner = home_of(value), value.defining_op
    if home is None or not op.is_ancestor_of(home):
        return True
    if inner is None or inner.effects() != () or inner.regions:
        return False
    if not all(_is_in_front(operand, op) for operand in inner.operands):
        return False
    inner.detach()
    Builder.before_op(op)(inner)
    return True
