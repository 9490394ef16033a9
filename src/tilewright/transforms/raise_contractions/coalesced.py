"""Loops that count several others at once, taken apart again.

    for %i = 0 to 192 { %x = floor_div %i, 16; %y = %i - %x * 16; .. }  ->  for %x = 0 to 12 { for %y = 0 to 16 { .. } }

That is what `mlir-opt --affine-loop-coalescing` makes of perfect nests, and what people write by hand. Iterations stay
in their order, so nothing has to be proven of what they do. The quotient may be one of a quotient, of a nest of three.
"""

from __future__ import annotations

from tilewright.dialects import arith, memref, scf
from tilewright.dialects.arith_integers import FloorDiv, UDiv, URem
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import SPMD_REGION
from tilewright.transforms import emit
from tilewright.transforms.emit import integer_of

_QUOTIENTS = (FloorDiv, UDiv, arith.Div)
_REMAINDERS = (URem, arith.Rem)


def split_coalesced(kernel: Kernel) -> bool:
    """Take apart all such loops of a kernel outside of regions of work-items; whether there were any."""
    work = [op for op in kernel.walk() if isinstance(op, scf.For) and not _is_of_items(op)]
    changed = False
    while work:
        loop = work.pop()
        divisor = _divisor(loop)
        if divisor is not None:
            work.append(_split(loop, divisor))
            changed = True
    return changed


def _is_of_items(op: Operation) -> bool:
    return any(SPMD_REGION in outer.definition.traits for outer in op.ancestors())


def _divisor(loop: scf.For) -> Value | None:
    """What the variable of a loop that begins at 0 is divided by, where that divides its end."""
    if integer_of(loop.lower) != 0 or loop.inits or (loop.step is not None and integer_of(loop.step) != 1):
        return None
    if loop.upper.type is not loop.index.type:
        return None
    for user in loop.index.uses:
        if isinstance(user, _QUOTIENTS) and user.lhs is loop.index and _times(loop.upper, user.rhs) is not None:
            return user.rhs
    return None


def _times(total: Value, divisor: Value) -> int | Value | None:
    """How often a divisor is in a number that is a product with it; None if that is not known."""
    whole, part = integer_of(total), integer_of(divisor)
    if whole is not None and part is not None:
        return whole // part if part > 1 and whole % part == 0 and whole > 0 else None
    op = total.defining_op
    if not isinstance(op, arith.Mul) or not _are_extents(total):
        return None
    for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if one is divisor or (part is not None and integer_of(one) == part):
            return other
    return None


def _are_extents(value: Value) -> bool:
    """Whether a number is a product of extents and positive constants, so that no part of it is negative."""
    op, known = value.defining_op, integer_of(value)
    if isinstance(op, arith.Mul):
        return _are_extents(op.lhs) and _are_extents(op.rhs)
    return isinstance(op, memref.Size) or (known is not None and known > 0)


def _split(loop: scf.For, divisor: Value) -> scf.For:
    """Two loops in the place of one; the outer one."""
    build = Builder.before_op(loop)
    times = _times(loop.upper, divisor)
    assert times is not None
    part = integer_of(divisor)
    limit = divisor if part is None else build.constant(part, loop.index.type)
    upper = build.constant(times, loop.index.type) if isinstance(times, int) else times
    outer = emit.open_loop(build, loop.lower, upper, parallel=loop.parallel)
    inner = emit.open_loop(outer.body, loop.lower, limit, parallel=loop.parallel)
    for user in list(loop.index.uses):
        found = _known(user, loop.index, limit, outer.index, inner.index)
        if found is not None:
            user.results[0].replace_all_uses_with(found)
            user.erase()
    body = loop.body.entry
    if loop.index.uses:
        scaled = inner.body(arith.Mul(outer.index, limit)).out
        loop.index.replace_all_uses_with(inner.body(arith.Add(scaled, inner.index)).out)
    for op in list(body):
        op.detach()
        inner.body(op)
    outer.body(scf.Yield([]))
    loop.erase()
    return outer.op


def _known(user: Operation, index: Value, divisor: Value, quotient: Value, remainder: Value) -> Value | None:
    """What a quotient or remainder of the variable is; None for other uses."""
    if isinstance(user, _QUOTIENTS + _REMAINDERS) and user.lhs is index and _is_same(user.rhs, divisor):
        return quotient if isinstance(user, _QUOTIENTS) else remainder
    if isinstance(user, arith.Sub) and user.lhs is index:
        product = user.rhs.defining_op
        factors = [product.lhs, product.rhs] if isinstance(product, arith.Mul) else []
        if quotient in factors and any(_is_same(factor, divisor) for factor in factors):
            return remainder
    return None


def _is_same(one: Value, other: Value) -> bool:
    number = integer_of(one)
    return one is other or (number is not None and number == integer_of(other))
