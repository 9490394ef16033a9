"""Which values of an SPMD body live across its barriers, and how they travel: computed anew, or through local memory.

The body is numbered in segments: runs of operations without a barrier among or in them. A value that another segment
uses is computed there again if that is cheap and pure, else it gets a slot: an array in local memory with one element
for each work-item, or one tile for each subgroup.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from tilewright.dialects import memref, scf, team, tile
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Block, BlockArgument, Operation, Value
from tilewright.ir.definition import CONVERGENT, PURE
from tilewright.ir.types import BOOL, I8, INDEX, AddressSpace, MemrefType, ScalarType, TileType
from tilewright.ir.types import memref as memref_of
from tilewright.transforms import emit

_CHEAP = 8


def has_barrier(op: Operation) -> bool:
    """Whether a barrier stands in the regions of `op`."""
    return any(isinstance(inner, team.Barrier) for inner in op.walk())


def is_split(op: Operation) -> bool:
    """Whether `op` is control flow that has to be taken apart."""
    return isinstance(op, scf.For | scf.If) and has_barrier(op)


class Crossing(Struct):
    """Segments of an SPMD body and the values that need a slot."""

    spmd: team.Spmd
    segment: dict[Operation, int] = field(default_factory=dict[Operation, int])
    slots: dict[Value, None] = field(default_factory=dict[Value, None])
    _last: int = 0

    @classmethod
    def of(cls, spmd: team.Spmd) -> Crossing:
        """Analyse a body."""
        found = cls(spmd)
        found._number(spmd.body.entry)
        for op in _walk(spmd.body.entry):
            found._need_operands(op)
        return found

    def _number(self, block: Block) -> None:
        for op in block:
            if isinstance(op, team.Barrier):
                self._last += 1
            elif is_split(op):
                for region in op.regions:
                    self._last += 1
                    self._number(region.entry)
                self._last += 1
            else:
                for inner in op.walk():
                    self.segment[inner] = self._last

    def _need_operands(self, op: Operation) -> None:
        if is_split(op):
            # Bounds, conditions and initial values are wanted between segments.
            for value in op.operands:
                self._need(value, -1)
            self.slots.update(dict.fromkeys(op.carried if isinstance(op, scf.For) else op.results))
        elif op in self.segment:
            for value in op.operands:
                self._need(value, self.segment[op])

    def _need(self, value: Value, user: int) -> None:
        """A segment uses a value."""
        op = value.defining_op
        if op is None or op not in self.segment or self.segment[op] == user:
            return
        if self.is_recomputed(value):
            for operand in op.operands:
                self._need(operand, user)
        else:
            self.slots[value] = None

    def is_recomputed(self, value: Value) -> bool:
        """Whether other segments compute the value again: views always, scalars if cheap."""
        op = value.defining_op
        if op is None or PURE not in op.definition.traits or CONVERGENT in op.definition.traits or op.regions:
            return False
        if isinstance(value.type, MemrefType):
            return True
        return isinstance(value.type, ScalarType) and self._cost(value, _CHEAP) <= _CHEAP

    def _cost(self, value: Value, limit: int) -> int:
        op = value.defining_op
        if op is None or op not in self.segment:
            return 0
        if limit <= 0 or PURE not in op.definition.traits or CONVERGENT in op.definition.traits or op.regions:
            return _CHEAP + 1
        return 1 + sum(self._cost(v, limit - 1) for v in op.operands)


def _walk(block: Block) -> Iterator[Operation]:
    for op in block:
        yield from op.walk()


class Slot(Struct, frozen=True):
    """Local memory of a crossing value."""

    memory: Value
    type: ScalarType | TileType

    @classmethod
    def allocate(cls, build: Builder, value: Value, work_items: int, subgroups: int) -> Slot:
        """A slot for a scalar of each work-item or a tile of each subgroup."""
        type_ = value.type
        if isinstance(type_, TileType):
            memory = memref_of(type_.element, (*type_.shape, subgroups), space=AddressSpace.LOCAL)
        else:
            assert isinstance(type_, ScalarType)
            element = I8 if type_ is BOOL else type_
            memory = memref_of(element, (work_items,), space=AddressSpace.LOCAL)
        return cls(build(memref.Alloca(result_types=[memory])).out, type_)

    def store(self, build: Builder, value: Value, ids: TeamIds) -> None:
        """Keep a value."""
        if isinstance(self.type, TileType):
            build(tile.Store(value, self._own_tile(build, ids), self._zeros(build)))
            return
        if self.type is BOOL:
            value = emit.select(build, value, build.constant(1, I8), build.constant(0, I8))
        build(memref.Store(value, self.memory, [ids.work_item(build)]))

    def load(self, build: Builder, ids: TeamIds) -> Value:
        """The value kept for this work-item or subgroup."""
        if isinstance(self.type, TileType):
            own = self._own_tile(build, ids)
            return build(tile.Load(own, self._zeros(build), result_types=[self.type])).out
        return self.load_at(build, ids.work_item(build))

    def load_at(self, build: Builder, index: Value) -> Value:
        """The scalar that one work-item kept."""
        value = build(memref.Load(self.memory, [index])).out
        if self.type is BOOL:
            value = build(Cmp(Predicate.NE, value, build.constant(0, I8))).out
        return value

    def _zeros(self, build: Builder) -> list[Value]:
        assert isinstance(self.type, TileType)
        return [build.index(0) for _ in self.type.shape]

    def _own_tile(self, build: Builder, ids: TeamIds) -> Value:
        assert isinstance(self.type, TileType)
        shape = self.type.shape
        view = memref_of(self.type.element, shape, space=AddressSpace.LOCAL)
        offsets = (*([0] * len(shape)), None)
        sizes = (*shape, 0)
        return build(memref.Subview(self.memory, [ids.subgroup(build)], [], offsets, sizes, result_types=[view])).out


class TeamIds(Struct):
    """Numbers of the subgroup and the work-item in the work-group, computed once a segment."""

    subgroup_size: int
    _subgroup: Value | None = None
    _work_item: Value | None = None

    def subgroup(self, build: Builder) -> Value:
        """Linear number of the subgroup, in index."""
        if self._subgroup is None:
            self._subgroup = emit.cast(build, build(team.SubgroupLinearId()).out, INDEX)
        return self._subgroup

    def work_item(self, build: Builder) -> Value:
        """Linear number of the work-item, in index."""
        if self._work_item is None:
            first = emit.mul(build, self.subgroup(build), build.index(self.subgroup_size))
            local = emit.cast(build, build(team.SubgroupLocalId()).out, INDEX)
            self._work_item = emit.add(build, first, local)
        return self._work_item


def is_inside(value: Value, spmd: team.Spmd) -> bool:
    """Whether a value is defined in an SPMD body."""
    home = value.block.parent_op if isinstance(value, BlockArgument) else value.defining_op
    return home is not None and spmd.is_ancestor_of(home)
