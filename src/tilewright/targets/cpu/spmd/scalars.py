"""Arithmetic on scalars: uniform ones as LLVM scalars, varying ones as vectors with one lane a work-item."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import arith
from tilewright.dialects.elementwise import BINARY, ELEMENTARY, EXTENDED, UNARY
from tilewright.ir import core
from tilewright.ir.types import ScalarType
from tilewright.targets.cpu.context import KernelContext, OpLowering
from tilewright.targets.cpu.lowered import Linear, Lowered, Operand, Scalar, View
from tilewright.targets.llvm.elementwise import compute
from tilewright.targets.llvm.emitter import Value, i64

_BINARY = {cls: cls.name.split(".")[1] for cls in BINARY}
_UNARY = {cls: cls.name.split(".")[1] for cls in UNARY}
_MATH = {cls: cls.name.split(".")[1] for cls in ELEMENTARY}


def dtype_of(value: core.Value) -> str:
    """Name of a scalar value's type."""
    assert isinstance(value.type, ScalarType)
    return value.type.name


def operands(ctx: KernelContext, *values: core.Value) -> tuple[bool, list[Operand]]:
    """The scalars as operands of one shape: all vectors if any varies; and whether any does."""
    found = [ctx.scalar(v) for v in values]
    varying = any(s.varying for s in found)
    return varying, [ctx.widen(s) if varying else s.operand for s in found]


def _constant(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, arith.Constant)
    ctx.bind(op.out, Scalar(ctx.arith.constant(dtype_of(op.out), op.value)))


def _binary(ctx: KernelContext, op: core.Operation) -> None:
    lhs, rhs = op.operands
    varying, (x, y) = operands(ctx, lhs, rhs)
    operand = ctx.arith.binary(_BINARY[type(op)], dtype_of(lhs), x, y)  # type: ignore[index]
    linear = _linear(ctx, op, ctx.scalar(lhs), ctx.scalar(rhs)) if varying else None
    ctx.bind(op.result, Scalar(operand, varying, linear))


def lane_form(scalar: Scalar) -> Linear | None:
    """`base + stride * lane`: trivially so for a uniform integer."""
    if scalar.varying:
        return scalar.linear
    return Linear(scalar.value, 0) if isinstance(scalar.operand, Value) else None


def _linear(ctx: KernelContext, op: core.Operation, lhs: Scalar, rhs: Scalar) -> Linear | None:
    """Lane dependence of an index sum, difference or product; narrower types may wrap between lanes and have none."""
    if dtype_of(op.result) != "index":
        return None
    a, b = lane_form(lhs), lane_form(rhs)
    if a is None or b is None:
        return None
    if isinstance(op, arith.Add):
        return Linear(ctx.b.add(a.base, b.base), a.stride + b.stride)
    if isinstance(op, arith.Sub):
        return Linear(ctx.b.sub(a.base, b.base), a.stride - b.stride)
    if isinstance(op, arith.Mul):
        for x, y in ((a, b), (b, a)):
            factor = y.base.integer
            if y.stride == 0 and factor is not None:
                return Linear(ctx.b.mul(x.base, i64(factor)), x.stride * factor)
    return None


def _unary(ctx: KernelContext, op: core.Operation) -> None:
    varying, (x,) = operands(ctx, op.operands[0])
    name = _UNARY[type(op)]  # type: ignore[index]
    ctx.bind(op.result, Scalar(ctx.arith.unary(name, dtype_of(op.operands[0]), x), varying))


def _math(ctx: KernelContext, op: core.Operation) -> None:
    varying, (x,) = operands(ctx, op.operands[0])
    name = _MATH[type(op)]  # type: ignore[index]
    if op.attributes.get("native"):
        name = "native_" + name
    ctx.bind(op.result, Scalar(ctx.arith.math(name, dtype_of(op.operands[0]), x), varying))


def _compare(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, arith.Cmp)
    varying, (x, y) = operands(ctx, op.lhs, op.rhs)
    ctx.bind(op.out, Scalar(ctx.arith.compare(op.predicate.value, dtype_of(op.lhs), x, y), varying))


def _cast(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, arith.Cast)
    source, target = dtype_of(op.value), dtype_of(op.out)
    scalar = ctx.scalar(op.value)
    operand = ctx.arith.cast(scalar.operand, source, target)
    ctx.bind(op.out, Scalar(operand, scalar.varying, _cast_linear(ctx, op, scalar, target)))


