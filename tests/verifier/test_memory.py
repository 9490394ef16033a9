"""Memory: V6 (lifetimes), V25 to V33."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import Severity
from verifier.marked import Case, clean, each_is, each_is_clean, spmd

ALLOCA = "%t = alloca : memref<f32x8x4,local>\n"

ERRORS = [
    Case("V6", ALLOCA + "lifetime_stop %t axpby %one, «%t», %zero, %A", "after its lifetime", "behind the last use"),
    Case(
        "V6",
        ALLOCA + "%u = subview %t[0:8,0] : memref<f32x8,local> lifetime_stop %t axpby %one, «%u», %zero, %w",
        "after its lifetime",
        "behind the last use",
    ),
    Case("V6", ALLOCA + "lifetime_stop %t if %b { store %f, «%t»[%c0,%c0] }", "after its lifetime", "behind"),
    Case("V6", "lifetime_stop «%l»", "no allocation", "alloca"),
    Case("V6", ALLOCA + "%u = subview %t[0:4,0] : memref<f32x4,local> lifetime_stop «%u»", "no allocation", "alloca"),
    Case("V25", "%x = alloca : «memref<f32x?,local>»", "size of an allocation must be known", "number"),
    Case("V25", "%x = alloca : «memref<f32x4,strided<?>,local>»", "must be known", "number"),
    Case("V25", "%x = alloca : «memref<f32x4>»", "local memory", "memref<f32x4,local>"),
    Case("V25", "%x = alloca {«alignment=256»} : memref<f32x4,local>", "256", "up to 128"),
    Case("V25", "%x = alloca {«alignment=12»} : memref<f32x4,local>", "12", "power of two"),
    Case("V26", "%x = expand %A[«2»->2x2] : memref<f32x8x2x2>", "no mode 2", "0 to 1"),
    Case("V26", "%x = expand %A[«-1»->2x2] : memref<f32x2x2x4>", "no mode -1", "0 to 1"),
    Case("V26", "%x = expand %s[«0»->2x2] : memref<f32x2x2>", "no mode 0", "no modes"),
    Case("V26", "%x = expand %A[0->«0»x8] : memref<f32x8x8x4>", "extent 0 is not positive", "at least 1"),
    Case("V26", "%x = expand %A[0->2x«-4»] : memref<f32x2x4x4>", "extent -4 is not positive", "at least 1"),
    Case("V26", "%x = expand %A[0->4 x «%c0»] : memref<f32x4x?x4>", "extent 0 is not positive", "at least 1"),
    Case("V26", "%x = expand %A[0->«2x3»] : memref<f32x2x3x4>", "multiply to 6, which does not equal 8", "place"),
    Case("V26", "%x = expand %A[0->«2x8»] : memref<f32x2x8x4>", "multiply to 16, which does not equal 8", "place"),
    Case("V26", "%x = expand %A[0->«3 x %i»] : memref<f32x3x?x4>", "3, which does not divide 8", "place"),
    Case("V26", "%x = expand %A[0->«%k» x 2] : memref<f32x?x2x4>", "must be index", ""),
    Case("V26", "%x = expand %A[0->2x4] : «memref<f32x2x4>»", "3 modes, not 2", "memref<f32x2x4x4>"),
    Case("V26", "%x = expand %A[0->2x4] : «memref<f32x4x2x4>»", "shape is 2x4x4, not 4x2x4", "memref<f32x2x4x4>"),
    Case("V26", "%x = expand %A[0->2x4] : «memref<f64x2x4x4>»", "elements stay f32", "memref<f32x2x4x4>"),
    Case("V26", "%x = expand %A[0->2x4] : «memref<f32x2x4x4,local>»", "global memory", "memref<f32x2x4x4>"),
    Case("V26", "%x = expand %A[0->2x4] : «memref<f32x2x4x4,strided<1,2,16>>»", "stride of mode 2 is 8", "f32x2x4x4>"),
    Case("V26", "%x = expand %D[0->2 x %i] : «memref<f32x2x2x?>»", "shape is 2x?x?, not 2x2x?", "f32x2x?x?"),
    Case("V27", "%x = fuse %A[«2»,3] : memref<f32x32>", "no mode 2", "0 to 1"),
    Case("V27", "%x = fuse %A[0,«2»] : memref<f32x32>", "no mode 2", "0 to 1"),
    Case("V27", "%x = fuse %A[1,«0»] : memref<f32x32>", "no range", "later"),
    Case("V27", "%x = fuse %A[0,«0»] : memref<f32x8x4>", "no range", "later"),
    Case(
        "V27",
        "%u = subview %A[0:4,0:4] : memref<f32x4x4,strided<1,8>> %x = «fuse» %u[0,1] : memref<f32x16>",
        "one reaches to 4, the next has stride 8",
        "gap",
    ),
    Case("V27", "%x = fuse %A[0,1] : «memref<f32x31>»", "shape is 32, not 31", "memref<f32x32>"),
    Case("V27", "%x = fuse %T[1,2] : «memref<f32x64>»", "2 modes, not 1", "memref<f32x4x16>"),
    Case("V28", "«%x = subview %A[0:4] : memref<f32x4>»", "1 entry for 2 modes", "one entry for each mode"),
    Case("V28", "«%x = subview %A[] : memref<f32>»", "0 entries for 2 modes", "one entry for each mode"),
    Case("V28", "%x = subview %A[0:4,0:4] : «memref<f32x4>»", "2 modes, not 1", "memref<f32x4x4,strided<1,8>>"),
    Case("V28", "%x = subview %A[0:4,1] : «memref<f32x4x4>»", "1 mode, not 2", "memref<f32x4>"),
    Case("V28", "%x = subview %A[«-1»:4,0:4] : memref<f32x4x4>", "offset -1", "at least 0"),
    Case("V28", "%x = subview %A[0:«-4»,0:4] : memref<f32x4x4>", "size -4", "at least 0"),
    Case("V28", "%x = subview %A[0:«9»,0:4] : memref<f32x9x4>", "ends at 9, but mode 0 has 8 elements", "are 8"),
    Case("V28", "%x = subview %A[6:«4»,0:4] : memref<f32x4x4>", "ends at 10", "from 6 on there are 2"),
    Case("V28", "%x = subview %A[%i:«9»,0:4] : memref<f32x9x4>", "ends at 9", "at most 8"),
    Case("V28", "%x = subview %A[«8»,0:4] : memref<f32x4,strided<8>>", "8 is outside mode 0", "0 to 7"),
    Case("V28", "%x = subview %A[«8»:0,0:4] : memref<f32x4,strided<8>>", "has 8 elements", "dropped"),
    Case("V28", "%n = constant 5 : index %x = subview %A[%n:«4»,0:4] : memref<f32x4x4>", "ends at 9", "are 3"),
    Case("V28", "%n = constant 9 : index %x = subview %A[0:«%n»,0:4] : memref<f32x?x4>", "ends at 9", "are 8"),
    Case("V28", "%x = subview %A[«%k»:4,0:4] : memref<f32x4x4>", "must be index", ""),
    Case("V28", "%x = subview %A[0:«%k»,0:4] : memref<f32x?x4>", "must be index", ""),
    Case("V28", "%x = subview %A[0:4,0:4] : «memref<f32x4x4>»", "stride of mode 1 is 8, not 4", "strided<1,8>"),
    Case("V28", "%x = subview %A[0:%i,0:4] : «memref<f32x4x4,strided<1,8>>»", "shape is ?x4", "f32x?x4"),
    Case("V28", "%x = subview %l[0:4,0] : «memref<f32x4>»", "local memory", "memref<f32x4,local>"),
    Case("V29", "%x = size %A[«2»] : index", "no mode 2", "0 to 1"),
    Case("V29", "%x = size %A[«-1»] : index", "no mode -1", "0 to 1"),
    Case("V29", "%x = size %G[«1»] : index", "a group has no mode 1", "mode 0 only"),
    Case("V29", "%x = size «%f»[0] : index", "memref or group", ""),
    Case("V29", "%x = size %A[0] : «i32»", "must be index", ""),
    Case("V30", "«%x = load %A[%i] : f32»", "1 index for %A of order 2", "one index for each mode"),
    Case("V30", "«store %f, %A[%i,%i,%i]»", "3 indices for %A of order 2", "one index for each mode"),
    Case("V30", "%x = load %A[%i,«%k»] : f32", "must be index", "cast it to index"),
    Case("V30", "store %f, %A[«%k»,%i]", "must be index", ""),
    Case("V30", "%x = load %A[%i,%i] : «f64»", "elements of %A are f32, not f64", "write f32"),
    Case("V30", "store «%d», %A[%i,%i]", "%d is f64, %A holds f32", "cast %d : f32"),
    Case("V30", "store %f, «%f»[]", "must be a memref", ""),
    Case("V31", "%x = load %G[%i] : «memref<f32x8x5>»", "not memref<f32x8x5>", "memref<f32x8x4>"),
    Case("V31", "%n = constant 5 : index %x = load %G[«%n»] : memref<f32x8x4>", "outside the group of 5", "0 to 4"),
    Case("V31", "%n = constant -1 : index %x = load %G[«%n»] : memref<f32x8x4>", "outside the group", "0 to 4"),
    Case("V31", "%x = load %G[«%k»] : memref<f32x8x4>", "must be index", ""),
    Case("V32", "%n = constant 8 : index %x = load %A[«%n»,%i] : f32", "index 8 is outside mode 0", "0 to 7"),
    Case("V32", "%n = constant 4 : index store %f, %A[%i,«%n»]", "index 4 is outside mode 1", "0 to 3"),
    Case("V32", "%n = constant -1 : index %x = load %D[«%n»,%i] : f32", "index -1 is outside mode 0", "from 0"),
    Case("V32", "%n = constant 8 : index parallel { %x = load %A[«%n»,%i] : f32 }", "index 8 is outside", "0 to 7"),
    Case("V33", "«%x = atomic_load %A[%i] : f32»", "1 index for %A of order 2", "one index"),
    Case("V33", "%x = atomic_load %A[%i,%i] : «f64»", "f32, not f64", "write f32"),
    Case("V33", "%x = atomic_load «%G»[%i] : f32", "must be a memref", ""),
    Case("V33", "atomic_store «%d», %A[%i,%i]", "%d is f64", "cast %d : f32"),
    Case("V33", "parallel { %x = atomic_add «%d», %A[%i,%i] : f32 }", "%d is f64", "cast %d : f32"),
    Case("V33", "parallel { %x = atomic_add %f, %A[%i,%i] : «f64» }", "f32", ""),
    Case("V33", "parallel { %x = «atomic_max» %z, %Z[%i] : c32 }", "max needs an order", "atomic_add"),
    Case("V33", "parallel { %x = atomic_add %f, %A[%i,«%k»] : f32 }", "must be index", ""),
]

WARNINGS = [
    Case("V32", "%n = constant 8 : index if %b { %x = load %A[«%n»,%i] : f32 }", "index 8 is outside", "0 to 7"),
    Case("V32", "%n = constant 8 : index foreach (%j)=(%c0),(%i) { %x = load %A[«%n»,%j] : f32 }", "index 8", "0 to 7"),
    Case("V33", "«%x = atomic_load.release %A[%i,%i] : f32»", "no release part", ".acquire"),
    Case("V33", "«%x = atomic_load.device.acquire_release %A[%i,%i] : f32»", "no release part", ".acquire"),
    Case("V33", "«atomic_store.acquire %f, %A[%i,%i]»", "no acquire part", ".release"),
    Case("V33", "%x = «atomic_add» %f, %A[%i,%i] : f32", "once for the whole work-group", "parallel"),
]  # fmt: skip


RIGHT = [
    ALLOCA + "axpby %one, %t, %zero, %A lifetime_stop %t",
    "for %n=%c0,%i { " + ALLOCA + " lifetime_stop %t }",
    "%x = expand %A[0->2x4] : memref<f32x2x4x4> %y = expand %A[1->%i x 2] : memref<f32x8x?x2,strided<1,8,?>>",
    "%x = expand %D[0->2 x %i] : memref<f32x2x?x?,strided<1,2,?>>",
    "%x = expand %A[0->2x4] : memref<f32x2x4x4,strided<1,?,?>>",
    "%x = fuse %T[0,2] : memref<f32x64> %y = fuse %D[0,1] : memref<f32x?>",
    "%x = subview %A[0:8,0:4] : memref<f32x8x4> %y = subview %A[7,3] : memref<f32>",
    "%x = subview %A[%i:%i,2:2] : memref<f32x?x2,strided<1,8>>",
    "%y = subview %A[8:%c0,0:4] : memref<f32x?x4,strided<1,8>>",
    "%x = subview %A[3:0,0:4] : memref<f32x4,strided<8>>",
    "%y = subview %D[0:100,0:1] : memref<f32x100x1,strided<1,?>>",
    "%x = size %G[0] : index %y = size %T[2] : index",
    "%x = load %s[] : f32 store %x, %s[] %m = load %G[%i] : memref<f32x8x4> %y = load %m[%i,%i] : f32",
    "%n = constant 7 : index %x = load %A[%n,%c0] : f32 %e = constant 4 : index %g = load %G[%e] : memref<f32x8x4>",
    "%x = atomic_load.acquire %A[%i,%i] : f32 atomic_store.release %f, %A[%i,%i]",
    "parallel { %x = atomic_add.device.relaxed %z, %Z[%i] : c32 %y = atomic_max %k, %I[%i] : i32 }",
    spmd("%x = associated %A : bool %q = associated %G : bool"),
]

test_errors = each_is(Severity.ERROR, ERRORS)
test_warnings = each_is(Severity.WARNING, WARNINGS)
test_right_ones = each_is_clean(RIGHT)


@pytest.mark.parametrize("rank", range(4))
def test_views_of_any_written_type_are_reported_and_nothing_fails(rank: int) -> None:
    shape = "".join("x3" for _ in range(rank))
    for view in ("expand %A[0->2x4]", "fuse %T[1,2]", "subview %T[0:2,1,2:2,%i]", "subview %A[0]", "fuse %s[0,1]"):
        for tail in ("", ",strided<>", ",strided<1>", ",strided<1,2,3,4,5>", ",strided<0,-1,?>"):
            program = f"%x = {view} : memref<f32{shape}{tail}> %y = load %x[%i,%i] : f32"
            with pytest.raises(AssertionError):
                clean(program)
