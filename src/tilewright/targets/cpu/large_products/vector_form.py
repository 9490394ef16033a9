"""The shape of code of a product on vectors: register blocks, panels of either factor, how many terms in a run."""

from __future__ import annotations

from msgspec import Struct

from tilewright.ir.types import ScalarType
from tilewright.targets.cpu.expressions.blocks import Piece, split_powers
from tilewright.targets.cpu.expressions.nodes import Memory, Product, natural_dim
from tilewright.targets.cpu.large_products.packing import RUN_GRAIN, Format
from tilewright.targets.cpu.large_products.work import blocks, element_address
from tilewright.targets.cpu.machine import LINE_BYTES, Machine
from tilewright.targets.cpu.units.unit import ProductUnit
from tilewright.targets.llvm.emitter import Builder, Value, i64

_CACHE_SHARE = 0.96
_SHORTEST_RUN = 64
_LONGER_ALONE = 2.0
_COMPACT_ACCUMULATORS = 8
_BLOCK_TERMS = 100
"""To begin and end a register block takes as long as so many terms of one of its columns."""
_GAIN_OF_THREE = 1.06
"""Of blocks of three vectors, to be worth it: their runs are shorter, so that accumulators are kept in memory more
often."""
_SET_BYTES = 4096
"""Of one way of the first cache: lines that lie this far apart share one place in each way."""
_OTHER_WAYS = 2
"""Of such a place, for what is not scalars."""


class Form(Struct, frozen=True):
    """Code shape: vectors along dimension `vector` of the result, panels of either factor, most terms of a run.

    `in_place`: scalars are not packed but read where they lie, line by line.
    """

    unit: ProductUnit
    vector: int
    long: Format
    short: Format
    terms: int
    in_place: bool = False

    @staticmethod
    def of(machine: Machine, unit: ProductUnit, product: Product, vector: int) -> Form:
        """Two vectors by as many columns as there are registers, spread evenly over the columns there are.

        With 32 registers that is 14 of a real type: 28 accumulators, two vectors, a scalar. Or three vectors by 9
        columns, where they leave much less of the register blocks empty. A panel of each factor fits the first cache
        together.
        """
        element, extents = product.type.element, product.type.shape
        lanes = machine.lanes(element.component.bytes)
        vectors = 1 if extents[vector] <= lanes else 2
        if extents[vector] <= vectors * lanes and _lies_in_lines(unit, product, vector):
            return _in_place(machine, unit, product, vector, vectors)
        width = _width(machine, product, vector, vectors)
        if vectors == 2 and not element.is_complex and not machine.compact:
            other = _width(machine, product, vector, 3)
            filled, others = (_filled(product, vector, n * lanes, w) for n, w in ((2, width), (3, other)))
            if others * _GAIN_OF_THREE < filled:
                vectors, width = 3, other
        group = unit.vectors.group
        most = _longest_run(machine, element, vectors, width)
        terms = group * _run_length(-(-product.lhs.type.shape[1] // group), most)
        long = Format(vector, vectors * lanes, unit.vectors, summed=unit.scalars.flipped != 0)
        return Form(unit, vector, long, Format(1 - vector, width, unit.scalars), terms)

    @property
    def element(self) -> ScalarType:
        """What is accumulated."""
        return self.unit.accumulator

    def pieces(self, machine: Machine) -> tuple[Piece, ...]:
        """The vectors of a register block."""
        return split_powers(self.long.height, machine.lanes(self.element.component.bytes))

    def steps(self, b: Builder, depth: Value) -> Value:
        """How many words of a line hold so many terms."""
        group = self.long.packing.group
        return depth if group == 1 else blocks(b, depth, group)

    def panel(self, b: Builder, machine: Machine, panels: Value, form: Format, number: Value) -> Value:
        """Address of a panel."""
        return element_address(b, form.word, panels, b.mul(number, i64(form.stride(self.terms, machine))))


def _lies_in_lines(unit: ProductUnit, product: Product, vector: int) -> bool:
    """Whether the scalars lie in memory as they are multiplied, and the terms of a line are neighbours."""
    factor, packing = product.rhs if vector == 0 else product.lhs, unit.scalars
    if not isinstance(factor, Memory) or any(factor.tables) or factor.type.element is not packing.word:
        return False
    return packing.group == packing.parts == 1 and natural_dim(factor) == vector


def _in_place(machine: Machine, unit: ProductUnit, product: Product, vector: int, vectors: int) -> Form:
    """One panel of vectors for long runs of terms in the second cache, while lines of scalars come from memory once.

    No more lines than the first cache keeps if all of them lie a power of two apart.
    """
    element, height = product.type.element, vectors * machine.lanes(product.type.element.component.bytes)
    most = max(1, machine.l1_bytes // _SET_BYTES - _OTHER_WAYS)
    width = _width(machine, product, vector, vectors, most)
    terms = _run_length(product.lhs.type.shape[1], machine.l2_bytes // 2 // (height * element.bytes))
    # where some lines do not exist they are packed, a cache line apart so that not all begin in one set of that cache
    short = Format(1 - vector, width, unit.scalars, row=terms + LINE_BYTES // unit.scalars.word.bytes)
    return Form(unit, vector, Format(vector, height, unit.vectors), short, terms, in_place=True)


def _width(machine: Machine, product: Product, vector: int, vectors: int, limit: int = 1 << 10) -> int:
    """The columns of a register block of so many vectors, `limit` at most."""
    element, columns = product.type.element, product.type.shape[1 - vector]
    parts = 2 if element.is_complex else 1
    free = _COMPACT_ACCUMULATORS if machine.compact else machine.registers - 1 - parts * (vectors + 1)
    most = max(1, min(limit, free // (parts * vectors)))
    terms = min(product.lhs.type.shape[1], _longest_run(machine, element, vectors, most))
    return _even_width(columns, most, _BLOCK_TERMS / max(terms, 1))


def _even_width(columns: int, most: int, ends: float) -> int:
    """Of the widths up to `most` that spread some columns evenly, the one whose register blocks take least time.

    To begin and end one takes as long as `ends` columns. 1024 columns are 74 blocks of 14, which compute twelve columns
    that are not there, or 79 of 13, which compute three.
    """
    fewest, many = -(-columns // most), -(-columns // max(1, most * 3 // 4))
    widths = (-(-columns // count) for count in range(fewest, many + 1))
    return min(widths, key=lambda width: -(-columns // width) * (width + ends))


def _filled(product: Product, vector: int, height: int, width: int) -> int:
    """Elements of the register blocks that cover a product."""
    lines, columns = product.type.shape[vector], product.type.shape[1 - vector]
    return -(-lines // height) * height * -(-columns // width) * width


def _longest_run(machine: Machine, element: ScalarType, vectors: int, width: int) -> int:
    """The terms of which a panel of each factor fits the first cache together."""
    height = vectors * machine.lanes(element.component.bytes)
    return int(machine.l1_bytes * _CACHE_SHARE) // ((height + width) * element.bytes)


def _run_length(depth: int, most: int) -> int:
    """The terms of `depth` in even runs of about `most`; in one if that is little longer: then no accumulators are
    kept."""
    longest = max(most, _SHORTEST_RUN)
    runs = 1 if depth <= longest * _LONGER_ALONE else -(-depth // longest)
    return -(-depth // (runs * RUN_GRAIN)) * RUN_GRAIN
