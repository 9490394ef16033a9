"""What products cost: cycles of a multiprocessor for instructions, and for passes over the banks of shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd, prod

from msgspec import Struct, field

from tilewright.dialects import tile
from tilewright.dialects.matrix_instructions import instruction_of
from tilewright.ir.core import Value
from tilewright.ir.types import TileType
from tilewright.transforms.lane_accesses import WORD, passes_of
from tilewright.transforms.pack_items.items import PIECE, Items, is_held
from tilewright.transforms.pack_items.policy import PackingPolicy
from tilewright.transforms.pack_items.slabs import Slab, is_padded, slab_of
from tilewright.transforms.pack_items.tilings import Run, Tiling, terms_together, wide_type
from tilewright.transforms.pack_items.unit_factors import Factor, factors_of
from tilewright.transforms.tile_values import tile_type

Shape = tuple[int, ...]
Bounded = tuple[tuple[float, int], Tiling]
"""Cycles and registers, for comparison, and what has them."""


class Access(Struct, frozen=True, eq=False):
    """What threads read or write of a slab: mode m of it follows mode `modes[m]` of their boxes.

    None is k of a `product`, of which all read some terms at a time. The slab lies in panels if it is `panelled` along
    a mode.
    """

    slab: Slab
    modes: tuple[int | None, ...]
    product: tile.Mma | None = None
    is_written: bool = False
    panelled: int | None = None
    known: dict[int, int] = field(default_factory=dict[int, int])
    """Terms that are read together, by the most that may be: asked of every way to hold the tile."""

    def times(self, tiling: Tiling) -> float:
        """How often it is done with an item."""
        return 1 if self.product is None else tile_type(self.product.lhs).shape[1] / self._terms(tiling)

    def _terms(self, tiling: Tiling) -> int:
        if self.product is None:
            return 1
        if tiling.terms not in self.known:
            self.known[tiling.terms] = terms_together(self.product, tiling.terms)
        return self.known[tiling.terms]

    def slab_of(self, tiling: Tiling) -> Slab:
        """Its slab where threads hold such boxes."""
        mode = self.panelled
        return self.slab if mode is None else self.slab.in_panels(mode, tiling.box[mode], tiling.boxes[mode])

    def shapes_of(self, tiling: Tiling) -> list[tuple[int, int]]:
        """Elements of one access of a thread, and its accesses; of each part of a panel."""
        terms = self._terms(tiling)
        panels = self.slab_of(tiling).panels
        if panels is not None:
            widths = [(gcd(side, PIECE // self.slab.element.bytes), side) for _, side in panels.parts]
            return [(width, terms * side // width) for width, side in widths]
        runs = [Run(terms, terms) if k is None else tiling.runs[k] for k in self.modes]
        starts = [terms if k is None else tiling.divisor(k) for k in self.modes]
        is_tested = self.is_written and any(tiling.hangs_over(k) for k in self.modes if k is not None)
        width = 1 if is_tested else self.slab.width(runs, starts)
        return [(width, prod(run.extent for run in runs) // width)]

    def count(self, tiling: Tiling) -> int:
        """Accesses of a thread."""
        return sum(count for _, count in self.shapes_of(tiling))

    def least(self, tiling: Tiling, policy: PackingPolicy) -> float:
        """Passes of a warp over the banks of shared memory, if there are no conflicts."""
        size = self.slab.element.bytes
        passes = (
            count * max(width * size * policy.warp // policy.bank_bytes, 1) for width, count in self.shapes_of(tiling)
        )
        return self.times(tiling) * sum(passes)

    def passes(self, tiling: Tiling, team: int, policy: PackingPolicy) -> float:
        """Those of all that a warp reads or writes."""
        pitch = 0 if self.slab.is_fixed else self.slab_of(tiling).pitch
        begins = self._begins(tiling, min(tiling.threads, team, policy.warp))
        # idle lanes do what the last one of their team does, those behind the last whole team what its first ones do
        begins += [begins[-1]] * (min(team, policy.warp) - len(begins))
        teams = max(policy.warp // team, 1)
        items = [pitch * min(number, teams - 1) for number in range(teams + 1)]
        places = [item + begin for item in items for begin in begins][: policy.warp]
        total = 0
        for width, count in self.shapes_of(tiling):
            unit = max(width * self.slab.element.bytes, WORD)
            together = min(policy.bank_bytes // unit, policy.warp)
            total += count * passes_of([place // unit for place in places], together, policy.bank_bytes // unit)
        return self.times(tiling) * total

    def _begins(self, tiling: Tiling, threads: int) -> list[int]:
        """The bytes at which so many threads of a team begin."""
        strides = {k: stride for k, stride in zip(self.modes, self.slab.strides, strict=True) if k is not None}
        size = self.slab.element.bytes
        steps = [
            [start * strides.get(k, 0) * size for start in tiling.starts(k, threads)] for k in range(len(tiling.boxes))
        ]
        panels = self.slab_of(tiling).panels
        if panels is not None:
            steps[panels.mode] = [number * panels.apart * size for number in range(min(panels.count, threads))]
        if tiling.unit:
            numbers = (tiling.numbers(rank) for rank in range(threads))
            return [sum(of[number] for of, number in zip(steps, place, strict=True)) for place in numbers]
        found = [0]
        for of in steps:
            found = [begin + step for step in of for begin in found][:threads]
        return found


class Costs(Struct):
    """Of what is computed with an item: accesses by the shape of the boxes and whether these are of units, products."""

    policy: PackingPolicy
    accesses: dict[tuple[Shape, bool], list[Access]] = field(default_factory=dict[tuple[Shape, bool], list[Access]])
    products: dict[Shape, list[tile.Mma]] = field(default_factory=dict[Shape, list[tile.Mma]])
    slabs: dict[Value, Slab] = field(default_factory=dict[Value, Slab])
    known: dict[object, float] = field(default_factory=dict[object, float])
    panelled: set[tuple[Shape, int]] = field(default_factory=set[tuple[Shape, int]])
    """Shapes of boxes and modes along which these are panels of factors: in one piece."""

    @staticmethod
    def of(items: Items, policy: PackingPolicy) -> Costs:
        """Of items whose memory has no gaps between them in shared memory."""
        found = Costs(policy)
        for op in items.products:
            found.products.setdefault(items.shape(op.out), []).append(op)
        for is_unit in (False, True):
            found._add(items, is_unit)
        return found

    def _add(self, items: Items, is_unit: bool) -> None:
        """What is accessed by boxes of matrix instructions, or by others."""
        rows = [t for t in items.transfers.values() if t.is_row and not t.is_fixed and not (is_unit and is_padded(t))]
        for op in items.operations:
            for value in op.results:
                if isinstance(value.type, TileType):
                    self.accesses.setdefault((items.shape(value), is_unit), [])
        for op in items.products:
            for value, modes in ((op.lhs, (0, None)), (op.rhs, (None, 1))):
                assert value.defining_op is not None
                slab = slab_of(items, value.defining_op, rows, padded=is_unit)
                panelled = None if is_unit else items.panel_mode(value)
                if panelled is not None:
                    self.panelled.add((items.shape(op.out), panelled))
                self.accesses[items.shape(op.out), is_unit].append(Access(slab, modes, op, panelled=panelled))
                if is_unit:
                    self.slabs[value] = slab
        for op, transfer in items.transfers.items():
            if isinstance(op, tile.Store) or is_held(transfer.value):
                modes = tuple(range(len(transfer.shape)))
                slab = slab_of(items, op, rows, padded=is_unit)
                access = Access(slab, modes, is_written=isinstance(op, tile.Store))
                self.accesses[items.shape(transfer.value), is_unit].append(access)

    def least(self, tiling: Tiling) -> float:
        """Passes over the banks of a warp whose threads hold such boxes, if there are no conflicts."""
        if tiling.unit:
            return 0
        return sum(access.least(tiling, self.policy) for access in self.accesses[tiling.shape, bool(tiling.unit)])

    def passes(self, tiling: Tiling, team: int) -> float:
        """Those that there are."""
        accesses = self.accesses[tiling.shape, bool(tiling.unit)]
        if not tiling.unit:
            return sum(self._passes(access, tiling, team) for access in accesses)
        multiplied = sum(factor.passes(self.policy) for factor in self._factors(tiling))
        return multiplied + sum(self._passes(each, tiling, team) for each in accesses if each.product is None)

    def _factors(self, tiling: Tiling) -> Iterator[Factor]:
        """Of the products by matrix instructions."""
        unit = instruction_of(tiling.unit)
        if unit is None:
            return
        for op in self.products.get(tiling.shape, ()):
            yield from factors_of(tiling, unit, (self.slabs[op.lhs], self.slabs[op.rhs]))

    def _passes(self, access: Access, tiling: Tiling, team: int) -> float:
        held = tuple((tiling.box[k], tiling.pieces[k]) for k in access.modes if k is not None)
        key = (access, held, tiling.boxes, tiling.terms, team)
        if key not in self.known:
            self.known[key] = access.passes(tiling, team, self.policy)
        return self.known[key]

    def in_best_pieces(self, tiling: Tiling, team: int) -> Tiling:
        """The same boxes in the pieces that take the fewest passes, the largest of them."""
        for mode in (mode for mode in range(len(tiling.box)) if (tiling.shape, mode) not in self.panelled):
            sides = [
                tiling.in_pieces([side if k == mode else piece for k, piece in enumerate(tiling.pieces)])
                for side in tiling.sides(mode)
            ]
            if len(sides) > 1:
                tiling = min(sides, key=lambda tiling: self.passes(tiling, team))
        return tiling

    def by_bound(self, tilings: Iterable[Tiling]) -> list[Bounded]:
        """By what they cost a warp at least, whoever holds the boxes."""
        found = [((max(self.issued(tiling), self.least(tiling)), tiling.registers), tiling) for tiling in tilings]
        return sorted(found, key=lambda each: each[0])

    def best(self, tilings: Iterable[Bounded], team: int) -> Tiling:
        """The one that costs a warp least, in its best pieces; those that cost less at least come first."""
        found: Bounded | None = None
        for bound, tiling in tilings:
            if found is not None and bound >= found[0]:
                break
            chosen = self.in_best_pieces(tiling, team)
            key = (max(self.issued(chosen), self.passes(chosen, team)), tiling.registers)
            if found is None or key < found[0]:
                found = key, chosen
        assert found is not None, "there are tilings"
        return found[1]

    def issued(self, tiling: Tiling) -> float:
        """Cycles of a warp for the instructions of products with such boxes, and for their accesses."""
        total = self._accesses(tiling) * self.policy.cycles_of_access
        for op in self.products.get(tiling.shape, ()):
            if tiling.unit:
                total += self._by_unit(tiling, op)
                continue
            wide, (rows, columns) = wide_type(op), tiling.box
            each = rows * columns * self.policy.cycles_of_product(wide)
            for value, count in ((op.lhs, rows), (op.rhs, columns)):
                if tile_type(value).element is not wide:
                    each += count * self.policy.cycles_of_conversion
            total += each * tile_type(op.lhs).shape[1]
        return total

    def _accesses(self, tiling: Tiling) -> float:
        """Those of each thread."""
        accesses = self.accesses[tiling.shape, bool(tiling.unit)]
        if not tiling.unit:
            return sum(access.times(tiling) * access.count(tiling) for access in accesses)
        read = sum(factor.accesses for factor in self._factors(tiling))
        return read + sum(access.count(tiling) for access in accesses if access.product is None)

    def _by_unit(self, tiling: Tiling, op: tile.Mma) -> float:
        """Cycles of a warp for the instructions of a product by matrix instructions."""
        unit = instruction_of(tiling.unit)
        assert unit is not None, "the tiling names one"
        m, n, k = unit.shape
        across, behind = tiling.warps
        columns, rows = -(-tiling.shape[0] // (n * across)), -(-tiling.shape[1] // (m * behind))
        count = columns * rows * -(-tile_type(op.lhs).shape[1] // k)
        return count * self.policy.cycles_of_unit(unit.factor)
