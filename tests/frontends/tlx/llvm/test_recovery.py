"""One run shows all that is wrong with a text, each mistake once, where it stands."""

from __future__ import annotations

from frontends.tlx.llvm.reading import found, kernel, llvm_accepts, read


def test_all_errors_of_a_text() -> None:
    text = kernel(
        "%a = frobnicate i32 %i",
        "%e = add i32 %a, 1",
        "%g = load float %p",
        "%j = add i32 %i, %gone",
        "for (int i = 0; i < 10; i++) {",
        "  x[i] = 0",
        "}",
        "%n = fence seq_cst",
        "ret",
    ) + kernel("%a = add i32 %i, %l", "ret void").replace("@k", "@l")
    assert found(text) == [
        "TLX101 2: expected an instruction, found 'frobnicate'",
        "TLX101 4: expected ',', found '%p'",
        "TLX105 5: %gone is not defined",
        "TLX101 6: expected an instruction, found 'for'",
        "TLX404 9: fence is not supported in kernels",
        "TLX101 10: ret says what it returns",
        "TLX203 13: %l is i64, not i32",
    ]


def test_pseudo_code_of_the_rfc_gets_a_hint() -> None:
    for line, hint in (
        ("for (unsigned I = 0; I < 1; I++)?", "not C"),
        ("….?", "left out"),
        ("%r = add i32 %i, 1 ?", "stray"),
        ("?", "stray"),
    ):
        (finding,) = read(kernel(line, "ret void"))[1].in_order
        assert finding.code == "TLX101"
        assert hint in finding.hints[0]


def test_loads_without_a_result_type_are_those_of_old_texts() -> None:
    (finding,) = read(kernel("%a = load float* %q", "ret void"))[1].in_order
    assert finding.hints == ["LLVM 3.6 left it out; write `load float, float* %q`"]


def test_one_line_may_hold_a_function() -> None:
    text = "declare void @g() define void @f() { call void @g() ret void } define void @h() { ret void }"
    assert llvm_accepts(text)
    assert found(text) == []


def test_a_function_without_its_end() -> None:
    assert found("define void @f() {\nret void\n\ndefine void @g() {\nret void\n}\n") == [
        "TLX101 4: expected '}' at the end of this function"
    ]


def test_definitions_that_are_given_twice() -> None:
    assert found("define void @f() {\nret void\n}\ndefine void @f() {\nret void\n}\n") == [
        "TLX104 4: @f is defined twice"
    ]
    assert found("%t = type i32\n%t = type i64\n") == ["TLX104 2: %t is defined twice"]
    assert found("define void @f(i32 %a, i32 %a) {\nret void\n}\n") == ["TLX104 1: %a is defined twice"]


def test_what_surrounds_functions_is_read() -> None:
    text = """; ModuleID = 'k.c'
source_filename = "k.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, %pair* }
$inline = comdat any
@table = private unnamed_addr constant [2 x i32] [i32 1, i32 2], align 4
@text = internal constant [3 x i8] c"a\\22\\00"
@there = external global i32

; Function Attrs: nounwind
define dso_local noundef float @f(ptr nocapture noundef readonly align 4 %0, float %1) local_unnamed_addr #0 !dbg !3 {
  %3 = load float, ptr %0, align 4, !tbaa !4
    #dbg_value(float %3, !5, !DIExpression(), !6)
  %4 = tail call float @llvm.fabs.f32(float %3) #1
  ret float %4
}

declare float @llvm.fabs.f32(float) #1

attributes #0 = { mustprogress nounwind memory(argmem: read) "frame-pointer"="none" allocsize(0) }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!0}
!llvm.ident = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, isOptimized: true, emissionKind: FullDebug)
!1 = !{!"a compiler"}
!2 = !DIFile(filename: "k.c", directory: "/")
!3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 1, unit: !0, spFlags: DISPFlagDefinition)
!4 = !{}
!5 = !DILocalVariable(name: "x", scope: !3, file: !2, line: 2)
!6 = !DILocation(line: 2, column: 3, scope: !3)
"""
    assert found(text) == []
    module = read(text)[0]
    (function,) = module.functions
    assert function.attributes["memory"] == "argmem: read"
    assert function.parameters[0].attributes["captures"] == "none"
    assert module.left_out == {"metadata": 12, "debug records": 1}
    assert list(module.types) == ["pair"]
    assert list(module.variables) == ["table", "text", "there"]
