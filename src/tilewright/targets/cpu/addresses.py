"""Addresses as numbers: pointer parameters, and memrefs made of an address."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import addresses
from tilewright.ir import core
from tilewright.ir.types import MemrefType
from tilewright.targets.cpu.context import KernelContext, OpLowering
from tilewright.targets.cpu.lowered import Scalar, View
from tilewright.targets.llvm.emitter import i64


def _address(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.AddressOf)
    ctx.bind(op.out, ctx.scalar(op.pointer))


def _from_address(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.FromAddress)
    type_ = op.out.type
    assert isinstance(type_, MemrefType)
    address = ctx.scalar(op.address)
    pointer = Scalar(ctx.b.cast("inttoptr", address.value, "ptr", hint="at"), address.varying)
    sizes, strides = iter(op.sizes), iter(op.strides)
    shape = tuple(ctx.scalar(next(sizes)) if s is None else Scalar(i64(s)) for s in type_.shape)
    steps = tuple(ctx.scalar(next(strides)) if s is None else Scalar(i64(s)) for s in type_.strides)
    ctx.bind(op.out, View(type_, pointer, Scalar(i64(0)), shape, steps, pointer))


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {addresses.AddressOf: _address, addresses.FromAddress: _from_address}
