"""derive-launch-constraints: what a launch must fulfil is written on the kernel while it has its instructions.

before:  builtin.kernel {sym_name = "f"} (%x: memref<f32x?>, %y: memref<f32x?>) { .. tl.axpby %a, %x, %b, %y }
after:   the same with launch_constraints = [{kind = "same_extent", names = ["mode 0 of %x", "mode 0 of %y"], ..}]

Only what every work-group is certain to execute counts: operations of the kernel's body, of `team.spmd`, and of loops
whose bounds are constants and not empty. Branches, other loops and sizes that a launch does not determine (see
`launch_quantities`) add nothing, nor do kernels of bare pointers. Kernels that have constraints keep them. One walk,
linear in the operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, cast

from tilewright.artifacts.constraint_codec import constraint_to_json
from tilewright.artifacts.constraints import Constraint, Polynomial, SameExtent, WithinGroup
from tilewright.artifacts.places import SourcePlace
from tilewright.dialects import memref, scf, team, tl
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Attribute, Block, BlockArgument, Operation, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import GroupType, MemrefType
from tilewright.transforms.launch_bounds import accesses_within, value_name
from tilewright.transforms.launch_quantities import LaunchQuantities, parameter_name


class DeriveLaunchConstraints(Pass, frozen=True):
    """Find out which launches are defined."""

    name: ClassVar[str] = "derive-launch-constraints"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            found = [] if kernel.launch_constraints else launch_constraints(kernel)
            if found:
                kernel.launch_constraints = cast("tuple[Attribute, ...]", tuple(map(constraint_to_json, found)))
                changed = True
        return changed


def launch_constraints(kernel: Kernel) -> list[Constraint]:
    """The constraints of a kernel, each once, where it comes up first."""
    if not any(isinstance(parameter.type, MemrefType | GroupType) for parameter in kernel.parameters):
        return []
    known = LaunchQuantities(kernel)
    certain: set[Block] = {kernel.body.entry}
    found: dict[object, Constraint] = {}
    for op in kernel.walk():
        if op is kernel:
            continue
        known.see(op)
        if op.block not in certain:
            continue
        certain.update(_certain_blocks(op, known))
        for key, constraint in _constraints_of(op, known):
            found.setdefault(key, constraint)
    return list(found.values())


def _certain_blocks(op: Operation, known: LaunchQuantities) -> list[Block]:
    """What certainly runs if the operation does."""
    match op:
        case team.Spmd():
            return [op.body.entry]
        case scf.For():
            runs = _below(op.lower, op.upper, known) and (op.step is None or _below(0, op.step, known))
            return [op.body.entry] if runs else []
        case tl.Foreach() | tl.ForeachTile():
            runs = all(_below(lower, upper, known) for lower, upper in zip(op.lowers, op.uppers, strict=True))
            return [op.body.entry] if runs else []
        case _:
            return []


def _below(low: Value | int, high: Value, known: LaunchQuantities) -> bool:
    """Whether two constants are in this order."""
    first, second = (None if found is None else found.number for found in map(known.integer, (low, high)))
    return first is not None and second is not None and first < second


def _constraints_of(op: Operation, known: LaunchQuantities) -> Iterator[tuple[object, Constraint]]:
    """What an operation demands, under a key that is the same for the same demand."""
    if isinstance(op, tl.Collective):
        yield from _same_extents(op, known)
    elif isinstance(op, memref.GroupLoad):
        index = known.integer(op.index)
        assert isinstance(op.group, BlockArgument)
        if index is not None:
            name = parameter_name(op.group)
            yield (name, index), WithinGroup(name, index, SourcePlace.of(op.location))
    for access in accesses_within(op, known):
        yield (access.first, access.count, access.extent, access.sizes), access


def _same_extents(op: tl.Collective, known: LaunchQuantities) -> Iterator[tuple[object, Constraint]]:
    wanted: dict[str, tuple[str, Polynomial]] = {}
    for tensor in op.tensor_modes():
        value = op.operands[tensor.operand]
        extents = known.extents(value)
        modes = tensor.seen(tuple(range(len(extents))))
        for letter, mode in zip(tensor.letters, modes, strict=True):
            extent = extents[mode]
            if extent is None:
                continue
            here = (f"mode {mode} of {value_name(value)}", extent)
            name, other = wanted.setdefault(letter, here)
            if extent != other:
                place = SourcePlace.of(op.location)
                yield frozenset((extent, other)), SameExtent((here[0], name), (extent, other), place)