def _cast_linear(ctx: KernelContext, op: arith.Cast, scalar: Scalar, target: str) -> Linear | None:
    """A widening cast to index keeps the lane dependence that a team id has from its definition."""
    linear = scalar.linear
    if linear is None or target != "index":
        return None
    return Linear(ctx.b.resize(linear.base, "i64"), linear.stride)


def _select(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, arith.Select)
    if not isinstance(op.out.type, ScalarType):
        condition = ctx.uniform_value(ctx.scalar(op.condition))
        assert isinstance(condition, Value)
        ctx.bind(op.out, select_lowered(ctx, condition, ctx.values[op.on_true], ctx.values[op.on_false]))
        return
    varying, (c, x, y) = operands(ctx, op.condition, op.on_true, op.on_false)
    assert isinstance(c, Value)
    ctx.bind(op.out, Scalar(ctx.arith.select(c, x, y), varying))


def select_scalar(ctx: KernelContext, condition: Value, x: Scalar, y: Scalar) -> Scalar:
    """Choose by a mask (vector) or a uniform condition (scalar)."""
    varying = x.varying or y.varying or condition.type.startswith("<")
    left, right = (ctx.widen(x), ctx.widen(y)) if varying else (x.operand, y.operand)
    return Scalar(ctx.arith.select(condition, left, right), varying)


def select_lowered(ctx: KernelContext, condition: Value, x: Lowered, y: Lowered) -> Lowered:
    """Choose between two scalars or two views."""
    if isinstance(x, Scalar) and isinstance(y, Scalar):
        return select_scalar(ctx, condition, x, y)
    assert isinstance(x, View)
    assert isinstance(y, View)

    def choose(a: Scalar, b: Scalar) -> Scalar:
        return a if a == b else select_scalar(ctx, condition, a, b)

    return View(
        x.type,
        choose(x.pointer, y.pointer),
        choose(x.offset, y.offset),
        tuple(choose(a, b) for a, b in zip(x.sizes, y.sizes, strict=True)),
        tuple(choose(a, b) for a, b in zip(x.strides, y.strides, strict=True)),
        choose(x.base, y.base),
    )


def _fma(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, arith.Fma)
    varying, (x, y, z) = operands(ctx, op.a, op.b, op.c)
    ctx.bind(op.out, Scalar(ctx.arith.fma(dtype_of(op.a), x, y, z), varying))


def _extended(ctx: KernelContext, op: core.Operation) -> None:
    varying, found = operands(ctx, *op.operands)
    ctx.bind(op.result, Scalar(compute(ctx.arith, op, [dtype_of(v) for v in op.operands], found), varying))


def sum_of(ctx: KernelContext, x: Scalar, y: Scalar) -> Scalar:
    """Sum of two index scalars, with its lane dependence."""
    if not (x.varying or y.varying):
        return Scalar(ctx.b.add(x.value, y.value))
    a, b = lane_form(x), lane_form(y)
    linear = Linear(ctx.b.add(a.base, b.base), a.stride + b.stride) if a is not None and b is not None else None
    return Scalar(ctx.b.add(ctx.wide(x), ctx.wide(y)), True, linear)


def product_of(ctx: KernelContext, x: Scalar, y: Scalar) -> Scalar:
    """Product of two index scalars, with its lane dependence."""
    if not (x.varying or y.varying):
        return Scalar(ctx.b.mul(x.value, y.value))
    linear = None
    for u, v in ((x, y), (y, x)):
        form, factor = lane_form(u), None if v.varying else v.value.integer
        if form is not None and factor is not None:
            linear = Linear(ctx.b.mul(form.base, i64(factor)), form.stride * factor)
            break
    return Scalar(ctx.b.mul(ctx.wide(x), ctx.wide(y)), True, linear)


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    table: dict[type[core.Operation], OpLowering] = {
        arith.Constant: _constant,
        arith.Cmp: _compare,
        arith.Cast: _cast,
        arith.Select: _select,
        arith.Fma: _fma,
    }
    table.update(dict.fromkeys(_BINARY, _binary))
    table.update(dict.fromkeys(_UNARY, _unary))
    table.update(dict.fromkeys(_MATH, _math))
    table.update(dict.fromkeys(EXTENDED, _extended))
    return table
