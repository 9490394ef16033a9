"""Running passes on IR text and matching what comes out."""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar

from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import Pass, PassContext, PassManager
from tilewright.ir.printer import print_op

ATTRIBUTES = "subgroup_size = 16, work_group_size = [16, 1]"


def kernel(parameters: str, body: str, attributes: str = ATTRIBUTES) -> Module:
    """A module with one kernel `f`."""
    head = 'sym_name = "f"' + (f", {attributes}" if attributes else "")
    return parse(f"builtin.module {{ builtin.kernel {{{head}}} ({parameters}) {{\n{body}\n}} }}")


def parse(text: str) -> Module:
    """A module from IR text; fails on any diagnostic."""
    report = Report()
    module = parse_ir(Source("test.twir", text), report, operation_classes())
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    assert not report.has_errors, [str(d) for d in report.diagnostics]
    return module


class Watched(Pass, frozen=True):
    """A pass that may not say "unchanged" of a module that it changed."""

    step: Pass
    name: ClassVar[str] = "watched"

    def run(self, module: Module, context: PassContext) -> bool | None:
        before = print_op(module)
        changed = self.step.run(module, context)
        assert changed is not False or print_op(module) == before, f"{self.step} did not tell that it changed the IR"
        return changed


def run(module: Module, *passes: Pass) -> str:
    """The module's text after the passes, verified after each."""
    PassManager([Watched(p) for p in passes], verify_each=True).run(module, PassContext())
    return print_op(module)


def filecheck(text: str, expected: str) -> None:
    """Every line of `expected` occurs in `text`, in order; `{{..}}` is a regular expression, `!x` says that x is absent
    between its neighbours."""
    position = 0
    absent: list[str] = []
    for line in [*(s.strip() for s in expected.strip().splitlines() if s.strip()), None]:
        if line is not None and line.startswith("!"):
            absent.append(line[1:].strip())
            continue
        found = None if line is None else re.compile(_regex(line)).search(text, position)
        assert line is None or found is not None, f"not found: {line}\nfrom here:\n{text[position:]}\nin\n{text}"
        end = len(text) if found is None else found.start()
        for word in absent:
            assert word not in text[position:end], f"unexpected: {word}\nin\n{text}"
        absent = []
        position = end if found is None else found.end()


def _regex(line: str) -> str:
    parts = re.split(r"\{\{(.*?)\}\}", line)
    return "".join(p if k % 2 else re.escape(p).replace(r"\ ", r"\s+") for k, p in enumerate(parts))


def names(module: Module) -> Counter[str]:
    """How often each operation occurs."""
    return Counter(op.name for op in module.walk())
