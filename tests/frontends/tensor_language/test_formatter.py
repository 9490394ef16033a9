"""Layout: comments stay, lines inside instructions stay, the rest is put in order."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import Report, Source
from tilewright.frontends.tensor_language import format_source


def formatted(text: str) -> str:
    report = Report()
    found = format_source(Source("t", text), report)
    assert not report.has_errors, [str(d) for d in report.diagnostics]
    again = format_source(Source("t", found), report)
    assert again == found, "not idempotent"
    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("; only a comment", "; only a comment\n"),
        ("func @f(){}", "func @f() {\n}\n"),
        ("$n=16 $m=!calc( $n 1+ )".replace("1+", "1 +"), "$n = 16\n$m = !calc($n 1 +)\n"),
        (
            "func @f(%a :f32,%b:memref< f32 x 4 x$n x 5 , strided< 1,?,? > ,local>{alignment = 64}){}".replace(
                "$n", "?"
            ),
            "func @f(%a: f32, %b: memref<f32x4x?x5,strided<1,?,?>,local> {alignment=64}) {\n}\n",
        ),
        (
            "func @f(%a: i32,\n   %b: i32) { %c=add %a,%b:i32 %d = sub %c ,%a : i32 }",
            "func @f(%a: i32,\n        %b: i32) {\n    %c = add %a, %b : i32\n    %d = sub %c, %a : i32\n}\n",
        ),
        (
            "func @f() { ; one\n; two\n\n\n barrier ; three\r\n\n\n\n; four\n\n}; five\n; six",
            "func @f() {  ; one\n    ; two\n\n    barrier  ; three\n\n    ; four\n}  ; five\n; six\n",
        ),
        (
            'func @f(%b:bool){ if %b{ }else{ if %b { } } for %i=%b,%b{}attributes{unroll=1,"x"={"y"=[1,2]}} }',
            "func @f(%b: bool) {\n    if %b {\n    } else {\n        if %b {\n        }\n    }\n"
            '    for %i=%b,%b {\n    } attributes{unroll=1, "x"={"y"=[1,2]}}\n}\n',
        ),
    ],
)
def test_layout(before: str, after: str) -> None:
    assert formatted(before) == after


@pytest.mark.parametrize("text", ["func @f( {", "func @f() { %x = ad %y : f32 }", "func @f() { \0 }"])
def test_refuses_syntax_errors(text: str) -> None:
    report = Report()
    assert format_source(Source("t", text), report) == text
    assert report.has_errors


@pytest.mark.parametrize(
    "text",
    [
        "func @f(%a: memref< memref x4>) { }",
        "func @f(%a: group<memref< group x4>x?>) { }",
        "func @f(%a: memref<f32x$n>) { %b = less_than %c, %d x bool }",
    ],
)
def test_what_an_error_hides_is_left_alone(text: str) -> None:
    report = Report()
    assert format_source(Source("t", text), report) == text
    assert report.has_errors


def test_names_need_not_be_defined() -> None:
    assert formatted("func @f(){store %a,%b[ %c ]}") == "func @f() {\n    store %a, %b[%c]\n}\n"
