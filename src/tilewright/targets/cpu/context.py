"""The state of lowering one kernel: builder, values, lanes and mask."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, Protocol

from msgspec import Struct, field

from tilewright.dialects.builtin import Kernel
from tilewright.ir import core
from tilewright.ir.types import MemrefType, TileType
from tilewright.targets.cpu.lowered import Group, Lowered, Operand, Scalar, Tile, View
from tilewright.targets.cpu.workspace import Workspace
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Block, Builder, Complex, Module, Value, boolean, i64
from tilewright.targets.llvm.lowered import lowered_as

MAX_INSTRUCTIONS: Final = 200_000
"""Instructions that are emitted for a program at most."""
LONGEST_BLOCK: Final = 1024
"""Instructions of a basic block behind which the code of further operations goes into the next."""


class CodeTooLong(Exception):
    """The code grew beyond what it may be; `op` is the operation with which it did."""

    def __init__(self, op: core.Operation) -> None:
        super().__init__(op.name)
        self.op = op


class NoLowering(Exception):
    """The target has no code for the operation `op`."""

    def __init__(self, op: core.Operation) -> None:
        super().__init__(op.name)
        self.op = op


class TileCarrier(Protocol):
    """How a loop carries one tile: as LLVM values (registers, or pointers to buffers) that become phis."""

    def enter(self, ctx: KernelContext, tile: Tile) -> list[Value]:
        """Values that hold the initial tile in front of the loop."""
        ...

    def inside(self, parts: Sequence[Value]) -> Tile:
        """The tile that these values hold."""
        ...

    def leave(self, ctx: KernelContext, tile: Tile, parts: Sequence[Value]) -> list[Value]:
        """Values of the next iteration for the yielded tile; `parts` are those of this iteration."""
        ...


class TileLowering(Protocol):
    """The part of the target that computes tiles."""

    def lower(self, ctx: KernelContext, op: core.Operation) -> None:
        """Lower a `tile` operation, or an elementwise one on tiles, and bind its results in `ctx`."""
        ...

    def carrier(self, ctx: KernelContext, value: core.Value) -> TileCarrier:
        """How loops and branches carry a tile that is this block argument or result."""
        ...

    def outline(self, ctx: KernelContext, op: core.Operation) -> bool:
        """Lower an operation as a function of its own, where that is better; False to leave it to the others."""
        ...

    def prefetch(self, ctx: KernelContext, loop: core.Operation) -> None:
        """At the end of a loop's body, prefetch what later iterations read."""
        ...

    def parallel_loop(self, ctx: KernelContext, op: core.Operation) -> bool:
        """Lower a `parallel` loop so that several threads may run it; False to leave it to the ordinary lowering."""
        ...


OpLowering = Callable[["KernelContext", core.Operation], None]


