"""gather-groups: blocks go on from one work-group of a grid to the next, as they do over the tiles of one work-group.

before:  %x = team.group_id {dim = 0}    %y = team.group_id {dim = 1}    X
after:   %p = team.part    %n = team.num_parts    %gx, %gy, %gz = team.num_groups
         scf.for %t = %p to %gx * %gy * %gz step %n parallel { %x = .. %t ..    %y = .. %t ..    X }     (`gathered`)

Work-groups run in any order, so that a block may do the work of several; their numbers go by bands along x (`order`),
so that those at a time share factors. What comes of it is what loops over tiles have: the first factors of a work-group
are on their way while the one before stores, and two sides of a block take them by turns beside a producer warp where
the model wishes for that. It does so for loops over tiles that a program writes itself, too, which stay as they are.

Done where each work-group is one product of a loop, whose factors the machine copies: in front of it nothing is
written, behind it nothing told to others. Left alone are kernels that report, that have memory of their own, and those
of which the model or the caller (`persistent=no`) wants a block for each work-group. H200, Tile IR, f16, 2048, 4096,
8192, of cuBLAS's speed (`gpu/products.py`): tiles of 128x128x64 1.00 .98 .96, of 128x256x64 1.00 1.00 1.01. Smaller
tiles, of 64x128x64, were slower so on an H100 than with a block for each. Of the first, two that lie beside each other
are computed as one where that pays (`joined_groups.py`): 1.00 1.01 at 4096 and 8192.
"""

from __future__ import annotations

from collections.abc import Container
from itertools import dropwhile
from typing import ClassVar, Final

from msgspec.structs import astuple, replace

from tilewright.dialects import memref, scf, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.memref import Semantics
from tilewright.dialects.statics import Reserve
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import PURE, RECURSIVE_EFFECTS
from tilewright.ir.effects import EffectKind
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.schedules import Copies, Schedule, Way
from tilewright.ir.types import AddressSpace, MemrefType, TileType
from tilewright.transforms import emit
from tilewright.transforms.divide_tiles.grids import groups_of
from tilewright.transforms.generic_policies import GenericSchedulePolicy
from tilewright.transforms.policy import SchedulePolicy
from tilewright.transforms.schedule.choose_schedule import take_threads
from tilewright.transforms.schedule.joined_groups import dealt_tiles, join_groups, join_tiles
from tilewright.transforms.schedule.known import obstacle
from tilewright.transforms.schedule.products.choice import Products, block_of, choose_products, products_of
from tilewright.transforms.schedule.products.grids import panels_of
from tilewright.transforms.schedule.products.loops import is_reading
from tilewright.transforms.schedule.products.plan import Joining
from tilewright.transforms.schedule.products.sharing_runs import longest_run
from tilewright.transforms.schedule.request import ScheduleRequest
from tilewright.transforms.schedule.said import schedule_of
from tilewright.transforms.spread_collectives.phases import SAID_OF_THE_WHOLE, step_name
from tilewright.transforms.spread_collectives.tile_orders import TileOrder, divided
from tilewright.transforms.spread_collectives.wishes import SHARING, wish_for, with_wishes
from tilewright.transforms.tile_values import tile_type

_MODES: Final = 3
_OWN: Final = (memref.GroupMemory, Reserve)
"""What a work-group has for itself, without an effect that says so."""
_MEETING: Final = (team.Barrier, tile.Reduce, tile.Scan, ReduceBy, ScanBy)
"""For what threads wait for each other."""
_ACCESSES: Final = (EffectKind.READ, EffectKind.WRITE, EffectKind.UPDATE, EffectKind.HINT)


