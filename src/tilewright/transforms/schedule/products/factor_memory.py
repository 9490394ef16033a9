"""The shared memory of a kernel with products: buffers of factors, and what other tiles take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from tilewright.dialects import memref, scf, team, tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.tile_combine import ReduceBy
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import MemrefType, TileType
from tilewright.transforms.aliasing import allocation_bytes
from tilewright.transforms.schedule.known import collective
from tilewright.transforms.schedule.products.ahead import Ahead
from tilewright.transforms.schedule.products.beside import Beside
from tilewright.transforms.schedule.products.factors import Factor
from tilewright.transforms.schedule.products.plan import ProductPlan
from tilewright.transforms.schedule.products.shared_factors import ALIGNMENT, buffer_type
from tilewright.transforms.schedule.products.sources import is_factor, is_there
from tilewright.transforms.schedule.share_tiles import taken_tiles
from tilewright.transforms.tile_values import tile_type

_KEPT_FREE: Final = 8 * 1024
"""Of shared memory, by the target for what goes nowhere else."""

Places = tuple[int | None, int | None]
"""Of both factors of a product; None of one in registers."""


class FactorMemory(NamedTuple):
    """Where factors lie, as in `Products`."""

    buffers: Sequence[MemrefType]
    places: Mapping[tile.Mma, Places]
    beside: Mapping[Beside, int]


def factor_memory(
    kernel: Kernel, plans: Mapping[tile.Mma, ProductPlan], loops: Mapping[scf.For, Ahead]
) -> FactorMemory:
    """Buffers of factors; what does not run at the same time shares them, also with a ring that has more stages. Each
    tile beside them has its own."""
    buffers: list[MemrefType] = []
    memory: dict[tile.Mma, Places] = {}

    def take(factor: Factor, stages: int, taken: set[int]) -> int | None:
        if factor.held:
            return None
        type_ = buffer_type(factor, stages)
        fitting = [k for k, other in enumerate(buffers) if k not in taken and _holds(other, type_)]
        found = min(fitting, key=lambda k: bytes_of(buffers[k]), default=len(buffers))
        if found == len(buffers):
            buffers.append(type_)
        taken.add(found)
        return found

    # what a loop has stages of comes first, so that others find them
    for op in sorted(collective(kernel), key=lambda op: not (isinstance(op, scf.For) and op in loops)):
        ring = loops.get(op) if isinstance(op, scf.For) else None
        if ring is not None:
            group = ring.products
        else:
            group = (op,) if isinstance(op, tile.Mma) and op in plans and op not in memory else ()
        around = [loops[loop] for loop in op.ancestors() if isinstance(loop, scf.For) and loop in loops]
        taken = {
            number for other in around for product in other.products for number in memory[product] if number is not None
        }
        for product in group:
            plan = plans[product]
            numbers: list[int | None] = []
            for side, factor in enumerate((plan.lhs, plan.rhs)):
                other = None if ring is None else ring.same.get((product, side))
                if other is not None:
                    numbers.append(memory[other[0]][other[1]])
                    continue
                numbers.append(take(factor, 1 if ring is None else ring.stages_of(product, side), taken))
            memory[product] = (numbers[0], numbers[1])
    beside = {each: each.buffer_type(ring.stages) for ring in loops.values() for each in ring.beside}
    return FactorMemory([*buffers, *beside.values()], memory, {each: len(buffers) + k for k, each in enumerate(beside)})


def _holds(memory: MemrefType, wanted: MemrefType) -> bool:
    """Whether stages of a memory lie as those that are wanted, and are as many at least."""
    stages, wanted_stages = memory.shape[-1], wanted.shape[-1]
    if stages is None or wanted_stages is None or stages < wanted_stages:
        return False
    return replace(wanted, shape=(*wanted.shape[:-1], stages)) == memory


def bytes_of_others(kernel: Kernel, warps: int) -> int:
    """Bytes that are not for factors: allocations, tiles of work-items, and what so many warps exchange."""
    allocations = [op for op in kernel.walk() if isinstance(op, memref.Alloca)]
    return sum(map(allocation_bytes, allocations)) + _taken_bytes(kernel) + _conversions(kernel, warps)


def bytes_beside_scratch(shared_bytes: int) -> int:
    """Bytes for factors where other memory of a work-group has gone to scratch memory as far as it needs to.

    The target keeps some for what goes nowhere else, and half of the rest for allocations (`targets/nvidia/arena.py`).
    """
    return (shared_bytes - _KEPT_FREE) // 2


def _taken_bytes(kernel: Kernel) -> int:
    """Of tiles that work-items will take from shared memory, as long as share-tiles has not put them there."""
    regions = [op for op in collective(kernel) if isinstance(op, team.Spmd)]
    return sum(_bytes(tile_type(value)) for region in regions for value in taken_tiles(region))


def _conversions(kernel: Kernel, warps: int) -> int:
    """Bytes that changes of layouts and reductions may take: nothing where accumulators are computed with and
    stored."""
    total, found, products = 0, set[TileType](), frozenset(op for op in collective(kernel) if isinstance(op, tile.Mma))
    for op in collective(kernel):
        match op:
            case tile.Reduce() | ReduceBy():
                found.update(tile_type(value) for value in op.results)
                total += sum(warps * _bytes(tile_type(value)) for value in op.results)
            case MovesElements() if not (is_factor(op.results[0], products) or is_there(op.operands)):
                found.update(tile_type(value) for value in op.operands)
            case _:
                continue
    # to a layout, and back
    return total + sum(2 * _bytes(type_) for type_ in found)


def total_bytes(buffers: Sequence[MemrefType]) -> int:
    """Of buffers behind each other, each of which begins aligned."""
    return sum(-(-bytes_of(type_) // ALIGNMENT) * ALIGNMENT for type_ in buffers)


def bytes_of(memory: MemrefType) -> int:
    """Of a buffer."""
    return (memory.span or 0) * memory.element.bytes


def _bytes(type_: TileType) -> int:
    return type_.size * type_.element.bytes
