"""Patterns on structured control flow: constant conditions, zero or one trip, values that do not change."""

from __future__ import annotations

from tilewright.dialects.scf import For, If, Yield
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.rewriter import Rewriter, pattern
from tilewright.transforms.emit import constant_of, integer_of


def trip_count(op: For) -> int | None:
    """Number of iterations if the bounds are constants."""
    lower, upper = integer_of(op.lower), integer_of(op.upper)
    step = 1 if op.step is None else integer_of(op.step)
    if lower is None or upper is None or step is None:
        return None
    return -((lower - upper) // step) if step > 0 and upper > lower else 0


def _inline(region: Region, arguments: list[Value], op: Operation, rewriter: Rewriter) -> None:
    """Replace `op` by the contents of a region of it that is entered once."""
    block = region.entry
    for argument, value in zip(block.arguments, arguments, strict=True):
        for user in argument.uses:
            rewriter.enqueue(user)
        argument.replace_all_uses_with(value)
    results: list[Value] = []
    for inner in block:
        if isinstance(inner, Yield):
            results = list(inner.operands)
            inner.erase()
        else:
            inner.detach()
            assert op.block is not None
            op.block.insert(inner, op)
            rewriter.enqueue(inner)
    rewriter.replace(op, results)


@pattern(If)
def constant_condition(op: If, rewriter: Rewriter) -> bool:
    """`if true { a } else { b }` -> `a`."""
    known = constant_of(op.condition)
    if known is None:
        return False
    if known:
        _inline(op.then, [], op, rewriter)
    elif op.orelse is not None:
        _inline(op.orelse, [], op, rewriter)
    else:
        rewriter.erase(op)
    return True


@pattern(For)
def few_trips(op: For, rewriter: Rewriter) -> bool:
    """No trip: the initial values; one trip: the body."""
    trips = trip_count(op)
    if trips == 0 or (not op.results and op.body.entry.first is None):
        rewriter.replace(op, op.inits)
        return True
    if trips == 1:
        _inline(op.body, [op.lower, *op.inits], op, rewriter)
        return True
    return False


@pattern(For)
def unchanged_carried(op: For, rewriter: Rewriter) -> bool:
    """A carried value that every iteration passes on is the initial one."""
    if not op.results:
        return False
    last = op.body.entry.last
    assert isinstance(last, Yield)
    changed = False
    for argument, init, out, value in zip(op.carried, op.inits, op.results, last.operands, strict=True):
        if (value is argument or value is init) and (argument.uses.keys() - {last} or out.uses):
            for user in [*argument.uses, *out.uses]:
                if user is not last:
                    user.replace_operand(argument, init)
                    user.replace_operand(out, init)
                    rewriter.enqueue(user)
            rewriter.enqueue(op)
            changed = True
    return changed


@pattern(For)
def unused_carried(op: For, rewriter: Rewriter) -> bool:
    """A carried value that serves nothing but its own next value is dropped."""
    if not op.results:
        return False
    last = op.body.entry.last
    assert isinstance(last, Yield)
    carried = op.carried
    keep = [
        k
        for k, a in enumerate(carried)
        if op.results[k].uses or a.uses.keys() - {last} or _yielded_elsewhere(a, last, k)
    ]
    if len(keep) == len(carried):
        return False
    new = For(
        op.lower,
        op.upper,
        Region(),
        op.step,
        [op.inits[k] for k in keep],
        result_types=[op.results[k].type for k in keep],
        location=op.location,
    )
    _take_over(op, new, keep, last, rewriter)
    return True


def _yielded_elsewhere(argument: Value, last: Yield, index: int) -> bool:
    return any(v is argument and k != index for k, v in enumerate(last.operands))


def _take_over(op: For, new: For, keep: list[int], last: Yield, rewriter: Rewriter) -> None:
    """Move the body to a loop that carries only the values in `keep`."""
    new.attributes.update({k: v for k, v in op.attributes.items() if k != "operand_segments"})
    region = op.body
    op.regions = new.regions = ()
    new.add_region(region)
    values = [last.operands[k] for k in keep]
    last.erase()
    block = region.entry
    for k in reversed(range(len(op.results))):
        if k not in keep:
            block.erase_argument(k + 1)
    if values:
        block.append(Yield(values, location=last.location))
    rewriter.insert(new)
    for k, out in zip(keep, new.results, strict=True):
        op.results[k].replace_all_uses_with(out)
    rewriter.erase(op)


@pattern(If)
def equal_arms(op: If, rewriter: Rewriter) -> bool:
    """A result that both arms yield as the same outer value is that value."""
    if not op.results or op.orelse is None:
        return False
    yes, no = op.then.entry.last, op.orelse.entry.last
    assert isinstance(yes, Yield)
    assert isinstance(no, Yield)
    changed = False
    for out, a, b in zip(op.results, yes.operands, no.operands, strict=True):
        if a is b and out.uses:
            for user in out.uses:
                rewriter.enqueue(user)
            out.replace_all_uses_with(a)
            changed = True
    return changed


CONTROL = (constant_condition, few_trips, unchanged_carried, unused_carried, equal_arms)
