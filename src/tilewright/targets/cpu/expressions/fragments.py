"""The vectors of a register block: as values for phis, some of their lanes, put together of single lanes."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.llvm.emitter import Builder, Complex, Value, vector, zero
from tilewright.targets.llvm.types import ELEMENTS, Kind, lanes_of

Fragments = list[list[Operand]]
"""Vectors of a block: one list a position across, in it one vector a piece."""


def flatten(fragments: Fragments) -> list[Value]:
    """The LLVM values of a block, for phis."""
    return [part for row in fragments for operand in row for part in parts_of(operand)]


def rebuild(values: list[Value], dtype: str, count: int, pieces: int) -> Fragments:
    """The inverse of `flatten`."""
    each = 2 if ELEMENTS[dtype].kind is Kind.COMPLEX else 1
    operands: list[Operand] = [
        Complex(values[k], values[k + 1]) if each == 2 else values[k] for k in range(0, len(values), each)
    ]
    return [operands[j * pieces : (j + 1) * pieces] for j in range(count)]


def value_of(operand: Operand) -> Value:
    """The value of an operand that is not complex."""
    assert isinstance(operand, Value)
    return operand


def parts_of(operand: Operand) -> tuple[Value, ...]:
    """One LLVM value, or the two of a complex number."""
    return (operand.re, operand.im) if isinstance(operand, Complex) else (operand,)


def pick(b: Builder, operand: Operand, lanes: range | list[int]) -> Operand:
    """Some lanes of a vector, ascending; one lane is a scalar."""
    return operand if lanes_of(parts_of(operand)[0].type) == len(lanes) else rearrange(b, operand, lanes)


def rearrange(b: Builder, operand: Operand, lanes: range | list[int]) -> Operand:
    """A vector of these lanes of one; one lane is a scalar."""
    if lanes_of(parts_of(operand)[0].type) == 1:
        return operand
    return shuffle(b, operand, None, lanes)


def shuffle(b: Builder, x: Operand, y: Operand | None, lanes: Sequence[int]) -> Operand:
    """Chosen lanes of a vector, or of two behind each other."""
    if isinstance(x, Complex):
        other = y if isinstance(y, Complex) else None
        return Complex(
            b.shuffle(x.re, None if other is None else other.re, lanes),
            b.shuffle(x.im, None if other is None else other.im, lanes),
        )
    return b.shuffle(x, y if isinstance(y, Value) else None, lanes)


def join(b: Builder, elements: list[Operand], lanes: int) -> Operand:
    """A vector of scalars; the lanes behind them are zero."""
    if lanes == 1:
        return elements[0]
    columns = [list(column) for column in zip(*map(parts_of, elements), strict=True)]
    joined: list[Value] = []
    for column in columns:
        whole = zero(vector(column[0].type, lanes))
        for lane, value in enumerate(column):
            whole = b.insert(whole, value, lane)
        joined.append(whole)
    return Complex(joined[0], joined[1]) if len(joined) == 2 else joined[0]
