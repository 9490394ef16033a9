"""Covering tensors with tiles: full ones run unchecked, the rest is of exact size (static) or checked (dynamic)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from tilewright.dialects import tile
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.scf import If
from tilewright.ir.core import Value
from tilewright.ir.types import MemrefType, TileType
from tilewright.transforms import emit
from tilewright.transforms.emit import Length
from tilewright.transforms.facts import divides
from tilewright.transforms.policy import Remainders

_LONG_STRIP = 1024
_NARROWED = 4
_SHORTENED = 32
_FEWEST = 2
"""Whole pieces of which a loop is made."""


class Piece(Struct, frozen=True):
    """A run of `length` positions from `index`; only if `checked` some may lie beyond the end."""

    index: Value
    length: int
    checked: bool


class Box(Struct, frozen=True):
    """A tile's place in a tensor: one piece a mode."""

    pieces: tuple[Piece, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the pieces."""
        return tuple(p.length for p in self.pieces)

    @property
    def indices(self) -> list[Value]:
        """First positions."""
        return [p.index for p in self.pieces]

    @property
    def check(self) -> tuple[bool, ...]:
        """The attribute `check` of accesses; empty where everything is in bounds."""
        return tuple(p.checked for p in self.pieces) if any(p.checked for p in self.pieces) else ()

    def load(self, build: Builder, view: Value) -> Value:
        """The tile at this place."""
        type_ = TileType(self.shape, emit.memref_type(view).element)
        return build(tile.Load(view, self.indices, self.check, result_types=[type_])).out

    def store(self, build: Builder, value: Value, view: Value) -> None:
        """Write a tile at this place."""
        build(tile.Store(value, view, self.indices, self.check))


Body = Callable[[Builder, Piece, list[Value]], list[Value]]
Independent = Callable[[Builder, Piece], object]


def along(
    build: Builder,
    total: Length,
    length: int,
    body: Body,
    carried: Sequence[Value] = (),
    parallel: bool = False,
    remainders: Remainders = Remainders.ALONE,
) -> list[Value]:
    """Call `body(builder, piece, carried values)` for pieces that cover [0, total) in order; the last carried values.

    `parallel` marks the loop; it must not be given with carried values. If `remainders` are checked, all pieces
    of a long total are that do not cover it exactly, which needs the body only once. Smaller ones carry nothing.
    """
    values = list(carried)
    if isinstance(total, int) and (remainders is not Remainders.CHECKED or _is_short(total, length)):
        return _along_static(build, total, length, body, values, parallel)
    step = build.index(length)
    if remainders in (Remainders.ALONE_IF_STATIC, Remainders.CHECKED):
        upper = build.index(total) if isinstance(total, int) else total
        return _loop(build, build.index(0), upper, step, Piece(step, length, True), body, values, parallel)
    assert not isinstance(total, int), "what is peeled of a static total has been"
    if divides(length, total):
        return _loop(build, build.index(0), total, step, Piece(step, length, False), body, values, parallel)
    if remainders is Remainders.SMALLER and not values:
        _smaller_pieces(build, total, length, lambda at, piece: body(at, piece, []))
        return []
    full = emit.sub(build, total, emit.rem(build, total, step))
    values = _loop(build, build.index(0), full, step, Piece(step, length, False), body, values, parallel)
    if values:
        # At most one trip: a loop rather than an if, so that targets carry tiles in one way only.
        return _loop(build, full, total, step, Piece(step, length, True), body, values, False)
    body(emit.open_if(build, emit.less(build, full, total)), Piece(full, length, True), [])
    return []


def _smaller_pieces(build: Builder, total: Value, length: int, body: Callable[[Builder, Piece], object]) -> None:
    """Whole pieces, and what is left in ever smaller ones, down to single positions."""
    lower = whole_pieces(build, build.index(0), total, length, body)
    while length > 1:
        length = max(1, length // _NARROWED)
        lower = whole_pieces(build, lower, total, length, body)


def strips(
    build: Builder, total: Length, length: int, body: Callable[[Builder, Box], None], *, fitted: bool = False
) -> None:
    """Call `body(builder, box)` for independent strips that cover [0, total), as long as `length` where they fit.

    What is left of a dynamic total is done in ever shorter ones, since a checked strip costs as much as a full one; or
    in one, if checked ones are `fitted`: they cost what there is of them, but for one that is a tile in registers.
    """

    def on_box(at: Builder, piece: Piece) -> None:
        body(at, Box((piece,)))

    if isinstance(total, int) or length < _LONG_STRIP:
        along(build, total, length, _independent(on_box), parallel=True)
        return
    lower, short = whole_pieces(build, build.index(0), total, length, on_box), length // _SHORTENED
    if fitted:
        inside = emit.open_if(build, emit.less(build, lower, total))
        is_long = emit.less(inside, emit.add(inside, lower, inside.index(short)), total)
        (many, long), (few, rest) = new_region(), new_region()
        inside(If(is_long, many, few))
        on_box(Builder.at_end(long, build.location), Piece(lower, length, True))
        on_box(Builder.at_end(rest, build.location), Piece(lower, short, True))
        return
    while short >= _LONG_STRIP:
        lower, short = whole_pieces(build, lower, total, short, on_box), short // _SHORTENED
    upper = whole_pieces(build, lower, total, short, on_box)
    on_box(emit.open_if(build, emit.less(build, upper, total)), Piece(upper, short, True))


def whole_pieces(build: Builder, lower: Value, total: Value, length: int, body: Independent) -> Value:
    """Call `body(builder, piece)` for independent whole pieces from `lower`, a multiple of `length`, on: their end."""
    step = build.index(length)
    upper = emit.sub(build, total, emit.rem(build, total, step))
    _loop(build, lower, upper, step, Piece(step, length, False), _independent(body), [], True)
    return upper


def checked_pieces(build: Builder, lower: Value, total: Value, length: int, body: Independent) -> None:
    """Call `body(builder, piece)` for independent pieces from `lower` on, all of which test where the total ends."""
    step = build.index(length)
    _loop(build, lower, total, step, Piece(step, length, True), _independent(body), [], True)


def _independent(body: Independent) -> Body:
    def step(at: Builder, piece: Piece, _: list[Value]) -> list[Value]:
        body(at, piece)
        return []

    return step


def _is_short(total: int, length: int) -> bool:
    """Whether pieces cover it exactly, or there is no loop: code for one whole piece and a rest is worth its speed."""
    return total % length == 0 or total < _FEWEST * length


def _along_static(
    build: Builder, total: int, length: int, body: Body, values: list[Value], parallel: bool
) -> list[Value]:
    count, rest = divmod(total, length)
    if count == 1:
        values = body(build, Piece(build.index(0), length, False), values)
    elif count:
        piece = Piece(build.index(length), length, False)
        end = build.index(count * length)
        values = _loop(build, build.index(0), end, piece.index, piece, body, values, parallel)
    if rest:
        values = body(build, Piece(build.index(count * length), rest, False), values)
    return values


def _loop(
    build: Builder,
    lower: Value,
    upper: Value,
    step: Value,
    piece: Piece,
    body: Body,
    values: list[Value],
    parallel: bool,
) -> list[Value]:
    loop = emit.open_loop(build, lower, upper, step, values, parallel and not values)
    return loop.finish(body(loop.body, Piece(loop.index, piece.length, piece.checked), loop.carried))


def cover(
    build: Builder,
    totals: Sequence[Length],
    lengths: Sequence[int],
    order: Sequence[int],
    body: Callable[[Builder, Box], None],
    remainders: Remainders = Remainders.ALONE,
) -> None:
    """Call `body(builder, box)` for boxes that cover the tensor; `order` lists the modes, outermost loop first."""

    def descend(inner: Builder, depth: int, pieces: dict[int, Piece]) -> None:
        if depth == len(order):
            body(inner, Box(tuple(pieces[k] for k in range(len(order)))))
            return
        mode = order[depth]

        def step(at: Builder, piece: Piece, _: list[Value]) -> list[Value]:
            descend(at, depth + 1, {**pieces, mode: piece})
            return []

        along(inner, totals[mode], lengths[mode], step, parallel=True, remainders=remainders)

    descend(build, 0, {})


def extents(build: Builder, view: Value) -> list[Length]:
    """All extents of a view."""
    return [emit.extent(build, view, k) for k in range(emit.memref_type(view).order)]


def loop_order(type_: MemrefType) -> list[int]:
    """Modes by falling stride: the innermost loop runs through adjacent memory. Unknown strides count as large."""
    largest = 1 << 62

    def stride(mode: int) -> tuple[int, int]:
        known = type_.strides[mode]
        return (largest if known is None else known, mode)

    return sorted(range(type_.order), key=stride, reverse=True)
