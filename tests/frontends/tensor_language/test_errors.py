"""Syntax and naming errors: code, exact range, several a file, nothing said twice."""

from __future__ import annotations

import pytest

import tilewright as tw
from frontends.tensor_language.reading import clean, error_of, errors_of, kernel, spmd
from tilewright.dialects import memref


@pytest.mark.parametrize(
    ("body", "code", "text", "says"),
    [
        ("%x = ad %k, %k : i32", "V2", "ad", "not an instruction"),
        ("%x = add %k %k : i32", "V1", "%k", "expected `,`"),
        ("%x = add %k, %k : i33", "V2", "i33", "not a type"),
        ("%x = add %k, %k i32", "V1", "i32", "expected `:`"),
        ("add %k, %k : i32", "V7", "add", "no name"),
        ("%x, %y = add %k, %k : i32", "V7", "%x, %y", "exactly one"),
        ("%x = barrier", "V7", "%x", "no result"),
        ("%x = add %k, %unknown : i32", "V6", "%unknown", "not defined"),
        ("%k = constant 1 : i32", "V6", "%k", "defined already"),
        ("%x = constant 99999999999999999999 : i64", "V4", "99999999999999999999", "64-bit"),
        ("%x = constant 1e999 : f64", "V4", "1e999", "double"),
        ("%x = constant [1,2.0] : c32", "V19", "1", "float is needed"),
        ("gemm.q %f, %A, %A, %f, %A", "V2", ".q", "not a modifier"),
        ("ger.t %f, %v, %v, %f, %A", "V2", ".t", "does not take"),
        ("gemm.t.t.t %f, %A, %A, %f, %A", "V1", ".t", "twice"),
        ("%x = group_id.w : index", "V2", ".w", "not a modifier"),
        ("%x = load %f[%i] : f32", "V30", "%f", "memref or group"),
        ("%x = load %G[%i,%i] : memref<f32x8x?>", "V31", "%G[%i,%i]", "one index"),
        ("%t = alloca {unroll=1} : memref<f32x4,local>", "V16", "unroll=1", "no attribute"),
        ("%t = alloca {alignment=1,alignment=2} : memref<f32x4,local>", "V16", "alignment=2", "twice"),
        ("for %n=%i,%i { } attributes{alignment=1}", "V16", "alignment=1", "no attribute"),
        ("%x = expand %A[0->4] : memref<f32x4x?>", "V1", "]", "expected `x`"),
        ("%x = subview %A[0:4,] : memref<f32x4>", "V1", "]", "expected an integer or a value"),
        ("%x = cast %k : memref<memref<f32>>", "V9", "memref", "numbers"),
        ("foreach_tile (%p,%q)=(%i,%i),(%i,%i) as (%h)<=(8,8) { }", "V43", "(%h)", "tile sizes"),
        ("if %b } ", "V1", "}", "expected `{`"),
        ("%x = add %k, 1 : i32", "V2", "1", "literal"),
        ("barrier // all", "V1", "/", "a comment begins with `;`"),
        ("barrier # all", "V1", "#", "a comment begins with `;`"),
        ("%x = fuse %A[0,1] : memref<4x8xf32>", "V1", "4", "in front of the extents, as in `f32x4x?`"),
        ("% = add %k, %k : i32", "V1", "%", "found `%`"),
        ("@x = add %k, %k : i32", "V1", "@x", "expected an instruction"),
        ("$x 1", "V1", "1", "expected `=`"),
        ("%x = constant 0x10 : i32", "V1", "0x10", "`0x10` is not a number"),
        ("%x = constant 1_000 : i32", "V1", "1_000", "`1_000` is not a number"),
        ("%x = constant [1.0f, 2.0] : c32", "V1", "1.0f", "`1.0f` is not a number"),
    ],
)
def test_one_error_at_its_place(body: str, code: str, text: str, says: str) -> None:
    found = errors_of(kernel(body))
    assert found[0].at == (code, text)
    assert says in found[0].message
    if body != "if %b } ":
        assert len(found) == 1, [str(e.diagnostic) for e in found]


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("%x = constant Infinity : f32", "did you mean `inf`?"),
        ("%x = constant True : bool", "did you mean `true`?"),
        ("%x = constant - 1 : i32", "right in front of a digit"),
        ("%x = constant 0x10 : i32", "integers are decimal"),
        ("%é = constant 1 : i32", "a letter and then letters"),
        ("%x = add %_y, %k : i32", "a letter and then letters"),
        ("%t = alloca : memref<f32x4,shared>", "did you mean `local`?"),
        ("%x = group_id : index", "the old language writes `group_id`"),
        ("%x = constant none : i32", ""),
        ("%x = num_groups : index", ""),
    ],
)
def test_what_would_be_right_is_said(body: str, hint: str) -> None:
    hints = error_of(kernel(body)).diagnostic.hints
    assert hint in " ".join(hints) if hint else not hints


