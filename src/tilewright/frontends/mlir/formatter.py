"""Formats a text in the generic form: reads it and prints it as the stock tool does."""

from __future__ import annotations

import re
from typing import Final

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.dialects.mlir.base import UNSUPPORTED
from tilewright.frontends.mlir.reading import read_mlir_file
from tilewright.ir.mlir.printer import print_generic

_GENERIC: Final = re.compile(r'^[ \t]*+(?>%[^="\n]*+=[ \t]*+|)"(?:builtin\.module|func\.func)"\(', re.MULTILINE)
_SCAN: Final = re.compile(r'"(?>(?:[^"\\\n]|\\.)*)"?+|//[^\n]*+')
_PRINTED: Final = re.compile(r"// (?:no predecessors|pred: \^bb\d+|\d+ preds: [\^\w, ]+)")


def format_source(source: Source, report: Report) -> str:
    """The formatted text; the same text if it could not be read, or would lose what is no part of the program."""
    file = read_mlir_file(source, report)
    if file is None or report.has_errors:
        return source.text
    if _GENERIC.search(source.text) is None:
        start = SourceRange(source, 0, 0)
        finding = report.error(UNSUPPORTED, start, "only texts in the generic form are formatted")
        finding.hint("`mlir-opt` formats custom forms; `tilewright translate` prints the generic one")
        return source.text
    comment = next((m for m in _SCAN.finditer(source.text) if m[0][0] == "/" and not _PRINTED.fullmatch(m[0])), None)
    if comment is not None:
        place = SourceRange(source, *comment.span())
        report.error(UNSUPPORTED, place, "this comment would be lost: texts with comments are not formatted")
        return source.text
    return print_generic(file)
