"""Addresses of global memory on NumPy arrays: 64 bits without sign, which wrap."""

from __future__ import annotations

from tilewright.numerics.faults import first_place
from tilewright.numerics.integers import signed
from tilewright.numerics.later import Array, np


def of_integers(values: Array) -> Array:
    """Integers of 64 bits as addresses."""
    return values.view(np.uint64)


def as_integers(values: Array) -> Array:
    """Addresses as integers of 64 bits."""
    return values.view(np.int64)


def _steps(offsets: Array) -> Array:
    return signed(offsets).astype(np.int64)


def moved(values: Array, offsets: Array, size: int) -> Array:
    """Addresses of the elements, of `size` bytes, at signed distances."""
    return values + (_steps(offsets) * np.int64(size)).view(np.uint64)


def fault_of_moves(values: Array, offsets: Array, size: int) -> str | None:
    """An address that would be none of 64 bits."""
    steps, found = _steps(offsets), moved(values, offsets, size)
    limit = (2**63 - 1) // size
    wrong = (steps > limit) | (steps < -limit - 1) | ((steps < 0) & (found > values))
    wrong = np.asarray(wrong | ((steps > 0) & (found < values)))
    return f"the address{first_place(wrong)} leaves the address space" if wrong.any() else None
