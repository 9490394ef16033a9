"""Every instruction and modifier: parses without errors, prints, reads back to the same IR; formatting keeps the IR."""

from __future__ import annotations

import itertools

import pytest

from frontends.tensor_language.reading import clean, kernel, spmd
from tilewright.diagnostics import Report, Source
from tilewright.dialects import tl
from tilewright.frontends.tensor_language import NotInLanguage, format_source, print_module
from tilewright.ir.printer import print_op

MATRIX = "coopmatrix<f32x16x8,matrix_acc>"
SCOPES = ("", ".cross_device", ".device", ".work_group", ".subgroup")
ORDERS = ("", ".relaxed", ".acquire", ".release", ".acquire_release", ".sequentially_consistent")
TRANSPOSES = ("", ".t", ".n")
CHECKS = ("", ".rows_checked", ".cols_checked", ".both_checked")

COLLECTIVE = [
    "%t = alloca : memref<f32x4,local>",
    '%t = alloca {alignment=64, "why"=["x",1,true,{"y"=-1},[]]} : memref<f32x4,local> lifetime_stop %t',
    *(f"{op}{at}{t} %f, %A, %f, %A" for op in ("axpby", "sum") for at in ("", ".atomic") for t in TRANSPOSES),
    *(f"cumsum{at} %f, %A, 1, %f, %A" for at in ("", ".atomic")),
    *(
        f"gemm{at}{ta}{tb} %f, %A, %A, %f, %A"
        for at, ta, tb in itertools.product(("", ".atomic"), (".t", ".n"), TRANSPOSES)
    ),
    *(f"gemv{at}{t} %f, %A, %v, %f, %v" for at in ("", ".atomic") for t in TRANSPOSES),
    *(f"{op}{at} %f, %v, %v, %f, %A" for op in ("ger", "hadamard") for at in ("", ".atomic")),
    "foreach (%x)=(%i),(%i) { }",
    "foreach (%x,%y)=(%i,%k),(%i,%k) { %c = add %y, %k : i32 }",
    "foreach_tile (%x,%y)=(%i,%i),(%i,%i) as (%h,%w)<=(32,8) { %c = add %h, %x : index }",
    "parallel { }",
    "barrier barrier.global barrier.local barrier.global.local",
]
MIXED = [
    *(
        f"%r = {op} %k, %k : i32"
        for op in ("add", "sub", "mul", "div", "rem", "max", "min", "shl", "shr", "and", "or", "xor")
    ),
    *(f"%r = {op} %z : c32" for op in ("neg", "conj")),
    *(f"%r = {op} %z : f32" for op in ("abs", "im", "re")),
    "%r = not %b : bool",
    *(
        f"%r = {op} %k, %k : bool"
        for op in ("equal", "not_equal", "greater_than", "greater_than_equal", "less_than", "less_than_equal")
    ),
    *(f"%r = {n}{op} %f : f32" for op in ("cos", "sin", "exp", "exp2", "log", "log2") for n in ("", "native_")),
    "%r = cast %f : c64",
    "%r = associated %G : bool %s = associated %A : bool",
    *(f"%r = {op}.{d} : index" for op in ("group_id", "num_groups") for d in "xyz"),
    *(f"%r = num_subgroups.{d} : i32" for d in "xyz"),
    "%r = subgroup_size : i32",
    "%r = size %M[2] : index %s = size %G[0] : index",
    "%r = load %A[%i,%i] : f32 %s = load %G[%i] : memref<f32x8x?>",
    "store %f, %v[%i]",
    *(f"%r = atomic_load{s}{o} %v[%i] : f32" for s in SCOPES for o in ORDERS),
    *(f"atomic_store{s}{o} %f, %v[%i]" for s in SCOPES for o in ORDERS),
    *(f"%r = atomic_{k}{s}.relaxed %k, %I[%i] : i32" for k in ("add", "max", "min") for s in SCOPES),
    "%r = expand %M[0->4x8] : memref<f32x4x8x4x?x64>",
    "%r = expand %M[2->%i x 2 x %i] : memref<f32x32x4x?x2x?x64>",
    "%r = fuse %M[0,1] : memref<f32x128x?x64>",
    "%r = subview %M[0:4,%i,1:%i,%i:%i] : memref<f32x4x?x?,strided<1,?,?>>",
    "%r = subview %M[0:4,3:0,%i:0,5] : memref<f32x4>",
    "if %b { } if %b { } else { } if %b { yield () }",
    "%p, %q = if %b -> (f32,bool) { yield (%f, %b) } else { yield (%f, %b) }",
    "for %n=%i,%i { } for %n=%k,%k,%k { } attributes{unroll=true}",
    '%p, %q = for %n=%i,%i init(%x=%f,%y=%k) -> (f32,i32) { yield (%x, %y) } attributes{unroll=4, "x"=1}',
    "for %n=%i,%i init(%x=%f) -> (f32) { yield (%x) }",
    *(
        f"%r = constant {v}"
        for v in (
            "true : bool",
            "false : bool",
            "-128 : i8",
            "+7 : i16",
            "-9223372036854775808 : i64",
            "007 : index",
            "1.0 : f32",
            "1. : f32",
            ".5 : bf16",
            "-1e5 : f16",
            "1E-5 : f64",
            "0x1.8p3 : f32",
            "0X.8P-1 : f64",
            "0x1p-1074 : f64",
            "-0.0 : f32",
            "inf : f32",
            "-inf : f64",
            "nan : f32",
            "[1.0,-2.5e0] : c32",
            "[inf,nan] : c64",
            f"1.0 : {MATRIX}",
        )
    ),
]
SPMD = [
    *(f"%r = subgroup_id.{d} : i32" for d in "xyz"),
    "%r = subgroup_linear_id : i32 %s = subgroup_local_id : i32",
    "%r = subgroup_broadcast %f, %k : f32",
    *(
        f"%r = subgroup_{way}_{k} %f : f32"
        for way in ("exclusive_scan", "inclusive_scan", "reduce")
        for k in ("add", "max", "min")
    ),
    *(f"%r = cooperative_matrix_load{t}{c} %A[%i,%i] : {MATRIX}" for t in TRANSPOSES for c in CHECKS),
    *(f"cooperative_matrix_store{t}{c} %X, %A[%i,%i]" for t in TRANSPOSES for c in CHECKS),
    *(f"%r = cooperative_matrix_atomic_load.t{c}{s}.acquire %A[%i,%i] : {MATRIX}" for c in CHECKS for s in SCOPES),
    *(f"cooperative_matrix_atomic_store{c}{s} %X, %A[%i,%i]" for c in CHECKS for s in SCOPES),
    *(f"%r = cooperative_matrix_atomic_{k}.t.rows_checked %X, %A[%i,%i] : {MATRIX}" for k in ("add", "max", "min")),
    "cooperative_matrix_prefetch 1, %A[%i,%i], 16, 8",
    f"%r = cooperative_matrix_insert %f, %X[2] : {MATRIX} %s = cooperative_matrix_extract %X[0] : f32",
    f"%r = cooperative_matrix_scale %f, %X : {MATRIX}",
    f"%r = cooperative_matrix_mul_add %X, %X, %X : {MATRIX}",
    *(
        f"%r = cooperative_matrix_reduce_{k}.{way} %X : coopmatrix<f32x16x1,matrix_acc>"
        for k in ("add", "max", "min")
        for way in ("row", "column")
    ),
    f"%r = cooperative_matrix_apply (%p,%q,%v1)=%X -> {MATRIX} {{ %c = add %v1, %v1 : f32 yield (%c) }}",
]
FUNCTIONS = [
    "func @0() { }",
    "func @for(%for: f32, %07: i8) attributes{subgroup_size=16, work_group_size=[32,2]} { %x = add %7, %7 : i8 }",
    'func @f(%a: memref<f32> {alignment=64, "noalias"=true}, %b: group<memref<c32x2x?,strided<2,?>>x4, offset: ?>'
    ' {shape_gcd=[2,4], stride_gcd=[]}) attributes{"x"={}} { }',
    "func @f(%a: coopmatrix<i8x8x8,matrix_a>, %b: group<memref<f32x4>x?, offset: 0>, %c: memref<f32x4,global>) { }",
    "func @f(%a: memref<f32x4x5,strided<1,4>,local>, %b: memref<f32x4x5,strided<1,5>,global>) { } func @g() { }",
]


