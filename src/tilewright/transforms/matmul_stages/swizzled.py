"""Swizzled tiles in shared memory (`swizzle=yes`), in place of longer rows.

before:  piece c of row r, 16 bytes, lies at r * pitch + 16 c
after:   it lies at r * pitch + 16 (c xor r mod 8), where rows are of 128 bytes and more

Lanes that read a piece of each of eight rows meet different banks, as with `pad`. What is lost by `pad`: of rows that
are 16 bytes longer every other one begins in the middle of a sector of 32 bytes, so that the halves of a sector of
global memory come to lie in two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects.mlir import gpu
from tilewright.dialects.mlir.base import memref_of, shape_of
from tilewright.ir.banks import BANK_BYTES, BANKS
from tilewright.ir.core import Value
from tilewright.ir.swizzles import Swizzle
from tilewright.ir.types import ScalarType
from tilewright.transforms.lane_accesses import addresses, bank_conflicts
from tilewright.transforms.matmul_stages.matmul import Matmul, NotApplicable

_PIECE: Final = 16
"""Bytes that a lane reads at once, which stay together."""
_ROWS: Final = 8
"""That are read together, a piece of each."""


def swizzles(matmul: Matmul, launch: gpu.Launch) -> Mapping[Value, Swizzle]:
    """Those of the buffers of A and B whose columns of pieces would lie in few banks.

    Raises `NotApplicable` where rows are of a length that is no power of two.
    """
    found: dict[Value, Swizzle] = {}
    for buffer in launch.shared:
        element, (_, columns) = memref_of(buffer).element, shape_of(buffer)
        assert isinstance(element, ScalarType)
        assert columns is not None, "tiles are of known extents"
        row = columns * element.bytes
        if buffer is matmul.made.sums or row <= _PIECE:
            continue
        if row & (row - 1):
            said = f"rows of %{buffer.name} are {row} bytes, which is no power of two: they are not swizzled"
            raise NotApplicable(launch, said, 'give "pad=8" in place of "swizzle=yes" for example')
        found[buffer] = swizzle_of(row)
    return found


def swizzle_of(row: int) -> Swizzle:
    """That of rows of so many bytes, a power of two of more than a piece: lines of all banks take turns."""
    pieces, line = row // _PIECE, BANKS * BANK_BYTES // _PIECE
    return Swizzle(_log2(min(pieces, line)), _log2(_PIECE), _log2(max(pieces, line)))


def conflicts(row: int, swizzle: Swizzle | None) -> int:
    """Different words of one bank that eight lanes ask for which read a piece each of eight rows; 1 is none."""
    found = addresses(lambda lane: [lane % _ROWS, lane // _ROWS], [row, _PIECE], 1)
    if swizzle is not None:
        found = [None if at is None else swizzle.place(at) for at in found]
    return bank_conflicts(found, _PIECE)


def _log2(number: int) -> int:
    return number.bit_length() - 1
