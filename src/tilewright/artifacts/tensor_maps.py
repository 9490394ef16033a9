"""Descriptions of matrices for devices that copy boxes of them by themselves, which a launch makes for the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from tilewright.artifacts.constraint_codec import Json
from tilewright.artifacts.json_fields import ArtifactError, Fields
from tilewright.machine.cuda.tensor_maps import MAP_ALIGNMENT, MAP_BYTES, TENSOR_DTYPES

__all__ = ["MAP_ALIGNMENT", "MAP_BYTES", "TensorMap", "map_from_json", "map_to_json"]

_UNIT: Final = 16
_MOST_BOX: Final = 256
_LINE_ELEMENTS: Final = 64


class TensorMap(Struct, frozen=True):
    """A matrix `distance` bytes behind the address that a parameter holds, and the boxes of it that are copied.

    Extents are elements, neighbours first; `pitch` are the bytes from a row to the next. Boxes have rows of 128 bytes,
    of which eight are swizzled together, and zeros outside of the matrix.
    """

    parameter: str
    dtype: str
    distance: int
    extents: tuple[int, int]
    pitch: int
    box: tuple[int, int]

    def __post_init__(self) -> None:
        fits = (
            self.dtype in TENSOR_DTYPES
            and self.distance % _UNIT == 0
            and self.pitch % _UNIT == 0
            and min(self.extents) > 0 < self.pitch < 1 << 40
            and max(self.extents) <= 1 << 32
            and self.box[0] == _LINE_ELEMENTS
            and 0 < self.box[1] <= _MOST_BOX
        )
        if not fits:
            raise ValueError(f"{self} describes no boxes that a device copies")


def map_to_json(found: TensorMap) -> Mapping[str, Json]:
    """As a dictionary of its fields."""
    return {
        "parameter": found.parameter,
        "dtype": found.dtype,
        "distance": found.distance,
        "extents": found.extents,
        "pitch": found.pitch,
        "box": found.box,
    }


def map_from_json(fields: Fields) -> TensorMap:
    """The inverse of `map_to_json`. Raises `ArtifactError`."""
    extents, box = fields.integers("extents"), fields.integers("box")
    if (len(extents), len(box)) != (2, 2):
        raise ArtifactError("a matrix and its boxes have two extents")
    numbers = (fields.integer("distance"), (extents[0], extents[1]), fields.integer("pitch"), (box[0], box[1]))
    try:
        return TensorMap(fields.text("parameter"), fields.text("dtype"), *numbers)
    except ValueError as error:
        raise ArtifactError(str(error)) from None
