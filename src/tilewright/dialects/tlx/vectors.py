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
from tilewright.numerics.later import Array, np


class _GroupedProduct(TlxOperation):
    """Products of neighbours summed in groups: of signed integers modulo the width of the result, or of floats."""

    __slots__ = ()

    a: Value
    b: Value
    group: int
    out: Value

    def verify(self, report: Report) -> None:
        a, b, out = (rules.vector_of(v) for v in (self.a, self.b, self.out))
        if a != b:
            rules.error(self, report, "TLX310", rules.place_of(self, self.b), f"factors have one type, not {a} and {b}")
        elif a.element.is_float is not out.element.is_float:
            rules.error(self, report, "TLX310", "type", f"products of {a.element} are not summed in {out.element}")
        elif not promotable(a.element, out.element):
            rules.error(self, report, "TLX312", "type", f"{a.element} operands with a result of {out.element}")
        elif self.group < 1 or a.size != self.group * out.size:
            message = f"{a.size} elements in groups of {self.group} do not give {out.size}"
            rules.error(self, report, "TLX305", "type", message)

    def sums(self, a: Array, b: Array) -> Array:
        """Exact or as doubles, one for each element of the result."""
        x, y = (contractions.widened(v.type.format, found) for v, found in ((self.a, a), (self.b, b)))
        return np.asarray((x * y).reshape(-1, self.group).sum(axis=1))


class ReduceMac(
    _GroupedProduct,
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
        return contractions.narrowed(self.out.type.format, self.sums(a, b))


class ReduceMacAcc(
    _GroupedProduct,
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
        return contractions.narrowed(layout, contractions.widened(layout, acc) + self.sums(a, b))
