"""Loops in which threads take every so many elements of a matrix: which row and column an element has by its number.

scf.for %e = %first to 384 step 8192 { %x = affine.apply (%e floordiv 3); %y = affine.apply (%e mod 3); .. }
"""

from __future__ import annotations

from typing import Final

from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import affine, scf
from tilewright.ir.affine import AffineConstant, AffineOperator, AffineSymbol, Dimension, divide
from tilewright.ir.core import Value
from tilewright.ir.types import INDEX
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.matmul import Broken
from tilewright.transforms.matmul_stages.nests import form_of, index_value

_PLACES: Final = (("x", AffineOperator.FLOORDIV), ("y", AffineOperator.MOD))
"""Row and column: what the number of an element is divided into by the columns."""


def element_loop(
    build: Builder, limits: tuple[Value, Value, Value], columns: int | Value
) -> tuple[scf.For, Builder, tuple[Value, Value]]:
    """A loop from the first to the second of its limits by the third, its body, row and column; it has no end yet."""
    body, block = new_region([INDEX])
    (element,) = block.arguments
    element.name = "e"
    loop = build(scf.For(*limits, [], body, result_types=[]))
    inner = Builder(block, location=build.location)
    divisor = AffineConstant(columns) if isinstance(columns, int) else AffineSymbol(0)
    symbols = [] if isinstance(columns, int) else [columns]
    row, column = (
        index_value(inner, divide(operator, Dimension(0), divisor), [element], name, symbols)
        for name, operator in _PLACES
    )
    return loop, inner, (row, column)


def row_and_column(loop: scf.For, columns: int, what: str) -> tuple[Linear, Linear]:
    """Those of a thread's element, which are its number divided by the columns. Raises `Broken` if they are not."""
    (element,) = loop.body.entry.arguments
    found: list[Linear] = []
    for letter, (_, operator) in zip("ij", _PLACES, strict=True):
        wanted = divide(operator, Dimension(0), AffineConstant(columns))
        applied = (op for op in loop.body.entry if isinstance(op, affine.Apply) and list(op.values) == [element])
        # the remainder by one column is 0, as other numbers may be that are computed beside it
        first = next((op for op in applied if op.map.results == (wanted,)), None)
        if first is None:
            raise Broken(what, loop, f"{letter} of a thread's element is not {wanted} of its number")
        found.append(form_of(first.out))
    return found[0], found[1]
