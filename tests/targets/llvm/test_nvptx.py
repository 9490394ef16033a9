"""Every operation as scalar code for NVIDIA GPUs: LLVM selects it, ptxas takes it, nothing is contracted."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from targets.llvm.elementwise import NUMBERS, casts, load, operations, store
from tilewright.machine.native import assembly_of
from tilewright.machine.processor import Machine
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Module, i64
from tilewright.targets.llvm.features import NVPTX

if TYPE_CHECKING:
    from pathlib import Path

TRIPLE = "nvptx64-nvidia-cuda"


def kernel(dtype: str) -> str:
    """One kernel that computes every operation of a type on the thread's element."""
    module = Module(TRIPLE)
    parameters = [("ptr", "out"), ("ptr", "x"), ("ptr", "y"), ("ptr", "z")]
    function = module.function("kernel", "void", parameters, convention="ptx_kernel")
    b = Builder(function)
    out, *inputs = function.arguments
    thread = b.zext(b.intrinsic("llvm.nvvm.read.ptx.sreg.tid.x", "i32", [], overload=()), "i64")
    arith = Arithmetic(b, NVPTX)
    jobs = operations(dtype) + (casts(dtype) if dtype in NUMBERS else [])
    for number, job in enumerate(jobs):
        types = zip(job.operand_types, inputs, strict=False)
        operands = [load(b, operand_type, base, thread, 1) for operand_type, base in types]
        store(b, job.result_type, job.emit(arith, operands), out, b.add(thread, i64(1024 * number)))
    b.ret()
    return str(module)


@pytest.mark.parametrize("dtype", ["bool", *NUMBERS])
def test_every_operation_assembles(dtype: str, tmp_path: Path) -> None:
    ptx = assembly_of(kernel(dtype), Machine(TRIPLE, "sm_80", "+ptx80"))
    assert ".extern" not in ptx
    assert not re.search(r"\b(mul|add|sub)\.f(32|64)\b", ptx), "without .rn ptxas may contract"
    if dtype in ("f16", "bf16"):
        assert f"fma.rn.{dtype}" in ptx, "in f32 it would round twice"
    ptxas = shutil.which("ptxas")
    if not ptxas:
        pytest.skip("ptxas is not on this machine")
    source = tmp_path / "kernel.ptx"
    source.write_text(ptx)
    command = [ptxas, "-arch=sm_80", "-O1", str(source), "-o", str(tmp_path / "kernel.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("op", ["max", "maximum_number"])
def test_numbers_above_negative_zero_are_not_saturated(op: str, dtype: str) -> None:
    """ptxas takes the larger of x and -0, and the smaller of that and 1, for a saturation: +0 for negative x."""

    def ptx(zero: float) -> str:
        module = Module(TRIPLE)
        function = module.function("kernel", "void", [("ptr", "out"), ("ptr", "x")], convention="ptx_kernel")
        b = Builder(function)
        out, base = function.arguments
        arith, x = Arithmetic(b, NVPTX), load(b, dtype, base, i64(0), 1)
        low = arith.constant(dtype, zero)
        for number, pair in enumerate(((x, low), (low, x))):
            store(b, dtype, arith.lower(op, dtype, *pair), out, i64(number))
        b.ret()
        return assembly_of(str(module), Machine(TRIPLE, "sm_90a", "+ptx80"))

    assert not re.search(r"\bmax\.", ptx(-0.0))
    assert re.search(r"\bmax\.", ptx(0.0))
