"""Types, attributes and the shape of the work-group: V9 to V18, V24."""

from __future__ import annotations

from tilewright.diagnostics import Severity
from verifier.marked import Case, each_is, each_is_clean, kernel, spmd


def parameter(type_: str) -> str:
    return f"func @f(%x: «{type_}») {{}}"


ERRORS = [
    Case("V9", parameter("memref<boolx4>"), "bool", "i8"),
    Case("V9", parameter("group<memref<boolx4>x?>"), "bool", "i8"),
    Case("V9", "%x = alloca : «memref<boolx4,local>»", "bool", "i8"),
    Case("V9", spmd("%x = cooperative_matrix_load %A[%i,%i] : «coopmatrix<boolx16x4,matrix_a>»"), "bool", "i8"),
    Case("V10", parameter("memref<f32x-4>"), "-4 is negative", "`?`"),
    Case("V10", parameter("memref<f32x4,strided<-1>>"), "-1 is negative", "`?`"),
    Case("V11", parameter("memref<f32x4x4,strided<1>>"), "1 stride for 2 modes", "one stride for each mode"),
    Case("V11", parameter("memref<f32,strided<1>>"), "1 stride for 0 modes", "one stride"),
    Case("V12", parameter("memref<f32x4x4,strided<4,1>>"), "stride 1 of mode 1 is less than 16", "swap"),
    Case("V12", parameter("memref<f32x4x4,strided<1,3>>"), "stride 3 of mode 1 is less than 4", "at least 4"),
    Case("V12", parameter("memref<f32x4,strided<0>>"), "stride 0 of mode 0 is less than 1", "at least 1"),
    Case("V12", parameter("memref<f32x4x?x2,strided<1,?,3>>"), "stride 3 of mode 2 is less than 4", "at least 4"),
    Case("V12", parameter("memref<f32x4x?x8x2,strided<1,?,?,31>>"), "less than 32", "at least 32"),
    Case("V13", parameter("memref<f64x1099511627776x1099511627776>"), "2^63", "memory"),
    Case("V13", parameter("memref<i8x2,strided<9223372036854775807>>"), "2^63", "memory"),
    Case("V14", parameter("group<memref<f32x4,local>x4>"), "global memory", "drop `local`"),
    Case("V14", parameter("group<memref<f32x4>x-1>"), "-1 memrefs", "`?`"),
    Case("V15", spmd("%x = cast %c : «coopmatrix<f32x0x4,matrix_acc>»"), "no elements", "at least 1"),
    Case("V15", spmd("%x = cast %c : «coopmatrix<f32x16x-1,matrix_acc>»"), "no elements", "at least 1"),
    Case("V15", spmd("%x = cast %c : «coopmatrix<f32x24x4,matrix_acc>»"), "24 rows", "use 32 rows"),
    Case("V15", spmd("%x = cast %c : «coopmatrix<f32x1024x128,matrix_acc>»"), "too large", "split"),
    Case("V16", "func @f(%x: memref<f32x4> {«alignment=6»}) {}", "no multiple of 4", "write 8"),
    Case("V16", "func @f(%x: memref<f32x4> {«alignment=0»}) {}", "positive", "4"),
    Case("V16", "func @f(%x: memref<f32x4> {«alignment=true»}) {}", "positive", "4"),
    Case("V16", "func @f(%x: memref<f32x4> {«alignment=-16»}) {}", "positive", "4"),
    Case("V16", "func @f(%x: group<memref<c64x4>x?> {«alignment=8»}) {}", "no multiple of 16", "write 16"),
    Case("V16", "func @f(%x: memref<f32x?> {«shape_gcd=4»}) {}", "list of positive integers", "shape_gcd=[4]"),
    Case("V16", "func @f(%x: memref<f32x?> {«shape_gcd=[0]»}) {}", "list of positive", "[4]"),
    Case(
        "V16",
        "func @f(%x: memref<f32x?> {«stride_gcd=[1,2]»}) {}",
        "2 entries for 1 mode",
        "mode",
    ),
    Case("V16", "func @f(%x: memref<f32x6> {«shape_gcd=[4]»}) {}", "divide extent 6", "2 is one"),
    Case("V16", "func @f(%x: memref<f32x6x?> {«stride_gcd=[1,4]»}) {}", "divide stride 6", "2"),
    Case("V16", "func @f(%x: memref<f32x6> {«subgroup_size=16»}) {}", "a parameter has no attribute", "`alignment`"),
    Case("V16", "func @f(%x: group<memref<f32x6>x?> {alignment=4,«unroll=1»}) {}", "no attribute", "`stride_gcd`"),
    Case("V16", "%x = alloca {«alignment=2»} : memref<f32x4,local>", "no multiple of 4", "write 4"),
    Case("V16", 'func @f(%x: memref<f32x4> {"a"=1, «"noalias"=1»}) {}', "true or false", '"noalias"=true'),
    Case("V17", "func @f() attributes{«subgroup_size=12»} {}", "subgroups of 12", "16"),
    Case("V17", "func @f() attributes{«subgroup_size=true»} {}", "is an integer", "16"),
    Case("V17", "func @f() attributes{«work_group_size=16»} {}", "two positive integers", "[64,1]"),
    Case("V17", "func @f() attributes{«work_group_size=[16]»} {}", "two positive", "[64,1]"),
    Case("V17", "func @f() attributes{«work_group_size=[0,1]»} {}", "two positive", "[64,1]"),
    Case("V17", "func @f() attributes{«work_group_size=[4096,2]»} {}", "8192 work-items", "4096"),
    Case("V17", "func @f() attributes{«work_group_size=[4097,1]»} {}", "4097 work-items", "4096"),
    Case(
        "V17",
        "func @f() attributes{subgroup_size=16, «work_group_size=[24,1]»} {}",
        "no multiple of the subgroup size 16",
        "use 32 rows",
    ),
    Case("V18", "func @f(%x: f32 {«alignment=4»}) {}", "f32 and has no attributes", "drop"),
    Case("V18", 'func @f(%x: f32 {«"made"=4»}) {}', "f32 and has no attributes", "drop"),
    Case("V24", parameter("coopmatrix<f32x16x16,matrix_a>"), "registers", "memref"),
]

