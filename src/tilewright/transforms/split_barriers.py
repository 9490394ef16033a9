"""split-barriers: an SPMD body with barriers becomes several SPMD regions, for machines that run subgroups in turn.

before:  team.spmd { a   team.barrier   for %i .. { b(%i)   team.barrier   c } }
after:   team.spmd { a }   team.barrier
         for %i .. { team.spmd { b(%i) }   team.barrier   team.spmd { c } }

Loops and ifs around barriers are uniform, so they move to the collective level; bounds and conditions that only
work-items know are read from work-item 0. Values that cross are computed again or kept in local memory (`crossing`).
Work-groups of one subgroup run in lock step and stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct, field

from tilewright.dialects import scf, team
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Block, BlockArgument, Operation, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import MemrefType, TileType
from tilewright.transforms.assign_stack import assign_stack
from tilewright.transforms.crossing import Crossing, Slot, TeamIds, has_barrier, is_inside, is_split
from tilewright.transforms.emit import open_loop


class SplitBarriers(Pass, frozen=True):
    """Cut `team.spmd` at barriers and lay out the stack anew."""

    name: ClassVar[str] = "split-barriers"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            found = [op for op in kernel.walk() if isinstance(op, team.Spmd) and has_barrier(op)]
            if not found or _subgroups(kernel) == 1:
                continue
            for op in found:
                _split(op, kernel)
            assign_stack(kernel)
            changed = True
        return changed


def _subgroups(kernel: Kernel) -> int:
    assert kernel.work_group_size is not None, "infer-work-group must run first"
    assert kernel.subgroup_size is not None, "infer-work-group must run first"
    m, n = kernel.work_group_size
    return m * n // kernel.subgroup_size


def _split(op: team.Spmd, kernel: Kernel) -> None:
    assert kernel.work_group_size is not None
    assert kernel.subgroup_size is not None
    m, n = kernel.work_group_size
    crossing = Crossing.of(op)
    build = Builder.before_op(op)
    slots: dict[Value, Slot] = {}
    for value in crossing.slots:
        slots[value] = Slot.allocate(build, value, m * n, _subgroups(kernel))
    _share_slots(op, slots)
    splitter = _Splitter(op, crossing, slots, kernel.subgroup_size)
    splitter.block(op.body.entry, build, ())
    op.erase()


def _share_slots(spmd: team.Spmd, slots: dict[Value, Slot]) -> None:
    """A split loop's carried value is one variable, inside and afterwards."""
    for op in spmd.walk():
        if isinstance(op, scf.For) and is_split(op):
            for argument, out in zip(op.carried, op.results, strict=True):
                slots[out] = slots[argument]


class _Segment(Struct):
    """An SPMD region under construction and what stands for the old values in it."""

    build: Builder
    ids: TeamIds
    mapping: dict[Value, Value] = field(default_factory=dict[Value, Value])


Kept = Sequence[tuple[Value, Slot]]


