"""`tilewright fmt`: format kernels in place, or check or show what formatting would do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tilewright.cli import completers
from tilewright.cli.inputs import read_text, std_option
from tilewright.cli.main import EXIT_DIAGNOSTICS, EXIT_USAGE
from tilewright.cli.output import show, write_result
from tilewright.cli.rewriting import difference, write_atomically
from tilewright.diagnostics import Report
from tilewright.languages import language_of

if TYPE_CHECKING:
    from tilewright.languages import Std


@click.command(name="fmt")
@click.argument("files", nargs=-1, required=True, shell_complete=completers.files)
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
            text = language_of(source, std).format(source, report, std)
            if name != "-" and not (only_check or diff or report.has_errors) and text != source.text:
                write_atomically(Path(name), text)
        except (click.ClickException, OSError) as error:
            # The other files are done all the same; this one stays as it is.
            click.echo(f"tilewright: {error}", err=True)
            unwritten = True
            continue
        show(report.in_order, "text", sys.stderr)
        failed = failed or report.has_errors
        if report.has_errors:
            continue
        changed = text != source.text
        unformatted = unformatted or changed
        if diff and changed:
            write_result("".join(difference(source, text, "formatted")))
        elif only_check and changed:
            click.echo(f"{source.name}: not formatted")
        elif name == "-" and not (only_check or diff):
            write_result(text)
    if unwritten:
        raise click.exceptions.Exit(EXIT_USAGE)
    if failed or (unformatted and (only_check or diff)):
        raise click.exceptions.Exit(EXIT_DIAGNOSTICS)
