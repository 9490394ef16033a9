"""`tilewright.tune`: find the schedule of a kernel that is fastest on the machine at hand, and remember it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from tilewright.api import KernelSource, source_of
from tilewright.compile_options import CompileOptions
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.diagnostics.caller_error import CallerError
from tilewright.files import FilePath
from tilewright.languages import Std
from tilewright.numerics.precision import Precision
from tilewright.program import Kernel, Program
from tilewright.remembered.fingerprint import fingerprints
from tilewright.remembered.lookup import users_record
from tilewright.remembered.record import Entry, read_record, remember
from tilewright.runtime.grid import Grid, grid_extents
from tilewright.targets import find_target
from tilewright.targets.target import TunedTarget
from tilewright.tuning.arguments import Arguments
from tilewright.tuning.search import Budget, Found, Search, Trial
from tilewright.tuning.source_compiler import SourceCompiler, by_schedule
from tilewright.tuning.timing import Timer, timer_of
from tilewright.version import __version__

MakeTimer = Callable[[Kernel, Grid, Arguments], Timer]


class NothingToTune(CallerError, ValueError):
    """The target has one schedule only, or the program has no such kernel."""


class Tuned(Struct, frozen=True):
    """The `kernel` compiled as it is fastest, what the search `found`, and the `entry` of the file for it."""

    kernel: Kernel
    found: Found
    entry: Entry


def tune(
    kernel: KernelSource,
    *arguments: object,
    grid: Grid = 1,
    target: str = "nvidia",
    name: str | None = None,
    level: int = 2,
    definitions: Mapping[str, str] | None = None,
    reorder_sums: bool = True,
    precision: str = "exact",
    std: Std = "auto",
    language_options: Mapping[str, str] | None = None,
    trials: int = 64,
    seconds: float = 60.0,
    record: FilePath | None = None,
    told: Callable[[Trial, float], None] | None = None,
    timer: MakeTimer = timer_of,
) -> Tuned:
    """Search around the model's schedule of a kernel for the one that is fastest on this machine, and remember it.

    `kernel` is what `compile` takes, `name` says which one of its kernels if there are several; `arguments` and `grid`
    are those of a launch. Arrays may lie anywhere; the kernel runs on copies of them, on the GPU where the first one
    lies if that is on any. On the CPU tiles of products are searched, on a GPU all that schedules say. `target`,
    `level`, `definitions`, `reorder_sums`, `precision`, `std` and `language_options` are those of `compile`, which
    takes what is remembered where they are the same.

    A schedule whose answer differs from that of the model's by more than rounding is never taken; `Found.wrong` names
    it, which is a mistake of tilewright's. The search ends after `trials` schedules that were timed or after `seconds`.
    The best is kept in the file `record`, by default that of the setting `tuned`, if that is not `off`. `told` is
    called with every schedule that was tried and the part of the budget that is gone.

    Raises what `compile` and launches raise, OSError and ValueError for a file that cannot be read or is no record,
    `NothingToTune` for targets without schedules and for a kernel that is not there, `DriverUnavailable` where there
    is no such GPU, `DeviceLost` if a schedule made the kernel fault.
    """
    source = source_of(kernel)
    machine = find_target(target)
    if not isinstance(machine, TunedTarget):
        raise NothingToTune(f"there is nothing to choose from for the target {target!r}")
    values, chosen = dict(definitions or {}), dict(language_options or {})
    allowed = Precision.of(precision)
    options = CompileOptions(level, values, std=std, reorder_sums=reorder_sums, precision=allowed, chosen=chosen)
    path = users_record() if record is None else Path(record)
    if path is not None and path.exists():
        read_record(path)  # what cannot take the result is told before the search
    program = by_schedule(source, target, options, "")
    first = _kernel_of(program, name)
    copies = Arguments(first.info, arguments)
    compiler = SourceCompiler(source, first.name, len(program) == 1, target, options)
    search = Search(compiler, timer(first, grid, copies), Budget(trials, seconds), told or _nobody)
    found = search.run()
    best = compiler.candidate("" if found.best == found.model else found.best).kernel
    entry = _entry(source, options, machine, best, grid, copies, found)
    if path is not None:
        remember(path, entry)
    return Tuned(best, found, entry)


def _nobody(_trial: Trial, _part: float) -> None:
    """Nobody is told."""


def _kernel_of(program: Program, name: str | None) -> Kernel:
    if name is not None and name in program:
        return program[name]
    names = [kernel.name for kernel in program]
    if name is None and len(names) == 1:
        return program[names[0]]
    said = "name one of the kernels" if name is None else f"there is no kernel {name!r}"
    raise NothingToTune(f"{said}: the program has {', '.join(names) or 'none'}")


def _entry(
    source: Source | Binary,
    options: CompileOptions,
    machine: TunedTarget,
    kernel: Kernel,
    grid: Grid,
    copies: Arguments,
    found: Found,
) -> Entry:
    programs = fingerprints(read_module(source, Report(), options.reading), options)
    return Entry(
        kernel.name,
        programs[kernel.name],
        machine.variant,
        machine.device(copies.ordinal),
        ",".join(map(str, grid_extents(grid))),
        copies.told,
        found.best,
        found.model,
        found.model_seconds.median * 1e6,
        found.best_seconds.median * 1e6,
        found.gain.median,
        datetime.now(tz=UTC).date().isoformat(),
        __version__,
    )
