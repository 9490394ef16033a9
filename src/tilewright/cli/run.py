"""`tilewright run`: run a kernel on random arrays or .npy files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tilewright.cli.inputs import definitions, read_source, std_option
from tilewright.cli.output import show
from tilewright.program import Kernel, Program

if TYPE_CHECKING:
    from tilewright.compiler import Std


def parse_grid(text: str) -> tuple[int, ...]:
    """`100` or `4,5,6`."""
    try:
        extents = tuple(int(part) for part in text.split(","))
    except ValueError:
        extents = ()
    if not 1 <= len(extents) <= 3 or min(extents) < 0:
        raise click.UsageError(f"--grid {text}: one to three integers, separated by commas")
    return extents


def choose(program: Program, name: str | None) -> Kernel:
    """The named kernel, or the only one."""
    kernels = {kernel.name: kernel for kernel in program}
    if name is None and len(kernels) == 1:
        return next(iter(kernels.values()))
    if name is None or name not in kernels:
        raise click.UsageError(f"name one of the kernels with --kernel: {', '.join(kernels) or 'there is none'}")
    return kernels[name]


def destinations(kernel: Kernel, saves: tuple[str, ...]) -> dict[str, Path]:
    """`NAME=FILE.npy` options by parameter."""
    found: dict[str, Path] = {}
    names = [parameter.name for parameter in kernel.info.parameters]
    for pair in saves:
        name, equals, path = pair.partition("=")
        name = name.lstrip("%")
        if not equals or not path:
            raise click.UsageError(f"--save {pair}: write NAME=FILE.npy")
        if name not in names:
            raise click.UsageError(
                f"--save {pair}: kernel {kernel.name} has no parameter {name}, only {', '.join(names)}"
            )
        found[name] = Path(path)
    return found


@click.command(name="run")
@click.argument("file")
@click.option("--kernel", "kernel_name", default=None, help="Which kernel; may be left out if there is only one.")
@click.option("--grid", "grid_text", default="1", help="Work-groups: n, or x,y,z.")
@click.option("--arg", "pairs", multiple=True, metavar="NAME=SPEC", help="A number, random(4,5), zeros(..), a.npy.")
@click.option("--save", "saves", multiple=True, metavar="NAME=FILE.npy", help="Save an array afterwards.")
@click.option("--target", default="cpu", help="cpu, cpu:avx512, cpu:avx2, cpu:generic, or interpreter.")
@click.option("--checked", is_flag=True, help="Run in the interpreter and find races and reads of unwritten memory.")
@click.option("--seed", default=0, help="Seed of random arrays.")
@click.option("-O", "level", type=click.IntRange(0, 2), default=2, help="0 lowers only, 2 optimises.")
@click.option("-D", "values", multiple=True, metavar="NAME=VALUE", help="Give a $definition from outside.")
@std_option
def command(
    file: str,
    kernel_name: str | None,
    grid_text: str,
    pairs: tuple[str, ...],
    saves: tuple[str, ...],
    target: str,
    checked: bool,
    seed: int,
    level: int,
    values: tuple[str, ...],
    std: Std,
) -> None:
    """Run a kernel on random arrays or .npy files."""
    import numpy as np

    from tilewright.api import compile as compile_kernel
    from tilewright.cli.arguments import make_arguments, parse_pairs
    from tilewright.targets.parameters import MemrefParameter, PointerParameter

    program = compile_kernel(
        read_source(file),
        target="interpreter" if checked else target,
        level=level,
        definitions=definitions(values),
        checked=checked,
        std=std,
    )
    show(program.warnings, "text", sys.stderr)
    kernel, grid = choose(program, kernel_name), parse_grid(grid_text)
    targets = destinations(kernel, saves)
    arguments = make_arguments(kernel.info, parse_pairs(pairs), seed, int(np.prod(grid)))
    passed = [
        arguments[p.name] for p in kernel.info.parameters if not (isinstance(p, MemrefParameter) and p.space == "local")
    ]
    kernel[grid](*passed)
    written = {
        p.name for p in kernel.info.parameters if isinstance(p, MemrefParameter | PointerParameter) and p.written
    }
    for name, array in arguments.items():
        if name in targets:
            np.save(targets[name], np.asarray(array))
        elif name in written and not saves:
            click.echo(f"%{name} =\n{array}")
