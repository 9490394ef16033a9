"""What is wrong with a text: exact places, several errors at once, nothing that only follows from another error."""

from __future__ import annotations

import pytest

from frontends.tile_ir.marked import check, findings
from frontends.tile_ir.samples import module

READING = [
    ("C1", "%a = addf %f «%f» : tile<f32>", "expected ','"),
    ("C1", "%a = addf %f, «:» tile<f32>", "expected a value"),
    ("C1", "%a = addf %f, %f\n«%c» = absf %f : tile<f32>", "expected ':'"),
    ("C1", "%a = addf %f, %f :\n«%c» = absf %f : tile<f32>", "expected a type"),
    ("C1", "%a = addf %f,\n«%c» = absf %f : tile<f32>", "before the next operation"),
    ("C1", "%a = constant <i32: [1, 2«;» 3]> : tile<4xi32>", "expected ',' or ']'"),
    ("C1", "«=» absf %f : tile<f32>", "expected an operation"),
    ("C1", "for %k «of» (%i to %j, step %i) : tile<i32> {\n %a = absf %k : tile<i32>\n}", "expected 'in'"),
    ("C1", '%a = "cuda_tile.absf"(%f) «->» tile<f32>', "expected ':'"),
    ("C1", "%a = absf %f {x = 1, «x» = 2} : tile<f32>", "given twice"),
    ("C1", "%a = maxf %f, %f propagate_nan «propagate_nan» : tile<f32>", "given twice"),
    ("C2", "%a = «adf» %f, %f : tile<f32>", "no operation 'adf'"),
    ("C2", '%a = «"cuda_tile.ad"»(%f) : (tile<f32>) -> tile<f32>', "no operation"),
    ("C2", "%a = absf %f : tile<«f31»>", "no type 'f31'"),
    ("C2", "%a = absf %f : «!t»", "alias !t is not defined"),
    ("C2", "%a = addf %f, %f rounding<«up»> : tile<f32>", "not one of"),
    ("C2", "%a = cmpi «less» %i, %j, signed : tile<i32> -> tile<i1>", "not one of"),
    ("C2", "%a = assume «divby»<4>, %i : tile<i32>", "not one of"),
    ("C4", "%a = constant <i8: «256»> : tile<i8>", "does not fit i8"),
    ("C4", "%a = constant <f32: «1»> : tile<f32>", "write 1.0"),
    ("C4", "%a = constant <f16: «0x10000»> : tile<f16>", "no pattern of 16 bits"),
    ("C4", "%a = constant <i32: [[1, 2], [3«]»]> : tile<2x2xi32>", "1 entries, others 2"),
    ("C6", "%a = addf %f, «%g» : tile<f32>", "%g is not defined"),
    ("C6", "«%f» = absf %f : tile<f32>", "defined twice"),
    ("C6", "if %b {\n %a = absf %f : tile<f32>\n}\n%c = absf «%a» : tile<f32>", "%a is not defined here"),
    ("C6", "%a = addi «%i#1», %i : tile<i32>", "fewer results"),
    ("C7", "%a = absf «%f» : tile<f16>", "%f has type tile<f32>"),
    ("C7", "%a = addf %f, «%i» : tile<f32>", "%i has type tile<i32>"),
    ("C7", "loop iter_values(%k = «%i») : tile<i64> {\n break\n}", "%i has type tile<i32>"),
    ("C7", "loop iter_values(%k = %i) : «tile<i32>, tile<i32>» {\n break\n}", "2 types for 1"),
    ("C7", "if %b {\n yield %i, %j : «tile<i32>»\n}", "1 types for 2"),
    ("C7", '%a = print_tko "%d", «%i» : tile<f32> -> token', "%i has type tile<i32>"),
    ("C8", "%a = absf %f : «f32»", "no type of a value"),
    ("C8", "%a = constant <f32: 0.0> : «tile<3xf32>»", "powers of two"),
    ("C8", "%a = constant <f32: 0.0> : «tile<4096x8192xf32>»", "at most"),
    ("C9", "«%a, %c» = absf %f : tile<f32>", "one result, but 2"),
    ("C9", "«%a:3» = absf %f : tile<f32>".replace("«%a:3»", "«%a»:3"), "one result, but 3"),
    ("C20", "%a = constant <f32: «[1.0, 2.0]»> : tile<4xf32>", "shape"),
    ("C20", "%a = constant <f32: «1.0»> : tile<4xf16>", "elements of type f32"),
]


