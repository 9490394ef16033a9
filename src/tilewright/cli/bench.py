"""`tilewright bench`: time a kernel on random arrays."""

from __future__ import annotations

import statistics
import time

import click

from tilewright.cli.launch_options import LaunchRequest, launch_options


@click.command(name="bench")
@launch_options
@click.option("--repeats", type=click.IntRange(1), default=20, help="Launches that are timed.")
def command(request: LaunchRequest, repeats: int) -> None:
    """Time a kernel: median, fastest and slowest of some launches on the same arrays."""
    kernel = request.kernel()
    launch = request.ready(kernel).prepare()
    launch()
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        launch()
        times.append(time.perf_counter() - start)
    click.echo(
        f"{kernel.name}: median {statistics.median(times) * 1e6:.1f} us, fastest {min(times) * 1e6:.1f} us, "
        f"slowest {max(times) * 1e6:.1f} us of {repeats}"
    )
