"""Cooperative matrices: V46, and V33 for their atomics."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import Severity
from verifier.marked import Case, clean, each_is, each_is_clean, spmd

ACC = "coopmatrix<f32x16x4,matrix_acc>"
MAKE = "cooperative_matrix_construct %f"
ODD = "%o = cooperative_matrix_construct %f : coopmatrix<f32x8x8,matrix_a>"
NARROW = "%o = cooperative_matrix_construct %f : coopmatrix<f32x8x3,matrix_a>"  # 24 components, 16 work-items
VARYING = "%p = subgroup_local_id : i32 %u = cast %p : index "


def case(text: str, says: str, hint: str = "") -> Case:
    """A case of V46 in a parallel region."""
    return Case("V46", spmd(text), says, hint)


ERRORS = [
    case(f"%x = cooperative_matrix_load «%v»[%i,%i] : {ACC}", "%v has order 1", "order 2"),
    case(f"%x = cooperative_matrix_load «%T»[%i,%i] : {ACC}", "%T has order 3", "order 2"),
    case("%x = cooperative_matrix_load %A[%i,%i] : «coopmatrix<f64x16x4,matrix_acc>»", "f64, %A holds f32", "cast"),
    case(f"%x = cooperative_matrix_load «%f»[%i,%i] : {ACC}", "must be a memref"),
    case("%x = cooperative_matrix_load %A[%i,%i] : «f32»", "must be a cooperative matrix"),
    case(f"%x = cooperative_matrix_load %A[%i,«%k»] : {ACC}", "must be index"),
    case(f"{VARYING} %x = cooperative_matrix_load %A[%i,«%u»] : {ACC}", "%u must be the same", "foreach_tile"),
    case(f"{VARYING} %n = add %u, %i : index cooperative_matrix_store %c, %A[«%n»,%i]", "%n must be", "foreach_tile"),
    case("cooperative_matrix_store «%c», %E[%i,%i]", "f32, %E holds f64", "cast"),
    case("cooperative_matrix_store «%f», %A[%i,%i]", "must be a cooperative matrix"),
    case("cooperative_matrix_store %c, «%w»[%i,%i]", "%w has order 1", "order 2"),
    case(f"%x = cooperative_matrix_atomic_load «%w»[%i,%i] : {ACC}", "%w has order 1", "order 2"),
    case("cooperative_matrix_atomic_store «%c», %E[%i,%i]", "f32, %E holds f64", "cast"),
    case(
        "%x = cooperative_matrix_atomic_add «%c», %E[%i,%i] : coopmatrix<f32x16x4,matrix_acc>", "%E holds f64", "cast"
    ),
    case("%x = cooperative_matrix_atomic_add %c, %A[%i,%i] : «coopmatrix<f32x16x8,matrix_acc>»", "x16x4"),
    case(
        "%q = expand %Z[0->2x4] : memref<c32x2x4> %x = «cooperative_matrix_atomic_max» %y, %q[%i,%i] :"
        " coopmatrix<c32x16x4,matrix_acc>",
        "max needs an order",
        "re, im or abs",
    ),
    case("cooperative_matrix_prefetch «-1», %A[%i,%i], 4, 4", "not negative", "nearest"),
    case("cooperative_matrix_prefetch 0, %A[%i,%i], «0», 4", "0 rows", "positive"),
    case("cooperative_matrix_prefetch 0, %A[%i,%i], 4, «-4»", "-4 columns", "positive"),
    case("cooperative_matrix_prefetch 0, «%v»[%i,%i], 4, 4", "order 1", "order 2"),
    case(f"%x = cooperative_matrix_construct «%d» : {ACC}", "%d is f64, the components are f32", "cast %d : f32"),
    case(
        f"{VARYING} %x = cooperative_matrix_construct «%u» : coopmatrix<indexx16x4,matrix_acc>", "%u must be the same"
    ),
    case("%x = cooperative_matrix_extract %c[«4»] : f32", "no component 4", "0 to 3"),
    case("%x = cooperative_matrix_extract %c[«-1»] : f32", "no component -1", "0 to 3"),
    case(f"{NARROW} %x = cooperative_matrix_extract %o[«2»] : f32", "no component 2", "0 to 1"),
    case("%x = cooperative_matrix_extract %c[0] : «f64»", "f32, not f64", "f32"),
    case("%x = cooperative_matrix_extract «%f»[0] : f32", "must be a cooperative matrix"),
    case(f"%x = cooperative_matrix_insert «%d», %c[0] : {ACC}", "%d is f64", "cast"),
    case(f"%x = cooperative_matrix_insert %f, %c[«9»] : {ACC}", "no component 9", "0 to 3"),
    case("%x = cooperative_matrix_insert %f, %c[0] : «coopmatrix<f32x16x8,matrix_acc>»", "x16x4"),
    case(f"%x = cooperative_matrix_scale «%d», %c : {ACC}", "%d is f64", "cast"),
    case("%x = cooperative_matrix_scale %f, %c : «coopmatrix<f32x16x8,matrix_acc>»", "x16x4"),
    case(
        f"%q = {MAKE} : coopmatrix<f32x16x8,matrix_acc> %x = cooperative_matrix_mul_add «%q», %m, %c : {ACC}",
        "%q is a matrix_acc",
        "matrix_a is",
    ),
    case(
        f"%q = {MAKE} : coopmatrix<f32x8x4,matrix_acc> %x = cooperative_matrix_mul_add %a, «%q», %c : {ACC}",
        "%q is a matrix_acc",
        "matrix_b",
    ),
    case(
        f"%q = {MAKE} : coopmatrix<f32x16x4,matrix_a> %x = cooperative_matrix_mul_add %a, %m, «%q» : {ACC}",
        "%q is a matrix_a",
        "matrix_acc",
    ),
    case("%x = cooperative_matrix_mul_add %a, %m, %c : «coopmatrix<f32x16x4,matrix_a>»", "matrix_a", "matrix_acc"),
    case(
        f"%o = cooperative_matrix_construct %f : coopmatrix<f32x4x4,matrix_b>"
        f" %x = cooperative_matrix_mul_add %a, «%o», %c : {ACC}",
        "%a has 8 columns, %o 4 rows",
        "equal",
    ),
    case(
        f"%o = cooperative_matrix_construct %f : coopmatrix<f32x16x4,matrix_b>"
        f" %x = cooperative_matrix_mul_add %a, «%o», %c : {ACC}",
        "%a has 8 columns, %o 16 rows",
        "equal",
    ),
    case(
        f"%o = cooperative_matrix_construct %f : coopmatrix<f32x16x8,matrix_acc>"
        f" %x = cooperative_matrix_mul_add %a, %m, «%o» : {ACC}",
        "%o is 16 x 8, but the product 16 x 4",
        "16x4",
    ),
    case("%x = cooperative_matrix_mul_add %a, %m, %c : «coopmatrix<f32x16x8,matrix_acc>»", "result is 16 x 8", "16x4"),
    case(
        "%o = cooperative_matrix_construct %h : coopmatrix<f16x16x4,matrix_acc>"
        " %x = cooperative_matrix_mul_add %a, %m, «%o» : coopmatrix<f32x16x4,matrix_acc>",
        "f32 and f32",
        "promoted",
    ),
    case(
        f"{ODD} %o2 = cooperative_matrix_construct %f : coopmatrix<f32x8x4,matrix_acc>"
        " %x = cooperative_matrix_mul_add «%o», %m, %o2 : coopmatrix<f32x8x4,matrix_acc>",
        "8 rows, no",
        "16 rows",
    ),
    case(f"%x = cooperative_matrix_mul_add %a, %m, %y : «{ACC}»", "sum in c32 cannot become f32", "c32"),
    case("%x = cooperative_matrix_reduce_add.row %c : «coopmatrix<f32x1x4,matrix_acc>»", "a column", "16x1"),
    case("%x = cooperative_matrix_reduce_add.column %c : «coopmatrix<f32x16x1,matrix_acc>»", "a row", "1x4"),
    case("%x = cooperative_matrix_reduce_add.row %c : «coopmatrix<f64x16x1,matrix_acc>»", "a column", "f32x16x1"),
    case(f"{ODD} %x = cooperative_matrix_reduce_add.row «%o» : coopmatrix<f32x8x1,matrix_a>", "8 rows, no", "16 rows"),
    case("%x = «cooperative_matrix_reduce_max».row %y : coopmatrix<c32x16x1,matrix_acc>", "needs an order", "abs"),
    case("%x = cooperative_matrix_apply (%r,%q,%e)=%c -> «coopmatrix<f32x16x8,matrix_acc>» { yield (%e) }", "x16x4"),
    case("%p = subgroup_local_id : i32 %x = subgroup_broadcast %f, «%p» : f32", "%p must be the same", "foreach_tile"),
    case("%n = constant 16 : i32 %x = subgroup_broadcast %f, «%n» : f32", "no work-item 16", "0 to 15"),
    Case("V34", spmd("%x = subgroup_broadcast %f, «%i» : f32"), "must be i32"),
    case("%n = constant -1 : i32 %x = subgroup_broadcast %f, «%n» : f32", "no work-item -1", "0 to 15"),
]

WARNINGS = [
    Case("V33", spmd(f"«%x = cooperative_matrix_atomic_load.release %A[%i,%i] : {ACC}»"), "no release", ".acquire"),
    Case("V33", spmd("«cooperative_matrix_atomic_store.acquire %c, %A[%i,%i]»"), "no acquire part", ".release"),
]  # fmt: skip


RIGHT = [
    f"%x = cooperative_matrix_load.t.both_checked %A[%i,%c0] : {ACC}"
    " cooperative_matrix_store.rows_checked %x, %A[%i,%i]",
    f"%x = cooperative_matrix_mul_add %a, %m, %c : {ACC} %q = cooperative_matrix_mul_add %a, %m, %c :"
    " coopmatrix<f16x16x4,matrix_acc>",
    "%x = cooperative_matrix_mul_add %a, %m, %y : coopmatrix<c32x16x4,matrix_acc>",
    f"%x = cooperative_matrix_extract %c[3] : f32 %q = cooperative_matrix_insert %x, %c[0] : {ACC}",
    f"{NARROW} %x = cooperative_matrix_extract %o[1] : f32",
    "%x = cooperative_matrix_reduce_max.row %c : coopmatrix<f32x16x1,matrix_acc>",
    "%x = cooperative_matrix_reduce_add.column %y : coopmatrix<c32x1x4,matrix_acc>",
    f"%x = cooperative_matrix_scale %f, %c : {ACC} cooperative_matrix_prefetch 3, %A[%i,%i], 4, 4",
    f"%x = cooperative_matrix_atomic_add.device %c, %A[%i,%i] : {ACC}",
    "%n = constant 15 : i32 %x = subgroup_broadcast %f, %n : f32",
]

test_errors = each_is(Severity.ERROR, ERRORS)
test_warnings = each_is(Severity.WARNING, WARNINGS)
test_right_ones = each_is_clean([spmd(text) for text in RIGHT])


def test_a_foreach_variable_is_no_position() -> None:
    text = f"foreach (%j)=(%c0),(%i) {{ %x = cooperative_matrix_load %A[%j,%i] : {ACC} }}"
    with pytest.raises(AssertionError, match="V46"):
        clean(text)
    clean(f"foreach_tile (%j)=(%c0),(%i) as (%e)<=(16) {{ %x = cooperative_matrix_load %A[%j,%i] : {ACC} }}")
