"""`tilewright bench`: time a kernel on random arrays."""

from __future__ import annotations

import json
import math
import statistics
import time

import click

from tilewright.cli.launch_options import LaunchRequest, ReadyLaunch, launch_options
from tilewright.cli.output import write_result
from tilewright.cli.work import Work, work_of


def told_work(request: LaunchRequest, ready: ReadyLaunch) -> Work | None:
    """What the launch computes and moves, if the kernel's operations tell."""
    from tilewright.cli.inputs import definitions
    from tilewright.compiler import read_source
    from tilewright.diagnostics import Report, Source
    from tilewright.dialects.builtin import Kernel
    from tilewright.languages import ReadOptions

    options = ReadOptions(definitions(request.values), request.std, request.chosen)
    module = read_source(Source("<kernel>", ready.kernel.ir("source")), Report(), options)
    for op in module.walk():
        if isinstance(op, Kernel) and op.sym_name == ready.kernel.name:
            return work_of(op, ready.arguments, math.prod(ready.grid))
    return None


@click.command(name="bench")
@launch_options
@click.option("--repeats", type=click.IntRange(1), default=20, help="Launches that are timed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(request: LaunchRequest, repeats: int, as_json: bool) -> None:
    """Time a kernel: median, fastest and slowest of some launches on the same arrays.

    Where the kernel's operations tell how much it computes and moves, GFLOP/s and GB/s of the median are shown.
    """
    kernel = request.kernel()
    ready = request.ready(kernel)
    times: list[float] = []
    with ready.prepared() as launch:
        launch()
        for _ in range(repeats):
            start = time.perf_counter()
            launch()
            times.append(time.perf_counter() - start)
    median = statistics.median(times)
    work = told_work(request, ready)
    if as_json:
        found = {
            "kernel": kernel.name,
            "grid": ready.grid,
            "repeats": repeats,
            "median_us": median * 1e6,
            "fastest_us": min(times) * 1e6,
            "slowest_us": max(times) * 1e6,
            "operations": None if work is None else work.operations,
            "bytes": None if work is None else work.bytes,
            "gflop_per_s": None if work is None else work.operations / median * 1e-9,
            "gb_per_s": None if work is None else work.bytes / median * 1e-9,
        }
        write_result(json.dumps(found, indent=2) + "\n")
        return
    rates = "" if work is None else _rates(work, median)
    click.echo(
        f"{kernel.name}: median {median * 1e6:.1f} us, fastest {min(times) * 1e6:.1f} us, "
        f"slowest {max(times) * 1e6:.1f} us of {repeats}{rates}"
    )


def _rates(work: Work, seconds: float) -> str:
    computed = [f"{work.operations / seconds * 1e-9:.2f} GFLOP/s"] if work.operations else []
    moved = [f"{work.bytes / seconds * 1e-9:.2f} GB/s"] if work.bytes else []
    return "".join(f", {rate}" for rate in computed + moved)
