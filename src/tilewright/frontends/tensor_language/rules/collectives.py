"""Collective instructions: orders, shapes, promotion, factors (V39 to V44)."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects import tl
from tilewright.frontends.tensor_language.rules.facts import constant_of, element, name_of, spelled
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import Extent, MemrefType, ScalarType, promotable, promote

Shape = tuple[Extent, ...]


def _shape(value: Value, transpose: bool = False) -> Shape:
    assert isinstance(value.type, MemrefType)
    shape = value.type.shape
    return shape[::-1] if transpose and len(shape) == 2 else shape


def _number(op: Operation, value: Value) -> int:
    return op.operands.index(value)


def _order(op: Operation, value: Value, allowed: Sequence[int], report: Report) -> bool:
    order = len(_shape(value))
    if order in allowed:
        return True
    wanted = " or ".join(map(str, allowed))
    report.error(
        "V39", op.place(("operand", _number(op, value))), f"{name_of(value)} has order {order}; {wanted} is needed"
    ).label(value.location, f"a {value.type}")
    return False


def _equal(op: Operation, value: Value, have: Shape, want: Shape, report: Report) -> bool:
    """`?` equals only `?`."""
    if have == want:
        return True
    place = op.place(("operand", _number(op, value)))
    finding = report.error("V39", place, f"{name_of(value)} is {spelled(have)}, but {spelled(want)} is needed here")
    finding.label(value.location, "defined here")
    if len(have) == len(want) and any((h is None) != (n is None) for h, n in zip(have, want, strict=True)):
        finding.hint("`?` fits only `?`: take a subview with literal sizes to make an extent known")
    return False


def _fits(op: Operation, value: Value, target: ScalarType, what: str, report: Report) -> None:
    type_ = element(value)
    if type_ is not None and not promotable(type_, target):
        report.error(
            "V39",
            op.place(("operand", _number(op, value))),
            f"{name_of(value)} is {type_}, which cannot be promoted to {target}, {what}",
        ).label(value.location, "defined here").hint(f"cast it to {target} first")


def _types(op: Operation, alpha: Value, inputs: Sequence[Value], beta: Value, out: Value, report: Report) -> None:
    """alpha fits the product, the product the result, beta the result."""
    target = element(out)
    types = [element(v) for v in inputs]
    if target is None or None in types:
        return
    product = types[0]
    assert product is not None
    for value, other in zip(inputs[1:], types[1:], strict=True):
        assert other is not None
        common = promote(product, other)
        if common is None:
            report.error(
                "V39", op.place(("operand", _number(op, value))), f"{product} and {other} have no common type"
            ).label(inputs[0].location, f"this is {product}")
            return
        product = common
    _fits(op, alpha, product, "the type of the operands", report)
    for value in inputs:
        _fits(op, value, target, "the type of the result", report)
    _fits(op, beta, target, "the type of the result", report)


def _atomic(op: Operation, beta: Value, atomic: bool, report: Report) -> None:
    if atomic and constant_of(beta) not in (0, 1):
        report.error(
            "V40", op.place(("operand", _number(op, beta))), "an atomic update needs a constant beta of 0 or 1"
        ).label(beta.location, "defined here").hint("scale the result first in a separate kernel, or drop .atomic")


def _overlap(op: Operation, inputs: Sequence[Value], out: Value, in_place: bool, report: Report) -> None:
    for value in inputs:
        if value is out and not in_place:
            report.warning(
                "V42",
                op.place(("operand", _number(op, value))),
                f"{name_of(value)} is read and written by one instruction, which leaves the result undefined",
            )


def axpby(op: tl.Axpby, report: Report) -> None:
    """`B := alpha op(A) + beta B`."""
    _types(op, op.alpha, [op.a], op.beta, op.b, report)
    _atomic(op, op.beta, op.atomic, report)
    if _order(op, op.b, (0, 1, 2), report):
        _equal(op, op.a, _shape(op.a, op.transpose), _shape(op.b), report)
    _overlap(op, [op.a], op.b, not (op.transpose and len(_shape(op.b)) == 2), report)


def sum_(op: tl.Sum, report: Report) -> None:
    """`b_i := alpha sum_j op(A)_ij + beta b_i`."""
    _types(op, op.alpha, [op.a], op.beta, op.b, report)
    _atomic(op, op.beta, op.atomic, report)
    if _order(op, op.b, (0, 1), report):
        order = len(_shape(op.b))
        if _order(op, op.a, (order + 1,), report) and order:
            rows = _shape(op.a, op.transpose)[:1]
            if rows != _shape(op.b):
                _equal(op, op.b, _shape(op.b), rows, report)
    _overlap(op, [op.a], op.b, False, report)


def cumsum(op: tl.Cumsum, report: Report) -> None:
    """Prefix sum along a mode that exists."""
    _types(op, op.alpha, [op.a], op.beta, op.b, report)
    _atomic(op, op.beta, op.atomic, report)
    shape = _shape(op.a)
    if not shape:
        report.error("V39", op.place(("operand", 1)), f"{name_of(op.a)} has no mode to sum along")
    elif not 0 <= op.mode < len(shape):
        report.error("V41", op.place("mode"), f"there is no mode {op.mode}; modes are 0 to {len(shape) - 1}")
    _equal(op, op.b, _shape(op.b), shape, report)


def gemm(op: tl.Gemm, report: Report) -> None:
    """`C := alpha op1(A) op2(B) + beta C`."""
    _types(op, op.alpha, [op.a, op.b], op.beta, op.c, report)
    _atomic(op, op.beta, op.atomic, report)
    _overlap(op, [op.a, op.b], op.c, False, report)
    orders = [_order(op, v, (2,), report) for v in (op.a, op.b, op.c)]
    if not all(orders):
        return
    a, b, c = _shape(op.a, op.transpose_a), _shape(op.b, op.transpose_b), _shape(op.c)
    if _equal(op, op.b, b, (a[1], b[1]), report):
        _equal(op, op.c, c, (a[0], b[1]), report)


def gemv(op: tl.Gemv, report: Report) -> None:
    """`c := alpha op(A) b + beta c`."""
    _types(op, op.alpha, [op.a, op.b], op.beta, op.c, report)
    _atomic(op, op.beta, op.atomic, report)
    _overlap(op, [op.a, op.b], op.c, False, report)
    orders = [_order(op, op.a, (2,), report), _order(op, op.b, (1,), report), _order(op, op.c, (1,), report)]
    if all(orders):
        a = _shape(op.a, op.transpose)
        _equal(op, op.b, _shape(op.b), a[1:], report)
        _equal(op, op.c, _shape(op.c), a[:1], report)


def ger(op: tl.Ger, report: Report) -> None:
    """`C := alpha a b^T + beta C`."""
    _types(op, op.alpha, [op.a, op.b], op.beta, op.c, report)
    _atomic(op, op.beta, op.atomic, report)
    _overlap(op, [op.a, op.b], op.c, False, report)
    orders = [_order(op, op.a, (1,), report), _order(op, op.b, (1,), report), _order(op, op.c, (2,), report)]
    if all(orders):
        _equal(op, op.c, _shape(op.c), (*_shape(op.a), *_shape(op.b)), report)


def hadamard(op: tl.Hadamard, report: Report) -> None:
    """`c := alpha a .* b + beta c`."""
    _types(op, op.alpha, [op.a, op.b], op.beta, op.c, report)
    _atomic(op, op.beta, op.atomic, report)
    if _order(op, op.c, (1, 2), report):
        _equal(op, op.a, _shape(op.a), _shape(op.c), report)
        _equal(op, op.b, _shape(op.b), _shape(op.c), report)


def _lists(op: tl.Foreach | tl.ForeachTile, variables: int, report: Report) -> bool:
    if not len(op.lowers) == len(op.uppers) == variables:
        report.error(
            "V43",
            op.location,
            f"the lists have {variables}, {len(op.lowers)} and {len(op.uppers)} entries; they need the same number",
        )
        return False
    for k, (low, high) in enumerate(zip(op.lowers, op.uppers, strict=True)):
        if low.type is not high.type:
            report.error(
                "V43", op.place(("operand", len(op.lowers) + k)), f"mode {k} counts from {low.type} to {high.type}"
            ).label(low.location, f"this is {low.type}")
            return False
    return True


def foreach(op: tl.Foreach, report: Report) -> None:
    """Three lists of one length."""
    _lists(op, len(op.body.entry.arguments), report)


def foreach_tile(op: tl.ForeachTile, report: Report) -> None:
    """Five lists of one length, positive tiles."""
    modes = len(op.tile_shape)
    if len(op.body.entry.arguments) != 2 * modes:
        report.error("V43", op.location, f"{modes} tile extents do not fit {len(op.body.entry.arguments)} variables")
        return
    if _lists(op, modes, report):
        for k, extent in enumerate(op.tile_shape):
            if extent <= 0:
                report.error("V44", op.place(("tile", k)), f"tile extent {extent} is not positive")


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {
        tl.Axpby: axpby,
        tl.Sum: sum_,
        tl.Cumsum: cumsum,
        tl.Gemm: gemm,
        tl.Gemv: gemv,
        tl.Ger: ger,
        tl.Hadamard: hadamard,
        tl.Foreach: foreach,
        tl.ForeachTile: foreach_tile,
    }
