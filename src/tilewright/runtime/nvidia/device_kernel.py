"""A kernel on one device: checked arguments become a parameter block, and that goes to a stream."""

from __future__ import annotations

import struct
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from ctypes import c_void_p
from functools import partial
from math import prod
from threading import Lock

from tilewright.artifacts.artifact import KernelInfo, LaunchPlan, device_block_size, slot_layout
from tilewright.artifacts.tensor_maps import MAP_BYTES
from tilewright.machine.cuda.driver import LAUNCH_OUT_OF_RESOURCES, DriverError, KernelFunction
from tilewright.machine.cuda.memory import stream_memory
from tilewright.runtime.argument_checks import ArgumentChecks
from tilewright.runtime.constraint_check import slot_positions
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.grid import Extents
from tilewright.runtime.launcher import KernelResources
from tilewright.runtime.nvidia.binders import device_binder
from tilewright.runtime.nvidia.direct import DeviceRunner
from tilewright.runtime.nvidia.parts import PartCount
from tilewright.runtime.nvidia.records import DeviceRecords
from tilewright.runtime.nvidia.tables import DeviceTables, HostTable
from tilewright.runtime.nvidia.tensor_maps import LaunchMaps
from tilewright.runtime.scalars import SLOT_FORMATS, SlotValue


