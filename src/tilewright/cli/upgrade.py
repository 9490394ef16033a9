"""`tilewright upgrade`: kernels of the old tensor language become kernels of the new one."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tilewright.cli import completers
from tilewright.cli.inputs import read_text, std_option
from tilewright.cli.main import EXIT_DIAGNOSTICS, EXIT_USAGE
from tilewright.cli.output import show, write_result
from tilewright.cli.rewriting import difference, write_atomically
from tilewright.diagnostics import CompileError, Report
from tilewright.diagnostics.caller_error import CallerError
from tilewright.languages import Std, language_of


@click.command(name="upgrade")
@click.argument("files", nargs=-1, required=True, shell_complete=completers.files)
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit status 1 if a file is in the old language."
)
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@click.option("--in-place", is_flag=True, help="Replace the files; those that cannot be upgraded stay as they are.")
@std_option
def command(files: tuple[str, ...], only_check: bool, diff: bool, in_place: bool, std: Std) -> None:
    """Rewrite kernels of the old tensor language into the new one, on standard output unless told otherwise.

    Files in the new language stay as they are.
    """
    if only_check + diff + in_place > 1:
        raise click.UsageError("give one of --check, --diff and --in-place")
    if in_place and "-" in files:
        raise click.UsageError("standard input cannot be replaced")
    status, old = 0, False
    for name in files:
        report = Report()
        try:
            source = read_text(name)
            text = language_of(source, std).upgrade(source, report, std)
            if in_place and text != source.text:
                write_atomically(Path(name), text)
        except CompileError as error:
            show(error.diagnostics, "text", sys.stderr)
            status = max(status, EXIT_DIAGNOSTICS)
            continue
        except (click.ClickException, CallerError, OSError) as error:
            # The other files are done all the same; this one stays as it is.
            click.echo(f"tilewright: {error}", err=True)
            status = EXIT_USAGE
            continue
        show(report.in_order, "text", sys.stderr)
        changed = text != source.text
        old = old or changed
        if diff:
            write_result("".join(difference(source, text, "upgraded")))
        elif only_check and changed:
            click.echo(f"{source.name}: in the old language")
        elif not (only_check or in_place):
            write_result(text)
    if status or (only_check and old):
        raise click.exceptions.Exit(status or EXIT_DIAGNOSTICS)
