"""The lane level: what one thread does. A kernel on it is one `team.spmd` region.

A *fragment* is the registers of one thread that hold its elements of a tile: one value, on which `arith`, `math` and
`scf` work as on tiles. Which register holds which element is settled before; what remains are static positions. Who a
thread is it learns from `team`; scalars and memory are those of `arith` and `memref`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from tilewright.diagnostics import Report
from tilewright.dialects.tile_rules import fail
from tilewright.ir.definition import (
    CONVERGENT,
    PURE,
    SPMD_ONLY,
    Operation,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    result,
)
from tilewright.ir.effects import Effect, EffectKind, reads, writes
from tilewright.ir.types import BOOL, BOOLEAN, FRAGMENT, INDEX_ONLY, MEMREF, SCALAR, FragmentType, MemrefType, Type

Steps = tuple[tuple[int, int, int], ...]
"""Digits of a register's number, fastest first: so many values, along which mode, how far apart."""


def fragment_of(value: Value) -> FragmentType:
    """The fragment type of an operand or result whose constraint holds."""
    assert isinstance(value.type, FragmentType)
    return value.type


def offsets(steps: Steps, order: int) -> Iterator[tuple[int, ...]]:
    """Where the element of each register lies, from that of the first on."""
    for register in range(prod(extent for extent, _, _ in steps)):
        found = [0] * order
        for extent, mode, stride in steps:
            found[mode] += register % extent * stride
            register //= extent
        yield tuple(found)


class Load(Operation, name="lane.load", traits=(SPMD_ONLY,)):
    """Register r is `memref[i0 + r0, i1 + r1, ..]`, where (r0, r1, ..) follow from the digits of r: `registers`.

    `check[k]` tests `0 <= i_k + r_k < extent_k`; registers whose element is outside are zero. Each `width` registers in
    a row are one access: they lie behind each other, aligned to their bytes, and all inside or all outside.
    """

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    registers: Steps = attribute(tuple)
    check: tuple[bool, ...] = optional_attribute(tuple, default=())
    width: int = optional_attribute(int, default=1)
    out: Value = result(FRAGMENT)

    def effects(self) -> Sequence[Effect]:
        return reads(self.operands[0])

    def verify(self, report: Report) -> None:
        _access(self, report, self.out)


class Store(Operation, name="lane.store", traits=(SPMD_ONLY,)):
    """Writes register r to `memref[i0 + r0, ..]`, as `lane.load` reads it; nothing where that is outside."""

    value: Value = operand(FRAGMENT)
    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    registers: Steps = attribute(tuple)
    check: tuple[bool, ...] = optional_attribute(tuple, default=())
    width: int = optional_attribute(int, default=1)

    def effects(self) -> Sequence[Effect]:
        return writes(self.operands[1])

    def verify(self, report: Report) -> None:
        _access(self, report, self.value)


class Synchronize(Operation, name="lane.synchronize", traits=(SPMD_ONLY, CONVERGENT)):
    """The work-items of the subgroup arrive, and see what each other wrote to local and global memory."""

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class Elect(Operation, name="lane.elect", traits=(SPMD_ONLY, CONVERGENT)):
    """Whether this is the work-item that acts for its subgroup, the first one. All of a subgroup ask.

    What it does on that condition ptxas knows to be done once: requests of the machine, whose operands lie in registers
    that a warp has in common, are a loop over its threads on any other.
    """

    out: Value = result(infer=lambda op: BOOL)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class All(Operation, name="lane.all", traits=(PURE, SPMD_ONLY, CONVERGENT)):
    """Whether all work-items of the subgroup say so. All of them are asked."""

    condition: Value = operand(BOOLEAN)
    out: Value = result(infer=lambda op: BOOL)


class Aligned(Operation, name="lane.aligned", traits=(PURE,)):
    """Whether the address of an element is a multiple of `bytes`."""

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    bytes: int = attribute(int)
    out: Value = result(infer=lambda op: BOOL)

    def verify(self, report: Report) -> None:
        _indexed(self, report, self.memref, self.indices)


class Row(Operation, name="lane.row", traits=(PURE,)):
    """The elements that lie behind each other in memory, whatever the modes, from `memref[i0, i1, ..]` on."""

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    out: Value = result(MEMREF)

    def verify(self, report: Report) -> None:
        _indexed(self, report, self.memref, self.indices)
        source, row = self.memref.type, self.out.type
        assert isinstance(source, MemrefType)
        assert isinstance(row, MemrefType)
        if row.strides != (1,) or row.element is not source.element or row.space is not source.space:
            fail(self, report, f"{row} is no row of {source}")


