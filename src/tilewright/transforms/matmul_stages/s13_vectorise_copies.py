"""Stage 13, vectorise_copies: copies move rows of elements, each with one access of up to 16 bytes.

before:  for %x { for %y { e = affine.load A[x, y]; affine.store e, a_smem[x - i, y - k] } }
after:   for %x { for %y step 8 { v = vector.load A[x, y]; vector.store v, a_smem[x - i, y - k] } }

That rows begin at multiples of their bytes is proven from the lengths of rows and the steps of loops, where a matrix
itself begins at such a multiple.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, vector
from tilewright.dialects.mlir.base import memref_of
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.mlir.types import VectorType
from tilewright.ir.types import INDEX, ScalarType
from tilewright.transforms.matmul_stages import s12_insert_barriers
from tilewright.transforms.matmul_stages.copies import Copy, copy_of, stored_by
from tilewright.transforms.matmul_stages.index_values import divisor
from tilewright.transforms.matmul_stages.layouts import first_multiple, pitch_of
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import (
    Access,
    applied,
    axes_around,
    loops_around,
    numbers,
)
from tilewright.transforms.matmul_stages.visits import known_subscripts

NAME = "vectorise_copies"
ALIGNMENT: Final = "alignment"
_MOST: Final = 16
"""Bytes that one instruction of a thread moves at most."""


def apply(matmul: Matmul) -> str:
    """Let the inner loop of each copy count by vectors."""
    count = matmul.schedule.vector
    size = max(matrix.element.bits for matrix in (matmul.a, matmul.b)) // 8
    if count & (count - 1) or count * size > _MOST:
        said = f"{count} elements of {size} bytes are not what one instruction moves: a power of two up to {_MOST}"
        raise NotApplicable(matmul.function, said, _hint(_MOST // size))
    copies = all_copies(matmul)
    for copy in copies:
        _vectorise(copy, count)
    problem = misaligned(matmul)
    if problem is not None:
        fitting = next(n for n in (8, 4, 2, 1) if n < count and _fits(matmul, n))
        raise NotApplicable(problem[0], problem[1], _hint(fitting))
    sizes = sorted({count * matrix.element.bits // 8 for matrix in (matmul.a, matmul.b)})
    return f"{len(copies)} copies of rows of {count} elements, {' or '.join(map(str, sizes))} bytes each"


def _hint(count: int) -> str:
    return f'give shorter rows in the schedule, "vector={count}" for example'


def all_copies(matmul: Matmul) -> list[Copy]:
    """The copies of tiles of A and B, those to private memory too, in the order of the text."""
    nest = matmul.nest(NAME)
    stores = [op for op in nest.walk() if isinstance(op, affine.Store | vector.Store)]
    return [copy_of(op) for op in stores if op.memref not in (matmul.c.memref, matmul.sums)]


def _vectorise(copy: Copy, count: int) -> None:
    """One copy; its inner loop goes over the elements of a row."""
    inner = loops_around(copy.store)[-1]
    trips = numbers(inner)
    assert trips is not None, "copies of tiles have known extents"
    if len(trips) % count:
        said = f"the {len(trips)} elements of a row of the tile are no multiple of vector={count}"
        raise NotApplicable(copy.store, said, _hint(math.gcd(len(trips), count)))
    inner.attributes["step"] = IntegerAttribute(count, INDEX)
    build = Builder.before_op(copy.store)
    type_ = VectorType((count,), memref_of(copy.load.memref).element, (False,))
    load = vector.Load(copy.load.memref, _indices(build, copy.load), result_types=[type_])
    found = build(load).out
    build(vector.Store(found, copy.store.memref, _indices(build, copy.store)))
    copy.store.erase()
    copy.load.erase()


def _indices(build: Builder, op: Access) -> list[Value]:
    return [applied(build, form) for form in known_subscripts(op)]


def _fits(matmul: Matmul, count: int) -> bool:
    """Whether rows of so many elements would begin at multiples of their bytes."""
    return not any(_unproven(op, count) for copy in all_copies(matmul) for op in (copy.load, copy.store))


def misaligned(matmul: Matmul) -> tuple[Operation, str] | None:
    """An access that may begin at no multiple of its bytes, and why; None if none does."""
    for copy in all_copies(matmul):
        for op in (copy.load, copy.store):
            said = _misalignment(op, matmul.schedule.vector)
            if said:
                return op, said
    return None


def _misalignment(op: affine.Load | affine.Store | vector.Load | vector.Store, count: int) -> str:
    said = _unproven(op, count)
    if said:
        return said
    if divisor(known_subscripts(op)[-1], axes_around(op)) % count:
        return f"%{op.memref.name} is accessed at elements that are no multiples of {count}"
    return ""


def _unproven(op: affine.Load | affine.Store | vector.Load | vector.Store, count: int) -> str:
    """Why rows of memory may begin at no multiple of so many elements."""
    element, pitch = memref_of(op.memref).element, pitch_of(op.memref)
    assert isinstance(element, ScalarType)
    size = element.bits // 8
    if pitch is None:
        said = f"rows of %{op.memref.name} are as far apart as a launch says"
        return f"{said}, and may begin at no multiples of {count * size} bytes" if count > 1 else ""
    if pitch % count:
        said = f"rows of %{op.memref.name} are {pitch} elements of {size} bytes"
        return f"{said} and begin at no multiples of {count * size}"
    if first_multiple(op.memref) % count:
        said = f"%{op.memref.name} is a view that begins at an element of other memory"
        return f"{said} whose number is not known to be a multiple of {count}"
    return ""


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """Copies move rows of so many elements, at multiples of their bytes; buffers hold and threads wait as before."""
    check_rows(matmul)
    s12_insert_barriers.check(matmul, before)


def check_rows(matmul: Matmul) -> None:
    """Each copy is one of rows. Raises `Broken` if not."""
    count = matmul.schedule.vector
    for copy in all_copies(matmul):
        for op in (copy.load, copy.store):
            if not isinstance(op, vector.Load | vector.Store) or op.vector.shape != (count,):
                raise Broken("vectors", op, f"a copy moves no rows of {count} elements")
        if stored_by(copy.store) is not copy.load.results[0]:
            raise Broken("vectors", copy.store, "what is stored is not what was loaded")
    problem = misaligned(matmul)
    if problem is not None:
        raise Broken(ALIGNMENT, problem[0], problem[1])
