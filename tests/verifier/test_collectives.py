"""Collective instructions on tensors: V39 to V42."""

from __future__ import annotations

from tilewright.diagnostics import Severity
from verifier.marked import Case, check, each_is, each_is_clean

ERRORS = [
    Case("V39", "axpby «%b», %A, %one, %A", "must be a number", ""),
    Case("V39", "axpby %one, %A, «%b», %A", "must be a number", ""),
    Case("V39", "axpby %one, «%f», %one, %A", "must be a memref", ""),
    Case("V39", "axpby %one, %T, %one, «%T»", "order 3; order 0 or 1 or 2", "subview"),
    Case("V39", "axpby %one, «%A», %one, %C", "shape 8x4, but 8x6", "subview"),
    Case("V39", "axpby.t %one, «%A», %one, %l", "%A transposed has shape 4x8, but 8x4", "`.t`"),
    Case("V39", "axpby %one, «%D», %one, %A", "shape ?x?, but 8x4", "literal sizes"),
    Case(
        "V39", "axpby «%d», %A, %one, %l", "f64, which cannot be promoted to f32, the type of the operands", "cast %d"
    ),
    Case("V39", "axpby %one, «%E», %one, %C", "f64, which cannot be promoted to f32, the type of the result", "result"),
    Case("V39", "axpby %one, %A, «%d», %l", "f64, which cannot be promoted to f32, the type of the result", "cast %d"),
    Case("V39", "sum %one, %A, %one, «%A»", "order 2; order 0 or 1", "subview"),
    Case("V39", "sum %one, «%A», %one, %s", "order 2; order 1", "subview"),
    Case("V39", "sum %one, %A, %one, «%v»", "shape 4, but 8 is needed", "subview"),
    Case("V39", "sum.t %one, %A, %one, «%w»", "shape 8, but 4 is needed", "subview"),
    Case("V39", "cumsum %one, «%s», 0, %one, %s", "no mode to sum along", "order 1"),
    Case("V39", "cumsum %one, %A, 0, %one, «%C»", "shape 8x6, but 8x4", "subview"),
    Case("V39", "gemm %one, «%v», %B, %zero, %C", "order 1; order 2", "subview"),
    Case(
        "V39", "gemm %one, %A, «%C», %zero, %C", "shape 8x6, but 4x6 is needed: a row for each column of %A", "subview"
    ),
    Case("V39", "gemm %one, %A, %B, %zero, «%l»", "shape 8x4, but 8x6", "subview"),
    Case("V39", "gemm.n.t %one, %A, «%B», %zero, %C", "%B transposed has shape 6x4, but 4x4", "subview"),
    Case("V39", "gemm.t %one, %A, «%B», %zero, %C", "shape 4x6, but 8x6", "subview"),
    Case("V39", "gemm %one, %A, «%A», %zero, %C", "shape 8x4, but 4x4 is needed", "subview"),
    Case("V39", "gemm «%d», %A, %B, %zero, %E", "f64, which cannot be promoted to f32", "cast %d : f32"),
    Case("V39", "%u = alloca : memref<f32x8,local> gemv %one, %A, «%w», %zero, %u", "shape 8, but 4", "subview"),
    Case("V39", "gemv %one, %A, %v, %zero, «%s»", "order 0; order 1", "subview"),
    Case("V39", "gemv.t %one, %A, %w, %zero, «%w»", "shape 8, but 4", "subview"),
    Case("V39", "ger %one, %w, %v, %zero, «%C»", "shape 8x6, but 8x4 is needed: %w by %v", "subview"),
    Case("V39", "ger %one, «%A», %v, %zero, %l", "order 2; order 1", "subview"),
    Case("V39", "hadamard %one, %w, «%v», %zero, %w", "shape 4, but 8", "subview"),
    Case("V39", "hadamard %one, %T, %T, %zero, «%T»", "order 3; order 1 or 2", "subview"),
    Case("V40", "axpby.atomic %one, %A, «%f», %l", "constant 0 or 1", "drop .atomic"),
    Case("V40", "%n = constant 2.0 : f32 gemm.atomic %one, %A, %B, «%n», %C", "constant 0 or 1", "drop .atomic"),
    Case("V41", "cumsum %one, %A, «2», %one, %l", "no mode 2", "0 to 1"),
    Case("V41", "cumsum %one, %A, «-1», %one, %l", "no mode -1", "0 to 1"),
]

SQUARE = "%p = subview %A[0:4,0:4] : memref<f32x4x4,strided<1,8>>\n"
SECOND = SQUARE + "%q = subview %A[ROW:4,0:4] : memref<f32x4x4,strided<1,8>>\n"
MEETS, APART = SECOND.replace("ROW", "3"), SECOND.replace("ROW", "4")

WARNINGS = [
    Case("V42", SQUARE + "axpby.t %one, «%p», %zero, %p", "shares elements with %p", "copy"),
    Case("V42", MEETS + "axpby %one, «%p», %zero, %q", "shares elements with %q", "copy"),
    Case("V42", MEETS + "hadamard %one, «%p», %q, %zero, %q", "shares elements with %q", "copy"),
    Case("V42", "%p = subview %T[0:4,0:4,0] : memref<f32x4x4> %q = subview %T[0:4,0:4,2] : memref<f32x4x4>"
                " gemm %one, %p, «%q», %zero, %q", "shares elements with %q", "copy"),
    Case("V42", "%p = subview %A[0:8,0] : memref<f32x8> gemv %one, «%A», %v, %zero, %p", "elements with %p", "copy"),
]  # fmt: skip


RIGHT = [
    "axpby %one, %A, %zero, %A hadamard %one, %w, %w, %zero, %w cumsum %one, %A, 1, %zero, %A",
    SQUARE + SQUARE.replace("%p", "%q") + "axpby %one, %p, %zero, %q",
    APART + "axpby.t %one, %p, %zero, %q",
    "%u = alloca : memref<f32x8,local> gemv %one, %A, %v, %zero, %u",
    "gemm %one, %A, %B, %zero, %C gemm.t.n %one, %A, %C, %zero, %B gemm.atomic %one, %A, %B, %one, %C",
    "gemm.atomic %one, %A, %B, %zero, %E axpby %k, %I, %k, %I axpby %f, %C, %d, %E",
    "sum %one, %w, %one, %s sum %one, %A, %one, %w sum.t %one, %A, %one, %v axpby %one, %s, %one, %s",
    "ger %one, %w, %v, %zero, %A axpby.t %one, %w, %zero, %w",
    "axpby %zero, %D, %one, %D",
]

test_errors = each_is(Severity.ERROR, ERRORS)
test_warnings = each_is(Severity.WARNING, WARNINGS)
test_right_ones = each_is_clean(RIGHT)


def test_one_value_at_several_places_is_reported_where_it_is_wrong() -> None:
    check(Case("V39", "hadamard %one, %w, «%v», %zero, %w", "shape 4, but 8"), Severity.ERROR)
    check(Case("V39", "gemm %one, %A, «%A», %zero, %C", "shape 8x4, but 4x4"), Severity.ERROR)
