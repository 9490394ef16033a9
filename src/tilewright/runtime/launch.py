"""Launching kernels of a CPU artefact: checks prepared once, a parameter block filled in place, one call into the pool.

A launch costs a few microseconds of Python. Everything is checked before anything runs; `LaunchError` names the
argument.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from ctypes import addressof, c_char
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tilewright.artifacts.artifact import (
    Artifact,
    KernelInfo,
    slot_layout,
)
from tilewright.artifacts.parameters import REPORTS, TILES, with_stand_ins
from tilewright.machine.native import LoadedObject, load_object
from tilewright.machine.pages import private_pages
from tilewright.machine.processor import missing_features
from tilewright.machine.tile_state import tiles_refused
from tilewright.runtime.apart import LaunchSite, alias_requirement, form_apart, prepared, takes_apart
from tilewright.runtime.argument_checks import ArgumentChecks, argument_binder
from tilewright.runtime.direct import AcceptedCalls, call_site, recognisable
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.grid import Extents, Grid, grid_extents
from tilewright.runtime.pool import Pool, default_pool
from tilewright.runtime.scalars import SLOT_FORMATS, SlotValue

if TYPE_CHECKING:
    from tilewright.runtime.reports import ReportLog

__all__ = ["BoundKernel", "Grid", "LaunchError", "LaunchTypeError", "Layout", "bind_artifact"]

Layout: TypeAlias = Literal["F", "C"]

_FRAME_HEADER: Final = "Qqqqqq"
_HEADER: Final = struct.Struct(f"<{_FRAME_HEADER}")


class _Frame:
    """A launch frame: what `tw_launch` reads, at a fixed address."""

    __slots__ = ("_anchor", "address", "buffer")

    def __init__(self, size: int) -> None:
        self.buffer = private_pages(size)
        self._anchor = c_char.from_buffer(self.buffer)
        self.address = addressof(self._anchor)


class BoundKernel:
    """A kernel in memory, ready to be launched any number of times and from any number of threads.

    If it `is_apart`, launches have seen that its arrays lie apart.
    """

    def __init__(
        self,
        info: KernelInfo,
        code: LoadedObject,
        *,
        pool: Pool | None = None,
        layout: Layout = "F",
        is_apart: bool = False,
    ) -> None:
        self.info = info
        self._code = code
        self._pool = pool or default_pool()
        self._call = self._pool.call
        checks = ArgumentChecks(info, partial(argument_binder, reverse=layout == "C"))
        self._passed = checks.passed
        self._checks = checks
        self._workspaces = checks.workspaces
        self._constraints = checks.constraints
        self._log = _report_log(info, code)
        direct = self._workspaces is None and recognisable(self._passed)
        scalars = frozenset[str]() if self._constraints is None else self._constraints.scalars
        aliasing = alias_requirement(info, is_apart)
        self._accepted = AcceptedCalls(self._passed, scalars, aliasing=aliasing) if direct else None
        formats = "".join(SLOT_FORMATS[slot.dtype] for slot in slot_layout(info.parameters))
        self._packer = struct.Struct(f"<{_FRAME_HEADER}{formats}")
        self._slots = struct.Struct(f"<{formats}")
        self._pack_into = self._packer.pack_into
        self._frames: list[_Frame] = []
        self._entry = code.address(info.symbol)
        self._local_bytes = info.local_bytes
        other = form_apart(info)
        self._apart = None if other is None else BoundKernel(other, code, pool=pool, layout=layout, is_apart=True)

    def launch(self, grid: Grid, arguments: Sequence[object]) -> None:
        """Run the kernel on a grid of work-groups and return when it is done. A grid with a zero runs nothing.

        Arguments are checked also if nothing runs. A launch from several threads at once is safe. On the main thread
        signal handlers run meanwhile; if one raises, work-groups that have not begun are left out, and parts of one
        that is shared by threads, and this raises what the handler did.
        """
        if self._apart is not None and takes_apart(self.info, arguments):
            self._apart.launch(grid, arguments)
            return
        sizes = grid_extents(grid, self.info.max_groups)
        checked = self._checked(arguments, sizes)
        if self._log is None:
            self._run(sizes, *checked)
            return
        with self._log.delivering():
            self._run(sizes, *checked)

    __call__ = launch

    def _checked(self, arguments: Sequence[object], sizes: Extents) -> tuple[list[SlotValue], list[object]]:
        values, keep = self._checks.values(arguments, sizes)
        if self._workspaces is not None:
            keep.append(self._workspaces.on_host(values))
        return values, keep

    def prepare(self, grid: Grid) -> Callable[..., None]:
        """The kernel with its grid, called with the arguments: for calls like earlier ones no Python code runs, but for
        delivering what the kernel reports."""
        apart = None if self._apart is None else self._apart._site(grid)
        call, log = prepared(self.info, self._site(grid), apart), self._log
        if log is None or self._accepted is None:
            return call

        def reported(*arguments: object, **named: object) -> None:
            with log.delivering():
                call(*arguments, **named)

        return reported

    def _site(self, grid: Grid) -> LaunchSite:
        sizes = grid_extents(grid, self.info.max_groups)
        if self._accepted is None:
            return LaunchSite(lambda *arguments: self.launch(sizes, arguments), lambda rest: rest)
        accepted = self._accepted.on(sizes, self._constraints)
        x, y, z = sizes
        header = _HEADER.pack(self._entry, x * y * z, self._local_bytes, x, y, z)
        names = [parameter.name for parameter in self._passed]

        def launch(*arguments: object) -> None:
            values, keep = self._checked(arguments, sizes)
            if len(arguments) == len(self._passed):
                accepted.saw(arguments, self._slots.pack(*values), keep, self._pool)
            self._run(sizes, values, keep)

        def before(rest: Callable[..., None]) -> Callable[..., None]:
            return call_site(accepted, self._pool.entry, header, self._packer.size, names, rest)

        return LaunchSite(launch, before)

    def _run(self, sizes: Extents, values: list[SlotValue], _keep: list[object]) -> None:
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
    infos = [info for head in artifact.kernels for info in with_stand_ins(head)]
    if any(TILES in info.facts for info in infos) and (refusal := tiles_refused()) is not None:
        raise LaunchError(f"the artefact's code uses AMX tiles, which the system refuses this process: {refusal}")
    symbols = [info.symbol for info in infos]
    heads, given = _report_symbols(infos)
    code = load_object(artifact.payload, [*symbols, *heads], symbols=given, process_symbols=process_symbols)
    return {info.name: BoundKernel(info, code, pool=pool, layout=layout) for info in artifact.kernels}
