"""The CUDA driver as a few small classes: device, context, module, function, memory, stream, event.

Every object holds on to what it lives in, so that a context outlives its modules. Calls are made with the context
pushed and popped again: the caller's own current context (PyTorch's, say) is as before when a method returns.
"""

from __future__ import annotations

import ctypes
import weakref
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_float, c_int, c_uint64, c_void_p
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from tilewright.machine.cuda.binding import DriverError, DriverUnavailable, library

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

__all__ = [
    "Context",
    "DeviceBuffer",
    "DeviceDescription",
    "DriverError",
    "DriverUnavailable",
    "Event",
    "FunctionResources",
    "KernelFunction",
    "LoadedModule",
    "ModuleLoadError",
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

_LAUNCH_BUFFER: Final = 1
_LAUNCH_BUFFER_SIZE: Final = 2
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


def pointer_device(address: int) -> int | None:
    """The ordinal of the device that a pointer belongs to; None if the driver does not know the address."""
    ordinal = c_int(-1)
    try:
        library().call("cuPointerGetAttribute", byref(ordinal), _POINTER_DEVICE_ORDINAL, address)
    except DriverError:
        return None
    return ordinal.value if ordinal.value >= 0 else None


@cache
def open_device(ordinal: int = 0) -> Context:
    """The primary context of a device, which PyTorch and CuPy share; one object a process and device."""
    count = device_count()
    if not 0 <= ordinal < count:
        raise DriverUnavailable(f"there is no CUDA device {ordinal}; this machine has {count}")
    return Context(ordinal)


class Context:
    """A device's primary context."""

    def __init__(self, ordinal: int) -> None:
        self._driver = library()
        device = c_int()
        self._driver.call("cuDeviceGet", byref(device), ordinal)
        handle = c_void_p()
        self._driver.call("cuDevicePrimaryCtxRetain", byref(handle), device.value)
        self._handle = handle
        self._device = device.value
        self.description = self._describe(ordinal)

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
        self._driver.call("cuCtxPushCurrent_v2", self._handle)
        try:
            yield
        finally:
            self._driver.call("cuCtxPopCurrent_v2", byref(c_void_p()))

    def call(self, name: str, *arguments: object) -> None:
        """Call a driver function with this context current."""
        with self.current():
            self._driver.call(name, *arguments)

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


def _finalizer(owner: object, context: Context, destroy: str, handle: object) -> Callable[[], object]:
    """Destroy a driver object with its Python object; not at exit, where the driver may be gone already."""
    finalizer = weakref.finalize(owner, _destroy, context, destroy, handle)
    finalizer.atexit = False
    return finalizer


def _destroy(context: Context, destroy: str, handle: object) -> None:
    context.call(destroy, handle)


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
        except DriverError as error:
            raise ModuleLoadError(error, log.value.decode(errors="replace").strip()) from error
        self._handle = handle
        self.unload = _finalizer(self, context, "cuModuleUnload", handle)

    def function(self, name: str) -> KernelFunction:
        """A kernel of the module by its symbol."""
        handle = c_void_p()
        self.context.call("cuModuleGetFunction", byref(handle), self._handle, name.encode())
        return KernelFunction(self, name, handle)


class KernelFunction:
    """A kernel ready to launch with a block of parameters prepared by the caller."""

    def __init__(self, module: LoadedModule, name: str, handle: c_void_p) -> None:
        self.module = module
        self.name = name
        self._handle = handle

    def _attribute(self, which: int) -> int:
        number = c_int()
        self.module.context.call("cuFuncGetAttribute", byref(number), which, self._handle)
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
        """Permit launches with that many bytes of dynamic shared memory, which beyond 48 KiB must be asked for."""
        limit = self.module.context.description.max_shared_bytes_optin
        if size > limit:
            raise ValueError(f"kernel {self.name} needs {size} bytes of shared memory, the device has {limit}")
        if size > _DEFAULT_SHARED_LIMIT:
            self.module.context.call("cuFuncSetAttribute", self._handle, _FUNCTION_MAX_DYNAMIC_SHARED, size)

    def launch(
        self,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        parameters: bytes | bytearray,
        *,
        shared_bytes: int = 0,
        stream: int = 0,
    ) -> None:
        """Enqueue on a stream (its handle as a number; 0 is the legacy default stream).

        `parameters` is the block of kernel parameters as the device sees it; the driver copies it before this returns.
        """
        size = ctypes.c_size_t(len(parameters))
        block_copy = ctypes.create_string_buffer(bytes(parameters), max(len(parameters), 1))
        extra = (c_void_p * 5)(
            _LAUNCH_BUFFER,
            ctypes.cast(block_copy, c_void_p),
            _LAUNCH_BUFFER_SIZE,
            ctypes.cast(byref(size), c_void_p),
            None,
        )
        self.module.context.call(
            "cuLaunchKernel", self._handle, *grid, *block, shared_bytes, c_void_p(stream), None, extra
        )


class DeviceBuffer:
    """Bytes on a device."""

    def __init__(self, context: Context, size: int) -> None:
        if size <= 0:
            raise ValueError(f"a device buffer needs a positive size, not {size}")
        self.context = context
        self.size = size
        pointer = c_uint64()
        context.call("cuMemAlloc_v2", byref(pointer), size)
        self.address: int = pointer.value
        self.free = _finalizer(self, context, "cuMemFree_v2", pointer.value)

    def _check(self, offset: int, size: int) -> None:
        if offset < 0 or size < 0 or offset + size > self.size:
            raise ValueError(f"bytes {offset}..{offset + size} lie outside a device buffer of {self.size}")

    def write(self, data: bytes, offset: int = 0) -> None:
        """Copy from host to device; returns when done."""
        self._check(offset, len(data))
        self.context.call("cuMemcpyHtoD_v2", self.address + offset, data, len(data))

    def read(self, size: int | None = None, offset: int = 0) -> bytes:
        """Copy from device to host; waits for the default stream."""
        count = self.size - offset if size is None else size
        self._check(offset, count)
        host = ctypes.create_string_buffer(max(count, 1))
        self.context.call("cuMemcpyDtoH_v2", host, self.address + offset, count)
        return host.raw[:count]

    def fill(self, byte: int, stream: int = 0) -> None:
        """Set every byte, in the order of a stream."""
        self.context.call("cuMemsetD8Async", self.address, byte, self.size, c_void_p(stream))


class Stream:
    """A queue of work; `handle` is what `KernelFunction.launch` takes."""

    def __init__(self, context: Context) -> None:
        self.context = context
        handle = c_void_p()
        non_blocking = 1
        context.call("cuStreamCreate", byref(handle), non_blocking)
        self.handle: int = handle.value or 0
        self.destroy = _finalizer(self, context, "cuStreamDestroy_v2", handle)

    def synchronize(self) -> None:
        """Wait for the work enqueued so far."""
        self.context.call("cuStreamSynchronize", c_void_p(self.handle))


class Event:
    """A point in a stream, with the time at which it was reached."""

    def __init__(self, context: Context) -> None:
        self.context = context
        handle = c_void_p()
        context.call("cuEventCreate", byref(handle), 0)
        self._handle = handle
        self.destroy = _finalizer(self, context, "cuEventDestroy_v2", handle)

    def record(self, stream: int = 0) -> None:
        """Put the event behind the work now in a stream."""
        self.context.call("cuEventRecord", self._handle, c_void_p(stream))

    def milliseconds_since(self, earlier: Event) -> float:
        """Wait for this event and tell the time since another one."""
        self.context.call("cuEventSynchronize", self._handle)
        elapsed = c_float()
        self.context.call("cuEventElapsedTime", byref(elapsed), earlier._handle, self._handle)
        return elapsed.value
