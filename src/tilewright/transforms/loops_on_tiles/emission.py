"""The iterations of a loop in pieces: what each of them does to elements, done to tiles of them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects import arith, memref, scf, tile
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.tile_combine import ReduceBy
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.types import I32, MemrefType, TileType
from tilewright.transforms import emit
from tilewright.transforms.emit import Length
from tilewright.transforms.index_ranges import Linear, linear
from tilewright.transforms.loop_nests.nests import Place
from tilewright.transforms.loops_on_tiles.lanes import EXTREMA, SUMS, Folded, Lanes, without
from tilewright.transforms.policy import TilePolicy
from tilewright.transforms.tile_values import tile_type
from tilewright.transforms.tiling import Box, Piece, along


def emit_pieces(lanes: Lanes, tiles: TilePolicy, fewest: int) -> None:
    """Replace a loop by one over tiles, whose last may be a part. One that folds stays for fewer iterations."""
    loop, build = lanes.loop, Builder.before_op(lanes.loop)
    count = count_of(build, loop.lower, loop.upper)
    if isinstance(count, int) or not lanes.folded:
        found = _pieces(build, lanes, tiles, count)
    else:
        (many, inside), (few, otherwise) = new_region(), new_region()
        types = [result.type for result in loop.results]
        is_long = emit.not_less(build, count, build.index(fewest))
        found = list(build(scf.If(is_long, many, few, result_types=types)).results)
        at, beside = Builder.at_end(inside, loop.location), Builder.at_end(otherwise, loop.location)
        sums, copy = _pieces(at, lanes, tiles, count), beside(loop.clone())
        if types:
            at(scf.Yield(sums))
            beside(scf.Yield(list(copy.results)))
    for result, value in zip(loop.results, found, strict=True):
        result.replace_all_uses_with(value)
    loop.erase()


def _pieces(build: Builder, lanes: Lanes, tiles: TilePolicy, count: Length) -> list[Value]:
    """The iterations of a loop that has some; what it carries at its end."""
    length = _length(lanes, tiles, count)
    pieces = _Pieces(lanes, count, {place: _row(build, lanes, place, count) for place in lanes.rows})
    olds = [_old(build, fold) for fold in lanes.folded]
    inits = [_start(build, fold, old, length) for fold, old in zip(lanes.folded, olds, strict=True)]
    # pieces that hand tiles on are all of one length
    total = build.index(count) if isinstance(count, int) and inits and count % length else count
    last = along(build, total, length, pieces.body, inits, parallel=not inits)
    carried: list[Value] = []
    for fold, old, values in zip(lanes.folded, olds, last, strict=True):
        found = _folded(build, fold, values)
        if not isinstance(fold.step, EXTREMA):
            found = _combined(build, fold, old, found)
        if fold.store is None:
            carried.append(found)
        else:
            build(memref.Store(found, fold.store.place.base, _indices(build, fold.store.place)))
    return carried


class _Pieces(Struct, frozen=True):
    """What a piece of the iterations becomes; `rows` are the elements that all of them access."""

    lanes: Lanes
    count: Length
    rows: dict[Place, Value]

    def body(self, at: Builder, piece: Piece, carried: list[Value]) -> list[Value]:
        """The iterations of a piece; the new values of what is folded."""
        mapping = {fold.old: value for fold, value in zip(self.lanes.folded, carried, strict=True)}
        for op in self.lanes.ops:
            self._operation(at, op, piece, mapping)
        found = [mapping[fold.step.results[0]] for fold in self.lanes.folded]
        if not piece.checked or not found:
            return found
        is_there = self._mask(at, piece)
        return [emit.select(at, is_there, new, old) for new, old in zip(found, carried, strict=True)]

    def _operation(self, at: Builder, op: Operation, piece: Piece, mapping: dict[Value, Value]) -> None:
        access, box = self.lanes.accesses.get(op), Box((piece,))
        if isinstance(op, memref.Store):
            assert access is not None
            value = mapping.get(op.value, op.value)
            box.store(at, shaped(at, value, piece.length), self.rows[access.place])
        elif access is None:
            mapping[op.results[0]] = computed(at, op, mapping, piece.length)
        elif access.mode is None:
            mapping[op.results[0]] = at(memref.Load(access.place.base, _indices(at, access.place))).out
        else:
            mapping[op.results[0]] = box.load(at, self.rows[access.place])

    def _mask(self, at: Builder, piece: Piece) -> Value:
        """Which elements of the last piece are there."""
        left = emit.cast(at, emit.sub(at, emit.as_value(at, self.count), piece.index), I32)
        places = at(tile.Iota(0, result_types=[TileType((piece.length,), I32)])).out
        return emit.less(at, places, shaped(at, left, piece.length))


def computed(at: Builder, op: Operation, mapping: dict[Value, Value], length: int) -> Value:
    """The result of an operation on elements: of all at once, if an operand differs among them."""
    operands = {value: mapping.get(value, value) for value in op.operands}
    if not any(isinstance(value.type, TileType) for value in operands.values()):
        return at(op.clone(operands)).results[0]
    copy = op.clone({value: shaped(at, now, length) for value, now in operands.items()})
    (result,) = copy.results
    result.type = _tile(result, length)
    return at(copy).results[0]


def shaped(build: Builder, value: Value, length: int) -> Value:
    """A value of each element, in a tile."""
    return value if isinstance(value.type, TileType) else emit.shaped(build, value, _tile(value, length))


def _tile(value: Value, length: int) -> TileType:
    return TileType((length,), emit.scalar_type(value.type))


def count_of(build: Builder, lower: Value, upper: Value) -> Length:
    """How many integers there are from one on in front of another one."""
    first, end = emit.integer_of(lower), emit.integer_of(upper)
    if first is not None and end is not None:
        return max(end - first, 0)
    # clamped first, for what is far below may be too far for a difference
    return emit.sub(build, emit.maximum(build, upper, lower), lower)


def _length(lanes: Lanes, tiles: TilePolicy, count: Length) -> int:
    """Elements of a piece: as many as of a vector that is added up, or all."""
    widest = max(lanes.elements, key=lambda element: element.bytes)
    longest = tiles.reduction_tile(MemrefType(widest, (None,), (1,)), 0)[0]
    return min(count, longest) if isinstance(count, int) else longest


def _row(build: Builder, lanes: Lanes, place: Place, count: Length) -> Value:
    """The elements of a place in all iterations, in order."""
    along_ = lanes.rows[place]
    forms = [without(form, lanes.loop.index) for form in place.subscripts]
    forms[along_] = forms[along_].plus(linear(lanes.loop.lower))
    return row_at(build, place.base, forms, along_, count)


def row_at(build: Builder, base: Value, forms: Sequence[Linear], along_: int, count: Length) -> Value:
    """So many elements of a memref along a mode of stride 1, from the one at some subscripts on."""
    type_ = emit.memref_type(base)
    offsets = [form.emitted(build) for form in forms]
    sizes = [count if mode == along_ else 0 for mode in range(type_.order)]
    return build(
        memref.Subview(
            base,
            [offset for offset in offsets if not isinstance(offset, int)],
            [size for size in sizes if not isinstance(size, int)],
            tuple(offset if isinstance(offset, int) else None for offset in offsets),
            tuple(size if isinstance(size, int) else None for size in sizes),
            result_types=[
                MemrefType(type_.element, (count if isinstance(count, int) else None,), (1,), type_.space),
            ],
        )
    ).out


def _indices(build: Builder, place: Place) -> list[Value]:
    return [emit.as_value(build, form.emitted(build)) for form in place.subscripts]


def _old(build: Builder, fold: Folded) -> Value:
    """The value that the first iteration finds."""
    if fold.store is not None:
        return build(memref.Load(fold.store.place.base, _indices(build, fold.store.place))).out
    assert isinstance(fold.old, BlockArgument)
    loop = fold.old.block.parent_op
    assert isinstance(loop, scf.For)
    return loop.inits[fold.old.index - 1]


def _start(build: Builder, fold: Folded, old: Value, length: int) -> Value:
    """What elements are folded into: the old value where that may be done often, else what changes nothing."""
    type_ = _tile(old, length)
    if isinstance(fold.step, EXTREMA):
        return shaped(build, old, length)
    if isinstance(fold.step, arith.Mul):
        return build.constant(emit.literal(1, type_.element), type_)
    if type_.element.is_complex:
        return build.constant(complex(-0.0, -0.0), type_)
    return build.constant(-0.0 if type_.element.is_float else 0, type_)


def _combined(build: Builder, fold: Folded, x: Value, y: Value) -> Value:
    """The values of two iterations together."""
    if isinstance(fold.step, SUMS):
        return build(arith.Add(x, y)).out
    return build(fold.step.clone(dict(zip(fold.step.operands, (x, y), strict=True)))).results[0]


def _folded(build: Builder, fold: Folded, values: Value) -> Value:
    """All elements of a tile in one."""
    element = tile_type(values).element
    region, block = new_region([element, element])
    inside = Builder.at_end(block, build.location)
    inside(scf.Yield([_combined(inside, fold, *block.arguments)]))
    (found,) = build(ReduceBy([values], 0, region, result_types=[TileType((), element)])).outs
    return build(tile.Item(found)).out
