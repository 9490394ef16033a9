"""Formats a text: reads it and prints it, with its comments in front of what they stand at."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from tilewright.diagnostics import Report, Source
from tilewright.frontends.tile_ir.parser import parse
from tilewright.frontends.tile_ir.printer import print_module
from tilewright.ir.core import Operation

_SCAN: Final = re.compile(r'"(?>(?:[^"\\\n]|\\.)*)"?+|//[^\n]*+')


def format_source(source: Source, report: Report) -> str:
    """The formatted text; the same text if it could not be read."""
    module = parse(source, report)
    if module is None or report.has_errors:
        return source.text
    comments = [m for m in _SCAN.finditer(source.text) if m[0].startswith("//")]
    if not comments:
        return print_module(module)
    places = [(place.start, op) for op in module.walk() if (place := op.location.primary) is not None]
    places.sort(key=lambda found: found[0])
    starts = [start for start, _ in places]
    owners: dict[Operation, list[str]] = {}
    last: list[str] = []
    for comment in comments:
        line = source.text.rfind("\n", 0, comment.start()) + 1
        # Behind a closing brace it belongs to nothing within the braces.
        alone = source.text[line : comment.start()].strip() in ("", "}")
        index = bisect_left(starts, comment.start()) - (not alone)
        text = comment[0].rstrip()
        if index < len(places):
            owners.setdefault(places[max(index, 0)][1], []).append(text)
        else:
            last.append(text)
    return print_module(module, comments=owners) + "".join(text + "\n" for text in last)
