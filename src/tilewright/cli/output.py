"""What verbs give out: diagnostics in the format that was asked for, and results in files or on standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final, TextIO

import click

from tilewright.diagnostics import Diagnostic
from tilewright.files import replacing

FORMATS: Final = ("text", "json", "sarif", "github")


def show(diagnostics: Sequence[Diagnostic], form: str, stream: TextIO | None) -> None:
    """Write diagnostics; text is coloured on a terminal unless NO_COLOR is set. A stream that is closed gets none."""
    if stream is None:
        return
    text = _text(diagnostics, stream) if form == "text" else _machine_format(diagnostics, form)
    if text:
        stream.write(text if text.endswith("\n") else text + "\n")


def write_result(result: bytes | str, output: str = "-") -> None:
    """Write what a verb was asked for: to a file, all of it or nothing, or to standard output for `-`.

    Raises OSError, and `click.ClickException` if standard output is closed.
    """
    data = result.encode() if isinstance(result, str) else result
    if output != "-":
        with replacing(output) as stream:
            stream.write(data)
        return
    if sys.stdout is None:
        raise click.ClickException("standard output is closed: the result can be written nowhere")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _text(diagnostics: Sequence[Diagnostic], stream: TextIO) -> str:
    if not diagnostics:
        return ""
    from tilewright.diagnostics.render import render_text

    return render_text(diagnostics, stream.isatty() and "NO_COLOR" not in os.environ)


def _machine_format(diagnostics: Sequence[Diagnostic], form: str) -> str:
    from tilewright.diagnostics.machine_formats import render_github, render_json, render_sarif

    return {"json": render_json, "sarif": render_sarif, "github": render_github}[form](diagnostics)
