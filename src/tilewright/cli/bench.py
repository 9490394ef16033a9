"""`tilewright bench`: time a kernel on random arrays."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

import click

from tilewright.cli.inputs import definitions, read_source, std_option
from tilewright.cli.run import choose, parse_grid

if TYPE_CHECKING:
    from tilewright.compiler import Std


@click.command(name="bench")
@click.argument("file")
@click.option("--kernel", "kernel_name", default=None, help="Which kernel; may be left out if there is only one.")
@click.option("--grid", "grid_text", default="1", help="Work-groups: n, or x,y,z.")
@click.option("--arg", "pairs", multiple=True, metavar="NAME=SPEC", help="A number, random(4,5), zeros(..), a.npy.")
@click.option("--target", default="cpu", help="cpu, cpu:avx512, cpu:avx2, cpu:generic, or interpreter.")
@click.option("--repeats", type=click.IntRange(1), default=20, help="Launches that are timed.")
@click.option("-D", "values", multiple=True, metavar="NAME=VALUE", help="Give a $definition from outside.")
@std_option
def command(
    file: str,
    kernel_name: str | None,
    grid_text: str,
    pairs: tuple[str, ...],
    target: str,
    repeats: int,
    values: tuple[str, ...],
    std: Std,
) -> None:
    """Time a kernel: median, fastest and slowest of some launches on the same arrays."""
    import numpy as np

    from tilewright.api import compile as compile_kernel
    from tilewright.cli.arguments import make_arguments, parse_pairs
    from tilewright.targets.parameters import MemrefParameter

    program = compile_kernel(read_source(file), target=target, definitions=definitions(values), std=std)
    kernel, grid = choose(program, kernel_name), parse_grid(grid_text)
    arguments = make_arguments(kernel.info, parse_pairs(pairs), 0, int(np.prod(grid)))
    local = {p.name for p in kernel.info.parameters if isinstance(p, MemrefParameter) and p.space == "local"}
    passed = [a for name, a in arguments.items() if name not in local]
    launch = kernel[grid]
    launch(*passed)
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        launch(*passed)
        times.append(time.perf_counter() - start)
    click.echo(
        f"{kernel.name}: median {statistics.median(times) * 1e6:.1f} us, fastest {min(times) * 1e6:.1f} us, "
        f"slowest {max(times) * 1e6:.1f} us of {repeats}"
    )
