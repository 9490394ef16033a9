"""From stored elements to logical tensors and back, on NumPy arrays.

Stored arrays have the type's extents, in memory order; logical ones have its shape. Padding is left behind on the one
way and zero on the other.
"""

from __future__ import annotations

from tilewright.dialects.tlx.types import TensorType
from tilewright.numerics.arrays import dtype_of
from tilewright.numerics.later import Array, np


def logical(type_: TensorType, stored: Array) -> Array:
    """The logical tensor: a view of the stored elements that are data."""
    return stored[_data(type_)].transpose(type_.positions)


def stored(type_: TensorType, tensor: Array) -> Array:
    """What is stored of a logical tensor."""
    found = np.zeros(type_.extents, dtype_of(type_.format))
    found[_data(type_)] = tensor.transpose(type_.layout)
    return found


def _data(type_: TensorType) -> tuple[slice, ...]:
    return tuple(slice(0, extent) for extent in type_.valid)