class Fill(Operation, name="lane.fill", traits=(PURE,)):
    """Every register holds the scalar."""

    value: Value = operand(SCALAR)
    out: Value = result(FRAGMENT)

    def verify(self, report: Report) -> None:
        if self.value.type is not fragment_of(self.out).element:
            fail(self, report, f"registers of {fragment_of(self.out).element} filled with {self.value.type}")


class Numbers(Operation, name="lane.numbers", traits=(PURE,)):
    """Register r holds the integer `values[r]`."""

    values: tuple[int, ...] = attribute(tuple)
    out: Value = result(FRAGMENT)

    def verify(self, report: Report) -> None:
        type_ = fragment_of(self.out)
        if not type_.element.is_integer or type_.size != len(self.values):
            fail(self, report, f"{len(self.values)} integers for {type_}")


def _picked(op: Operation) -> Type:
    registers, type_ = op.attributes["registers"], op.operands[0].type
    assert isinstance(registers, tuple)
    assert isinstance(type_, FragmentType)
    return FragmentType(len(registers), type_.element)


class Pick(Operation, name="lane.pick", traits=(PURE,)):
    """Register r is register `registers[r]` of the operands, which are numbered one behind the other."""

    fragments: list[Value] = operands(FRAGMENT)
    registers: tuple[int, ...] = attribute(tuple)
    out: Value = result(FRAGMENT, infer=_picked)

    def verify(self, report: Report) -> None:
        types = [fragment_of(value) for value in self.fragments]
        if not types or any(type_.element is not types[0].element for type_ in types):
            fail(self, report, "needs fragments of one element type")
            return
        count = sum(type_.size for type_ in types)
        if any(not 0 <= register < count for register in self.registers):
            fail(self, report, f"there are {count} registers", "registers")
        if self.out.type != _picked(self):
            fail(self, report, f"the result is {_picked(self)}")


def _register(op: Operation) -> Type:
    type_ = op.operands[0].type
    assert isinstance(type_, FragmentType)
    return type_.element


class Item(Operation, name="lane.item", traits=(PURE,)):
    """What register `register` holds."""

    fragment: Value = operand(FRAGMENT)
    register: int = attribute(int)
    out: Value = result(SCALAR, infer=_register)

    def verify(self, report: Report) -> None:
        if not 0 <= self.register < fragment_of(self.fragment).size:
            fail(self, report, f"{self.fragment.type} has no register {self.register}", "register")


class Flip(Operation, name="lane.flip", traits=(PURE, SPMD_ONLY, CONVERGENT)):
    """The registers of the lane whose number differs from this one's in the bits of `lanes`."""

    fragment: Value = operand(FRAGMENT, var="T")
    lanes: int = attribute(int)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        if self.lanes < 1:
            fail(self, report, "flips no bit of a lane's number", "lanes")


class Behind(Operation, name="lane.behind", traits=(SPMD_ONLY, CONVERGENT)):
    """The registers of a fragment, of which nothing is computed before what stands in front has been begun.

    All of a subgroup go on together. Assemblers move arithmetic up to where its operands are known else.
    """

    fragment: Value = operand(FRAGMENT, var="T")
    out: Value = result(var="T")

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


def _indexed(op: Operation, report: Report, memref: Value, indices: Sequence[Value]) -> int:
    assert isinstance(memref.type, MemrefType)
    order = memref.type.order
    if len(indices) != order:
        fail(op, report, f"{len(indices)} indices for a memref of order {order}", "mnemonic")
    return order


def _access(op: Load | Store, report: Report, value: Value) -> None:
    """Digits that give each register a place."""
    type_ = fragment_of(value)
    assert isinstance(op.memref.type, MemrefType)
    if type_.element is not op.memref.type.element:
        fail(op, report, f"registers hold {type_.element}, the memref {op.memref.type.element}")
    if prod(extent for extent, _, _ in op.registers) != type_.size:
        fail(op, report, f"digits of {type_.size} registers are needed", "registers")
    else:
        _placed(op, report, op.memref)


def _placed(op: Load | Store, report: Report, memref: Value) -> None:
    """Digits in modes that there are; accesses of neighbours."""
    order = _indexed(op, report, memref, op.indices)
    if len(op.check) not in (0, order):
        fail(op, report, f"check has {len(op.check)} flags for a memref of order {order}", "check")
    elif any(not 0 <= mode < order for _, mode, _ in op.registers):
        fail(op, report, f"the memref has {order} modes", "registers")
    elif op.width != 1 and not _neighbours(op, memref):
        fail(op, report, f"{op.width} registers in a row do not lie behind each other", "width")


def _neighbours(op: Load | Store, memref: Value) -> bool:
    if op.width < 1 or not op.registers:
        return False
    extent, mode, stride = op.registers[0]
    assert isinstance(memref.type, MemrefType)
    return extent % op.width == 0 and stride == 1 and memref.type.strides[mode] in (1, None)
