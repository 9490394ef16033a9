"""`tilewright check`: diagnostics of many files at once."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from tilewright.cli import completers
from tilewright.cli.inputs import definitions, language_options, read_source, std_option
from tilewright.cli.main import EXIT_DIAGNOSTICS, EXIT_USAGE
from tilewright.cli.output import FORMATS, show
from tilewright.diagnostics import CompileError, Diagnostic, Report, Severity

if TYPE_CHECKING:
    from tilewright.diagnostics import Source
    from tilewright.diagnostics.binary import Binary
    from tilewright.languages import ReadOptions, Std


def check_file(name: str, reading: ReadOptions, target_name: str | None = None) -> list[Diagnostic]:
    """All diagnostics of one file: of reading it, or of compiling it for a target too."""
    report = Report()
    try:
        source = read_source(name)
        if target_name is None:
            from tilewright.compiler import read_source as read_program

            read_program(source, report, reading)
        else:
            _compile(source, report, reading, target_name)
    except CompileError as error:
        return error.diagnostics
    return report.in_order


def _compile(source: Source | Binary, report: Report, reading: ReadOptions, target_name: str) -> None:
    """All that `compile` does; what it would write is dropped. Compilers are imported here, for those who ask."""
    from tilewright.compile_options import CompileOptions
    from tilewright.compiler import compile_source
    from tilewright.targets import find_target

    options = CompileOptions(definitions=reading.definitions, std=reading.std, chosen=reading.chosen)
    compile_source(source, find_target(target_name), options, report)


@click.command(name="check")
@click.argument("files", nargs=-1, required=True, shell_complete=completers.files)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How to print diagnostics.")
@click.option(
    "--target",
    "target_name",
    metavar="NAME",
    help="Compile for this machine as well; nothing is written.",
    shell_complete=completers.targets,
)
@click.option("-D", "values", multiple=True, metavar="NAME=VALUE", help="Give a $definition from outside.")
@std_option
@language_options
def command(
    files: tuple[str, ...],
    form: str,
    target_name: str | None,
    values: tuple[str, ...],
    std: Std,
    chosen: Mapping[str, str],
) -> None:
    """Report what is wrong in kernels; exit status 1 if anything is.

    By itself it tells what their languages forbid; with --target also what compiling for that machine refuses.
    """
    from tilewright.languages import ReadOptions

    reading = ReadOptions(definitions(values), std, chosen)
    found: list[Diagnostic] = []
    unread = False
    for name in files:
        try:
            found += check_file(name, reading, target_name)
        except click.ClickException as error:
            # The other files are checked all the same.
            click.echo(f"tilewright: {error}", err=True)
            unread = True
    show(found, form, sys.stdout)
    if unread:
        raise click.exceptions.Exit(EXIT_USAGE)
    if any(d.severity is Severity.ERROR for d in found):
        raise click.exceptions.Exit(EXIT_DIAGNOSTICS)