@pytest.mark.parametrize(
    ("word", "type_"), [("float", "f32"), ("complex64", "c32"), ("tensor", "memref"), ("f23", "f32")]
)
@pytest.mark.parametrize("text", ["func @f(%x: {}) {{ }}", "func @f(%x: memref<{}x4x?>) {{ }}"])
def test_types_of_other_languages(text: str, word: str, type_: str) -> None:
    (found,) = errors_of(text.format(word))
    assert found.at == ("V2", word)
    assert found.diagnostic.hints[0] == f"did you mean `{type_}`?"


@pytest.mark.parametrize(
    ("text", "at", "fix"),
    [
        (kernel("%e = expand %v[0->%ix4] : memref<f32x?x4>"), "%ix4", "%i x4"),
        (kernel("%e = expand %v[0->2x%ix%i] : memref<f32x2x?x?>"), "%ix", "%i x"),
        ("$m = 4 func @f(%a: memref<f32x$mx$m>) { }", "$mx", "$m x"),
        ("$m = 4 $mx = 5 func @f(%a: memref<f32x$mx4x5>) { }", "$mx4x5", "$m x4x5"),
        ("$f = 4 func @f(%a: memref<f32x$mx4>) { }", "$mx4", None),
        (kernel("%e = add %k, %ix4 : i32"), "%ix4", None),
    ],
)
def test_names_that_swallow_an_x(text: str, at: str, fix: str | None) -> None:
    found = error_of(text)
    assert (found.text, found.fix) == (at, fix)
    if fix is not None:
        assert f"write `{fix}`" in found.diagnostic.hints[0]


def test_bool_of_the_old_language_is_no_element() -> None:
    (found,) = errors_of("func @f(%x: group<memref<i1x4>x2>) { }")
    assert found.at == ("V9", "i1")
    assert "i8" in found.diagnostic.hints[0]


def test_a_literal_that_is_too_large_has_no_other_consequences() -> None:
    large = "99999999999999999999"
    view = f"%y = subview %x[0:{large}] : memref<f32x{large}>"
    with pytest.raises(tw.CompileError) as failed:
        tw.compile(f"func @f(%x: memref<f32x{large}>) {{ {view} }}", std="new", cache=False)
    assert [d.code for d in failed.value.diagnostics] == ["V4"] * 3


def test_ranges_are_exact() -> None:
    text = kernel("%x = add %k, %nope : i32")
    place = error_of(text).diagnostic.location.primary
    assert place is not None
    assert place.start == text.index("%nope")
    assert str(place).startswith("test.tl:2:14")


@pytest.mark.parametrize("text", ["\n%_x = add %k, %k : i32", "\n@f", "\n}\n$x 1", "\n}\nkernel"])
def test_a_token_that_begins_nothing_is_shown_itself(text: str) -> None:
    place = errors_of(kernel(f"barrier{text}"))[0].diagnostic.location.primary
    assert place is not None
    assert place.start < place.end
    assert str(place).startswith(f"test.tl:{2 + text.count(chr(10))}:")


def test_what_is_missing_at_a_line_end_is_reported_there() -> None:
    text = kernel("%x = add %k, %k\n\n\nbarrier")
    place = error_of(text).diagnostic.location.primary
    assert place is not None
    assert place.start == place.end == text.index("%k\n\n") + 2


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("func @f(%a: f32, %a: f32) {}", "V5", "%a"),
        ("func @f(%7: f32, %07: f32) {}", "V5", "%07"),
        ("func @f() {} func @f() {}", "V5", "@f"),
        ("func f() {}", "V1", "f"),
        ("func @f() attributes{alignment=3} {}", "V16", "alignment=3"),
        ("fun @f() {}", "V2", "fun"),
        ("func @f() {} }", "V1", "}"),
        ("func @f() {} barrier", "V1", "barrier"),
        ("func @f(%a: group<f32>) {}", "V9", "f32"),
        ("func @f(%a: memref<f32x4,globl>) {}", "V2", "globl"),
        ("func @f(%a: memref<x?>) {}", "V1", "x"),
        ("func @f(%a: memref<x4x?>) {}", "V1", "x"),
        ("func @f(%a: coopmatrix<f32x4x4,matrix_c>) {}", "V2", "matrix_c"),
    ],
)
def test_functions(text: str, code: str, at: str) -> None:
    assert error_of(text).at == (code, at)


