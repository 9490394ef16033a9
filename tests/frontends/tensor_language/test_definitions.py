"""`$name` definitions and `!calc` (reference 1.13)."""

from __future__ import annotations

import pytest

from frontends.tensor_language.reading import clean, error_of, errors_of, kernel, read
from tilewright.dialects.arith import Constant
from tilewright.frontends.tensor_language import print_module
from tilewright.frontends.tensor_language.preprocess import CalcError, calculate


def test_the_reference_example() -> None:
    text = """$n = 16                       $half = !calc($n 1 + 2 /)          $blk = memref<f64x$n x $half>      ; 16x8
    func @f(%A: $blk) attributes{subgroup_size=$n} { $z = 0.0   %c = constant $z : f64 }"""
    printed = print_module(clean(text))
    assert "func @f(%A: memref<f64x16x8>) attributes{subgroup_size=16} {" in printed
    assert "%c = constant 0.0 : f64" in printed
    assert "$" not in printed


def test_every_kind_everywhere() -> None:
    text = """$T = f32 $n = 4 $M = memref<$T x $n> $g = group<$M x $n> $X = coopmatrix<$T x 16 x 8, matrix_acc>
    $d = {alignment=64} $a = [1,$n] $s = "text" $b = true $c = [1.0,2.0] $w = $n $f = {work_group_size=[32,1]}
    func @f(%a: $M $d, %g: $g {shape_gcd=$a, "k"=$s, "l"=$b}, %t: $T, %p: bool) attributes $f {
        %0 = constant $n : index %1 = constant $c : c32 %2 = constant $b : bool
        %3 = size %a[$n] : index
        %4 = subview %a[0:$n] : $M
        %5 = expand %a[0->$n x 1] : memref<f32x$n x1>
        foreach_tile (%i)=(%0),(%0) as (%s)<=($n) { %x = cooperative_matrix_construct %t : $X }
        for %i=%0,%0 { } attributes{unroll=$w}
    }"""
    assert "$" not in print_module(clean(text))


@pytest.mark.parametrize(
    ("items", "value"),
    [
        ([1, 2, "+", 3, "*"], 9),
        ([-7, 2, "/"], -3),
        ([-7, 2, "%"], -1),
        ([7, -2, "/"], -3),
        ([2, 10, "^"], 1024),
        ([-1, 2**62, "^"], 1),
        ([0, 0, "^"], 1),
        ([3, 5, "min"], 3),
        ([3, 5, "max"], 5),
        ([1, 2, "-"], -1),
        ([-(2**62), 2, "*"], -(2**63)),
    ],
)
def test_calculate(items: list[int | str], value: int) -> None:
    assert calculate(items) == value


@pytest.mark.parametrize(
    ("items", "index"),
    [
        ([], None),
        ([1, 2], None),
        ([1, "+"], 1),
        ([1, 0, "/"], 2),
        ([1, 0, "%"], 2),
        ([2, -1, "^"], 2),
        ([2, 63, "^"], 2),
        ([10, 10**9, "^"], 2),
        ([-(2**63), -1, "/"], 2),
        ([2**63 - 1, 1, "+"], 2),
    ],
)
def test_calculation_errors(items: list[int | str], index: int | None) -> None:
    with pytest.raises(CalcError) as caught:
        calculate(items)
    assert caught.value.index == index


def test_percent_directly_before_a_number() -> None:
    module = clean(kernel("$a = !calc(7 4 %2 +) %c = constant $a : i32").replace("%2", "% 2"))
    assert "constant 9" not in print_module(module)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("func @f(%a: memref<f32x$n>) {}", "$n"),
        ("$n = 1 $n = 2", "$n"),
        ("$n = 1 func @f() { $n = 2 }", "$n"),
        ("$n = 1.0 func @f(%a: memref<f32x$n>) {}", "$n"),
        ("$n = f32 func @f() { %c = constant $n : f32 }", "$n"),
        ("$n = 1 func @f(%a: $n) {}", "$n"),
        ("$n = 1 func @f() attributes $n {}", "$n"),
        ("$n = !calc(1 0 /)", "/"),
        ("$n = !calc(1 2)", "!calc(1 2)"),
        ("$n = !calc()", "!calc()"),
        ("func @f() { if %b { $n = 1 } %c = constant $n : i32 }".replace("if %b", "parallel"), "$n"),
    ],
)
def test_errors(text: str, at: str) -> None:
    assert error_of(text).at == ("V8", at)


def test_errors_show_the_definition() -> None:
    found = error_of("$n = 1.0 func @f(%a: memref<f32x$n>) {}")
    assert found.diagnostic.labels[0].message == "defined here"


def test_a_broken_definition_is_reported_once() -> None:
    found = errors_of("$n = !calc(1) $m = !calc($n 0 /) func @f() { %a = constant $m : i32 %b = constant $m : i32 }")
    assert [e.code for e in found] == ["V8"]


def test_sibling_regions_may_define_the_same() -> None:
    clean(kernel("if %b { $n = 1 } else { $n = 2 %c = constant $n : i32 }"))


def test_definitions_from_outside() -> None:
    text = "func @f(%a: memref<f32x$n>) { %c = constant $z : f64 }"
    assert "memref<f32x24>" in print_module(clean(text, n="24", z="1.5"))
    values = [op.value for op in clean(text, n=24, z="0x1p3").walk() if isinstance(op, Constant)]
    assert values == [8.0]


def test_outside_and_inside_clash() -> None:
    assert error_of("$n = 1 func @f(%a: memref<f32x$n>) {}", n="2").at == ("V8", "$n")


def test_a_type_that_does_not_fit_is_told() -> None:
    found = error_of("$t = coopmatrix<f32x4x4,matrix_a> func @f(%a: group<$t x4>) {}")
    assert found.at == ("V8", "$t")
    assert "is the type coopmatrix<f32x4x4,matrix_a>" in found.message


def test_what_cannot_be_read_may_use_definitions() -> None:
    _, errors, warnings = read("func @f(%x: memref<f33x$n>) {}", n="4")
    assert [e.text for e in errors] == ["f33"]
    assert not warnings


def test_unused_from_outside_warns() -> None:
    _, errors, warnings = read("func @f() {}", n="2")
    assert not errors
    assert [w.code for w in warnings] == ["V8"]


@pytest.mark.parametrize(("name", "value"), [("n", "1 2"), ("n", "%"), ("n!", "1"), ("n", "")])
def test_bad_definitions_from_outside(name: str, value: str) -> None:
    assert errors_of("func @f() {}", **{name: value})
