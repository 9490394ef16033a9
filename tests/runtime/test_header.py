"""Kernels from C: what the header declares is what the launcher passes."""

from __future__ import annotations

import ctypes
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tilewright.artifacts.artifact import (
    Artifact,
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    ScalarParameter,
    slot_layout,
)
from tilewright.artifacts.parameters import REPORTS, TILES
from tilewright.machine.native import compile_text
from tilewright.machine.processor import FeatureSet, UnsupportedFeatures, machine
from tilewright.runtime.header import LinkerError, NotForC, emit_header, emit_shared_object

# out[group] = a * group + n, with a in slot 0, the pointer in slot 1, its extent n in slot 2
TEXT = """
define void @"affine.kernel"(ptr %slots, ptr %grid, i64 %begin, i64 %end, ptr %scratch, ptr %team) {
entry:
  %a.narrow = load i16, ptr %slots
  %a = sext i16 %a.narrow to i64
  %out.p = getelementptr i8, ptr %slots, i64 8
  %out = load ptr, ptr %out.p
  %n.p = getelementptr i8, ptr %slots, i64 16
  %n = load i64, ptr %n.p
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %i.next, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %leave
body:
  %x = mul i64 %i, %a
  %y = add i64 %x, %n
  %p = getelementptr i64, ptr %out, i64 %i
  store i64 %y, ptr %p
  %i.next = add i64 %i, 1
  br label %loop
leave:
  ret void
}
"""
PARAMETERS = (ScalarParameter("a", "i16"), MemrefParameter("out", "i64", (None,), (1,)))
PROGRAM = r"""
#include <stdio.h>
#include "kernels.h"
int main(void) {
  int64_t out[6] = {0};
  affine_2e_kernel_slots slots = {.a = -3, .out = out, .out_extent0 = 6};
  affine_2e_kernel_run(&slots, 2, 3, 1, NULL);
  for (int i = 0; i < 6; ++i) printf("%d ", (int)out[i]);
  return affine_2e_kernel_LOCAL_BYTES;
}
"""


def artifact() -> Artifact:
    info = KernelInfo("affine.kernel", "affine.kernel", PARAMETERS)
    return Artifact("cpu", (info,), compile_text(TEXT))


needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this machine")


