"""What is no whole tile, dealt to the threads of a launch: each computes elements of C on its own.

    scf.for %e = %id to 384 step 8192 { %x = %e floordiv 3 + 128; %y = %e mod 3; for %z { C[x, y] += A[x, z] B[z, y] } }

Elements of a block's tile that lack summed elements are dealt to its threads, behind a barrier; others to all threads
of the grid. So is what is done with elements of C in front of the product and behind it: a thread does all of that with
an element before it takes the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, gpu, memref, scf
from tilewright.ir.affine import AffineConstant, AffineSymbol, Dimension, multiply
from tilewright.ir.core import Operation, Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.element_loops import element_loop, row_and_column
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.meanings import WHAT as ELEMENTS
from tilewright.transforms.matmul_stages.meanings import batch_positions, fixed, joined, meaning, position
from tilewright.transforms.matmul_stages.nests import (
    applied,
    axes_of,
    constant,
    form_of,
    index_value,
    key_of,
    make_loop,
    nested,
    replaced,
    stands_before,
    variable,
)
from tilewright.transforms.matmul_stages.remainders import Box, rest_boxes
from tilewright.transforms.matmul_stages.updates import emit_update
from tilewright.transforms.matmul_stages.visits import known_subscripts

WHAT = "remainders"


def is_of_tiles(matmul: Matmul, box: Box) -> bool:
    """Whether its elements of C are those of the tiles, which lack summed elements."""
    return all(box[letter] == (Linear(), matmul.whole[letter]) for letter in "ij")


class Part(Struct, frozen=True):
    """Elements of C that threads deal out among them: what is done with each, and a box of which k it sums."""

    box: Box
    before: bool = False
    summed: bool = False
    behind: bool = False


def parts_in_front(matmul: Matmul) -> list[Part]:
    """What threads do before tiles are multiplied."""
    return [Part(_tiles(matmul), before=True)] if matmul.before else []


def parts_behind(matmul: Matmul) -> list[Part]:
    """What threads do when tiles are multiplied: the rest, and what is done with all elements."""
    found = [Part(box, not is_of_tiles(matmul, box), summed=True, behind=True) for box in rest_boxes(matmul)]
    if matmul.behind and not any(is_of_tiles(matmul, part.box) for part in found):
        found.insert(0, Part(_tiles(matmul), behind=True))
    return found


def _tiles(matmul: Matmul) -> Box:
    return {letter: (Linear(), matmul.whole[letter]) for letter in "ij"} | {"k": (Linear(), Linear())}


def deal(matmul: Matmul, launch: gpu.Launch, build: Builder, part: Part, around: Around) -> None:
    """Loops of the threads of a launch over the elements of a part; `around` is what is done with each."""
    box = part.box
    own = is_of_tiles(matmul, box)
    rows, columns = (_number(build, length) for length in _extents(matmul, box))
    total = matmul.schedule.warps * 32 if own else _threads(matmul, launch, build)
    limits = (_thread(matmul, launch, build, own=own), _product(build, rows, columns), _value(build, total))
    loop, inner, (row, column) = element_loop(build, limits, columns)
    matmul.made.rest.append(loop)
    at = {
        letter: Linear(0, ((value, 1),)).plus(start)
        for letter, value, start in zip("ij", (row, column), _starts(matmul, box), strict=True)
    }
    if part.before:
        _emit_all(inner, around.before, at)
    if part.summed:
        summed = make_loop("z", *box["k"], 1)
        within = nested(inner, [summed])
        emit_update(matmul, within, {**at, "k": Linear(0, ((variable(summed), 1),))}, by_index=True)
    if part.behind:
        _emit_all(inner, around.behind, at)
    inner(scf.Yield([]))


class Around(Struct, frozen=True):
    """The nests over the elements of C that are dealt."""

    before: Sequence[affine.Parallel]
    behind: Sequence[affine.Parallel]


def _emit_all(build: Builder, nests: Sequence[affine.Parallel], at: Mapping[str, Linear]) -> None:
    """What is done with the element at some i and j."""
    for nest in nests:
        variables = [axis.variable for axis in axes_of(nest)]
        places = dict(zip(variables, (at["i"], at["j"]), strict=True))
        computing = [op for op in nest.body.entry if not isinstance(op, affine.Load | affine.Store)]
        used = {value for op in computing for value in op.operands}
        mapping = {value: applied(build, places[value]) for value in variables if value in used}
        for op in nest.body.entry:
            match op:
                case affine.Load():
                    indices = [applied(build, _moved(form, places, mapping)) for form in known_subscripts(op)]
                    mapping[op.out] = build(memref.Load(op.memref, indices)).out
                case affine.Store():
                    indices = [applied(build, _moved(form, places, mapping)) for form in known_subscripts(op)]
                    build(memref.Store(mapping.get(op.value, op.value), op.memref, indices))
                case affine.Yield():
                    pass
                case _:
                    build(op.clone(mapping))


def _moved(form: Linear, places: Mapping[Value, Linear], mapping: Mapping[Value, Value]) -> Linear:
    """A subscript at another place; what the body computes is that of the copy."""
    copies = {value: Linear(0, ((copy, 1),)) for value, copy in mapping.items() if value not in places}
    return replaced(form, {**copies, **places})


def _extents(matmul: Matmul, box: Box) -> tuple[Linear, Linear]:
    """Rows and columns that are dealt together."""
    if is_of_tiles(matmul, box):
        return Linear(matmul.block["i"]), Linear(matmul.block["j"])
    rows, columns = (box[letter][1].plus(box[letter][0], -1) for letter in "ij")
    return rows, columns


def _starts(matmul: Matmul, box: Box) -> list[Linear]:
    """Where rows and columns begin."""
    if is_of_tiles(matmul, box):
        return [matmul.start(letter) for letter in "ij"]
    return [box[letter][0] for letter in "ij"]


_Number = int | Value


def _number(build: Builder, length: Linear) -> _Number:
    return applied(build, length) if length.terms else length.constant


def _value(build: Builder, number: _Number) -> Value:
    return constant(build, number) if isinstance(number, int) else number


def _product(build: Builder, x: _Number, y: _Number) -> Value:
    """A product of numbers that do not change in the function."""
    symbols = [number for number in (x, y) if isinstance(number, Value)]
    places = iter(range(len(symbols)))
    left, right = (AffineConstant(n) if isinstance(n, int) else AffineSymbol(next(places)) for n in (x, y))
    expression = multiply(left, right)
    if isinstance(expression, AffineConstant):
        return constant(build, expression.value)
    return index_value(build, expression, [], None, symbols)


def _threads(matmul: Matmul, launch: gpu.Launch, build: Builder) -> _Number:
    """How many threads a grid has in one entry of a batch."""
    threads, (m, n) = matmul.schedule.warps * 32, matmul.blocks
    if m is not None and n is not None:
        return threads * m * n
    blocks = _product(build, launch.gridSizeX if n is None else n, launch.gridSizeY if m is None else m)
    return _product(build, blocks, threads)


def _thread(matmul: Matmul, launch: gpu.Launch, build: Builder, *, own: bool) -> Value:
    """The number of a thread, in its block or in the grid."""
    columns, (x, y) = matmul.blocks[1], launch.ids(0)[:2]
    if own or columns is not None:
        return applied(build, _thread_form(matmul, launch, columns or 0, own=own))
    row = index_value(build, multiply(Dimension(0), AffineSymbol(0)), [y], None, [launch.gridSizeX])
    threads = matmul.schedule.warps * 32
    return applied(build, Linear(0, ((launch.ids(1)[0], 1), (x, threads), (row, threads))))


def _thread_form(matmul: Matmul, launch: gpu.Launch, columns: int, *, own: bool) -> Linear:
    """The same as a sum, where the blocks of a row are known."""
    (x, y), threads = launch.ids(0)[:2], matmul.schedule.warps * 32
    thread = Linear(0, ((launch.ids(1)[0], 1),))
    return thread if own else thread.plus(Linear(0, ((x, threads), (y, threads * columns))))


def check_dealt(matmul: Matmul, launch: gpu.Launch) -> None:
    """What is no whole tile is dealt to threads, each (i, j, k) to one, and so is what is done with elements of C.

    Raises `Broken` if not.
    """
    front, parts = parts_in_front(matmul), [*parts_in_front(matmul), *parts_behind(matmul)]
    found = [loop for loop in matmul.made.rest if launch.is_ancestor_of(loop)]
    if len(found) != len(parts):
        raise Broken(WHAT, launch, f"{len(found)} parts beside the tiles are dealt to threads, of {len(parts)}")
    k = matmul.loop("k", WHAT)
    for number, (loop, part) in enumerate(zip(found, parts, strict=True)):
        _check_loop(matmul, launch, loop, part)
        around = next(op for op in (k, *k.ancestors()) if op is launch or op.block is loop.block)
        first, second = (loop, around) if number < len(front) else (around, loop)
        if not stands_before(first, second):
            raise Broken(WHAT, loop, "threads have elements of C before or behind the products, where they should not")


def _check_loop(matmul: Matmul, launch: gpu.Launch, loop: scf.For, part: Part) -> None:
    """The threads of a loop do all of a part, each element of C on its own."""
    box = part.box
    own = is_of_tiles(matmul, box)
    rows, columns = (length.constant for length in _extents(matmul, box))
    threads = matmul.schedule.warps * 32
    m, n = (count or 0 for count in matmul.blocks)
    limits = (
        (loop.lowerBound, _thread_form(matmul, launch, n, own=own)),
        (loop.upperBound, Linear(rows * columns)),
        (loop.step, Linear(threads if own else threads * m * n)),
    )
    for value, wanted in limits:
        if key_of(form_of(value)) != key_of(wanted):
            raise Broken(
                WHAT, loop, f"threads do not deal {rows} x {columns} elements: %{value.name} is another number"
            )
    if not rows * columns:
        return
    places = _places(matmul, loop, box, columns)
    ops = [op for op in loop.body.entry if not isinstance(op, scf.Yield)]
    sums = [op for op in ops if op.regions]
    if len(sums) != part.summed:
        raise Broken(WHAT, loop, "a thread computes no sum of products")
    if part.summed:
        _check_sum(matmul, box, sums[0], {letter: whole for letter, (_, whole) in places.items()})
    middle = ops.index(sums[0]) if sums else len(ops) if part.before else 0
    at = {**batch_positions(matmul), **places}
    for some, wanted in ((ops[:middle], matmul.before * part.before), (ops[middle:], matmul.behind * part.behind)):
        body = [op for op in some if op not in sums]
        if meaning(body, at) != fixed(joined(wanted), at):
            raise Broken(ELEMENTS, loop, "what is done with an element of C is not what it was")


def _check_sum(matmul: Matmul, box: Box, summed: Operation, at: Mapping[str, Linear]) -> None:
    """A thread sums all products of its element."""
    updates = [op for op in summed.walk() if isinstance(op, memref.Load | memref.Store)]
    if not isinstance(summed, affine.For) or len(updates) != 4:
        raise Broken(WHAT, summed, "a thread computes no sum of products")
    (axis,) = axes_of(summed)
    trips = axis.numbers
    low, high = (end.constant for end in box["k"])
    if (axis.first, trips) != (low, range(high - low)):
        raise Broken(WHAT, summed, f"a thread sums other products than those from {low} to {high}")
    places = {**at, "k": form_of(axis.variable)}
    wanted_reads = (matmul.a, matmul.b, matmul.c, matmul.c)
    for op, matrix in zip(updates, wanted_reads, strict=True):
        forms = [key_of(places[letter]) for letter in matrix.letters]
        if op.memref is not matrix.memref or list(map(key_of, known_subscripts(op))) != forms:
            raise Broken(WHAT, op, f"%{op.memref.name} is not accessed where the thread's element is")
    scales = [value for op in summed.walk() for value in op.operands if value is matmul.alpha]
    if len(scales) != (matmul.alpha is not None):
        raise Broken("scale", summed, "products of a thread are not multiplied by what they are scaled by")


def _places(matmul: Matmul, loop: scf.For, box: Box, columns: int) -> dict[str, tuple[Value | None, Linear]]:
    """Row and column of a thread's element."""
    parts = zip("ij", row_and_column(loop, columns, WHAT), _starts(matmul, box), strict=True)
    return {letter: position(part, start.plus(part)) for letter, part, start in parts}
