"""The CUDA driver as a few small classes: device, context, module, function, memory, stream, event.

Every object holds on to what it lives in, so that a context outlives its modules. Calls are made with the context
pushed and popped again: the caller's own current context (PyTorch's, say) is as before when a method returns.
"""

from __future__ import annotations

import ctypes
import re
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_int, c_void_p
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from tilewright.machine.cuda.binding import Library, library
from tilewright.machine.cuda.errors import (
    LAUNCH_OUT_OF_RESOURCES,
    UNSUPPORTED_PTX,
    DeviceFailed,
    DriverError,
    DriverUnavailable,
    OutOfDeviceMemory,
)
from tilewright.machine.cuda.handles import finalizer
from tilewright.machine.cuda.launch_config import LaunchConfig
from tilewright.machine.cuda.memory import DeviceBuffer, StreamFlags
from tilewright.machine.cuda.queues import Event, Stream

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = [
    "LAUNCH_OUT_OF_RESOURCES",
    "Context",
    "DeviceBuffer",
    "DeviceDescription",
    "DeviceFailed",
    "DriverError",
    "DriverUnavailable",
    "Event",
    "FunctionResources",
    "KernelFunction",
    "LoadedModule",
    "ModuleLoadError",
    "OutOfDeviceMemory",
    "Stream",
    "available",
    "device_count",
    "driver_version",
    "open_device",
    "pointer_device",
]

_ATTRIBUTE_MAX_THREADS: Final = 1
_ATTRIBUTE_MAX_SHARED: Final = 8
_ATTRIBUTE_MULTIPROCESSORS: Final = 16
_ATTRIBUTE_MAJOR: Final = 75
_ATTRIBUTE_MINOR: Final = 76
_ATTRIBUTE_MAX_SHARED_OPTIN: Final = 97

_FUNCTION_SHARED: Final = 1
_FUNCTION_LOCAL: Final = 3
_FUNCTION_REGISTERS: Final = 4
_FUNCTION_MAX_THREADS: Final = 0
_FUNCTION_MAX_DYNAMIC_SHARED: Final = 8

_POINTER_DEVICE_ORDINAL: Final = 9

_JIT_ERROR_LOG: Final = 5
_JIT_ERROR_LOG_BYTES: Final = 6
_LOG_BYTES: Final = 64 * 1024

_DEFAULT_SHARED_LIMIT: Final = 48 * 1024


class ModuleLoadError(RuntimeError):
    """The driver refused a PTX text; `log` is what its assembler said."""

    def __init__(self, error: DriverError, log: str) -> None:
        super().__init__(f"{error}\n{log}" if log else str(error))
        self.log = log


class DeviceDescription(Struct, frozen=True):
    """What the compiler and the launcher want to know of a device."""

    ordinal: int
    name: str
    capability: tuple[int, int]
    multiprocessors: int
    max_threads: int
    max_shared_bytes: int
    max_shared_bytes_optin: int


class FunctionResources(Struct, frozen=True):
    """What the driver's assembler made of a kernel: shared bytes per block, local bytes (spills, stack) per thread."""

    registers: int
    shared_bytes: int
    local_bytes: int
    max_threads: int


def available() -> bool:
    """Whether this machine has a driver and a device."""
    try:
        return device_count() > 0
    except DriverUnavailable:
        return False


def device_count() -> int:
    """Number of devices that the driver offers to this process."""
    count = c_int()
    library().call("cuDeviceGetCount", byref(count))
    return count.value


def driver_version() -> tuple[int, int]:
    """The newest CUDA version the driver supports, such as (12, 4)."""
    version = c_int()
    library().call("cuDriverGetVersion", byref(version))
    return version.value // 1000, version.value % 1000 // 10


_FIRST_DEPENDENT: Final = (12, 3)
"""The first version whose graphs take launches that depend on those in front of them."""