@needs_compiler
@pytest.mark.skipif(platform.machine() != "x86_64" or platform.system() != "Linux", reason="tiles of x86-64 on Linux")
@pytest.mark.parametrize("standard", ["c99", "c11", "gnu17"])
def test_c_programs_ask_for_tiles(tmp_path: Path, standard: str) -> None:
    """The system's answer is 0, or a negative error number where it refuses or has no tiles."""
    info = KernelInfo("k", "k", (), facts={TILES: ""})
    (tmp_path / "kernels.h").write_text(emit_header(Artifact("cpu", (info,), b"")))
    program = '#include "kernels.h"\nint main(void) { return tilewright_permit_tiles() <= 0 ? 0 : 1; }\n'
    (tmp_path / "main.c").write_text(program)
    command = ["cc", f"-std={standard}", "-Wall", "-Werror", "-pedantic", "main.c", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    assert subprocess.run([tmp_path / "main"], check=False, timeout=60).returncode == 0


def test_kernels_keep_off_the_name_of_the_question() -> None:
    info = KernelInfo("tilewright_permit_tiles", "k", (), facts={TILES: ""})
    assert "void tilewright_permit_tiles_(" in emit_header(Artifact("cpu", (info,), b""))


@needs_compiler
@pytest.mark.parametrize("language", ["c", "c++"])
def test_names_that_c_has_for_something_else(tmp_path: Path, language: str) -> None:
    def scalars(*names: str) -> tuple[ScalarParameter, ...]:
        return tuple(ScalarParameter(name, "i32") for name in names)

    kernels = {
        "a": scalars("a", "a_padding", "NULL", "int64_t", "typename"),
        "a_run": (MemrefParameter("x", "f32", (None,), (1,)), *scalars("x_extent0")),
        "main": scalars("slots"),
        "export": (),
    }
    infos = tuple(KernelInfo(name, name, parameters) for name, parameters in kernels.items())
    (tmp_path / "kernels.h").write_text(emit_header(Artifact("cpu", infos, b"")))
    (tmp_path / "main.c").write_text('#include "kernels.h"\nint main(void) { return 0; }\n')
    command = [
        "cc",
        "-x",
        language,
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-fsyntax-only",
        str(tmp_path / "main.c"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


HEADERS = """
assert ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdbool stddef stdint
stdio stdlib string time uchar unistd wchar wctype
"""
OWN_NAMES = "slots grid begin end scratch team x y z a a_run a_slots a_LOCAL_BYTES k k_slots_have_the_right_size std"
NEWEST_GLIBC = (2, 39)
"""Later ones may declare what the list of names does not hold yet."""
LATER_KEYWORDS = "typeof_unqual constexpr nullptr co_await asm _Bool _Exit"


@needs_compiler
@pytest.mark.parametrize(("language", "standard"), [("c", "gnu17"), ("c++", "gnu++20")])
def test_kernels_and_parameters_are_called_like_anything_in_the_standard_library(
    tmp_path: Path, language: str, standard: str
) -> None:
    includes = "".join(f"#include <{name}.h>\n" for name in HEADERS.split())
    compiler = ["cc", "-x", language, f"-std={standard}"]
    found = ""
    for option in ("-dM", "-P"):
        found += subprocess.run(
            [*compiler, "-E", option, "-"], input=includes, capture_output=True, text=True, check=True, timeout=60
        ).stdout
    if tuple(map(int, platform.libc_ver()[1].split("."))) > NEWEST_GLIBC:
        pytest.skip("this machine's C library is newer than the one that scripts/derive_c_names.py last saw")
    names = sorted(set(re.findall(r"\b[A-Za-z]\w*\b", f"{found} {OWN_NAMES} {LATER_KEYWORDS}")))
    assert len(names) > 1000
    infos = [KernelInfo(name, "k", ()) for name in names]
    # A compiler's time grows with the square of a struct's members.
    for begin in range(0, len(names), 100):
        parameters = tuple(ScalarParameter(name, "i32") for name in names[begin : begin + 100])
        infos.append(KernelInfo(f"with_parameters_{begin}", "k", parameters))
    (tmp_path / "kernels.h").write_text(emit_header(Artifact("cpu", tuple(infos), b"")))
    for text in (includes + '#include "kernels.h"\n', '#include "kernels.h"\n' + includes):
        done = subprocess.run(
            [*compiler, "-Wall", "-Werror", "-fsyntax-only", "-I", str(tmp_path), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr[:2000]


def test_a_name_that_c_leaves_alone_stays() -> None:
    names = ["fused_kernel", "gemm", "stride", "total", "A", "island"]
    header = emit_header(Artifact("cpu", tuple(KernelInfo(name, name, ()) for name in names), b""))
    assert re.findall(r"^void (\w+)\(", header, re.MULTILINE) == names


@needs_compiler
@pytest.mark.parametrize(("level", "is_needed"), [(FeatureSet.GENERIC, True), (FeatureSet.AVX2, False)])
def test_libraries_name_libm_where_code_calls_it(tmp_path: Path, level: FeatureSet, is_needed: bool) -> None:
    call = "%r = call double @llvm.fma.f64(double %x, double %x, double %x)"
    text = f"define double @f(double %x) {{ {call}\n ret double %r }}"
    try:
        code = compile_text(text, machine(level))
    except UnsupportedFeatures as error:
        pytest.skip(str(error))
    emit_shared_object(Artifact("cpu", (), code), tmp_path / "k.so")
    assert (b"libm.so" in (tmp_path / "k.so").read_bytes()) == is_needed


@needs_compiler
@pytest.mark.parametrize("language", ["c", "c++"])
def test_a_c_program_runs_the_kernel(tmp_path: Path, language: str) -> None:
    (tmp_path / "kernels.h").write_text(emit_header(artifact()))
    emit_shared_object(artifact(), tmp_path / "libkernels.so")
    (tmp_path / "main.c").write_text(PROGRAM)
    standard = "-std=c99" if language == "c" else "-std=c++20"
    command = [
        "cc",
        "-x",
        language,
        standard,
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-missing-field-initializers",
        "main.c",
        "-o",
        "main",
    ]
    if language == "c++" and shutil.which("c++") is None:
        pytest.skip("no C++ compiler on this machine")
    command += ["-L.", "-lkernels", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    run = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.split() == ["6", "3", "0", "-3", "-6", "-9"]


@needs_compiler
def test_every_slot_lies_where_the_layout_says(tmp_path: Path) -> None:
    matrix = MemrefParameter("A", "f32", (None, 5, None), (1, None, None))
    dtypes = ("bool", "i8", "bf16", "f16", "f32", "f64", "tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "c32", "c64")
    scalars = [ScalarParameter(f"s_{dtype}", dtype) for dtype in dtypes]
    parameters = (*scalars, matrix, GroupParameter("int", matrix, None, None), ScalarParameter("last", "i32"))
    (tmp_path / "kernels.h").write_text(emit_header(Artifact("cpu", (KernelInfo("k", "k", parameters),), b"")))
    slots = slot_layout(parameters)
    names = [*(s.name for s in scalars), "A", "A_extent0", "A_extent2", "A_stride1", "A_stride2"]
    names += ["_int", "_int_extent0s", "_int_extent2s", "_int_stride1s", "_int_stride2s"]
    names += ["_int_size", "_int_offset", "last"]
    checks = "\n".join(
        f'_Static_assert(offsetof(k_slots, {name}) == {slot.offset}, "{name}");'
        for name, slot in zip(names, slots, strict=True)
    )
    (tmp_path / "check.c").write_text(f'#include "kernels.h"\n{checks}\n')
    subprocess.run(["cc", "-std=c11", "-Werror", "-c", "check.c"], cwd=tmp_path, check=True, timeout=60)


def test_no_linker_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LinkerError, match="needs a linker"):
        emit_shared_object(artifact(), tmp_path / "k.so")


@needs_compiler
def test_a_linker_that_refuses_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(LinkerError, match="failed with status"):
        emit_shared_object(Artifact("cpu", (), b"no object"), tmp_path / "k.so")
    assert not (tmp_path / "k.so").exists()
    emit_shared_object(artifact(), tmp_path / "k.so")
    assert ctypes.CDLL(str(tmp_path / "k.so"))["affine.kernel"]


def test_other_targets_have_no_header() -> None:
    with pytest.raises(ValueError, match="for 'nvidia'"):
        emit_header(Artifact("nvidia", (), b""))


def test_kernels_that_report_are_not_for_c() -> None:
    info = KernelInfo("k", "k", (), facts={REPORTS: ""})
    with pytest.raises(NotForC, match="k: what kernels print, assert and check"):
        emit_header(Artifact("cpu", (info,), b""))
