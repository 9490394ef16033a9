"""Launching kernels of an NVIDIA artefact on arrays that are on the device: PyTorch, CuPy, anything with DLPack.

Everything is checked before anything runs, nothing is copied but the tables of groups, and a launch does not wait for
the device, but for kernels that print, assert or check. It goes to the device where the arrays are, to the stream that
is given, else to the current one of the framework that the arrays come from, else to the default stream.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Final

from tilewright.artifacts.artifact import Artifact, KernelInfo, device_block_size
from tilewright.artifacts.constraints import Quantity
from tilewright.artifacts.parameters import REPORTS, made_extents
from tilewright.artifacts.symbols import mapped_symbol
from tilewright.machine.cuda.architecture import Architecture
from tilewright.machine.cuda.driver import Context, LoadedModule, device_count, open_device, pointer_device
from tilewright.runtime.addresses import MemoryAt
from tilewright.runtime.apart import LaunchSite, alias_requirement, form_apart, prepared, takes_apart
from tilewright.runtime.arrays import NotAnArray, UnusableArray, view
from tilewright.runtime.constraint_check import ConstraintCheck
from tilewright.runtime.direct import AcceptedCalls, call_site, recognisable
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.grid import Extents, Grid, grid_extents
from tilewright.runtime.group_arguments import PointerArray
from tilewright.runtime.launcher import KernelResources
from tilewright.runtime.nvidia.device_kernel import DeviceKernel
from tilewright.runtime.nvidia.direct import entry
from tilewright.runtime.nvidia.parts import PartCount
from tilewright.runtime.nvidia.streams import arrays_of, current_stream, framework_of, stream_handle
from tilewright.runtime.nvidia.tables import AddressWords
from tilewright.runtime.pool_layout import FRAME_SLOTS

__all__ = ["CudaKernel", "Modules", "bind_artifact"]

_MAX_GRID: Final = ((1 << 31) - 1, 65535, 65535)
_HEADER: Final = struct.Struct("<6q")


def bind_artifact(artifact: Artifact, device: int | None = None) -> Mapping[str, CudaKernel]:
    """The kernels of an NVIDIA artefact, ready to be launched, by name.

    They run on the device where the arrays of a launch are, or only on `device`. Raises `LaunchError` for an artefact
    of another target and for a `device` that cannot run it, `DriverUnavailable` where there is no device.
    """
    if artifact.target != "nvidia":
        raise LaunchError(f"the artefact is for the target {artifact.target!r}, not for NVIDIA devices")
    modules = Modules(artifact, device)
    return {info.name: CudaKernel(info, modules) for info in artifact.kernels}


class Modules:
    """The code of an artefact on each device that has been launched on; `only` is the one device that may be."""

    def __init__(self, artifact: Artifact, only: int | None) -> None:
        self._artifact = artifact
        self._mutex = Lock()
        self._loaded: dict[int, LoadedModule] = {}
        self.devices = device_count()
        self.only = only
        if only is not None or self.devices < 2:
            self.on(only or 0)

    def on(self, ordinal: int) -> LoadedModule:
        """The code on a device. Raises `LaunchError` if it is not for that device."""
        found = self._loaded.get(ordinal)
        if found is None:
            context = open_device(ordinal)
            _check_architecture(self._artifact, context)
            with self._mutex:
                found = self._loaded.get(ordinal) or context.load(self._artifact.payload.decode())
                self._loaded[ordinal] = found
        return found

    def device_of(self, arguments: Sequence[object]) -> int:
        """The device that a launch with these arguments is for: that of the first array, the first device without."""
        if self.only is not None:
            return self.only
        if self.devices == 1:
            return 0
        found = (_place(item) for argument in arguments for item in _members(argument))
        return next((place for place in found if place is not None), 0)


def _unknown(quantity: Quantity) -> int:
    """What steps ask for that depend on the grid alone."""
    raise AssertionError(f"nobody asks for {quantity}")


def _members(argument: object) -> Iterable[object]:
    return (argument,) if isinstance(argument, PointerArray | MemoryAt | AddressWords) else arrays_of((argument,))


def _place(argument: object) -> int | None:
    """The device on which an argument's memory lies; None for what has none."""
    if isinstance(argument, MemoryAt):
        return pointer_device(argument.number)
    if isinstance(argument, PointerArray):
        return next((pointer_device(int(address)) for address in argument.pointers if address), None)
    if isinstance(argument, AddressWords):
        return next(map(pointer_device, argument.addresses), None)
    try:
        array = view(argument)
    except (NotAnArray, UnusableArray):
        # whoever binds it says what is wrong
        return None
    if array.device.kind != "cuda":
        return None
    # `__cuda_array_interface__` does not tell which device it is
    return array.device.ordinal if 0 in array.shape else pointer_device(array.address)


