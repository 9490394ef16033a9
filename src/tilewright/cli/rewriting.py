"""A file's new text: in its place, or as what differs. What only this needs is imported here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from tilewright.diagnostics import Source
from tilewright.files import replacing


def write_atomically(file: Path, text: str) -> None:
    """Replace a file so that either the old or the new text is there, whatever happens.

    Raises OSError, also for a file that is read-only, and `click.FileError` for what is no file.
    """
    if not file.resolve(strict=True).is_file():
        raise click.FileError(str(file), "not a regular file")
    with replacing(file) as stream:
        stream.write(text.encode())


def difference(source: Source, text: str, what: str) -> Iterator[str]:
    """Lines of a unified diff that leads to the new text; `what` says what that is."""
    import difflib

    before, after = source.text.splitlines(True), text.splitlines(True)
    return difflib.unified_diff(before, after, source.name, f"{source.name} ({what})")
