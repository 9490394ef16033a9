"""LLVM text to PTX, ptxas on it, and the errors of both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tilewright as tw
from tilewright.machine.cuda.architecture import Architecture
from tilewright.machine.processor import Machine
from tilewright.targets.llvm.emitter import Builder, Module, Parameter, constant
from tilewright.targets.nvidia import ptx
from tilewright.targets.nvidia.capabilities import PtxError
from tilewright.targets.nvidia.ptx import (
    DATA_LAYOUT,
    TRIPLE,
    AssemblerError,
    assemble,
    compile_to_ptx,
    find_assembler,
    parse_resources,
)

needs_ptxas = pytest.mark.skipif(find_assembler() is None, reason="ptxas is not on this machine")
architectures = pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)


def add_constant_kernel() -> str:
    """x[i] += 1.5 for i < n, pointer and count in a parameter block."""
    module = Module(TRIPLE, DATA_LAYOUT)
    block = Parameter("ptr", "slots", 'byval([16 x i8]) align 16 "nvvm.grid_constant"')
    function = module.function("add", "void", [block], convention="ptx_kernel")
    b = Builder(function)
    (slots,) = function.arguments
    base = b.cast("addrspacecast", b.load("ptr", slots, 8), "ptr addrspace(1)")
    count = b.load("i64", b.offset(slots, 8), 8)
    thread = b.zext(b.intrinsic("llvm.nvvm.read.ptx.sreg.tid.x", "i32", [], overload=[]), "i64")
    with b.loop(thread, count, 64) as loop:
        address = b.gep("float", base, loop.index)
        b.store(b.fadd(b.load("float", address), constant("float", 1.5)), address)
    b.ret()
    return str(module)


@architectures
@pytest.mark.usefixtures("users_ptx")
def test_ptx_names_version_and_architecture(architecture: Architecture) -> None:
    text = compile_to_ptx(add_constant_kernel(), architecture)
    assert f".target {architecture.value}" in text
    assert (".version 8.0" if architecture is Architecture.SM_90A else ".version 7.0") in text
    assert "ld.local" not in text, "the parameter block must not be copied to local memory"


@needs_ptxas
@architectures
@pytest.mark.usefixtures("users_ptx")
def test_ptxas_accepts_and_reports_resources(architecture: Architecture) -> None:
    assembled = assemble(compile_to_ptx(add_constant_kernel(), architecture), architecture)
    resources = assembled.kernels["add"]
    assert 0 < resources.registers < 64
    assert resources.spill_store_bytes == resources.spill_load_bytes == resources.stack_bytes == 0
    assert assembled.cubin.startswith(b"\x7fELF")


_GEMM = """func @k(%A: memref<{0}x256x256>, %C: memref<{0}x256x256>) {{
    %a = constant 1.0 : {0}
    gemm.n.n %a, %A, %A, %a, %C
}}"""


@pytest.mark.parametrize(
    ("text", "reduces"),
    [
        (_GEMM.format("f16"), False),
        (_GEMM.format("f64"), True),
        (_GEMM.format("f64").replace("256", "4096"), False),
        ("func @k(%x: memref<f32x?>) { %a = constant 1.0 : f32\naxpby %a, %x, %a, %x }", True),
        ((Path(__file__).parents[3] / "examples" / "fused_kernel.tl").read_text(), False),
    ],
    ids=["products of warp groups", "products by threads", "all registers taken", "no products", "packed"],
)
def test_loops_are_reduced_where_that_is_worth_its_registers(
    text: str, reduces: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def assembly_of(_: str, machine: Machine, *, optimisation: int) -> str:
        asked.append(machine.reduces_loops and optimisation > 0)
        return ""

    monkeypatch.setattr(ptx, "assembly_of", assembly_of)
    tw.compile(text, target="nvidia:sm_90a", cache=False)
    assert asked == [reduces]


@needs_ptxas
def test_ptxas_refusal_carries_its_log() -> None:
    with pytest.raises(AssemblerError) as caught:
        assemble("this is no PTX", Architecture.SM_80)
    assert "version" in caught.value.log


def test_malformed_text_is_an_error_and_not_the_end_of_the_process() -> None:
    with pytest.raises(PtxError, match="refused"):
        compile_to_ptx("define void @f() { ret i32 %x }", Architecture.SM_80)
    with pytest.raises(PtxError, match="NUL"):
        compile_to_ptx("define void @f() { ret void }\0", Architecture.SM_80)


def test_architecture_of_a_device() -> None:
    assert Architecture.of_capability((9, 0)) is Architecture.SM_90A
    assert Architecture.of_capability((8, 6)) is Architecture.SM_80
    assert Architecture.of_capability((12, 0)) is Architecture.SM_80
    with pytest.raises(ValueError, match=r"7\.5"):
        Architecture.of_capability((7, 5))


def test_resources_of_several_kernels() -> None:
    log = """ptxas info    : Compiling entry function 'one' for 'sm_80'
ptxas info    : Function properties for one
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 512 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function 'two' for 'sm_80'
ptxas info    : Function properties for two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 360 bytes cmem[0]
"""
    found = parse_resources(log)
    assert found["one"].spill_store_bytes == 8
    assert (found["one"].shared_bytes, found["one"].barriers) == (512, 1)
    assert (found["two"].registers, found["two"].stack_bytes, found["two"].barriers) == (8, 0, 0)


def whole(element: str, extents: str = "x1024x1024") -> str:
    """A product that the compiler spreads over blocks, with a version of its loops for what lies anywhere."""
    matrix = f"memref<{element}{extents}>"
    return f"""func @product(%A: {matrix}, %B: {matrix}, %C: {matrix}) {{
    %one = constant 1.0 : {element}
    %zero = constant 0.0 : {element}
    gemm.n.n %one, %A, %B, %zero, %C
}}
"""


@needs_ptxas
@pytest.mark.usefixtures("users_ptx")
def test_loops_in_which_threads_copy_are_left_to_ptxas() -> None:
    """LLVM puts so many addresses of versions that do not run into registers that others spill."""
    program = tw.compile(whole("f64"), target="nvidia:sm_90a")
    assert "optnone" in program.text("llvm")
    resources = assemble(program.text("ptx"), Architecture.SM_90A).kernels["tw_product"]
    assert resources.spill_store_bytes == 0


def test_loops_with_open_strides_are_not_left_to_ptxas() -> None:
    assert "optnone" not in tw.compile(whole("f64", "x?x?"), target="nvidia:sm_90a").text("llvm")


def test_loops_in_which_the_device_copies_are_not_and_parameters_are_read_in_their_own_address_space() -> None:
    llvm = tw.compile(whole("f16"), target="nvidia:sm_90a").text("llvm")
    assert "optnone" not in llvm
    assert re.search(r"load \w+, ptr addrspace\(101\) %", llvm)
    assert not re.search(r"load \w+, ptr %", llvm)
