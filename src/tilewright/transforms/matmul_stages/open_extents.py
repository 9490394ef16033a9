"""Extents that only a launch knows: where they come from, and how much of them lies in whole tiles.

    %m = memref.dim %C, %c0                                  rows of C, in front of all else
    %some = affine.min (1, %k floordiv 16)                   no tile has a step along k where k is short
    %m_whole = affine.apply (%m floordiv 32 * 32 * %some)

Loops count to such numbers as to others, so that loops over tiles of what is shorter than one do not run.
"""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, arith, func, memref
from tilewright.dialects.mlir.base import integer_of, shape_of
from tilewright.ir.affine import (
    AffineConstant,
    AffineExpression,
    AffineMap,
    AffineOperator,
    AffineSymbol,
    divide,
    multiply,
)
from tilewright.ir.core import Block, Operation, Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.matmul import Matmul
from tilewright.transforms.matmul_stages.nests import applied, constant, index_value, stands_before


def extent_of(function: func.Func, memory: Value, dimension: int, name: str) -> int | Value:
    """The extent of a matrix: a number, or what `memref.dim` says right behind where the matrix comes from."""
    known = shape_of(memory)[dimension]
    if known is not None:
        return known
    home = memory.defining_op
    build = _at_head(function.body.entry) if home is None else Builder(home.block or Block(), home.next, home.location)
    found = build(memref.Dim(memory, constant(build, dimension))).out
    found.name = name
    return found


def _at_head(block: Block) -> Builder:
    """Behind the extents that stand there already."""
    first = block.first
    assert first is not None, "verified: a function ends in a return"
    return Builder(block, first, first.location)


def counted(build: Builder, limit: Linear) -> Value:
    """How often a loop runs that counts to a limit: never to one below zero, which no extent of a matrix is."""
    value = applied(build, limit)
    if isinstance(value.defining_op, memref.Dim):
        return value
    found = build(affine.Max([value], AffineMap(0, 1, (AffineSymbol(0), AffineConstant(0))))).out
    found.name = f"{value.name or 'limit'}_count"
    return found


def limit_of(size: int | Value) -> int | Value:
    """What loops count to that run so often."""
    home = None if isinstance(size, int) else size.defining_op
    return home.values[0] if isinstance(home, affine.Max) else size


def dims_behind(function: func.Func, extent: Operation, memory: Value, dimension: int) -> Iterator[memref.Dim]:
    """Where a function asks for an extent again that is known behind an operation."""
    for op in list(function.walk()):
        if isinstance(op, memref.Dim) and op.source is memory and op is not extent:
            asked = op.index.defining_op
            is_same = isinstance(asked, arith.Constant) and integer_of(asked.value) == dimension
            if is_same and stands_before(extent, outermost_of(function, op)):
                yield op


def is_of_function(function: func.Func, op: Operation) -> bool:
    """Whether an operation is in the body of a function, in no loop or branch."""
    return op.block is function.body.entry


def outermost_of(function: func.Func, op: Operation) -> Operation:
    """What an operation is in, or itself, in the body of the function."""
    return next(one for one in (op, *op.ancestors()) if one.block is function.body.entry)


def emit_whole(matmul: Matmul) -> None:
    """Compute how many rows, columns and summed elements lie in whole tiles, in front of all loops."""
    build = Builder.before_op(outermost_of(matmul.function, matmul.loop("i", "whole tiles")))
    some = None
    for letter in "kij":
        size, block = matmul.sizes[letter], matmul.block[letter]
        values = [size] if isinstance(size, Value) else []
        one: AffineExpression = AffineSymbol(0) if values else AffineConstant(size if isinstance(size, int) else 0)
        count = divide(AffineOperator.FLOORDIV, one, AffineConstant(block))
        expression = multiply(count, AffineConstant(block))
        if letter == "k" and values:
            some = build(affine.Min(values, AffineMap(0, 1, (count, AffineConstant(1))))).out
            some.name = "some"
        if letter == "i" and some is not None:
            expression = multiply(expression, AffineSymbol(len(values)))
            values = [*values, some]
        if values:
            matmul.made.whole[letter] = index_value(build, expression, [], f"{letter}_whole", values)
