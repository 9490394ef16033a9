"""What the parts of a large product work on: the caller, and functions that threads share."""

from __future__ import annotations

from msgspec import Struct

from tilewright.ir.types import ScalarType
from tilewright.targets.cpu.expressions.nodes import Expression, Memory, Product
from tilewright.targets.cpu.outlining.outline import Outlined
from tilewright.targets.llvm.emitter import Builder, Value, i64
from tilewright.targets.llvm.types import ELEMENTS

_SHARED_FROM = 1 << 17


class Work(Struct, frozen=True):
    """What the parts of a large product work on, as the caller or an outlined part sees it.

    `value` is the expression to store, with a product whose factors are `long` and `short`; `lines` and `columns` count
    positions of the result along its vector dimension and across; `term` and `depth` are the run of terms, `first` and
    `last` whether there are none before and after it. `panels` are those of the scalars, `vectors` those of the other
    factor if they are packed together, `accumulators` those of unfinished register blocks (None if there is one run
    only). The first panel of `long` begins `shift` lines before
    the first one there is.
    """

    long: Memory
    short: Memory
    value: Expression
    product: Product
    target: Memory
    lines: Value
    columns: Value
    term: Value
    depth: Value
    first: Value
    last: Value
    panels: Value
    accumulators: Value | None
    vectors: Value | None = None
    shift: Value = i64(0)

    def inside(self, part: Outlined) -> Work:
        """The same in an outlined part."""
        long, short, target, product = map(part.tile, (self.long, self.short, self.target, self.product))
        assert isinstance(long, Memory)
        assert isinstance(short, Memory)
        assert isinstance(target, Memory)
        assert isinstance(product, Product)
        return Work(
            long,
            short,
            part.tile(self.value),
            product,
            target,
            part.value(self.lines),
            part.value(self.columns),
            part.value(self.term),
            part.value(self.depth),
            part.value(self.first),
            part.value(self.last),
            part.value(self.panels),
            None if self.accumulators is None else part.value(self.accumulators),
            None if self.vectors is None else part.value(self.vectors),
            part.value(self.shift),
        )


def blocks(b: Builder, extent: Value, size: int) -> Value:
    """How many blocks cover an extent."""
    return b.udiv(b.add(extent, i64(size - 1)), i64(size))


def worth(b: Builder, work: Work) -> Value:
    """Whether a product of so many terms is worth the threads of the team."""
    return b.icmp("sge", b.mul(b.mul(work.lines, work.columns), work.depth), i64(_SHARED_FROM))


def groups(b: Builder, panels: Value, most: int, threads: Value) -> Value:
    """Into how many groups, of `most` panels at most and evenly filled, threads divide panels."""
    rounds = b.udiv(b.add(panels, b.sub(b.mul(threads, i64(most)), i64(1))), b.mul(threads, i64(most)))
    return b.smin(b.mul(rounds, threads), panels)


def element_address(b: Builder, element: ScalarType, base: Value, distance: Value) -> Value:
    """The address a number of elements further on."""
    return b.gep(ELEMENTS[element.name].llvm, base, b.add(distance, distance) if element.is_complex else distance)
