"""Phases: units that need not wait for each other, launched together; each launch waits for the one before it.

A launch in stream order is the barrier between them. The other way, one launch whose blocks wait for each other, needs
all of them on the device at a time: that limits the grid, gives every phase the registers and the shared memory of the
one that needs most, and is a special kind of launch; a launch behind another one costs a few microseconds of the
device and is captured in a graph like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.dialects import memref
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.memref import Scope
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms.aliasing import allocation_bytes
from tilewright.transforms.spread_collectives.units import Unit, Unspread, conflicts, erase, units_of, users

_MOST: Final = 16
"""Launches of a kernel: code is written for each."""

_ALIGNMENT: Final = 128
SAID_OF_THE_WHOLE: Final = ("stepped", "joined", "schedule", "launch_constraints")
"""Attributes of a kernel that its steps do not have."""


def phases_of(units: Sequence[Unit]) -> list[int]:
    """The phase of each unit, in which it waits for none of the same. Raises `Unspread` if that cannot be."""
    found: list[int] = []
    first = 0
    for k, unit in enumerate(units):
        if any(conflicts(other, unit) for other in units[first:k]):
            first = k
            found.append(found[-1] + 1)
        else:
            found.append(found[-1] if found else 0)
    if found and found[-1] >= _MOST:
        raise Unspread(f"it would take {found[-1] + 1} launches, {_MOST} are the most")
    for k, unit in enumerate(units):
        if not unit.tasks:
            _check_number(k, units, found)
    return found


def _check_number(k: int, units: Sequence[Unit], phases: Sequence[int]) -> None:
    """A number that is loaded is loaded again in later phases that need it: nobody may have written it by then."""
    needing = [j for j in range(k + 1, len(units)) if phases[j] > phases[k] and _needs(units[j], units[k])]
    last = max((phases[j] for j in needing), default=0)
    for j in range(k + 1, len(units)):
        if phases[j] <= last and conflicts(units[k], units[j]):
            raise Unspread(f"{units[j].place} writes a number that is needed in a later launch")


def _needs(unit: Unit, number: Unit) -> bool:
    """Whether a unit, or what stands around it, takes a number that another one has loaded."""
    return any(user is op or user.is_ancestor_of(op) for load in number.ops for user in users(load) for op in unit.ops)


def _is_kept(unit: Unit, now: Sequence[Unit]) -> bool:
    """Whether a launch has a unit of another phase: memory, and numbers that units of its own need."""
    loads = all(isinstance(op, memref.Load) for op in unit.ops)
    return not unit.tasks and (not loads or any(_needs(other, unit) for other in now))


def step_name(kernel: Kernel, number: int) -> str:
    """Of a launch that is a step of a kernel."""
    return f"{kernel.sym_name}.{number}"


def write_steps(kernel: Kernel, phases: Sequence[int], of: Kernel) -> list[Kernel]:
    """A kernel for each phase of one, as steps of `of`, behind which they stand. Raises `Unspread` if memory is in the
    way.
    """
    block = of.block
    assert block is not None
    shared = _shared_allocations(kernel, phases)
    steps: list[Kernel] = []
    behind = of.next
    for phase in range(phases[-1] + 1):
        step = kernel.clone()
        assert isinstance(step, Kernel)
        step.sym_name, step.step_of = step_name(of, phase), of.sym_name
        for attribute in SAID_OF_THE_WHOLE:
            step.attributes.pop(attribute, None)
        block.insert(step, behind)
        allocations = [op for op in step.walk() if isinstance(op, memref.Alloca)]
        units = units_of(step)
        now = [unit for unit, number in zip(units, phases, strict=True) if number == phase]
        for unit in reversed(units):
            if unit not in now and not _is_kept(unit, now):
                for op in reversed(unit.ops):
                    erase(op)
        step.group_bytes = _share(allocations, shared)
        steps.append(step)
    return steps


def _shared_allocations(kernel: Kernel, phases: Sequence[int]) -> list[int]:
    """Which allocations, counted as they stand, more than one phase sees."""
    seen: dict[Value, set[int]] = {}
    for unit, phase in zip(units_of(kernel), phases, strict=True):
        for access in unit.accesses:
            if access.root is not None and access.space is AddressSpace.LOCAL:
                seen.setdefault(access.root, set()).add(phase)
    several = {root for root, found in seen.items() if len(found) > 1}
    allocations = [op.out for op in kernel.walk() if isinstance(op, memref.Alloca)]
    if not several <= set(allocations):
        raise Unspread("several launches would need the same local parameter")
    return [k for k, value in enumerate(allocations) if value in several]


def _share(allocations: Sequence[memref.Alloca], shared: Sequence[int]) -> int:
    """Put allocations into memory of the device; how many bytes that takes."""
    offset = 0
    for k in shared:
        alloca = allocations[k]
        type_ = alloca.out.type
        assert isinstance(type_, MemrefType)
        build = Builder.before_op(alloca)
        memory = build(memref.GroupMemory(offset, result_types=[_on_device(type_)]))
        memory.out.name = alloca.out.name
        offset += -(-max(allocation_bytes(alloca), 1) // _ALIGNMENT) * _ALIGNMENT
        alloca.out.replace_all_uses_with(memory.out)
        alloca.erase()
        _spread_type(memory.out)
    return offset


def _on_device(type_: MemrefType) -> MemrefType:
    return MemrefType(type_.element, type_.shape, type_.strides, AddressSpace.GLOBAL)


def _spread_type(value: Value) -> None:
    """What sees memory that is now the device's says so, and keeps no lifetime of it."""
    for user in list(value.uses):
        if isinstance(user, memref.LifetimeStop):
            user.erase()
            continue
        _widen(user)
        for result in user.results:
            if isinstance(result.type, MemrefType) and result.type.space is AddressSpace.LOCAL:
                result.type = _on_device(result.type)
                _spread_type(result)


def _widen(op: Operation) -> None:
    """Other blocks take part in what a work-group did."""
    if op.attributes.get("scope") in (Scope.WORK_GROUP, Scope.SUBGROUP):
        op.attributes["scope"] = Scope.DEVICE
