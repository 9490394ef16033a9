"""Control flow without jumps: `break`, `continue` and `return` become values that say how a region was left.

A region that may be left early yields an outcome: its kind, then what `continue` and what `break` carry, then its
ordinary results. What follows an `if` that always leaves by one arm moves into the other arm; what follows any other
`if` that may leave runs only if it did not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct

from tilewright.dialects import arith, arith_integers, scf
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.cuda_tile import control as cuda
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.types import BOOL, I32, I64, ScalarType, TokenType, Type, element_of
from tilewright.transforms.lower_tile_ir import bits, elementwise, host, matrices, memory, reductions, shapes, views
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering

NORMAL, CONTINUE, BREAK, RETURN = range(4)
_LEAVING = (cuda.Break, cuda.Continue, cuda.Return)


class Frame(Struct, frozen=True):
    """What leaving the region around carries: types for `continue` and for `break`."""

    continued: tuple[Type, ...] = ()
    broken: tuple[Type, ...] = ()

    @property
    def types(self) -> list[Type]:
        """Types of an outcome without ordinary results."""
        return [I32, *self.continued, *self.broken]


@cache
def _table() -> Mapping[type[Operation], Handler]:
    return {
        **shapes.handlers(),
        **elementwise.handlers(),
        **bits.handlers(),
        **memory.handlers(),
        **views.handlers(),
        **reductions.handlers(_operation),
        **matrices.handlers(),
        **host.handlers(),
    }


def _carried(values: Sequence[Value]) -> list[Value]:
    """Tokens are not carried."""
    return [v for v in values if not isinstance(v.type, TokenType)]


def _types(low: Lowering, values: Sequence[Value]) -> tuple[Type, ...]:
    return tuple(low.type_of(v) for v in _carried(values))


def lower_entry_body(low: Lowering, block: Block) -> None:
    """The body of an entry."""
    _block(low, list(block), Frame(), None)


def _may_leave(op: Operation) -> bool:
    """Whether an `if` may leave what is around it."""
    return isinstance(op, cuda.If) and any(_block_may_leave(region.entry) for region in op.regions)


def _block_may_leave(block: Block) -> bool:
    return any(isinstance(op, _LEAVING) or _may_leave(op) for op in block)


def _always_leaves(region: Region | None) -> bool:
    return region is not None and isinstance(region.entry.last, _LEAVING)


# Blocks


def _block(low: Lowering, ops: Sequence[Operation], frame: Frame, results: tuple[Type, ...] | None) -> list[Value]:
    """Lower operations up to the terminator; the outcome (kind first).

    `results` are the types of the ordinary results of the region; None: it has none and its outcome is not wanted.
    """
    for number, op in enumerate(ops):
        if op in low.inlined:
            _join(low, low.inlined[op], op)
            continue
        if isinstance(op, cuda.Yield):
            return _outcome(low, frame, NORMAL, results, normal=[low.value(v) for v in _carried(op.values)])
        if isinstance(op, cuda.Continue):
            return _outcome(low, frame, CONTINUE, results, continued=[low.value(v) for v in _carried(op.values)])
        if isinstance(op, cuda.Break):
            return _outcome(low, frame, BREAK, results, broken=[low.value(v) for v in _carried(op.values)])
        if isinstance(op, cuda.Return):
            return _outcome(low, frame, RETURN, results)
        if isinstance(op, cuda.If) and _may_leave(op):
            return _leaving_if(low, op, ops[number + 1 :], frame, results)
        _operation(low, op)
    return _outcome(low, frame, NORMAL, results)


def _outcome(
    low: Lowering,
    frame: Frame,
    kind: int,
    results: tuple[Type, ...] | None,
    *,
    normal: Sequence[Value] = (),
    continued: Sequence[Value] | None = None,
    broken: Sequence[Value] | None = None,
) -> list[Value]:
    """The values of an outcome; what it does not say is zero."""
    found: list[Value] = [low.constant(kind, I32)]
    found += continued if continued is not None else [_nothing(low, t) for t in frame.continued]
    found += broken if broken is not None else [_nothing(low, t) for t in frame.broken]
    wanted = results or ()
    found += normal if kind == NORMAL and len(normal) == len(wanted) else [_nothing(low, t) for t in wanted]
    return found


def _nothing(low: Lowering, type_: Type) -> Value:
    element = element_of(type_)
    assert element is not None
    return low.constant(False if element is BOOL else 0.0 if element.is_float else 0, type_)


def _operation(low: Lowering, op: Operation) -> None:
    low.b.location = op.location
    match op:
        case cuda.If():
            _if(low, op)
        case cuda.For():
            _for(low, op)
        case cuda.Loop():
            _loop(low, op)
        case _:
            _table()[type(op)](low, op)


def _inside(low: Lowering, types: Sequence[Type]) -> tuple[Region, Block, Lowering]:
    region, block = new_region(types)
    return region, block, low.inside(Builder(block, location=low.b.location))


# If


def _if(low: Lowering, op: cuda.If) -> None:
    """An `if` that never leaves."""
    types = _types(low, op.out)
    regions: list[Region] = []
    for region in op.regions:
        lowered, _, inner = _inside(low, ())
        values = _block(inner, list(region.entry), Frame(), types)[1:]
        inner.b(scf.Yield(values))
        regions.append(lowered)
    orelse = regions[1] if len(regions) > 1 else None
    found = low.b(scf.If(low.value(op.condition), regions[0], orelse, result_types=list(types)))
    for out, value in zip(_carried(op.out), found.outs, strict=True):
        low.bind(out, value)


def _leaving_if(
    low: Lowering, op: cuda.If, rest: Sequence[Operation], frame: Frame, results: tuple[Type, ...] | None
) -> list[Value]:
    """An `if` that may leave, together with all that follows it in its block."""
    low.b.location = op.location
    if _always_leaves(op.then_body) or _always_leaves(op.else_body):
        return _fork(low, op, rest, frame, results)
    own = _types(low, op.out)
    outcome = _branch(
        low, op, [(region, (), frame, own) for region in (op.then_body, op.else_body)], [*frame.types, *own]
    )
    for out, value in zip(_carried(op.out), outcome[len(frame.types) :], strict=True):
        low.bind(out, value)
    goes_on = low.compare(Predicate.EQ, outcome[0], low.constant(NORMAL, I32))
    wanted = list(results or ())
    types = [*frame.types, *wanted]
    then, _, inner = _inside(low, ())
    inner.b(scf.Yield(_block(inner, rest, frame, results)))
    orelse, _, inner = _inside(low, ())
    inner.b(scf.Yield([*outcome[: len(frame.types)], *(_nothing(inner, t) for t in wanted)]))
    return list(low.b(scf.If(goes_on, then, orelse, result_types=types)).outs)


def _fork(
    low: Lowering, op: cuda.If, rest: Sequence[Operation], frame: Frame, results: tuple[Type, ...] | None
) -> list[Value]:
    """One arm leaves: the other one goes on with what follows."""
    sides: list[tuple[Region | None, Sequence[Operation], Frame, tuple[Type, ...] | None]] = []
    for region in (op.then_body, op.else_body):
        sides.append((region, () if _always_leaves(region) else rest, frame, results))
    return _branch(low, op, sides, [*frame.types, *(results or ())])


def _branch(
    low: Lowering,
    op: cuda.If,
    sides: Sequence[tuple[Region | None, Sequence[Operation], Frame, tuple[Type, ...] | None]],
    types: Sequence[Type],
) -> list[Value]:
    """A branch whose arms are blocks with something behind them."""
    regions: list[Region] = []
    for region, rest, frame, results in sides:
        lowered, _, inner = _inside(low, ())
        ops = [] if region is None else list(region.entry)
        if rest and ops and isinstance(ops[-1], cuda.Yield):
            low.inlined[ops[-1]] = op
        values = _block(inner, [*ops, *rest], frame, results)
        inner.b(scf.Yield(values))
        regions.append(lowered)
    return list(low.b(scf.If(low.value(op.condition), regions[0], regions[1], result_types=list(types))).outs)


def _join(low: Lowering, op: Operation, end: Operation) -> None:
    """What an arm yields are the results of its `if` for what follows."""
    for out, value in zip(op.results, end.operands, strict=True):
        if not isinstance(out.type, TokenType):
            low.values[out] = low.value(value)


# Loops


def _for(low: Lowering, op: cuda.For) -> None:
    """Counted loops; however an iteration ends, it yields the values of its `continue`."""
    types = _types(low, op.inits)
    given = [low.value(v) for v in (op.lower, op.upper, op.step)]
    lower, upper, step = bounds = _bounds(low, op, given)
    region, block, inner = _inside(low, [lower.type, *types])
    index, *arguments = op.body.entry.arguments
    counter = block.arguments[0]
    if bounds is not given and counter.type == given[0].type:
        counter = inner.add(given[0], inner.mul(counter, given[2]))
    assert isinstance(given[0].type, ScalarType)
    inner.bind(index, inner.unsigned_cast(counter, given[0].type))
    for argument, value in zip(_carried(arguments), block.arguments[1:], strict=True):
        inner.bind(argument, value)
    outcome = _block(inner, list(op.body.entry), Frame(types), None)
    inner.b(scf.Yield(outcome[1 : 1 + len(types)]))
    inits = [low.value(v) for v in _carried(op.inits)]
    loop = low.b(scf.For(lower, upper, region, step, inits, result_types=list(types)))
    for out, value in zip(_carried(op.out), loop.outs, strict=True):
        low.bind(out, value)


def _bounds(low: Lowering, op: cuda.For, given: list[Value]) -> list[Value]:
    """Bounds and step as signed numbers. Unsigned i64 that may be negative as such: the numbers of the iterations."""
    type_ = given[0].type
    if type_ is BOOL:
        return [low.widened(v, I32, not op.unsigned_cmp) for v in given]
    if not op.unsigned_cmp:
        return given
    if type_ is not I64:
        return [low.widened(v, I64, False) for v in given]
    lower, upper, step = given
    if low.facts.not_negative(op.lower) and low.facts.not_negative(op.upper):
        return given
    runs = low.b(arith_integers.UCmp(Predicate.LT, lower, upper)).out
    distance = low.b(arith.Sub(upper, lower)).out
    count = low.b(arith_integers.UCeilDiv(distance, step)).out
    zero = low.constant(0, I64)
    return [zero, low.select(runs, count, zero), low.constant(1, I64)]


def _loop(low: Lowering, op: cuda.Loop) -> None:
    """Loops until `break`: carried are the values of `continue`, and of `break` for the end."""
    frame = Frame(_types(low, op.inits), _types(low, op.out))
    region, block, inner = _inside(low, [*frame.continued, *frame.broken])
    for argument, value in zip(_carried(op.body.entry.arguments), block.arguments, strict=False):
        inner.bind(argument, value)
    outcome = _block(inner, list(op.body.entry), frame, None)
    again = inner.compare(Predicate.NE, outcome[0], inner.constant(BREAK, I32))
    inner.b(scf.Yield([again, *outcome[1 : 1 + len(frame.continued) + len(frame.broken)]]))
    inits = [low.value(v) for v in _carried(op.inits)]
    inits += [_nothing(low, t) for t in frame.broken]
    loop = low.b(scf.While(inits, region, result_types=[*frame.continued, *frame.broken]))
    for out, value in zip(_carried(op.out), loop.outs[len(frame.continued) :], strict=True):
        low.bind(out, value)