def test_spelling_is_corrected() -> None:
    for wrong, right in (
        ("greather_than_equal %k, %k : bool", "greater_than_equal"),
        ("lod %v[%i] : f32", "load"),
        ("cooperative_matrix_muladd %k, %k, %k : f32", "cooperative_matrix_mul_add"),
    ):
        assert error_of(kernel(f"%x = {wrong}")).fix == right


def test_several_errors_and_no_cascade() -> None:
    body = """%a = add %nope, %k : i32
    %b1 = add %a, %nope : i32
    %c = ad %k, %k : i32
    %d = add %c, %b1 : i32
    for %n=%nope,%i init(%q=%d) -> (i32) {
        %e = add %n, %q : i32
        store %e, %I[%missing]
        yield (%e)
    }
    gemm %f, %A, %A, %f
    barrier.globl"""
    found = [e.at for e in errors_of(kernel(body))]
    assert found == [("V6", "%nope"), ("V2", "ad"), ("V6", "%missing"), ("V1", ""), ("V2", ".globl")]


def test_names_of_a_broken_header_are_known() -> None:
    body = "foreach (%p,%q)=(%i,%i),(%i,%i { %x = load %A[%p,%q] : f32 %y = add %x, %nope : f32 } barrier.x"
    assert [e.text for e in errors_of(kernel(body))] == ["{", "%nope", ".x"]


def test_ended_and_later_definitions_are_shown() -> None:
    (ended,) = errors_of(kernel("if %b { %x = add %k, %k : i32 } %y = add %x, %k : i32"))
    assert ended.at == ("V6", "%x")
    assert "ended" in ended.diagnostic.labels[0].message
    (later,) = errors_of(kernel("%y = add %x, %k : i32 %x = add %k, %k : i32"))
    assert later.at == ("V6", "%x")
    assert "after the use" in later.diagnostic.labels[0].message


def test_regions_side_by_side_share_names() -> None:
    assert not errors_of(kernel("if %b { %x = add %k, %k : i32 } else { %x = add %k, %k : i32 } %x = add %k, %k : i32"))


def test_nested_regions_do_not() -> None:
    assert error_of(kernel("%x = add %k, %k : i32 if %b { %x = add %k, %k : i32 }")).at == ("V6", "%x")


def test_values_do_not_cross_functions() -> None:
    assert error_of("func @f(%a: f32) {} func @g() { %x = add %a, %a : f32 }").at == ("V6", "%a")


def test_errors_in_all_functions() -> None:
    found = errors_of(kernel("foo") + kernel("bar").replace("@f", "@g"))
    assert [e.text for e in found] == ["foo", "bar"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("func @f(%a: f32) {\n%b = add %a, %a :", ["expected a type", "expected `}`, found the end"]),
        ("func @f(%b: bool) {\nif %b {\nbarrier\n}\nfunc @g() {\n}", ["expected `}`, judging by"]),
        ("func @f(%b: bool) {\n    barrier\nfunc @g() {\n}", ["expected `}`, judging by"]),
    ],
)
def test_text_that_is_not_indented_tells_nothing_by_it(text: str, found: list[str]) -> None:
    errors = errors_of(text)
    assert len(errors) == len(found)
    for error, words in zip(errors, found, strict=True):
        assert words in error.message
        assert error.diagnostic.location.primary is not None
        assert error.diagnostic.location.primary.start > text.index("{") + 1


def test_forgotten_brace_is_found_by_indentation() -> None:
    text = """func @f(%b: bool, %k: i32) {
    if %b {
        %x = add %k, %k : i32
    %x = add %k, %k : i32
    if %b {
        %y = add %x, %k : i32
    }
}
func @g() {
}
"""
    found = error_of(text)
    place = found.diagnostic.location.primary
    assert place is not None
    assert text[: place.start].endswith("        %x = add %k, %k : i32")


def test_apply_without_matrix_type() -> None:
    text = spmd("%r = cooperative_matrix_apply (%p,%q,%c)=%X -> f32 { yield (%c) }")
    assert not errors_of(text)


def test_places_of_parts() -> None:
    text = kernel("%r = subview %M[0:4,%i,1:%i,%i:%k] : memref<f32x4x?x?>")
    op = next(op for op in clean(text).walk() if isinstance(op, memref.Subview))

    def at(place: tuple[str, int] | str) -> str:
        found = op.place(place).primary
        assert found is not None
        return f"{text[found.start : found.end]}@{found.start - text.index('%r')}"

    # Operands are the memref, then all offsets, then all sizes.
    assert [at(("operand", k)) for k in range(5)] == ["%M@13", "%i@20", "%i@28", "%i@25", "%k@31"]
    assert at("type").startswith("memref<f32x4x?x?>@")
    assert at("mnemonic").startswith("subview@")
    assert at(("result", 0)) == "%r@0"
    assert at(("size", 0)).startswith("4@")
