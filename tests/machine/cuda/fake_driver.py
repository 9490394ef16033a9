"""A CUDA driver that is played: functions that C code can call, which keep books of what they were asked.

Memory lies in this process, kernels do nothing. What a test wants to fail it puts into `failing`.
"""

from __future__ import annotations

import ctypes
import mmap
import re
import struct
from collections.abc import Callable
from ctypes import c_char_p, c_float, c_int, c_uint, c_uint8, c_uint64, c_void_p
from dataclasses import dataclass, field
from typing import Any, Final

from tilewright.machine.cuda.binding import SIGNATURES, Library

CONTEXTS: Final = 0x1000
FUNCTIONS: Final = 0x2000
STREAMS: Final = 0x3000
FIRST_ON_DEVICE: Final = 1 << 40
DEVICE_BYTES: Final = 1 << 32
"""Addresses of device d begin at `FIRST_ON_DEVICE + d * DEVICE_BYTES`; what was allocated lies in this process."""

RELAXED: Final = 2
CAPTURE_UNSUPPORTED: Final = 900
"""The mode in which a thread may free memory while streams are captured, and the error in others."""

_NUMBERS: Final = (c_int, c_uint, c_uint8, c_uint64, ctypes.c_size_t)
_ERRORS: Final = {2: b"CUDA_ERROR_OUT_OF_MEMORY", 700: b"CUDA_ERROR_ILLEGAL_ADDRESS", 1: b"CUDA_ERROR_INVALID_VALUE"}
_ATTRIBUTES: Final = {1: 1024, 8: 48 * 1024, 16: 132, 97: 227 * 1024}
_ENTRY: Final = re.compile(r"\.entry\s+([\w$]+)\s*\(\s*(?:\.param\s+\.align\s+(?:16|64)\s+\.b8\s+[\w$]+\[(\d+)\])?")


@dataclass(frozen=True)
class Launched:
    """What `cuLaunchKernelEx` was given; `cluster` is None and `dependent` False without their attributes."""

    context: int
    function: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int
    stream: int
    cluster: tuple[int, ...] | None
    slots: bytes
    dependent: bool = False

    @property
    def words(self) -> tuple[int, ...]:
        """The parameter block as signed words."""
        return tuple(ctypes.c_int64.from_buffer_copy(self.slots, k).value for k in range(0, len(self.slots), 8))


