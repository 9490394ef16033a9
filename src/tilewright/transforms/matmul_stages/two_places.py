"""Buffers of two places (`buffers=2`): the next tile is written to one while threads read the other.

before:  for %k { barrier; loads of A and B; for %kk { .. }; barrier; stores to %a_smem, %b_smem }
after:   for %k { barrier; loads and stores to the place of the next step; for %kk { .. the place of this step } }

A buffer has twice the rows, and step number s the rows from `s mod 2` tiles on. The barrier at the head of a step lets
stores come behind what the step before has read, so the one in front of them goes. Stage 16 has made sure that all of a
tile is stored in each step: nothing is read that an earlier step left in the other place. What is stored right behind
its load needs no registers, and a device may copy it by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct, structs

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, gpu
from tilewright.dialects.mlir.base import memref_of, shape_of
from tilewright.ir.affine import AffineConstant, AffineExpression, AffineOperator, Dimension, add, divide, multiply
from tilewright.ir.core import Operation, Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.copies import is_shared
from tilewright.transforms.matmul_stages.dependences import accesses, writes
from tilewright.transforms.matmul_stages.index_values import Column, column, origins
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import (
    Access,
    applied,
    bounds,
    form_of,
    index_value,
    inside,
    stands_before,
    variable,
)

WHAT = "two places"
PLACES: Final = 2
_STEPS: Final = range(2 * PLACES)
"""Those that are looked at: places come again."""


class _Users(Struct, frozen=True):
    """Who accesses a buffer: copies of the first step and of the next ones, products in the loop and behind it."""

    first: list[Access]
    next: list[Access]
    current: list[Access]
    last: list[Access]


def apply(matmul: Matmul, name: str) -> None:
    """Give the buffers of A and B a second place. Raises `NotApplicable` if others than the steps access them."""
    k, kk = matmul.loop("k", name), matmul.loop("kk", name)
    found = {buffer: _users(matmul, buffer, name) for buffer in _buffers(matmul)}
    _store_early(k, kk)
    for buffer, users in found.items():
        rows, columns = shape_of(buffer)
        assert rows is not None
        buffer.type = structs.replace(memref_of(buffer), shape=(PLACES * rows, columns))
        _move(matmul, users, rows)


def _buffers(matmul: Matmul) -> list[Value]:
    found = (op.memref for op in accesses(matmul.nest(WHAT)) if is_shared(op.memref))
    return [buffer for buffer in dict.fromkeys(found) if buffer is not matmul.sums]


def _users(matmul: Matmul, buffer: Value, name: str) -> _Users:
    k, peeled = matmul.loop("k", name), matmul.loop("last", name)
    users = _Users([], [], [], [])
    for op in accesses(matmul.nest(name)):
        if op.memref is not buffer:
            continue
        if k.is_ancestor_of(op):
            (users.next if writes(op) else users.current).append(op)
        elif peeled.is_ancestor_of(op) and not writes(op):
            users.last.append(op)
        elif writes(op) and stands_before(_outermost(op, k), k):
            users.first.append(op)
        else:
            said = f"%{buffer.name} is accessed beside the steps along k, which buffers=2 is for"
            raise NotApplicable(op, said, 'leave "buffers=2" out')
    return users


def _outermost(op: Access, k: Operation) -> Operation:
    """What stands in the block of another operation."""
    return next((outer for outer in (op, *op.ancestors()) if outer.block is k.block), op)


def _store_early(k: affine.For, kk: affine.For) -> None:
    """Put the stores of a step in front of its products, and take out the barrier between."""
    barrier = next(op for op in inside(k) if isinstance(op, gpu.Barrier) and stands_before(kk, op))
    stores = [op for op in inside(k) if stands_before(barrier, op)]
    barrier.erase()
    for op in stores:
        op.detach()
        k.body.entry.insert(op, kk)


def _move(matmul: Matmul, users: _Users, rows: int) -> None:
    """Let accesses of a buffer be in the places of their steps."""
    k, peeled = matmul.loop("k", WHAT), matmul.loop("last", WHAT)
    step = matmul.block["k"]
    head = Builder.before_op(next(op for op in inside(k) if not isinstance(op, gpu.Barrier)))
    behind = Builder.before_op(peeled)
    current = index_value(head, _place(step, rows), [variable(k)], "place")
    other = add(multiply(Dimension(0), AffineConstant(-1)), AffineConstant(rows))
    following = index_value(head, other, [current], "next")
    last = index_value(behind, _place(step, rows), [applied(behind, last_step(k))], "last_place")
    for place, ops in ((current, users.current), (following, users.next), (last, users.last)):
        for op in ops:
            row = len(op.operands) - 2
            moved = form_of(op.operands[row]).plus(Linear(0, ((place, 1),)))
            op.set_operand(row, applied(Builder.before_op(op), moved))


def last_step(k: affine.For) -> Linear:
    """Where the step behind the loop begins along k."""
    found = bounds(k)
    assert found is not None, "check_steps has seen them"
    return found[1]


def _place(step: int, rows: int) -> AffineExpression:
    """The first row of the place of the step that begins at dimension 0."""
    number = divide(AffineOperator.FLOORDIV, Dimension(0), AffineConstant(step))
    return multiply(divide(AffineOperator.MOD, number, AffineConstant(PLACES)), AffineConstant(rows))


def check(matmul: Matmul) -> None:
    """Steps write the place that they do not read, with one barrier each, and the last one reads what was written last.

    Raises `Broken` if not.
    """
    k = matmul.loop("k", WHAT)
    if [op for op in k.walk() if isinstance(op, gpu.Barrier)] != [k.body.entry.first]:
        raise Broken(WHAT, k, "a step has not one barrier, at its head")
    step, last = matmul.block["k"], last_step(k)
    in_loop = {variable(k): [step * number for number in _STEPS]}
    behind = {value: [step * number - last.constant for number in _STEPS] for value in last.values}
    final = 0 if last.terms else last.constant // step
    for buffer in _buffers(matmul):
        users = _users(matmul, buffer, WHAT)
        for op in users.first:
            _check_place(op, {}, [0] * len(_STEPS))
        for op in users.current:
            _check_place(op, in_loop, [number % PLACES for number in _STEPS])
        for op in users.next:
            _check_place(op, in_loop, [(number + 1) % PLACES for number in _STEPS])
        for op in users.last:
            _check_place(op, behind, [(number if last.terms else final) % PLACES for number in _STEPS])


def _check_place(op: Access, known: Mapping[Value, Column], wanted: Sequence[int]) -> None:
    """An access is in these places, one for each of some steps; where it is in a tile does not matter."""
    row, rows = op.operands[-2], shape_of(op.memref)[0]
    assert rows is not None
    zero = dict.fromkeys(origins(row), [0] * len(wanted))
    found = [place // (rows // PLACES) for place in column(row, {**zero, **known}, len(wanted))]
    if found != list(wanted):
        raise Broken(WHAT, op, f"%{op.memref.name} is accessed in places {found} step by step, not {list(wanted)}")