def check(text: str) -> None:
    module = clean(text)
    printed = print_module(module)
    again = clean(printed)
    assert print_op(again) == print_op(module)
    assert print_module(again) == printed
    report = Report()
    formatted = format_source(Source("f", text), report)
    assert not report.has_errors
    assert print_op(clean(formatted)) == print_op(module)
    assert format_source(Source("g", formatted), report) == formatted
    assert format_source(Source("p", printed), report) == printed


@pytest.mark.parametrize("body", [*COLLECTIVE, *MIXED])
def test_collective_and_mixed(body: str) -> None:
    check(kernel(body))


@pytest.mark.parametrize("body", SPMD)
def test_spmd(body: str) -> None:
    check(spmd(body))


@pytest.mark.parametrize("text", FUNCTIONS)
def test_functions(text: str) -> None:
    check(text)


def test_results_may_repeat_names_of_the_region() -> None:
    # The seed's Fibonacci example.
    body = "%p1, %p = for %n=%i,%i init(%p2=%f,%p1=%f) -> (f32,f32) { %p = add %p2, %p1 : f32 yield (%p1, %p) }"
    module = clean(kernel(body))
    assert "%p1, %p = for %n=%i,%i init(%p2=%f,%p1=%f)" in print_module(module)


def test_deep_nesting_prints() -> None:
    check(kernel("if %b { " * 250 + "}" * 250))


def test_printing_refuses_what_the_language_cannot_say() -> None:
    module = clean(kernel("%t = alloca : memref<f32x4,local>"))
    op = module.kernels[0].body.entry.first
    assert op is not None
    op.attributes["offset"] = 0
    with pytest.raises(NotInLanguage, match="stack"):
        print_module(module)


def test_printing_refuses_products_of_unsigned_factors() -> None:
    module = clean(kernel("gemm %f, %A, %A, %f, %A"))
    [product] = [op for op in module.walk() if isinstance(op, tl.Gemm)]
    product.attributes["unsigned_b"] = True
    with pytest.raises(NotInLanguage, match="unsigned"):
        print_module(module)
