"""A kernel on one device: checked arguments become a parameter block, and that goes to a stream."""

from __future__ import annotations

import struct
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from math import prod

from tilewright.artifacts.artifact import KernelInfo, LaunchPlan, device_block_size, slot_layout
from tilewright.machine.cuda.driver import LAUNCH_OUT_OF_RESOURCES, DriverError, KernelFunction
from tilewright.machine.cuda.memory import stream_memory
from tilewright.once import once
from tilewright.runtime.argument_checks import ArgumentChecks
from tilewright.runtime.constraint_check import slot_positions
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.grid import Extents
from tilewright.runtime.launcher import KernelResources
from tilewright.runtime.nvidia.binders import device_binder
from tilewright.runtime.nvidia.direct import DeviceRunner
from tilewright.runtime.nvidia.records import DeviceRecords
from tilewright.runtime.nvidia.tables import DeviceTables, HostTable
from tilewright.runtime.scalars import SLOT_FORMATS, SlotValue


class DeviceKernel:
    """A kernel loaded on a device."""

    def __init__(self, info: KernelInfo, plan: LaunchPlan, function: KernelFunction) -> None:
        self._info = info
        self._plan = plan
        self._function = function
        context = function.module.context
        self.ordinal = context.description.ordinal
        self.checks = ArgumentChecks(info, partial(device_binder, context))
        self._tables = DeviceTables(context)
        self._first_slots = {
            slot.parameter: position for slot, position in slot_positions(info) if slot.role in ("table", "pointer")
        }
        formats = "".join(SLOT_FORMATS[slot.dtype] for slot in slot_layout(info.parameters))
        self._records = DeviceRecords.of(info, context)
        formats += "Qq" if plan.scratch_bytes else ""
        formats += "Qq" if self._records is not None else ""
        formats += "q" if plan.items > 1 else ""
        padding = device_block_size(info) - struct.calcsize(f"<{formats}")
        self._packer = struct.Struct(f"<{formats}{padding}x")
        self.runner = once(partial(DeviceRunner.of, info, plan, function))
        try:
            function.allow_shared(info.local_bytes)
        except ValueError as error:
            raise LaunchError(str(error)) from None

    def checked(self, arguments: Sequence[object], sizes: Extents) -> tuple[list[SlotValue], list[object]]:
        """The values of the slots, but for addresses of tables, and what must outlive the launch.

        Raises `LaunchError`.
        """
        return self.checks.values(arguments, sizes)

    def block(self, values: Sequence[SlotValue], sizes: Extents) -> bytes:
        """The parameter block of a launch on a grid, without scratch memory."""
        return self._packer.pack(*values, *(sizes[:1] if self._plan.items > 1 else ()))

    def run(self, sizes: Extents, values: list[SlotValue], keep: Sequence[object], stream: int) -> None:
        """Enqueue checked work; an empty grid is none. Raises `LaunchError` if the device has no resources for it.

        A kernel that reports is waited for; `KernelError` says which assertions and checks failed.
        """
        if 0 in sizes:
            return
        tables = [kept for kept in keep if isinstance(kept, HostTable)]
        with self._tables.placed(tables, stream) as addresses:
            for name, columns in addresses.items():
                first = self._first_slots[name]
                # a table that is null stays so
                values[first : first + len(columns)] = [columns[0] if values[first] else 0, *columns[1:]]
            with self._scratch(sizes, stream) as scratch, self._reports(stream) as reports:
                self._enqueue(sizes, self.block([*values, *scratch, *reports], sizes), stream)

    def _reports(self, stream: int) -> AbstractContextManager[Sequence[int]]:
        """The slots of the memory for what the kernel reports; behind the launch it is told."""
        return nullcontext(()) if self._records is None else self._records.delivering(stream)

    @contextmanager
    def _scratch(self, sizes: Extents, stream: int) -> Generator[Sequence[int]]:
        """The slots of the memory that blocks have beside shared memory, which belongs to the stream's order."""
        size = self._plan.scratch_bytes
        if not size:
            yield ()
            return
        with stream_memory(self._function.module.context, size * prod(self._plan.blocks(sizes)), stream) as address:
            yield address, size

    def _enqueue(self, sizes: Extents, block: bytes, stream: int) -> None:
        plan, shared = self._plan, self._info.local_bytes
        try:
            self._function.launch(
                plan.blocks(sizes), plan.threads, block, shared_bytes=shared, stream=stream, cluster=plan.cluster
            )
        except DriverError as error:
            if error.code != LAUNCH_OUT_OF_RESOURCES:
                raise
            x, y, z = plan.threads
            registers = self._function.resources().registers
            raise LaunchError(
                f"kernel {self._info.name}: the device has no room for a block of {x * y * z} threads with {registers} "
                f"registers each and {shared:,} bytes of shared memory ({error}); compile it with smaller tiles"
            ) from error

    def resources(self) -> KernelResources:
        """What the driver's assembler made of it."""
        found, (x, y, z), dynamic = self._function.resources(), self._plan.threads, self._info.local_bytes
        blocks = self._function.blocks_per_multiprocessor(x * y * z, dynamic)
        return KernelResources(found.registers, found.shared_bytes + dynamic, found.local_bytes, blocks)
