"""Regions: V20 to V23, V43 to V45."""

from __future__ import annotations

from tilewright.diagnostics import Severity
from verifier.marked import Case, clean, each_is, each_is_clean, spmd

FOREACH = "foreach (%j)=(%c0),(%i) { %x = cooperative_matrix_construct %f : coopmatrix<f32x16x8,matrix_a> }"

ERRORS = [
    Case("V20", "parallel { «gemm» %one, %A, %B, %zero, %C }", "gemm is collective", "out of parallel"),
    Case("V20", "foreach (%j)=(%c0),(%i) { «parallel» { } }", "parallel is collective", "out of foreach"),
    Case(
        "V20",
        "foreach_tile (%j)=(%c0),(%i) as (%e)<=(16) { if %b { «foreach» (%q)=(%j),(%e) { } } }",
        "foreach is collective",
        "out of foreach_tile",
    ),
    Case("V20", "parallel { %t = «alloca» : memref<f32x4,local> }", "alloca is collective", "out of parallel"),
    Case(
        "V20", "%t = alloca : memref<f32x4,local> parallel { «lifetime_stop» %t }", "lifetime_stop", "out of parallel"
    ),
    Case(
        "V20",
        spmd(
            "%x = cooperative_matrix_apply (%r,%q,%e)=%c -> coopmatrix<f32x16x4,matrix_acc>"
            " { «cumsum» %one, %v, 0, %zero, %v yield (%e) }"
        ),
        "cumsum",
        "cooperative_matrix_apply",
    ),
    Case("V21", "%x = «subgroup_local_id» : i32", "single work-items", "parallel"),
    Case("V21", "%x = «subgroup_id».y : i32", "single work-items", "parallel"),
    Case("V21", "%x = «subgroup_reduce_add» %f : f32", "single work-items", "parallel"),
    Case("V21", "%x = «cooperative_matrix_construct» %f : coopmatrix<f32x16x8,matrix_a>", "single", "foreach_tile"),
    Case("V21", "if %b { «cooperative_matrix_prefetch» 0, %A[%i,%i], 4, 4 }", "single", "foreach_tile"),
    Case("V22", "«yield (%f)»", "a function returns nothing", "store the value"),
    Case("V22", "parallel { «yield ()» }", "parallel returns nothing", "store the value"),
    Case("V22", "foreach (%j)=(%c0),(%i) { «yield (%f)» }", "foreach returns nothing", "store the value"),
    Case("V22", "foreach_tile (%j)=(%c0),(%i) as (%e)<=(16) { «yield (%f)» }", "foreach_tile returns", "store"),
    Case("V22", "%x = «if» %b -> (f32) { yield (%f) }", "needs an else", "condition is false"),
    Case("V22", "%x = «if» %b -> (f32) { yield (%f) } else { }", "yields nothing, but f32", "yield (..)"),
    Case("V22", "%x = if %b -> (f32) { yield (%f) } else { «yield (%f,%f)» }", "2 values yielded, but 1", "f32"),
    Case("V22", "%x = if %b -> (f32) { yield (%f) } else { yield («%d») }", "%d is f64, but f32", "f32"),
    Case("V22", "%x,%y = if %b -> (f32,i32) { yield (%f,«%f») } else { yield (%f,%k) }", "but i32", "i32"),
    Case("V22", "if %b { «yield (%f)» }", "1 value yielded, but 0 wanted", "drop the yield"),
    Case("V22", "if %b { «yield ()» store %f, %s[] }", "last instruction", "end"),
    Case("V22", "%x = «for» %j=%c0,%i init(%e=%f)->(f32) { }", "for yields nothing, but f32", "yield (..)"),
    Case("V22", "%x = for %j=%c0,%i init(%e=%f)->(f32) { yield («%j») }", "%j is index, but f32", "f32"),
    Case(
        "V22",
        spmd("%x = «cooperative_matrix_apply» (%r,%q,%e)=%c -> coopmatrix<f32x16x4,matrix_acc> { }"),
        "yields nothing, but f32",
        "yield",
    ),
    Case(
        "V22",
        spmd("%x = cooperative_matrix_apply (%r,%q,%e)=%c -> coopmatrix<f32x16x4,matrix_acc> { yield («%r») }"),
        "%r is i32, but f32",
        "f32",
    ),
    Case(
        "V23",
        spmd("%x = cooperative_matrix_apply (%r,%q,%e)=%c -> coopmatrix<f32x16x4,matrix_acc> { «barrier» yield (%e) }"),
        "cannot stand in cooperative_matrix_apply",
        "single components",
    ),
    Case(
        "V23",
        spmd(
            "%x = cooperative_matrix_apply (%r,%q,%e)=%c -> coopmatrix<f32x16x4,matrix_acc>"
            " { %u = «subgroup_reduce_add» %e : f32 yield (%u) }"
        ),
        "subgroup_reduce_add",
        "single",
    ),
    Case("V43", "«foreach (%j,%e)=(%c0),(%i)» { }", "2 variables, 1 lower bound and 1 upper bound", "same number"),
    Case("V43", "«foreach (%j)=(%c0),()» { }", "0 upper bounds", "same number"),
    Case("V43", "foreach (%j)=(%c0),(«%k») { }", "mode 0 counts from index to i32", "cast %k to index"),
    Case("V43", "foreach (%j)=(«%f»),(%i) { }", "must be an integer", ""),
    Case("V43", "«foreach_tile (%j)=(%c0),(%i,%i) as (%e)<=(16)» { }", "2 upper bounds", "same number"),
    Case("V43", "foreach_tile (%j)=(%c0),(%i) as (%e)<=«(16,8)» { }", "2 tile extents for 1 variable", "five lists"),
    Case("V44", "foreach_tile (%j)=(%c0),(%i) as (%e)<=(«0») { }", "0 is not positive", "at least one"),
    Case("V44", "foreach_tile (%j,%e)=(%c0,%c0),(%i,%i) as (%p,%q)<=(16,«-8») { }", "-8 is not positive", "one"),
    Case("V44", "foreach_tile (%j)=(%c0),(%i) as (%e)<=(«24») { }", "multiple of the subgroup size 16", "32 rows"),
    Case("V45", "for %j=%c0,«%k» { }", "upper has type i32, but index", ""),
    Case("V45", "for %j=%c0,%i,«%k» { }", "counts in index, its step is i32", "cast"),
    Case("V45", "for %j=«%f»,%f { }", "must be an integer", ""),
    Case("V45", "for %j=%c0,%i,«%c0» { }", "a step of 0", "positive"),
    Case("V45", "%n = sub %c0, %c1 : index for %j=%c0,%i,«%n» { }", "a step of -1", "positive"),
    Case("V45", "for %j=%c0,%i init(%e=%f,%q=%f)->«(f32)» { yield (%f) }", "2 initial values, but 1 carried", "each"),
    Case("V45", "for %j=%c0,%i init(%e=«%d»)->(f32) { yield (%f) }", "%d is f64, f32 is carried", "initial value"),
    Case("V45", "for %j=%c0,%i { } attributes{«unroll=0»}", "unrolled 0 times", "positive"),
    Case("V22", "if «%k» { }", "must be bool", ""),
]

