"""Moves of elements that need no exchange between threads: each thread has what it needs, in another register."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Final

from tilewright.ir.core import Value
from tilewright.ir.index_map import Move
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.types import MemrefType, TileType
from tilewright.numerics.later import Array, np

_BEYOND: Final = -1
"""The number of what is no element of the tile."""
_REMEMBERED: Final = 256
"""Moves whose registers are remembered: each copy of a loop has the same ones, and several passes ask."""


def registers_of_move(op: MovesElements, layout_of: Callable[[Value], Layout]) -> tuple[int, ...] | None:
    """For each register of the result the one of the operands, numbered one behind the other, that holds its element.

    None if some thread lacks an element that it needs. What is beyond the tiles may come from anywhere.
    """
    sources = tuple((layout_of(operand), _shape(operand)) for operand in op.operands)
    return _registers(tuple(op.moves()), sources, layout_of(op.results[0]))


@lru_cache(_REMEMBERED)
def _registers(
    moves: tuple[Move, ...], sources: tuple[tuple[Layout, tuple[int, ...]], ...], target: Layout
) -> tuple[int, ...] | None:
    """The same of tiles of such layouts and shapes."""
    wanted = _sources(moves, [shape for _, shape in sources], target.table())
    held = np.concatenate([_numbers(k, layout.table(), shape) for k, (layout, shape) in enumerate(sources)])
    known: dict[bytes, int] = {}
    for register, row in enumerate(held):
        known.setdefault(row.tobytes(), register)
    found = [_holder(row, held, known) for row in wanted]
    registers = [register for register in found if register is not None]
    return tuple(registers) if len(registers) == len(found) else None


def _holder(row: Array, held: Array, known: dict[bytes, int]) -> int | None:
    """The register that has in every thread the element that is wanted there, if one is."""
    register = known.get(row.tobytes())
    if register is not None:
        return register
    (counting,) = np.nonzero(row != _BEYOND)
    if not len(counting):
        return 0
    for candidate in np.flatnonzero(held[:, counting[0]] == row[counting[0]]):
        if (held[candidate, counting] == row[counting]).all():
            return int(candidate)
    return None


def _shape(value: Value) -> tuple[int, ...]:
    assert isinstance(value.type, TileType)
    return value.type.shape


def _numbers(operand: int, at: Array, shape: tuple[int, ...]) -> Array:
    """One number for each element of any operand, from coordinates in the last axis; by register."""
    strides = [prod(shape[:k]) for k in range(len(shape))]
    total = np.zeros(at.shape[:-1], np.int64) + (operand << 40)
    inside = np.ones(at.shape[:-1], bool)
    for k, stride in enumerate(strides):
        total += at[..., k] * stride
        inside &= at[..., k] < shape[k]
    return np.ascontiguousarray(np.where(inside, total, _BEYOND).reshape(len(at), -1))


def _sources(moves: Sequence[Move], shapes: Sequence[tuple[int, ...]], at: Array) -> Array:
    """The numbers of the elements of operands of these shapes that come to the coordinates of the result."""
    found = np.full((len(at), prod(at.shape[1:-1])), _BEYOND, np.int64)
    for move in moves:
        inside = np.ones(at.shape[:-1], bool)
        for k, (start, extent) in enumerate(zip(move.start, move.shape, strict=True)):
            inside &= (at[..., k] >= start) & (at[..., k] < start + extent)
        position = [at[..., k] - start for k, start in enumerate(move.start)]
        coordinates = [np.broadcast_to(np.asarray(c), at.shape[:-1]) for c in move.at(position)]
        there = np.stack(coordinates, axis=-1) if coordinates else np.zeros((*at.shape[:-1], 0), np.int64)
        numbers = _numbers(move.operand, there, shapes[move.operand])
        found = np.where(inside.reshape(found.shape), numbers, found)
    return found


def renaming(source: Layout, target: Layout) -> list[int]:
    """For each register of the target the one of the source with its element, where they differ in names only."""
    places = {at: register for register, at in enumerate(source.registers())}
    return [places[at] for at in target.registers()]


def in_memory_order(layout: Layout, memory: MemrefType) -> Layout:
    """With registers numbered first along the mode of neighbours."""
    registers = neighbours_first(layout.of(Owner.REG), memory)
    return Layout(layout.shape, (*registers, *(d for d in layout.digits if d.owner is not Owner.REG)))


def neighbours_first(digits: Sequence[Digit], memory: MemrefType) -> list[Digit]:
    """Digits of registers, those first that count along the mode of neighbours."""
    mode = memory.strides.index(1) if 1 in memory.strides else 0
    return sorted(digits, key=lambda d: d.dim != mode or d.stride != 1)
