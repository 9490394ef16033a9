"""What a target's runtime gives to a program: its kernels, ready to be launched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from msgspec import Struct

from tilewright.runtime.grid import Extents


class KernelResources(Struct, frozen=True):
    """What a kernel takes of a device: registers of a thread, bytes of shared memory of a block, bytes of local memory
    of a thread (what registers had no room for, and its stack), and how many blocks a multiprocessor runs at a time."""

    registers: int
    shared_bytes: int
    local_bytes: int
    blocks_per_multiprocessor: int

    def __str__(self) -> str:
        return (
            f"{self.registers} registers and {self.local_bytes:,} bytes of local memory a thread, "
            f"{self.shared_bytes:,} bytes of shared memory a block, {self.blocks_per_multiprocessor} blocks a "
            f"multiprocessor"
        )


class Launcher(Protocol):
    """What a target's runtime provides for one kernel."""

    def __call__(self, grid: Extents, arguments: tuple[object, ...]) -> None:
        """Check the arguments against the signature and run the kernel."""
        ...


@runtime_checkable
class PreparedLauncher(Launcher, Protocol):
    """A launcher that can do the grid's part once for many launches."""

    def prepare(self, grid: Extents) -> Callable[..., None]:
        """The kernel with its grid, called with the arguments."""
        ...


@runtime_checkable
class DeviceLauncher(Launcher, Protocol):
    """A launcher whose machine has resources that blocks of threads share."""

    def resources(self) -> KernelResources:
        """What the kernel takes of the device."""
        ...