@dataclass
class FakeDriver:
    """The driver; `calls` are the names of all functions that were called, in order."""

    devices: int = 1
    capability: tuple[int, int] = (9, 0)
    failing: dict[str, int] = field(default_factory=dict[str, int])
    capturing: set[int] = field(default_factory=set[int])
    numbers: dict[int, int] = field(default_factory=dict[int, int])
    """What streams are by number, if another one than usual has a handle."""
    calls: list[str] = field(default_factory=list[str])
    launches: list[Launched] = field(default_factory=list[Launched])
    missing: set[str] = field(default_factory=set[str])
    current: list[int] = field(default_factory=list[int])
    memory: dict[int, Any] = field(default_factory=dict[int, Any])
    owners: dict[int, int] = field(default_factory=dict[int, int])
    """On which device memory is that was allocated; other memory is on the first one."""
    capture_mode: int = 0
    doing: Callable[[Launched], None] | None = None
    """What kernels do."""
    milliseconds: Callable[[Launched], float] | None = None
    """How long a launch takes, by events around it."""
    everywhere: bool = False
    """Whether all memory is that of device 0."""
    _entries: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    _kept: dict[str, Any] = field(default_factory=dict[str, Any])

    def library(self) -> Library:
        """The binding on top."""
        return Library(self)  # pyright: ignore[reportArgumentType]

    def __getattr__(self, name: str) -> Any:
        """A function as a loaded library has it."""
        if (
            name.startswith("_")
            or name in self.missing
            or not (name in SIGNATURES or name in ("cuGetErrorName", "cuGetErrorString"))
        ):
            raise AttributeError(f"undefined symbol: {name}")
        if name not in self._kept:
            types = SIGNATURES.get(name, (c_int, c_void_p))
            plain = [t if t in _NUMBERS else c_void_p for t in types]
            self._kept[name] = ctypes.CFUNCTYPE(c_int, *plain)(self._played(name))
        return self._kept[name]

    def _played(self, name: str) -> Callable[..., int]:
        plays: Callable[..., int | None] = getattr(type(self), f"play_{name}", lambda *_: 0)

        def call(*arguments: int | None) -> int:
            if not name.startswith("cuGetError"):
                self.calls.append(name)
            if name in self.failing:
                return self.failing[name]
            return plays(self, *((a or 0) for a in arguments)) or 0

        return call

    def bytes_at(self, address: int, count: int) -> bytes:
        """Memory of the device that was allocated."""
        return ctypes.string_at(address, count)

    # What the functions do; one that is missing here does nothing.

    def play_cuGetErrorName(self, code: int, out: int) -> None:
        self._kept[f"name {code}"] = ctypes.create_string_buffer(_ERRORS.get(code, b"CUDA_ERROR_OTHER"))
        c_uint64.from_address(out).value = ctypes.addressof(self._kept[f"name {code}"])

    def play_cuGetErrorString(self, code: int, out: int) -> None:
        self.play_cuGetErrorName(code, out)

    def play_cuDriverGetVersion(self, out: int) -> None:
        c_int.from_address(out).value = 12040

    def play_cuDeviceGetCount(self, out: int) -> None:
        c_int.from_address(out).value = self.devices

    def play_cuDeviceGet(self, out: int, ordinal: int) -> None:
        c_int.from_address(out).value = ordinal

    def play_cuDeviceGetName(self, out: int, _size: int, device: int) -> None:
        name = f"Fake {device}".encode() + b"\0"
        ctypes.memmove(out, name, len(name))

    def play_cuDeviceGetAttribute(self, out: int, which: int, _device: int) -> None:
        major, minor = self.capability
        c_int.from_address(out).value = {75: major, 76: minor, **_ATTRIBUTES}[which]

    def play_cuDevicePrimaryCtxRetain(self, out: int, device: int) -> None:
        c_uint64.from_address(out).value = CONTEXTS + device

    def play_cuCtxGetCurrent(self, out: int) -> None:
        c_uint64.from_address(out).value = self.current[-1] if self.current else 0

    def play_cuCtxPushCurrent_v2(self, context: int) -> None:
        self.current.append(context)

    def play_cuCtxPopCurrent_v2(self, out: int) -> None:
        c_uint64.from_address(out).value = self.current.pop()

    def play_cuModuleLoadDataEx(self, out: int, image: int, *_: int) -> None:
        text = c_char_p(image).value or b""
        self._entries += [(name, int(size or 0)) for name, size in _ENTRY.findall(text.decode())]
        c_uint64.from_address(out).value = 1

    def play_cuModuleGetFunction(self, out: int, _module: int, name: int) -> None:
        wanted = (c_char_p(name).value or b"").decode()
        number = next(k for k, (entry, _) in enumerate(self._entries) if entry == wanted)
        c_uint64.from_address(out).value = FUNCTIONS + number

    def play_cuFuncGetAttribute(self, out: int, which: int, _function: int) -> None:
        c_int.from_address(out).value = {0: 1024, 1: 16, 3: 8, 4: 40}[which]

    def play_cuOccupancyMaxActiveBlocksPerMultiprocessor(self, out: int, *_: int) -> None:
        c_int.from_address(out).value = 12

    def play_cuLaunchKernelEx(self, config: int, function: int, parameters: int, extra: int) -> int:
        name, size = self._entries[function - FUNCTIONS]
        numbers = tuple((c_uint * 7).from_address(config))
        stream = c_uint64.from_address(config + 32).value
        count = c_uint.from_address(config + 48).value
        cluster: tuple[int, ...] | None = None
        dependent = False
        for number in range(count):
            attribute = (c_uint * 5).from_address(c_uint64.from_address(config + 40).value + 72 * number)
            assert attribute[0] in (4, 6)
            cluster = tuple(attribute[2:]) if attribute[0] == 4 else cluster
            dependent = dependent or tuple(attribute) == (6, 0, 1, 0, 0)
        assert not extra
        assert bool(parameters) == bool(size)
        slots = ctypes.string_at(c_uint64.from_address(parameters).value, size) if size else b""
        context = self.current[-1] if self.current else 0
        given = (context, name, numbers[:3], numbers[3:6], numbers[6], stream, cluster, slots, dependent)
        self.launches.append(Launched(*given))
        if self.doing is not None:
            self.doing(self.launches[-1])
        return 0

    def play_cuEventElapsedTime(self, out: int, _begin: int, _end: int) -> None:
        if self.milliseconds is not None:
            c_float.from_address(out).value = self.milliseconds(self.launches[-1])

    def play_cuMemAlloc_v2(self, out: int, size: int) -> None:
        # pages that nobody touches cost nothing: records of reports have room for megabytes
        memory = (ctypes.c_char * size).from_buffer(mmap.mmap(-1, size))
        address = ctypes.addressof(memory)
        self.memory[address] = memory
        self.owners[address] = self.current[-1] - CONTEXTS if self.current else 0
        c_uint64.from_address(out).value = address

    def play_cuMemAllocAsync(self, out: int, size: int, _stream: int) -> None:
        self.play_cuMemAlloc_v2(out, size)

    def play_cuMemFree_v2(self, address: int) -> int:
        # what was free is looked at by tests, so it stays
        assert address in self.memory
        return CAPTURE_UNSUPPORTED if self.capturing and self.capture_mode != RELAXED else 0

    def play_cuMemFreeAsync(self, address: int, _stream: int) -> None:
        assert address in self.memory

    def play_cuMemGetInfo_v2(self, free: int, total: int) -> None:
        c_uint64.from_address(free).value = 1 << 20
        c_uint64.from_address(total).value = 1 << 30

    def play_cuMemcpyHtoD_v2(self, target: int, source: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    def play_cuMemcpyHtoDAsync_v2(self, target: int, source: int, size: int, _stream: int) -> None:
        ctypes.memmove(target, source, size)

    def play_cuMemcpyDtoH_v2(self, target: int, source: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    def play_cuMemcpyDtoHAsync_v2(self, target: int, source: int, size: int, _stream: int) -> None:
        ctypes.memmove(target, source, size)

    def play_cuPointerGetAttribute(self, out: int, _which: int, address: int) -> int:
        device = (address - FIRST_ON_DEVICE) // DEVICE_BYTES
        own = [self.owners.get(begin, 0) for begin, memory in self.memory.items() if 0 <= address - begin < len(memory)]
        if not own and not self.everywhere and not 0 <= device < self.devices:
            return 1
        c_int.from_address(out).value = own[0] if own else 0 if self.everywhere else device
        return 0

    def play_cuTensorMapEncodeTiled(self, out: int, *given: int) -> int:
        """A map says what was asked for: type, address, extents, pitches, box, what is fixed."""
        dtype, rank, address, extents, pitches, box, steps, *fixed = given
        extents_, pitches_ = (c_uint64 * rank).from_address(extents), (c_uint64 * (rank - 1)).from_address(pitches)
        box_, steps_ = ((c_uint * rank).from_address(n) for n in (box, steps))
        assert (out % 64, address % 16, list(steps_), list(box_)[2:]) == (0, 0, [1] * rank, [1] * (rank - 2))
        words = (dtype, address, *extents_, *pitches_, *list(box_)[:2], *fixed)
        ctypes.memmove(out, struct.pack("<16q", *words, *[0] * (16 - len(words))), 128)
        return 0

    def play_cuStreamCreate(self, out: int, _flags: int) -> None:
        c_uint64.from_address(out).value = STREAMS

    def play_cuStreamGetId(self, stream: int, out: int) -> None:
        c_uint64.from_address(out).value = self.numbers.get(stream, stream + 1000)

    def play_cuStreamIsCapturing(self, stream: int, out: int) -> None:
        c_int.from_address(out).value = int(stream in self.capturing)

    def play_cuThreadExchangeStreamCaptureMode(self, out: int) -> None:
        mode = c_int.from_address(out)
        mode.value, self.capture_mode = self.capture_mode, mode.value
