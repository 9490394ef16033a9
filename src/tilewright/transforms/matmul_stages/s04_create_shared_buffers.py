"""Stage 4, create_shared_buffers: the tiles of A and B that a block works on are copied to shared memory.

The buffers belong to a block (they stand in the body of j), the copies to a step along k. C goes to registers directly.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, memref, mma
from tilewright.dialects.mlir.base import shape_of
from tilewright.ir.core import Value
from tilewright.ir.mlir.types import MemrefType
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.copies import (
    SHARED,
    WHAT,
    Copy,
    buffers,
    emit_copy,
    factor_copies,
    is_shared,
    written_box,
)
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, Matrix
from tilewright.transforms.matmul_stages.nests import (
    Access,
    axes_around,
    box,
    move_access,
    replaced,
    stands_before,
    subscripts,
    variable,
)
from tilewright.transforms.matmul_stages.visits import check_visits, known_subscripts, products

NAME = "create_shared_buffers"


def apply(matmul: Matmul) -> str:
    """A buffer for A and one for B."""
    said: list[str] = []
    (product,) = products(matmul, matmul.loop("i", NAME))
    for name, matrix, load in (("a", matmul.a, product.a), ("b", matmul.b, product.b)):
        assert isinstance(load, affine.Load)
        buffer = _buffer(matmul, name, matrix)
        _copy(matmul, matrix, buffer)
        _redirect(matmul, load, buffer)
        said.append(f"%{buffer.name} {buffer.type}")
    return f"{', '.join(said)}; copied at the head of each step along k"


def _buffer(matmul: Matmul, name: str, matrix: Matrix) -> Value:
    body = matmul.loop("j", NAME).body.entry
    first, last = body.first, body.last
    assert first is not None
    location = first.location
    type_ = MemrefType(matrix.of(matmul.block), matrix.element, None, SHARED)
    buffer = Builder(body, first, location)(memref.Alloc([], [], result_types=[type_])).memref
    buffer.name = f"{name}_smem"
    Builder(body, last, location)(memref.Dealloc(buffer))
    return buffer


def _copy(matmul: Matmul, matrix: Matrix, buffer: Value) -> None:
    """A copy of the tile, at the head of a step along k."""
    body = matmul.loop("k", NAME).body.entry
    assert body.first is not None
    starts = [matmul.start(letter) for letter in matrix.letters]
    emit_copy(matmul, Builder(body, body.first, body.first.location), matrix, starts, matrix.memref, buffer)


def _redirect(matmul: Matmul, load: affine.Load, buffer: Value) -> None:
    """Let a load read the buffer, which begins where the tile does."""
    tile = {variable(matmul.loop(letter, NAME)): Linear() for letter in "ijk"}
    forms = [replaced(form, tile) for form in known_subscripts(load)]
    load.set_operand(0, buffer)
    move_access(load, forms)


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """Two buffers of the tiles' shapes, filled before they are read; A and B are read from them, C never is."""
    check_buffers(matmul, 0)
    check_copies(matmul)
    check_visits(matmul, matmul.loop("i", NAME))


def check_buffers(matmul: Matmul, pad: int) -> None:
    """One buffer for A, one for B, of a block each; rows are `pad` elements longer than the tile's."""
    found = buffers(matmul)
    wanted = [(*matrix.of(matmul.block), matrix.element) for matrix in (matmul.a, matmul.b)]
    wanted = [(rows, columns + pad, element) for rows, columns, element in wanted]
    shapes = [(*shape_of(op.memref), _element(op.memref)) for op in found]
    if sorted(map(str, shapes)) != sorted(map(str, wanted)):
        raise Broken(WHAT, matmul.function, f"buffers of {_said(shapes)} in shared memory, not of {_said(wanted)}")
    body = matmul.loop("j", WHAT).body.entry
    outside = next((op for op in found if op.block is not body), None)
    if outside is not None:
        raise Broken(
            WHAT, outside, f"%{outside.memref.name} does not belong to one block: it stands outside of %j's body"
        )


def _element(value: Value) -> object:
    assert isinstance(value.type, MemrefType)
    return value.type.element


def _said(shapes: Sequence[tuple[object, ...]]) -> str:
    return ", ".join("x".join(map(str, shape)) for shape in shapes) or "none"


def check_copies(matmul: Matmul) -> None:
    """In each step along k all that is read of a buffer was written to it before, from A or B."""
    step = matmul.loop("k", WHAT)
    copies = factor_copies(matmul, matmul.function)
    filled = [op.memref for op in buffers(matmul) if op.memref is not matmul.made.sums]
    if sorted(id(copy.buffer) for copy in copies) != sorted(map(id, filled)):
        raise Broken(WHAT, step, f"{len(copies)} copies for {len(filled)} buffers")
    for copy in copies:
        if copy.load.memref not in (matmul.a.memref, matmul.b.memref):
            raise Broken(
                WHAT, copy.load, f"%{copy.load.memref.name} is staged in shared memory, which only A and B are"
            )
        if copy.nest.block is not step.body.entry:
            raise Broken(WHAT, copy.nest, "a copy stands outside of the step along k")
        written = written_box(copy)
        for reader in readers(copy.buffer):
            _check_read(copy, written, reader)
    for product in products(matmul, step):
        for op in (product.a, product.b):
            if not is_shared(op.memref):
                raise Broken(WHAT, op, f"reads %{op.memref.name} in global memory")


def readers(buffer: Value) -> list[Access]:
    """What reads a buffer."""
    return [op for op in buffer.uses if isinstance(op, affine.Load | mma.LoadMatrix)]


def _check_read(copy: Copy, written: Sequence[tuple[int, int]], reader: Access) -> None:
    name = copy.buffer.name
    step = copy.nest.block
    around = next((op for op in (reader, *reader.ancestors()) if op.block is step), None)
    if around is None or not stands_before(copy.nest, around):
        raise Broken(WHAT, reader, f"%{name} is read before it is written")
    for dimension, ((low, high), (first, last)) in enumerate(zip(written, read_box(reader), strict=True)):
        if first < low or last > high:
            missing = first if first < low else high
            raise Broken(WHAT, reader, f"%{name} is read at {missing} of dimension {dimension}, which is not written")


def read_box(op: Access) -> list[tuple[int, int]]:
    """From where to where an access reads, over all iterations. Raises `Broken` if that is not known."""
    axes = {axis.variable: axis for axis in axes_around(op)}
    found: list[tuple[int, int]] = []
    for form, size in zip(subscripts(op) or (), box(op), strict=True):
        low = high = form.constant
        for value, factor in form.terms:
            trips = axes[value].numbers if value in axes else None
            if not trips:
                raise Broken(WHAT, op, f"it is not known which elements are read: %{value.name} is no counted loop")
            low += min(factor * trips[0], factor * trips[-1])
            high += max(factor * trips[0], factor * trips[-1])
        found.append((low, high + size))
    return found