WARNINGS = [
    Case("V23", "foreach (%j)=(%c0),(%i) { «barrier» }", "barrier in foreach", "parallel"),
    Case("V23", "foreach_tile (%j)=(%c0),(%i) as (%e)<=(16) { «barrier».local }", "in foreach_tile", "parallel"),
    Case("V23", "foreach (%j)=(%c0),(%i) { %x = «subgroup_reduce_add» %f : f32 }", "not all", "foreach_tile"),
    Case("V23", FOREACH.replace("cooperative_matrix_construct", "«cooperative_matrix_construct»"), "not all", "tile"),
    Case("V23", "parallel { %p = subgroup_local_id : i32 %q = less_than %p, %k : bool if %q { «barrier» } }",
         "not all work-items reach this barrier", "condition"),
    Case("V23", "parallel { %p = subgroup_local_id : i32 %n = constant 0 : i32 for %q=%n,%p {"
                " %x = «subgroup_reduce_add» %f : f32 } }", "not all work-items reach this", "condition"),
]  # fmt: skip


RIGHT = [
    "parallel { %p = subgroup_local_id : i32 %q = subgroup_id.x : i32 barrier.global }",
    "if %b { gemm %one, %A, %B, %zero, %C } else { for %j=%c0,%i { axpby %one, %A, %one, %A } }",
    "foreach (%j,%e)=(%c0,%k),(%i,%k) { %x = add %e, %k : i32 }",
    "foreach_tile (%j,%e)=(%c0,%k),(%i,%k) as (%p,%q)<=(32,3) { %x = add %p, %j : index }",
    "%x,%y = if %b -> (f32,i32) { yield (%f,%k) } else { yield (%f,%k) } if %b { yield () }",
    "%x = for %j=%c0,%i,%c1 init(%e=%f)->(f32) { yield (%e) } attributes{unroll=true}",
    "parallel { if %b { barrier } for %j=%c0,%i { %x = subgroup_reduce_max %j : index } }",
    "parallel { %p = subgroup_local_id : i32 %n = sub %p, %p : i32 for %q=%n,%k { barrier } }",
    spmd(
        "%x = cooperative_matrix_apply (%r,%q,%e)=%c -> coopmatrix<f32x16x4,matrix_acc>"
        " { %p = subgroup_local_id : i32 yield (%e) }"
    ),
    "barrier %t = alloca : memref<f32x4,local>",
]

test_errors = each_is(Severity.ERROR, ERRORS)
test_warnings = each_is(Severity.WARNING, WARNINGS)
test_right_ones = each_is_clean(RIGHT)


def test_a_chain_of_varying_values_costs_little() -> None:
    chain = "\n".join(f"%n{k + 1} = add %n{k}, %n{k} : i32" for k in range(200))
    clean(f"parallel {{ %n0 = subgroup_size : i32\n{chain}\n%p = less_than %n200, %k : bool if %p {{ barrier }} }}")