WARNINGS = [
    Case("V10", parameter("memref<f32x4x0>"), "mode 1 has extent 0", "`?`"),
    Case("V10", parameter("memref<f32x4x0x3>"), "mode 1 has extent 0", "`?`"),
    Case("V10", parameter("memref<f32x0,strided<1>>"), "mode 0 has extent 0", "`?`"),
]


RIGHT = [
    "func @f(%x: memref<f32x4x4,strided<1,4>>) {}",
    "func @f(%x: memref<f32x4x4,strided<2,9>,local>) {}",
    "func @f(%x: memref<f32x?x4x?,strided<?,?,?>>) {}",
    "func @f(%x: memref<f32x?x4,strided<3,3>>) {}",
    "func @f(%x: memref<f32x4x4x4,strided<1,4,16>>) {}",
    "func @f(%x: memref<i8x9223372036854775807>) {}",
    "func @f(%x: group<memref<f32x4>x0, offset: 3>) {}",
    "func @f(%x: memref<f32x12x?> {alignment=64, shape_gcd=[4,8], stride_gcd=[1,6]}) {}",
    'func @f(%x: memref<f32x12> {"noalias"=true}) {}',
    "func @f() attributes{subgroup_size=16, work_group_size=[32,2]} {}",
    "func @f() attributes{work_group_size=[48,1]} {}",
    "func @f() attributes{work_group_size=[4096,1]} {}",
    "func @f() attributes{subgroup_size=32} {}",
    kernel(spmd("%x = cooperative_matrix_construct %f : coopmatrix<f32x48x3,matrix_acc>")),
    "%x = alloca {alignment=64} : memref<f32x4,local>",
    kernel("for %n=%c0,%i {} attributes{unroll=4}"),
]

test_errors = each_is(Severity.ERROR, ERRORS)
test_warnings = each_is(Severity.WARNING, WARNINGS)
test_right_ones = each_is_clean(RIGHT)
