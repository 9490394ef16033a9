"""From a kernel's IR to its launch signature: the same for every target."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from tilewright.artifacts.constraint_codec import constraint_from_json, polynomial_from_json
from tilewright.artifacts.constraints import Constraint, Polynomial
from tilewright.artifacts.json_fields import Fields, entries
from tilewright.artifacts.parameters import (
    MAX_GROUPS,
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.artifacts.parts import Parts, parts_from_json
from tilewright.artifacts.report_sites import site_facts
from tilewright.dialects.addresses import Reach
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Attribute, BlockArgument, Operation, Value
from tilewright.ir.definition import RECURSIVE_EFFECTS
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.types import AddressSpace, GroupType, MemrefType, PointerType, ScalarType


def root(value: Value) -> Value:
    """What a memref was made from by views and group loads: an allocation or a parameter."""
    op = value.defining_op
    while op is not None and op.operands and isinstance(value.type, MemrefType | GroupType):
        source = op.operands[0]
        if not isinstance(source.type, MemrefType | GroupType):
            break
        value, op = source, source.defining_op
    return value


def accessed(kernel: Kernel) -> tuple[set[Value], set[Value]]:
    """Roots that the kernel reads and those that it writes."""
    read: set[Value] = set()
    written: set[Value] = set()
    for op in kernel.walk():
        for effect in op.effects() or ():
            if effect.value is None:
                continue
            if effect.kind in (EffectKind.READ, EffectKind.UPDATE):
                read.add(root(effect.value))
            if effect.kind in (EffectKind.WRITE, EffectKind.UPDATE):
                written.add(root(effect.value))
    return read, written


def address_users(
    pointer: Value, *, through_regions: bool = True
) -> Iterator[tuple[Operation, Sequence[Effect] | None]]:
    """Operations on anything computed from a pointer, with their effects; what is loaded from it is no address.

    With `through_regions` also on whatever a loop or a branch that takes such an address hands on.
    """
    seen: set[Value] = set()
    work = [pointer]
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        for user in value.uses:
            effects = user.effects()
            if effects is None and RECURSIVE_EFFECTS in user.definition.traits:
                effects = ()
            yield user, effects
            if effects is None or effects:
                continue
            if through_regions or (user.results and not user.regions):
                work += [*user.results, *(a for r in user.regions for b in r.blocks for a in b.arguments)]
                # what a region yields; inner operations with results have nothing to do with those of their parent
                work += user.parent_op.results if user.parent_op is not None and not user.results else []


def written_through(pointer: Value) -> bool:
    """Whether anything computed from a pointer is the address of a write; what is loaded from it is no address."""
    return any(
        effects is None or any(e.kind in (EffectKind.WRITE, EffectKind.UPDATE) for e in effects)
        for _, effects in address_users(pointer)
    )


def pointer_is_nullable(pointer: Value, asks: Callable[[Operation], bool]) -> bool:
    """Whether no address computed from a pointer is accessed, or the program `asks` what the address is.

    An address that a loop or a branch hands on is accessed there for all we know, and not asked for.
    """
    if any(asks(user) for user, _ in address_users(pointer, through_regions=False)):
        return True
    return not any(effects is None or effects for _, effects in address_users(pointer))


def is_measured(pointer: Value) -> bool:
    """Whether the kernel asks how many bytes there are behind a pointer parameter."""
    return any(isinstance(user, Reach) for user in pointer.uses)


def kernel_info(kernel: Kernel, symbol: str, local_bytes: int) -> KernelInfo:
    """The launch signature of a kernel whose work-group size is known."""
    read, written = accessed(kernel)
    assert kernel.subgroup_size is not None
    assert kernel.work_group_size is not None
    return KernelInfo(
        kernel.sym_name,
        symbol,
        tuple(_parameter(kernel, p, p in read, p in written) for p in kernel.parameters),
        kernel.subgroup_size,
        kernel.work_group_size,
        local_bytes,
        {**site_facts(kernel), **_grid_facts(kernel)},
        constraints_of(kernel),
    )


def constraints_of(kernel: Kernel) -> tuple[Constraint, ...]:
    """What a launch must fulfil, as far as it was derived."""
    # tuples become lists, as in an artefact
    return tuple(map(constraint_from_json, json.loads(json.dumps(kernel.launch_constraints))))


def parts_of(kernel: Kernel) -> Parts | None:
    """Among how many blocks a launch divides each work-group, if it does."""
    return None if kernel.parts is None else parts_from_json(Fields(json.loads(json.dumps(kernel.parts))))


def _grid_facts(kernel: Kernel) -> Mapping[str, str]:
    return {} if kernel.max_groups is None else {MAX_GROUPS: str(kernel.max_groups)}


def _parameter(kernel: Kernel, argument: BlockArgument, read: bool, written: bool) -> Parameter:
    name, type_ = argument.name or f"arg{argument.index}", argument.type
    attributes = kernel.attributes_of(argument)
    nullable = argument.index not in (kernel.nonnull or ())
    has_nulls = argument.index not in (kernel.nonnull_elements or ())
    if isinstance(type_, ScalarType):
        return ScalarParameter(name, type_.name)
    may_write = attributes.get("read_only") is not True
    if isinstance(type_, MemrefType):
        return _memref(name, type_, attributes, read, written and may_write, nullable)
    if isinstance(type_, PointerType):
        written = may_write and written_through(argument)
        measured, promised = is_measured(argument), attributes.get("alignment")
        alignment = promised if isinstance(promised, int) else 1
        return PointerParameter(name, type_.element.name, written, nullable, measured, alignment)
    assert isinstance(type_, GroupType)
    memref = _memref(name, type_.memref, attributes, read, written, has_nulls)
    return GroupParameter(name, memref, type_.size, type_.offset, nullable)


def _memref(
    name: str, type_: MemrefType, attributes: dict[str, Attribute], read: bool, written: bool, nullable: bool
) -> MemrefParameter:
    alignment = attributes.get("alignment")
    return MemrefParameter(
        name,
        type_.element.name,
        type_.shape,
        type_.strides,
        "local" if type_.space is AddressSpace.LOCAL else "global",
        alignment if isinstance(alignment, int) else type_.element.bytes,
        divisors(attributes.get("shape_gcd")),
        divisors(attributes.get("stride_gcd")),
        written,
        read,
        attributes.get("noalias") is True,
        nullable,
        divisors(attributes.get("dimensions")),
        made_extents(attributes),
    )


def made_extents(attributes: dict[str, Attribute]) -> tuple[Polynomial, ...]:
    """The extents of a parameter whose memory a launch makes itself; none if it takes an argument."""
    # tuples become lists, as in an artefact
    found = json.loads(json.dumps(attributes.get("made", ())))
    return tuple(polynomial_from_json(entries(extent, "made")) for extent in found)


def is_made(root: Value) -> bool:
    """Whether a memref is memory that launches make, which is of no use to anybody behind the kernel."""
    kernel = root.block.parent_op if isinstance(root, BlockArgument) else None
    return isinstance(kernel, Kernel) and isinstance(root, BlockArgument) and "made" in kernel.attributes_of(root)


def divisors(value: Attribute) -> tuple[int, ...]:
    """What `shape_gcd`, `stride_gcd` or `dimensions` says mode by mode; nothing if the attribute is absent."""
    return cast("tuple[int, ...]", value) if isinstance(value, tuple) else ()
