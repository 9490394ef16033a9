"""The state of lowering one kernel to the code of one thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from msgspec import Struct, field

from tilewright.artifacts.tensor_maps import TensorMap
from tilewright.dialects.builtin import Kernel
from tilewright.ir import core
from tilewright.ir.definition import PURE
from tilewright.ir.types import TileType
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Complex, Module, Value, constant, i32, i64
from tilewright.targets.llvm.lowered import lowered_as
from tilewright.targets.nvidia.arena import Arena, Place
from tilewright.targets.nvidia.subgroup_products import SubgroupProducts
from tilewright.targets.nvidia.values import SHARED, Group, Lowered, Operand, View

OpT = TypeVar("OpT", bound=core.Operation)


class OpLowering(Protocol):
    """Lowers one kind of operation and binds its results."""

    def __call__(self, ctx: KernelContext, op: core.Operation, /) -> None: ...


class Records(Struct, frozen=True):
    """Where the records of a launch go: address and number of words, and the numbers of what reports."""

    address: Value
    words: Value
    sites: Mapping[core.Operation, int]


class KernelContext(Struct):
    """Everything that lowering an operation may need.

    `thread` is the number of the thread in its work-group, `lane` that in its subgroup, `subgroup` the number of the
    subgroup; `warp_lane` and `warp` are the same of the machine's warps, each of which may be several subgroups.
    `groups` is how many work-groups there are along x where blocks run several of them, along all
    modes where they take any, `parts` how many blocks share one where they do, `memory` what a work-group keeps between
    launches. `reports` says where records for the host go.
    `ended` is a word of shared memory that is not 0 when a work-item has ended early, `told` one for the addresses of
    records. `reaches` are the bytes that pointer parameters may access, where the kernel asks for them. `products` says
    which products of subgroups matrix instructions compute.
    """

    kernel: Kernel
    module: Module
    b: Builder
    arith: Arithmetic
    arena: Arena
    table: Mapping[type[core.Operation], OpLowering]
    subgroup_size: int
    work_group_size: tuple[int, int]
    shared: Value
    scratch: Value | None
    groups: Sequence[Value]
    thread: Value
    lane: Value
    subgroup: Value
    warp_lane: Value
    warp: Value
    products: SubgroupProducts = field(default_factory=SubgroupProducts)
    values: dict[core.Value, Lowered] = field(default_factory=dict[core.Value, Lowered])
    in_role: bool = False
    reports: Records | None = None
    parts: Value | None = None
    memory: Value | None = None
    ended: Value | None = None
    told: Value | None = None
    maps: Mapping[TensorMap, Value] = field(default_factory=dict[TensorMap, Value])
    has_maps: bool | None = None
    reaches: dict[core.Value, Value] = field(default_factory=dict[core.Value, Value])

    @property
    def records(self) -> Records:
        """Where reports go, of a kernel that has some."""
        assert self.reports is not None, "launches of kernels that report give memory for that"
        return self.reports

    @property
    def threads(self) -> int:
        """Threads of the work-group."""
        return self.work_group_size[0] * self.work_group_size[1]

    # Values

    def operand(self, value: core.Value) -> Operand:
        """The lowered number."""
        found = self.values[value]
        assert isinstance(found, Value | Complex)
        return found

    def scalar(self, value: core.Value) -> Value:
        """The lowered number or bool, which is not complex."""
        return lowered_as(self.values, value, Value)

    def index(self, number: int | core.Value) -> Value:
        """An index that is known or not."""
        return i64(number) if isinstance(number, int) else self.scalar(number)

    def view(self, value: core.Value) -> View:
        """The lowered memref."""
        return lowered_as(self.values, value, View)

    def group(self, value: core.Value) -> Group:
        """The lowered group."""
        return lowered_as(self.values, value, Group)

    def bind(self, value: core.Value, lowered: Lowered) -> None:
        """Remember what an IR value became."""
        self.values[value] = lowered

    # Memory and threads

    def shared_pointer(self, offset: int) -> Value:
        """Address of a byte of the work-group's shared memory."""
        pointer = self.b.offset(self.shared, offset)
        assert pointer.type == SHARED
        return pointer

    def pointer_to(self, place: Place) -> Value:
        """Address of a place of the work-group's memory."""
        if not place.in_scratch:
            return self.shared_pointer(place.offset)
        assert self.scratch is not None, "places in scratch memory are given to kernels that have some"
        return self.b.offset(self.scratch, place.offset)

    def barrier(self) -> None:
        """All threads of the work-group arrive, and see each other's writes.

        The form without `.aligned`: subgroups narrower than a warp may arrive on different paths. Where a work-item has
        ended early, the others do so here. Those of another role are not of the work-group.
        """
        if self.in_role:
            self.b.intrinsic_void("llvm.nvvm.barrier.cta.sync.count", [i32(0), i32(self.threads)])
        else:
            self.b.intrinsic_void("llvm.nvvm.barrier.cta.sync.all", [i32(0)])
        if self.ended is not None:
            ended = self.b.atomic_load("i32", self.ended, "monotonic", 4, "block")
            with self.b.if_then(self.b.icmp("ne", ended, i32(0)), likely=False):
                self.end_thread()

    def end_thread(self) -> None:
        """The thread runs no further; nobody waits for it. A branch to the end of the code would wait for its warp."""
        self.b.inline_asm("void", "exit;", "", [], side_effect=True)
        self.b.unreachable()

    def not_unrolled(self) -> str:
        """Metadata of a loop that ptxas must leave as it is: unrolling element loops costs it many seconds."""
        return self.module.loop_metadata('!{!"llvm.loop.unroll.disable"}')

    def is_elected(self) -> Value:
        """True in the one thread that acts for the work-group."""
        return self.b.icmp("eq", self.thread, i64(0))

    def flag(self, truth: bool) -> Value:
        """A bool constant."""
        return constant("i1", truth)

    # Operations

    def lower_block(self, block: core.Block) -> None:
        """Lower the operations of a block in order."""
        for op in block:
            self.lower(op)

    def lower(self, op: core.Operation) -> None:
        """Lower one operation, unless nobody would notice: LLVM takes its time for what it drops, too."""
        if PURE in op.definition.traits and op.results and not any(result.uses for result in op.results):
            return
        self.table[type(op)](self, op)


def is_tile(value: core.Value) -> bool:
    """Whether the value is a tile."""
    return isinstance(value.type, TileType)
