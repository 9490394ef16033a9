"""assign-layouts: the tiles of kernels that go to the lane level say which thread holds which element.

before:  %v = tile.load .. -> tile<1024xf32>
after:   %v = tile.load .. -> tile<1024xf32, #layout<reg (4, 0, 1) (2, 0, 512); lane (32, 0, 4); warp (4, 0, 128)>>

Tiles that meet in one operation element by element have one layout; the largest choose theirs by how they lie in
memory, and what is reduced, broadcast or reshaped follows. Where that leads to two layouts for one tile, or an access
would touch twice the sectors that it needs, `gpu.convert_layout` goes from one to the other. A kernel in which parts of
a tile are needed elsewhere goes on as before, and its schedule says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import arith, gpu, gpu_products, gpu_sums, scf, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.gpu_stores import StoreTile
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import AccessesAddresses, Elementwise, MovesElements
from tilewright.ir.layouts import Layout, LayoutError
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace, MemrefType, TileType
from tilewright.transforms.schedule.accesses import neighbours_along, traffic
from tilewright.transforms.schedule.conversions import gathered
from tilewright.transforms.schedule.joins import is_shift
from tilewright.transforms.schedule.known import collective, has_tile, runs_lanes, teams_of, tiles_of
from tilewright.transforms.schedule.moves import registers_of_move
from tilewright.transforms.schedule.products.shared_factors import layout_of_parts, plan_of, plan_of_parts
from tilewright.transforms.schedule.ragged import reshaped
from tilewright.transforms.schedule.same_bits import divides, of_parts, of_wholes, parts
from tilewright.transforms.schedule.spreading import Wishes, spread_layout
from tilewright.transforms.schedule.wishes import VECTOR_BYTES, wishes_of
from tilewright.transforms.tile_values import layout_of, tile_type

_IN_PLACE: Final = (
    *(Elementwise, AccessesAddresses, tile.Scan, ScanBy, tile.Map, tile.AtomicRmw),
    gpu_products.AwaitMma,
    gpu_sums.SumLanes,
    gpu.Spill,
)
"""What has all its tiles in one layout."""
_KNOWN_BY_ALL: Final = (tile.Iota, tile.Splat, arith.Constant)
"""Tiles that no thread has to ask others for."""


class AssignLayouts(Pass, frozen=True):
    """Give every tile a layout."""

    name: ClassVar[str] = "assign-layouts"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            if runs_lanes(kernel):
                _separate(kernel)
                _Assignment(kernel).assign()
                changed = True
        return changed


class _Link(Struct, frozen=True, eq=False):
    """How the layout of one tile follows from that of another; None where it does not."""

    source: Value
    target: Value
    follow: Callable[[Layout], Layout]


class _Assignment:
    """The layouts of one kernel: classes of tiles that share one, and links between these."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._teams = teams_of(kernel)
        self._tiles = tiles_of(kernel)
        self._parents: dict[Value, Value] = {}
        self._layouts: dict[Value, Layout] = {}
        self._anchored: frozenset[Value] = frozenset()

    def assign(self) -> None:
        """Set the types of all tiles."""
        ops = [op for op in collective(self._kernel) if has_tile(op)]
        for op in ops:
            for group in _alike(op):
                for value in group[1:]:
                    self._parents[self._class(value)] = self._class(group[0])
        links: dict[Value, list[_Link]] = {}
        for op in ops:
            for link in _links(op):
                links.setdefault(self._class(link.source), []).append(link)
        wishes = wishes_of(ops)
        for op in ops:
            if isinstance(op, gpu_products.Mma):
                plan = plan_of(op)
                self._follow(self._class(op.out), plan.layout, links)
                if op.held is not None:
                    self._follow(self._class(op.held), plan.held_layout, links)
            elif isinstance(op, gpu_products.MmaParts):
                self._follow(self._class(op.out), plan_of_parts(op).layout, links)
            elif isinstance(op, gpu_products.ReadParts):
                self._follow(self._class(op.out), layout_of_parts(op), links)
        self._anchored = frozenset(self._layouts)
        for value in sorted(self._tiles, key=lambda v: -tile_type(v).size):
            home = self._class(value)
            if home not in self._layouts:
                wish = wishes.get(tile_type(value).shape, Wishes())
                self._follow(home, spread_layout(tile_type(value).shape, self._teams, wish), links)
        for value in self._tiles:
            value.type = replace(tile_type(value), layout=self._of(value))
        for op in ops:
            self._convert(op, wishes)

    def _class(self, value: Value) -> Value:
        home = value
        while (parent := self._parents.get(home, home)) is not home:
            home = parent
        if home is not value:
            # the next look-up finds it at once
            self._parents[value] = home
        return home

    def _of(self, value: Value) -> Layout:
        return self._layouts[self._class(value)]

    def _follow(self, home: Value, layout: Layout, links: dict[Value, list[_Link]]) -> None:
        """Give a class its layout, and what follows from it to classes that have none."""
        waiting = [(home, layout)]
        while waiting:
            found, layout = waiting.pop()
            if found in self._layouts:
                continue
            self._layouts[found] = layout
            for link in links.get(found, ()):
                try:
                    waiting.append((self._class(link.target), link.follow(layout)))
                except LayoutError:
                    # another layout is chosen for it, and whether both fit is asked at the end
                    continue

    def _convert(self, op: Operation, wishes: dict[tuple[int, ...], Wishes]) -> None:
        """Convert around an operation that cannot be done, or would be slow, with its tiles where they are."""
        if _breaks(op, layout_of):
            link = next(_wanted(op))
            try:
                layout = link.follow(layout_of(link.source))
            except LayoutError:
                # a reshape goes through memory when it is lowered
                return
            if link.target in op.results:
                for value in op.results:
                    _convert_result(op, value, layout)
            else:
                _convert_operand(op, link.target, layout)
        elif isinstance(op, gpu_products.Mma):
            _convert_product(op)
        elif isinstance(op, tile.Load | tile.Store):
            value = op.out if isinstance(op, tile.Load) else op.value
            best = self._best(op, value, wishes)
            if best is None:
                return
            if isinstance(op, tile.Load):
                _convert_result(op, value, best)
            else:
                _convert_operand(op, value, best)

    def _best(self, op: tile.Load | tile.Store, value: Value, wishes: dict[tuple[int, ...], Wishes]) -> Layout | None:
        """The layout with which an access touches half of the sectors at most that it touches now."""
        assert isinstance(op.memref.type, MemrefType)
        along = neighbours_along(op.memref.type)
        if along is None:
            return None
        if self._class(value) in self._anchored:
            return self._gathered(op, value, along)
        shape = tile_type(value).shape
        wish = wishes[shape]
        own = wish if along == wish.along else replace(wish, along=along, across=wish.along)
        best = spread_layout(shape, self._teams, own)
        now, then = (traffic(layout, shape, op.memref.type) for layout in (layout_of(value), best))
        return best if 2 * then <= now else None

    def _gathered(self, op: tile.Load | tile.Store, value: Value, along: int) -> Layout | None:
        """Accumulators are stored from where they are, for memory for another layout is dear; but lanes beside each
        other may exchange registers, where sectors would only be half used. What is loaded beside accumulators is where
        they are, and shared memory has no sectors: shuffles in a loop that keeps products there slowed attention by a
        fifth."""
        loaded = (other.defining_op for other in self._tiles if self._class(other) == self._class(value))
        assert isinstance(op.memref.type, MemrefType)
        if op.memref.type.space is AddressSpace.LOCAL:
            return None
        if isinstance(op, tile.Load) or any(isinstance(other, tile.Load) for other in loaded) or _has_no_map(op):
            return None
        type_, layout = tile_type(value), layout_of(value)
        now = traffic(layout, type_.shape, op.memref.type)
        for bytes_ in (VECTOR_BYTES, VECTOR_BYTES // 2):
            found = gathered(layout, along, bytes_ // type_.element.bytes)
            if found is not None and 2 * traffic(found, type_.shape, op.memref.type) <= now:
                return found
        return None


def _has_no_map(store: tile.Store) -> bool:
    """Whether a store is made only where rows are no multiples of 16 bytes: where the machine cannot make it."""
    branch = store.parent_op
    return isinstance(branch, scf.If) and any(isinstance(op, StoreTile) for op in branch.then.entry)


def _separate(kernel: Kernel) -> None:
    """Give each user its own tile of what every thread knows by itself, so that one layout need not suit all."""
    for op in list(collective(kernel)):
        if isinstance(op, _KNOWN_BY_ALL) and isinstance(op.results[0].type, TileType):
            for user in list(dict.fromkeys(op.results[0].uses))[1:]:
                user.replace_operand(op.results[0], Builder.before_op(op)(op.clone({})).results[0])


def _breaks(op: Operation, layout_of: Callable[[Value], Layout]) -> bool:
    """Whether an operation cannot be done with its tiles where they are."""
    match op:
        case tile.Reduce() | ReduceBy():
            return layout_of(op.operands[0]).reduce_dim(op.dim) != layout_of(op.results[0])
        case tile.Reinterpret():
            whole, part = (op.tile, op.out) if divides(op) else (op.out, op.tile)
            return of_parts(layout_of(whole), parts(op)) != layout_of(part)
        case MovesElements() if not is_shift(op):
            return registers_of_move(op, layout_of) is None
        case _:
            return False


def _alike(op: Operation) -> Iterator[list[Value]]:
    """Groups of tiles that share a layout because an operation goes from one to the other element by element."""
    groups: list[list[Value]] = []
    if isinstance(op, scf.For | scf.While):
        groups = [list(row) for row in zip(op.inits, op.carried, op.outs, strict=True)]
        values = scf.yielded(op.body)[isinstance(op, scf.While) :]
        groups += [list(row) for row in zip(op.outs, values, strict=True)]
    elif isinstance(op, scf.If):
        groups = [list(row) for region in op.regions for row in zip(op.outs, scf.yielded(region), strict=False)]
    elif isinstance(op, ReduceBy):
        groups = [list(op.tiles), list(op.outs)]
    elif isinstance(op, tile.Mma | gpu_products.Mma | gpu_products.MmaParts):
        groups = [[op.acc, op.out]]
    elif isinstance(op, _IN_PLACE):
        groups = [[*op.operands, *op.results]]
    for group in groups:
        tiles = [value for value in group if isinstance(value.type, TileType)]
        if tiles:
            yield tiles


def _wanted(op: Operation) -> Iterator[_Link]:
    """Links by which a conversion makes an operation possible: of its operand, or of the result where that follows."""
    forward = isinstance(op, tile.Reduce | ReduceBy) or (isinstance(op, tile.Reinterpret) and divides(op))
    return (link for link in _links(op) if link.source is (op.operands[0] if forward else op.results[0]))


def _convert_operand(op: Operation, value: Value, layout: Layout) -> None:
    """Let an operation have the tile in this layout."""
    found = Builder.before_op(op)(gpu.ConvertLayout(value, result_types=[replace(tile_type(value), layout=layout)]))
    op.replace_operand(value, found.out)


def _convert_result(op: Operation, value: Value, layout: Layout) -> None:
    """Let an operation give a tile in this layout, and others have it as they did."""
    wanted, block = tile_type(value), op.block
    assert block is not None
    value.type = replace(wanted, layout=layout)
    behind = Builder(block, op.next, op.location)
    found = gpu.ConvertLayout(value, result_types=[wanted])
    value.replace_all_uses_with(found.out)
    found.set_operand(0, value)
    behind(found)


def _convert_product(op: gpu_products.Mma) -> None:
    """Let a product have its accumulators where its instruction wants them, where they meet those of another one."""
    plan = plan_of(op)
    if op.held is not None and layout_of(op.held) != plan.held_layout:
        _convert_operand(op, op.held, plan.held_layout)
    layout, found = plan.layout, layout_of(op.out)
    if layout == found:
        return
    _convert_operand(op, op.acc, layout)
    awaited = [user for user in op.out.uses if isinstance(user, gpu_products.AwaitMma)]
    for user in awaited:
        # accumulators that are converted have to be there
        user.pending = 0
    for last in awaited or [op]:
        _convert_result(last, last.results[0], layout)
    op.out.type = replace(tile_type(op.out), layout=layout)


def _links(op: Operation) -> Iterator[_Link]:
    """Both ways where a layout follows."""
    match op:
        case tile.Reduce() | ReduceBy() | gpu_sums.SumOwn():
            yield _Link(op.operands[0], op.results[0], lambda layout: layout.reduce_dim(op.dim))
        case tile.Broadcast():
            source, target = tile_type(op.tile).shape, tile_type(op.out).shape
            stretched = [k for k, (n, m) in enumerate(zip(source, target, strict=True)) if n != m]
            yield _Link(op.out, op.tile, lambda layout: _collapsed(layout, stretched))
        case tile.Reshape():
            shapes = tile_type(op.tile).shape, tile_type(op.out).shape
            yield _Link(op.tile, op.out, lambda layout: reshaped(layout, *shapes))
            yield _Link(op.out, op.tile, lambda layout: reshaped(layout, *reversed(shapes)))
        case tile.Permute():
            inverse = [op.order.index(k) for k in range(len(op.order))]
            yield _Link(op.tile, op.out, lambda layout: layout.permute(op.order))
            yield _Link(op.out, op.tile, lambda layout: layout.permute(inverse))
        case tile.Reinterpret():
            whole, part = (op.tile, op.out) if divides(op) else (op.out, op.tile)
            yield _Link(whole, part, lambda layout: of_parts(layout, parts(op)))
            yield _Link(part, whole, lambda layout: of_wholes(layout, parts(op)))
        case tile.Extract():
            yield _Link(op.tile, op.out, lambda layout: _narrowed(layout, op.tile, op.out))
        case tile.Cat():
            for part in op.tiles:
                yield _Link(op.out, part, lambda layout, part=part: _narrowed(layout, op.out, part))
        case _:
            return


def _narrowed(layout: Layout, whole: Value, part: Value) -> Layout:
    """The layout of a part of a tile; along what it has all of, as it was."""
    extents = zip(tile_type(whole).shape, tile_type(part).shape, layout.shape, strict=True)
    return layout.narrow(tuple(box if have == kept else kept for have, kept, box in extents))


def _collapsed(layout: Layout, dims: list[int]) -> Layout:
    for dim in dims:
        layout = layout.collapse(dim)
    return layout
