"""separate-arrays: kernels that are slow only since arrays may overlap get a second form for arrays that do not.

before:  kernel @k(%a, %b, %c) {held_up = {"spread-collectives": 1}}
after:   kernel @k(%a, %b, %c)
         kernel @k.apart(%a, %b, %c) {apart_of = "k"}       made again, of parameters that are all `noalias`

Parameters of most languages may be arrays that overlap, and seldom are. A launch sees them: it takes the second form if
no array that the kernel writes shares a byte with another one, the first if one does (`runtime/apart.py`). So nobody
has to promise anything, and none waits for what does not happen.

A pass that has to be careful since two parameters may be arrays that overlap says so (`hold_up`), if what it would do
otherwise is worth code of its own. Only then is the program made again, by the passes so far. The second form stays if
one of them is held up less often there. Kernels that take groups, whose arrays a launch does not see one by one, have
none, nor have those that report to the host: what is checked takes the careful way. Linear in the operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, cast

from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.reports import Check, Claim, Report
from tilewright.dialects.statics import Global
from tilewright.ir.core import Attribute, BlockArgument, Operation
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace, GroupType, MemrefType, PointerType
from tilewright.transforms.signature import accessed, is_made, written_through

TESTED: Final = "tested"
"""Noted in place of a pass where code tests at run time whether arrays overlap; that costs next to nothing."""
_REPORTING = (Report, Check, Claim)


def hold_up(op: Operation, by: str) -> None:
    """Note that a pass has left something in the kernel around an operation as it is, which it may not have to where
    arrays do not overlap."""
    kernel = kernel_of(op)
    if kernel is not None:
        found = dict(kernel.held_up or {})
        kernel.held_up = {**found, by: cast("int", found.get(by, 0)) + 1}


def kernel_of(op: Operation) -> Kernel | None:
    """The kernel that an operation is or belongs to."""
    return next((each for each in (op, *op.ancestors()) if isinstance(each, Kernel)), None)


def lie_apart(kernel: Kernel) -> bool:
    """Whether all arrays of a kernel are known not to overlap, so that it is nothing of that kind that holds it up."""
    return all(kernel.attributes_of(parameter).get("noalias") is True for parameter in _arrays(kernel))


class SeparateArrays(Pass, frozen=True):
    """Make kernels for arrays that do not overlap, where that helps."""

    name: ClassVar[str] = "separate-arrays"

    def run(self, module: Module, context: PassContext) -> bool:
        held = {kernel.sym_name: counts for kernel in module.kernels if (counts := _counts(kernel))}
        changed = any(kernel.held_up for kernel in module.kernels)
        for kernel in module.kernels:
            kernel.attributes.pop("held_up", None)
        wanting = {name for name in held if _can_be_apart(module, module.kernel(name))}
        if not wanting or context.again is None:
            return changed
        made = context.again(lambda again: _promise(again, wanting))
        for kernel in [] if made is None else [each for each in made.kernels if each.sym_name in wanting]:
            if _is_held_less(kernel, held[kernel.sym_name]):
                assert made is not None
                _take(module, made, kernel)
        return True


def _counts(kernel: Kernel) -> Mapping[str, int]:
    counts = cast("Mapping[str, int]", kernel.held_up or {})
    return {by: count for by, count in counts.items() if by != TESTED}


def _is_held_less(kernel: Kernel, before: Mapping[str, int]) -> bool:
    now = _counts(kernel)
    return any(now.get(by, 0) < count for by, count in before.items())


def _arrays(kernel: Kernel) -> list[BlockArgument]:
    """The parameters that launches give arrays of theirs."""
    return [parameter for parameter in kernel.parameters if _is_array(parameter)]


def _is_array(parameter: BlockArgument) -> bool:
    type_ = parameter.type
    if isinstance(type_, MemrefType):
        return type_.space is not AddressSpace.LOCAL and not is_made(parameter)
    return isinstance(type_, PointerType)


def _can_be_apart(module: Module, kernel: Kernel) -> bool:
    if not kernel.is_head or module.apart_from(kernel) is not None:
        return False
    if lie_apart(kernel) or any(isinstance(parameter.type, GroupType) for parameter in kernel.parameters):
        return False
    return not any(isinstance(op, _REPORTING) for op in kernel.walk())


def _promise(module: Module, names: set[str]) -> None:
    """Leave the kernels of these names alone in a program, with arrays that do not overlap."""
    for kernel in module.kernels:
        if kernel.launched_as not in names:
            kernel.erase()
            continue
        kernel.parameter_attributes = tuple(
            {**kernel.attributes_of(parameter), **({"noalias": True} if _is_array(parameter) else {})}
            for parameter in kernel.parameters
        )


def _take(module: Module, made: Module, kernel: Kernel) -> None:
    """Put a kernel behind the one in whose place it is to run, with launches that may take its own place."""
    careful = module.kernel(kernel.sym_name)
    steps = made.steps_of(kernel)
    taken = {each.sym_name for each in module.kernels}
    name = f"{careful.sym_name}.apart"
    while any(f"{name}{each.sym_name.removeprefix(careful.sym_name)}" in taken for each in (kernel, *steps)):
        name += "_"
    block = careful.block
    assert block is not None
    behind = [careful, *module.steps_of(careful)][-1].next
    known = {op.sym_name for op in module.body.entry if isinstance(op, Global)}
    for op in [op for op in made.body.entry if isinstance(op, Global) and op.sym_name not in known]:
        op.detach()
        module.body.entry.insert(op, module.body.entry.first)
    for each in (kernel, *steps):
        each.attributes.pop("held_up", None)
        each.detach()
        each.apart_of = careful.sym_name
        each.sym_name = f"{name}{each.sym_name.removeprefix(careful.sym_name)}"
        if each is not kernel:
            each.step_of = name
        block.insert(each, behind)
    _note_what_is_read(kernel)


def _note_what_is_read(kernel: Kernel) -> None:
    """Say of arrays that are not written that they are not: later levels copy by operations that tell less."""
    _, written = accessed(kernel)
    found: list[dict[str, Attribute]] = []
    for parameter in kernel.parameters:
        is_written = parameter in written if isinstance(parameter.type, MemrefType) else written_through(parameter)
        is_read = _is_array(parameter) and not is_written
        found.append({**kernel.attributes_of(parameter), **({"read_only": True} if is_read else {})})
    kernel.parameter_attributes = tuple(found)
