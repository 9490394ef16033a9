"""Control flow: each handler says which operation is next, so that nesting needs no stack."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Diagnostic, Severity
from tilewright.dialects.cuda_tile import control as ops
from tilewright.dialects.cuda_tile.reductions import Reduce, Scan
from tilewright.dialects.printf import failed_assertion
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.values import dtype_of, element_of
from tilewright.ir.core import Operation
from tilewright.numerics.integers import read, wrapped

Array = NDArray[Any]


def _if(w: TileBlock, op: ops.If) -> Operation | None:
    body = op.then_body if w.tile(op.condition) else op.else_body
    return None if body is None else body.entry.first


def _yield(w: TileBlock, op: ops.Yield) -> Operation | None:
    assert op.block is not None
    parent = op.block.parent_op
    if not isinstance(parent, ops.If):
        assert isinstance(parent, Reduce | Scan)
        w.finished = True
        return None
    w.leave(op.block, parent)
    w.bind_all(parent.results, w.values_of(op.values))
    return parent.next


def _for(w: TileBlock, op: ops.For) -> Operation | None:
    step = _number(w, op, w.tile(op.step))
    if step <= 0:
        w.undefined(op.location, f"the step of the loop is {step}, and must be positive")
    w.trips[op] = 0
    w.bind_all(op.body.entry.arguments[1:], w.values_of(op.inits))
    return _iterate(w, op)


def _number(w: TileBlock, op: ops.For, value: Array) -> int:
    return int(read(element_of(op.lower).integral, value, not op.unsigned_cmp))


def _iterate(w: TileBlock, op: ops.For) -> Operation | None:
    """The next iteration, or what follows the loop."""
    low, high, step = (_number(w, op, w.tile(v)) for v in (op.lower, op.upper, op.step))
    arguments = op.body.entry.arguments
    index = low + w.trips[op] * step
    if step > 0 and index < high:
        w.trips[op] += 1
        element = element_of(op.lower)
        w.bind(arguments[0], np.asarray(wrapped(element.integral, index)).astype(dtype_of(element)))
        return op.body.entry.first
    w.bind_all(op.results, w.values_of(arguments[1:]))
    return op.next


def _loop(w: TileBlock, op: ops.Loop) -> Operation | None:
    w.bind_all(op.body.entry.arguments, w.values_of(op.inits))
    return op.body.entry.first


def _enclosing(op: Operation) -> ops.For | ops.Loop:
    return next(a for a in op.ancestors() if isinstance(a, ops.For | ops.Loop))


def _continue(w: TileBlock, op: ops.Continue) -> Operation | None:
    outer = _enclosing(op)
    assert op.block is not None
    w.leave(op.block, outer)
    if isinstance(outer, ops.For):
        w.bind_all(outer.body.entry.arguments[1:], w.values_of(op.values))
        return _iterate(w, outer)
    w.bind_all(outer.body.entry.arguments, w.values_of(op.values))
    return outer.body.entry.first


def _break(w: TileBlock, op: ops.Break) -> Operation | None:
    outer = _enclosing(op)
    assert op.block is not None
    w.leave(op.block, outer)
    w.bind_all(outer.results, w.values_of(op.values))
    return outer.next


def _return(w: TileBlock, op: ops.Return) -> None:
    w.finished = True


def _assert(w: TileBlock, op: ops.Assert) -> None:
    condition = w.tile(op.condition)
    if condition.all():
        return
    wrong = np.argwhere(~condition)
    message = failed_assertion(op.message, wrong.tolist(), w.coordinates)
    w.failures.append(Diagnostic(Severity.ERROR, "R032", message, op.location))


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict(
        (
            handler(ops.If, _if),
            handler(ops.Yield, _yield),
            handler(ops.For, _for),
            handler(ops.Loop, _loop),
            handler(ops.Continue, _continue),
            handler(ops.Break, _break),
            handler(ops.Return, _return),
            handler(ops.Assert, _assert),
        )
    )
