"""Matrix products: exact products, sums in double precision, one rounding to the accumulator's type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects.cuda_tile import matrix as ops
from tilewright.dialects.cuda_tile.attributes import Signedness
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.values import element_of, to_double
from tilewright.ir.core import Value
from tilewright.numerics.arrays import elements
from tilewright.numerics.integers import read

Array = NDArray[Any]


def _double(w: TileBlock, value: Value) -> Array:
    return to_double(w.tile(value), element_of(value))


def _integers(w: TileBlock, value: Value, signedness: Signedness) -> Array:
    return read(element_of(value).integral, w.tile(value), signedness.is_signed)


def _float(w: TileBlock, op: ops.MmaF) -> None:
    with np.errstate(all="ignore"):
        total = np.matmul(_double(w, op.lhs), _double(w, op.rhs)) + _double(w, op.acc)
        w.bind(op.out, elements(element_of(op.acc).floating, total))


def _integer(w: TileBlock, op: ops.MmaI) -> None:
    # Sums of products of 8 bits stay far below 2^53.
    lhs = _integers(w, op.lhs, op.signedness_lhs).astype(np.float64)
    rhs = _integers(w, op.rhs, op.signedness_rhs).astype(np.float64)
    total = np.matmul(lhs, rhs).astype(np.int64) + w.tile(op.acc).astype(np.int64)
    w.bind(op.out, total.astype(np.int32))


def _scaled(w: TileBlock, op: ops.MmaFScaled) -> None:
    lhs, rhs = _double(w, op.lhs), _double(w, op.rhs)
    lhs_scale, rhs_scale = _double(w, op.lhs_scale), _double(w, op.rhs_scale)
    block = lhs.shape[-1] // lhs_scale.shape[-1]
    with np.errstate(all="ignore"):
        left = lhs * np.repeat(lhs_scale, block, axis=-1)
        right = rhs * np.repeat(rhs_scale, block, axis=-2)
        w.bind(op.out, elements(element_of(op.acc).floating, np.matmul(left, right) + _double(w, op.acc)))


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict((handler(ops.MmaF, _float), handler(ops.MmaI, _integer), handler(ops.MmaFScaled, _scaled)))
