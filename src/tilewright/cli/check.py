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
    from tilewright.languages import Std


def check_file(
    name: str, values: Mapping[str, str], std: Std = "auto", chosen: Mapping[str, str] | None = None
) -> list[Diagnostic]:
    """All diagnostics of one file; what is `chosen` holds for files of the languages that have such options."""
    from tilewright.compiler import read_source as read_program
    from tilewright.languages import ReadOptions

    report = Report()
    try:
        read_program(read_source(name), report, ReadOptions(values, std, chosen or {}))
    except CompileError as error:
        return error.diagnostics
    return report.in_order


@click.command(name="check")
@click.argument("files", nargs=-1, required=True, shell_complete=completers.files)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How to print diagnostics.")
@click.option("-D", "values", multiple=True, metavar="NAME=VALUE", help="Give a $definition from outside.")
@std_option
@language_options
def command(files: tuple[str, ...], form: str, values: tuple[str, ...], std: Std, chosen: Mapping[str, str]) -> None:
    """Report what is wrong in kernels; exit status 1 if anything is."""
    given = definitions(values)
    found: list[Diagnostic] = []
    unread = False
    for name in files:
        try:
            found += check_file(name, given, std, chosen)
        except click.ClickException as error:
            # The other files are checked all the same.
            click.echo(f"tilewright: {error}", err=True)
            unread = True
    show(found, form, sys.stdout)
    if unread:
        raise click.exceptions.Exit(EXIT_USAGE)
    if any(d.severity is Severity.ERROR for d in found):
        raise click.exceptions.Exit(EXIT_DIAGNOSTICS)