class DeviceKernel:
    """A kernel loaded on a device; launches with all maps run what is `mapped`, if there is such a function."""

    def __init__(
        self,
        info: KernelInfo,
        plan: LaunchPlan,
        function: KernelFunction,
        steps: Sequence[DeviceKernel] = (),
        mapped: KernelFunction | None = None,
    ) -> None:
        self._steps = steps
        self._mapped = mapped
        self._info = info
        self._plan = plan
        self._function = function
        context = function.module.context
        self.ordinal = context.description.ordinal
        self._checks = ArgumentChecks(info, partial(device_binder, context))
        self._tables = DeviceTables(context)
        self._first_slots = {
            slot.parameter: position for slot, position in slot_positions(info) if slot.role in ("table", "pointer")
        }
        formats = "".join(SLOT_FORMATS[slot.dtype] for slot in slot_layout(info.parameters))
        self._records = DeviceRecords.of(info, context)
        formats += "Qq" if plan.scratch_bytes else ""
        formats += "Qq" if self._records is not None else ""
        formats += "q" * plan.grid_words
        formats += "Q" if plan.group_bytes else ""
        self._parts = PartCount(info)
        self._maps = LaunchMaps.of(info, plan, context)
        padding = device_block_size(info) - MAP_BYTES * len(plan.maps) - struct.calcsize(f"<{formats}")
        self._packer = struct.Struct(f"<{formats}{padding}x")
        self._runners: dict[int, DeviceRunner | None] = {}
        self._mutex = Lock()
        try:
            for each in (function, *(() if mapped is None else (mapped,))):
                each.allow_shared(info.local_bytes)
        except ValueError as error:
            raise LaunchError(str(error)) from None

    def checked(self, arguments: Sequence[object], sizes: Extents) -> tuple[list[SlotValue], list[object]]:
        """The values of the slots, but for addresses of tables, and what must outlive the launch.

        Raises `LaunchError`.
        """
        return self._checks.values(arguments, sizes)

    def parts(self, values: Sequence[SlotValue], sizes: Extents) -> int:
        """The blocks that share each work-group."""
        return self._parts.of(values, sizes)

    def runner(self, parts: int) -> DeviceRunner | None:
        """What launches without Python, with so many blocks of each work-group; None where nothing does."""
        with self._mutex:
            if parts not in self._runners:
                self._runners[parts] = DeviceRunner.of(self._info, self._plan, self._function, parts, self._mapped)
            return self._runners[parts]

    def only_launch(self, values: Sequence[SlotValue], sizes: Extents, form: KernelInfo) -> DeviceKernel | None:
        """The kernel that is launched, this one or one in its place; None if there are several launches, or one whose
        parameter block is another than that of `form`.
        """
        if not self._parts.takes_steps(values, sizes):
            # the memory of flags is that of a stream
            return None if self._plan.flag_bytes else self
        step, *others = self._steps
        alike = step._packer.format == self._packer.format and len(step._plan.maps) == len(self._plan.maps)
        return step if (alike or step._info is form) and not others else None

    def block(self, values: Sequence[SlotValue], sizes: Extents, parts: int, memory: Sequence[int] = ()) -> bytes:
        """The parameter block of a launch on a grid: after `values`, those of scratch memory and reports among them."""
        plan = self._plan
        said = sizes[: plan.grid_words] if plan.parts is None else (parts,)
        return self._packer.pack(*values, *said, *memory) + self._maps.bytes(values)

    def run(self, sizes: Extents, values: list[SlotValue], keep: Sequence[object], stream: int) -> None:
        """Enqueue checked work; an empty grid is none. Raises `LaunchError` if the device has no resources for it.

        A kernel that reports is waited for; `KernelError` says which assertions and checks failed.
        """
        if 0 in sizes:
            return
        tables = [kept for kept in keep if isinstance(kept, HostTable)]
        with self._workspaces(values, stream), self._tables.placed(tables, stream) as addresses:
            for name, columns in addresses.items():
                first = self._first_slots[name]
                # a table that is null stays so
                values[first : first + len(columns)] = [columns[0] if values[first] else 0, *columns[1:]]
            if not self._parts.takes_steps(values, sizes):
                self._launch(sizes, values, stream)
                return
            with self._memory(sizes, stream) as memory:
                for step in self._steps:
                    step._launch(sizes, values, stream, memory)

    def _launch(self, sizes: Extents, values: Sequence[SlotValue], stream: int, memory: Sequence[int] = ()) -> None:
        parts = self.parts(values, sizes)
        blocks = self._plan.blocks(sizes, parts)
        with (
            self._scratch(blocks, stream) as scratch,
            self._reports(stream) as reports,
            self._flags(sizes, stream) as own,
        ):
            self._enqueue(blocks, self.block([*values, *scratch, *reports], sizes, parts, memory or own), stream)

    @contextmanager
    def _workspaces(self, values: list[SlotValue], stream: int) -> Generator[None]:
        """While there is the memory that the launch makes for parameters; the values of slots say where."""
        made = self._checks.workspaces
        size = 0 if made is None else made.bytes(values)
        if made is None or not size:
            yield
            return
        with stream_memory(self._function.module.context, size, stream) as address:
            made.place(values, address)
            yield

    def _reports(self, stream: int) -> AbstractContextManager[Sequence[int]]:
        """The slots of the memory for what the kernel reports; behind the launch it is told."""
        return nullcontext(()) if self._records is None else self._records.delivering(stream)

    @contextmanager
    def _memory(self, sizes: Extents, stream: int) -> Generator[Sequence[int]]:
        """The slot of the memory that work-groups keep between launches."""
        size = max(step._plan.group_bytes for step in self._steps)
        if not size:
            yield ()
            return
        with stream_memory(self._function.module.context, size * prod(sizes), stream) as address:
            yield (address,)

    @contextmanager
    def _flags(self, sizes: Extents, stream: int) -> Generator[Sequence[int]]:
        """The slot of the memory by which the blocks of a work-group tell each other something."""
        plan, groups = self._plan, prod(sizes)
        if not plan.flag_bytes:
            yield ()
            return
        context, size = self._function.module.context, plan.group_bytes * groups
        if groups == 1:
            with context.flags.memory(size, plan.flag_bytes, stream) as address:
                yield (address,)
            return
        with stream_memory(context, size, stream) as address:
            context.call("cuMemsetD8Async", address, 0, size, c_void_p(stream))
            yield (address,)

    @contextmanager
    def _scratch(self, blocks: Extents, stream: int) -> Generator[Sequence[int]]:
        """The slots of the memory that blocks have beside shared memory, which belongs to the stream's order."""
        size = self._plan.scratch_bytes
        if not size:
            yield ()
            return
        with stream_memory(self._function.module.context, size * prod(blocks), stream) as address:
            yield address, size

    def _enqueue(self, blocks: Extents, block: bytes, stream: int) -> None:
        plan, shared = self._plan, self._info.local_bytes
        function = self._function if self._mapped is None or not self._maps.are_all_in(block) else self._mapped
        try:
            function.launch(
                blocks,
                plan.threads,
                block,
                shared_bytes=shared,
                stream=stream,
                cluster=plan.cluster,
                dependent=plan.dependent,
            )
        except DriverError as error:
            if error.code != LAUNCH_OUT_OF_RESOURCES:
                raise
            x, y, z = plan.threads
            registers = function.resources().registers
            raise LaunchError(
                f"kernel {self._info.name}: the device has no room for a block of {x * y * z} threads with {registers} "
                f"registers each and {shared:,} bytes of shared memory ({error}); compile it with smaller tiles"
            ) from error

    def resources(self) -> KernelResources:
        """What the driver's assembler made of it, as launches with all maps run it."""
        function = self._function if self._mapped is None else self._mapped
        found, (x, y, z), dynamic = function.resources(), self._plan.threads, self._info.local_bytes
        blocks = function.blocks_per_multiprocessor(x * y * z, dynamic)
        return KernelResources(found.registers, found.shared_bytes + dynamic, found.local_bytes, blocks)
