"""Which tiles of a subgroup are held as matrix instructions want them, and which instruction multiplies them.

A tile that a product takes or gives is, with all that loops, branches and arithmetic hand it on to, in the layout of
the instruction, if nothing else touches it. Products of others are added up element by element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from tilewright.dialects import arith, scf, team, tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.matrix_instructions import F16_F16, F16_F32, MatrixInstruction, instructions_of
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.types import F16, TileType, element_of
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.elementwise import COMPUTED
from tilewright.transforms.lane_accesses import LANES


class SubgroupProduct(Struct, frozen=True):
    """How a product of tiles is computed: `swapped` if the rows of the instruction are columns of the tile.

    If the instruction has `narrow_accumulators`, `acc` was cast from these, and the result is cast to them.
    """

    instruction: MatrixInstruction
    swapped: bool
    lhs: Layout
    rhs: Layout
    accumulators: Layout
    narrow_accumulators: Value | None = None


class SubgroupProducts(Struct, frozen=True):
    """Products by instructions, and the layouts of tiles that those share."""

    layouts: Mapping[Value, Layout] = field(default_factory=dict[Value, Layout])
    products: Mapping[Operation, SubgroupProduct] = field(default_factory=dict[Operation, SubgroupProduct])


def subgroup_products(kernel: Kernel, architecture: Architecture) -> SubgroupProducts:
    """Those of a kernel whose subgroups are warps."""
    if kernel.subgroup_size != LANES:
        return SubgroupProducts()
    same = _Same()
    products: dict[Operation, SubgroupProduct] = {}
    for region in (op for op in kernel.walk() if isinstance(op, team.Spmd)):
        ops = list(region.walk())
        if not any(isinstance(op, tile.Mma) for op in ops):
            continue
        for op in ops:
            same.collect(op, region)
            found = _product(op, architecture) if isinstance(op, tile.Mma) else None
            if found is not None:
                products[op] = found
            elif isinstance(op, tile.Mma):
                same.left.update(_tiles(op))
    return _agreed(same, products)


def _agreed(same: _Same, products: dict[Operation, SubgroupProduct]) -> SubgroupProducts:
    """Leave out products until all that are left agree about the layouts of what they share."""
    while True:
        wanted: dict[Value, set[Layout]] = {}
        for op, product in products.items():
            for value, layout in _layouts(op, product):
                wanted.setdefault(same.one(value), set()).add(layout)
        plain = {same.one(value) for value in same.left}
        plain |= {one for one, layouts in wanted.items() if len(layouts) > 1}
        lost = [op for op in products if any(same.one(value) in plain for value in _tiles(op))]
        if not lost:
            break
        for op in lost:
            same.left.update(_tiles(op))
            del products[op]
    layouts = {value: next(iter(wanted[one])) for value in same.known for one in [same.one(value)] if one in wanted}
    return SubgroupProducts(layouts, products)


def _layouts(op: Operation, product: SubgroupProduct) -> Iterator[tuple[Value, Layout]]:
    assert isinstance(op, tile.Mma)
    return zip((op.lhs, op.rhs, op.acc), (product.lhs, product.rhs, product.accumulators), strict=True)


def _tiles(op: Operation) -> list[Value]:
    return [value for value in (*op.operands, *op.results) if isinstance(value.type, TileType)]


class _Same:
    """Tiles that have one layout since elements are handed from one to the other, and those that keep the plain one."""

    def __init__(self) -> None:
        self.known: dict[Value, Value] = {}
        self.left: set[Value] = set()

    def one(self, value: Value) -> Value:
        """The one that stands for all that have its layout."""
        found = self.known.setdefault(value, value)
        while self.known[found] is not found:
            found = self.known[found]
        return found

    def collect(self, op: Operation, region: team.Spmd) -> None:
        """What an operation says about the tiles that it touches."""
        self.left.update(value for value in _tiles(op) if not _is_inside(value, region))
        match op:
            case tile.Mma():
                self._unite([op.acc, op.out])
            case scf.For():
                for values in zip(op.inits, op.carried, scf.yielded(op.body), op.outs, strict=True):
                    self._unite(values)
            case scf.If():
                for each in (op.then, op.orelse):
                    for values in zip(op.outs, [] if each is None else scf.yielded(each), strict=each is not None):
                        self._unite(values)
            case scf.Yield() if isinstance(op.parent_op, scf.For | scf.If):
                pass
            case tile.Load() | tile.Store() | tile.Splat():
                pass
            case _ if isinstance(op, COMPUTED):
                self._unite(_tiles(op))
            case _:
                self.left.update(_tiles(op))

    def _unite(self, values: Iterable[Value]) -> None:
        tiles = [value for value in values if isinstance(value.type, TileType)]
        for value in tiles[1:]:
            self.known[self.one(value)] = self.one(tiles[0])


def _is_inside(value: Value, region: team.Spmd) -> bool:
    op = value.block.parent_op if isinstance(value, BlockArgument) else value.defining_op
    return op is not None and region.is_ancestor_of(op)


_TURNED: Final = (1, 0)


def _product(op: tile.Mma, architecture: Architecture) -> SubgroupProduct | None:
    """By the best instruction of which the tiles are whole ones; None if there is none.

    Accumulators that a lane has next to each other are along the first dimension, as neighbours in memory mostly are.
    """
    lhs, rhs, acc = (value.type for value in (op.lhs, op.rhs, op.acc))
    assert isinstance(lhs, TileType)
    assert isinstance(rhs, TileType)
    assert isinstance(acc, TileType)
    (m, k), (_, n) = lhs.shape, rhs.shape
    for found in instructions_of(lhs.element, rhs.element, acc.element, architecture):
        narrow = _narrow_accumulators(op) if found is F16_F32 and k == found.shape[2] else None
        if narrow is not None:
            found = F16_F16
        rows, columns, depth = found.shape
        for swapped in (True, False):
            outer, inner = (n, m) if swapped else (m, n)
            if outer % rows or inner % columns or k % depth or not m * n * k:
                continue
            of_rows = repeated(found.rows, (outer, k))
            of_columns = repeated(found.columns, (inner, k))
            accumulators = repeated(found.accumulators, (outer, inner))
            if swapped:
                return SubgroupProduct(
                    found, True, of_columns, of_rows.permute(_TURNED), accumulators.permute(_TURNED), narrow
                )
            return SubgroupProduct(found, False, of_rows, of_columns.permute(_TURNED), accumulators, narrow)
    return None


def _narrow_accumulators(op: tile.Mma) -> Value | None:
    """What accumulators are cast from, of f16, if all that becomes of the result is cast to that again: it is rounded
    there."""
    cast = op.acc.defining_op
    casts = [cast, *op.out.uses]
    if not all(isinstance(each, arith.Cast) for each in casts):
        return None
    assert isinstance(cast, arith.Cast)
    narrow = [element_of(value.type) for value in (cast.value, *(use.results[0] for use in op.out.uses))]
    return cast.value if all(element is F16 for element in narrow) else None


def repeated(part: Layout, shape: tuple[int, int]) -> Layout:
    """A tile that consists of parts, which registers count along the first dimension first."""
    counts = [whole // own for whole, own in zip(shape, part.shape, strict=True)]
    more = (Digit(Owner.REG, count, dim, part.shape[dim]) for dim, count in enumerate(counts))
    return Layout(shape, (*part.digits, *more))