class GatherGroups(Pass, frozen=True):
    """Let blocks go on over grids where the model finds that it pays."""

    policy: SchedulePolicy = GenericSchedulePolicy()
    request: ScheduleRequest = ScheduleRequest()
    name: ClassVar[str] = "gather-groups"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = [self._gather(kernel) or self._of_own_loop(kernel) for kernel in module.kernels]
        return any(changed)

    def _of_own_loop(self, kernel: Kernel) -> bool:
        """The same of a kernel that deals tiles to blocks by a loop of its own."""
        joined = self._with_joined_tiles(kernel)
        if joined is not None:
            Builder.before_op(kernel)(joined)
            kernel.erase()
        return self._wish_for_own(joined or kernel) or joined is not None

    def _gather(self, kernel: Kernel) -> bool:
        """Replace a kernel by one whose blocks go on, if that is possible and wanted."""
        asked, loop = self._asked(kernel), _loop_of(kernel)
        if asked is None or loop is None:
            return False
        (product,) = products_of(kernel)
        band = None if panels_of(product) is None else asked.order or self.policy.band
        wishes = self._wishes(kernel, loop, band or 1)
        if wishes is None and not asked.persistent:
            return False
        found = _gathered(kernel, band)
        placed = self._placed(found, wishes or Schedule())
        if not placed.persistent:
            return False
        if wishes is not None and wishes.pingpong and not placed.pingpong:
            _wish(found, Schedule())
        joined = self._joined(kernel, found, band)
        Builder.before_op(kernel)(found)
        if joined is not None:
            Builder.before_op(kernel)(joined)
        kernel.erase()
        return True

    def _with_joined_tiles(self, kernel: Kernel) -> Kernel | None:
        """A copy of a kernel whose own loop deals tiles to blocks, of which two are one; None where that is not wanted
        or cannot be."""
        wanted, loop = self._joining(kernel), _tiles_loop_of(kernel)
        tiles = None if loop is None else dealt_tiles(kernel, loop)
        if wanted is None or tiles is None or not (self.request.of(kernel).joined or wanted.on(0).pays(tiles)):
            return None
        copy = kernel.clone()
        assert isinstance(copy, Kernel)
        copied = _tiles_loop_of(copy)
        assert copied is not None
        if not join_tiles(copy, copied, wanted.axis, wanted.count) or not self._multiplies_at_once(copy, wanted):
            return None
        copy.schedule = str(replace(schedule_of(copy), joined=True))
        return copy

    def _joined(self, kernel: Kernel, found: Kernel, band: int | None) -> Kernel | None:
        """A copy of a kernel whose blocks compute two work-groups beside each other at a time, for launches that it
        suits in place of the gathered one, `found`; None where that is not wanted or cannot be."""
        wanted, groups = self._joining(kernel), groups_of(kernel)
        if wanted is None or not _is_alone(kernel):
            return None
        if groups is not None and not (self.request.of(kernel).joined or wanted.on(0).pays(groups)):
            return None
        copy = kernel.clone()
        assert isinstance(copy, Kernel)
        mode = join_groups(copy, wanted.axis, wanted.count)
        if mode is None:
            return None
        joined = _gathered(copy, band, (mode, wanted.count))
        if not self._multiplies_at_once(joined, wanted):
            return None
        joined.sym_name, joined.step_of = step_name(kernel, 0), kernel.sym_name
        for attribute in SAID_OF_THE_WHOLE:
            joined.attributes.pop(attribute, None)
        joined.schedule = str(Schedule(joined=True, order=band))
        found.joined = astuple(wanted.on(mode))
        found.schedule = str(replace(schedule_of(found), joined=True))
        return joined

    def _joining(self, kernel: Kernel) -> Joining | None:
        """How work-groups of a kernel with one product are joined, if that is wanted."""
        asked, products = self.request.of(kernel), products_of(kernel)
        if self._asked(kernel) is None or len(products) != 1 or not (asked.joined or asked == Schedule()):
            return None
        block = block_of(kernel, self.policy)
        return None if block is None else block.joining(tile_type(products[0].out))

    def _multiplies_at_once(self, kernel: Kernel, wanted: Joining) -> bool:
        """Whether the product of a kernel that has got larger tiles goes on from one to the next as is wanted."""
        if kernel.spread:
            kernel.work_group_size = (self.policy.threads_of(kernel), 1)
        if block_of(kernel, self.policy) is None:
            return False
        placed = self._placed(kernel, Schedule())
        return placed.persistent and wanted.suits(placed.plans.values())

    def _wish_for_own(self, kernel: Kernel) -> bool:
        """Let sides take the tiles of a program's own loop by turns, if that is possible and wanted."""
        asked, tiles = self._asked(kernel), _tiles_loop_of(kernel)
        if asked is None or tiles is None:
            return False
        (product,) = products_of(kernel)
        loop = product.parent_op
        assert isinstance(loop, scf.For)
        shared = longest_run(product, tiles)
        wishes = None if shared is None else self._wishes(kernel, loop, shared)
        if wishes is None or not wishes.pingpong:
            return False
        placed = self._placed(kernel, replace(wishes, stores=Copies.TENSOR))
        if not placed.pingpong:
            _wish(kernel, Schedule())
            return False
        return True

    def _asked(self, kernel: Kernel) -> Schedule | None:
        """What is asked for a kernel, threads among that, unless it is another way, or the lane level takes it not."""
        asked = with_wishes(self.request.of(kernel), kernel)
        refused = asked.persistent is False or asked.way not in (None, Way.LANES)
        has_steps = kernel.stepped is not None and schedule_of(kernel).divide is None
        is_divided = kernel.parts is not None or kernel.step_of is not None or has_steps
        if refused or is_divided or not products_of(kernel) or obstacle(kernel) is not None:
            return None
        take_threads(kernel, asked, self.policy)
        return asked

    def _wishes(self, kernel: Kernel, loop: scf.For, shared: int) -> Schedule | None:
        """How blocks of so many threads, so many of which in a row have a factor in common, had better go on from one
        product of a loop to the next."""
        block, (product,) = block_of(kernel, self.policy), products_of(kernel)
        alone = _stores_alone(loop)
        return None if block is None else block.going_on(tile_type(product.out), shared, stores_alone=alone)

    def _placed(self, kernel: Kernel, wishes: Schedule) -> Products:
        """The product of a kernel that wishes for that."""
        _wish(kernel, wishes)
        asked = with_wishes(self.request.of(kernel), kernel)
        return choose_products(kernel, block_of(kernel, self.policy), asked)


