"""`tilewright translate`: Tile IR from text to bytecode and back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tilewright.cli.inputs import read_source
from tilewright.cli.output import show
from tilewright.diagnostics import Report

if TYPE_CHECKING:
    from tilewright.dialects.cuda_tile.core import TileModule

_VERSIONS: Final = ("13.1", "13.2", "13.3", "13.4")


@click.command(name="translate")
@click.argument("file")
@click.option("-o", "output", default="-", help="Where to (- is standard output).")
@click.option(
    "--to",
    "form",
    type=click.Choice(("text", "bytecode")),
    help="The form to write; the other one than that of the file if this is not given.",
)
@click.option(
    "--bytecode-version",
    "version",
    type=click.Choice(_VERSIONS),
    help="Version of the bytecode to write; the lowest that can express the module if this is not given.",
)
@click.option("--locations/--no-locations", default=True, help="Write debug locations in text.")
def command(file: str, output: str, form: str | None, version: str | None, locations: bool) -> None:
    """Translate Tile IR from text to bytecode or from bytecode to text; - reads standard input."""
    report = Report()
    module, was_bytecode = _read(file, report)
    show(report.diagnostics, "text", sys.stderr)
    if form is None:
        form = "text" if was_bytecode else "bytecode"
    if version is not None and form == "text":
        raise click.UsageError("--bytecode-version says something about bytecode only; add --to bytecode")
    if form == "text":
        from tilewright.frontends.tile_ir import print_module

        _write(output, print_module(module, debug=locations).encode())
    else:
        _write(output, _bytecode(module, version))


def _read(file: str, report: Report) -> tuple[TileModule, bool]:
    """The verified module of a file, and whether that is bytecode."""
    from tilewright.compiler import read_tile_ir
    from tilewright.diagnostics.binary import Binary

    source = read_source(file)
    return read_tile_ir(source, report), isinstance(source, Binary)


def _bytecode(module: TileModule, version: str | None) -> bytes:
    from tilewright.dialects.cuda_tile.types import Version
    from tilewright.frontends.tile_ir.bytecode import lowest_version, write

    wanted = lowest_version(module) if version is None else Version(_VERSIONS.index(version) + 1)
    return write(module, wanted)


def _write(output: str, data: bytes) -> None:
    if output != "-":
        Path(output).write_bytes(data)
        return
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
