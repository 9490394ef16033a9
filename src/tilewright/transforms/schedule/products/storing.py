"""Stores of accumulators that the machine makes by itself, from slabs of shared memory that warps fill.

before:  tile.store %accumulators, %C[%i, %j]
after:   gpu.store_tile %accumulators, %C[%i, %j], %slabs        (if a launch has a map of %C)        gpu.await_stores

A warp needs no other one for that: it has 16 rows of the accumulators of its group, fills a slab of them, and has it
stored while it fills the next one. So the machine writes whole lines, and accumulators of the next tile are formed
meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import gpu_stores as stores
from tilewright.dialects import scf, tile
from tilewright.dialects.arith import Constant
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.memref import GroupMemory
from tilewright.ir.core import Block, BlockArgument, Operation, OpResult, Value
from tilewright.ir.interfaces import Elementwise, MovesElements, root_of
from tilewright.ir.swizzles import SWIZZLED_LINES
from tilewright.ir.types import BF16, F16, F32, AddressSpace, MemrefType, ScalarType
from tilewright.transforms.aliasing import accesses, may_overlap
from tilewright.transforms.schedule.known import collective
from tilewright.transforms.schedule.products.factors import SLAB
from tilewright.transforms.schedule.products.matrices import Matrix, matrix_of, obstacle
from tilewright.transforms.schedule.products.plan import WARP, ProductPlan
from tilewright.transforms.schedule.products.sources import source_of
from tilewright.transforms.tile_values import tile_type

_SLABS_A_WARP: Final = 2
"""One is stored while the other one is filled."""
_ELEMENTS: Final = (F16, BF16, F32)
"""What devices have been seen to store so."""
_Sources: TypeAlias = set[tile.Mma | tile.Load | None]
"""What a tile is computed of; None for anything but accumulators of products and what is loaded."""


class Stored(Struct, frozen=True):
    """A store of accumulators whose neighbours in memory lie along mode `near`, and the memory of slabs for it, by so
    many work groups of a block (`sides`). They are `turned` where the rows of accumulators are neighbours."""

    store: tile.Store
    near: int
    slabs: MemrefType
    sides: int = 1
    turned: bool = False

    def with_one_slab(self, warps: int) -> Stored:
        """The same by warps that fill a slab again when it has been read, where memory is short."""
        make = turned_slabs_of if self.turned else slabs_of
        return replace(self, slabs=make(self.slabs.element, warps * self.sides, 1))

    @property
    def matrix(self) -> Matrix:
        """What is stored to."""
        found = matrix_of(self.store.memref, self.near)
        assert isinstance(found, Matrix), "choose-products has asked"
        return found

    def is_asked_with(self, factors: Sequence[Matrix], loop: scf.For) -> bool:
        """Whether one branch around a loop asks for the maps of factors and of this: where it is left to a launch only
        where they begin, which is rarely at no multiple of 16 bytes.

        Behind such a branch nothing lies between the last store and the end: what a cold cache has to load once more is
        late there (H100, f16 1024: 10.6 us where no branch is, 11.0 with two).
        """
        numbers = (
            number for matrix in (*factors, self.matrix) for number in (*matrix.all_extents, *matrix.all_strides)
        )
        are_known = all(isinstance(number, int) for number in numbers)
        return loop.is_ancestor_of(self.store) and are_known and not all(matrix.is_aligned for matrix in factors)

    def place(self, slabs: Value, tests: Callable[[Builder, Sequence[Matrix]], Value | None]) -> None:
        """Let the machine store where a launch has a map of the matrix, as `tests` tell."""
        store, modes = self.store, (self.near, 1 - self.near)
        build = Builder.before_op(store)
        has_map = tests(build, [self.matrix])
        by_machine = stores.StoreTile(
            store.value, store.memref, list(store.indices), slabs, modes, self.sides, self.turned
        )
        if has_map is None:
            build(by_machine)
            store.erase()
            return
        (then, first), (orelse, second) = new_region(), new_region()
        build(scf.If(has_map, then, orelse))
        Builder.at_end(first, store.location)(by_machine)
        store.detach()
        Builder.at_end(second, store.location)(store)


def await_stores(block: Block) -> None:
    """Nobody leaves a block of the program while the machine reads slabs."""
    assert block.parent_op is not None
    end = block.last if isinstance(block.last, scf.Yield) else None
    Builder(block, end, block.parent_op.location)(stores.AwaitStores(0))


def slabs_of(element: ScalarType, warps: int, each: int = _SLABS_A_WARP, line: int = SLAB) -> MemrefType:
    """Memory of slabs of all warps, so many for each, with such lines."""
    width, rows = line // element.bytes, stores.ROWS
    size, stages = width * rows, warps * each
    return MemrefType(
        element, (width, rows, 1, stages), (1, width, size, size), AddressSpace.LOCAL, SWIZZLED_LINES[line]
    )


def turned_slabs_of(element: ScalarType, warps: int, each: int = _SLABS_A_WARP) -> MemrefType:
    """Memory of as much, of lines of what stands in the rows of a warp."""
    width, lines = stores.ROWS, SLAB // element.bytes
    line, size, stages = width * element.bytes, width * lines, warps * each
    return MemrefType(
        element, (width, lines, 1, stages), (1, width, size, size), AddressSpace.LOCAL, SWIZZLED_LINES[line]
    )


def stored_by_machine(
    kernel: Kernel, plans: Mapping[tile.Mma, ProductPlan], threads: int, *, any_accumulators: bool, sides: int = 1
) -> Stored | str:
    """The store of a kernel that the machine can make, or why it cannot.

    Only if they may be `any_accumulators`, these may meet rows or columns of numbers that are computed, as those of
    attention do, and what else the kernel accesses may be in the same memory where the program orders neither; of
    several stores it is that of each iteration of a loop then.
    """
    behind = {
        op: _sources_behind(op.value, any_accumulators) for op in collective(kernel) if isinstance(op, tile.Store)
    }
    store = _one_store(behind, any_accumulators)
    if isinstance(store, str):
        return store
    products = [each for each in behind[store] if isinstance(each, tile.Mma)]
    if None in behind[store] or not products:
        return "what is stored is computed of more than accumulators of products and what is loaded"
    plan = _one_plan(products, plans)
    if isinstance(plan, str):
        return plan
    element, near = tile_type(store.value).element, int(not plan.swapped)
    own = plan.columns.outer // plan.columns.warps
    line = next(
        (line for line in stores.LINES if own * element.bytes >= line and (any_accumulators or line == SLAB)), None
    )
    if element not in _ELEMENTS or line is None:
        return f"warps have {own} {element} of a row"
    reason = obstacle(store.memref, near)
    turned = reason is not None and line == SLAB and obstacle(store.memref, 1 - near) is None
    if reason is not None and not turned:
        return reason
    in_order = not (any_accumulators and store.unordered)
    if in_order and any(_orders(op) for op in store.ancestors()):
        # a store that was issued earlier may be written later
        return "a loop stores tiles in an order, which the machine does not keep"
    # what threads read of the matrix itself the machine may not yet write
    matrix = root_of(store.memref)
    others = (op for op in behind[store] if isinstance(op, tile.Load) and root_of(op.memref) is not matrix)
    loads = {*(load for product in products for load in _factor_loads(product)), *others}
    loads |= _done_before(kernel, store) if any_accumulators else set()
    if any(_meets(op, store) for op in kernel.walk() if op is not store and op not in loads):
        return "what is stored is accessed elsewhere too"
    # the slab of an iteration before has been read when there is this one's
    each = 1 if any_accumulators and _is_repeated(store) and own * element.bytes == line else _SLABS_A_WARP
    warps = sides * threads // WARP
    if turned:
        return Stored(store, 1 - near, turned_slabs_of(element, warps, each), sides, turned)
    return Stored(store, near, slabs_of(element, warps, each, line), sides)


def _one_store(behind: Mapping[tile.Store, _Sources], any_accumulators: bool) -> tile.Store | str:
    """The store of accumulators, of several that of each iteration; or how many there are."""
    of_accumulators = tile.Mma if any_accumulators else tile.Mma | None
    found = [
        op
        for op, sources in behind.items()
        if any(isinstance(each, of_accumulators) for each in sources) and not _is_own(op)
    ]
    repeated = [op for op in found if any_accumulators and _is_repeated(op)]
    if len(found) != 1 and len(repeated) != 1:
        return f"{len(found)} stores of accumulators"
    (store,) = found if len(found) == 1 else repeated
    return store


def _is_repeated(store: tile.Store) -> bool:
    """Whether each iteration of a loop stores, one after the other."""
    return store.parent_op is not None and _orders(store.parent_op)


def _one_plan(products: Sequence[tile.Mma], plans: Mapping[tile.Mma, ProductPlan]) -> ProductPlan | str:
    """The plan of products whose accumulators groups of warps have all in one way, or why there is none."""
    plan = plans.get(products[0])
    if plan is None or not plan.instruction.reads_memory:
        return "accumulators are not those of groups of warps"
    if any(other not in plans or plans[other].layout != plan.layout for other in products):
        return "what is stored is computed of accumulators that threads have in several ways"
    return "rows of a warp do not follow each other" if plan.instruction.turned else plan


def _orders(op: Operation) -> bool:
    """Whether what is done in an operation has an order."""
    return isinstance(op, scf.While) or (isinstance(op, scf.For) and not op.parallel)


def _done_before(kernel: Kernel, store: tile.Store) -> set[Operation]:
    """What need not see what is stored: accesses in front of it that no loop repeats behind it, and those that nothing
    orders."""
    loops = [op for op in store.ancestors() if isinstance(op, scf.For | scf.While)]
    found: set[Operation] = set()
    is_behind = False
    for op in kernel.walk():
        is_behind |= op is store
        is_repeated = any(loop.is_ancestor_of(op) for loop in loops)
        if (isinstance(op, tile.Load | tile.Store) and op.unordered) or not (is_behind or is_repeated):
            found.add(op)
    return found


def _sources_behind(value: Value, any_rows: bool) -> _Sources:
    """The products of whose accumulators a tile is computed, element by element, and loads of what meets them, which
    may be moved; None for anything else, but for what is moved if it may be any.

    Each value is looked at once, or once more where it is moved: ways to it may be twice as many with each operation.
    """
    found: _Sources = set()
    work = [(value, False)]
    seen = set(work)
    while work:
        value, moved = work.pop()
        op = value.defining_op
        behind: list[tuple[Value, bool]] = []
        match op:
            case tile.Mma() if not moved:
                found.add(op)
            case tile.Load():
                found.add(op)
            case scf.For() | scf.If() if isinstance(value, OpResult) and not moved:
                behind = [(scf.yielded(region)[op.outs.index(value)], False) for region in op.regions]
            case tile.Splat() | Constant():
                pass
            case Elementwise() | MovesElements():
                behind = [(operand, moved or isinstance(op, MovesElements)) for operand in op.operands]
            case _ if (isinstance(value, BlockArgument) or op is not None) and not (any_rows and moved):
                found.add(None)
            case _:
                pass
        work += [each for each in behind if each not in seen]
        seen.update(behind)
    return found


def _factor_loads(product: tile.Mma) -> frozenset[Operation]:
    """The loads of factors, which come before the store, or belong to tiles in any order, as those behind it do."""
    sources = (source_of(value, None) for value in (product.lhs, product.rhs))
    return frozenset(source.load for source in sources if source is not None)


def _is_own(store: tile.Store) -> bool:
    """Whether a store is to memory of the work-group's, from which threads load what others have."""
    origin = root_of(store.memref)
    return isinstance(origin.defining_op, GroupMemory)


def _meets(op: Operation, store: tile.Store) -> bool:
    """Whether an operation may access what a store writes."""
    return not op.regions and any(may_overlap(a, b) for a in accesses(op) for b in accesses(store))