@pytest.mark.parametrize(("code", "marked", "says"), READING)
def test_reading(code: str, marked: str, says: str) -> None:
    check(code, marked, says)


@pytest.mark.parametrize("name", ["testing$func", "cuda_tile.testing$func"])
def test_functions_of_test_builds_are_told(name: str) -> None:
    body = "{\n %b = addf %a, %a : tile<4xf32>\n return %b : tile<4xf32>\n}"
    (found,) = findings(
        f"cuda_tile.module @m {{\n{name} @f(%a: tile<4xf32>) -> tile<4xf32> {body}\nentry @k() {{\n}}\n}}"
    )
    assert (found.code, len(found.hints)) == ("C2", 1)
    assert "an entry takes scalars and pointers" in found.hints[0]


def test_several_errors_and_nothing_that_follows_from_them() -> None:
    body = """
    %a = adf %f, %f : tile<f32>
    %c = addf %a, %a : tile<f32>
    %d = addf %c, %zz : tile<f32>
    for %k in (%f to %j, step %i) : tile<i33> {
      %q = muli %k, %k : tile<i32>
    }
    %x, %t = load_ptr_tko weak %pf optimization_hints = <sm_90 = {latency = }> : tile<ptr<f32>> -> tile<f32>, token
    if %b {
      %w = absg %f : tile<f32>
      %z = absf %w : tile<f32>
    }
    %e = absf %x : tile<f32>
"""
    found = [(d.code, d.message) for d in findings(module(body))]
    assert [code for code, _ in found] == ["C2", "C6", "C2", "C1", "C2"], found


def test_a_name_for_two_values_says_nothing_of_the_types_of_either() -> None:
    body = """
    %r = for %k in (%i to %j, step %i) : tile<i32> iter_values(%f = %i) -> (tile<i32>) {
      %p = addi %f, %i : tile<i32>
      %q = addf %f, %f : tile<f32>
      continue %p : tile<i32>
    }
    %s = addi %f, %i : tile<i32>
"""
    assert [(d.code, d.message.split()[0]) for d in findings(module(body))] == [("C6", "%f"), ("C7", "%f")]


def test_the_nearest_word_is_offered() -> None:
    [unknown] = findings(module("\n%a = addff %f, %f : tile<f32>"))
    assert [fix.replacement for fix in unknown.fixes] == ["addf"]
    [name] = findings(module("\n%result = absf %f : tile<f32>\n%c = absf %resutl : tile<f32>"))
    assert [fix.replacement for fix in name.fixes] == ["%result"]


def test_a_missing_brace_is_found_at_the_next_entry() -> None:
    text = "cuda_tile.module @m {\n  entry @a(%b: tile<i1>) {\n    if %b {\n  entry @c() {\n    %x = foo\n  }\n}\n"
    found = findings(text)
    assert [d.code for d in found] == ["C1", "C2"], [str(d) for d in found]
    place = found[0].location.primary
    assert place is not None
    assert text[place.start : place.end] == "entry"


def test_errors_of_aliases() -> None:
    check("C2", "!a = «!a»\nentry @k() {\n}", "stands for itself")
    check("C1", "!a = tile<f32>\n«!a» = tile<f64>\nentry @k() {\n}", "defined twice")
    check("C2", "#a = «#b»\nentry @k() {\n}", "not defined")
    assert [d.code for d in findings("!a = tile<q>\nentry @k(%x: !a, %y: !a) {\n}")] == ["C2"]
