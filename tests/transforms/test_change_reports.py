"""Passes tell whether they changed anything: the module is verified only after those that may have."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects.arith import Add
from tilewright.dialects.builtin import Module
from tilewright.ir.passes import InternalError, Pass, PassContext, PassManager
from tilewright.targets import find_target
from transforms.support import Watched, kernel

EXAMPLES = sorted(p for p in (Path(__file__).parents[2] / "examples").iterdir() if p.suffix in (".tl", ".tileir"))


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_80"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_no_pass_hides_a_change(path: Path, target: str) -> None:
    report = Report()
    module = read_module(Source(str(path), path.read_text()), report)
    passes = [Watched(p) for p in find_target(target).passes(2)]
    PassManager(passes, verify_each=True).run(module, PassContext(report))


class _Break(Pass, frozen=True):
    """Uses a value of a wrong type."""

    answer: bool | None
    name: ClassVar[str] = "break"

    def run(self, module: Module, context: PassContext) -> bool | None:
        for op in module.walk():
            if isinstance(op, Add):
                op.set_operand(1, module.kernels[0].body.entry.arguments[1])
        return self.answer


class _Rest(Pass, frozen=True):
    name: ClassVar[str] = "rest"

    def run(self, module: Module, context: PassContext) -> bool:
        return False


@pytest.mark.parametrize(("answer", "blamed"), [(True, "break"), (None, "break"), (False, "rest")])
def test_a_broken_module_is_found(answer: bool | None, blamed: str) -> None:
    module = kernel("%a: f32, %b: index, %A: memref<f32x4>", "%c = arith.add %a, %a -> f32 memref.store %c, %A, %b")
    manager = PassManager([_Rest(), _Break(answer), _Rest(), _Rest()], verify_each=True)
    with pytest.raises(InternalError, match=f"pass {blamed} broke the IR"):
        manager.run(module, PassContext())
