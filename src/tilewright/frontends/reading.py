"""Sources as bytes from files and streams, of bounded size."""

from __future__ import annotations

from typing import BinaryIO, Final

from tilewright.diagnostics import CompileError, Diagnostic, Severity
from tilewright.files import FilePath, read_file

MAX_SOURCE_BYTES: Final = 16 * 1024 * 1024


def read_source_file(path: FilePath, shown: str) -> bytes:
    """The bytes of a source, which is reported as `shown`. Raises OSError, and `CompileError` if there are too many."""
    return _bounded(read_file(path, MAX_SOURCE_BYTES), shown)


def read_source_stream(stream: BinaryIO, shown: str) -> bytes:
    """As `read_source_file`, for a stream that is open."""
    return _bounded(stream.read(MAX_SOURCE_BYTES + 1), shown)


def _bounded(data: bytes, shown: str) -> bytes:
    if len(data) > MAX_SOURCE_BYTES:
        message = f"{shown}: the source has more than {MAX_SOURCE_BYTES:,} bytes, which is the limit"
        raise CompileError([Diagnostic(Severity.ERROR, "L001", message)])
    return data
