"""Which operations of linalg are products of matrices and vectors, and over which loops."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from tilewright.dialects.mlir import arith, linalg
from tilewright.ir.affine import AffineMap, Dimension
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.mlir.types import MemrefType, TensorType
from tilewright.ir.types import BOOL, ScalarType, promotable, promote


class Contraction(Struct, frozen=True):
    """`out[batch, rows, columns] += sum over summed of x[..] y[..]`; each group of loops but batch is one at most.

    `x` has the rows, `y` the columns; `letters` are the loops of x, y and the output in the order of their dimensions.
    `scale` is what each product is multiplied by, a number of the output's type: a constant, or known in front.
    """

    x: Value
    y: Value
    out: Value
    letters: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    batch: tuple[int, ...]
    rows: int | None
    columns: int | None
    summed: int | None
    scale: Value | None = None


def contraction_of(op: linalg.Structured) -> Contraction | None:
    """The contraction that an operation is; None if it is none, or not one of matrices and vectors, or scales them."""
    found = scaled_contraction_of(op)
    return None if found is None or found.scale is not None else found


def scaled_contraction_of(op: linalg.Structured) -> Contraction | None:
    """The contraction that an operation is, maybe of products that are multiplied by a number."""
    body = _body_of(op)
    if body is None or len(op.outputs) != 1:
        return None
    factors = body.factors
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
    found = Contraction(values[0], values[1], values[2], letters, tuple(batch), first, second, over, body.scale)
    return found if found.rows is not None or found.columns is None else _turned(found)


def _turned(found: Contraction) -> Contraction:
    """With the factors exchanged, so that a matrix is in front of a vector."""
    letters = (found.letters[1], found.letters[0], found.letters[2])
    return structs.replace(found, x=found.y, y=found.x, letters=letters, rows=found.columns, columns=found.rows)


def plain_loops(map_: AffineMap) -> tuple[int, ...] | None:
    """The loop that each dimension is, all different; None for other maps."""
    found = tuple(e.position for e in map_.results if isinstance(e, Dimension))
    return found if len(found) == len(map_.results) and len(set(found)) == len(found) else None


def _types_fit(values: Sequence[Value]) -> bool:
    """Whether the factors' product is exact in the type of a collective's result; of truths it is no product."""
    elements = [v.type.element for v in values if isinstance(v.type, MemrefType | TensorType)]
    scalars = [e for e in elements if isinstance(e, ScalarType)]
    product = promote(scalars[0], scalars[1]) if len(scalars) == 3 and BOOL not in scalars else None
    return product is not None and promotable(product, scalars[2])


class _Body(Struct, frozen=True):
    """The inputs that are multiplied, and what their product is multiplied by."""

    factors: tuple[int, int]
    scale: Value | None


def _body_of(op: linalg.Structured) -> _Body | None:
    """The inputs whose product is added to the output by the body; None if the body does something else."""
    arguments = op.body.entry.arguments
    end = op.body.entry.last
    if not isinstance(end, linalg.Yield) or len(end.values) != 1:
        return None
    add = end.values[0].defining_op
    if not isinstance(add, arith.AddF | arith.AddI):
        return None
    target = op.element(len(op.inputs))
    terms = [v for v in (add.lhs, add.rhs) if v is not target]
    if target is None or len(terms) != 1:
        return None
    multiplied = [(v, _input_of(v, list(arguments[:-1]))) for v in multiplicands(terms[0])]
    inputs = [k for _, k in multiplied if k is not None and plain_loops(op.maps[k])]
    scales = [v if k is None else op.inputs[k] for v, k in multiplied if k is None or not plain_loops(op.maps[k])]
    if len(inputs) != 2 or inputs[0] == inputs[1] or len(scales) > 1:
        return None
    scale = scales[0] if scales else None
    if scale is not None and (scale.type is not target.type or _is_inside(scale, op)):
        return None
    return _Body((inputs[0], inputs[1]), scale)


def multiplicands(value: Value) -> list[Value]:
    """What a product is the product of, from the left; a value that is none is itself alone."""
    op = value.defining_op
    if not isinstance(op, arith.MulF | arith.MulI):
        return [value]
    return [*multiplicands(op.lhs), *multiplicands(op.rhs)]


def _is_inside(value: Value, op: linalg.Structured) -> bool:
    """Whether a value that is no constant is computed in the body of an operation."""
    if isinstance(value.defining_op, arith.Constant):
        return False
    home = value.defining_op or (value.block.parent_op if isinstance(value, BlockArgument) else None)
    return home is not None and op.is_ancestor_of(home)


def _input_of(value: Value, inputs: list[Value]) -> int | None:
    """The input that a value is, maybe in a wider type."""
    op = value.defining_op
    if isinstance(op, arith.ExtF | arith.ExtSI):
        value = op.operands[0]
    return inputs.index(value) if value in inputs else None
