"""Descriptions of matrices for devices that copy boxes of them by themselves, which a launch makes for the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from tilewright.artifacts.constraint_codec import Json, polynomial_from_json, polynomial_to_json
from tilewright.artifacts.constraints import Polynomial, Quantity
from tilewright.artifacts.json_fields import ArtifactError, Fields, entries
from tilewright.machine.cuda.tensor_maps import (
    MAP_ALIGNMENT,
    MAP_BYTES,
    MAP_UNIT,
    MOST_MODES,
    PITCH_LIMIT,
    TENSOR_DTYPES,
    has_map,
    is_row,
    swizzle_of,
)

__all__ = ["MAP_ALIGNMENT", "MAP_BYTES", "MapNumber", "TensorMap", "map_from_json", "map_to_json"]

_MOST_BOX: Final = 256

MapNumber: TypeAlias = int | Quantity
"""What the compiler knows, or what each launch does."""


class TensorMap(Struct, frozen=True):
    """Matrices, the first `distance` bytes behind the address that a parameter holds, and the boxes that are copied.

    Extents are elements, those of a row first, then of rows, then of modes along which there are more matrices;
    `strides` are the elements from a row to the next, and so on. Boxes have zeros outside of their matrix. Rows of 128,
    64 or 32 bytes are swizzled, eight together; longer ones lie as they are.
    """

    parameter: str
    dtype: str
    distance: int
    extents: tuple[MapNumber, ...]
    strides: tuple[MapNumber, ...]
    box: tuple[int, int]

    def __post_init__(self) -> None:
        extents = [number if isinstance(number, int) else 1 for number in self.extents]
        # long enough where a launch passes it
        unknown = PITCH_LIMIT // self.element_bytes - MAP_UNIT
        strides = [number if isinstance(number, int) else unknown for number in self.strides]
        fits = (
            self.dtype in TENSOR_DTYPES
            and len(self.strides) + 1 == len(self.extents)
            and len(self.box) <= len(self.extents) <= MOST_MODES
            and self.distance % MAP_UNIT == 0
            and is_row(self.box[0] * self.element_bytes)
            and all(0 < extent <= _MOST_BOX for extent in self.box)
            and has_map(extents, strides, self.element_bytes)
        )
        if not fits:
            raise ValueError(f"{self} describes no boxes that a device copies")

    @property
    def element_bytes(self) -> int:
        """Of each element."""
        return TENSOR_DTYPES[self.dtype].bytes

    @property
    def swizzle(self) -> int:
        """What the driver calls that of the boxes."""
        return swizzle_of(self.box[0] * self.element_bytes)

    @property
    def numbers(self) -> tuple[MapNumber, ...]:
        """Extents and strides."""
        return (*self.extents, *self.strides)

    @property
    def quantities(self) -> frozenset[Quantity]:
        """Everything of a launch that it depends on beside the address."""
        return frozenset(number for number in self.numbers if isinstance(number, Quantity))


def map_to_json(found: TensorMap) -> Mapping[str, Json]:
    """As a dictionary of its fields."""
    return {
        "parameter": found.parameter,
        "dtype": found.dtype,
        "distance": found.distance,
        "numbers": tuple(map(_number_to_json, found.numbers)),
        "box": found.box,
    }


def _number_to_json(number: MapNumber) -> Json:
    known = Polynomial.constant(number) if isinstance(number, int) else Polynomial.quantity(number)
    return polynomial_to_json(known)


def map_from_json(fields: Fields) -> TensorMap:
    """The inverse of `map_to_json`. Raises `ArtifactError`."""
    numbers, box = [_number(entries(number, "numbers")) for number in fields.items("numbers")], fields.integers("box")
    if len(numbers) % 2 == 0 or len(box) != 2:
        raise ArtifactError("matrices have one stride less than extents, their boxes two extents")
    rank = len(numbers) // 2 + 1
    try:
        return TensorMap(
            fields.text("parameter"),
            fields.text("dtype"),
            fields.integer("distance"),
            tuple(numbers[:rank]),
            tuple(numbers[rank:]),
            (box[0], box[1]),
        )
    except ValueError as error:
        raise ArtifactError(str(error)) from None


def _number(terms: Sequence[object]) -> MapNumber:
    polynomial = polynomial_from_json(terms)
    found = polynomial.single if polynomial.number is None else polynomial.number
    if found is None:
        raise ArtifactError("a number of a matrix is a constant or what a launch passes")
    return found
