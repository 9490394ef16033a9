"""What cannot be read or upgraded is reported where it stands, and the rest of the text is still checked."""

# ruff: noqa: E501 - a table reads better with one case a line

from __future__ import annotations

import pytest

from tilewright.diagnostics import Severity

from .reading import Case, kernel, read

F8 = "memref<f32x8>"
TYPES = f"f32, {F8}, f32, {F8}"

CASES = (
    # U1: atomic updates
    Case("U1", f"axpby.n.atomic 1.0, %w, «0.5», %w : {TYPES}", "beta 0 or 1", "separate kernel"),
    Case("U1", f"axpby.n.atomic 1.0, %w, «%f», %w : {TYPES}", "beta 0 or 1", "drop .atomic"),
    Case("U1", "sum.n.atomic 1.0, %w, «2», %s : f32, memref<f32x8>, f32, memref<f32>", "beta 0 or 1"),
    # U2: memrefs of bool
    Case("U2", "func @f(%x: memref<«i1»x4>) { }", "cannot be stored", "i8"),
    Case("U2", "%t = alloca -> memref<«i1»>", "cannot be stored"),
    Case("U2", "func @f(%x: group<memref<«i1»x4>>) { }", "cannot be stored"),
    # U3: literals
    Case("U3", "%x = arith.add %k, «1.5» : i32", "`1.5` is not an i32"),
    Case("U3", "%x = arith.add %k, «3000000000» : i32", "is not an i32"),
    Case("U3", "%x = load %w[%i] : memref<f32x8> %y = cmp.lt %x, «inf» : f32", "is not an f32", "no infinities"),
    Case("U3", "%x = arith.and %p, «2» : i1", "is not an i1"),
    Case("U3", "%x = arith.add %f, «1e300» : f32", "beyond the range of f32"),
    Case("V4", "%x = arith.add %i, «99999999999999999999» : index", "does not fit"),
    Case("U3", "for %j=0,«300» : i8 { }", "is not an i8"),
    # U4: arithmetic on bool
    Case("U4", "%x = arith.add %p, %p : «i1»", "arithmetic on bool is gone", "arith.xor"),
    Case("U4", "%x = arith.mul %p, 1 : «i1»", "arithmetic on bool is gone", "arith.and"),
    Case("U4", "%x = arith.shl %p, %p : «i1»", "arithmetic on bool is gone", "cast"),
    Case("U4", "%x = arith.neg %p : «i1»", "arithmetic on bool is gone", "arith.not"),
    Case("U4", "%x = cmp.lt %p, 1 : «i1»", "no order"),
    # U5: promotion
    Case("U5", f"axpby.n «%d», %w, 1.0, %w : f64, {F8}, f32, {F8}", "f64 is not promotable to f32", "cast %d : f64 -> f32"),
    Case("U5", f"axpby.n «0.1», %w, 1.0, %w : f64, {F8}, f32, {F8}", "f64 is not promotable to f32", "write an f32"),
    Case("U5", f"axpby.n 1.0, %w, «%d», %w : f32, {F8}, f64, {F8}", "cast beta first"),
    Case("U5", "axpby.n 1.0, «%E», 0.0, %A : f32, memref<f64x8x4>, f32, memref<f32x8x4>", "f64 is not promotable to f32"),
    Case("U5", f"hadamard 1.0, %w, «%I», 0.0, %w : f32, {F8}, memref<i32x8>, f32, {F8}", "no common type"),
    # U6: views
    Case("U6", "%x = subview %w[«2:0»] : memref<f32x8>", "size 0"),
    Case("U6", "%x = subview %w[«9:?»] : memref<f32x8>", "nothing is left"),
    Case("U6", "%x = subview %w[«8:?»] : memref<f32x8>", "nothing is left"),
    Case("U6", "%x = subview %w[«3:6»] : memref<f32x8>", "the view ends at 9"),
    Case("U6", "%x = subview «%A[1]» : memref<f32x8x4>", "1 entry for 2 modes of `%A`"),
    Case("U6", "%x = expand %w[0->3x«?»] : memref<f32x8>", "3 does not divide 8"),
    Case("U6", "%x = expand %w[0->«?x2x?»] : memref<f32x8>", "only one extent"),
    Case("U6", "%x = expand %w[0->«3x3»] : memref<f32x8>", "multiply to 9"),
    Case("U6", "%x = expand %A[0->«2x5»] : memref<f32x8x4>", "multiply to 10", "none is added"),
    Case("V22", "%x = if %p -> (f32) { yield «1.0» : f64 } else { yield 0.0 : f32 }", "1.0 is f64, but f32"),
    Case("V22", "if %p -> (i32) { «yield :» } else { yield 1 : i32 }", "0 values yielded", "yield i32"),
    Case("U6", "%x = expand %w[«1»->2x4] : memref<f32x8>", "no mode 1"),
    Case("U6", "%x = fuse %A[0,«2»] : memref<f32x8x4>", "no mode 2"),
    Case("U6", "%x = fuse %A[1,«0»] : memref<f32x8x4>", "no range of modes"),
    Case("U6", "%y = subview %A[0:4,:] : memref<f32x8x4> %x = «fuse» %y[0,1] : memref<f32x4x4,strided<1,8>>", "cannot be fused"),
    Case("U6", "%x = expand %w[0->2x«-4»] : memref<f32x8>", "not positive"),
    Case("U6", "%x = expand %w[0->«0»x?] : memref<f32x8>", "not positive"),
    Case("U6", "%x = subview %w[«-1:3»] : memref<f32x8>", "negative"),
    # U7: collectives in a foreach
    Case("U7", f"foreach %j=0,8 {{ «axpby».n 1.0, %w, 0.0, %w : {TYPES} }}", "", "split the loop"),
    Case("U7", "foreach %j=0,8 { if %p { %t = «alloca» -> memref<f32> } }", "", "split the loop"),
    Case("U7", "foreach %j=0,8 { «foreach» %l=0,8 { } }", "", "split the loop"),
    # U8: strides
    Case("U8", "func @f(%p: i1, %x: «memref<f32x4x8,strided<8,1>>») { }", ""),
    # U9: two languages
    Case("U9", "%x = arith.add %k, 1 : i32 %c = «constant» 1 : i32", "belongs to the new language"),
    Case("U9", "%x = «add» %k, %k : i32", "belongs to the new language"),
    Case("U9", "func @f(%p: i1, %x: «bool») { }", "belongs to the new language"),
    Case("U9", "func @f(%p: i1, %x: memref<«bf16»x4>) { }", "belongs to the new language"),
    Case("U9", "func @f(%p: i1, %x: memref<f32x4,«local»>) { }", "belongs to the new language"),
    Case("U9", "func @f(%p: i1, %x: memref<f32x4> «{»alignment=16}) { }", "belongs to the new language"),
    Case("U9", "func @f(%p: i1, %G: group<memref<f32x4>«x»4>) { }", "belongs to the new language"),
    Case("U9", "func @f(%p: i1) «attributes»{subgroup_size=16} { }", "belongs to the new language"),
    Case("U9", "if %p { yield «(»%k) }", "new language"),
    Case("U9", "foreach «(»%j)=(%i),(%i) { }", "new language"),
    Case("U9", "«$n» = 4", "new language"),
    # Operands whose type is not the one written
    Case("V34", "%x = arith.add %k, %f : «i32»", "`%f` is f32, not i32"),
    Case("V39", f"axpby.n 1.0, %v, 1.0, %w : f32, «{F8}», f32, {F8}", "`%v` is memref<f32x4>"),
    Case("V30", "%x = load %w[%i] : «memref<f32x9>»", "`%w` is memref<f32x8>, not memref<f32x9>"),
    Case("V31", "%x = load %G[%i] : «group<memref<f32x8x5>>»", "`%G` is group<memref<f32x8x4>>"),
    Case("V31", "%x = load %G[%i] : «group<memref<f32x8x4>, offset: 3>»", "`%G` is group<memref<f32x8x4>>"),
    Case("V30", "%t = alloca -> memref<f32x8> store %f, %t[0] : «memref<f32x7>»", "`%t` is memref<f32x8>, not memref<f32x7>"),
    Case("V37", "%x = cmp.lt %k, %f : «i32»", "`%f` is f32, not i32"),
    Case("V35", "%x = cast %k : «i64» -> f32", "`%k` is i32, not i64"),
    Case("V29", "%x = size %w[0] : «memref<f32x9>»", "`%w` is memref<f32x8>, not memref<f32x9>"),
    Case("V39", f"hadamard 1.0, %w, %w, %f, %w : f32, {F8}, {F8}, «f64», {F8}", "`%f` is f32, not f64"),
    Case("U6", "%x = subview %w[0:4] : «memref<f32x9>»", "`%w` is memref<f32x8>, not memref<f32x9>"),
    Case("U6", "%x = expand %w[0->2x4] : «memref<f64x8>»", "`%w` is memref<f32x8>, not memref<f64x8>"),
    Case("U6", "%x = fuse %A[0,1] : «memref<f32x4x8>»", "`%A` is memref<f32x8x4>, not memref<f32x4x8>"),
    Case("V45", "for %j=0,%i : «i32» { }", "`%i` is index, not i32"),
    Case("V43", "foreach %j=0,%i : «i32» { }", "`%i` is index, not i32"),
    Case("V43", "foreach %j=0,«%k» { }", "counts in index", ": i32"),
    Case("V22", "%x = if %p -> (f32) { yield %k : «f32» } else { yield 0.0 : f32 }", "`%k` is i32"),
    Case("V34", "%x = arith.xor %f, %f : «f32»", "works on integers"),
    Case("V34", "%x = arith.shl %f, 1 : «f32»", "works on integers"),
    # What the verifier finds
    Case("V6", "%t = alloca -> memref<f32> lifetime_stop %t %x = load «%t»[] : memref<f32>", "after its lifetime"),
    Case("V17", "func @f(%p: i1) «work_group_size(33,2)» subgroup_size(16) { }", "no multiple"),
    Case("V11", "func @f(%p: i1, %x: «memref<f32x4x5,strided<1>>») { }", "1 stride for 2 modes"),
    Case("V22", "if «%k» { }", "must be i1, not i32"),
    Case("U9", "%g = group_id«.x» : index", "belongs to the new language", "alone"),
    Case("U9", "%n = group_size «:» index", "belongs to the new language", "alone"),
    Case("V22", "«yield 1.0 : f32»", "nothing is yielded", "regions of an if"),
    Case("V22", "%x = if %p -> («memref<f32>») { } else { }", "gives scalars"),
    Case("V30", "store «%k», %w[0] : memref<f32x8>", "the memref holds f32", "cast %k : i32 -> f32"),
    Case("V32", "%x = load %w[«9»] : memref<f32x8>", "outside mode 0"),
    Case("V45", "for %j=0,8,«0» { }", "gets nowhere"),
    Case("V22", "%x = «if» %p -> (f32) { } else { yield 0.0 : f32 }", "yields nothing", "`yield %x : type`"),
    Case("V36", "%x = arith.div %k, «0» : i32", "constant 0"),
    Case("V39", f"axpby.n 1.0, «%v», 1.0, %w : f32, memref<f32x4>, f32, {F8}", "shape"),
    Case("V30", "%x = load %f[] : «memref<f32>»", "`%f` is f32"),
    Case("V30", "%x = load %w[«%k»] : memref<f32x8>", "an index is needed", "cast %k : i32 -> index"),
    Case("V31", "%x = load «%G[%i,%i]» : group<memref<f32x8x4>>", "one index"),
    Case("V25", "%t = alloca -> «memref<f32x?>»", ""),
    Case("V29", "%x = size %w[«1»] : memref<f32x8>", "no mode 1"),
    Case("V45", "for %j=0,«%k» { }", "counts in index", ": i32"),
    Case("V45", "for %j=0,8 : «f32» { }", "integer type"),
    Case("V6", f"axpby.n 1.0, «%zz», 1.0, %w : {TYPES}", "not defined"),
    Case("V7", "«arith».add %k, %k : i32", "no name"),
    Case("V5", "func @f(%p: i1, «%p»: i1) { }", "two parameters"),
    # Syntax
    Case("V1", f"«axpby» 1.0, %w, 1.0, %w : {TYPES}", "needs `.n` or `.t`"),
    Case("V1", "«gemm.n» 1.0, %A, %B, 0.0, %C : f32, memref<f32x8x4>, memref<f32x4x6>, f32, memref<f32x8x6>", "two of"),
    Case("V1", f"axpby«.atomic.n» 1.0, %w, 1.0, %w : {TYPES}", "`.n.atomic`"),
    Case("V1", f"axpby.n 1.0, %w, 1.0, %w : f32, {F8}, f32«»", "expected `,`"),
    Case("V1", f"axpby.n 1.0, «1.0», 1.0, %w : {TYPES}", "a value such as"),
    Case("V1", "%t = alloca «:» memref<f32x4>", "`->`"),
    Case("V1", "store «1.0», %w[0] : memref<f32x8>", "a value such as"),
    Case("V2", "%x = «arith.addd» %k, %k : i32", "not an instruction", "arith.add"),
    Case("V2", "%x = «cmp.lo» %k, %k : i32", "not an instruction"),
    Case("V2", "«barier»", "not an instruction", "barrier"),
    Case("V2", "%x = «lod» %w[0] : memref<f32x8>", "not an instruction", "load"),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.code}-{c.text[:40]}")