def launches_depend() -> bool:
    """Whether launches may begin while those in front of them end; else they wait as all do."""
    return driver_version() >= _FIRST_DEPENDENT


def pointer_device(address: int) -> int | None:
    """The ordinal of the device that a pointer belongs to; None if the driver does not know the address."""
    ordinal = c_int(-1)
    try:
        library().call("cuPointerGetAttribute", byref(ordinal), _POINTER_DEVICE_ORDINAL, address)
    except DeviceFailed:
        raise
    except DriverError:
        return None
    return ordinal.value if ordinal.value >= 0 else None


@cache
def open_device(ordinal: int = 0) -> Context:
    """The primary context of a device, which PyTorch and CuPy share; one object a process and device."""
    count = device_count()
    if not 0 <= ordinal < count:
        raise DriverUnavailable(f"there is no CUDA device {ordinal}; this process sees {count}")
    return Context(ordinal)


class Context:
    """A device's primary context."""

    def __init__(self, ordinal: int) -> None:
        self._driver = library()
        device = c_int()
        self._driver.call("cuDeviceGet", byref(device), ordinal)
        handle = c_void_p()
        self._driver.call("cuDevicePrimaryCtxRetain", byref(handle), device.value)
        self.handle: int = handle.value or 0
        self._device = device.value
        self.description = self._describe(ordinal)
        self.flags = StreamFlags(self)

    def _describe(self, ordinal: int) -> DeviceDescription:
        name = ctypes.create_string_buffer(256)
        self._driver.call("cuDeviceGetName", name, len(name), self._device)
        return DeviceDescription(
            ordinal,
            name.value.decode(errors="replace"),
            (self._attribute(_ATTRIBUTE_MAJOR), self._attribute(_ATTRIBUTE_MINOR)),
            self._attribute(_ATTRIBUTE_MULTIPROCESSORS),
            self._attribute(_ATTRIBUTE_MAX_THREADS),
            self._attribute(_ATTRIBUTE_MAX_SHARED),
            self._attribute(_ATTRIBUTE_MAX_SHARED_OPTIN),
        )

    def _attribute(self, which: int) -> int:
        number = c_int()
        self._driver.call("cuDeviceGetAttribute", byref(number), which, self._device)
        return number.value

    @contextmanager
    def current(self) -> Generator[None]:
        """Make this the calling thread's context for the duration of the block."""
        self._driver.call("cuCtxPushCurrent_v2", self.handle)
        try:
            yield
        finally:
            self._driver.call("cuCtxPopCurrent_v2", byref(c_void_p()))

    def call(self, name: str, *arguments: object) -> None:
        """Call a driver function with this context current."""
        with self.current():
            self._driver.call(name, *arguments)

    @property
    def driver(self) -> Library:
        """The driver that it is of."""
        return self._driver

    def free_memory(self) -> tuple[int, int]:
        """Bytes of the device that are free, and all of them."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value, total.value

    def synchronize(self) -> None:
        """Wait for all work on the device; an asynchronous fault of a kernel surfaces here."""
        self.call("cuCtxSynchronize")

    def load(self, ptx: str) -> LoadedModule:
        """Assemble PTX with the driver's compiler and load it."""
        return LoadedModule(self, ptx)

    def allocate(self, size: int) -> DeviceBuffer:
        """Device memory that is freed with its object."""
        return DeviceBuffer(self, size)

    def stream(self) -> Stream:
        """A new stream that does not wait for the default stream."""
        return Stream(self)

    def event(self) -> Event:
        """A new event with timing."""
        return Event(self)


