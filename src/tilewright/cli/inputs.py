"""Reading kernels for the command line: files and standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from tilewright.diagnostics import CompileError, Diagnostic, Severity, Source

MAX_SOURCE_BYTES = 16 * 1024 * 1024


def read_bytes(name: str) -> tuple[str, bytes]:
    """The name to report a file (standard input for `-`) under, and its bytes.

    Raises `click.ClickException` or `CompileError`.
    """
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise click.ClickException(f"{name}: {error.strerror or error}") from None
    shown = "<stdin>" if name == "-" else name
    if len(data) > MAX_SOURCE_BYTES:
        message = f"the source has {len(data):,} bytes; the limit is {MAX_SOURCE_BYTES:,}"
        raise CompileError([Diagnostic(Severity.ERROR, "L001", f"{shown}: {message}")])
    return shown, data


def read_source(name: str) -> Source:
    """The text of a file, or of standard input for `-`. Raises `click.ClickException` or `CompileError`."""
    return as_source(*read_bytes(name))


def as_source(name: str, data: bytes) -> Source:
    """Bytes as text. Those that are no UTF-8 become visible characters, which lexers refuse with their place."""
    return Source(name, data.decode("utf-8-sig", errors="replace"))


def definitions(pairs: tuple[str, ...]) -> Mapping[str, str]:
    """`NAME=VALUE` options as a dictionary."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"-D {pair}: write NAME=VALUE")
        found[name.lstrip("$")] = value
    return found


def std_option(command: Callable[..., None]) -> Callable[..., None]:
    """`--std`: which tensor language the files are in."""
    return click.option(
        "--std", type=click.Choice(("auto", "old", "new")), default="auto", help="The language of the text."
    )(command)
