"""Which addresses are printed as pointers: those that come from a pointer by steps of bytes."""

from __future__ import annotations

from tilewright.dialects import arith
from tilewright.dialects.addresses import AddressOf, FromAddress
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.cf import BranchOperation
from tilewright.dialects.statics import Reserve
from tilewright.dialects.tlx.memory import Load, Store
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.types import I64


class Pointers:
    """`values` are printed as pointers."""

    def __init__(self, values: set[Value], kernel: Kernel) -> None:
        self.values = values
        self.kernel = kernel

    def __contains__(self, value: Value) -> bool:
        return value in self.values

    def needs_other_form(self, value: Value) -> bool:
        """Whether a value that is printed as a pointer is used as an integer, or the other way round."""
        if value.type is not I64:
            return False
        return any(self._uses_as_pointer(op, value, wanted=value not in self.values) for op in value.uses)

    def _uses_as_pointer(self, op: Operation, value: Value, wanted: bool) -> bool:
        """Whether an operation uses a value as a pointer, if that is `wanted`, else as an integer."""
        match op:
            case Load() | Store() | FromAddress():
                as_pointer = op.address is value
                others = sum(o is value for o in op.operands) > as_pointer
                return as_pointer if wanted else others
            case arith.Add(lhs=lhs, rhs=rhs):
                as_pointer = op.out in self.values
                return (lhs is value) if as_pointer and wanted else (rhs is value) if as_pointer else not wanted
            case arith.Select(out=out):
                return (out in self.values) == wanted
            case BranchOperation():
                return any(
                    (argument in self.values) == wanted
                    for block, forwarded in op.edges()
                    for argument, found in zip(block.arguments, forwarded, strict=True)
                    if found is value
                )
            case _:
                return not wanted


def pointer_values(kernel: Kernel) -> Pointers:
    """The largest set of addresses each of which is a parameter's, that of memory of its own, a pointer and bytes, or a
    choice among pointers."""
    candidates: dict[Value, list[Value]] = {}
    for number, block in enumerate(kernel.body.blocks):
        if number:
            candidates |= {a: _incoming(kernel, a) for a in block.arguments if a.type is I64}
        for op in block:
            match op:
                case AddressOf(out=out) | Reserve(out=out):
                    candidates[out] = []
                case arith.Add(lhs=lhs, rhs=rhs, out=out) if out.type is I64 and not _is_zero(rhs):
                    candidates[out] = [lhs]
                case arith.Select(on_true=then, on_false=orelse, out=out) if out.type is I64:
                    candidates[out] = [then, orelse]
                case _:
                    pass
    users: dict[Value, list[Value]] = {}
    for value, sources in candidates.items():
        for source in sources:
            users.setdefault(source, []).append(value)
    work = [source for source in users if source not in candidates]
    while work:
        for value in users.get(work.pop(), ()):
            if candidates.pop(value, None) is not None:
                work.append(value)
    return Pointers(set(candidates), kernel)


def _incoming(kernel: Kernel, argument: BlockArgument) -> list[Value]:
    return [
        forwarded[argument.index]
        for block in kernel.body.blocks
        if isinstance(block.last, BranchOperation)
        for dest, forwarded in block.last.edges()
        if dest is argument.block
    ]


def _is_zero(value: Value) -> bool:
    op = value.defining_op
    return isinstance(op, arith.Constant) and op.value == 0
