"""Loops of which one test in front says that all of their boxes lie in their matrices, or leave them nowhere but behind
the last terms: their copies need no tests, or some along the terms alone."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects import scf
from tilewright.dialects.arith import Add, Cast, Mul
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import INDEX
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.iterations import step_of
from tilewright.transforms.schedule.products.loops import is_inside
from tilewright.transforms.schedule.products.sources import Source
from tilewright.transforms.schedule.products.staging import Staging


def all_inside(
    build: Builder,
    loop: scf.For,
    slices: Sequence[Operation],
    sources: Sequence[tuple[Staging, Source]],
    *,
    terms: bool = True,
) -> Value | None:
    """Whether the boxes of the first and of the last iteration lie inside, and so all, if not of `terms` but for those
    that end behind the last ones; None if that is not known.

    `slices` compute where boxes lie. Where coordinates only grow with the loop's index, all lie between those two if
    the matrix is the same in all iterations.
    """
    tested = [(staging, source) for staging, source in sources if any(staging.box(source, {}).check)]
    if not tested or any(is_inside(source.load.memref, loop) for _, source in tested):
        return None
    if not all(_grows(index, loop) for _, source in tested for index in source.load.indices):
        return None
    lower, upper = (emit.to_index(build, bound) for bound in (loop.lower, loop.upper))
    end = emit.sub(build, upper, build.index(1))
    last = emit.sub(build, end, emit.rem(build, emit.sub(build, end, lower), build.index(step_of(loop))))
    found: Value | None = None
    for at in (lower, last):
        known: dict[Value, Value] = {loop.index: emit.cast(build, at, emit.scalar_type(loop.index.type))}
        for op in slices:
            build(op.clone(known))
        for staging, source in tested:
            tests = staging.fits(build, source, known, terms=terms)
            if tests is None:
                return None
            for fits in tests:
                found = fits if found is None else emit.both(build, found, fits)
    return found


def _grows(value: Value, loop: scf.For) -> bool:
    """Whether a coordinate never falls from one iteration to the next. Only those of 64 bits do not wrap."""
    if value is loop.index or not is_inside(value, loop):
        return True
    match value.defining_op:
        case Cast() as op if op.out.type is INDEX and op.value is loop.index:
            return True
        case Add() as op if op.out.type is INDEX:
            return all(_grows(each, loop) for each in op.operands)
        case Mul() as op if op.out.type is INDEX:
            factors = [emit.integer_of(each) for each in op.operands]
            return any(each is not None and each >= 0 for each in factors) and all(_grows(x, loop) for x in op.operands)
        case _:
            return False
