"""What each pass did to a kernel, made again from its source when somebody wants to read it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from tilewright.compile_options import CompileOptions
from tilewright.compiler import manager_of, read_source
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.ir.passes import PassContext
from tilewright.ir.printer import print_op
from tilewright.program import PassChange

if TYPE_CHECKING:
    from tilewright.targets.target import Target

_MOST_LINES: Final = 2_000
"""Comparing takes quadratic time; longer texts are shown whole."""


def pass_changes(source: Source | Binary, target: Target, options: CompileOptions) -> tuple[PassChange, ...]:
    """The passes of a target that change a program, in order. Raises `CompileError` if it cannot be compiled."""
    report = Report()
    module = read_source(source, report, options.reading)
    last = print_op(module)
    found: list[PassChange] = []

    def note(name: str, text: str) -> None:
        nonlocal last
        found.append(PassChange(name, _difference(last, text)))
        last = text

    manager = manager_of(source, target, options)
    manager.print_after, manager.only_changes = note, True
    manager.run(module, PassContext(report))
    return tuple(found)


def _difference(before: str, after: str) -> str:
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > _MOST_LINES:
        return after
    return "\n".join(list(difflib.unified_diff(old, new, lineterm="", n=2))[2:])
