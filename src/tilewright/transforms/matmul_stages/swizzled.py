"""Swizzled tiles in shared memory (`swizzle=yes`), in place of longer rows.

before:  piece c of row r, 16 bytes, lies at r * pitch + 16 c
after:   it lies at r * pitch + 16 (c xor r mod 8), where rows are of 128 bytes and more

Lanes that read a piece of each of eight rows meet different banks, as with `pad`. What is lost by `pad`: of rows that
are 16 bytes longer every other one begins in the middle of a sector of 32 bytes, so that the halves of a sector of
global memory come to lie in two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tilewright.dialects import memref
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.mlir import gpu
from tilewright.dialects.mlir.base import memref_of, shape_of
from tilewright.ir.banks import BANK_BYTES, BANKS
from tilewright.ir.core import Value
from tilewright.ir.swizzles import Swizzle
from tilewright.ir.types import MemrefType, ScalarType
from tilewright.transforms.lane_accesses import addresses, bank_conflicts
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable

WHAT = "swizzle"
_PIECE: Final = 16
"""Bytes that a lane reads at once, which stay together."""
_ROWS: Final = 8
"""That are read together, a piece of each."""


def swizzles(matmul: Matmul, launch: gpu.Launch) -> Mapping[Value, Swizzle]:
    """Those of the buffers of A and B whose columns of pieces would lie in few banks, if the schedule asks for them.

    Raises `NotApplicable` where rows are of a length that is no power of two.
    """
    found: dict[Value, Swizzle] = {}
    if not matmul.schedule.swizzle:
        return found
    for buffer, row in _rows(launch, matmul.sums):
        if row <= _PIECE:
            continue
        if row & (row - 1):
            said = f"rows of %{buffer.name} are {row} bytes, which is no power of two: they are not swizzled"
            raise NotApplicable(launch, said, 'give "pad=8" in place of "swizzle=yes" for example')
        found[buffer] = swizzle_of(row)
    return found


def _rows(launch: gpu.Launch, sums: Value) -> Iterator[tuple[Value, int]]:
    """The buffers of A and B, and the bytes of their rows."""
    for buffer in launch.shared:
        element, (_, columns) = memref_of(buffer).element, shape_of(buffer)
        assert isinstance(element, ScalarType)
        assert columns is not None, "tiles are of known extents"
        if buffer is not sums:
            yield buffer, columns * element.bytes


def swizzle_of(row: int) -> Swizzle:
    """That of rows of so many bytes, a power of two of more than a piece: lines of all banks take turns."""
    pieces, line = row // _PIECE, BANKS * BANK_BYTES // _PIECE
    return Swizzle(_log2(min(pieces, line)), _log2(_PIECE), _log2(max(pieces, line)))


def check(kernel: Kernel, launch: gpu.Launch, sums: Value) -> None:
    """Memory for each buffer, in which lanes that read a piece each of eight rows meet different banks."""
    rows = sorted(row for _, row in _rows(launch, sums))
    found = [op.out.type for op in kernel.walk() if isinstance(op, memref.Alloca)]
    swizzled = [type_ for type_ in found if isinstance(type_, MemrefType) and type_.swizzle is not None]
    if sorted(_row_of(type_) for type_ in swizzled) != [row for row in rows if row > _PIECE]:
        raise Broken(WHAT, kernel, f"{len(swizzled)} of {len(rows)} buffers are swizzled")
    for type_ in swizzled:
        count = conflicts(_row_of(type_), type_.swizzle)
        if count > 1:
            raise Broken(WHAT, kernel, f"{type_}: {count} words of one bank are read at once")


def conflicts(row: int, swizzle: Swizzle | None) -> int:
    """Different words of one bank that eight lanes ask for which read a piece each of eight rows; 1 is none."""
    found = addresses(lambda lane: [lane % _ROWS, lane // _ROWS], [row, _PIECE], 1)
    if swizzle is not None:
        found = [None if at is None else swizzle.place(at) for at in found]
    return bank_conflicts(found, _PIECE)


def _row_of(type_: MemrefType) -> int:
    extent = type_.shape[0]
    assert extent is not None, "tiles are of known extents"
    return extent * type_.element.bytes


def _log2(number: int) -> int:
    return number.bit_length() - 1