def _tiles_loop_of(kernel: Kernel) -> scf.For | None:
    """The loop around that over the terms of the only product of a kernel."""
    products = products_of(kernel)
    loop = products[0].parent_op if len(products) == 1 else None
    tiles = None if loop is None else loop.parent_op
    return tiles if isinstance(loop, scf.For) and isinstance(tiles, scf.For) and not tiles.parallel else None


def _loop_of(kernel: Kernel) -> scf.For | None:
    """The loop over the terms of the only product of a kernel whose work-groups may follow each other in one block."""
    products = products_of(kernel)
    if len(products) != 1:
        return None
    loop, body = products[0].parent_op, list(kernel.body.entry)
    if not isinstance(loop, scf.For) or loop not in body:
        return None
    at = body.index(loop)
    operations = list(kernel.walk())
    has_own = any(isinstance(op, _OWN) for op in operations) or any(map(_is_local, kernel.parameters))
    if has_own or not any(isinstance(op, team.GroupId) for op in operations):
        return None
    # what is loaded ahead is loaded before anything that the same work-group does in front of its loop
    return loop if all(map(is_reading, body[:at])) and all(map(_is_apart, body[at:])) else None


def _is_alone(kernel: Kernel) -> bool:
    """Whether no other kernel takes the place of one, nor it that of another."""
    module = kernel.parent_op
    return kernel.apart_of is None and isinstance(module, Module) and module.apart_from(kernel) is None


def _is_local(parameter: Value) -> bool:
    return isinstance(parameter.type, MemrefType) and parameter.type.space is AddressSpace.LOCAL


def _is_apart(op: Operation) -> bool:
    """Whether an operation neither tells other work-groups something nor waits for them."""
    return all(_is_unordered(each) for each in op.walk())


def _is_unordered(op: Operation) -> bool:
    if isinstance(op, team.Barrier):
        return True
    effects = () if RECURSIVE_EFFECTS in op.definition.traits else op.effects()
    if isinstance(op, scf.While) or effects is None:
        return False
    ordered = getattr(op, "semantics", None) not in (None, Semantics.RELAXED)
    return not ordered and all(effect.kind in _ACCESSES for effect in effects)


def _stores_alone(loop: scf.For) -> bool:
    """Whether each thread does what there is behind a loop with what it holds of the accumulators, and waits for no
    other one: what is computed of accumulators is not moved, and nothing is summed up."""
    assert loop.block is not None
    formed = set[Value](loop.outs)
    for op in dropwhile(lambda op: op is not loop, loop.block):
        inside = [] if op is loop else list(op.walk())
        of_sums = any(value in formed for each in inside for value in each.operands)
        if any(isinstance(each, _MEETING) or (of_sums and isinstance(each, MovesElements)) for each in inside):
            return False
        formed.update(op.results if of_sums else ())
    return True


def _wish(kernel: Kernel, wishes: Schedule) -> None:
    """Let the product of a kernel say how it had better be run, or nothing of that."""
    (product,) = products_of(kernel)
    assert product.parent_op is not None
    product.parent_op.attributes.pop(SHARING, None)
    wish_for(product.parent_op.results[0], wishes)


def _gathered(kernel: Kernel, band: int | None, joined: tuple[int, int] = (0, 1)) -> Kernel:
    """A copy of a kernel whose blocks take their shares of the work-groups, by bands of so many along x. If some are
    `joined`, the mode of the grid says along which and how many, which divide its extent."""
    copy = kernel.clone()
    assert isinstance(copy, Kernel)
    entry = copy.body.entry
    body = list(entry)
    build = Builder.before_op(body[0])
    part, count = build(team.Part()).out, build(team.NumParts()).out
    extents = [build(team.NumGroups(dim)).out for dim in reversed(range(_MODES))]
    along = _MODES - 1 - joined[0]
    extents[along] = divided(build, extents[along], build.index(joined[1]))
    order = TileOrder.of(build, extents, band or 0)
    total = emit.mul(build, emit.mul(build, extents[0], extents[1]), extents[2])
    loop = emit.open_loop(Builder.at_end(entry, kernel.location), part, total, count, parallel=True)
    place = order.tile(loop.body, loop.index)
    ids = [op for top in body for op in top.walk() if isinstance(op, team.GroupId)]
    for op in ids:
        op.out.replace_all_uses_with(place[_MODES - 1 - op.dim])
    shared = set[Operation | None]()
    for op in body:
        if op in ids or not _is_shared(op, shared):
            op.detach()
            loop.body(op)
        else:
            shared.add(op)
    for op in ids:
        op.erase()
    copy.gathered, copy.most_blocks = True, 1
    if band is not None:
        copy.schedule = str(replace(schedule_of(copy), order=band))
    return copy


def _is_shared(op: Operation, shared: Container[Operation | None]) -> bool:
    """Whether an operation computes the same for all work-groups, of what others in front of their loop compute."""
    if PURE not in op.definition.traits or op.regions or any(isinstance(out.type, TileType) for out in op.results):
        return False
    return all(isinstance(value, BlockArgument) or value.defining_op in shared for value in op.operands)
