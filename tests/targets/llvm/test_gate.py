"""What LLVM must not be given is told before it is."""

from __future__ import annotations

import pytest

from tilewright.targets.llvm.gate import gate_faults

FINE = "define void @f(ptr %p) {\n  %v = load <16 x float>, ptr %p\n  store <16 x float> %v, ptr %p\n  ret void\n}\n"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("declare token @llvm.tensor.x()", "a token is left"),
        ("declare void @llvm.tensor.store.p0(ptr)", "an intrinsic of TLX is left"),
        ('declare void @f(target("tlx.tensor", float, 1))', "a target type is left"),
        (FINE.replace("16", "1025"), "<1025 x float> is longer than 1,024 elements"),
        ("declare void @f(<8 x i7>)", "<8 x i7> has elements that are no whole bytes"),
        ("declare float @llvm.nvvm.nothing(float)", "LLVM does not know an intrinsic"),
        ("define void @f() {", "LLVM refuses the text"),
    ],
)
def test_what_is_held_back(text: str, fault: str) -> None:
    assert any(found.startswith(fault) for found in gate_faults(text)), gate_faults(text)


def test_what_passes() -> None:
    assert gate_faults(FINE) == []
    assert gate_faults(FINE.replace("16", "1024")) == []
    assert gate_faults("; a token of @llvm.tensor.load\n" + FINE) == []
    assert gate_faults("declare void @f(<8 x i1>)") == []
