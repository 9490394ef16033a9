"""What `cuLaunchKernelEx` is given: the driver's structures `CUlaunchConfig` and `CUlaunchAttribute`."""

from __future__ import annotations

import ctypes
from ctypes import c_uint, c_void_p
from typing import Final

Extents = tuple[int, int, int]

_CLUSTER_DIMENSION: Final = 4
_PROGRAMMATIC_SERIALIZATION: Final = 6
"""Of the stream: the launch may begin before the kernel in front of it is over."""
_ONE_BLOCK: Final = (1, 1, 1)
_VALUE_BYTES: Final = 64


class _Attribute(ctypes.Structure):
    _fields_ = (("id", c_uint), ("padding", c_uint), ("value", c_uint * (_VALUE_BYTES // 4)))


def _attribute(number: int, *value: int) -> _Attribute:
    return _Attribute(number, 0, (c_uint * (_VALUE_BYTES // 4))(*value))


class _Config(ctypes.Structure):
    _fields_ = (
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared_bytes", c_uint),
        ("stream", c_void_p),
        ("attributes", c_void_p),
        ("count", c_uint),
    )


class LaunchConfig:
    """A launch's geometry, memory, stream and attributes in memory, at `address` as long as the object is there."""

    def __init__(self, config: _Config, attributes: ctypes.Array[_Attribute]) -> None:
        self._kept = config, attributes
        self.address = ctypes.addressof(config)

    @staticmethod
    def of(
        grid: Extents,
        block: Extents,
        shared_bytes: int,
        stream: int = 0,
        cluster: Extents = _ONE_BLOCK,
        dependent: bool = False,
    ) -> LaunchConfig:
        """Blocks along x, y and z, threads of a block, dynamic shared memory, blocks of a cluster, and whether the
        kernel waits by itself for the one in front of it."""
        wanted = [] if cluster == _ONE_BLOCK else [_attribute(_CLUSTER_DIMENSION, *cluster)]
        wanted += [_attribute(_PROGRAMMATIC_SERIALIZATION, 1)] if dependent else []
        attributes = (_Attribute * len(wanted))(*wanted)
        place = ctypes.addressof(attributes) if wanted else None
        config = _Config((c_uint * 3)(*grid), (c_uint * 3)(*block), shared_bytes, stream, place, len(wanted))
        return LaunchConfig(config, attributes)


CONFIG_BYTES: Final = ctypes.sizeof(_Config)
GRID: Final = _Config.grid.offset
SHARED_BYTES: Final = _Config.shared_bytes.offset
STREAM: Final = _Config.stream.offset
"""Where machine code writes what changes from launch to launch."""