class _Splitter(Struct):
    spmd: team.Spmd
    crossing: Crossing
    slots: dict[Value, Slot]
    subgroup_size: int
    uniform: dict[Value, Value] = field(default_factory=dict[Value, Value])

    def block(self, block: Block, build: Builder, kept: Kept) -> None:
        """Emit the segments of a block; `kept` are values to store at its end."""
        run: list[Operation] = []
        for op in block:
            if isinstance(op, team.Barrier):
                self._segment(run, build, ())
                build(team.Barrier(op.fence_global, True, location=op.location))
                run = []
            elif is_split(op):
                self._segment(run, build, self._initial(op))
                self._control(op, build)
                run = []
            elif not isinstance(op, scf.Yield):
                run.append(op)
        self._segment(run, build, kept)

    def _initial(self, op: Operation) -> Kept:
        """Initial values of a split loop, stored in front of it."""
        if not isinstance(op, scf.For):
            return ()
        return [(init, self.slots[arg]) for init, arg in zip(op.inits, op.carried, strict=True)]

    def _segment(self, run: list[Operation], build: Builder, kept: Kept) -> None:
        """One SPMD region with copies of the operations of a run."""
        if not run and not kept:
            return
        region, block = new_region()
        location = (run[0] if run else self.spmd).location
        build(team.Spmd(region, location=location))
        segment = _Segment(Builder.at_end(block, location), TeamIds(self.subgroup_size))
        for op in run:
            self._copy(op, segment)
        values = [self._value(value, segment) for value, _ in kept]
        for value, (_, slot) in zip(values, kept, strict=True):
            slot.store(segment.build, value, segment.ids)

    def _copy(self, op: Operation, segment: _Segment) -> None:
        for inner in op.walk():
            for value in inner.operands:
                if not _within(value, op):
                    segment.mapping[value] = self._value(value, segment)
        copy = segment.build(op.clone(segment.mapping))
        for old, new in zip(op.results, copy.results, strict=True):
            slot = self.slots.get(old)
            if slot is not None:
                slot.store(segment.build, new, segment.ids)

    def _value(self, value: Value, segment: _Segment) -> Value:
        """What stands for an old value in a segment."""
        found = segment.mapping.get(value) or self.uniform.get(value)
        if found is not None:
            return found
        if not is_inside(value, self.spmd):
            return value
        slot = self.slots.get(value)
        if slot is not None:
            found = slot.load(segment.build, segment.ids)
        else:
            assert self.crossing.is_recomputed(value)
            found = self._again(value, segment)
        segment.mapping[value] = found
        return found

    def _again(self, value: Value, segment: _Segment) -> Value:
        op = value.defining_op
        assert op is not None
        for operand in op.operands:
            segment.mapping[operand] = self._value(operand, segment)
        segment.build(op.clone(segment.mapping))
        return segment.mapping[value]

    def _control(self, op: Operation, build: Builder) -> None:
        """A loop or if around a barrier, at the collective level."""
        if isinstance(op, scf.If):
            self._if(op, build)
            return
        assert isinstance(op, scf.For)
        step = None if op.step is None else self._collective(op.step, build)
        build.location = op.location
        loop = open_loop(build, self._collective(op.lower, build), self._collective(op.upper, build), step)
        self.uniform[op.index] = loop.index
        self.block(op.body.entry, loop.body, self._yields(op, [self.slots[a] for a in op.carried]))

    def _if(self, op: scf.If, build: Builder) -> None:
        condition = self._collective(op.condition, build)
        slots = [self.slots[r] for r in op.results]
        regions = [new_region() for _ in op.regions]
        build(scf.If(condition, regions[0][0], regions[1][0] if len(regions) > 1 else None, location=op.location))
        for old, (_, block) in zip(op.regions, regions, strict=True):
            last = old.entry.last
            kept = list(zip(last.operands, slots, strict=True)) if isinstance(last, scf.Yield) else ()
            self.block(old.entry, Builder.at_end(block, op.location), kept)

    @staticmethod
    def _yields(op: scf.For, slots: list[Slot]) -> Kept:
        last = op.body.entry.last
        return list(zip(last.operands, slots, strict=True)) if isinstance(last, scf.Yield) else ()

    def _collective(self, value: Value, build: Builder) -> Value:
        """A uniform value of the body for use outside of it."""
        found = self.uniform.get(value)
        if found is not None:
            return found
        if not is_inside(value, self.spmd):
            return value
        assert not isinstance(value.type, MemrefType | TileType)
        if value not in self.slots:
            mapping: dict[Value, Value] = {}
            if self._only_uniform(value):
                return self._rebuilt(value, build, mapping)
            return self._read_first(self._late_slot(value, build), build)
        return self._read_first(self.slots[value], build)

    def _late_slot(self, value: Value, build: Builder) -> Slot:
        """Store a value that varies by its form only, computed again in a region of its own."""
        slot = Slot.allocate(build, value, self._work_items(), 1)
        self._segment([], build, [(value, slot)])
        return slot

    def _work_items(self) -> int:
        kernel = next(op for op in self.spmd.ancestors() if isinstance(op, Kernel))
        assert kernel.work_group_size is not None
        return kernel.work_group_size[0] * kernel.work_group_size[1]

    def _only_uniform(self, value: Value) -> bool:
        """Whether a value is computed from outer values alone."""
        if value in self.uniform or not is_inside(value, self.spmd):
            return True
        op = value.defining_op
        if op is None or value in self.slots or op.name.startswith("team.subgroup"):
            return False
        return self.crossing.is_recomputed(value) and all(self._only_uniform(v) for v in op.operands)

    def _rebuilt(self, value: Value, build: Builder, mapping: dict[Value, Value]) -> Value:
        if value in self.uniform:
            return self.uniform[value]
        op = value.defining_op
        if op is None or not is_inside(value, self.spmd):
            return value
        if value not in mapping:
            for operand in op.operands:
                mapping[operand] = self._rebuilt(operand, build, mapping)
            build(op.clone(mapping))
        return mapping[value]

    @staticmethod
    def _read_first(slot: Slot, build: Builder) -> Value:
        build(team.Barrier(fence_local=True))
        return slot.load_at(build, build.index(0))


def _within(value: Value, op: Operation) -> bool:
    """Whether a value is defined in the regions of `op`."""
    if isinstance(value, BlockArgument):
        home = value.block.parent_op
        return home is not None and op.is_ancestor_of(home)
    home = value.defining_op
    return home is not None and home is not op and op.is_ancestor_of(home)
