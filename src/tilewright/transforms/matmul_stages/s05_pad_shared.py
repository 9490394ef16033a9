"""Stage 5, pad_shared: rows of the shared buffers become longer, so that columns are spread over the banks."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from tilewright.dialects.mlir.base import memref_of, shape_of
from tilewright.ir.core import Value
from tilewright.ir.types import ScalarType
from tilewright.transforms.lane_accesses import addresses, bank_conflicts
from tilewright.transforms.matmul_stages.copies import buffers
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.s04_create_shared_buffers import check_buffers, check_copies
from tilewright.transforms.matmul_stages.visits import check_visits

NAME = "pad_shared"
_PIECE = 16
"""Bytes that a lane reads at once, which have to be aligned to as many."""


def apply(matmul: Matmul) -> str:
    """Make the types of the buffers longer; nothing else has to change."""
    said: list[str] = []
    for op in buffers(matmul):
        type_ = memref_of(op.memref)
        rows, columns = shape_of(op.memref)
        assert columns is not None
        before = conflicts(op.memref, columns)
        fault = _fault(op.memref, columns + matmul.schedule.pad, matmul.schedule.pad)
        if fault is not None:
            fitting = next((pad for pad in range(65) if _suits(matmul, pad)), 0)
            raise NotApplicable(op, f"{fault[0]}: {fault[1]}", f'give in the schedule "pad={fitting}" for example')
        op.memref.type = structs.replace(type_, shape=(rows, columns + matmul.schedule.pad))
        after = conflicts(op.memref, columns + matmul.schedule.pad)
        said.append(f"%{op.memref.name} {op.memref.type}: bank conflicts {before} -> {after}")
    return "; ".join(said)


def _suits(matmul: Matmul, pad: int) -> bool:
    """Whether nothing would be wrong with so many more elements, which end conflicts where there are any."""
    columns = [(matrix.memref, matrix.of(matmul.block)[1]) for matrix in (matmul.a, matmul.b)]
    return all(
        _fault(memory, count + pad, pad) is None and (conflicts(memory, count + pad) == 1 or pad == 64)
        for memory, count in columns
    )


def conflicts(buffer: Value, pitch: int) -> int:
    """Different words of one bank that eight lanes ask for which read pieces of eight rows; 1 is none."""
    size = _size(buffer)
    pieces = max(_PIECE // size, 1)
    found = addresses(lambda lane: [lane % 8, pieces * (lane // 8)], [pitch, 1], size)
    return bank_conflicts(found, _PIECE)


def _size(buffer: Value) -> int:
    element = memref_of(buffer).element
    assert isinstance(element, ScalarType)
    return element.bits // 8


def _fault(buffer: Value, pitch: int, pad: int) -> tuple[str, str] | None:
    """What is wrong with rows of `pitch` elements, `pad` of them no part of the tile: the property, and in words."""
    size = _size(buffer)
    if pitch * size % _PIECE or pad * size % _PIECE:
        said = f"rows of %{buffer.name} are {pitch} elements of {size} bytes and begin at no multiples of {_PIECE}"
        return "alignment", f"{said} with pad={pad}; make it a multiple of {max(_PIECE // size, 1)}"
    before, after = conflicts(buffer, pitch - pad), conflicts(buffer, pitch)
    if after > before:
        return "bank conflicts", f"%{buffer.name} has {after} instead of {before} with pad={pad}"
    return None


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """Only types change; rows begin at multiples of 16 bytes; there are no more bank conflicts than before."""
    pad = matmul.schedule.pad
    check_buffers(matmul, pad)
    found = [op.name for op in matmul.function.walk()]
    if before and found != list(before):
        raise Broken(NAME, matmul.function, "operations changed, not only types")
    for op in buffers(matmul):
        _, columns = shape_of(op.memref)
        assert columns is not None
        fault = _fault(op.memref, columns, pad)
        if fault is not None:
            raise Broken(fault[0], op, fault[1])
    check_copies(matmul)
    check_visits(matmul, matmul.loop("i", NAME))
