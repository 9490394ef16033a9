"""Which kernels the lane level can run by now; what keeps the others from it, in words."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.diagnostics import Report
from tilewright.dialects import arith, memref, scf, statics, team, tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.reports import Check, Claim
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import AccessesAddresses, Elementwise, MovesElements
from tilewright.ir.layouts import Owner
from tilewright.ir.schedules import Way, parse_line
from tilewright.ir.types import TileType
from tilewright.transforms.schedule.joins import is_shift
from tilewright.transforms.schedule.spreading import Teams

_ON_TILES = (
    Elementwise,
    MovesElements,
    arith.Constant,
    tile.Load,
    tile.Store,
    tile.AtomicLoad,
    tile.AtomicStore,
    tile.AtomicRmw,
    tile.Splat,
    tile.Iota,
    tile.Reinterpret,
    tile.Item,
    tile.Reduce,
    tile.Scan,
    ReduceBy,
    ScanBy,
    tile.Mma,
    AccessesAddresses,
    scf.For,
    scf.If,
    scf.While,
    scf.Yield,
)
_ON_SCALARS = (
    memref.Load,
    memref.Store,
    memref.AtomicLoad,
    memref.AtomicStore,
    memref.AtomicRmw,
    memref.Alloca,
    memref.LifetimeStop,
    statics.Reserve,
    tile.Prefetch,
    team.AwaitPublished,
    team.Barrier,
    team.Publish,
    team.Spmd,
    Claim,
    Check,
    scf.For,
    scf.If,
    scf.While,
)

_MOVES = (tile.Broadcast, tile.Cat, tile.Extract, tile.Permute, tile.Reshape)


def runs_lanes(kernel: Kernel) -> bool:
    """Whether a kernel takes the way over layouts and lanes."""
    return kernel.schedule is not None and parse_line(kernel.schedule).way is Way.LANES


def teams_of(kernel: Kernel) -> Teams:
    """The threads of a block."""
    assert kernel.work_group_size is not None
    assert kernel.subgroup_size is not None
    m, n = kernel.work_group_size
    return Teams(kernel.subgroup_size, m * n // kernel.subgroup_size)


def has_tile(op: Operation) -> bool:
    """Whether an operation takes or gives tiles."""
    return any(isinstance(value.type, TileType) for value in (*op.operands, *op.results))


def collective(op: Operation) -> Iterator[Operation]:
    """The operations inside one that the work-group runs together: nothing of what each work-item runs for itself."""
    # along the links: each operation would pass through as many generators as there are regions around it
    next_ones = _first_ones_backwards(op)
    while next_ones:
        inner = next_ones.pop()
        if inner.next is not None:
            next_ones.append(inner.next)
        yield inner
        if inner.regions and not isinstance(inner, team.Spmd):
            next_ones += _first_ones_backwards(inner)


def _first_ones_backwards(op: Operation) -> list[Operation]:
    blocks = (block for region in reversed(op.regions) for block in reversed(region.blocks))
    return [block.first for block in blocks if block.first is not None]


def tiles_of(kernel: Kernel) -> list[Value]:
    """The tiles of a kernel that no work-item or subgroup has for itself."""
    found: list[Value] = []
    for op in collective(kernel):
        found += [result for result in op.results if isinstance(result.type, TileType)]
        if op.regions:
            found += [argument for argument in _arguments(op) if isinstance(argument.type, TileType)]
    return found


def check_layouts(kernel: Kernel, report: Report) -> None:
    """That tiles are held by the threads that there are: who writes layouts by hand may have others in mind."""
    teams = teams_of(kernel)
    for value in tiles_of(kernel):
        assert isinstance(value.type, TileType)
        layout, place = value.type.layout, value.defining_op or kernel
        if layout is None:
            report.error(place.definition.code, place.location, f"{value.type} has no layout yet").hint(
                "assign-layouts gives all tiles of a kernel one"
            )
            continue
        lanes, warps, blocks = (layout.count(owner) for owner in (Owner.LANE, Owner.WARP, Owner.BLOCK))
        if (lanes, warps, blocks) != (teams.lanes, teams.warps, 1):
            report.error(
                place.definition.code,
                place.location,
                f"{layout} is held by {lanes} lanes of {warps} warps of {blocks} blocks, but kernel {kernel.sym_name} "
                f"has {teams.lanes} lanes of {teams.warps} warps",
            ).hint("who holds the same elements as others is a digit of copies, `lane (4)`")


def obstacle(kernel: Kernel) -> str | None:
    """Why a kernel cannot be lowered to lanes; None if nothing is in the way."""
    ops = (op for op in collective(kernel) if not is_known(op) or is_any_move(op))
    return next((op.name for op in ops), None)


def is_any_move(op: Operation) -> bool:
    """Whether elements go to where layouts do not follow them, by an operation that has no rule of its own."""
    return isinstance(op, MovesElements) and not (isinstance(op, _MOVES) or is_shift(op))


def is_known(op: Operation) -> bool:
    """Whether the lane level knows an operation that a work-group runs together, once its tiles fit in registers."""
    if isinstance(op, tile.Map | scf.Yield):
        return True
    if isinstance(op, Elementwise) and op.definition.dialect not in ("arith", "math"):
        return False
    return isinstance(op, _ON_TILES) if has_tile(op) else isinstance(op, _ON_SCALARS) or PURE in op.definition.traits


def _arguments(op: Operation) -> list[Value]:
    return [argument for region in op.regions for block in region.blocks for argument in block.arguments]


def blocks_within(op: Operation) -> Iterator[Block]:
    """The blocks of an operation's regions, and of all that is nested in them."""
    for region in op.regions:
        for block in region.blocks:
            yield block
            for inner in block:
                yield from blocks_within(inner)
