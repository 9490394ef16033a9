"""Strips of points: what each of them does to elements, done to tiles of them.

before:  tl.foreach (%i) { %s = scf.for %j .. (%a) { memref.load %A[%i, %j] .. } memref.store %s, %v[%i] }
after:   strips of points, in parallel: %s = scf.for %j .. (tile) { a piece of row %j of A is loaded .. }, stored to %v

Lanes would walk down lines of 64 bytes, each of which is a row of memory apart from the next.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.dialects import memref, scf, tl
from tilewright.dialects.builder import Builder, new_region
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.types import INDEX, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.emit import Length
from tilewright.transforms.index_ranges import Linear, linear
from tilewright.transforms.loops_on_tiles.emission import computed, count_of, row_at, shaped
from tilewright.transforms.loops_on_tiles.lanes import Access, without
from tilewright.transforms.loops_on_tiles.strips import Strip
from tilewright.transforms.policy import TilePolicy
from tilewright.transforms.tiling import Box, Piece, cover, whole_pieces

_MOST_ROWS: Final = 4
"""At once: eight are no faster from any cache or from memory (Zen 4, f32 and f64, 2048 to 10240 columns), two are
slower from memory."""


def emit_strips(strip: Strip, tiles: TilePolicy, fewest: int) -> None:
    """Replace a loop over points by one over strips of them, with loops of other variables around it.

    Where fewer than `fewest` points are left lanes have them: they do more with a line than tiles with a part of one.
    """
    build, known = Builder.before_op(strip.op), dict[Value, Value]()
    if isinstance(strip.op, tl.Foreach):
        ranges = zip(strip.op.body.entry.arguments, strip.op.lowers, strip.op.uppers, strict=True)
        for variable, lower, upper in reversed([one for one in ranges if one[0] is not strip.variable]):
            loop = emit.open_loop(build, lower, upper, parallel=True)
            build, known[variable] = loop.body, loop.index
    count = count_of(build, strip.lower, strip.upper)
    widest = max(strip.elements, key=lambda element: element.bytes)
    length, rows = tiles.reduction_tile(MemrefType(widest, (None, None), (1, None)), 1)
    rows = min(rows, _MOST_ROWS)

    def body(at: Builder, piece: Piece) -> None:
        # rows of a part are short: several at once would be as many streams through the same pages
        _Points(strip, count, piece, 1 if piece.checked else rows, dict(known)).block(at, strip.op.body.entry)

    if isinstance(count, int):
        cover(build, [count], [length], [0], lambda at, box: body(at, box.pieces[0]))
    else:
        first = whole_pieces(build, build.index(0), count, length, body)
        inside = emit.open_if(build, emit.less(build, first, count))
        is_long = emit.not_less(inside, emit.sub(inside, count, first), inside.index(fewest))
        (many, long), (few, rest) = new_region(), new_region()
        inside(scf.If(is_long, many, few))
        body(Builder.at_end(long, build.location), Piece(first, length, True))
        _in_lanes(Builder.at_end(rest, build.location), strip, first, known)
    strip.op.erase()


def _in_lanes(build: Builder, strip: Strip, first: Value, known: dict[Value, Value]) -> None:
    """The points from one on, a lane each."""
    region, block = new_region([INDEX])
    build(tl.Foreach([emit.add(build, strip.lower, first)], [strip.upper], region))
    inside, mapping = Builder.at_end(block, build.location), {**known, strip.variable: block.arguments[0]}
    for op in strip.op.body.entry:
        if not isinstance(op, scf.Yield):
            inside(op.clone(mapping))


class _Points(Struct, frozen=True):
    """A strip of points, whose loops go on by so many `rows`; `values` are what those of the program became, for all
    points or each."""

    strip: Strip
    count: Length
    piece: Piece
    rows: int
    values: dict[Value, Value]

    def block(self, at: Builder, block: Block) -> None:
        """What the operations of a block do."""
        for op in block:
            if op in self.strip.needed:
                self._operation(at, op)

    def _operation(self, at: Builder, op: Operation) -> None:
        access, box = self.strip.accesses.get(op), Box((self.piece,))
        if isinstance(op, scf.For):
            self._loop(at, op)
        elif access is None:
            self.values[op.results[0]] = computed(at, op, self.values, self.piece.length)
        elif isinstance(op, memref.Store):
            box.store(at, self._tile(at, op.value), self._row(at, access))
        elif access.mode is not None:
            self.values[op.results[0]] = box.load(at, self._row(at, access))
        else:
            indices = [emit.as_value(at, self._form(form).emitted(at)) for form in access.place.subscripts]
            self.values[op.results[0]] = at(memref.Load(access.place.base, indices)).out

    def _loop(self, at: Builder, op: scf.For) -> None:
        lower, upper = self._value(op.lower), self._value(op.upper)
        carried = [self._tile(at, init) for init in op.inits]
        if op.step is not None or op.index.type is not INDEX or any(inner.regions for inner in op.body.entry):
            step = None if op.step is None else self._value(op.step)
            carried = self._iterations(at, op, lower, upper, step, carried, 1)
        else:
            trips = emit.as_value(at, count_of(at, lower, upper))
            step = at.index(self.rows)
            end = emit.add(at, lower, emit.sub(at, trips, emit.rem(at, trips, step)))
            if self.rows > 1:
                carried = self._iterations(at, op, lower, end, step, carried, self.rows)
                lower = end
            carried = self._iterations(at, op, lower, upper, None, carried, 1)
        self.values.update(zip(op.results, carried, strict=True))

    def _iterations(
        self, at: Builder, op: scf.For, lower: Value, upper: Value, step: Value | None, inits: list[Value], times: int
    ) -> list[Value]:
        """A loop with so many iterations of the program in each of its own; what it carries at its end."""
        loop = emit.open_loop(at, lower, upper, step, inits, op.parallel)
        carried = loop.carried
        for number in range(times):
            self.values[op.index] = emit.add(loop.body, loop.index, loop.body.index(number))
            self.values.update(zip(op.carried, carried, strict=True))
            self.block(loop.body, op.body.entry)
            carried = [self._tile(loop.body, value) for value in scf.yielded(op.body)]
        return loop.finish(carried)

    def _value(self, value: Value) -> Value:
        return self.values.get(value, value)

    def _tile(self, at: Builder, value: Value) -> Value:
        return shaped(at, self._value(value), self.piece.length)

    def _row(self, at: Builder, access: Access) -> Value:
        """The elements of an access, of all points."""
        assert access.mode is not None
        forms = [self._form(form) for form in access.place.subscripts]
        forms[access.mode] = forms[access.mode].plus(linear(self.strip.lower))
        return row_at(at, access.place.base, forms, access.mode, self.count)

    def _form(self, form: Linear) -> Linear:
        """A subscript but for the variable."""
        rest = without(form, self.strip.variable)
        return Linear(rest.constant, tuple((self._value(value), factor) for value, factor in rest.terms))
