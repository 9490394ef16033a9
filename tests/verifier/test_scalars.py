"""Constants, arithmetic, casts, compares: V19, V34 to V38."""

from __future__ import annotations

from tilewright.diagnostics import Severity
from verifier.marked import Case, clean, each_is, each_is_clean, spmd

ERRORS = [
    Case("V19", "%x = constant «1» : f32", "this is an integer", "1.0"),
    Case("V19", "%x = constant «1.0» : i32", "a constant of type i32 is an integer", "1"),
    Case("V19", "%x = constant «true» : i32", "this is a bool", "1"),
    Case("V19", "%x = constant «1» : bool", "is a bool", "true"),
    Case("V19", "%x = constant «1.5» : c32", "complex number", "[1.5, 0.0]"),
    Case("V19", "%x = constant «[1.0,0.0]» : f32", "is a float", "1.0"),
    Case("V19", "%x = constant «300» : i8", "-128 to 127", "i16"),
    Case("V19", "%x = constant «-129» : i8", "-128 to 127", "i16"),
    Case("V19", "%x = constant «2147483648» : i32", "no i32", "i64"),
    Case("V19", "%x = constant «1e39» : f32", "beyond the range of f32", "inf"),
    Case("V19", "%x = constant «70000.0» : f16", "beyond the range of f16", "inf"),
    Case("V19", "%x = constant «[0.0,1e39]» : c32", "beyond the range of f32", "inf"),
    Case("V19", spmd("%x = constant «1» : coopmatrix<f32x16x4,matrix_acc>"), "is a float", "1.0"),
    Case("V34", "%x = add %f, «%d» : f32", "add: rhs has type f64", "cast"),
    Case("V34", "%x = add %f, %f : «f64»", "out has type f64", "write f32"),
    Case("V34", "%x = add «%b», %b : bool", "lhs must be a number", ""),
    Case("V34", "%x = rem «%z», %z : c32", "integer or floating point", ""),
    Case("V34", "%x = shl «%f», %f : f32", "integer", ""),
    Case("V34", "%x = and «%f», %f : f32", "bool, an integer", ""),
    Case("V34", "%x = not «%f» : f32", "bool, an integer", ""),
    Case("V34", "%x = abs %z : «c32»", "f32", ""),
    Case("V34", "%x = abs %f : «f64»", "f32", ""),
    Case("V34", "%x = conj «%f» : f32", "complex", ""),
    Case("V34", "%x = re «%f» : f32", "complex", ""),
    Case("V34", "%x = im %z : «f64»", "f32", ""),
    Case("V34", "%x = cos «%k» : i32", "floating point", ""),
    Case("V34", "%x = log «%z» : c32", "floating point", ""),
    Case("V34", "%x = exp %f : «f64»", "f64", ""),
    Case("V34", "%x = add «%A», %A : f32", "number", ""),
    Case("V34", spmd("%x = add %a, «%m» : coopmatrix<f32x16x8,matrix_a>"), "coopmatrix<f32x8x4,matrix_b>", ""),
    Case("V34", spmd("%x = «subgroup_reduce_max» %z : c32"), "order", "abs"),
    Case("V34", spmd("%x = subgroup_reduce_add «%b» : bool"), "a number type", ""),
    Case("V34", spmd("%x = subgroup_exclusive_scan_min %f : «f64»"), "f32 is expected", "write f32"),
    Case("V34", "%x = associated «%f» : bool", "a memref or group", ""),
    *(
        Case("V34", spmd(f"%x = {op} «%{m}» : {type_}"), f"{op} is a function of numbers", "cooperative_matrix_apply")
        for op, m, type_ in (
            ("native_log2", "c", "coopmatrix<f32x16x4,matrix_acc>"),
            ("exp", "y", "coopmatrix<c32x16x4,matrix_acc>"),
            ("exp2", "c", "coopmatrix<f32x16x4,matrix_acc>"),
        )
    ),
    Case("V34", "%x = group_id.y : «i32»", "group_id gives index", "index"),
    Case("V34", "%x = num_groups.x : «i64»", "index", "index"),
    Case("V34", "%x = num_subgroups.x : «index»", "i32", "i32"),
    Case("V34", "%x = subgroup_size : «index»", "i32", "i32"),
    Case("V34", spmd("%x = subgroup_local_id : «i64»"), "i32", "i32"),
    Case("V35", "%x = cast %z : «f32»", "c32 cannot be cast to f32", "re or im"),
    Case("V35", "%x = cast «%b» : i32", "number", ""),
    Case("V35", "%x = cast %k : «bool»", "i32 cannot be cast to bool", "not_equal"),
    Case("V35", "%x = cast %i : «coopmatrix<f32x16x4,matrix_acc>»", "cannot be cast", ""),
    Case("V35", spmd("%x = cast %c : «coopmatrix<f32x16x8,matrix_acc>»"), "keeps the shape", "16x4"),
    Case("V35", spmd("%x = cast %a : «coopmatrix<f32x16x8,matrix_b>»"), "only from matrix_acc", "matrix_a"),
    Case("V36", "%x = div %i, «%c0» : index", "div by a constant 0", "mistake"),
    Case("V36", "%x = rem %i, «%c0» : index", "rem by a constant 0", "mistake"),
    Case("V36", "%n = sub %c1, %c1 : index %x = div %i, «%n» : index", "div by a constant 0", "mistake"),
    *(
        Case("V36", f"%n = {zero} : index %x = div %i, «%n» : index", "div by a constant 0", "mistake")
        for zero in (
            *("mul %i, %c0", "mul %c0, %i", "and %i, %c0", "sub %i, %i", "xor %i, %i", "rem %i, %c1"),
            *("rem %c0, %i", "div %c0, %i", "shl %c0, %i", "shr %c0, %i"),
        )
    ),
    Case("V36", "%m = mul %i, %c0 : index %n = add %m, %c0 : index %x = rem %i, «%n» : index", "rem by", "mistake"),
    Case("V37", "%x = equal «%b», %b : bool", "bool", "xor"),
    Case("V37", "%x = less_than «%z», %z : bool", "no order", "abs"),
    Case("V37", "%x = equal %f, «%d» : bool", "f64", ""),
    Case("V37", "%x = equal %f, %f : «i32»", "equal: out must be bool", ""),
    Case("V37", spmd("%x = equal «%c», %c : bool"), "coopmatrix", "apply"),
]

