"""What arrays for pointers of a kernel consist of: what its accesses through them agree on."""

from __future__ import annotations

from tilewright.dialects import arith
from tilewright.dialects.addresses import AddressOf, FromAddress
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.cf import BranchOperation
from tilewright.dialects.tlx.base import tensor_of
from tilewright.dialects.tlx.memory import Load, Store
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.types import I8, PointerType, ScalarType


def settle_elements(kernel: Kernel, opaque: set[str]) -> None:
    """Give the parameters of these names the elements that are accessed through them; bytes if those differ."""
    for parameter in kernel.parameters:
        if parameter.name in opaque:
            found = _accessed(parameter)
            if len(found) > 1:
                found.discard(I8)
            parameter.type = PointerType(found.pop() if len(found) == 1 else I8)


def keep_promises(kernel: Kernel, noalias: set[str]) -> None:
    """Note which pointers share no memory with others."""
    found = [isinstance(p.type, PointerType) and p.name in noalias for p in kernel.parameters]
    if any(found):
        kernel.parameter_attributes = tuple({"noalias": True} if promised else {} for promised in found)


def _accessed(parameter: BlockArgument) -> set[ScalarType]:
    found: set[ScalarType] = set()
    work: list[Value] = [op.out for op in parameter.uses if isinstance(op, AddressOf)]
    seen = set(work)
    while work:
        address = work.pop()
        reached: list[Value] = []
        for op in address.uses:
            match op:
                case arith.Add() | arith.Select():
                    reached.append(op.out)
                case Load(address=own) if own is address:
                    found.add(tensor_of(op.out).element)
                case Store(address=own) if own is address:
                    found.add(tensor_of(op.input).element)
                case FromAddress():
                    found.add(op.type.element)
                case BranchOperation():
                    reached += [
                        a
                        for to, values in op.edges()
                        for a, v in zip(to.arguments, values, strict=True)
                        if v is address
                    ]
                case _:
                    pass
        work += [value for value in reached if value not in seen]
        seen.update(reached)
    return found
