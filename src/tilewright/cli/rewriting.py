"""A file's new text: in its place, or as what differs. What only this needs is imported here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from tilewright.diagnostics import Source


def write_atomically(file: Path, text: str) -> None:
    """Replace a file so that either the old or the new text is there, whatever happens.

    What a link leads to is replaced, not the link. A file that is not to be written stays.
    """
    import tempfile

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


def difference(source: Source, text: str, what: str) -> Iterator[str]:
    """Lines of a unified diff that leads to the new text; `what` says what that is."""
    import difflib

    before, after = source.text.splitlines(True), text.splitlines(True)
    return difflib.unified_diff(before, after, source.name, f"{source.name} ({what})")
