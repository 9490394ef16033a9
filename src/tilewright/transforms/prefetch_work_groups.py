"""prefetch-work-groups: each work-group prefetches the tiles that a later one will load.

before:  %g = team.group_id           %a = memref.group_load %A, %g      %t = tile.load %a, %0, %0
after:   %g = team.group_id           %l = min(%g + 4, team.num_groups - 1)
         %b = memref.group_load %A, %l                                   tile.prefetch %b, %0, %0
         %a = memref.group_load %A, %g                                   %t = tile.load %a, %0, %0

For targets that run neighbouring work-groups one after another on a thread. Caches follow one long stream themselves:
a kernel that loads from one batch in one piece is left alone (Zen 5: RMS norm of rows of 1024 took 1.25 times as long
with prefetches). They do not follow the pointers of a group, nor closely enough several streams at once, such as both
factors of a product (batches of 10,000 products from memory: 1.1 to 2.1 times as fast with prefetches). Where there are
few multiply-adds they need not: some 200 operations on vectors wait for their operands at once, and meanwhile the core
reads on. There prefetches only cost (Zen 5, f64 9x9x9: 6 % in the second cache, nothing gained from memory; but f32
16x15x15, with 225 vectors of them, takes 1.45 times as long from memory without). The place is computed as the later
work-group computes it, so nothing is evaluated that is not evaluated anyway.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import memref, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.definition import CONVERGENT, PURE
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace, MemrefType, TileType
from tilewright.transforms import emit


class PrefetchWorkGroups(Pass, frozen=True):
    """Prefetch what work-groups further along the first dimension of the grid load.

    The distance is such that about `ahead` bytes are on their way; work-groups that load more than `most` are left
    alone, since caches follow long streams by themselves, and so are batches with less than `busy` multiply-adds of
    vectors of `vector_bytes` each.
    """

    name: ClassVar[str] = "prefetch-work-groups"
    ahead: int = 6144
    most: int = 12288
    vector_bytes: int = 64
    busy: int = 220

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            loads = _loads(kernel, _multiplies(kernel, self.vector_bytes) >= self.busy)
            total = sum(_type(load).size * _type(load).element.bytes for load in loads)
            if 0 < total <= self.most:
                _prefetch(kernel.body.entry, loads, max(1, self.ahead // total))
                changed = True
        return changed


def _multiplies(kernel: Kernel, vector_bytes: int) -> int:
    """Multiply-adds of vectors, if no lane of any is left empty."""
    total = 0
    for op in kernel.body.entry:
        if isinstance(op, tile.Mma):
            acc, lhs = op.acc.type, op.lhs.type
            assert isinstance(acc, TileType)
            assert isinstance(lhs, TileType)
            total += -(-acc.size * acc.element.bytes // vector_bytes) * lhs.shape[1]
    return total


def _loads(kernel: Kernel, busy: bool) -> list[tile.Load]:
    """Loads that every work-group runs once, of places that follow from its number; none if caches follow those."""
    found: dict[tuple[Value, ...], tile.Load] = {}
    through_group = False
    for op in kernel.body.entry:
        if isinstance(op, tile.Load) and not any(op.check) and _in_global_memory(op):
            sources = _sources(op, kernel.body.entry)
            if sources is not None and any(isinstance(s, team.GroupId) and s.dim == 0 for s in sources):
                found.setdefault((op.memref, *op.indices), op)
                through_group = through_group or any(isinstance(s, memref.GroupLoad) for s in sources)
    return list(found.values()) if through_group or (busy and len(found) > 1) else []


def _in_global_memory(load: tile.Load) -> bool:
    type_ = load.memref.type
    return isinstance(type_, MemrefType) and type_.space is AddressSpace.GLOBAL


def _sources(load: tile.Load, block: Block) -> set[Operation] | None:
    """The operations that the place is computed by; None if some cannot be run again."""
    found: set[Operation] = set()
    waiting = [load.memref, *load.indices]
    while waiting:
        op = waiting.pop().defining_op
        if op is None or op in found:
            continue
        if op.block is not block or not _repeatable(op):
            return None
        found.add(op)
        waiting.extend(op.operands)
    return found


def _repeatable(op: Operation) -> bool:
    """Whether an operation may run again for another work-group: scalars and views without effects."""
    traits = op.definition.traits
    on_tiles = any(isinstance(v.type, TileType) for v in (*op.operands, *op.results))
    return PURE in traits and CONVERGENT not in traits and not on_tiles


def _prefetch(block: Block, loads: list[tile.Load], distance: int) -> None:
    build = Builder.before_op(next(iter(block)))
    last = emit.sub(build, build(team.NumGroups(0)).out, build.index(1))
    later = emit.minimum(build, emit.add(build, build(team.GroupId(0)).out, build.index(distance)), last)
    position = {op: number for number, op in enumerate(block)}
    for load in loads:
        at, mapping = Builder.before_op(load), dict[Value, Value]()
        for op in sorted(_sources(load, block) or (), key=position.__getitem__):
            if isinstance(op, team.GroupId) and op.dim == 0:
                mapping[op.out] = later
            elif any(operand in mapping for operand in op.operands):
                at(op.clone(mapping))
        indices = [mapping.get(index, index) for index in load.indices]
        at(tile.Prefetch(mapping.get(load.memref, load.memref), indices, 0, _type(load).shape))


def _type(load: tile.Load) -> TileType:
    type_ = load.out.type
    assert isinstance(type_, TileType)
    return type_
