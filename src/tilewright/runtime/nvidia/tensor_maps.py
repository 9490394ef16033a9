"""The maps of a kernel's launches: what the device has to know of matrices of which it copies boxes by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from tilewright.artifacts.artifact import KernelInfo, LaunchPlan, Slot, device_block_size, slot_layout
from tilewright.artifacts.constraints import Quantity
from tilewright.artifacts.parameters import DTYPE_BYTES
from tilewright.artifacts.tensor_maps import MAP_BYTES, MapNumber, TensorMap
from tilewright.machine.cuda.driver import Context
from tilewright.machine.cuda.tensor_maps import (
    MAP_UNIT,
    MOST_MODES,
    PITCH_LIMIT,
    TENSOR_DTYPES,
    encoded,
    has_map,
    whole_box,
)
from tilewright.runtime.constraint_check import quantity_of, quantity_positions, slot_positions
from tilewright.runtime.nvidia.launch_ir import ENTRY
from tilewright.runtime.scalars import SlotValue

_MOST_KEPT: Final = 256
_WORD_BITS: Final = 64
_NOTHING: Final = bytes(MAP_BYTES)
"""Of a matrix that is not there or has no map: a kernel that may be given such does not ask for its boxes then."""


def map_entries(info: KernelInfo, plan: LaunchPlan) -> bytes:
    """The maps of a kernel as the machine code of launches reads them (`launch_ir`)."""
    layout = slot_layout(info.parameters)
    pointers = {slot.parameter: slot.offset for slot in layout if slot.role == "pointer"}
    numbers = {quantity: slot for slot in layout if (quantity := quantity_of(slot)) is not None}
    first = device_block_size(info) - MAP_BYTES * len(plan.maps)
    return b"".join(
        ENTRY.pack(
            pointers[found.parameter],
            first + MAP_BYTES * number,
            found.distance,
            TENSOR_DTYPES[found.dtype].code,
            found.swizzle,
            *whole_box(found.box, MOST_MODES),
            *(1,) * MOST_MODES,
            len(found.extents),
            found.element_bytes,
            -PITCH_LIMIT // found.element_bytes | (MAP_UNIT // found.element_bytes - 1),
            -PITCH_LIMIT // found.element_bytes,
            *(word for each in _all_modes(found.extents, MOST_MODES) for word in _number_entry(each, numbers)),
            *(word for each in _all_modes(found.strides, MOST_MODES - 1) for word in _number_entry(each, numbers)),
        )
        for number, found in enumerate(plan.maps)
    )


def _all_modes(numbers: Sequence[MapNumber], count: int) -> tuple[MapNumber, ...]:
    """As many as an entry has; those beyond the map's are not read."""
    return (*numbers, *(1,) * (count - len(numbers)))


def _number_entry(number: MapNumber, slots: Mapping[Quantity, Slot]) -> tuple[int, int, int, int]:
    """Where in the parameter block a number stands, bits of the word that are not its, a factor and what is added."""
    if isinstance(number, int):
        return 0, 0, 0, number
    slot = slots[number]
    return slot.offset, _WORD_BITS - 8 * DTYPE_BYTES[slot.dtype], 1, 0


class LaunchMaps(Struct):
    """The maps of one kernel on a device, and where what they are made of stands in its slots; maps are kept."""

    context: Context
    maps: tuple[tuple[int, TensorMap], ...]
    places: Mapping[Quantity, int]
    kept: dict[tuple[int, ...], bytes] = field(default_factory=dict[tuple[int, ...], bytes])

    @staticmethod
    def of(info: KernelInfo, plan: LaunchPlan, context: Context) -> LaunchMaps:
        """Of a kernel that may have none."""
        slots = {slot.parameter: position for slot, position in slot_positions(info) if slot.role == "pointer"}
        maps = tuple((slots[found.parameter], found) for found in plan.maps)
        return LaunchMaps(context, maps, quantity_positions(info) if maps else {})

    def bytes(self, values: Sequence[SlotValue]) -> bytes:
        """What stands at the end of the block of parameters of a launch with these slots."""
        return b"".join(self._map(number, values) for number in range(len(self.maps)))

    def are_all_in(self, block: bytes) -> bool:
        """Whether no map at the end of a block of parameters is missing."""
        first = len(block) - MAP_BYTES * len(self.maps)
        return all(block[at : at + MAP_BYTES] != _NOTHING for at in range(first, len(block), MAP_BYTES))

    def _map(self, number: int, values: Sequence[SlotValue]) -> bytes:
        slot, wanted = self.maps[number]
        address = values[slot]
        assert isinstance(address, int), "slots of pointers hold addresses"
        extents, strides = ([self._number(each, values) for each in some] for some in (wanted.extents, wanted.strides))
        place = address + wanted.distance
        if not address or place % MAP_UNIT or not has_map(extents, strides, wanted.element_bytes):
            return _NOTHING
        key = (number, address, *extents, *strides)
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) >= _MOST_KEPT:
                self.kept.clear()
            pitches = [stride * wanted.element_bytes for stride in strides]
            found = self.kept[key] = encoded(self.context, wanted.dtype, place, extents, pitches, wanted.box)
        return found

    def _number(self, number: MapNumber, values: Sequence[SlotValue]) -> int:
        found = number if isinstance(number, int) else values[self.places[number]]
        assert isinstance(found, int), "slots of integers hold integers"
        return found
