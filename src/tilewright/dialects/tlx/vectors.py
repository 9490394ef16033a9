"""Bare vectors: sums of products of neighbours, as the instructions for neural networks form them.

A vector filled with a number is `tile.splat`.
"""

from __future__ import annotations

from typing import Any

from tilewright.diagnostics import Report
from tilewright.dialects.tlx import rules
from tilewright.dialects.tlx.base import TlxOperation
from tilewright.dialects.tlx.types import VECTOR
from tilewright.ir.definition import PURE, Value, attribute, operand, result
from tilewright.ir.types import promotable
from tilewright.numerics import contractions
from tilewright.numerics.formats import Format
from tilewright.numerics.later import Array, np


def _groups(op: TlxOperation, report: Report, factors: tuple[Value, Value], group: int, out: Value) -> None:
    """Factors of one type, whose groups give the elements of the result, which is as wide."""
    a, b, sums = (rules.vector_of(v) for v in (*factors, out))
    if a != b:
        rules.error(op, report, "TLX310", rules.place_of(op, factors[1]), f"factors have one type, not {a} and {b}")
    elif a.element.is_float is not sums.element.is_float:
        rules.error(op, report, "TLX310", "type", f"products of {a.element} are not summed in {sums.element}")
    elif not promotable(a.element, sums.element):
        rules.error(op, report, "TLX312", "type", f"{a.element} operands with a result of {sums.element}")
    elif group < 1 or a.size != group * sums.size:
        message = f"{a.size} elements in groups of {group} do not give {sums.size}"
        rules.error(op, report, "TLX305", "type", message)


def _sums(layout: Format, group: int, a: Array, b: Array) -> Array:
    """Of the products of signed integers, modulo 2^64, or of floats as doubles."""
    products = contractions.widened(layout, a) * contractions.widened(layout, b)
    return np.asarray(products.reshape(-1, group).sum(axis=1))


class ReduceMac(
    TlxOperation,
    name="tlx.reduce_mac",
    traits=(PURE,),
    assembly="$a $b group",
    intrinsic="llvm.vector.reduce.mac",
):
    """`sum over j < g of a[g i + j] b[g i + j]`."""

    a: Value = operand(VECTOR)
    b: Value = operand(VECTOR)
    group: int = attribute(int)
    out: Value = result(VECTOR)

    def evaluate(self, a: Any, b: Any) -> Any:
        return contractions.narrowed(self.out.type.format, _sums(self.a.type.format, self.group, a, b))

    def verify(self, report: Report) -> None:
        _groups(self, report, (self.a, self.b), self.group, self.out)


class ReduceMacAcc(
    TlxOperation,
    name="tlx.reduce_mac_acc",
    traits=(PURE,),
    assembly="$acc $a $b group",
    intrinsic="llvm.vector.reduce.mac.acc",
):
    """`acc[i] + sum over j < g of a[g i + j] b[g i + j]`."""

    acc: Value = operand(VECTOR, var="T")
    a: Value = operand(VECTOR)
    b: Value = operand(VECTOR)
    group: int = attribute(int)
    out: Value = result(var="T")

    def evaluate(self, acc: Any, a: Any, b: Any) -> Any:
        layout = self.out.type.format
        sums = _sums(self.a.type.format, self.group, a, b)
        return contractions.narrowed(layout, contractions.widened(layout, acc) + sums)

    def verify(self, report: Report) -> None:
        _groups(self, report, (self.a, self.b), self.group, self.out)
