"""The language of a text is told by its first decisive word."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import Report, Source
from tilewright.frontends.standard import Standard, detect, first_old_word, read_language, refuse_old
from tilewright.frontends.tensor_language.lexer import tokenize
from tilewright.frontends.tensor_language.limits import DEFAULT_LIMITS

OLD = (
    "%y = «arith».add %x, %x : f32",
    "%t = «alloca» -> memref<f32x4>",
    "%n = «group_size»",
    "%g = «group_id»",
    "func @f(%p: «i1») { }",
    "func @f() «work_group_size»(32, 1) { }",
    "func @f() «subgroup_size»(16) { }",
    "func @f(%G: «group»<memref<f32x4>>) { }",
    "func @f(%G: «group»<memref<f32x4,strided<?>>, offset: ?>) { }",
    "«axpby».n %a, %A, %b, %B : f32, memref<f32x4>, f32, memref<f32x4>",
    "«sum».n.atomic 1.0, %A, 1, %B : f32, memref<f32x4>, f32, memref<f32>",
    "«hadamard_product» %a, %A, %A, %b, %B : f32, memref<f32x4>, memref<f32x4>, f32, memref<f32x4>",
    "%v = «subview» %A[:] : memref<f32x4>",
    "%v = «subview» %A[0:2,:] : memref<f32x4x4>",
    "%v = «subview» %A[1:?] : memref<f32x4>",
    "%v = «expand» %A[0->2x?] : memref<f32x4>",
    "%v = «load» %G[%i] : group<memref<f32x4>>",
    "«store» %v, %A[%i,2] : memref<f32x4x4>",
    "%n = «size» %A[0] : memref<f32x?>",
    "%j = «cast» %i : i32 -> i64",
    "%b = «cmp».lt %i, 16 : i32",
    "«for» %i=0,8 { }",
    "«for» %i=%a,%b : i32 { }",
    "«foreach» %i=%a,%b { }",
    "«if» 1 { }",
    "«yield» %x : f32",
    "«yield» :",
)
NEW = (
    "%y = add %x, %x : f32",
    "%c = constant 1.0 : f32",
    "func @f(%p: bool) { }",
    "func @f(%A: memref<f32x4,local>) { }",
    "func @f(%A: memref<f32x4> {alignment=16}) { }",
    "func @f() attributes{work_group_size=[32,1]} { }",
    "func @f(%G: group<memref<f32x4>x?>) { }",
    "%t = alloca : memref<f32x4,local>",
    "%g = group_id.x : index",
    "axpby %a, %A, %b, %B",
    "gemm.atomic.n.t %a, %A, %B, %b, %C",
    "%x = load %A[%i] : f32",
    "store %v, %A[%i,%j]",
    "%n = size %A[0] : index",
    "%b = less_than %i, %j : bool",
    "foreach (%i)=(%a),(%b) { }",
    "yield (%x)",
    "$n = 4",
    # Nothing decides.
    "",
    "; only a comment with i1 and arith.add",
    "func @f(%A: memref<f32x4>) { }",
    "%v = subview %A[0:2] : memref<f32x2>",
    "%f = fuse %A[0,1] : memref<f32x16>",
    "barrier",
    "axpby 1.0, %A, 0.0, %B",
)


@pytest.mark.parametrize("text", OLD)
def test_old_words_are_recognised(text: str) -> None:
    plain = text.replace("«", "").replace("»", "")
    assert detect(Source("x", plain)) is Standard.OLD
    tokens = tokenize(Source("x", plain), Report(), DEFAULT_LIMITS)
    assert tokens is not None
    found = first_old_word(tokens)
    assert found is not None
    marked = plain[: found.start] + "«" + plain[found.start : found.end] + "»" + plain[found.end :]
    assert marked == text


@pytest.mark.parametrize("text", NEW)
def test_other_texts_are_new(text: str) -> None:
    assert detect(Source("x", text)) is Standard.NEW


def test_the_first_word_decides() -> None:
    old, new = "%t = alloca -> memref<f32x4>\n", "%c = constant 1.0 : f32\n"
    assert detect(Source("x", old + new)) is Standard.OLD
    assert detect(Source("x", new + old)) is Standard.NEW


def test_a_late_word_decides_too() -> None:
    quiet = "; " + "x" * 60 + "\nbarrier\n"
    assert detect(Source("x", quiet * 2000 + "%n = group_size")) is Standard.OLD
    assert detect(Source("x", quiet * 2000)) is Standard.NEW


@pytest.mark.parametrize(
    "text", ["", "arith", "group", "for", "if", "foreach", "subview %x[", "cast %x :", "axpby.n %a,"]
)
def test_texts_that_end_early_are_no_trouble(text: str) -> None:
    detect(Source("x", text))
    detect(Source("x", "func @f(%p: i1) { " + text))


def test_the_reader_can_be_told() -> None:
    text = "func @f(%A: memref<f32x4x6>) {\n    %f = fuse %A[0,1] : memref<f32x4x6>\n}\n"
    for standard, errors in ((Standard.OLD, 0), (Standard.NEW, 1), (None, 1)):
        report = Report()
        read_language(Source("x", text), report, None, standard)
        assert report.errors == errors


def test_old_text_is_refused_where_asked() -> None:
    report = Report()
    assert refuse_old(Source("x", "func @f(%p: i1) { }"), report)
    assert [d.code for d in report.diagnostics] == ["U10"]
    assert not refuse_old(Source("x", "func @f(%p: bool) { }"), Report())
