"""Loops whose products have factors that are loaded some iterations before they are multiplied."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import scf, tile
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.types import MemrefType
from tilewright.transforms.schedule.products.around import Around, Side
from tilewright.transforms.schedule.products.beside import Beside
from tilewright.transforms.schedule.products.factors import Factor
from tilewright.transforms.schedule.products.matrices import obstacle
from tilewright.transforms.schedule.products.shared_factors import buffer_type
from tilewright.transforms.schedule.products.sources import Source

NOTHING: Final[Mapping[Side, Side]] = {}


class Ahead(Struct, frozen=True):
    """A loop whose products have factors that are loaded some iterations before they are multiplied: those in `ahead`.

    `slices` are the operations that compute where, of the loop's index and what is known before the loop. Factors in
    `once` are the same in all iterations; others are brought to shared memory when they are there. `by_threads` says
    why threads copy, not the machine by itself. If there is a loop `around` this one, it goes on loading ahead from
    tile to tile; `apart` says why it does not. So many groups of warps take `turns` at the unit that multiplies.
    Factors that are the `same` tile as another one, which is told, lie where that does. If products `overlap`, the
    first one of each iteration is begun in the one before, and those whose accumulators are only added up are awaited
    in the next one; where threads lack registers for accumulators of two iterations, it is begun `last` of all.
    Blocks of a cluster copy the factors of the sides `shared` for each other; `alone` says why they do not. What is
    loaded `beside` factors threads read. With `roles` a producer warp issues the copies; so many `sides`
    take tiles of the loop around by turns.
    """

    products: tuple[tile.Mma, ...]
    slices: tuple[Operation, ...]
    ahead: frozenset[Side]
    once: frozenset[Side]
    stages: int
    by_threads: str = ""
    around: Around | None = None
    apart: str = ""
    turns: int = 1
    same: Mapping[Side, Side] = NOTHING
    overlap: bool = False
    last: bool = False
    shared: frozenset[int] = frozenset()
    alone: str = ""
    beside: Sequence[Beside] = ()
    roles: bool = False
    sides: int = 1

    @property
    def by_tensor(self) -> bool:
        """Whether the machine copies by itself."""
        return not self.by_threads

    @property
    def has_several(self) -> bool:
        """Whether the machine copies by itself what several products multiply."""
        return self.by_tensor and len(self.products) > 1

    @property
    def goes_on_in_order(self) -> bool:
        """Whether it goes on over a loop whose iterations the program orders, but for their loads."""
        return self.around is not None and not self.around.loop.parallel

    def of_twin(self, same: Mapping[Operation, Operation]) -> Ahead:
        """Of a copy of the loop, in which other operations are what these are here, and each tile is loaded anew."""
        products = {op: twin for op in self.products if isinstance(twin := same[op], tile.Mma)}
        ahead, once = (frozenset((products[op], side) for op, side in sides) for sides in (self.ahead, self.once))
        slices = tuple(same[op] for op in self.slices)
        twins = {(products[op], side): (products[first], other) for (op, side), (first, other) in self.same.items()}
        whole = tuple(products.values())
        found = replace(self, products=whole, slices=slices, ahead=ahead, once=once, same=twins)
        return replace(found, around=None, shared=frozenset(), beside=(), roles=False, sides=1)

    @property
    def copied(self) -> Sequence[Side]:
        """The factors that are loaded ahead, each tile once."""
        sides = [(op, side) for op in self.products for side in range(2)]
        return [each for each in sides if each in self.ahead and each not in self.same]

    @property
    def shared_by_all(self) -> Sequence[Side]:
        """The factors that are the same in all iterations."""
        return [(op, side) for op in self.products for side in range(2) if (op, side) in self.once]

    def is_late(self, loop: scf.For, op: tile.Mma) -> bool:
        """Whether a product of one iteration is awaited in the next one."""
        return op in adders_of(loop, self.products) if self.overlap else op is late_product(loop, self.products)

    @property
    def together(self) -> Sequence[tuple[tile.Mma, ...]]:
        """Products with factors that are loaded ahead; those that share some are together, with all others then.

        One ring has fewer barriers to wait at than several, and there is memory for more than two stages of it.
        """
        found = tuple(op for op in self.products if (op, 0) in self.ahead or (op, 1) in self.ahead)
        return [found] if self.same else [(op,) for op in found]

    def stages_of(self, op: tile.Mma, side: int) -> int:
        """How many of a factor there are at a time."""
        return self.stages if (op, side) in self.ahead else 1


def needs_nothing(op: tile.Mma, loop: scf.For, ahead: Container[Side]) -> bool:
    """Whether a product can be begun before an iteration computes anything."""
    factors = [value for side, value in enumerate((op.lhs, op.rhs)) if (op, side) not in ahead]
    return not any(_is_of(value, loop) for value in (op.acc, *factors))


def _is_of(value: Value, loop: scf.For) -> bool:
    """Whether a value is computed or carried by the loop."""
    if isinstance(value, BlockArgument):
        return value.block is loop.body.entry
    return value.defining_op is not None and value.defining_op.block is loop.body.entry


def late_product(loop: scf.For, products: Sequence[tile.Mma]) -> tile.Mma | None:
    """The last of several products if its accumulators are nothing but handed on: the next iteration may multiply
    them."""
    op, end = products[-1], loop.body.entry.last
    places = [value for value in (() if end is None else end.operands) if value is op.out]
    return op if len(products) > 1 and len(places) == 1 and list(op.out.uses) == [end] else None


def adders_of(loop: scf.For, products: Sequence[tile.Mma]) -> list[tile.Mma]:
    """The products whose accumulators are nothing but handed on."""
    end = loop.body.entry.last
    operands = [] if end is None else list(end.operands)
    return [op for op in products if operands.count(op.out) == 1 and list(op.out.uses) == [end]]


def early_product(loop: scf.For, products: Sequence[tile.Mma], ahead: Container[Side]) -> tile.Mma | None:
    """The first of several products if the iteration before may begin it: it needs nothing that is computed."""
    op, end = products[0], loop.body.entry.last
    is_early = len(products) > 1 and needs_nothing(op, loop, ahead) and end not in op.out.uses
    return op if is_early else None


def not_copied(source: Source, factor: Factor, side: int) -> str:
    """Why the machine cannot copy a factor by itself; nothing if it can."""
    type_ = source.load.memref.type
    assert isinstance(type_, MemrefType)
    if not tensors.copies_as(type_.element, factor.element) or source.element is not factor.element:
        return f"{type_.element} is converted to {factor.element} on the way"
    near = source.dims[side if factor.along_outer else 1 - side]
    return tensors.no_slabs(buffer_type(factor, 1)) or obstacle(source.load.memref, near) or ""
