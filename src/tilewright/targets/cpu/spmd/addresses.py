"""Addresses as numbers: pointer parameters, and memrefs made of an address."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import addresses
from tilewright.ir import core
from tilewright.targets.cpu.context import KernelContext, OpLowering
from tilewright.targets.cpu.lowered import Scalar, View


def _address(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.AddressOf)
    ctx.bind(op.out, ctx.scalar(op.pointer))


def _reach(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.Reach)
    ctx.bind(op.out, ctx.reaches[op.pointer])


def _from_address(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.FromAddress)
    address = ctx.scalar(op.address)
    pointer = Scalar(ctx.b.cast("inttoptr", address.value, "ptr", hint="at"), address.varying)
    sizes, strides = (tuple(map(ctx.index, given)) for given in op.mixed_layout)
    ctx.bind(op.out, View(op.type, pointer, ctx.index(0), sizes, strides, pointer))


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {addresses.AddressOf: _address, addresses.Reach: _reach, addresses.FromAddress: _from_address}
