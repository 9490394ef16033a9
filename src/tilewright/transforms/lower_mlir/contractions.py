"""Which operations of linalg are products of matrices and vectors, and over which loops."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects.mlir import arith, linalg
from tilewright.ir.affine import AffineMap, Dimension
from tilewright.ir.core import Value
from tilewright.ir.mlir.types import MemrefType, TensorType
from tilewright.ir.types import ScalarType, promotable, promote


class Contraction(Struct, frozen=True):
    """`out[batch, rows, columns] += sum over summed of x[..] y[..]`; each group of loops but batch is one at most.

    `x` has the rows, `y` the columns; `letters` are the loops of x, y and the output in the order of their dimensions.
    """

    x: Value
    y: Value
    out: Value
    letters: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    batch: tuple[int, ...]
    rows: int | None
    columns: int | None
    summed: int | None


def contraction_of(op: linalg.Structured) -> Contraction | None:
    """The contraction that an operation is; None if it is none, or not one of matrices and vectors."""
    factors = _factors(op)
    if factors is None or len(op.outputs) != 1:
        return None
    values = [op.inputs[factors[0]], op.inputs[factors[1]], op.outputs[0]]
    maps = op.maps
    loops = [plain_loops(maps[k]) for k in (*factors, len(maps) - 1)]
    known = [found for found in loops if found is not None]
    if (
        len(known) != 3
        or not all(isinstance(v.type, MemrefType | TensorType) for v in values)
        or not _types_fit(values)
    ):
        return None
    x, y, out = map(set, known)
    batch = [k for k in known[2] if k in x & y]
    rows, columns = [k for k in known[2] if k in x - y], [k for k in known[2] if k in y - x]
    summed = sorted((x & y) - out)
    if (x | y) - out != set(summed) or out - (x | y) or max(len(rows), len(columns), len(summed)) > 1:
        return None
    kinds = op.iterators
    if any(kinds[k] != "reduction" for k in summed) or len(x | y | out) != len(kinds):
        return None
    first, second, over = (part[0] if part else None for part in (rows, columns, summed))
    letters = (known[0], known[1], known[2])
    found = Contraction(values[0], values[1], values[2], letters, tuple(batch), first, second, over)
    return found if found.rows is not None or found.columns is None else _turned(found)


def _turned(found: Contraction) -> Contraction:
    """With the factors exchanged, so that a matrix is in front of a vector."""
    letters = (found.letters[1], found.letters[0], found.letters[2])
    return Contraction(found.y, found.x, found.out, letters, found.batch, found.columns, found.rows, found.summed)


def plain_loops(map_: AffineMap) -> tuple[int, ...] | None:
    """The loop that each dimension is, all different; None for other maps."""
    found = tuple(e.position for e in map_.results if isinstance(e, Dimension))
    return found if len(found) == len(map_.results) and len(set(found)) == len(found) else None


def _types_fit(values: Sequence[Value]) -> bool:
    """Whether the factors' product is exact in the type of a collective's result."""
    elements = [v.type.element for v in values if isinstance(v.type, MemrefType | TensorType)]
    scalars = [e for e in elements if isinstance(e, ScalarType)]
    product = promote(scalars[0], scalars[1]) if len(scalars) == 3 else None
    return product is not None and promotable(product, scalars[2])


def _factors(op: linalg.Structured) -> tuple[int, int] | None:
    """The inputs whose product is added to the output by the body; None if the body does something else."""
    arguments = op.body.entry.arguments
    end = op.body.entry.last
    if not isinstance(end, linalg.Yield) or len(end.values) != 1:
        return None
    add = end.values[0].defining_op
    if not isinstance(add, arith.AddF | arith.AddI):
        return None
    target = arguments[-1]
    terms = [v for v in (add.lhs, add.rhs) if v is not target]
    if len(terms) != 1:
        return None
    product = terms[0].defining_op
    if not isinstance(product, arith.MulF | arith.MulI):
        return None
    found = [_input_of(v, list(arguments[:-1])) for v in (product.lhs, product.rhs)]
    first, second = found
    return None if first is None or second is None or first == second else (first, second)


def _input_of(value: Value, inputs: list[Value]) -> int | None:
    """The input that a value is, maybe in a wider type."""
    op = value.defining_op
    if isinstance(op, arith.ExtF | arith.ExtSI):
        value = op.operands[0]
    return inputs.index(value) if value in inputs else None
