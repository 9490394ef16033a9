"""Programs of too many operations are refused at the first one beyond the limit, before other passes see them."""

from __future__ import annotations

import pytest

import tilewright as tw
from tilewright.diagnostics import Report
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms import limit_operations
from tilewright.transforms.limit_operations import LimitOperations
from tilewright.transforms.lower_collectives import LowerCollectives
from transforms.support import kernel

MATRICES = "%a: f32, %A: memref<f32x64x64>, %B: memref<f32x64x64>, %C: memref<f32x64x64>"
GEMM = "tl.gemm %a, %A, %B, %a, %C"


def errors(step: Pass, lines: list[str]) -> list[tuple[str, str]]:
    """Codes and texts of the errors of a pass, with the line that each points at."""
    report = Report()
    step.run(kernel(MATRICES, "\n".join(lines)), PassContext(report))
    found: list[tuple[str, str]] = []
    for diagnostic in report.diagnostics:
        place = diagnostic.location.primary
        assert place is not None
        found.append((diagnostic.code, place.source.text[place.start : place.end]))
    return found


def test_operations_are_counted_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"%x{n} = arith.constant {{value = 1.0}} -> f32" for n in range(50)]
    total = sum(1 for _ in kernel(MATRICES, "\n".join(lines)).walk())
    monkeypatch.setattr(limit_operations, "MAX_OPERATIONS", total)
    assert not errors(LimitOperations(), lines)
    monkeypatch.setattr(limit_operations, "MAX_OPERATIONS", total - 10)
    [(code, _)] = errors(LimitOperations(), lines)
    assert code == "T002"


def test_what_collective_instructions_become_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    module = kernel(MATRICES, f"{GEMM}\n" * 20)
    LowerCollectives().run(module, PassContext())
    total = sum(1 for _ in module.walk())
    monkeypatch.setattr(limit_operations, "MAX_OPERATIONS", total)
    assert not errors(LimitOperations(), [GEMM] * 20)
    assert not errors(LowerCollectives(), [GEMM] * 20)
    monkeypatch.setattr(limit_operations, "MAX_OPERATIONS", total - 1)
    assert not errors(LimitOperations(), [GEMM] * 20)
    assert [code for code, _ in errors(LowerCollectives(), [GEMM] * 20)] == ["T002"]


@pytest.mark.parametrize(("line", "count"), [("gemm.n.n %a, %A, %B, %a, %C", 1000), ("axpby %a, %A, %a, %C", 4200)])
def test_the_instruction_that_is_too_much_is_shown_with_the_limit(
    line: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fifth of the limit, which is reached sooner."""
    monkeypatch.setattr(limit_operations, "MAX_OPERATIONS", limit_operations.MAX_OPERATIONS // 5)
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(f"func @k({MATRICES}) {{\n" + f"{line}\n" * count + "}", cache=False)
    [found] = caught.value.diagnostics
    assert found.code == "T002"
    assert f"{limit_operations.MAX_OPERATIONS:,} operations" in found.message
    place = found.location.primary
    assert place is not None
    assert place.source.text[place.start : place.end] == line