class KernelContext(Struct):
    """Everything that lowering an operation may need.

    `lanes` is 1 in collective regions and the subgroup size in SPMD ones; `mask` is the vector of active lanes, or
    None if all are. `varying` holds the IR values that differ by work-item. `scratch` is the work-group's local
    memory, `workspace` the scratch memory of the running thread, laid out by `layout`; `team` is null where no
    other thread may help. The module may grow to `most_instructions`; then lowering ends with `CodeTooLong`.
    `in_part`: the code goes into a function beside the kernel's own; `past_caches`: its stores may go past the
    caches. `sites` are the numbers of what reports to the host; at `leave` the work-group has ended, in kernels
    with checks. `reaches` are the bytes that pointer parameters may access, where the kernel asks for them.
    `schedule` tells of each product what it runs on.
    """

    kernel: Kernel
    module: Module
    b: Builder
    arith: Arithmetic
    tiles: TileLowering
    table: Mapping[type[core.Operation], OpLowering]
    subgroup_size: int
    work_group_size: tuple[int, int]
    num_groups: tuple[Value, Value, Value]
    scratch: Value
    workspace: Value
    layout: Workspace
    team: Value
    group_id: tuple[Value, Value, Value]
    most_instructions: int
    values: dict[core.Value, Lowered] = field(default_factory=dict[core.Value, Lowered])
    varying: frozenset[core.Value] = frozenset()
    in_part: bool = False
    past_caches: bool = True
    lanes: int = 1
    mask: Value | None = None
    subgroup: Value = field(default_factory=lambda: i64(0))
    sites: Mapping[core.Operation, int] = field(default_factory=dict[core.Operation, int])
    leave: Block | None = None
    reaches: dict[core.Value, Scalar] = field(default_factory=dict[core.Value, Scalar])
    schedule: dict[core.Operation, str] = field(default_factory=dict[core.Operation, str])

    # Values

    def scalar(self, value: core.Value) -> Scalar:
        """The lowered scalar."""
        return lowered_as(self.values, value, Scalar)

    def index(self, number: int | core.Value) -> Scalar:
        """An index that is known or not."""
        return Scalar(i64(number)) if isinstance(number, int) else self.scalar(number)

    def view(self, value: core.Value) -> View:
        """The lowered memref."""
        return lowered_as(self.values, value, View)

    def group(self, value: core.Value) -> Group:
        """The lowered group."""
        return lowered_as(self.values, value, Group)

    def bind(self, value: core.Value, lowered: Lowered) -> None:
        """Remember what an IR value became."""
        self.values[value] = lowered

    # Lanes

    def widen(self, scalar: Scalar) -> Operand:
        """The operand with one lane a work-item."""
        if scalar.varying or self.lanes == 1:
            return scalar.operand
        return self.arith.splat(scalar.operand, self.lanes)

    def wide(self, scalar: Scalar) -> Value:
        """As `widen`, for numbers that are not complex."""
        operand = self.widen(scalar)
        assert isinstance(operand, Value)
        return operand

    def lane_mask(self) -> Value:
        """The active lanes as a vector (in a subgroup of one work-item, as a scalar)."""
        if self.mask is not None:
            return self.mask
        return self.arith_constant_mask()

    def arith_constant_mask(self) -> Value:
        """All lanes active."""
        true = boolean(True)
        return true if self.lanes == 1 else self.b.splat(true, self.lanes)

    def any_active(self, mask: Value) -> Value:
        """Whether any lane of a mask is set."""
        return mask if self.lanes == 1 else self.b.reduce("or", mask)

    def uniform_value(self, scalar: Scalar) -> Operand:
        """A dynamically uniform operand as an LLVM scalar: the value of the first active lane."""
        if not scalar.varying or self.lanes == 1:
            return scalar.operand
        if scalar.linear is not None and scalar.linear.stride == 0:
            return scalar.linear.base
        lane = self.first_active()
        if isinstance(scalar.operand, Complex):
            return Complex(self.b.extract(scalar.operand.re, lane), self.b.extract(scalar.operand.im, lane))
        return self.b.extract(scalar.operand, lane)

    def first_active(self) -> Value:
        """Number of the first active lane; 0 if all are."""
        if self.mask is None:
            return i64(0)
        bits = self.b.bitcast(self.mask, f"i{self.lanes}")
        wide = self.b.zext(bits, "i64") if self.lanes < 64 else bits
        return self.b.intrinsic("llvm.cttz", "i64", [wide, boolean(False)], overload=["i64"])

    @contextmanager
    def masked(self, mask: Value | None) -> Generator[None]:
        """Emit under another mask."""
        before, self.mask = self.mask, mask
        yield
        self.mask = before

    # Operations

    def lower_block(self, block: core.Block) -> None:
        """Lower the operations of a block in order."""
        for op in block:
            self.lower(op)

    def lower(self, op: core.Operation) -> None:
        """Lower one operation."""
        self.b.cut(LONGEST_BLOCK)
        if self.tiles.outline(self, op):
            return
        on_tiles = any(isinstance(v.type, TileType) for v in (*op.operands, *op.results))
        dialect = op.definition.dialect
        if dialect == "tile" or (on_tiles and dialect != "scf"):
            self.tiles.lower(self, op)
        else:
            self.table[type(op)](self, op)
        if self.module.length > self.most_instructions or self.module.emitted > MAX_INSTRUCTIONS:
            raise CodeTooLong(op)


def static_or(extent: int | None, scalar: Scalar) -> Scalar:
    """A constant where the type knows the number, else the run-time value."""
    return scalar if extent is None else Scalar(i64(extent))


def view_of(type_: MemrefType, pointer: Scalar, sizes: Sequence[Scalar], strides: Sequence[Scalar]) -> View:
    """A view of a whole memref, with constants where its type knows extents and strides."""
    return View(
        type_,
        pointer,
        Scalar(i64(0)),
        tuple(static_or(s, v) for s, v in zip(type_.shape, sizes, strict=True)),
        tuple(static_or(s, v) for s, v in zip(type_.strides, strides, strict=True)),
        pointer,
    )