WARNINGS = [
    Case("V19", "%x = constant «1e-60» : f32", "becomes 0", "f64"),
    Case("V19", "%x = constant «[1e-60,1.0]» : c32", "becomes 0", "c64"),
    Case("V38", "%n = constant 32 : i32 %x = shl %k, «%n» : i32", "modulo 32", "0 to 31"),
    Case("V38", "%n = constant -1 : i32 %x = shr %k, «%n» : i32", "shifts by 31", "0 to 31"),
]


RIGHT = [
    "%x = constant -128 : i8 %y = constant -9223372036854775808 : i64 %z1 = constant inf : f16",
    "%x = constant [nan,-inf] : c64 %y = constant false : bool %q = constant 65504.0 : f16",
    "%x = not %b : bool %y = xor %x, %b : bool %n = not %k : i32 %q = abs %z : f32 %r = neg %z : c32",
    "%x = cast %z : c64 %y = cast %f : c32 %q = cast %f : i8 %r = cast %k : bf16",
    "%x = equal %z, %z : bool %y = not_equal %k, %k : bool %q = less_than %f, %f : bool",
    "%x = exp %z : c32 %y = native_exp2 %z : c32 %q = native_cos %h : f16",
    "%x = div %f, %zero : f32 %n = constant 31 : i32 %y = shl %k, %n : i32",
    spmd("%x = cast %c : coopmatrix<f64x16x4,matrix_acc> %q = cast %c : coopmatrix<f32x16x4,matrix_b>"),
    spmd("%x = abs %y : coopmatrix<f32x16x4,matrix_acc> %q = constant 1.0 : coopmatrix<f32x16x4,matrix_acc>"),
    "%n = size %A[0] : index %x = div %i, %n : index",
]

test_errors = each_is(Severity.ERROR, ERRORS)
test_warnings = each_is(Severity.WARNING, WARNINGS)
test_right_ones = each_is_clean(RIGHT)


def test_a_long_chain_of_definitions_costs_little() -> None:
    chain = "\n".join(f"%n{k + 1} = add %n{k}, %n{k} : index" for k in range(200))
    clean(f"%n0 = size %D[0] : index\n{chain}\n%x = div %i, %n200 : index")
