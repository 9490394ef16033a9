"""The tile of C in shared memory, where only a launch knows how far apart rows of C are: matrices have to know it.

    for %x, %y { c_smem[x, y] := C[x + i, y + j] }   sums in c_smem   for %x, %y { C[x + i, y + j] := c_smem[x, y] }

Stage 6 makes both nests, in the body of j in front of the steps along k and behind them. Stage 14 makes them parallel,
stage 15 deals their elements to the threads of a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, gpu, memref, scf
from tilewright.ir.core import Value
from tilewright.ir.mlir.types import MemrefType
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.copies import SHARED
from tilewright.transforms.matmul_stages.element_loops import element_loop, row_and_column
from tilewright.transforms.matmul_stages.layouts import pitch_of
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.nests import (
    Element,
    applied,
    axes_of,
    constant,
    form_of,
    key_of,
    make_loop,
    map_of,
    nested,
    perfect_nest,
    stands_before,
    subscripts,
    variable,
)

WHAT = "sums in shared memory"


def stage_sums(matmul: Matmul) -> None:
    """Let a buffer stand for the tile of C, if rows of C are of open length."""
    if pitch_of(matmul.c.memref) is not None:
        return
    body, k = matmul.loop("j", WHAT).body.entry, matmul.loop("k", WHAT)
    first, last = body.first, body.last
    assert first is not None
    type_ = MemrefType(matmul.c.of(matmul.block), matmul.c.element, None, SHARED)
    buffer = Builder(body, first, first.location)(memref.Alloc([], [], result_types=[type_])).memref
    buffer.name = "c_smem"
    Builder(body, last, first.location)(memref.Dealloc(buffer))
    places = (Builder.before_op(k), Builder(body, k.next, k.location))
    matmul.made.staged = [
        _nest(matmul, build, buffer, is_first=is_first) for build, is_first in zip(places, (True, False), strict=True)
    ]
    matmul.made.sums = buffer


def _nest(matmul: Matmul, build: Builder, buffer: Value, *, is_first: bool) -> affine.For:
    """Loops over the tile that fill the buffer, or store it."""
    loops = [make_loop(f"c_{letter}", Linear(), Linear(matmul.block[letter]), 1) for letter in matmul.c.letters]
    inner = nested(build, loops)
    own = [Linear(0, ((variable(loop), 1),)) for loop in loops]
    (source, at), (target, to) = _ends(matmul, buffer, own, is_first=is_first)
    map_, values = map_of(at)
    element = inner(affine.Load(source, values, map_)).out
    map_, values = map_of(to)
    inner(affine.Store(element, target, values, map_))
    return loops[0]


_End = tuple[Value, list[Linear]]


def _ends(matmul: Matmul, buffer: Value, own: Sequence[Linear], *, is_first: bool) -> tuple[_End, _End]:
    """From where to where an element goes whose place in the tile is known."""
    starts = (matmul.start(letter) for letter in matmul.c.letters)
    outside: _End = (matmul.c.memref, [place.plus(start) for place, start in zip(own, starts, strict=True)])
    inside: _End = (buffer, list(own))
    return (outside, inside) if is_first else (inside, outside)


def deal_sums(matmul: Matmul, launch: gpu.Launch) -> None:
    """Let the threads of a block fill the buffer and store it, each every so many elements."""
    dealt: list[scf.For] = []
    for nest, is_first in zip(matmul.made.staged, (True, False), strict=False):
        build = Builder.before_op(nest)
        rows, columns = matmul.c.of(matmul.block)
        limits = (launch.ids(1)[0], constant(build, rows * columns), launch.blockSizeX)
        loop, inner, place = element_loop(build, limits, columns)
        dealt.append(loop)
        (source, at), (target, to) = _ends(matmul, matmul.sums, list(map(form_of, place)), is_first=is_first)
        value = inner(memref.Load(source, [applied(inner, form) for form in at])).out
        inner(memref.Store(value, target, [applied(inner, form) for form in to]))
        inner(scf.Yield([]))
        nest.erase()
    matmul.made.staged = dealt


def check_sums(matmul: Matmul) -> None:
    """The buffer is filled with the tile of C in front of the products, and stored there behind them.

    Raises `Broken` if not.
    """
    nests = matmul.made.staged
    if not nests:
        return
    if len(nests) != 2 or not all(matmul.function.is_ancestor_of(nest) for nest in nests):
        raise Broken(WHAT, matmul.function, "the tile of C is not filled once and stored once")
    k = matmul.loop("k", WHAT)
    products = next((op for op in (k, *k.ancestors()) if op.block is nests[0].block), None)
    order = [nests[0], products, nests[1]]
    for first, second in pairwise(order):
        if first is None or second is None or first.block is not second.block or not stands_before(first, second):
            raise Broken(WHAT, nests[1], "the tile of C is not filled in front of products and stored behind them")
    for nest, is_first in zip(nests, (True, False), strict=True):
        _check_nest(matmul, nest, is_first=is_first)


def _check_nest(matmul: Matmul, nest: affine.For | affine.Parallel | scf.For, *, is_first: bool) -> None:
    """All elements of the tile go where they belong."""
    own = _places_of(matmul, nest)
    ends = _ends(matmul, matmul.sums, own, is_first=is_first)
    moved = [op for op in nest.walk() if isinstance(op, Element)]
    if [type(op).__name__ for op in moved] != ["Load", "Store"] or moved[1].operands[0] is not moved[0].results[0]:
        raise Broken(WHAT, nest, "an element is not moved as it is")
    for op, (memory, place) in zip(moved, ends, strict=True):
        if op.memref is not memory or list(map(key_of, subscripts(op) or ())) != list(map(key_of, place)):
            raise Broken(WHAT, op, f"%{op.memref.name} is not accessed where the element of the tile is")


def _places_of(matmul: Matmul, nest: affine.For | affine.Parallel | scf.For) -> list[Linear]:
    """Row and column in the tile, of which all come."""
    rows, columns = matmul.c.of(matmul.block)
    if isinstance(nest, scf.For):
        limits = (nest.lowerBound, nest.upperBound, nest.step)
        launch = next(op for op in nest.ancestors() if isinstance(op, gpu.Launch))
        wanted = (form_of(launch.ids(1)[0]), Linear(rows * columns), form_of(launch.blockSizeX))
        if tuple(map(form_of, limits)) != wanted:
            raise Broken(WHAT, nest, f"threads do not deal the {rows} x {columns} elements of the tile")
        return list(row_and_column(nest, columns, WHAT))
    loops = perfect_nest(nest) if isinstance(nest, affine.For) else [nest]
    axes = [axis for loop in loops for axis in axes_of(loop)]
    if [(axis.first, axis.numbers) for axis in axes] != [(0, range(rows)), (0, range(columns))]:
        raise Broken(WHAT, nest, f"a nest is not over the {rows} x {columns} elements of the tile")
    return [Linear(0, ((axis.variable, 1),)) for axis in axes]
