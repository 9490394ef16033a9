"""Boxes as collective instructions on views, with loops around them for modes that the instruction has no room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from tilewright.dialects import arith, memref, tl
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import MemrefType
from tilewright.transforms import emit
from tilewright.transforms.conditions import Conjunction
from tilewright.transforms.emit import Length, Number
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.raise_contractions.boxes import Box, Subscript, uses
from tilewright.transforms.raise_contractions.progressions import Progression, constant


class Instruction(Struct, frozen=True):
    """A collective on some modes of a box: for each tensor, target first, the modes that it keeps, in order.

    `exchanged`: the second source stands in front of the first.
    """

    kept: tuple[tuple[int, ...], ...]
    make: Callable[[Value, Sequence[Value], Value, Value], Operation]
    exchanged: bool = False


def instruction(box: Box) -> Instruction | None:
    """The instruction that computes the most of a box at once; None if there is none."""
    match len(box.update.sources):
        case 0:
            return _fill(box) if box.update.sign == 0 and not box.update.accumulates else None
        case 1:
            return _of_one(box)
        case 2:
            return _of_two(box)
        case _:
            return None


def length(mode: Progression) -> int | None:
    """How many positions a mode has, if that is known."""
    lengths = [constant(end.plus(first, -1)) for end in mode.ends for first in mode.firsts]
    return None if None in lengths else max(0, min(n for n in lengths if n is not None))


def _by_use(box: Box) -> dict[tuple[bool, ...], list[int]]:
    """The modes of more than one position, long ones first, by the tensors that have them.

    A mode that a tensor has twice, along a diagonal, is none that an instruction knows.
    """
    found: dict[tuple[bool, ...], list[int]] = {}
    for mode, progression in enumerate(box.modes):
        twice = any(sum(s.mode == mode for s in row) > 1 for row in box.subscripts)
        if length(progression) != 1 and not twice:
            found.setdefault(uses(box, mode), []).append(mode)
    for modes in found.values():
        modes.sort(key=lambda mode: -(length(box.modes[mode]) or 1 << 40))
    return found


def _fill(box: Box) -> Instruction:
    modes = _by_use(box).get((True,), [])[:2]
    kept = tuple(sorted(modes, key=lambda mode: _position(box, 0, mode)))
    return Instruction((kept,), lambda alpha, _, beta, target: tl.Axpby(beta, target, beta, target))


def _position(box: Box, tensor: int, mode: int) -> int:
    """Where among the subscripts of a tensor a mode stands."""
    return next(k for k, subscript in enumerate(box.subscripts[tensor]) if subscript.mode == mode)


def _kept(box: Box, tensor: int, modes: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(modes, key=lambda mode: _position(box, tensor, mode)))


def _of_one(box: Box) -> Instruction:
    by_use = _by_use(box)
    shared, summed = by_use.get((True, True), []), by_use.get((False, True), [])
    if summed:
        kept = shared[:1]
        source = _kept(box, 1, [*kept, summed[0]])
        turned = source != (*kept, summed[0])
        return Instruction(
            (tuple(kept), source), lambda alpha, a, beta, b: tl.Sum(alpha, a[0], beta, b, transpose=turned)
        )
    target, source = _kept(box, 0, shared[:2]), _kept(box, 1, shared[:2])
    turned = target != source
    return Instruction((target, source), lambda alpha, a, beta, b: tl.Axpby(alpha, a[0], beta, b, transpose=turned))


def _of_two(box: Box) -> Instruction | None:
    by_use = _by_use(box)
    rows, columns = by_use.get((True, True, False), []), by_use.get((True, False, True), [])
    inner, common = by_use.get((False, True, True), []), by_use.get((True, True, True), [])
    if rows and columns and inner:
        return _gemm(box, rows[0], columns[0], inner[0])
    if inner and (rows or columns):
        return _gemv(box, rows[0], inner[0], 1) if rows else _gemv(box, columns[0], inner[0], 2)
    if rows and columns:
        return _ger(box, rows[0], columns[0])
    if common and not (rows or columns or inner):
        orders = [_kept(box, tensor, common[:2]) for tensor in range(3)]
        if orders[1] != orders[0] or orders[2] != orders[0]:
            orders = [(common[0],)] * 3
        return Instruction(tuple(orders), lambda alpha, a, beta, c: tl.Hadamard(alpha, a[0], a[1], beta, c))
    return None


def _gemm(box: Box, row: int, column: int, inner: int) -> Instruction:
    """A transposed target is the product of the transposed factors in the other order."""
    target = _kept(box, 0, [row, column])
    exchanged = target != (row, column)
    left, right = (column, 2), (row, 1)
    if not exchanged:
        left, right = (row, 1), (column, 2)
    a, b = _kept(box, left[1], [left[0], inner]), _kept(box, right[1], [inner, right[0]])
    turned_a, turned_b = a != (left[0], inner), b != (inner, right[0])
    kept = (target, b, a) if exchanged else (target, a, b)
    return Instruction(
        kept,
        lambda alpha, s, beta, c: tl.Gemm(alpha, s[0], s[1], beta, c, transpose_a=turned_a, transpose_b=turned_b),
        exchanged,
    )


def _gemv(box: Box, row: int, inner: int, matrix: int) -> Instruction:
    a = _kept(box, matrix, [row, inner])
    turned = a != (row, inner)
    kept = ((row,), a, (inner,)) if matrix == 1 else ((row,), (inner,), a)
    return Instruction(
        kept, lambda alpha, s, beta, c: tl.Gemv(alpha, s[0], s[1], beta, c, transpose=turned), matrix == 2
    )


def _ger(box: Box, row: int, column: int) -> Instruction:
    target = _kept(box, 0, [row, column])
    exchanged = target != (row, column)
    return Instruction(
        (target, (row,), (column,)), lambda alpha, s, beta, c: tl.Ger(alpha, s[0], s[1], beta, c), exchanged
    )


def sums_in_loops(box: Box, one: Instruction) -> bool:
    """Whether loops around the instruction add to elements of the target again and again."""
    return any(
        length(progression) != 1 and not uses(box, mode)[0] and all(mode not in kept for kept in one.kept)
        for mode, progression in enumerate(box.modes)
    )


class _Run(Struct, frozen=True):
    """Where a mode begins, and how many positions it has."""

    first: Length
    length: Length


def emit_box(build: Builder, box: Box, one: Instruction, *, overwrites: bool) -> None:
    """Write the instruction of a box, in loops over the modes that it does not keep."""
    runs = [_run(build, progression) for progression in box.modes]
    if any(run.length == 0 for run in runs):
        return
    if not overwrites:
        build = _if_it_sums(build, box, one, runs)
    positions = [run.first for run in runs]
    alpha, beta = _alpha(build, box), _number(build, box, 0 if overwrites else 1)
    for mode, run in enumerate(runs):
        if run.length != 1 and all(mode not in kept for kept in one.kept):
            first = emit.as_value(build, run.first)
            end = emit.add(build, first, emit.as_value(build, run.length))
            build = _inside(build, first, end, positions, mode)
    views = [
        _view(build, place.base, row, kept, positions, runs)
        for place, row, kept in zip((box.update.target, *box.update.sources), box.subscripts, one.kept, strict=True)
    ]
    sources = views[1:][::-1] if one.exchanged else views[1:]
    build(one.make(alpha, sources, beta, views[0]))


def _if_it_sums(build: Builder, box: Box, one: Instruction, runs: Sequence[_Run]) -> Builder:
    """Where the instruction stands: in a branch if its sum may be empty and the target may reach beyond its memory.

    Loops that sum nothing touch no element of the target, which an instruction reads and writes all the same.
    """
    kept = {mode for modes in one.kept[1:] for mode in modes if not uses(box, mode)[0]}
    open_ended = [runs[mode].length for mode in kept if not isinstance(runs[mode].length, int)]
    if not open_ended or _is_all_memory(box):
        return build
    holds = Conjunction(build)
    for terms in open_ended:
        holds.at_most(1, terms)
    assert holds.value is not None
    return emit.open_if(build, holds.value)


def _is_all_memory(box: Box) -> bool:
    """Whether the target is a whole memref, by extents that are its own."""
    base = box.update.target.base
    for k, subscript in enumerate(box.subscripts[0]):
        mode = box.modes[subscript.mode]
        ((first,), (end,)) = mode.firsts[:1], mode.ends[:1]
        starts = subscript.distance == Linear() == first and len(mode.firsts) == len(mode.ends) == 1
        known = emit.memref_type(base).shape[k]
        ends = end == Linear(known) if known is not None else _is_extent(end, base, k)
        if not starts or not ends:
            return False
    return True


def _is_extent(form: Linear, base: Value, mode: int) -> bool:
    """Whether a sum is the extent of a memref that the program asks for."""
    value = form.terms[0][0] if len(form.terms) == 1 and form == Linear(0, ((form.terms[0][0], 1),)) else None
    op = None if value is None else value.defining_op
    return isinstance(op, memref.Size) and op.source is base and op.mode == mode


def _inside(build: Builder, first: Value, end: Value, positions: list[Length], mode: int) -> Builder:
    loop = emit.open_loop(build, first, end)
    positions[mode] = loop.index
    return loop.body


def _run(build: Builder, mode: Progression) -> _Run:
    firsts = [emit.as_value(build, form.emitted(build)) for form in mode.firsts]
    first: Length = mode.firsts[0].emitted(build) if len(firsts) == 1 else _folded(build, arith.Max, firsts)
    known = length(mode)
    if known is not None:
        return _Run(first, known)
    end = _folded(build, arith.Min, [emit.as_value(build, form.emitted(build)) for form in mode.ends])
    size = emit.sub(build, end, emit.as_value(build, first))
    return _Run(first, build(arith.Max(size, build.index(0))).out)


def _folded(build: Builder, choice: type[arith.Max] | type[arith.Min], values: Sequence[Value]) -> Value:
    found = values[0]
    for value in values[1:]:
        found = build(choice(found, value)).out
    return found


def _number(build: Builder, box: Box, value: Number) -> Value:
    element = emit.memref_type(box.update.target.base).element
    return build.constant(emit.literal(value, element), element)


def _alpha(build: Builder, box: Box) -> Value:
    scales = [s if isinstance(s, Value) else _number(build, box, s) for s in box.update.scales]
    found = scales[0] if scales else _number(build, box, box.update.sign)
    for scale in scales[1:]:
        found = build(arith.Mul(found, scale)).out
    return build(arith.Neg(found)).out if scales and box.update.sign < 0 else found


def _view(
    build: Builder,
    base: Value,
    row: Sequence[Subscript],
    kept: Sequence[int],
    positions: Sequence[Length],
    runs: Sequence[_Run],
) -> Value:
    """The part of a memref that has the kept modes, at the positions of the others."""
    type_ = emit.memref_type(base)
    offsets: list[Length] = []
    sizes: list[Length] = []
    for subscript in row:
        inside = subscript.mode in kept
        start = runs[subscript.mode].first if inside else positions[subscript.mode]
        offsets.append(_moved(build, start, subscript.distance))
        sizes.append(runs[subscript.mode].length if inside else 0)
    if not row or (offsets == [0] * len(row) and tuple(sizes) == type_.shape):
        return base
    shape = tuple(size if isinstance(size, int) else None for size in sizes if size != 0)
    strides = tuple(stride for size, stride in zip(sizes, type_.strides, strict=True) if size != 0)
    return build(
        memref.Subview(
            base,
            [offset for offset in offsets if not isinstance(offset, int)],
            [size for size in sizes if not isinstance(size, int)],
            tuple(offset if isinstance(offset, int) else None for offset in offsets),
            tuple(size if isinstance(size, int) else None for size in sizes),
            result_types=[MemrefType(type_.element, shape, strides, type_.space)],
        )
    ).out


def _moved(build: Builder, start: Length, distance: Linear) -> Length:
    by = distance.emitted(build)
    if isinstance(start, int) and isinstance(by, int):
        return start + by
    return emit.add(build, emit.as_value(build, start), emit.as_value(build, by))