def test_the_mistake_is_found_where_it_stands(case: Case) -> None:
    case.check()


def test_the_rest_of_the_text_is_still_checked() -> None:
    text = (
        kernel(
            """
        %a = arith.add %p, %p : i1
        %b = arith.add %a, %a : i1
        %c = subview %w[9:?] : memref<f32x8>
        axpby.n 1.0, %c, 0.0, %w : f32, memref<f32x8>, f32, memref<f32x8>
        if %p {
            %d = arith.add %k, 1.5 : i32
        }
        axpby.n 1.0, %v, 0.0, %w : f32, memref<f32x4>, f32, memref<f32x8>
        """
        )
        + "func @g(%x: memref<i1x4>) { }\nfunc @h(%p: i1) { %q = arith.neg %p : i1 }\n"
    )
    # The verifier comes after the reader, and one broken value makes the instructions that use it silent.
    assert [d.code for d in read(text)[1]] == ["U4", "U4", "U6", "U3", "U2", "U4", "V39"]


@pytest.mark.parametrize(
    ("code", "body", "hint"),
    [
        ("V38", "%x = arith.shl %k, 40 : i32", "0 to 31"),
        ("V23", "foreach %j=0,8 { barrier }", "out of the foreach"),
        ("V19", "%x = arith.add %f, 1e-60 : f32", "0.0"),
        ("V10", "%t = alloca -> memref<f32x0>", "?"),
        (
            "V42",
            "%a = subview %w[0:4] : memref<f32x8> %b = subview %w[2:4] : memref<f32x8>"
            "axpby.n 1.0, %a, 0.0, %b : f32, memref<f32x4>, f32, memref<f32x4>",
            "alloca",
        ),
    ],
)
def test_warnings(code: str, body: str, hint: str) -> None:
    [found] = read(kernel(body))[1]
    assert (found.code, found.severity) == (code, Severity.WARNING)
    assert hint in "".join(found.hints)


def test_a_forgotten_brace_is_found() -> None:
    text = "func @f(%p: i1) {\n    if %p {\n        barrier\n}\nfunc @g(%p: i1) {\n}\n"
    found = read(text)[1]
    assert [d.code for d in found] == ["V1"]


def test_definitions_from_outside_are_not_used() -> None:
    from tilewright.diagnostics import Report, Source
    from tilewright.frontends.old_tensor_language import parse

    report = Report()
    parse(Source("old.tl", kernel("barrier")), report, {"n": "4"})
    assert [d.code for d in report.diagnostics] == ["V8"]
