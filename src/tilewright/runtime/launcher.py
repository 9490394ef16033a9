"""What a target's runtime gives to a program: its kernels, ready to be launched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from tilewright.runtime.grid import Extents


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
