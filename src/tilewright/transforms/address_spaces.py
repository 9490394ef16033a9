"""Which memory is surely not the work-group's own: addresses lead to either, whatever the type of their memref says."""

from __future__ import annotations

from tilewright.dialects import arith
from tilewright.dialects.addresses import AddressOf, FromAddress
from tilewright.dialects.reports import Claim
from tilewright.dialects.statics import GlobalAddress
from tilewright.ir.core import Value
from tilewright.ir.interfaces import root_of
from tilewright.ir.types import AddressSpace, MemrefType


def is_surely_global(view: Value) -> bool:
    """Whether a view is one of memory outside of the work-group."""
    root = root_of(view)
    if isinstance(root.defining_op, FromAddress):
        return is_global_address(root.defining_op.address)
    return isinstance(root.type, MemrefType) and root.type.space is AddressSpace.GLOBAL


def is_global_address(address: Value) -> bool:
    """Whether it is counted from a parameter or a global; the other is memory reserved in the work-group."""
    match address.defining_op:
        case AddressOf() | GlobalAddress() | Claim():
            return True
        case arith.Add() as op:
            return any(map(is_global_address, op.operands))
        case arith.Sub() as op:
            return is_global_address(op.lhs)
        case _:
            return False
