"""Formats a text: reads it and prints it in custom forms, as the stock tool does."""

from __future__ import annotations

import re
from typing import Final

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.dialects.mlir.base import UNSUPPORTED
from tilewright.frontends.mlir.reading import read_mlir_file
from tilewright.frontends.mlir.region_printer import print_custom

_SCAN: Final = re.compile(r'"(?>(?:[^"\\\n]|\\.)*)"?+|//[^\n]*+')
_PRINTED: Final = re.compile(r"// (?:no predecessors|pred: \^bb\d+|\d+ preds: [\^\w, ]+)")


def format_source(source: Source, report: Report) -> str:
    """The formatted text; the same text if it could not be read, or would lose what is no part of the program."""
    file = read_mlir_file(source, report)
    if file is None or report.has_errors:
        return source.text
    comment = next((m for m in _SCAN.finditer(source.text) if m[0][0] == "/" and not _PRINTED.fullmatch(m[0])), None)
    if comment is not None:
        place = SourceRange(source, *comment.span())
        report.error(UNSUPPORTED, place, "this comment would be lost: texts with comments are not formatted")
        return source.text
    return print_custom(file)
