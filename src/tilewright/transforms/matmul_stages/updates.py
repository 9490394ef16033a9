"""The update of one element of C by one product."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, arith, memref
from tilewright.ir.core import Value
from tilewright.ir.types import ScalarType
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.matmul import Matmul
from tilewright.transforms.matmul_stages.nests import applied, map_of


def emit_update(matmul: Matmul, build: Builder, at: Mapping[str, Linear], *, by_index: bool = False) -> None:
    """`C[i, j] := C[i, j] + A[i, k] B[k, j] alpha` at some i, j and k.

    With `by_index` their places are computed beforehand, as is needed where they depend on threads.
    """
    loads: list[Value] = []
    for name, matrix in (("a", matmul.a), ("b", matmul.b), ("c", matmul.c)):
        map_, values = map_of([at[letter] for letter in matrix.letters])
        if by_index:
            op = memref.Load(matrix.memref, [applied(build, at[letter]) for letter in matrix.letters])
        else:
            op = affine.Load(matrix.memref, values, map_)
        loads.append(build(op).out)
        loads[-1].name = name
    element = matmul.c.element
    a, b = (_extended(build, value, element) for value in loads[:2])
    floats = element.is_float
    product = build(arith.MulF(a, b) if floats else arith.MulI(a, b)).out
    if matmul.alpha is not None:
        product = build(arith.MulF(product, matmul.alpha) if floats else arith.MulI(product, matmul.alpha)).out
    total = build(arith.AddF(loads[2], product) if floats else arith.AddI(loads[2], product)).out
    if by_index:
        build(memref.Store(total, matmul.c.memref, [applied(build, at[letter]) for letter in matmul.c.letters]))
        return
    map_, values = map_of([at[letter] for letter in matmul.c.letters])
    build(affine.Store(total, matmul.c.memref, values, map_))


def _extended(build: Builder, value: Value, element: ScalarType) -> Value:
    if value.type is element:
        return value
    cls = arith.ExtF if element.is_float else arith.ExtSI
    return build(cls(value, result_types=[element])).out
