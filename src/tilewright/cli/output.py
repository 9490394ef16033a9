"""Printing diagnostics in the format that was asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, TextIO

from tilewright.diagnostics import Diagnostic

FORMATS: Final = ("text", "json", "sarif", "github")


def show(diagnostics: Sequence[Diagnostic], form: str, stream: TextIO) -> None:
    """Write diagnostics; text is coloured on a terminal unless NO_COLOR is set."""
    from tilewright.diagnostics import render

    if form == "text":
        color = stream.isatty() and "NO_COLOR" not in os.environ
        text = render.render_text(diagnostics, color)
    else:
        text = {"json": render.render_json, "sarif": render.render_sarif, "github": render.render_github}[form](
            diagnostics
        )
    if text:
        stream.write(text if text.endswith("\n") else text + "\n")
