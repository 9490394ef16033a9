"""What is no whole tile, dealt to the threads of a launch: each computes elements of C on its own.

    scf.for %e = %id to 384 step 8192 { %x = %e floordiv 3 + 128; %y = %e mod 3; for %z { C[x, y] += A[x, z] B[z, y] } }

Elements of a block's tile that lack summed elements are dealt to its threads, behind a barrier; others to all threads
of the grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import affine, arith, gpu, memref, scf
from tilewright.dialects.mlir.base import integer_of
from tilewright.ir.affine import AffineConstant, AffineExpression, AffineMap, AffineOperator, Dimension, divide
from tilewright.ir.core import Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import INDEX
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.nests import (
    applied,
    axes_of,
    form_of,
    key_of,
    make_loop,
    nested,
    variable,
)
from tilewright.transforms.matmul_stages.remainders import Box, rest_boxes
from tilewright.transforms.matmul_stages.s01_start import emit_update
from tilewright.transforms.matmul_stages.visits import known_subscripts

WHAT = "remainders"


def constant(build: Builder, number: int) -> Value:
    """An index that is a number."""
    return build(arith.Constant(IntegerAttribute(number, INDEX), result_types=[INDEX])).out


def index_value(build: Builder, expression: AffineExpression, values: Sequence[Value], name: str | None) -> Value:
    """What an expression makes of indices."""
    found = build(affine.Apply(list(values), AffineMap(len(values), 0, (expression,)))).out
    found.name = name
    return found


def is_of_tiles(matmul: Matmul, box: Box) -> bool:
    """Whether its elements of C are those of the tiles, which lack summed elements."""
    return all(box[letter] == (0, matmul.tiled[letter]) for letter in "ij")


def deal(matmul: Matmul, launch: gpu.Launch, build: Builder, box: Box) -> None:
    """Loops of the threads of a launch over a box of (i, j, k)."""
    threads = matmul.schedule.warps * 32
    own = is_of_tiles(matmul, box)
    rows, columns = _extents(matmul, box)
    form = _thread(launch, threads, own)
    total = threads if own else threads * _blocks(matmul)
    body, block = new_region([INDEX])
    (element,) = block.arguments
    element.name = "e"
    limits = (applied(build, form), constant(build, rows * columns), constant(build, total))
    loop = build(scf.For(*limits, [], body, result_types=[]))
    matmul.made.rest.append(loop)
    inner = Builder(block, location=build.location)
    row, column = (
        index_value(inner, divide(operator, Dimension(0), AffineConstant(columns)), [element], name)
        for operator, name in ((AffineOperator.FLOORDIV, "x"), (AffineOperator.MOD, "y"))
    )
    at = {
        letter: Linear(0, ((value, 1),)).plus(start)
        for letter, value, start in zip("ij", (row, column), _starts(matmul, box), strict=True)
    }
    summed = make_loop("z", Linear(box["k"][0]), Linear(box["k"][1]), 1)
    within = nested(inner, [summed])
    emit_update(matmul, within, {**at, "k": Linear(0, ((variable(summed), 1),))}, by_index=True)
    inner(scf.Yield([]))


def _extents(matmul: Matmul, box: Box) -> tuple[int, int]:
    """Rows and columns that are dealt together."""
    if is_of_tiles(matmul, box):
        return matmul.block["i"], matmul.block["j"]
    return box["i"][1] - box["i"][0], box["j"][1] - box["j"][0]


def _starts(matmul: Matmul, box: Box) -> list[Linear]:
    """Where rows and columns begin."""
    if is_of_tiles(matmul, box):
        return [matmul.start(letter) for letter in "ij"]
    return [Linear(box[letter][0]) for letter in "ij"]


def _blocks(matmul: Matmul) -> int:
    return math.prod(matmul.tiled[letter] // matmul.block[letter] for letter in "ij")


def _thread(launch: gpu.Launch, threads: int, own: bool) -> Linear:
    """The number of a thread, in its block or in the grid."""
    x, y = launch.ids(0)[:2]
    columns = integer_of(_constant_of(launch.gridSizeX).value)
    thread = Linear(0, ((launch.ids(1)[0], 1),))
    return thread if own else thread.plus(Linear(0, ((x, threads), (y, threads * columns))))


def _constant_of(value: Value) -> arith.Constant:
    op = value.defining_op
    assert isinstance(op, arith.Constant)
    return op


def check_dealt(matmul: Matmul, launch: gpu.Launch) -> None:
    """What is no whole tile is dealt to threads, each (i, j, k) to one. Raises `Broken` if not."""
    boxes = rest_boxes(matmul)
    found = [loop for loop in matmul.made.rest if launch.is_ancestor_of(loop)]
    if len(found) != len(boxes):
        raise Broken(WHAT, launch, f"{len(found)} parts behind the tiles are dealt to threads, of {len(boxes)}")
    for loop, box in zip(found, boxes, strict=True):
        _check_loop(matmul, launch, loop, box)


def _check_loop(matmul: Matmul, launch: gpu.Launch, loop: scf.For, box: Box) -> None:
    """The threads of a loop compute a box, each element of C on its own."""
    own = is_of_tiles(matmul, box)
    rows, columns = _extents(matmul, box)
    threads = matmul.schedule.warps * 32
    limits = (
        (loop.lowerBound, _thread(launch, threads, own)),
        (loop.upperBound, Linear(rows * columns)),
        (loop.step, Linear(threads if own else threads * _blocks(matmul))),
    )
    for value, wanted in limits:
        if key_of(form_of(value)) != key_of(wanted):
            raise Broken(
                WHAT, loop, f"threads do not deal {rows} x {columns} elements: %{value.name} is another number"
            )
    updates = [op for op in loop.walk() if isinstance(op, memref.Load | memref.Store)]
    summed = updates[0].parent_op if updates else None
    if not isinstance(summed, affine.For) or summed.parent_op is not loop or len(updates) != 4:
        raise Broken(WHAT, loop, "a thread computes no sum of products")
    (axis,) = axes_of(summed)
    trips = axis.numbers
    if (axis.first, trips) != (box["k"][0], range(box["k"][1] - box["k"][0])):
        raise Broken(WHAT, summed, f"a thread sums other products than those from {box['k'][0]} to {box['k'][1]}")
    places = _places(matmul, loop, box, columns) | {"k": form_of(axis.variable)}
    wanted_reads = (matmul.a, matmul.b, matmul.c, matmul.c)
    for op, matrix in zip(updates, wanted_reads, strict=True):
        forms = [key_of(places[letter]) for letter in matrix.letters]
        if op.memref is not matrix.memref or list(map(key_of, known_subscripts(op))) != forms:
            raise Broken(WHAT, op, f"%{op.memref.name} is not accessed where the thread's element is")


def _places(matmul: Matmul, loop: scf.For, box: Box, columns: int) -> dict[str, Linear]:
    """Row and column of a thread's element, which are its number divided by the columns."""
    (element,) = loop.body.entry.arguments
    found: dict[str, Linear] = {}
    operators = (AffineOperator.FLOORDIV, AffineOperator.MOD)
    for letter, start, operator in zip("ij", _starts(matmul, box), operators, strict=True):
        wanted = divide(operator, Dimension(0), AffineConstant(columns))
        users = [op for op in loop.body.entry if isinstance(op, affine.Apply) and op.map.results == (wanted,)]
        if len(users) != 1 or list(users[0].values) != [element]:
            raise Broken(WHAT, loop, f"{letter} of a thread's element is not {wanted} of its number")
        found[letter] = start.plus(form_of(users[0].out))
    return found
