"""Which tiles are computed once into a buffer because several places read them.

A formula is computed wherever it is read. That is right for what costs no more than reading a buffer, and for what is
read within one sweep only. Products, reductions and functions that two sweeps read are computed before the first.
"""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.dialects import arith, tile
from tilewright.dialects.tile_combine import ReduceBy, single_operation
from tilewright.ir import core
from tilewright.targets.cpu.expressions.graph import is_formula, reachable
from tilewright.targets.cpu.expressions.nodes import AnyTile, Elementwise, Gathered, Product, Reduction, formulas

_LONGEST = 128


def is_shared(value: core.Value, formula: AnyTile) -> bool:
    """Whether a tile is costly and read by more than one sweep, or its formula too long to be one line of code."""
    parts = list(formulas(formula))
    if len(parts) > _LONGEST:
        return True
    if value.has_one_use() or not any(map(_is_costly, parts)):
        return False
    sweeps = _sweeps(value)
    first = next(sweeps, None)
    return any(sweep is not first for sweep in sweeps)


def _is_costly(part: AnyTile) -> bool:
    match part:
        case Product() | Reduction() | Gathered():
            return True
        case Elementwise():
            return part.op.name.startswith("math.") or isinstance(part.op, arith.Div | arith.Rem)
        case _:
            return False


def _sweeps(value: core.Value) -> Iterator[core.Operation]:
    """Operations that are code, or whose operand is put into a buffer, by way of formulas."""
    for part in reachable(value, _read_in_place):
        yield from (user for user in part.uses if not _reads_in_place(user, part))


def _read_in_place(part: core.Value) -> Iterator[core.Value]:
    return (user.results[0] for user in part.uses if _reads_in_place(user, part))


def _reads_in_place(op: core.Operation, part: core.Value) -> bool:
    """Whether the tile that an operation computes is a formula of an operand; factors of products go into buffers."""
    if isinstance(op, tile.Mma) and part in (op.lhs, op.rhs):
        return False
    if isinstance(op, ReduceBy):
        return len(op.tiles) == 1 and single_operation(op.body) is not None
    return is_formula(op)
