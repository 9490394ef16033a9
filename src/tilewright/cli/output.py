"""Printing diagnostics in the format that was asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, TextIO

from tilewright.diagnostics import Diagnostic

FORMATS: Final = ("text", "json", "sarif", "github")


def show(diagnostics: Sequence[Diagnostic], form: str, stream: TextIO) -> None:
    """Write diagnostics; text is coloured on a terminal unless NO_COLOR is set."""
    text = _text(diagnostics, stream) if form == "text" else _machine_format(diagnostics, form)
    if text:
        stream.write(text if text.endswith("\n") else text + "\n")


def _text(diagnostics: Sequence[Diagnostic], stream: TextIO) -> str:
    if not diagnostics:
        return ""
    from tilewright.diagnostics.render import render_text

    return render_text(diagnostics, stream.isatty() and "NO_COLOR" not in os.environ)


def _machine_format(diagnostics: Sequence[Diagnostic], form: str) -> str:
    from tilewright.diagnostics.machine_formats import render_github, render_json, render_sarif

    return {"json": render_json, "sarif": render_sarif, "github": render_github}[form](diagnostics)
