"""Kernels on devices as runners of direct calls (`runtime.direct`): control blocks for `launch_ir.tw_cuda_launch`."""

from __future__ import annotations

import ctypes
import struct
import sys
from ctypes import c_void_p
from typing import Final, Protocol, cast

from msgspec import Struct

from tilewright.artifacts.artifact import KernelInfo, LaunchPlan, device_block_size
from tilewright.machine.cuda.driver import KernelFunction, launches_depend
from tilewright.machine.cuda.launch_config import CONFIG_BYTES, LaunchConfig
from tilewright.machine.native import LoadedObject, load_object
from tilewright.machine.own_code import own_code
from tilewright.once import once
from tilewright.runtime.nvidia.launch_ir import CONTROL_BYTES, PYTHON_IMPORTS, launch_text
from tilewright.runtime.nvidia.tensor_maps import map_entries
from tilewright.runtime.torch_tensors import stream_teller

__all__ = ["DeviceRunner", "entry"]

CUDA: Final = 2
"""DLPack's number for memory of NVIDIA devices."""

_HEAD: Final = struct.Struct("<7Q2i2Q4Q")
_UNKNOWN: Final = (0, 0, 0)


class _Stream(Protocol):
    @property
    def cuda_stream(self) -> int: ...


class _Torch(Protocol):
    @property
    def cuda(self) -> _TorchCuda: ...


class _TorchCuda(Protocol):
    def current_stream(self, device: int) -> _Stream: ...


class DeviceRunner(Struct, frozen=True):
    """A kernel on a device, as the current stream of torch runs it. `kept` is what lies at the places that it names."""

    place: int
    kept: tuple[object, ...]

    @staticmethod
    def of(
        info: KernelInfo,
        plan: LaunchPlan,
        function: KernelFunction,
        parts: int = 1,
        mapped: KernelFunction | None = None,
    ) -> DeviceRunner | None:
        """For launches with so many blocks of each work-group; those with all maps run what is `mapped`, if there is
        such a function.

        None if torch does not tell C code what its current stream is.
        """
        context = function.module.context
        if plan.maps and not context.driver.address("cuTensorMapEncodeTiled"):
            return None
        ordinal = context.description.ordinal
        teller = stream_teller()
        if not teller or _told(teller, ordinal) != _current(ordinal):
            return None
        driver = context.driver
        names = ("cuLaunchKernelEx", "cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2")
        depends = plan.dependent and launches_depend()
        config = LaunchConfig.of(_UNKNOWN, plan.threads, info.local_bytes, cluster=plan.cluster, dependent=depends)
        entries = ctypes.create_string_buffer(map_entries(info, plan))
        head = _HEAD.pack(
            *map(driver.address, names),
            context.handle,
            function.handle,
            teller,
            CUDA,
            ordinal,
            device_block_size(info),
            parts,
            len(plan.maps),
            ctypes.addressof(entries),
            driver.address("cuTensorMapEncodeTiled"),
            (function if mapped is None else mapped).handle,
        )
        control = ctypes.create_string_buffer(head + ctypes.string_at(config.address, CONFIG_BYTES), CONTROL_BYTES)
        word = ctypes.c_uint64(ctypes.addressof(control))
        return DeviceRunner(ctypes.addressof(word), (word, control, config, function, mapped, entries))


def _told(teller: int, ordinal: int) -> int | None:
    """What C code is told of the current stream; None if it is not."""
    tell = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.POINTER(c_void_p))(teller)
    stream = c_void_p()
    try:
        status = tell(CUDA, ordinal, ctypes.byref(stream))
    except Exception:
        # the long way asks torch in another manner, and says what is wrong
        return None
    return None if status else stream.value or 0


def _current(ordinal: int) -> int:
    torch = cast("_Torch", sys.modules["torch"])
    return torch.cuda.current_stream(ordinal).cuda_stream


@once
def _code() -> LoadedObject:
    symbols = {name: ctypes.cast(getattr(ctypes.pythonapi, name), c_void_p).value or 0 for name in PYTHON_IMPORTS}
    return load_object(own_code(launch_text()), ["tw_cuda_launch"], symbols=symbols)


def entry() -> int:
    """The address of `tw_cuda_launch`, which stays where it is."""
    return _code().address("tw_cuda_launch")
