"""The loops in which products on vectors spend their time, as machine code."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from targets.cpu.units.test_unit_choice import gemm
from targets.cpu.units.tile_emulation import described_machine
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_source
from tilewright.diagnostics import Report, Source
from tilewright.machine.native import assembly_of
from tilewright.targets.cpu.target import CpuTarget

TERMS = 4
"""Of a step."""
COLUMNS = 14
"""Of a register block."""


def loops(code: str) -> list[list[str]]:
    """The instructions from each label to a jump back to it with no label between."""
    found: list[list[str]] = []
    label, lines = "", list[str]()
    for line in code.splitlines():
        if begun := re.match(r"(\.LBB\w+):", line):
            label, lines = begun[1], []
        elif re.match(r"\s+[a-z]", line):
            lines.append(line.strip())
            if re.match(r"\s+j\w+\s", line) and line.split()[-1] == label:
                found.append(lines)
    return found


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_steps_of_several_terms_spill_nothing(dtype: str) -> None:
    """Beside the multiply-adds, in which every other scalar stands, there are loads of two vectors and the other
    scalars a term, and some lines that walk on and prefetch."""
    machine = replace(described_machine(), l1_bytes=48 * 1024, l2_bytes=2 << 20)
    target, text = CpuTarget(machine), gemm((dtype, dtype, dtype), 640, 640, 640)
    artifact = compile_source(Source("k", text), target, CompileOptions(), Report())
    code = assembly_of(artifact.texts["llvm"], replace(machine.processor, cpu="sapphirerapids"))
    many = [lines for lines in loops(code) if sum("vfmadd" in line for line in lines) == TERMS * 2 * COLUMNS]
    assert len(many) == 2
    for lines in many:
        assert not [line for line in lines if "rsp" in line]
        assert sum("{1to" in line for line in lines) == TERMS * COLUMNS
        assert sum("vbroadcast" in line for line in lines) == TERMS * COLUMNS // 2
        assert len(lines) <= TERMS * (2 * COLUMNS + COLUMNS // 2 + 2 + 4)