def _check_architecture(artifact: Artifact, context: Context) -> None:
    """Code for sm_80 runs on all that came later, code for sm_90a on 9.0 only."""
    description = context.description
    exact = artifact.features == Architecture.SM_90A.value
    fits = description.capability == (9, 0) if exact else description.capability >= (8, 0)
    if not fits:
        major, minor = description.capability
        raise LaunchError(
            f"the artefact was compiled for {artifact.features}; device {description.ordinal} ({description.name}) has "
            f"compute capability {major}.{minor}. Compile for target nvidia on that machine, or for nvidia:sm_80, "
            f"which all devices from 8.0 on run"
        )


class CudaKernel:
    """A kernel on devices, ready to be launched any number of times and from any number of threads.

    If it `is_apart`, launches have seen that its arrays lie apart.
    """

    def __init__(self, info: KernelInfo, modules: Modules, *, is_apart: bool = False) -> None:
        assert info.launch is not None, "artefacts for devices that say nothing of it are not read"
        self.info = info
        self._plan = info.launch
        self._modules = modules
        self._mutex = Lock()
        self._kernels: dict[int, DeviceKernel] = {}
        hidden = info.launch.scratch_bytes or REPORTS in info.facts or any(map(made_extents, info.parameters))
        self._is_direct = not hidden and recognisable(info.passed)
        self._constraints = ConstraintCheck.of(info)
        pinned = frozenset[str]() if self._constraints is None else self._constraints.scalars
        self._pinned = pinned | PartCount(info).scalars
        self._aliasing = alias_requirement(info, is_apart)
        self._accepted = AcceptedCalls(info.passed, self._pinned, copied=True, aliasing=self._aliasing)
        other = form_apart(info)
        self._apart = None if other is None else CudaKernel(other, modules, is_apart=True)

    def launch(self, grid: Grid, arguments: Sequence[object], stream: object = None) -> None:
        """Enqueue the kernel on a grid of work-groups. A grid with a zero runs nothing.

        `stream` is a number, an object with `__cuda_stream__`, or a stream of PyTorch or CuPy. Raises `LaunchError` for
        arguments and grids that do not fit, `DeviceFailed` if a kernel before has faulted, `OutOfDeviceMemory`. A
        kernel that reports is waited for: `KernelError` says which assertions and checks failed, `MemoryError` that
        reports are missing.
        """
        if self._apart is not None and takes_apart(self.info, arguments):
            self._apart.launch(grid, arguments, stream)
            return
        sizes = self._extents(grid)
        on = self._on(arguments)
        values, keep = on.checked(arguments, sizes)
        handle = current_stream(arguments, on.ordinal) if stream is None else stream_handle(stream)
        on.run(sizes, values, keep, handle)

    __call__ = launch

    def prepare(self, grid: Grid) -> Callable[..., None]:
        """The kernel with its grid, called with the arguments: for calls with tensors of torch like those of earlier
        calls no Python code runs."""
        apart = None if self._apart is None else self._apart._site(grid)
        return prepared(self.info, self._site(grid), apart)

    def _site(self, grid: Grid) -> LaunchSite:
        sizes = self._extents(grid)
        if not self._is_direct:
            return LaunchSite(lambda *arguments: self.launch(sizes, arguments), lambda rest: rest)
        if self._plan.grid_words or self.info.steps is not None:
            # the parameter block of a call is that of its grid
            accepted = AcceptedCalls(self.info.passed, self._pinned, copied=True, aliasing=self._aliasing)
        else:
            accepted = self._accepted.on(sizes, self._constraints)
        form = self._form(sizes)
        assert form.launch is not None
        x, y, z = form.launch.blocks(sizes)
        header = _HEADER.pack(0, x * y * z, form.local_bytes, x, y, z)
        names = [parameter.name for parameter in self.info.passed]

        def launch(*arguments: object) -> None:
            on = self._on(arguments)
            values, keep = on.checked(arguments, sizes)
            on.run(sizes, values, keep, current_stream(arguments, on.ordinal))
            # the stream of an accepted call is torch's, and tables that last are where this launch has put them
            one = on.only_launch(values, sizes, form) if 0 not in sizes else None
            if one is not None and len(arguments) == len(names) and framework_of(arguments) == "torch":
                parts = one.parts(values, sizes)
                runner = one.runner(parts)
                if runner is not None:
                    accepted.saw(arguments, one.block(values, sizes, parts), keep, runner)

        def before(rest: Callable[..., None]) -> Callable[..., None]:
            return call_site(accepted, entry(), header, FRAME_SLOTS + device_block_size(form), names, rest)

        return LaunchSite(launch, before)

    def _form(self, sizes: Extents) -> KernelInfo:
        """What calls without Python have room for: the kernel, or the one launch that is in its place on this grid."""
        steps = self.info.steps
        if steps is None or steps.quantities or len(steps.kernels) != 1 or not steps.suit(sizes, _unknown):
            return self.info
        step = steps.kernels[0]
        is_hidden = step.launch is None or step.launch.scratch_bytes or step.launch.group_bytes
        return self.info if is_hidden else step

    def resources(self, device: int | None = None) -> KernelResources:
        """What the kernel takes of a device, by default the first on which it was launched; if it has two forms, the
        one for arrays that lie apart."""
        if self._apart is not None:
            return self._apart.resources(device)
        known = next(iter(self._kernels), 0) if device is None else device
        return self._kernel(known).resources()

    def _extents(self, grid: Grid) -> Extents:
        sizes = grid_extents(grid, self.info.max_groups)
        blocks, cluster = self._plan.blocks(sizes), self._plan.cluster
        if any(size > limit for size, limit in zip(blocks, _MAX_GRID, strict=True)):
            raise LaunchError(
                f"the grid {sizes} exceeds {_MAX_GRID}, the largest of an NVIDIA device; put the longest mode first, "
                f"or launch it in parts"
            )
        # of work-groups that are divided there are whole clusters
        if self._plan.parts is None and any(size % together for size, together in zip(blocks, cluster, strict=True)):
            raise LaunchError(f"the grid {sizes} cannot be run by clusters of {cluster} blocks: it has {blocks} blocks")
        return sizes

    def _on(self, arguments: Sequence[object]) -> DeviceKernel:
        return self._kernel(self._modules.device_of(arguments))

    def _kernel(self, ordinal: int) -> DeviceKernel:
        found = self._kernels.get(ordinal)
        if found is not None:
            return found
        with self._mutex:
            found = self._kernels.get(ordinal)
            if found is None:
                found = self._kernels[ordinal] = self._loaded(self._modules.on(ordinal))
            return found

    def _loaded(self, module: LoadedModule) -> DeviceKernel:
        """The kernel, and the launches that may take its place."""
        steps = () if self.info.steps is None else self.info.steps.kernels
        return _on_device(module, self.info, [_on_device(module, step) for step in steps])


def _on_device(module: LoadedModule, info: KernelInfo, steps: Sequence[DeviceKernel] = ()) -> DeviceKernel:
    plan = info.launch
    assert plan is not None, "artefacts for devices that say nothing of it are not read"
    mapped = module.function(mapped_symbol(info.symbol)) if plan.has_mapped else None
    return DeviceKernel(info, plan, module.function(info.symbol), steps, mapped)
