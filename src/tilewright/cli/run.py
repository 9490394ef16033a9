"""`tilewright run`: run a kernel on random arrays or .npy files."""

from __future__ import annotations

import click

from tilewright.artifacts.parameters import MemrefParameter, PointerParameter
from tilewright.cli.inputs import say_once
from tilewright.cli.launch_options import LaunchRequest, launch_options
from tilewright.files import is_stream, replacing
from tilewright.program import Kernel


def destinations(kernel: Kernel, saves: tuple[str, ...]) -> dict[str, str]:
    """`NAME=FILE.npy` options by parameter."""
    found: dict[str, str] = {}
    names = [parameter.name for parameter in kernel.info.passed]
    for pair in saves:
        name, equals, path = pair.partition("=")
        name = name.lstrip("%")
        if not equals or not path:
            raise click.UsageError(f"--save {pair}: write NAME=FILE.npy")
        if name not in names:
            raise click.UsageError(
                f"--save {pair}: kernel {kernel.name} takes no argument {name}, only {', '.join(names)}"
            )
        say_once(found, name, _npy(path), f"--save {pair}")
    return found


def _npy(path: str) -> str:
    """A file is named as `numpy.save` does it; a pipe or device as it is."""
    return path if path.endswith(".npy") or is_stream(path) else f"{path}.npy"


@click.command(name="run")
@launch_options
@click.option("--save", "saves", multiple=True, metavar="NAME=FILE.npy", help="Save an array afterwards.")
@click.option("--seed", default=0, help="Seed of random arrays.")
def command(request: LaunchRequest, saves: tuple[str, ...], seed: int) -> None:
    """Run a kernel on random arrays or .npy files; with --checked and without --target in the interpreter.

    For the target nvidia, on the GPU of this machine, the arrays are copied there and back.
    """
    import numpy as np

    kernel = request.kernel("interpreter" if request.checked else "cpu")
    targets = destinations(kernel, saves)
    ready = request.ready(kernel, seed=seed)
    with ready.prepared() as launch:
        launch()
    written = {p.name for p in kernel.info.passed if isinstance(p, MemrefParameter | PointerParameter) and p.written}
    for name, array in ready.arguments.items():
        if name in targets:
            with replacing(targets[name]) as stream:
                np.save(stream, np.asarray(array))
        elif name in written and not saves:
            click.echo(f"%{name} =\n{array}")
