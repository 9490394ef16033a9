"""Launching kernels of a CPU artefact: checks prepared once, a parameter block filled in place, one call into the pool.

A launch costs a few microseconds of Python. Everything is checked before anything runs; `LaunchError` names the
argument.
"""

from __future__ import annotations

import mmap
import operator
import struct
from collections.abc import Callable, Mapping, Sequence
from ctypes import addressof, c_char
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, SupportsIndex, TypeAlias, cast

from tilewright.runtime.argument_checks import ArgumentChecks, argument_binder
from tilewright.runtime.direct import AcceptedCalls, call_site, recognisable
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.machine import missing_features
from tilewright.runtime.native import LoadedObject, load_object
from tilewright.runtime.pool import Pool, default_pool
from tilewright.runtime.scalars import SLOT_FORMATS, SlotValue
from tilewright.targets.artifact import (
    Artifact,
    KernelInfo,
    slot_layout,
)
from tilewright.targets.parameters import REPORTS

if TYPE_CHECKING:
    from tilewright.runtime.reports import ReportLog

__all__ = ["BoundKernel", "Grid", "LaunchError", "LaunchTypeError", "Layout", "bind_artifact", "normalize_grid"]

Grid: TypeAlias = int | Sequence[int]
Layout: TypeAlias = Literal["F", "C"]

_FRAME_HEADER: Final = "Qqqqqq"
_HEADER: Final = struct.Struct(f"<{_FRAME_HEADER}")
_MAX_GROUPS: Final = 1 << 62


class _Frame:
    """A launch frame: what `tw_launch` reads, at a fixed address."""

    __slots__ = ("_anchor", "address", "buffer")

    def __init__(self, size: int) -> None:
        self.buffer = mmap.mmap(-1, size)
        self._anchor = c_char.from_buffer(self.buffer)
        self.address = addressof(self._anchor)


class BoundKernel:
    """A kernel in memory, ready to be launched any number of times and from any number of threads."""

    def __init__(self, info: KernelInfo, code: LoadedObject, *, pool: Pool | None = None, layout: Layout = "F") -> None:
        self.info = info
        self._code = code
        self._pool = pool or default_pool()
        self._call = self._pool.call
        checks = ArgumentChecks(info, partial(argument_binder, reverse=layout == "C"))
        self._passed = checks.passed
        self._checked = checks.values
        self._log = _report_log(info, code)
        direct = self._log is None and recognisable(self._passed)
        self._accepted = AcceptedCalls(self._passed) if direct else None
        formats = "".join(SLOT_FORMATS[slot.dtype] for slot in slot_layout(info.parameters))
        self._packer = struct.Struct(f"<{_FRAME_HEADER}{formats}")
        self._slots = struct.Struct(f"<{formats}")
        self._pack_into = self._packer.pack_into
        self._frames: list[_Frame] = []
        self._entry = code.address(info.symbol)
        self._local_bytes = info.local_bytes

    def launch(self, grid: Grid, arguments: Sequence[object]) -> None:
        """Run the kernel on a grid of work-groups and return when it is done. A grid with a zero runs nothing.

        Arguments are checked also if nothing runs. A launch from several threads at once is safe.
        """
        checked = self._checked(arguments)
        if self._log is None:
            self._run(_three_sizes(grid), *checked)
            return
        with self._log.lock:
            self._run(_three_sizes(grid), *checked)
            self._log.deliver()

    __call__ = launch

    def prepare(self, grid: Grid) -> Callable[..., None]:
        """The kernel with its grid, called with the arguments: for calls like earlier ones no Python code runs."""
        sizes = _three_sizes(grid)
        accepted = self._accepted
        if accepted is None:
            return lambda *arguments: self.launch(sizes, arguments)
        x, y, z = sizes
        header = _HEADER.pack(self._entry, x * y * z, self._local_bytes, x, y, z)

        def launch(*arguments: object) -> None:
            values, keep = self._checked(arguments)
            if len(arguments) == len(self._passed):
                accepted.saw(arguments, self._slots.pack(*values))
            self._run(sizes, values, keep)

        return call_site(accepted, self._pool, header, self._packer.size, len(self._passed), launch)

    def _run(self, sizes: tuple[int, int, int], values: list[SlotValue], _keep: list[object]) -> None:
        x, y, z = sizes
        # a frame belongs to one launch at a time; popping and appending are atomic
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = _Frame(self._packer.size)
        self._pack_into(frame.buffer, 0, self._entry, x * y * z, self._local_bytes, x, y, z, *values)
        status = self._call(self._pool.address, frame.address)
        if status:
            self._pool.resolve(status, frame.address)
        self._frames.append(frame)


