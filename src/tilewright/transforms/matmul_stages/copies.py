"""Copies of tiles in buffers of shared memory: which part of a matrix a buffer holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, memref, vector
from tilewright.dialects.mlir.base import integer_of, memref_of
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import I64
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, Matrix
from tilewright.transforms.matmul_stages.nests import (
    Access,
    Axis,
    axes_around,
    box,
    make_loop,
    map_of,
    nested,
    replaced,
    subscripts,
    variable,
)

WHAT = "shared buffers"
SHARED: Attribute = IntegerAttribute(3, I64)
"""The memory space that the threads of a block share."""


class Copy(Struct, frozen=True):
    """A nest that copies a tile of a matrix into a buffer, element by element or in rows of them."""

    nest: affine.For | affine.Parallel
    load: affine.Load | vector.Load
    store: affine.Store | vector.Store

    @property
    def buffer(self) -> Value:
        """What is written."""
        return self.store.memref


def is_shared(value: Value) -> bool:
    """Whether memory is shared by the threads of a block."""
    space = memref_of(value).space
    return isinstance(space, IntegerAttribute) and integer_of(space) == 3


def buffers(matmul: Matmul) -> list[memref.Alloc]:
    """The buffers of shared memory, in the order of the text."""
    return [op for op in matmul.function.walk() if isinstance(op, memref.Alloc) and is_shared(op.memref)]


def copies_in(root: Operation) -> list[Copy]:
    """The copies into shared buffers below an operation, in the order of the text."""
    found: list[Copy] = []
    for op in root.walk():
        if isinstance(op, affine.Store | vector.Store) and is_shared(op.memref):
            found.append(copy_of(op))
    return found


def factor_copies(matmul: Matmul, root: Operation) -> list[Copy]:
    """The copies of tiles of A and B below an operation, in the order of the text."""
    return [copy for copy in copies_in(root) if copy.buffer is not matmul.made.sums]


def copy_of(store: affine.Store | vector.Store) -> Copy:
    """The copy that ends in a store. Raises `Broken` if what it stores was not read as it is."""
    load = stored_by(store).defining_op
    if not isinstance(load, affine.Load | vector.Load):
        raise Broken(WHAT, store, f"what is stored to %{store.memref.name} was not read from memory")
    forms = subscripts(store) or ()
    used = {value for form in forms for value, factor in form.terms if factor > 0}
    nests = [axis.op for axis in axes_around(store) if axis.variable in used]
    if not nests or not isinstance(nests[0], affine.For | affine.Parallel):
        raise Broken(WHAT, store, f"no loop moves what is stored to %{store.memref.name}")
    return Copy(nests[0], load, store)


def stored_by(store: affine.Store | vector.Store) -> Value:
    """What an operation stores."""
    return store.operands[0]


def emit_copy(
    matmul: Matmul, build: Builder, matrix: Matrix, starts: Sequence[Linear], source: Value, target: Value
) -> None:
    """Loops over a tile of a matrix: `target[index - start] := source[index]`."""
    loops = [
        make_loop(f"copy_{letter}", start, start.plus(Linear(matmul.block[letter])), 1)
        for letter, start in zip(matrix.letters, starts, strict=True)
    ]
    build = nested(build, loops)
    places = [Linear(0, ((variable(loop), 1),)) for loop in loops]
    map_, values = map_of(places)
    element = build(affine.Load(source, values, map_)).out
    map_, values = map_of([place.plus(start, -1) for place, start in zip(places, starts, strict=True)])
    build(affine.Store(element, target, values, map_))


def offsets(copy: Copy) -> tuple[Linear, ...]:
    """What has to be added to subscripts of the buffer for those of the matrix: the same for all elements."""
    read, written = subscripts(copy.load), subscripts(copy.store)
    if read is None or written is None:
        raise Broken(WHAT, copy.store, "the subscripts of a copy are no sums of loop variables")
    found = tuple(r.plus(w, -1) for r, w in zip(read, written, strict=True))
    own = {axis.variable for axis in _axes(copy)}
    if any(value in own for form in found for value in form.values):
        raise Broken(WHAT, copy.store, "an element of the buffer is not the one of the tile at its place")
    return found


def written_box(copy: Copy) -> list[tuple[int, int]]:
    """Which subscripts of the buffer are written: from, to. Raises `Broken` where not all between are."""
    found: list[tuple[int, int]] = []
    axes = {axis.variable: axis for axis in _axes(copy)}
    for form, size in zip(subscripts(copy.store) or (), box(copy.store), strict=True):
        inner = [(value, factor) for value, factor in form.terms if value in axes]
        if len(inner) != 1 or inner[0][1] != 1:
            raise Broken(WHAT, copy.store, "a subscript of the buffer is not one loop's variable")
        axis = axes[inner[0][0]]
        trips = axis.numbers
        low = _first(axis, form)
        if trips is None or low is None or axis.step != size:
            raise Broken(WHAT, axis.op, "it is not known which elements of the buffer are written")
        found.append((low, low + len(trips) * size))
    return found


def _axes(copy: Copy) -> list[Axis]:
    """The variables of a copy's own loops."""
    return [axis for axis in axes_around(copy.store) if copy.nest.is_ancestor_of(axis.op)]


def _first(axis: Axis, form: Linear) -> int | None:
    """The subscript in the first iteration, if it is a number."""
    if axis.limits is None:
        return None
    first = replaced(form, {axis.variable: axis.limits[0]})
    return None if first.terms else first.constant


def sources(matmul: Matmul) -> Callable[[Access, Matrix, Sequence[Linear]], tuple[Linear, ...]]:
    """The subscripts of a matrix that an access reads, itself or through a buffer."""
    copies = {copy.buffer: copy for copy in reversed(factor_copies(matmul, matmul.function))}

    def source(op: Access, matrix: Matrix, forms: Sequence[Linear]) -> tuple[Linear, ...]:
        if op.memref is matrix.memref:
            return tuple(forms)
        copy = copies.get(op.memref)
        if copy is None or copy.load.memref is not matrix.memref:
            raise Broken(WHAT, op, f"reads %{op.memref.name}, which is no tile of %{matrix.memref.name}")
        return tuple(form.plus(offset) for form, offset in zip(forms, offsets(copy), strict=True))

    return source
