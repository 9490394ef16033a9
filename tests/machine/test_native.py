"""Text in, callable code out; what LLVM or the linker cannot take is an error of ours."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading

import pytest

from tilewright.machine import native
from tilewright.machine.elf import ObjectFormatError, undefined_symbols
from tilewright.machine.llvm_binding import binding, llvm_lock
from tilewright.machine.native import InvalidIR, LinkError, assembly_of, compile_text, load_object
from tilewright.machine.processor import FeatureSet, UnsupportedFeatures, machine, missing_features

SUM = """
@weights = private constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0], align 16
define float @weighted(ptr %p) {
  %v = load <4 x float>, ptr %p, align 4
  %w = load <4 x float>, ptr @weights, align 16
  %m = fmul <4 x float> %v, %w
  %s = call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %m)
  ret float %s
}
"""
SINE = "declare double @{0}(double)\ndefine double @f(double %x) {{ %r = call double @{0}(double %x)\n ret double %r }}"
COPY = """
define void @copy(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}
"""

STEPS = """
define ptx_kernel void @k(ptr addrspace(1) %p, i64 %n, i64 %s) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = mul i64 %i, %s
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %at
  store volatile i32 0, ptr addrspace(1) %q
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""
WITH_AND_WITHOUT = """
import sys
from llvmlite import binding
from tilewright.machine.native import assembly_of
from tilewright.machine.processor import Machine

for reduces in (False, True):
    print(assembly_of(sys.argv[1], Machine("nvptx64-nvidia-cuda", "sm_80", "+ptx70", reduces), optimisation=2))
# as another package uses LLVM
theirs = binding.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(cpu="sm_80", opt=2)
print(theirs.emit_assembly(binding.parse_assembly(sys.argv[1])))
"""


def available(features: FeatureSet) -> bool:
    try:
        machine(features)
    except UnsupportedFeatures:
        return False
    return True


@pytest.mark.parametrize("features", [f for f in FeatureSet if available(f)])
def test_code_runs_with_every_feature_set(features: FeatureSet) -> None:
    loaded = load_object(compile_text(SUM, machine(features)), ["weighted"])
    weighted = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_void_p)(loaded.address("weighted"))
    assert weighted(ctypes.addressof((ctypes.c_float * 4)(1, 10, 100, 1000))) == 4321


@pytest.mark.skipif(not available(FeatureSet.AVX512), reason="the machine has no AVX-512")
def test_forced_features_change_the_code() -> None:
    wide = "define void @f(ptr %p) {\n %v = load <16 x float>, ptr %p\n %w = fadd <16 x float> %v, %v\n"
    wide += " store <16 x float> %w, ptr %p\n ret void }"
    texts = {f: assembly_of(wide, machine(f)) for f in FeatureSet}
    assert "zmm" in texts[FeatureSet.AVX512]
    assert "zmm" not in texts[FeatureSet.AVX2]
    assert "ymm" in texts[FeatureSet.AVX2]
    assert "ymm" not in texts[FeatureSet.GENERIC]


def test_equal_names_in_two_objects_do_not_clash() -> None:
    def constant(value: int) -> bytes:
        return compile_text(f"define i32 @f() {{ ret i32 {value} }}")

    loaded = [load_object(constant(value), ["f"]) for value in range(5)]
    assert [ctypes.CFUNCTYPE(ctypes.c_int)(one.address("f"))() for one in loaded] == list(range(5))


def test_process_symbols_only_where_asked() -> None:
    code = compile_text(SINE.format("sin"))
    assert undefined_symbols(code) >= {"sin"}
    with pytest.raises(LinkError, match="sin"):
        load_object(code, ["f"])
    loaded = load_object(code, ["f"], process_symbols=True)
    assert ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(loaded.address("f"))(0.0) == 0.0


def test_symbols_can_be_given() -> None:
    prototype = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)

    def twice(x: float) -> float:
        return 2 * x

    double = prototype(twice)
    address = ctypes.cast(double, ctypes.c_void_p).value
    assert address is not None
    code = compile_text(SINE.format("twice"))
    loaded = load_object(code, ["f"], symbols={"twice": address})
    assert prototype(loaded.address("f"))(21.0) == 42.0


def test_memory_intrinsics_need_no_permission() -> None:
    loaded = load_object(compile_text(COPY), ["copy"])
    source, target = ctypes.create_string_buffer(b"some bytes"), ctypes.create_string_buffer(16)
    copy = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(loaded.address("copy"))
    copy(ctypes.addressof(target), ctypes.addressof(source), 10)
    assert target.value == b"some bytes"


