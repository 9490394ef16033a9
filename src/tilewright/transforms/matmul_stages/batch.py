"""Products of a batch: a loop around the product, in which each matrix is a slice of the memory.

    affine.for %b = 0 to 5 { %A_b = memref.subview %A[%b, 0, 0] [1, 64, 32] [1, 1, 1]; .. }

Slices of different entries share no elements, so that entries are computed in any order and at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, gpu, memref
from tilewright.dialects.mlir.base import integers_of, memref_of, shape_of
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attributes import DenseArray, StridedLayout
from tilewright.ir.mlir.types import MemrefType
from tilewright.ir.types import I64
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.index_values import column, origins
from tilewright.transforms.matmul_stages.layouts import pitch_of
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, sum_of
from tilewright.transforms.matmul_stages.nests import form_of, inside, make_loop, nested

WHAT = "batch"


def batch_loops(
    build: Builder, names: Sequence[str], extents: Sequence[int | Value]
) -> tuple[list[affine.For], Builder]:
    """Loops over the entries of a batch, and where their body goes."""
    loops = [make_loop(name, Linear(), sum_of(extent), 1) for name, extent in zip(names, extents, strict=True)]
    return loops, nested(build, loops)


def slice_of(build: Builder, memory: Value, entry: Sequence[Value], sizes: Sequence[int | Value]) -> Value:
    """The matrix of an entry of the batch, of some rows and columns; the memory itself where there is no batch."""
    if not entry:
        return memory
    type_, shape = memref_of(memory), shape_of(memory)
    given = [size for size in sizes if isinstance(size, Value)]
    static = tuple(memref.DYNAMIC if isinstance(size, Value) else size for size in sizes)
    parts = (
        DenseArray(I64, (*(memref.DYNAMIC for _ in entry), 0, 0)),
        DenseArray(I64, (*(1 for _ in entry), *static)),
        DenseArray(I64, (1,) * len(shape)),
    )
    layout = StridedLayout((pitch_of(memory), 1), None)
    extents = tuple(None if isinstance(size, Value) else size for size in sizes)
    result = MemrefType(extents, type_.element, layout, type_.space)
    found = build(memref.Subview(memory, list(entry), given, [], *parts, result_types=[result])).out
    found.name = f"{memory.name or 'matrix'}_slice"
    return found


def check_batch(matmul: Matmul) -> None:
    """Each entry of the batch is computed once, on slices of its own. Raises `Broken` if not."""
    if not matmul.batch:
        return
    variables = matmul.batch_variables
    around = _check_entries(matmul, variables)
    for matrix in (matmul.a, matmul.b, matmul.c):
        op = matrix.memref.defining_op
        if not isinstance(op, memref.Subview):
            raise Broken(WHAT, matmul.function, f"%{matrix.memref.name} is no slice of an entry")
        offsets, sizes = integers_of(op.static_offsets), integers_of(op.static_sizes)
        count = len(variables)
        whole = all(n == m for n, m in zip(sizes[count:], shape_of(op.source)[count:], strict=True))
        if list(op.offsets) != variables or any(offsets[count:]) or set(sizes[:count]) != {1} or not whole:
            raise Broken(WHAT, op, f"%{matrix.memref.name} is not the slice of the entry that is computed")
        users = [user for user in op.source.uses if user is not op and around.is_ancestor_of(user)]
        beside = next((user for user in users if matrix is matmul.c), None)
        if beside is not None:
            raise Broken(WHAT, beside, f"%{op.source.name} is accessed beside its slices")


def _check_entries(matmul: Matmul, variables: Sequence[Value]) -> Operation:
    """Loops over the batch around all else, or a launch whose z counts the entries; gives the outermost."""
    nest = matmul.nest(WHAT)
    if isinstance(nest, gpu.Launch):
        count = form_of(nest.gridSizeZ).constant
        known: dict[Value, range] = {nest.ids(0)[2]: range(count)}
        if any(not origins(value) <= known.keys() for value in variables):
            raise Broken(WHAT, nest, "an entry is not that of the block's z")
        columns = [column(value, known, count) for value in variables]
        found = list(zip(*columns, strict=True))
        extents = _known(matmul)
        wanted = math.prod(extents)
        inside_ = all(0 <= n < e for entry in found for n, e in zip(entry, extents, strict=True))
        if len(set(found)) != wanted or count != wanted or not inside_:
            raise Broken(WHAT, nest, f"{len(set(found))} entries of {wanted} are computed")
        return nest
    loops = [matmul.axis(name, WHAT) for name in matmul.batch_names]
    for axis, extent in zip(loops, _known(matmul), strict=True):
        if (axis.first, axis.numbers) != (0, range(extent)):
            raise Broken(WHAT, axis.op, f"%{axis.name} does not count the {extent} entries")
    for outer, inner in pairwise(dict.fromkeys(axis.op for axis in loops)):
        if isinstance(outer, affine.For) and list(inside(outer)) != [inner]:
            raise Broken(WHAT, inner, "the loops over the batch are not the whole body of one another")
    if not loops[-1].op.is_ancestor_of(nest):
        raise Broken(WHAT, nest, "the product is not in the loop over the batch")
    return loops[0].op


def _known(matmul: Matmul) -> list[int]:
    """The extents of the batch, which are known where checks look."""
    return [extent for extent in matmul.batch if isinstance(extent, int)]
