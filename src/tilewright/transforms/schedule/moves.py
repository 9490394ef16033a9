"""Moves of elements that need no exchange between threads: each thread has what it needs, in another register."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from tilewright.ir.core import Value
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.layouts import Layout
from tilewright.ir.types import TileType
from tilewright.numerics.later import Array, np


def registers_of_move(op: MovesElements, layout_of: Callable[[Value], Layout]) -> tuple[int, ...] | None:
    """For each register of the result the one of the operands, numbered one behind the other, that holds its element.

    None if some thread lacks an element that it needs.
    """
    wanted = _sources(op, layout_of(op.results[0]).table())
    held: dict[bytes, int] = {}
    first = 0
    for number, operand in enumerate(op.operands):
        layout = layout_of(operand)
        numbers = _numbers(number, layout.table(), layout.shape)
        for register, row in enumerate(numbers):
            held.setdefault(row.tobytes(), first + register)
        first += len(numbers)
    found = [held.get(row.tobytes()) for row in wanted]
    registers = [register for register in found if register is not None]
    return tuple(registers) if len(registers) == len(found) else None


def _numbers(operand: int, at: Array, shape: tuple[int, ...]) -> Array:
    """One number for each element of any operand, from coordinates in the last axis; by register."""
    strides = [prod(shape[:k]) for k in range(len(shape))]
    total = np.zeros(at.shape[:-1], np.int64) + (operand << 40)
    for k, stride in enumerate(strides):
        total += at[..., k] * stride
    return np.ascontiguousarray(total.reshape(len(at), -1))


def _sources(op: MovesElements, at: Array) -> Array:
    """The numbers of the elements that come to the coordinates of the result."""
    found = np.zeros((len(at), prod(at.shape[1:-1])), np.int64)
    for move in op.moves():
        inside = np.ones(at.shape[:-1], bool)
        for k, (start, extent) in enumerate(zip(move.start, move.shape, strict=True)):
            inside &= (at[..., k] >= start) & (at[..., k] < start + extent)
        position = [at[..., k] - start for k, start in enumerate(move.start)]
        coordinates = [np.broadcast_to(np.asarray(c), at.shape[:-1]) for c in move.at(position)]
        source = op.operands[move.operand].type
        assert isinstance(source, TileType)
        there = np.stack(coordinates, axis=-1) if coordinates else np.zeros((*at.shape[:-1], 0), np.int64)
        numbers = _numbers(move.operand, there, source.shape)
        found = np.where(inside.reshape(found.shape), numbers, found)
    return found