class LoadedModule:
    """PTX text that lives on a device."""

    def __init__(self, context: Context, ptx: str) -> None:
        if "\0" in ptx:
            raise ValueError("PTX text holds a NUL byte")
        self.context = context
        log = ctypes.create_string_buffer(_LOG_BYTES)
        options = (c_int * 2)(_JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES)
        values = (c_void_p * 2)(ctypes.cast(log, c_void_p), c_void_p(_LOG_BYTES))
        handle = c_void_p()
        try:
            context.call("cuModuleLoadDataEx", byref(handle), c_char_p(ptx.encode()), 2, options, values)
        except (DeviceFailed, OutOfDeviceMemory):
            raise
        except DriverError as error:
            if error.code == UNSUPPORTED_PTX:
                raise DriverUnavailable(_too_old(ptx)) from error
            raise ModuleLoadError(error, log.value.decode(errors="replace").strip()) from error
        self._handle = handle
        self.unload = finalizer(self, context, "cuModuleUnload", handle)

    def function(self, name: str) -> KernelFunction:
        """A kernel of the module by its symbol."""
        handle = c_void_p()
        self.context.call("cuModuleGetFunction", byref(handle), self._handle, name.encode())
        return KernelFunction(self, name, handle)


def _too_old(ptx: str) -> str:
    version = re.search(r"^\.version\s+(\S+)", ptx, re.MULTILINE)
    major, minor = driver_version()
    return (
        f"the NVIDIA driver is too old: it is for CUDA {major}.{minor} and does not read PTX"
        f"{f' {version[1]}' if version else ''}; update the driver"
    )


class KernelFunction:
    """A kernel ready to launch with a block of parameters prepared by the caller."""

    def __init__(self, module: LoadedModule, name: str, handle: c_void_p) -> None:
        self.module = module
        self.name = name
        self.handle: int = handle.value or 0

    def _attribute(self, which: int) -> int:
        number = c_int()
        self.module.context.call("cuFuncGetAttribute", byref(number), which, self.handle)
        return number.value

    def resources(self) -> FunctionResources:
        """Registers, memory and the block size they allow."""
        return FunctionResources(
            self._attribute(_FUNCTION_REGISTERS),
            self._attribute(_FUNCTION_SHARED),
            self._attribute(_FUNCTION_LOCAL),
            self._attribute(_FUNCTION_MAX_THREADS),
        )

    def allow_shared(self, size: int) -> None:
        """Permit launches with that many bytes of dynamic shared memory, which beyond 48 KiB must be asked for.

        Raises ValueError for more than a block can have on the device.
        """
        description = self.module.context.description
        limit = description.max_shared_bytes_optin
        if size > limit:
            raise ValueError(
                f"kernel {self.name} needs {size:,} bytes of shared memory a block, and {description.name} (device "
                f"{description.ordinal}) has {limit:,}; compile it with smaller tiles"
            )
        if size > _DEFAULT_SHARED_LIMIT:
            self.module.context.call("cuFuncSetAttribute", self.handle, _FUNCTION_MAX_DYNAMIC_SHARED, size)

    def blocks_per_multiprocessor(self, threads: int, shared_bytes: int) -> int:
        """How many blocks of so many threads, with so much dynamic shared memory, a multiprocessor runs at a time."""
        count = c_int()
        name = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
        self.module.context.call(name, byref(count), self.handle, threads, shared_bytes)
        return count.value

    def launch(
        self,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        parameters: bytes | bytearray,
        *,
        shared_bytes: int = 0,
        stream: int = 0,
        cluster: tuple[int, int, int] = (1, 1, 1),
        dependent: bool = False,
    ) -> None:
        """Enqueue on a stream (its handle as a number; 0 is the legacy default stream).

        `parameters` is the block of kernel parameters as the device sees it; the driver copies it before this returns.
        A `dependent` launch may begin before the one in front of it is over.
        """
        depends = dependent and launches_depend()
        config = LaunchConfig.of(grid, block, shared_bytes, stream, cluster, depends)
        slots = ctypes.create_string_buffer(bytes(parameters), max(len(parameters), 1))
        addresses = (c_void_p * 1)(ctypes.addressof(slots))
        given = addresses if parameters else None
        self.module.context.call("cuLaunchKernelEx", config.address, c_void_p(self.handle), given, None)