def _report_log(info: KernelInfo, code: LoadedObject) -> ReportLog | None:
    if REPORTS not in info.facts:
        return None
    from tilewright.runtime.reports import ReportLog

    return ReportLog.of(info, code)


def _report_symbols(kernels: Sequence[KernelInfo]) -> tuple[list[str], Mapping[str, int]]:
    """What kernels that report export beside their entries, and what they are linked with."""
    reporting = [info for info in kernels if REPORTS in info.facts]
    if not reporting:
        return [], {}
    from tilewright.runtime.reports import report_symbols, reporting_exports

    return [symbol for info in reporting for symbol in reporting_exports(info)], report_symbols()


def _three_sizes(grid: Grid) -> tuple[int, int, int]:
    """The two usual spellings without detours, all others by `normalize_grid`."""
    if type(grid) is int and 0 <= grid < _MAX_GROUPS:
        return grid, 1, 1
    if type(grid) is tuple:
        sizes = cast("tuple[int, ...]", grid)
        if len(sizes) == 3:
            x, y, z = sizes
            plain = type(x) is int and type(y) is int and type(z) is int
            if plain and x >= 0 and y >= 0 and z >= 0 and max(x, y, z, x * y * z) < _MAX_GROUPS:
                return x, y, z
    return normalize_grid(cast("object", grid))


def normalize_grid(grid: object) -> tuple[int, int, int]:
    """One to three numbers of work-groups as three; they must not be negative, nor their product absurd."""
    if isinstance(grid, SupportsIndex):
        sizes = [operator.index(grid)]
    elif isinstance(grid, list | tuple):
        entries = cast("Sequence[object]", grid)
        if not all(isinstance(entry, SupportsIndex) for entry in entries):
            raise LaunchTypeError(f"a grid is an integer or up to three, not {grid!r}")
        sizes = [operator.index(cast("SupportsIndex", entry)) for entry in entries]
    else:
        raise LaunchTypeError(f"a grid is an integer or up to three, not {type(grid).__name__}")
    if not 1 <= len(sizes) <= 3:
        raise LaunchError(f"a grid has one to three sizes, not {len(sizes)}")
    x, y, z = (*sizes, 1, 1)[:3]
    if min(x, y, z) < 0:
        raise LaunchError(f"a grid cannot be negative: {tuple(sizes)}")
    if max(x, y, z) >= _MAX_GROUPS or x * y * z >= _MAX_GROUPS:
        raise LaunchError(f"the grid {tuple(sizes)} has more than 2^62 work-groups")
    return x, y, z


def bind_artifact(
    artifact: Artifact, *, pool: Pool | None = None, layout: Layout = "F", process_symbols: bool = False
) -> dict[str, BoundKernel]:
    """Load a CPU artefact and make its kernels launchable, by name.

    `layout="C"` reverses the modes of every array, so that row-major arrays fit column-major memrefs.
    """
    if artifact.target != "cpu":
        raise LaunchError(f"the artefact is for the target {artifact.target!r}, not for the CPU")
    missing = missing_features(artifact.features)
    if missing:
        raise LaunchError(f"the artefact was compiled for a CPU with {', '.join(missing)}, which this machine lacks")
    symbols = [info.symbol for info in artifact.kernels]
    heads, given = _report_symbols(artifact.kernels)
    code = load_object(artifact.payload, [*symbols, *heads], symbols=given, process_symbols=process_symbols)
    return {info.name: BoundKernel(info, code, pool=pool, layout=layout) for info in artifact.kernels}
