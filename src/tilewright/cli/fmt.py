"""`tilewright fmt`: format kernels in place, or check or show what formatting would do."""

from __future__ import annotations

import difflib
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tilewright.cli.inputs import read_text, std_option
from tilewright.cli.main import EXIT_DIAGNOSTICS, EXIT_USAGE
from tilewright.cli.output import show
from tilewright.diagnostics import Report, Source
from tilewright.frontends.recognise import is_tile_ir

if TYPE_CHECKING:
    from tilewright.compiler import Std


def write_atomically(file: Path, text: str) -> None:
    """Replace a file so that either the old or the new text is there, whatever happens.

    What a link leads to is replaced, not the link. A file that is not to be written stays.
    """
    path = file.resolve(strict=True)
    if not path.is_file():
        raise click.FileError(str(file), "not a regular file")
    if not os.access(path, os.W_OK):
        raise click.FileError(str(file), "read-only")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        before = path.stat()
        # Only root may give files away; anyone else's copy is their own.
        with suppress(PermissionError):
            os.chown(temporary, before.st_uid, before.st_gid)
        os.chmod(temporary, before.st_mode & 0o7777)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


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
            lines = difflib.unified_diff(
                source.text.splitlines(True), text.splitlines(True), source.name, source.name + " (formatted)"
            )
            sys.stdout.writelines(lines)
        elif only_check and changed:
            click.echo(f"{source.name}: not formatted")
        elif name == "-" and not (only_check or diff):
            sys.stdout.write(text)
    if unwritten:
        raise click.exceptions.Exit(EXIT_USAGE)
    if failed or (unformatted and (only_check or diff)):
        raise click.exceptions.Exit(EXIT_DIAGNOSTICS)
