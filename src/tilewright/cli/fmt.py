"""`tilewright fmt`: format kernels in place, or check or show what formatting would do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tilewright.cli.inputs import read_text, std_option
from tilewright.cli.main import EXIT_DIAGNOSTICS, EXIT_USAGE
from tilewright.cli.output import show
from tilewright.cli.rewriting import difference, write_atomically
from tilewright.diagnostics import Report, Source
from tilewright.frontends.recognise import is_tile_ir

if TYPE_CHECKING:
    from tilewright.compiler import Std


def formatted(source: Source, report: Report, std: Std) -> str:
    """The text as it should be; what is wrong with it is in `report`."""
    if std == "auto" and is_tile_ir(source.text):
        from tilewright.frontends.tile_ir import format_source as format_tile_ir

        return format_tile_ir(source, report)
    from tilewright.frontends.standard import refuse_old
    from tilewright.frontends.tensor_language import format_source

    if std != "new" and refuse_old(source, report, std == "old"):
        return source.text
    return format_source(source, report)


@click.command(name="fmt")
@click.argument("files", nargs=-1, required=True)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit status 1 if a file is not formatted.")
@click.option("--diff", is_flag=True, help="Change nothing; show what would change.")
@std_option
def command(files: tuple[str, ...], only_check: bool, diff: bool, std: Std) -> None:
    """Format kernels in place (standard input: to standard output)."""
    failed = unformatted = unwritten = False
    for name in files:
        report = Report()
        try:
            source = read_text(name)
            text = formatted(source, report, std)
            if name != "-" and not (only_check or diff or report.has_errors) and text != source.text:
                write_atomically(Path(name), text)
        except (click.ClickException, OSError) as error:
            # The other files are done all the same; this one stays as it is.
            click.echo(f"tilewright: {error}", err=True)
            unwritten = True
            continue
        show(report.diagnostics, "text", sys.stderr)
        failed = failed or report.has_errors
        if report.has_errors:
            continue
        changed = text != source.text
        unformatted = unformatted or changed
        if diff and changed:
            sys.stdout.writelines(difference(source, text, "formatted"))
        elif only_check and changed:
            click.echo(f"{source.name}: not formatted")
        elif name == "-" and not (only_check or diff):
            sys.stdout.write(text)
    if unwritten:
        raise click.exceptions.Exit(EXIT_USAGE)
    if failed or (unformatted and (only_check or diff)):
        raise click.exceptions.Exit(EXIT_DIAGNOSTICS)
