"""How near the cost model's schedules are to the best that tuning finds, over the kernels of the GPU's table.

    python benchmarks/gpu/model_against_tuner.py [--quick] [--only TEXT,..] [--budget SECONDS] [--seconds N]
                                                 [--trials N] [--bytes N] [--more] [--compile-only] [--json PATH]

Streams, rows, transposes, sums, batches of small products, single products and attention, one case of each kind and
type at least. Each is searched (as `tilewright.tune` does) from the model's schedule on, on random normal data that
caches hold nothing of. Processes beside this one compile what a search is about to try, so that a case takes seconds;
answers are compared on a sample of each array. The speed of the model's schedule is given in parts of the best one's:
both run in turn at the end of the search, medians with quartiles. Prints a row a case with both schedules, and the
geometric mean, and saves them: benchmarks/results/gpu_model_against_tuner.json unless told otherwise. With `--more`,
the rows of that file stay whose cases are not run, for runs of some cases each. With `--compile-only` nothing is timed,
but what each search tries first is on disk for the next run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
import numpy as np
from device import name_of_device, on_device, torch_on_device
from msgspec import Struct
from tuned_kernels import Case, table

# isort: split
import ml_dtypes

import figures
import tilewright as tw
from figures import Chart
from spread import Overall, Spread
from tilewright.compile_options import CompileOptions
from tilewright.diagnostics import CompileError, Source
from tilewright.ir.passes import InternalError
from tilewright.ir.schedules import Schedule, changed, parse_line
from tilewright.machine.cuda.driver import ModuleLoadError
from tilewright.numerics.precision import Precision
from tilewright.runtime.errors import LaunchError
from tilewright.tuning.search import Budget, Found, Search
from tilewright.tuning.source_compiler import SourceCompiler
from tilewright.tuning.timing import Candidate

BYTES = 1 << 28
TARGET = "nvidia"
GOAL = 0.97
"""Part of the tuned speed that issue 17 wants of the model, in the geometric mean (issue 16: 0.9)."""
FLUSHED_BYTES = 256 << 20
"""More than any cache holds."""
SAMPLED = 1 << 18
"""Elements of an array that are compared."""
MOST_PROCESSES = 16
CASES_AHEAD = 4
"""Cases for which is compiled at a time."""


class Kernel(Struct, frozen=True):
    """What other processes compile: a text, its precision, and the schedule that the search begins with."""

    text: str
    precision: str
    schedule: str
    language_options: Mapping[str, str]

    def compiler(self) -> SourceCompiler:
        """Candidates of the kernel, which are kept on disk for all processes."""
        options = CompileOptions(precision=Precision.of(self.precision), chosen=self.language_options)
        program = tw.compile(
            self.text,
            target=TARGET,
            precision=self.precision,
            schedule=self.schedule,
            language_options=self.language_options,
        )
        name = next(iter(program)).name
        return SourceCompiler(Source("kernel", self.text), name, True, TARGET, options)


class Row(Struct, frozen=True):
    """A case as it is recorded."""

    name: str
    device: str
    model: str
    best: str
    model_us: float
    best_us: float
    tried: int
    wrong: list[str]
    part: Spread


def main() -> None:
    parser = figures.options(__doc__, "gpu_model_against_tuner")
    parser.add_argument("--only", default="", help="cases whose names contain one of these (default: all)")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds after which no case begins")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each search (default: %(default)s)")
    parser.add_argument(
        "--trials", type=int, default=64, help="schedules that each search times (default: %(default)s)"
    )
    parser.add_argument("--bytes", type=int, default=BYTES, help="of a case's arrays (default: %(default)s)")
    parser.add_argument("--more", action="store_true", help="add to the figures that are there")
    parser.add_argument("--compile-only", action="store_true", help="end when what is tried first is compiled")
    begin = monotonic()
    options = figures.parsed(parser)
    torch = torch_on_device()
    device = name_of_device(torch)
    trials, size = (4, 1 << 24) if options.quick else (options.trials, options.bytes)
    wanted = [part for part in options.only.split(",") if part]
    cases = {name: make for name, make in table(torch, size) if not wanted or any(part in name for part in wanted)}
    rows = {row.name: row for row in _recorded(options.json)} if options.more else {}
    flushed = torch.empty(FLUSHED_BYTES, dtype=torch.uint8, device="cuda")
    workers = min(MOST_PROCESSES, os.cpu_count() or 1)
    print(f"{device}\n{'':32} {'model us':>9} {'best us':>9}   part of the best speed [quartiles]", flush=True)
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        ahead = Ahead(pool, {name: _kernel(make()) for name, make in cases.items()}, trials)
        if options.compile_only:
            for name in cases:
                wait(ahead.begun(name), max(begin + options.budget - monotonic(), 0))
            pool.shutdown(cancel_futures=True)
            return
        for name, make in cases.items():
            # what is compiled for others meanwhile is compiled alone, not run
            wait(ahead.begun(name), max(begin + options.budget - monotonic(), 0))
            gone = monotonic() - begin
            if gone > options.budget:
                print(f"no time for {name} and what is behind it")
                break
            found = tuned(torch, pool, make(), flushed, Budget(trials, options.seconds))
            row = rows[name] = _row(name, device, found)
            times = f"{row.model_us:9.2f} {row.best_us:9.2f}"
            print(f"{name:32} {times}   {row.part}   {found.model}  ->  {found.best}   {gone:.0f} s", flush=True)
            for trial in found.wrong:
                print(f"  {trial.outcome.value}: {trial.schedule}: {trial.reason}"[:300], flush=True)
        pool.shutdown(cancel_futures=True)
    parts = {name: row.part for name, row in rows.items()}
    many = {"the model's part of the tuned speed": Overall.of(parts)}
    figures.tell(many)
    chart = Chart(
        "Model against tuner, part of the best speed", [(row, part.median) for row, part in parts.items()], GOAL
    )
    figures.save(options.json, list(rows.values()), {**parts, **many}, chart)


def _recorded(path: Path | None) -> list[Row]:
    """The rows of a file that this script has written."""
    if path is None or not path.exists():
        return []
    return msgspec.convert(msgspec.json.decode(path.read_bytes())["cases"], list[Row])


def _kernel(case: Case) -> Kernel:
    return Kernel(case.text, case.precision, case.schedule, case.language_options)


def _row(name: str, device: str, found: Found) -> Row:
    gain = found.gain
    # a search keeps quartiles alone
    lower, upper = 1 / gain.upper, 1 / gain.lower
    part = Spread(1 / gain.median, lower, upper, lower, upper, 1)
    model_us, best_us = found.model_seconds.median * 1e6, found.best_seconds.median * 1e6
    wrong = [trial.schedule for trial in found.wrong]
    return Row(name, device, found.model, found.best, model_us, best_us, len(found.trials), wrong, part)


# Compiling ahead


class Ahead:
    """Lets the model's schedules and what is tried first instead of them be on disk, case after case.

    A few cases are begun at a time, so that what a search asks for besides need not wait for all of them.
    """

    def __init__(self, pool: Executor, kernels: Mapping[str, Kernel], trials: int) -> None:
        self._pool, self._kernels, self._trials = pool, kernels, trials
        self._lines: dict[str, Future[list[str]]] = {}
        self._begun: dict[str, list[Future[None]]] = {}

    def begun(self, name: str) -> list[Future[None]]:
        """What is being compiled for a case, and with it for those behind it."""
        names = list(self._kernels)
        first = names.index(name)
        for each in names[first : first + 2 * CASES_AHEAD]:
            if each not in self._lines:
                self._lines[each] = self._pool.submit(_first_lines, self._kernels[each], self._trials)
        for each in names[first : first + CASES_AHEAD]:
            if each not in self._begun:
                lines, kernel = self._lines[each].result(), self._kernels[each]
                self._begun[each] = [self._pool.submit(_compiled, kernel, line) for line in lines]
        return self._begun[name]


def _first_lines(kernel: Kernel, trials: int) -> list[str]:
    compiler = kernel.compiler()
    candidate = compiler.candidate(kernel.schedule)
    _load(candidate)
    return _lines(candidate.schedule, compiler.moves(candidate.schedule))[:trials]


def _lines(schedule: str, moves: Iterable[Schedule]) -> list[str]:
    return [str(changed(parse_line(schedule), move)) for move in moves]


def _compiled(kernel: Kernel, line: str) -> None:
    """The search meets again what does not work."""
    with suppress(CompileError, InternalError, LaunchError, ModuleLoadError):
        _load(kernel.compiler().candidate(line))


def _load(candidate: Candidate) -> None:
    """The driver keeps the machine code that it makes."""
    assert candidate.kernel.resources is not None


class AheadCompiler:
    """Candidates of a search; when it asks what could be changed, others compile all that."""

    def __init__(self, kernel: Kernel, pool: Executor, trials: int) -> None:
        self._kernel, self._compiler, self._pool, self._trials = kernel, kernel.compiler(), pool, trials
        self._begins = True

    def candidate(self, schedule: str) -> Candidate:
        """See `Compiler`."""
        return self._compiler.candidate(schedule)

    def moves(self, schedule: str) -> Iterable[Schedule]:
        """See `Compiler`."""
        found = list(self._compiler.moves(schedule))
        if not self._begins:  # of those instead of the model's that are tried all are there
            list(self._pool.map(partial(_compiled, self._kernel), _lines(schedule, found)[: self._trials]))
        self._begins = False
        return found


# Measuring


class TorchTimer:
    """Launches on torch's arrays, which stay on the device; of answers a sample comes to the host."""

    def __init__(self, torch: Any, case: Case, flushed: Any) -> None:
        self._torch, self._case, self._flushed = torch, case, flushed
        self._first = [array.clone() for array in case.arrays]

    def answer(self, candidate: Candidate) -> Sequence[np.ndarray[Any, Any]]:
        """See `Timer`."""
        for array, first in zip(self._case.arrays, self._first, strict=True):
            array.copy_(first)
        self._launch(candidate)()
        self._torch.cuda.synchronize()
        return [self._sample(array) for array in self._case.arrays]

    def seconds(self, candidate: Candidate) -> float:
        """See `Timer`."""
        self._flushed.zero_()
        return on_device(self._torch, self._launch(candidate))()

    def _launch(self, candidate: Candidate) -> Callable[[], object]:
        launch = candidate.kernel[self._case.grid]
        return lambda: launch(*self._case.arguments)

    def _sample(self, array: Any) -> np.ndarray[Any, Any]:
        taken = array.view(-1)[:: max(array.numel() // SAMPLED, 1) | 1].clone()
        if array.dtype is self._torch.bfloat16:
            return taken.view(self._torch.int16).cpu().numpy().view(ml_dtypes.bfloat16)
        if array.dtype.is_floating_point and array.dtype.itemsize == 1:
            taken = taken.view(self._torch.int8)
        return taken.cpu().numpy()


def tuned(torch: Any, pool: Executor, case: Case, flushed: Any, budget: Budget) -> Found:
    """What a search finds for a kernel."""
    compiler = AheadCompiler(_kernel(case), pool, budget.trials)
    return Search(compiler, TorchTimer(torch, case, flushed), budget).run(case.schedule)


if __name__ == "__main__":
    main()
