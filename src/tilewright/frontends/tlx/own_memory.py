"""Imports memory of a function's own: `alloca` that is no variable, `malloc` and `free`.

Each becomes memory that is there while the kernel runs, of undefined content. That is what a program can tell from it
unless an address gets where it meets the memory of another time, or of nobody any more: that is refused.
"""

from __future__ import annotations

from typing import Final

from tilewright.dialects.builder import Builder
from tilewright.dialects.statics import Reserve
from tilewright.frontends.tlx.codes import ELEMENTS, NOT_CONSTANT, OPERANDS
from tilewright.frontends.tlx.context import Broken, FunctionImport
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.ir.core import Value

_ALIGNMENT: Final = 64
MOST_BYTES: Final = 1 << 28
"""Bytes of its own that a function may have."""


def alloca(f: FunctionImport, i: syntax.Alloca) -> Value:
    """The address of what was not promoted. Raises `Broken`."""
    size = f.layouts.size(i.type)
    if size is None:
        raise f.unsupported(i, f"memory that holds {i.type} is not supported")
    count = 1 if i.count is None else _constant(f, i.count, "the number of elements of this alloca")
    return _reserved(f, i, size * count, returns=True)


def malloc(f: FunctionImport, i: syntax.Call) -> Value:
    """The address of what `free` gives back; it may not outlive the function. Raises `Broken`."""
    if len(i.arguments) != 1 or not isinstance(i.type, llvm.PointerType):
        raise f.refuse(OPERANDS, i, "malloc takes a number of bytes and gives a pointer")
    return _reserved(f, i, _constant(f, i.arguments[0].operand, "the length of malloc"), returns=False)


def free(f: FunctionImport, i: syntax.Call) -> None:
    """Memory is there until the kernel ends; nobody may use it any more."""
    if len(i.arguments) != 1 or not isinstance(i.arguments[0].operand.type, llvm.PointerType):
        raise f.refuse(OPERANDS, i, "free takes a pointer")


def _constant(f: FunctionImport, operand: syntax.Operand, what: str) -> int:
    found = f.constants.value_of(operand)
    if not isinstance(found, int) or found < 0:
        raise f.refuse(NOT_CONSTANT, operand, f"{what} must be a constant after folding, and not negative")
    return found


def _reserved(f: FunctionImport, i: syntax.Instruction, size: int, returns: bool) -> Value:
    """Memory in the first block, once; `returns` says that LLVM takes it back where the function ends."""
    f.own_bytes += size
    if f.own_bytes > MOST_BYTES:
        message = f"memory of this function's own of {f.own_bytes:,} bytes; the limit is {MOST_BYTES:,}"
        raise f.refuse(ELEMENTS, i, message, "pass it as an argument")
    again = f.b.block in f.cyclic
    found = _lasting(f, i.result or "", again) if again or not returns else None
    if found is not None:
        why = "a loop makes new memory each time" if again else "the memory may outlive the function"
        finding = f.error(NOT_CONSTANT, i, f"the address of this memory is handed on, and {why}")
        finding.label(f.range_of(found), "here")
        finding.hint("pass the memory as an argument, or take it in front of the loop")
        raise Broken
    is_here = f.b.block is f.entry
    at = f.b if is_here else Builder(f.entry, f.entry.last, f.b.location)
    value = at(Reserve(max(size, 1), _ALIGNMENT)).out
    value.name = i.result
    return value


def _lasting(f: FunctionImport, name: str, again: bool) -> syntax.Instruction | None:
    """The first instruction that keeps an address longer: a store or return of it, in a loop (`again`) also a phi."""
    work, seen = [name], {name}
    while work:
        for use in f.uses.of.get(work.pop(), ()):
            user = use.user
            kept = isinstance(user, syntax.Return) or (isinstance(user, syntax.Store) and use.operand is user.value)
            if kept or (again and isinstance(user, syntax.Phi)):
                return user
            carries = not isinstance(user, syntax.Load | syntax.Compare | syntax.Call)
            if carries and user.result is not None and user.result not in seen:
                seen.add(user.result)
                work.append(user.result)
    return None
