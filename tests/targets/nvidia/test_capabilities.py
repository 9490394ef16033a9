"""What the target refuses: with a diagnostic where the program asks too much, before LLVM could end the process."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tilewright.diagnostics import CompileError, Diagnostic, Report
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.nvidia.launch import bind_artifact
from tilewright.targets import UnknownTarget, find_target, target_names
from tilewright.targets.nvidia.capabilities import FATAL, PtxError, check_selectable
from tilewright.targets.nvidia.target import NvidiaTarget

from .case import Case, Launch, kernel
from .cases_language import sample


def no_launch(_: object) -> Launch:
    """These kernels are never launched."""
    return Launch([], {})


def refusal(text: str) -> str:
    """What the diagnostics of a refused kernel say."""
    return "; ".join(f"{d.code} {d.message}" for d in _diagnostics(text))


@pytest.mark.parametrize(
    ("subgroup", "work_group", "words"),
    [
        (64, (64, 1), "T004 subgroup size 64"),
        (32, (48, 1), "T004 48 work-items do not divide"),
        (32, (64, 17), "T004 a work-group of 64 x 17"),
        (32, (0, 1), "T004 a work-group of 0 x 1"),
    ],
)
def test_geometry_beyond_the_device(subgroup: int, work_group: tuple[int, int], words: str) -> None:
    assert words in refusal(kernel("%x: i32", "", subgroup, work_group))


def test_unscheduled_kernel() -> None:
    assert "T003" in refusal('builtin.module { builtin.kernel {sym_name = "k"} (%x: i32) { } }')


def test_too_many_parameters() -> None:
    parameters = ", ".join(f"%p{k}: f64" for k in range(513))
    assert "4112 bytes of parameters" in refusal(kernel(parameters, ""))


def test_local_parameter_of_dynamic_size() -> None:
    assert "V48" in refusal(kernel("%L: memref<f32x?,local>", ""))


def test_product_too_large_for_registers() -> None:
    body = """
    team.spmd {
      %a = arith.constant {value = 1.0} -> tile<128x128xf32>
      %c = tile.mma %a, %a, %a -> tile<128x128xf32>
    }"""
    assert "smaller cooperative matrices" in str([d.hints for d in _diagnostics(kernel("%x: i32", body))])


def _diagnostics(text: str) -> list[Diagnostic]:
    with pytest.raises(CompileError) as caught:
        NvidiaTarget().generate(Case("refused", text, no_launch).module(), Report())
    return list(caught.value.diagnostics)


@pytest.mark.parametrize(("threads", "spare"), [(1024, 0), (32, 0), (1056, 0), (32, -1)])
def test_up_to_the_limits_and_no_further(threads: int, spare: int) -> None:
    """A block of 1,024 threads and the 163 KiB of a multiprocessor of sm_80 may be used up; what is larger lies in
    memory of the device."""
    count = 163 * 1024 - spare
    body = f"""
    %L = memref.alloca -> memref<i8x{count},local>
    %z = arith.constant {{value = 0}} -> index
    %one = arith.constant {{value = 1}} -> i8
    memref.store %one, %L, %i
    %found = memref.load %L, %z -> i8
    memref.store %found, %x, %z"""
    case = Case("limit", kernel("%x: memref<i8x1>, %i: index", body, 32, (threads, 1)), no_launch)
    if threads <= 1024:
        (info,) = case.artifact(Architecture.SM_80).kernels
        assert info.launch is not None
        shared, scratch = info.local_bytes, info.launch.scratch_bytes
        assert (shared, scratch) == ((163 * 1024, 0) if spare == 0 else (0, 163 * 1024 + 256))
    else:
        with pytest.raises(CompileError, match="exceeds the target's 1024"):
            case.artifact(Architecture.SM_80)


def test_operation_of_another_level() -> None:
    report = Report()
    with pytest.raises(CompileError, match=r"tl\.gemm has no lowering"):
        NvidiaTarget().generate(sample().module(), report)


FATAL_TEXTS = [
    "%a = call float @llvm.sin.f32(float %x)",
    "%a = call double @llvm.exp2.f64(double %x)",
    "%a = call float @llvm.log.f32(float %x)",
    "%a = call float @llvm.pow.f32(float %x, float %y)",
    "%a = fadd fp128 %x, %y",
    "%a = fadd x86_fp80 %x, %y",
    "%a = fadd <2 x ppc_fp128> %x, %y",
    "%a = frem float %x, %y",
    "%a = mul i256 %x, %y",
    "%a = fadd <4 x i65> %x, %y",
]


@pytest.mark.parametrize("text", FATAL_TEXTS)
def test_fatal_constructs_are_exceptions(text: str) -> None:
    with pytest.raises(PtxError, match="on NVPTX"):
        check_selectable(f"define void @f() {{\n  {text}\n  ret void\n}}")


def test_every_fatal_row_is_provoked() -> None:
    assert all(any(fatal.pattern.search(text) for text in FATAL_TEXTS) for fatal in FATAL)


def test_harmless_text_passes() -> None:
    check_selectable('target datalayout = "i128:128-i256:256"\n%i.999 = add i64 %i100, 65\n@i77 = global i32 0')
    check_selectable("%a = call i64 @fp1280(i64 %my_fp128, i64 %fp80)")
    check_selectable("%a = call float @llvm.exp2.f32(float %x)\n%b = call double @llvm.sqrt.f64(double %y)")


def test_target_by_name() -> None:
    target = find_target("nvidia:sm_90a")
    assert isinstance(target, NvidiaTarget)
    assert target.architecture is Architecture.SM_90A
    assert "sm_90a" in target.fingerprint()
    assert target_names("nvidia") == ["nvidia", *(f"nvidia:{architecture.value}" for architecture in Architecture)]
    with pytest.raises(UnknownTarget, match="sm_75"):
        find_target("nvidia:sm_75")


def test_artefact_of_another_target_is_refused() -> None:
    artifact = sample().artifact(Architecture.SM_80)
    assert artifact.target == "nvidia"
    assert artifact.payload.decode() == artifact.texts["ptx"]
    with pytest.raises(ValueError, match="not for NVIDIA"):
        bind_artifact(replace(artifact, target="cpu"))
