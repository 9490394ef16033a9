"""Memory that the launches of a kernel make for it, whose extents follow from the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

import numpy as np
from msgspec import Struct

from tilewright.artifacts.constraints import Polynomial, Quantity
from tilewright.artifacts.parameters import DTYPE_BYTES, MADE_ALIGNMENT, KernelInfo, MemrefParameter, made_extents
from tilewright.runtime.constraint_check import quantity_positions, slot_positions
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.scalars import SlotValue


class _Workspace(Struct, frozen=True):
    """Memory for one parameter; the slot with its address stands at `position`."""

    parameter: MemrefParameter
    position: int


class Workspaces:
    """The memory that each launch of one kernel makes."""

    def __init__(self, info: KernelInfo, made: Sequence[MemrefParameter]) -> None:
        self._name = info.name
        self._places = quantity_positions(info)
        positions = {slot.parameter: position for slot, position in slot_positions(info) if slot.role == "pointer"}
        self._all = [_Workspace(parameter, positions[parameter.name]) for parameter in made]

    @staticmethod
    def of(info: KernelInfo) -> Workspaces | None:
        """Those of a kernel, None if its launches make no memory."""
        made = [p for p in info.parameters if isinstance(p, MemrefParameter) and made_extents(p)]
        return Workspaces(info, made) if made else None

    def shapes(self, values: Sequence[SlotValue]) -> dict[str, tuple[int, ...]]:
        """The extents of each parameter's memory by its name, of the values of the slots in front of them."""
        return {one.parameter.name: self._shape(one.parameter.made, values) for one in self._all}

    def slots(self, values: Sequence[SlotValue]) -> list[SlotValue]:
        """The values of the slots behind those of the arguments; addresses are 0 until there is memory."""
        found: list[SlotValue] = []
        for one in self._all:
            shape, parameter = self._shape(one.parameter.made, values), one.parameter
            strides = [prod(shape[:mode]) for mode in range(len(shape))]
            found.append(0)
            found += [extent for extent, known in zip(shape, parameter.shape, strict=True) if known is None]
            found += [stride for stride, known in zip(strides, parameter.strides, strict=True) if known is None]
        return found

    def bytes(self, values: Sequence[SlotValue]) -> int:
        """How much memory a launch makes, for all of them."""
        return sum(size for _, size in self._sizes(values))

    def place(self, values: list[SlotValue], address: int) -> None:
        """Let the slots say where the memory is, one behind the other from an address on."""
        for one, size in self._sizes(values):
            values[one.position] = address
            address += size

    def on_host(self, values: list[SlotValue]) -> object:
        """Make the memory on this machine; it lives as long as what is returned. Raises `LaunchError`."""
        size = self.bytes(values)
        try:
            memory = np.empty(size + MADE_ALIGNMENT, np.uint8)
        except (MemoryError, ValueError):
            raise LaunchError(f"kernel {self._name}: there is no room for the {size:,} bytes that it uses") from None
        address = memory.ctypes.data
        self.place(values, address + -address % MADE_ALIGNMENT)
        return memory

    def _sizes(self, values: Sequence[SlotValue]) -> list[tuple[_Workspace, int]]:
        """Each with its bytes, a multiple of the alignment."""
        found: list[tuple[_Workspace, int]] = []
        for one in self._all:
            size = prod(self._shape(one.parameter.made, values)) * DTYPE_BYTES[one.parameter.dtype]
            found.append((one, -(-size // MADE_ALIGNMENT) * MADE_ALIGNMENT))
        return found

    def _shape(self, extents: Sequence[Polynomial], values: Sequence[SlotValue]) -> tuple[int, ...]:
        def known(quantity: Quantity) -> int:
            return cast("int", values[self._places[quantity]])

        return tuple(max(extent.value(known), 0) for extent in extents)
