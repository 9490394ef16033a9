"""The maps of a kernel's launches: what the device has to know of matrices of which it copies boxes by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field

from tilewright.artifacts.artifact import KernelInfo, LaunchPlan, device_block_size, slot_layout
from tilewright.artifacts.tensor_maps import MAP_BYTES, TensorMap
from tilewright.machine.cuda.driver import Context
from tilewright.machine.cuda.tensor_maps import TENSOR_DTYPES, encoded
from tilewright.runtime.constraint_check import slot_positions
from tilewright.runtime.nvidia.launch_ir import ENTRY
from tilewright.runtime.scalars import SlotValue

_MOST_KEPT: Final = 256
_NOTHING: Final = bytes(MAP_BYTES)
"""Of a matrix that is not there, or not aligned: a kernel that may be given such does not ask for its boxes then."""
_UNIT: Final = 16


def map_entries(info: KernelInfo, plan: LaunchPlan) -> bytes:
    """The maps of a kernel as the machine code of launches reads them (`launch_ir`)."""
    slots = {slot.parameter: slot.offset for slot in slot_layout(info.parameters) if slot.role == "pointer"}
    first = device_block_size(info) - MAP_BYTES * len(plan.maps)
    return b"".join(
        ENTRY.pack(
            slots[found.parameter],
            first + MAP_BYTES * number,
            found.distance,
            TENSOR_DTYPES[found.dtype],
            *found.extents,
            found.pitch,
            *found.box,
            *(1, 1),
        )
        for number, found in enumerate(plan.maps)
    )


class LaunchMaps(Struct):
    """The maps of one kernel on a device, and the slots with the addresses of their matrices; maps are kept."""

    context: Context
    maps: tuple[tuple[int, TensorMap], ...]
    kept: dict[tuple[int, int], bytes] = field(default_factory=dict[tuple[int, int], bytes])

    @staticmethod
    def of(info: KernelInfo, plan: LaunchPlan, context: Context) -> LaunchMaps:
        """Of a kernel that may have none."""
        slots = {slot.parameter: position for slot, position in slot_positions(info) if slot.role == "pointer"}
        return LaunchMaps(context, tuple((slots[found.parameter], found) for found in plan.maps))

    def bytes(self, values: Sequence[SlotValue]) -> bytes:
        """What stands at the end of the block of parameters of a launch with these slots."""
        return b"".join(self._map(number, values[slot]) for number, (slot, _) in enumerate(self.maps))

    def _map(self, number: int, address: SlotValue) -> bytes:
        assert isinstance(address, int), "slots of pointers hold addresses"
        wanted = self.maps[number][1]
        place = address + wanted.distance
        if not address or place % _UNIT:
            return _NOTHING
        found = self.kept.get((number, address))
        if found is None:
            if len(self.kept) >= _MOST_KEPT:
                self.kept.clear()
            shape = (wanted.extents, wanted.pitch, wanted.box)
            found = self.kept[number, address] = encoded(self.context, wanted.dtype, place, *shape)
        return found