def test_fused_multiply_adds_round_once_on_processors_without_them() -> None:
    text = "define double @f(double %x, double %y) { %r = call double @llvm.fma.f64(double %x, double %x, double %y)\n"
    code = compile_text(text + " ret double %r }", machine(FeatureSet.GENERIC))
    assert "fma" in undefined_symbols(code)
    loaded = load_object(code, ["f"])
    fma = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(loaded.address("f"))
    above_one = 1 + 2.0**-30
    assert fma(above_one, -(1 + 2.0**-29)) == 2.0**-60


def test_unresolved_symbols_are_named() -> None:
    code = compile_text(SINE.format("nowhere_to_be_found"))
    with pytest.raises(LinkError, match="nowhere_to_be_found"):
        load_object(code, ["f"])


def test_weak_references_are_bound_or_refused() -> None:
    text = "declare extern_weak i32 @perhaps()\ndefine i32 @f() { %r = call i32 @perhaps()\n ret i32 %r }"
    with pytest.raises(LinkError, match="perhaps"):
        load_object(compile_text(text), ["f"])


def test_an_export_that_is_not_there() -> None:
    with pytest.raises(LinkError, match="absent"):
        load_object(compile_text(SUM), ["absent"])


@pytest.mark.parametrize("text", ["define", "define i32 @f() { ret float 0.0 }", "define i32 @f() { ret i32 %x }"])
def test_bad_text_is_an_error(text: str) -> None:
    with pytest.raises(InvalidIR, match="LLVM refused"):
        compile_text(text)


def test_a_nul_byte_is_refused() -> None:
    with pytest.raises(InvalidIR, match="NUL byte at offset 4"):
        compile_text("; ok\0define")


@pytest.mark.parametrize("data", [b"", b"garbage", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(100)])
def test_bytes_that_are_no_object(data: bytes) -> None:
    with pytest.raises(LinkError):
        load_object(data, ["f"])


def test_a_truncated_object_is_refused() -> None:
    code = compile_text(SUM)
    with pytest.raises(ObjectFormatError):
        undefined_symbols(code[: len(code) // 2])


def test_chosen_passes_run() -> None:
    text = "define internal i32 @g() alwaysinline { ret i32 7 }\ndefine i32 @f() {\n %r = call i32 @g()\n ret i32 %r }"
    assert "call" in assembly_of(text)
    assert "call" not in assembly_of(text, passes=["always-inline", "globaldce"])
    assert "call" not in assembly_of(text, passes=["O3"])
    with pytest.raises(ValueError, match="unknown pass 'inline-all'"):
        compile_text(text, passes=["inline-all"])


def test_loops_are_not_reduced_for_machines_that_say_so_alone() -> None:
    """Nor for others in the same process that use LLVM after us."""
    command = [sys.executable, "-c", WITH_AND_WITHOUT, STEPS]
    done = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    ours, reduced, theirs = done.split(".visible .entry")[1:]
    assert "mul.lo.s64" in ours
    assert "mul.lo.s64" not in reduced
    assert "mul.lo.s64" not in theirs


def test_intrinsics_that_llvm_does_not_know_are_refused() -> None:
    text = "declare float @llvm.nvvm.nothing(float)\ndefine float @f(float %x) {\n"
    text += "  %r = call float @llvm.nvvm.nothing(float %x)\n  ret float %r\n}\n"
    with pytest.raises(InvalidIR, match="nothing"):
        assembly_of(text)
    assert "sqrt" in assembly_of(text.replace("nvvm.nothing", "sqrt.f32"))


def test_features_beyond_the_host_are_found() -> None:
    assert missing_features(machine().features) == ()
    assert missing_features("+sse2,+no-such-feature,-avx512f") == ("no-such-feature",)


def test_an_absent_library_is_told() -> None:
    assert not native.open_library("libtilewright_absent.so.9")


def test_llvm_is_entered_under_the_lock() -> None:
    """Held by this thread, it keeps others out: what llvmlite calls by that name is what its calls take."""
    lock = llvm_lock()
    assert lock is not None
    thread = threading.Thread(target=lambda: binding().parse_assembly(""), daemon=True)
    with lock:
        thread.start()
        thread.join(0.2)
        assert thread.is_alive()
    thread.join(10)
    assert not thread.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_forked_while_a_thread_is_inside_llvm_compiles() -> None:
    binding()
    lock = llvm_lock()
    assert lock is not None, "this llvmlite has its lock elsewhere: `llvm_lock` must find it, or forks hang"
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with lock:
            inside.set()
            leave.wait()

    thread = threading.Thread(target=stay)
    thread.start()
    inside.wait()
    threading.Timer(0.3, leave.set).start()
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        try:
            os._exit(0 if compile_text("define void @f() {\n  ret void\n}\n") else 1)
        finally:
            os._exit(2)
    leave.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
