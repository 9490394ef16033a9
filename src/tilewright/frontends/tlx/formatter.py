"""Lays a text out: instructions indented by two, labels at the margin, one space between words, one instruction a line.

Names, order and comments stay. A call that is longer than a line goes on behind its commas.
"""

from __future__ import annotations

import re
from typing import Final

from tilewright.diagnostics import Report, Source
from tilewright.frontends.tlx.codes import CODES
from tilewright.frontends.tlx.llvm.limits import DEFAULT_LIMITS
from tilewright.frontends.tlx.llvm.reader import read_module

_WORDS: Final = re.compile(r'("[^"]*")|(;[^\n]*)|\s+')
_WIDTH: Final = 120
_HANGING: Final = 6


def format_source(source: Source, report: Report) -> str:
    """The formatted text; the same text if it could not be read."""
    module = read_module(source, report, CODES, DEFAULT_LIMITS)
    if report.has_errors:
        return source.text
    marks: list[tuple[int, int, int]] = []
    for function in module.functions:
        for block in function.blocks:
            if source.text[block.end : block.end + 1] == ":":
                marks.append((block.start, block.end + 1, 0))
            marks += [(i.start, i.end, 2) for i in block.instructions]
    return _laid_out(source.text, sorted(marks))


def _laid_out(text: str, marks: list[tuple[int, int, int]]) -> str:
    lines: list[str] = []
    position = 0
    for start, end, indent in marks:
        _between(lines, text[position:start], indent)
        lines += _wrapped(text[start:end], indent)
        position = end
    _between(lines, text[position:], 0)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines) + "\n"


def _between(lines: list[str], text: str, indent: int) -> None:
    """What stands between instructions: comments, blank lines, heads of functions and all that surrounds them."""
    first, *rest = text.split("\n")
    if first.strip():
        if lines:
            lines[-1] += ("  " if first.strip().startswith(";") else "") + first.rstrip()
        else:
            lines.append(first.rstrip())
    for number, line in enumerate(rest):
        plain = line.strip()
        if plain.startswith((";", "#dbg")) and number < len(rest):
            lines.append(" " * (indent if number < len(rest) else 0) + plain)
        elif plain:
            lines.append(line.rstrip())
        elif number < len(rest) - 1 and lines and lines[-1]:
            lines.append("")


def _wrapped(text: str, indent: int) -> list[str]:
    """An instruction with one space between words; comments inside keep their lines."""
    if ";" in _WORDS.sub(lambda m: m[2] or "", text):
        return [
            " " * (indent if not k else indent + _HANGING) + line.strip() for k, line in enumerate(text.split("\n"))
        ]
    plain = _WORDS.sub(lambda m: m[1] or " ", text)
    return [" " * indent + plain] if len(plain) + indent <= _WIDTH else _folded(plain, indent)


def _folded(text: str, indent: int) -> list[str]:
    """Lines that end behind commas at the depth of the call's operands."""
    parts: list[str] = []
    depth = start = 0
    for position, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif character == "," and depth <= 1:
            parts.append(text[start : position + 1])
            start = position + 2
    parts.append(text[start:])
    lines = [" " * indent + parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) <= _WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(" " * (indent + _HANGING) + part)
    return lines
