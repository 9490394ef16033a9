"""Collective instructions on tensors: orders, shapes, promotion, factors (V39 to V41)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.diagnostics import Report
from tilewright.dialects import tl
from tilewright.frontends.tensor_language.rules.facts import constant_of, element, name_of, spelled
from tilewright.ir.core import Operation
from tilewright.ir.types import Extent, MemrefType, ScalarType, promotable, promote

Shape = tuple[Extent, ...]

# Operands are meant by position: alpha, the inputs, beta, the result. One value may stand at several of them.


def _shape(op: Operation, index: int) -> Shape:
    type_ = op.operands[index].type
    assert isinstance(type_, MemrefType)
    return type_.shape


def _order(op: Operation, index: int, allowed: Sequence[int], report: Report) -> bool:
    value = op.operands[index]
    order = len(_shape(op, index))
    if order in allowed:
        return True
    wanted = " or ".join(map(str, allowed))
    report.error(
        "V39", op.place(("operand", index)), f"{name_of(value)} has order {order}; order {wanted} is needed here"
    ).label(value.location, f"a {value.type}").hint("take a subview, expand or fuse it to the order that is needed")
    return False


def _orders(op: tl.Collective, report: Report) -> bool:
    """Whether the tensors have the orders that the instruction is for; every one that has not is reported."""
    right = [_order(op, tensor.operand, (len(tensor.letters),), report) for tensor in op.tensor_modes()]
    return all(right)


def _agree(op: tl.Collective, why: Mapping[int, str], report: Report) -> None:
    """Extents that have to be the same are; `why` explains what is wanted of an operand."""
    known: dict[str, Extent] = {}
    doubtful: set[str] = set()
    for tensor in op.tensor_modes():
        have = tensor.seen(_shape(op, tensor.operand))
        # an operand of another order has fewer modes or more
        extents = dict(zip(tensor.letters, have, strict=False)) | known
        wanted = tuple(extents.get(letter) for letter in tensor.letters)
        if not doubtful.isdisjoint(tensor.letters):
            continue
        if tensor.operand not in why or _equal(op, tensor.operand, have, wanted, why[tensor.operand], report):
            known = extents
        else:
            # what only a wrong operand says is no reason to call the next one wrong
            doubtful.update(letter for letter in tensor.letters if letter not in known)


def _equal(op: Operation, index: int, have: Shape, want: Shape, why: str, report: Report) -> bool:
    """`?` equals only `?`; `have` is the shape as the instruction sees it, after transposition."""
    if have == want:
        return True
    value = op.operands[index]
    turned = " transposed" if have != _shape(op, index) else ""
    finding = report.error(
        "V39",
        op.place(("operand", index)),
        f"{name_of(value)}{turned} has shape {spelled(have)}, but {spelled(want)} is needed: {why}",
    ).label(value.location, "defined here")
    if len(have) == len(want) and any((h is None) != (n is None) for h, n in zip(have, want, strict=True)):
        finding.hint("`?` fits only `?`: take a subview with literal sizes to make an extent known")
    elif len(have) == 2 and have[::-1] == want:
        finding.hint("its transpose has the shape that is needed: add or drop `.t`")
    else:
        finding.hint("take a subview of the part that is meant")
    return False


def _fits(op: Operation, index: int, target: ScalarType, what: str, report: Report) -> None:
    value = op.operands[index]
    type_ = element(value)
    if type_ is None or promotable(type_, target):
        return
    finding = report.error(
        "V39",
        op.place(("operand", index)),
        f"{name_of(value)} is {type_}, which cannot be promoted to {target}, {what}",
    ).label(value.location, "defined here")
    if isinstance(value.type, ScalarType):
        finding.hint(f"write `cast {name_of(value)} : {target}` first")
    else:
        finding.hint(f"use a result of a type that {type_} can be promoted to")


def _types(op: Operation, report: Report) -> None:
    """alpha fits the product, the product the result, beta the result."""
    inputs = range(1, len(op.operands) - 2)
    beta, out = len(op.operands) - 2, len(op.operands) - 1
    target = element(op.operands[out])
    product = element(op.operands[1])
    if target is None or product is None:
        return
    for index in inputs[1:]:
        other = element(op.operands[index])
        common = None if other is None else promote(product, other)
        if common is None:
            report.error(
                "V39", op.place(("operand", index)), f"{product} and {other} have no common type to multiply in"
            ).label(op.operands[1].location, f"this is {product}").hint(
                "both operands need types of which one holds the other"
            )
            return
        product = common
    _fits(op, 0, product, "the type of the operands", report)
    for index in inputs:
        _fits(op, index, target, "the type of the result", report)
    _fits(op, beta, target, "the type of the result", report)


def _atomic(op: Operation, atomic: bool, report: Report) -> None:
    index = len(op.operands) - 2
    beta = op.operands[index]
    if atomic and constant_of(beta) not in (0, 1):
        report.error(
            "V40", op.place(("operand", index)), "an atomic update needs a beta that is the constant 0 or 1"
        ).label(beta.location, "defined here").hint("scale the result first in a separate kernel, or drop .atomic")


def _common(op: Operation, atomic: bool, report: Report) -> None:
    _types(op, report)
    _atomic(op, atomic, report)


def elementwise(op: tl.ElementwiseCollective, report: Report) -> None:
    """`C := alpha f(A, ..) + beta C`, all of one shape."""
    _common(op, bool(op.attributes.get("atomic")), report)
    target = len(op.operands) - 1
    if _order(op, target, op.orders, report):
        _agree(op, dict.fromkeys(range(1, target - 1), f"the shape of {name_of(op.operands[target])}"), report)


def sum_(op: tl.Sum, report: Report) -> None:
    """`b_i := alpha sum_j op(A)_ij + beta b_i`."""
    _common(op, op.atomic, report)
    if _order(op, 3, (0, 1), report) and _orders(op, report):
        _agree(op, {3: f"one element for each row of {name_of(op.a)}"}, report)


def cumsum(op: tl.Cumsum, report: Report) -> None:
    """Prefix sum along a mode that exists."""
    _common(op, op.atomic, report)
    order = len(_shape(op, 1))
    if not order:
        report.error("V39", op.place(("operand", 1)), f"{name_of(op.a)} has no mode to sum along").hint(
            "cumsum takes tensors of order 1 and more"
        )
    elif not 0 <= op.mode < order:
        report.error("V41", op.place("mode"), f"{name_of(op.a)} has no mode {op.mode}").label(
            op.a.location, f"a {op.a.type}"
        ).hint(f"modes count from 0; here they are 0 to {order - 1}")
    _agree(op, {3: f"the shape of {name_of(op.a)}"}, report)


def gemm(op: tl.Gemm, report: Report) -> None:
    """`C := alpha op1(A) op2(B) + beta C`."""
    _common(op, op.atomic, report)
    if _orders(op, report):
        target = f"rows of {name_of(op.a)}, columns of {name_of(op.b)}"
        _agree(op, {2: f"a row for each column of {name_of(op.a)}", 4: target}, report)


def gemv(op: tl.Gemv, report: Report) -> None:
    """`c := alpha op(A) b + beta c`."""
    _common(op, op.atomic, report)
    if _orders(op, report):
        target = f"one element for each row of {name_of(op.a)}"
        _agree(op, {2: f"one element for each column of {name_of(op.a)}", 4: target}, report)


def ger(op: tl.Ger, report: Report) -> None:
    """`C := alpha a b^T + beta C`."""
    _common(op, op.atomic, report)
    if _orders(op, report):
        _agree(op, {4: f"{name_of(op.a)} by {name_of(op.b)}"}, report)


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {
        tl.ElementwiseCollective: elementwise,
        tl.Sum: sum_,
        tl.Cumsum: cumsum,
        tl.Gemm: gemm,
        tl.Gemv: gemv,
        tl.Ger: ger,
    }
