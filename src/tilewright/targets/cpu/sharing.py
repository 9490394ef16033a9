"""Which tiles are computed once into a buffer because several places read them.

A formula is computed wherever it is read. That is right for what costs no more than reading a buffer, and for what is
read within one sweep only. Products, reductions and functions that two sweeps read are computed before the first.
"""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.dialects import arith, tile
from tilewright.dialects.tile_combine import ReduceBy, single_operation
from tilewright.ir import core
from tilewright.targets.cpu.tiles import AnyTile, Elementwise, Gathered, Product, Reduction, formulas
from tilewright.targets.llvm.elementwise import is_elementwise

_LONGEST = 128
_FORMULAS = (tile.Broadcast, tile.Permute, tile.Extract, tile.Mma, tile.Reduce)


def is_shared(value: core.Value, formula: AnyTile) -> bool:
    """Whether a tile is costly and read by more than one sweep, or its formula too long to be one line of code."""
    parts = list(formulas(formula))
    if len(parts) > _LONGEST:
        return True
    if value.has_one_use() or not any(map(_is_costly, parts)):
        return False
    return len(set(_sweeps(value))) > 1


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
    waiting, seen = [value], set[core.Value]()
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        for user in part.uses:
            factor = isinstance(user, tile.Mma) and part in (user.lhs, user.rhs)
            if not factor and _is_formula(user):
                waiting.append(user.results[0])
            else:
                yield user


def _is_formula(op: core.Operation) -> bool:
    """Whether the tile that an operation computes is one."""
    if isinstance(op, ReduceBy):
        return len(op.tiles) == 1 and single_operation(op.body) is not None
    return isinstance(op, _FORMULAS) or is_elementwise(op)
